/** The values of one label as a set: the edges of integers and absence, and the laws of sets. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  isLabelValue,
  KubeError,
  LABEL_VALUES,
  matchesLabels,
  NODE_NAMES,
  requirementValues,
  TAINT_VALUES,
  ValueSet,
  type ValueWitness,
} from '../../src/kube/index.ts'
import { label, value } from '../support/draw-nodes.ts'
import { suite } from '../support/suite.ts'

const MAX = 2n ** 63n - 1n
const MIN = -(2n ** 63n)
const meets = (operator: string, ...values: string[]) => requirementValues({ key: 'k', operator, values })
const all = (...sets: ValueSet[]) => sets.reduce((left, right) => left.and(right))
const spellings = (integer: string) =>
  Array.from({ length: 64 - integer.length }, (_, zeros) => '0'.repeat(zeros) + integer)

/** A member, `absent`, or nothing for an empty set. */
const said = (witness: ValueWitness | undefined) => (witness === undefined ? undefined : (witness.value ?? 'absent'))

const WITNESSES: Array<[name: string, set: ValueSet, want: string | undefined]> = [
  ['everything is shown by absence', ValueSet.everything(), 'absent'],
  ['nothing', ValueSet.of([]), undefined],
  ['the complement of everything', ValueSet.everything().complement(), undefined],
  ['In is shown by its first value', meets('In', 'b', 'a'), 'a'],
  ['In with the empty value prefers another', meets('In', '', 'a'), 'a'],
  ['In with the empty value alone', meets('In', ''), ''],
  ['In with no common value', all(meets('In', 'a'), meets('In', 'b')), undefined],
  ['NotIn admits absence', meets('NotIn', 'a'), 'absent'],
  ['Exists, NotIn is shown by another', all(meets('Exists'), meets('NotIn', 'a')), 'other'],
  [
    'another other where that is taken',
    all(meets('Exists'), meets('NotIn', 'other', 'a'), meets('NotIn', 'other-2')),
    'other-3',
  ],
  ['Exists and DoesNotExist', all(meets('Exists'), meets('DoesNotExist')), undefined],
  ['what is neither present nor absent', meets('Exists').or(meets('DoesNotExist')).complement(), undefined],
  ['In and NotIn of the same', all(meets('In', 'a', ''), meets('NotIn', '', 'a')), undefined],
  ['In and DoesNotExist', all(meets('In', ''), meets('DoesNotExist')), undefined],
  ['Gt is shown by the next', meets('Gt', '5'), '6'],
  ['Lt is shown by the least that a label can be', meets('Lt', '5'), '0'],
  ['no label is less than zero', meets('Lt', '0'), undefined],
  ['not even as 00', meets('Lt', '00'), undefined],
  ['Lt 1', meets('Lt', '1'), '0'],
  ['between two neighbours', all(meets('Gt', '5'), meets('Lt', '6')), undefined],
  ['one integer between', all(meets('Gt', '5'), meets('Lt', '7')), '6'],
  ['which has other spellings', all(meets('Gt', '5'), meets('Lt', '7'), meets('NotIn', '6')), '06'],
  ['a padded bound is the same', all(meets('Gt', '0005'), meets('Lt', '7'), meets('In', '06', '5')), '06'],
  [
    'all but the longest spelling taken',
    all(meets('Gt', '5'), meets('Lt', '7'), meets('NotIn', ...spellings('6').slice(0, -1))),
    `${'0'.repeat(62)}6`,
  ],
  ['every spelling taken', all(meets('Gt', '5'), meets('Lt', '7'), meets('NotIn', ...spellings('6'))), undefined],
  [
    'every spelling of one of two taken',
    all(meets('Gt', '5'), meets('Lt', '8'), meets('NotIn', ...spellings('6'))),
    '7',
  ],
  ['every spelling of zero taken', all(meets('Lt', '1'), meets('NotIn', ...spellings('0'))), undefined],
  [
    'plain spellings before padded ones',
    all(meets('Gt', '5'), meets('Lt', '100'), meets('NotIn', '6', '06', '7')),
    '8',
  ],
  ['above the greatest integer', meets('Gt', String(MAX)), undefined],
  ['the greatest integer', meets('Gt', String(MAX - 1n)), String(MAX)],
  ['all its spellings taken', all(meets('Gt', String(MAX - 1n)), meets('NotIn', ...spellings(String(MAX)))), undefined],
  ['below the least integer', ValueSet.integers([]), undefined],
  ['negative integers, which no label can be', ValueSet.integers([[MIN, -1n]]), undefined],
  ['what is no integer', meets('Exists').minus(ValueSet.integers([[MIN, MAX]])), 'other'],
  ['not greater holds absence', meets('Gt', '5').complement(), 'absent'],
  ['not greater, but there, holds texts', all(meets('Gt', '5').complement(), meets('Exists')), 'other'],
  ['an integer beyond 64 bits is a text', all(meets('In', '9223372036854775808'), meets('Gt', '1')), undefined],
  ['a value that no label may have', ValueSet.of(['-5', '+6', 'a b', 'a'.repeat(64)]), undefined],
  ['any node name', ValueSet.everything(NODE_NAMES), 'any-node'],
  ['all node names but some', ValueSet.of(['any-node', 'n1'], NODE_NAMES).complement(), 'any-node-2'],
  ['a name that no node may have', ValueSet.of(['', 'N1'], NODE_NAMES), undefined],
  ['a taint may have no value', ValueSet.everything(TAINT_VALUES), ''],
  ['or another', ValueSet.of(['', 'other'], TAINT_VALUES).complement(), 'other-2'],
  [
    'an integer of a taint has one spelling',
    ValueSet.integers([[6n, 6n]], TAINT_VALUES).minus(ValueSet.of(['6'], TAINT_VALUES)),
    undefined,
  ],
]

const MEMBERS: Array<
  [name: string, set: ValueSet, members: Array<string | undefined>, strangers: Array<string | undefined>]
> = [
  ['In', meets('In', 'a', '6'), ['a', '6'], ['06', '', 'b', undefined]],
  ['NotIn', meets('NotIn', 'a', '6'), ['06', '', 'b', undefined], ['a', '6']],
  ['Exists', meets('Exists'), ['', 'a', '6'], [undefined]],
  ['DoesNotExist', meets('DoesNotExist'), [undefined], ['', 'a', '6']],
  [
    'Gt',
    meets('Gt', '5'),
    ['6', '06', '+6', String(MAX)],
    ['5', '05', '-6', '6.0', '6a', '', '0x6', '1_0', String(MAX + 1n), undefined],
  ],
  ['Lt', meets('Lt', '1'), ['0', '000', '-0', '-1', String(MIN)], ['1', '', 'a', String(MIN - 1n), undefined]],
  ['not Gt', meets('Gt', '5').complement(), ['5', '', 'a', String(MAX + 1n), undefined], ['6', '06']],
  [
    'Gt and Lt, without one',
    all(meets('Gt', '5'), meets('Lt', '9'), meets('NotIn', '7')),
    ['6', '07', '8'],
    ['5', '7', '9', undefined],
  ],
  [
    'Lt or Gt, with one',
    meets('Lt', '5').or(meets('Gt', '5')).or(meets('In', '05')),
    ['4', '05', '6'],
    ['5', '005', 'a', undefined],
  ],
]

const MALFORMED: Array<[operator: string, values: string[]]> = [
  ['Near', ['a']],
  ['In', []],
  ['NotIn', []],
  ['Exists', ['a']],
  ['DoesNotExist', ['']],
  ['Gt', []],
  ['Gt', ['1', '2']],
  ['Gt', ['a']],
  ['Gt', ['-5']],
  ['Lt', ['+6']],
  ['Lt', [String(MAX + 1n)]],
  ['In', ['a b']],
]

const requirement = label.map((one) => ({ ...one, key: 'k' }))
const sets: fc.Arbitrary<ValueSet> = fc.letrec<{ set: ValueSet }>((tie) => ({
  set: fc.oneof(
    { depthSize: 'small' },
    requirement.map(requirementValues),
    tie('set').map((one) => one.complement()),
    fc.tuple(tie('set'), tie('set')).map(([left, right]) => left.and(right)),
    fc.tuple(tie('set'), tie('set')).map(([left, right]) => left.or(right)),
    fc.tuple(tie('set'), tie('set')).map(([left, right]) => left.minus(right)),
    fc.array(tie('set'), { minLength: 1, maxLength: 3 }).map((some) => ValueSet.union(some)),
  ),
})).set
const maybe = fc.option(value, { nil: undefined })

suite('ValueSet', (test) => {
  for (const [name, set, want] of WITNESSES)
    test(`a witness: ${name}`, () => {
      assert.is(said(set.witness()), want)
      assert.is(set.isEmpty(), want === undefined)
    })
  for (const [name, set, members, strangers] of MEMBERS)
    test(`members: ${name}`, () => {
      for (const one of members) assert.ok(set.has(one), `${one}`)
      for (const one of strangers) assert.not(set.has(one), `${one}`)
    })
  for (const [operator, values] of MALFORMED)
    test(`malformed: ${operator} ${JSON.stringify(values)}`, () => {
      assert.throws(
        () => meets(operator, ...values),
        (error: unknown) => error instanceof KubeError,
      )
    })
  test('the bounds of ranges are no label values, but may be the least and the greatest', () => {
    assert.ok(ValueSet.integers([[MAX, MAX]]).has(String(MAX)))
    assert.ok(ValueSet.integers([[MIN, MIN]]).has(String(MIN)))
  })
  test('ranges that touch are one', () => {
    assert.is(meets('Lt', '6').or(meets('Gt', '5')).text, ValueSet.integers([[MIN, MAX]]).text)
    assert.ok(meets('Gt', '5').or(meets('Gt', '5').complement()).isEverything)
  })
  test('a list knows its values, any other set has no list', () => {
    assert.equal(meets('In', 'b', 'a').listedValues, ['b', 'a'])
    assert.equal(meets('In', 'a', 'b').minus(meets('In', 'b')).listedValues, ['a'])
    assert.is(meets('NotIn', 'a').listedValues, undefined)
    assert.is(meets('Gt', '5').or(meets('In', 'a')).listedValues, undefined)
    assert.is(meets('In', 'a').or(meets('DoesNotExist')).listedValues, undefined)
  })
})

suite('ValueSet, whatever the sets', (test) => {
  test('a requirement’s set holds what meets the requirement', () => {
    fc.assert(
      fc.property(requirement, maybe, (one, held) => {
        const labels: Record<string, string> = held === undefined ? {} : { k: held }
        assert.is(requirementValues(one).has(held), matchesLabels({ matchExpressions: [one] }, labels))
      }),
      { numRuns: 500 },
    )
  })
  test('and, or, minus and complement are those of sets', () => {
    fc.assert(
      fc.property(sets, sets, maybe, (left, right, held) => {
        const [inLeft, inRight] = [left.has(held), right.has(held)]
        assert.is(left.and(right).has(held), inLeft && inRight)
        assert.is(left.or(right).has(held), inLeft || inRight)
        assert.is(left.minus(right).has(held), inLeft && !inRight)
        assert.is(left.complement().has(held), !inLeft)
        assert.is(left.complement().complement().has(held), inLeft)
      }),
      { numRuns: 500 },
    )
  })
  test('a witness is legal and a member; what has none holds no legal value', () => {
    fc.assert(
      fc.property(sets, maybe, (set, held) => {
        const witness = set.witness()
        assert.is(witness === undefined, set.isEmpty())
        if (witness !== undefined) {
          assert.ok(set.has(witness.value))
          assert.ok(witness.value === undefined || isLabelValue(witness.value))
        } else if (held === undefined || isLabelValue(held)) assert.not(set.has(held))
      }),
      { numRuns: 500 },
    )
  })
  test('sets meet where their intersection is not empty', () => {
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        assert.is(left.meets(right), !left.and(right).isEmpty())
        assert.is(left.meets(left.complement()), false)
        assert.ok(left.or(left.complement()).complement().isEmpty())
      }),
      { numRuns: 500 },
    )
  })
  test('every spelling of an integer is legal, and stands for it', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, MAX), fc.nat(), (integer, at) => {
        const text = LABEL_VALUES.spelling(integer, at % LABEL_VALUES.spellingCount(integer))
        assert.ok(isLabelValue(text))
        assert.is(LABEL_VALUES.integerOf(text), integer)
        assert.not(isLabelValue(LABEL_VALUES.spelling(integer, LABEL_VALUES.spellingCount(integer))))
      }),
    )
  })
})
