import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { writeAll } from '../../../src/host/files/stdio.ts'
import { suite } from '../../support/suite.ts'

const PIECE = 1 << 16

/** What arrives in a file to which a text, or several as one, are written. */
function written(text: string | readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-test-'))
  try {
    const file = join(folder, 'out')
    const descriptor = openSync(file, 'w')
    writeAll(descriptor, text)
    closeSync(descriptor)
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Characters of one, two, three and four bytes; the last takes two code units. */
const CHARACTERS = ['a', 'ö', '\u4e2d', '\u{1f600}']

suite('writing all of a text', (test) => {
  for (const character of CHARACTERS) {
    for (const before of [PIECE - 1, PIECE, 2 * PIECE - 1]) {
      const text = `${'x'.repeat(before)}${character.repeat(3)}y`
      test(`${new TextEncoder().encode(character).length} bytes at ${before} code units`, () =>
        assert.ok(written(text) === text))
    }
    const text = character.repeat(3 * PIECE)
    test(`nothing but characters of ${new TextEncoder().encode(character).length} bytes`, () =>
      assert.ok(written(text) === text))
  }
  test('a character that takes two code units ends the text, and a piece', () => {
    const text = `${'x'.repeat(PIECE - 2)}\u{1f600}`
    assert.ok(written(text) === text)
  })
  test('nothing, and texts that are empty', () => {
    assert.is(written(''), '')
    assert.is(written([]), '')
    assert.is(written(['', 'a', '', 'b', '']), 'ab')
  })
  test('several texts arrive one behind the other, whatever their lengths', () => {
    const text = fc
      .tuple(fc.constantFrom(...CHARACTERS), fc.constantFrom(0, 1, 7, 4096, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE))
      .map(([character, count]) => `${character.repeat(count)}|`)
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (texts) => written(texts) === texts.join('')),
      { numRuns: 60 },
    )
  })
  test('very many short ones', () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => `line ${index} \u{1f600}\n`)
    assert.ok(written(texts) === texts.join(''))
  })
})
