/** Whether some tolerations tolerate whatever others do, for all taints at once. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  isLabelValue,
  isQualifiedName,
  type Taint,
  type Toleration,
  tolerates,
  tolerationProblem,
  uncoveredTaint,
} from '../../src/kube/index.ts'
import { taint, toleration } from '../support/draw-nodes.ts'
import { suite } from '../support/suite.ts'

const ALL: Toleration = { operator: 'Exists' }
const exists = (key: string, effect?: string): Toleration => ({ key, operator: 'Exists', effect })
const equal = (key: string, value: string, effect?: string): Toleration => ({ key, operator: 'Equal', value, effect })

const CASES: Array<[name: string, tolerations: Toleration[], covering: Toleration[], want: Taint | undefined]> = [
  ['nothing is covered by nothing', [], [], undefined],
  ['everything covers everything', [ALL], [ALL], undefined],
  ['everything covers a key', [exists('a')], [ALL], undefined],
  ['a key does not cover everything', [ALL], [exists('a')], { key: 'other', effect: 'NoSchedule' }],
  ['nor does a key that is called other', [ALL], [exists('other')], { key: 'other-2', effect: 'NoSchedule' }],
  ['a key covers its values', [equal('a', 'x'), { key: 'a', value: 'y' }], [exists('a')], undefined],
  ['values do not cover a key', [exists('a')], [equal('a', 'x')], { key: 'a', effect: 'NoSchedule' }],
  [
    'nor with the empty one',
    [exists('a')],
    [equal('a', 'x'), equal('a', '')],
    { key: 'a', value: 'other', effect: 'NoSchedule' },
  ],
  ['another value', [equal('a', 'x')], [equal('a', 'y')], { key: 'a', value: 'x', effect: 'NoSchedule' }],
  ['one effect does not cover both', [exists('a')], [exists('a', 'NoSchedule')], { key: 'a', effect: 'NoExecute' }],
  ['one for each effect does', [exists('a')], [exists('a', 'NoSchedule'), exists('a', 'NoExecute')], undefined],
  ['an effect of every key', [exists('a', 'NoExecute')], [{ operator: 'Exists', effect: 'NoExecute' }], undefined],
  ['PreferNoSchedule keeps no pod away', [exists('a', 'PreferNoSchedule')], [], undefined],
  ['an empty toleration is that of an empty value', [{}], [], { key: 'other', effect: 'NoSchedule' }],
  ['an unknown operator tolerates nothing', [{ key: 'a', operator: 'Near' }], [], undefined],
  ['and covers nothing', [exists('a')], [{ key: 'a', operator: 'Near' }], { key: 'a', effect: 'NoSchedule' }],
  ['a value that no taint may have', [equal('a', '-1'), equal('a b', 'x')], [], undefined],
  ['comparison is off', [{ key: 'a', operator: 'Gt', value: '5' }], [], undefined],
]

const above = (value: string): Toleration => ({ key: 'a', operator: 'Gt', value })
const below = (value: string): Toleration => ({ key: 'a', operator: 'Lt', value })
const COMPARED: Array<[name: string, tolerations: Toleration[], covering: Toleration[], want: string | undefined]> = [
  ['a greater bound is covered', [above('6')], [above('5')], undefined],
  ['a lesser is not', [above('4')], [above('5')], '5'],
  ['the one value between', [above('4')], [above('5'), equal('a', '5')], undefined],
  ['which is that in its only spelling', [equal('a', '06')], [above('4')], '06'],
  ['no taint is less than zero', [below('0')], [], undefined],
  ['both bounds do not cover a key', [exists('a')], [above('4'), below('6'), equal('a', '')], 'other'],
  ['a bound that is padded is none', [above('05')], [], undefined],
]

suite('uncoveredTaint', (test) => {
  for (const [name, tolerations, covering, want] of CASES)
    test(name, () => assert.equal(uncoveredTaint(tolerations, covering), want))
  for (const [name, tolerations, covering, want] of COMPARED)
    test(`compared: ${name}`, () => {
      assert.is(uncoveredTaint(tolerations, covering, { comparisonOperators: true })?.value, want)
    })
  test('a witness tells the two apart; where there is none, no taint does', () => {
    const some = fc.array(toleration, { maxLength: 3 })
    fc.assert(
      fc.property(some, some, taint, fc.boolean(), (tolerations, covering, drawn, comparisonOperators) => {
        const options = { comparisonOperators }
        const tellsApart = (one: Taint) =>
          tolerations.some((own) => tolerates(own, one, options)) &&
          !covering.some((own) => tolerates(own, one, options))
        const witness = uncoveredTaint(tolerations, covering, options)
        if (witness === undefined) assert.not(isLabelValue(drawn.value) && tellsApart(drawn))
        else {
          assert.ok(tellsApart(witness))
          assert.ok(isQualifiedName(witness.key) && isLabelValue(witness.value ?? ''))
          assert.ok(['NoSchedule', 'NoExecute'].includes(witness.effect))
        }
      }),
      { numRuns: 2000 },
    )
  })
})

suite('a toleration with what is no text', (test) => {
  for (const name of ['key', 'operator', 'value', 'effect'])
    for (const wrong of [null, 1, {}])
      test(`${name} ${JSON.stringify(wrong)}`, () =>
        assert.is(
          tolerationProblem({ operator: 'Exists', [name]: wrong } as never),
          `${name} is ${JSON.stringify(wrong)}, not a text`,
        ))
})
