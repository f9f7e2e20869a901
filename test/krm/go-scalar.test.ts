import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { readAnyYaml } from '../../src/krm/read-yaml.ts'
import { writeFlowYaml, writeYaml } from '../../src/krm/write-yaml.ts'
import { AMBIGUOUS } from '../support/strings.ts'
import { suite } from '../support/suite.ts'

/** Plain scalars as Go reads them. */
const READ: Array<[text: string, value: unknown]> = [
  ['0644', 420],
  ['0777', 511],
  ['-0644', -420],
  ['0o17', 15],
  ['0O17', 15],
  ['0b11', 3],
  ['0x1F', 31],
  ['0X1f', 31],
  ['1_000', 1000],
  ['1__0', 10],
  ['0_7', 7],
  ['08', 8],
  ['1e3', 1000],
  ['1E3', 1000],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['1.', 1],
  ['-1.5e-3', -0.0015],
  ['+1', 1],
  ['0', 0],
  ['-0', -0],
  ['9007199254740993', 9007199254740993n],
  ['12345678901234567890', 12345678901234567890n],
  ['-9223372036854775808', -9223372036854775808n],
  ['123456789012345678901234567890', 1.2345678901234568e29],
  ['true', true],
  ['True', true],
  ['FALSE', false],
  ['null', null],
  ['~', null],
  ['Null', null],
  ['', null],
  ['yes', 'yes'],
  ['on', 'on'],
  ['y', 'y'],
  ['No', 'No'],
  ['12:30:45', '12:30:45'],
  ['2024-01-01', '2024-01-01'],
  ['1e', '1e'],
  ['0x', '0x'],
  ['0o8', '0o8'],
  ['1.2.3', '1.2.3'],
  ['.inf', Infinity],
  ['-.INF', -Infinity],
  ['10.0.1.17', '10.0.1.17'],
  ['_1', '_1'],
  ['1k', '1k'],
  ['tRue', 'tRue'],
]

suite('scalars', (test) => {
  for (const [text, value] of READ)
    test(`${text || '(nothing)'} is read as ${String(value)}`, () =>
      assert.equal((readAnyYaml(`a: ${text}\n`) as { a: unknown }).a, value))
  test('integer keys are text, as in JSON', () =>
    assert.equal(readAnyYaml('0644: a\ntrue: b\n'), { 420: 'a', true: 'b' }))
  test('merge keys are merged', () =>
    assert.equal(readAnyYaml('a: &a {b: 1}\nc: {<<: *a, d: 2}\n'), { a: { b: 1 }, c: { b: 1, d: 2 } }))
  for (const text of AMBIGUOUS) {
    test(`${JSON.stringify(text.slice(0, 30))} is written so that it stays text`, () => {
      const value = { [text]: text, list: [text, { [text]: text }] }
      for (const yaml of [writeYaml(value), writeFlowYaml(value)]) {
        assert.equal(readAnyYaml(yaml), value, yaml)
        assert.equal(parse(yaml), value, `YAML 1.2: ${yaml}`)
      }
    })
  }
  test('any text, as value and key', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[-+.0-9_oxbeEXOB:TZ~ynfalse \t\n]{0,8}$/),
    )
    fc.assert(
      fc.property(text, text, (key, value) => {
        fc.pre(key.isWellFormed() && value.isWellFormed())
        const object = { nested: { list: [value] }, [key]: value }
        assert.equal(readAnyYaml(writeYaml(object)), object)
      }),
      { numRuns: 2000 },
    )
  })
  test('numbers are printed as Go reads them', () => {
    assert.is(
      writeYaml({ a: 1e21, b: 9007199254740993n, c: -0.5, d: 420 }),
      'a: 1e+21\nb: 9007199254740993\nc: -0.5\nd: 420\n',
    )
  })
})
