/** A .krmignore as kpt reads it: the answers are those of kyaml's matcher (monochromegane/go-gitignore). */
import * as assert from 'uvu/assert'
import { readKrmignore } from '../../../src/host/files/read-objects.ts'
import { suite } from '../../support/suite.ts'

const CASES: ReadonlyArray<readonly [text: string, path: string, isFolder: boolean, ignored: boolean]> = [
  ['', 'a.yaml', false, false],
  ['# a.yaml\n\n  \n/\n', 'a.yaml', false, false],
  ['a.yaml', 'a.yaml', false, true],
  [' a.yaml \r\n', 'a.yaml', false, true],
  ['a.yaml', 'x/a.yaml', false, true],
  ['a.yaml', 'aa.yaml', false, false],
  ['a.yaml', 'axyaml', false, false],
  ['/a.yaml', 'x/a.yaml', false, false],
  ['/a.yaml', 'a.yaml', false, true],
  ['x/a.yaml', 'y/x/a.yaml', false, true],
  ['/x/a.yaml', 'x/a.yaml', false, true],
  ['/x/a.yaml', 'x/b.yaml', false, false],
  ['*.skip.yaml', 'x/a.skip.yaml', false, true],
  ['a?.yaml', 'ab.yaml', false, true],
  ['[ab].yaml', 'b.yaml', false, true],
  ['[^ab].yaml', 'b.yaml', false, false],
  ['*', 'x/y', false, true],
  ['x/*', 'x/y/z.yaml', false, false],
  ['x/', 'x', true, true],
  ['x/', 'x', false, false],
  ['x', 'x', true, true],
  ['*.yaml\n!keep.yaml', 'keep.yaml', false, false],
  ['!keep.yaml\n*.yaml', 'keep.yaml', false, false],
  ['*.yaml\n!keep.yaml', 'other.yaml', false, true],
  ['\\#a.yaml', '#a.yaml', false, true],
  ['[', '[', false, false],
  ['a+(b)', 'a+(b)', false, true],
]

suite('.krmignore', (test) => {
  test('may be asked of any number of files', () => {
    const ignores = readKrmignore(Array.from({ length: 20 }, (_, index) => `*-${index}.md`).join('\n'))
    for (let file = 0; file < 60_000; file++) ignores(`folder/deployment-of-service-${file}.yaml`, false)
    assert.ok(ignores('notes-3.md', false))
  })
  test('with a pattern that is too long to be read is refused, and says so', () =>
    assert.throws(() => readKrmignore('a'.repeat(20_000)), /a pattern of 20000 characters is too long: a+\.\.\.$/))
  for (const [text, path, isFolder, ignored] of CASES)
    test(`${JSON.stringify(text)}: ${path}${isFolder ? '/' : ''}`, () =>
      assert.is(readKrmignore(text)(path, isFolder), ignored))
})
