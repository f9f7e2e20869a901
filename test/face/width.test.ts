import * as assert from 'uvu/assert'
import { displayWidth, printable, shortened } from '../../src/face/index.ts'
import { suite } from '../support/suite.ts'

const WIDTHS: Array<[name: string, text: string, columns: number]> = [
  ['nothing', '', 0],
  ['letters', 'fluent-bit', 10],
  ['Han, kana and Hangul', '日本カナ한국', 12],
  ['full-width forms', 'ＡＢ', 4],
  ['a picture, which is one character of two code units', '😀', 2],
  ['a letter with a mark: never fewer than it takes', 'é', 2],
]

const SHORTENED: Array<[name: string, text: string, columns: number, short: string]> = [
  ['what fits stays', 'fluent-bit', 10, 'fluent-bit'],
  ['the middle goes', 'fluent-bit-remainder', 13, 'fluen...inder'],
  ['an odd rest', 'fluent-bit-remainder', 12, 'fluen...nder'],
  ['wide characters are not halved', '日本語日本語', 8, '日...語'],
  ['nor is a character of two code units', '😀😀😀😀', 7, '😀...😀'],
  ['no room for more than what says so', 'fluent-bit', 3, '...'],
]

const PRINTABLE: Array<[name: string, text: string, shown: string]> = [
  ['words stay', 'a  b: é😀', 'a  b: é😀'],
  ['lines become one', 'a\n  b\r\n\nc', 'a b c'],
  ['an escape sequence steers nothing', '\x1b[31mred\x07', '\\u{1b}[31mred\\u{7}'],
  ['nor does a C1 control', 'a\x9b2Jb', 'a\\u{9b}2Jb'],
  ['nor a change of direction', 'a\u202eb', 'a\\u{202e}b'],
]

suite('text on a terminal', (test) => {
  for (const [name, text, columns] of WIDTHS) test(`columns: ${name}`, () => assert.is(displayWidth(text), columns))
  for (const [name, text, columns, short] of SHORTENED)
    test(`shortened: ${name}`, () => {
      assert.is(shortened(text, columns), short)
      assert.ok(displayWidth(short) <= columns)
    })
  for (const [name, text, shown] of PRINTABLE) test(`printable: ${name}`, () => assert.is(printable(text), shown))
})
