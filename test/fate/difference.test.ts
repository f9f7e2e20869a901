/** In which fields two objects differ, and which of them a change names. */
import * as assert from 'uvu/assert'
import { changeOf } from '../../src/fate/change.ts'
import { difference, type FieldChange } from '../../src/krm/difference.ts'
import { newItem } from '../../src/krm/index.ts'
import { daemonSet } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const ROWS: Array<[name: string, before: unknown, after: unknown, fields: FieldChange[]]> = [
  ['nothing', { a: [1] }, { a: [1] }, []],
  ['what is gone', { a: 1 }, {}, [{ path: 'a', before: 1, after: undefined }]],
  ['what is new', {}, { a: 1 }, [{ path: 'a', before: undefined, after: 1 }]],
  [
    'in the order of their names, whatever the order of the text',
    { c: 1, b: { z: 1, y: 1 } },
    { b: { y: 2, z: 2 }, a: 1, c: 2 },
    [
      { path: 'a', before: undefined, after: 1 },
      { path: 'b.y', before: 1, after: 2 },
      { path: 'b.z', before: 1, after: 2 },
      { path: 'c', before: 1, after: 2 },
    ],
  ],
]

suite('fields that differ', (test) => {
  for (const [name, before, after, fields] of ROWS) test(name, () => assert.equal(difference(before, after), fields))
  test('a change names no annotation of the host, and no other is taken for one', () => {
    const at = (path: string, own: string) =>
      newItem(
        daemonSet({}, { annotations: { 'internal.config.kubernetes.io/path': path, 'config.kubernetes.io/x': own } }),
      )
    const { fields } = changeOf({ kind: 'changed', before: at('a.yaml', '1'), after: at('b.yaml', '2') })
    assert.equal(
      fields.map(({ path }) => path),
      ['metadata.annotations.config.kubernetes.io/x'],
    )
  })
})
