import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { jsonValues, objectsIn } from '../../../src/host/files/objects-in.ts'
import { suite } from '../../support/suite.ts'

const valuesIn = (text: string) => objectsIn(text, 'a.json').map(({ value }) => value)

const READ: Record<string, readonly [text: string, values: readonly unknown[]]> = {
  'two objects': ['{}{"a":1}', [{}, { a: 1 }]],
  'blanks and lines between': [' {"a":1} \n\n\t{"b":2}\r\n', [{ a: 1 }, { b: 2 }]],
  'lists are taken apart': ['[1,2][3]{"a":[4]}', [1, 2, 3, { a: [4] }]],
  'brackets and quotes in text': ['{"a":"}{"}{"b":"\\"}{\\\\"}', [{ a: '}{' }, { b: '"}{\\' }]],
  'lists called items below others': [
    '{"items":[{"items":[{"items":"\\"items\\":"}]}],"a":"items","b":{"items":[]}}',
    [{ items: [{ items: [{ items: '"items":' }] }], a: 'items', b: { items: [] } }],
  ],
  'a marker between': ['{"a":1}\n---\n{"b":2}{"c":3}', [{ a: 1 }, { b: 2 }, { c: 3 }]],
  'a flow document that is no JSON': ["{a: '}{', b: 1} # {\n", [{ a: '}{', b: 1 }]],
  'values that look like keys': [
    '{"x":":","y":"a\\":","z" :[":"],"\\":":{"x":1}}',
    [{ x: ':', y: 'a":', z: [':'], '":': { x: 1 } }],
  ],
  'numbers beside texts of a signed action': [
    '{"kind":"NodeAction","spec":{"sequence":10,"reason":"a, 1.0, b"}}',
    [{ kind: 'NodeAction', spec: { sequence: 10, reason: 'a, 1.0, b' } }],
  ],
  'a comment behind': ['{"a": 1}\n# {}{}\n', [{ a: 1 }]],
  'long integers': ['{"a":12345678901234567890}{"b":1}', [{ a: 12345678901234567890n }, { b: 1 }]],
}

const REFUSED: Record<string, readonly [text: string, said: RegExp]> = {
  'members said twice': [
    '{"kind":"List","items":[{"a":1}],\n"items":[]}',
    /document 1, cannot be read as JSON: duplicated mapping key "items", which line 1 has as well, line 2: "items":\[\]/,
  ],
  'members said twice, of the second': [
    '{"items":[]}\n{"items":[1],"b":[{"items":2}],"items" :[]}',
    /duplicated mapping key/,
  ],
  'a key said twice, however deep': [
    '{"kind":"Pod","metadata":{"labels":{"a":"1",\n"b":"2",\n"a":"3"}}}',
    /duplicated mapping key "a", which line 1 has as well, line 3: "a":"3"/,
  ],
  'a key said twice, once with an escape, beside values that look like keys': [
    String.raw`{"x":":","y":"\\","z":[":",{"target":1,"\u0074arget":2}]}`,
    /duplicated mapping key "target"/,
  ],
  '__proto__ said twice': ['{"__proto__":{},"__proto__":[]}', /duplicated mapping key "__proto__"/],
  'a number with a point in a signed action': [
    '{"kind":"NodeAction","spec":{"sequence":1.0,"reason":"v 2.0, 3.0"}}',
    /holds the number 1.0 beside a signed action/,
  ],
  'a number with an exponent in a signed action': ['{"kind":"NodeAction","spec":{"sequence":[1e0]}}', /the number 1e0/],
  'a comma between': ['{"a":1},{"b":2}', /document 1, cannot be read as YAML/],
  'text behind': [
    '{"a":1}{"b":2}\nc: d\n',
    /document 1, holds text between JSON values that is not JSON, line 2: c: d/,
  ],
  'text behind a flow document': ['{a: b}\nc: d\n', /document 1, cannot be read as YAML.*line 2: c: d/],
  'one that never closes': ['{"a":1}\n{"b":2}\n{"c":\n', /document 1, .*line 3: \{"c":/],
  'a closing bracket too many': ['{"a":1}}\n{"b":2}', /document 1, cannot be read as YAML/],
  'a missing comma': ['{"a":1}\n{"b":"2"\n"c":3}', /missed comma .*line 3: "c":3\}/],
  'an error in the third': ['{"a":1}\n{"b":2}\n\n{"c":3\n "d":4}\n', /document 1, .*line 4: \{"c":3/],
  'text without a quote that closes': ['{"a":1}{"b":"c}', /within a double quoted scalar/],
}

suite('JSON in a file', (test) => {
  for (const [name, [text, values]] of Object.entries(READ))
    test(`${name}: read`, () => assert.equal(valuesIn(text), values))
  for (const [name, [text, said]] of Object.entries(REFUSED))
    test(`${name}: refused`, () => assert.throws(() => valuesIn(text), said))
  test('any values, one behind the other', () => {
    const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
    const blank = fc.constantFrom('', ' ', '\n', '\r\n\t')
    fc.assert(
      fc.property(fc.array(fc.tuple(value, blank, fc.constantFrom(0, 2)), { minLength: 1 }), (stream) => {
        const text = stream.map(([one, space, indent]) => JSON.stringify(one, null, indent) + space).join('')
        assert.equal(
          jsonValues(text).map((piece) => JSON.stringify(JSON.parse(piece.text))),
          stream.map(([one]) => JSON.stringify(one)),
        )
      }),
    )
  })
  test('a million brackets', () => {
    assert.throws(() => valuesIn('{'.repeat(1_000_000)))
    assert.throws(() => valuesIn('{}'.repeat(300_000).concat('{')))
    assert.is(jsonValues(`{"a":"${'\\\\'.repeat(1_000_000)}"}{}`).length, 2)
  })
})

const PLACES: Record<string, readonly [text: string, want: RegExp]> = {
  'a raw character': [
    'a: b\n---\nc: d\ne: "\u0085"\n',
    /^f, document 2, contains the raw character U\+0085 .*, line 4: e: "\\u0085"$/,
  ],
  'JSON that only YAML reads, and refuses': [
    '# head\n---\n{"a":\n 1}\n{"b": 12345678901234567,\n "c": 1,\n "c": 2}\n',
    /^f, document 1, .*, line 7: "c": 2\}$/,
  ],
  'one JSON value that is refused': [
    'a: b\n---\n{"b": 12345678901234567,\n "c": 1, "c": 2}\n',
    /^f, document 2, .*, line 4: "c": 1, "c": 2\}$/,
  ],
  'a tab': ['a: b\nc:\n\td: e\n', /^f, document 1, .*, line 3: \\td: e$/],
}

suite('the line of the file', (test) => {
  for (const [name, [text, want]] of Object.entries(PLACES))
    test(name, () =>
      assert.throws(
        () => objectsIn(text, 'f'),
        ({ message }: Error) => want.test(message),
      ),
    )
})
