/** What the editors of the playground offer: where a place is among the keys, and what the schemas allow there. */
import * as assert from 'uvu/assert'
import { keyPathAt } from '../../playground/completion/key-path.ts'
import { aboutField, keysAt, valuesAt } from '../../playground/completion/schema.ts'
import { suite } from '../support/suite.ts'

/** Texts with the cursor at |, and the path there; `=` before a value. */
const PLACES: ReadonlyArray<readonly [text: string, path: string | undefined]> = [
  ['|', ''],
  ['ki|', ''],
  ['kind: Siz|', '=kind'],
  ['spec:\n  |', 'spec'],
  ['spec:\n  a: 1\n  b|', 'spec'],
  ['spec:\n  a:\n    x: 1\n  b|', 'spec'],
  ['spec:\n  # words\n\n  resourcePercentages:\n    req|', 'spec resourcePercentages'],
  ['spec:\n  resourcePercentages: # words\n    requestCPU: |', '=spec resourcePercentages requestCPU'],
  ['spec:\n  groups:\n    - name: a\n      nodeS|', 'spec groups []'],
  ['spec:\n  groups:\n  - name: a\n    nodeSelector:\n      x|', 'spec groups [] nodeSelector'],
  ['spec:\n  groups:\n    - na|', 'spec groups []'],
  ['spec:\n  groups:\n  - na|', 'spec groups []'],
  ['spec:\n  groups:\n    - name: a\n    - name: |', '=spec groups [] name'],
  ['metadata:\n  name: x\nspec:\n  |', 'spec'],
  ['a:\n  b: 1\n---\nspec:\n  c|', 'spec'],
  ['---\nspec:\n  c|', 'spec'],
  ['# kind: |', undefined],
  ['a: {b|', undefined],
  ['\tx|', undefined],
]

suite('where a place is among the keys', (test) => {
  for (const [text, expected] of PLACES)
    test(JSON.stringify(text), () => {
      const found = keyPathAt(text.replace('|', ''), text.indexOf('|'))
      assert.is(found && `${found.isValue ? '=' : ''}${found.path.join(' ')}`, expected)
    })
})

suite('what the schemas allow', (test) => {
  const labels = (kind: string, path: string[]) => keysAt(kind, path, 0).map(({ label }) => label)
  test('fields of a policy, with type, default and description', () => {
    const [found] = keysAt('SizingPolicy', ['spec'], 2).filter(({ label }) => label === 'remainder')
    assert.equal([found?.text, found?.detail], ['remainder: ', 'boolean, default true'])
    assert.ok((found?.description.length ?? 0) > 10)
  })
  test('fields behind a reference and in a list', () => {
    assert.ok(labels('SizingPolicy', ['metadata']).includes('namespace'))
    assert.ok(labels('SizingPolicy', ['spec', 'groups', '[]']).includes('nodeSelector'))
    assert.ok(labels('NodeInventory', ['spec', 'shapes', '[]']).includes('allocatable'))
  })
  test('a map begins on the next line', () => {
    const [found] = keysAt('SizingPolicy', ['spec'], 2).filter(({ label }) => label === 'resourcePercentages')
    assert.is(found?.text, 'resourcePercentages:\n    ')
  })
  test('values of an enumeration and of a switch', () => {
    assert.equal(
      valuesAt('SizingPolicy', ['spec', 'targetRef', 'kind']).map(({ label }) => label),
      ['DaemonSet', 'ConfigMap', 'Order'],
    )
    assert.ok(valuesAt('SizingPolicy', ['spec', 'enabled']).some(({ label }) => label === 'false'))
  })
  test('nothing of a kind or a field that is not known', () => {
    for (const [kind, path] of [
      ['Deployment', ['spec']],
      ['toString', []],
      ['SizingPolicy', ['spec', 'constructor']],
    ] as const) {
      assert.equal(labels(kind, [...path]), [])
      assert.is(aboutField(kind, [...path]), undefined)
    }
  })
  test('what a field is', () => {
    const about = aboutField('SizingPolicy', ['spec', 'nodeGroupLabel'])
    assert.match(about?.title ?? '', 'nodeGroupLabel (string')
    assert.ok((about?.text.length ?? 0) > 10)
  })
})
