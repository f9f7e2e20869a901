/** What new documents say of their fields, whatever documents were made before. */
import * as assert from 'uvu/assert'
import type { Asked } from '../../src/fate/share-conflicts.ts'
import { newFields } from '../../src/fate/shares.ts'
import { suite } from '../support/suite.ts'

const asked = (path: string, owner = 'ActionPolicy/main') => ({ path: path.split('.'), owner }) as unknown as Asked
const said = (...shares: Asked[]) => newFields()(shares)

suite('fields of new documents', (test) => {
  for (const [what, mayMeet, ...paths] of [
    ['fields apart', false, 'metadata.uid', 'spec.unschedulable', 'metadata.labels.a'],
    ['the first field twice', true, 'metadata.uid', 'metadata.uid'],
    ['one inside the first', true, 'metadata.labels', 'metadata.labels.a'],
    ['one around a later one', true, 'metadata.uid', 'metadata.labels.a', 'metadata.labels'],
    ['what says which object it is', true, 'spec.unschedulable', 'metadata.name'],
  ] as const)
    test(what, () => assert.is(said(...paths.map((path) => asked(path))).mayMeet, mayMeet))
  test('each field is listed once, with its owners in order', () => {
    const shares = [asked('spec.b', 'PoolPolicy/p'), asked('spec.a'), asked('spec.b'), asked('spec.b')]
    assert.is(said(...shares).text, '{"/spec/a":["ActionPolicy/main"],"/spec/b":["ActionPolicy/main","PoolPolicy/p"]}')
  })
  test('others of the same fields, and the same fields of others, are not mixed up', () => {
    const fieldsOf = newFields()
    const [ours, theirs] = [fieldsOf([asked('spec.a')]), fieldsOf([asked('spec.a', 'PoolPolicy/p')])]
    assert.is(ours.text, '{"/spec/a":["ActionPolicy/main"]}')
    assert.is(theirs.text, '{"/spec/a":["PoolPolicy/p"]}')
    assert.is(fieldsOf([asked('spec.a')]), ours)
  })
})
