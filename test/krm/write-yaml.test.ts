/** Objects that share parts are written as if each were written by itself. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { writeYaml, yamlWriter } from '../../src/krm/write-yaml.ts'
import { suite } from '../support/suite.ts'

const BLOCK = 'first: {\n  second\n\n    third\n'
const LARGE = { a: 1, b: [true, null], c: { d: '007' } }

/** Parts that several objects have, at places and beside texts where printing them apart could go wrong. */
const PARTS: Record<string, unknown> = {
  'a map': LARGE,
  'a list of maps': [LARGE, { name: 'x', value: 'y' }],
  'a list of lists': [
    [1, 2, 3],
    [[4], { e: [5] }],
  ],
  'texts of several lines': {
    one: BLOCK,
    two: `${BLOCK}\n\n`,
    three: '\n leading',
    four: 'tab\tand\rreturn\n',
    five: ' ',
  },
  'texts that must be quoted': {
    yes: 'no',
    null: '~',
    '0x1f': '1e3',
    '': '',
    '- a': '- b',
    'k: v': '? #',
    '---': '...',
  },
  'empty lists and maps in it': { a: [], b: {}, c: [{}], d: [[]], e: '' },
  'members of other objects': { constructor: 1, toString: '2', hasOwnProperty: [3], valueOf: 4 },
  'characters of other planes': { 𝕜: '👩‍💻', '\u2028': '\u0085', '\ufeffx': '\ue001', z: '\u00a0' },
  'what looks like a mark': { a: '\ue0000', b: 'x: \ue0000', '\ue000': 1, c: '\ue000' },
}

/** Where a part stands. */
const PLACES: Record<string, (part: unknown) => unknown> = {
  'below a key': (part) => ({ one: 1, part, two: 2 }),
  'below two keys': (part) => ({ part, again: part }),
  'below a key that is quoted': (part) => ({ yes: part, null: part }),
  'below keys that are no plain words': (part) => ({
    '---': part,
    '- a': part,
    'k: v': part,
    '': part,
    '\ue0001': part,
  }),
  'below a long key': (part) => ({ ['k'.repeat(1200)]: part, ['l'.repeat(128)]: part, [`m${'n'.repeat(128)}`]: part }),
  'in a list': (part) => [part, { x: part }, [part, [{ y: part, z: 1 }]]],
  'deep down': (part) => ({ a: { b: [{ c: { d: [{ e: part }] } }] } }),
  'last, and below a list in a list': (part) => ({ a: [[{ part }], [[{ part }]]] }),
  'by itself': (part) => part,
  'beside what looks like a mark': (part) => ({ part, text: '\ue0000' }),
  'beside a text of several lines that ends like a key with a mark': (part) => ({ text: 'a\nb: \ue0000\n', part }),
  'below what looks like a mark': (part) => ({ '\ue0000': { part } }),
}

suite('what objects share', (test) => {
  for (const [what, part] of Object.entries(PARTS))
    for (const [where, place] of Object.entries(PLACES))
      test(`${what} ${where} is written as ever`, () => {
        const objects = [place(part), { spec: place(part) }, [place(part)], place(structuredClone(part))]
        const write = yamlWriter(objects)
        for (const object of objects) assert.is(write(object), writeYaml(object))
      })

  test('values of any kind, with parts that they share, are written as ever', () => {
    const key = fc.oneof(fc.constantFrom('name', 'spec', 'yes', '~', '- a', '__proto__', 'a.b/c-d'), fc.string())
    const scalar = fc.oneof(
      fc.constantFrom('on', '0644', '1_000', BLOCK, '\ue0000', 'x: \ue0001', ' \n', 'a: |\n  b'),
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    const part = fc.array(
      fc.letrec((tie) => ({
        value: fc.oneof(
          { depthSize: 'small', withCrossShrink: true },
          scalar,
          fc.array(tie('value'), { maxLength: 4 }),
          fc.dictionary(key, tie('value'), { maxKeys: 5 }),
        ),
      })).value,
      { minLength: 1, maxLength: 3 },
    )
    const places = fc.array(fc.array(fc.tuple(key, fc.nat()), { maxLength: 5 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(part, places, (parts, all) => {
        const objects = all.map((members) =>
          members.reduce<Record<string, unknown>>((map, [name, index]) => {
            const value = parts[index % parts.length]
            Object.defineProperty(map, name, {
              value: index % 2 ? [value, { v: value }] : value,
              enumerable: true,
              configurable: true,
            })
            return map
          }, {}),
        )
        const write = yamlWriter(objects)
        for (const object of objects) assert.is(write(object), writeYaml(object))
      }),
      { numRuns: 2000, seed: 23 },
    )
  })

  test('what differs in words only is printed as each by itself', () => {
    const words = [
      ...[
        'a',
        'node-1',
        'true',
        'no',
        'Off',
        '7',
        '1e5',
        '',
        ' a',
        'a: b',
        'x: ',
        ': ',
        'a #b: c',
        '- a: b',
        '\ue002',
        '\ue000',
      ],
      ...[
        '11111111-1111-4222-8333-000000000002',
        'a/b',
        'a/',
        '0',
        '007',
        '12345678901234567890',
        '2026-01-15',
        '2026-01-15T11:00:00Z',
        '2026-99-99T99:99:99Z',
        '2026-01-15T11:00:00.5Z',
        'a\nb: c',
        'é: b',
        '@a: b',
        'a: "b"',
        '__proto__',
        null,
        5,
        true,
      ],
    ]
    const write = yamlWriter([])
    for (const left of words)
      for (const right of words) {
        const values = [{ a: left, b: [right, { c: left }] }, [{ a: left }, right], { [String(left)]: right }]
        for (const value of values) assert.is(write(value), writeYaml(value), JSON.stringify(value))
      }
    for (const value of [1n, undefined, Number.NaN, 1.5, -0])
      for (const again of [1, 2, 3])
        assert.is(write({ value, again: 'x' }), writeYaml({ value, again: 'x' }), String(again))
  })
  test('a long map of words, and one with a member that is none, is printed as ever', () => {
    const long = (more: Record<string, unknown>) => ({
      ...Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`Node/n${index}.example/labels/a_b`, index])),
      ...more,
    })
    const others = [
      ...['true', 'no', '007', '', ' a', 'a #b', 'a\nb: c', 'x: y', '2026-01-15T11:00:00Z', '\ue000', '\ue0000'],
      ...[1.5, -0, -7, null, true, [], {}, ['a'], { a: 1 }, long({})],
    ]
    const keys = [
      'on',
      '7',
      '',
      ' a',
      'a: b',
      'a\nb',
      '- a',
      '__proto__',
      '\ue0000',
      'k'.repeat(1000),
      'k'.repeat(1001),
      'k'.repeat(1025),
    ]
    const maps = [...others.map((value) => long({ x: value })), ...keys.map((key) => long({ [key]: 'x' }))]
    for (const map of maps)
      for (const value of [{ spec: { map, b: 1 } }, { list: [{ a: map }, { '- b': map }] }, map]) {
        const layout = (text: string) => text.replace(/^(?=[^\r\n])/gm, '    ')
        assert.is(yamlWriter([value])(value), writeYaml(value))
        assert.is(yamlWriter([value], layout)(value), layout(writeYaml(value)))
      }
  })
  test('what is shared is printed once, and each object without it', () => {
    const shared = { large: Array.from({ length: 500 }, (_, index) => ({ name: `n${index}` })) }
    let asked = 0
    Object.defineProperty(shared, 'counted', {
      enumerable: true,
      get: () => {
        asked++
        return { a: 1, b: 2 }
      },
    })
    const objects = Array.from({ length: 20 }, (_, index) => ({ metadata: { name: `o${index}` }, shared }))
    const write = yamlWriter(objects)
    const texts = objects.map(write)
    assert.is(new Set(texts.map((text) => text.slice(text.indexOf('shared:')))).size, 1)
    assert.ok(asked <= 4, `${asked} times`)
  })
})
