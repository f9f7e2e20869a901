/** Karpenter's own rules of joining requirements, where they are not what Kubernetes makes of them. */
import * as assert from 'uvu/assert'
import {
  addWant,
  allMeet,
  both,
  mayLack,
  meet,
  type Wanted,
  type Wants,
  wantedOf,
} from '../../src/rules/autoscaler/wanted.ts'
import { suite } from '../support/suite.ts'

const w = (operator: string, ...values: string[]): Wanted => {
  const wanted = wantedOf(operator, values)
  if (wanted === undefined) throw new Error(operator)
  return wanted
}
const textOf = ({ allBut, values, least, most }: Wanted) =>
  `${allBut ? 'all but' : 'only'} ${[...values].sort().join(' ')}${least === undefined ? '' : ` >=${least}`}${most === undefined ? '' : ` <=${most}`}`
const wants = (all: Record<string, Wanted>): Wants => new Map(Object.entries(all))

suite('two requirements on one label', (test) => {
  for (const [name, one, other, joined, isMet] of [
    ['values in both', w('In', 'a', 'b'), w('In', 'b', 'c'), 'only b', true],
    ['no value in both', w('In', 'a'), w('In', 'b'), 'only ', false],
    ['values and exceptions', w('In', 'a', 'b'), w('NotIn', 'b'), 'only a', true],
    ['values that are all exceptions', w('In', 'b'), w('NotIn', 'b', 'c'), 'only ', false],
    ['exceptions of both', w('NotIn', 'a'), w('NotIn', 'b'), 'all but a b', true],
    ['presence and exceptions', w('Exists'), w('NotIn', 'a'), 'all but a', true],
    ['presence and absence', w('Exists'), w('DoesNotExist'), 'only ', false],
    ['a value and absence', w('In', 'a'), w('DoesNotExist'), 'only ', false],
    ['bounds', w('Gt', '3'), w('Lt', '7'), 'all but  >=4 <=6', true],
    ['bounds with nothing between', w('Gt', '3'), w('Lt', '4'), 'only ', false],
    ['bounds that include', w('Gte', '3'), w('Lte', '3'), 'all but  >=3 <=3', true],
    ['the narrower of two bounds', w('Gt', '3'), w('Gt', '5'), 'all but  >=6', true],
    ['the narrower of two upper bounds', w('Lt', '3'), w('Lt', '5'), 'all but  <=2', true],
    ['values within bounds', w('In', '3', '4', 'x', '+5'), w('Gt', '3'), 'only +5 4', true],
    ['a word and bounds', w('In', 'x'), w('Gt', '3'), 'only ', false],
    ['an exception outside bounds goes', w('NotIn', '2', '9'), w('Gt', '3'), 'all but 9 >=4', true],
    ['more than any integer', w('Gt', '9223372036854775807'), w('In', '9223372036854775807'), 'only ', false],
  ] as const)
    test(name, () => {
      assert.is(textOf(both(one, other)), joined)
      assert.is(textOf(both(other, one)), joined)
      assert.equal([meet(one, other), meet(other, one)], [isMet, isMet])
    })
  test('an operator that Karpenter does not know', () => assert.is(wantedOf('Near', ['a']), undefined))
})

suite('a node without the label', (test) => {
  for (const [name, wanted, isRight] of [
    ['a value', w('In', 'a'), false],
    ['presence', w('Exists'), false],
    ['bounds', w('Gt', '3'), false],
    ['exceptions', w('NotIn', 'a'), true],
    ['absence', w('DoesNotExist'), true],
    ['presence with exceptions: Karpenter forgets the presence', both(w('Exists'), w('NotIn', 'a')), true],
    ['more than any integer: Karpenter takes it for absence', w('Gt', '9223372036854775807'), true],
    ['a contradiction: Karpenter takes it for absence', both(w('In', 'a'), w('In', 'b')), true],
  ] as const)
    test(name, () => assert.is(mayLack(wanted), isRight))
})

suite('requirements on several labels', (test) => {
  for (const [name, present, asked, isMet] of [
    ['labels of which only one side speaks', wants({ a: w('In', '1') }), wants({ b: w('In', '2') }), true],
    ['all meet', wants({ a: w('In', '1'), b: w('Exists') }), wants({ a: w('Exists'), b: w('In', '2') }), true],
    ['one does not', wants({ a: w('In', '1'), b: w('In', '3') }), wants({ a: w('Exists'), b: w('In', '2') }), false],
    ['absent, and an exception', wants({ a: w('DoesNotExist') }), wants({ a: w('NotIn', '1') }), true],
    ['absent, and present', wants({ a: w('DoesNotExist') }), wants({ a: w('Exists') }), false],
    ['absent, and bounds', wants({ a: w('DoesNotExist') }), wants({ a: w('Gt', '1') }), false],
  ] as const)
    test(name, () => assert.is(allMeet(present, asked), isMet))
  test('several on one label are joined', () => {
    const all = new Map<string, Wanted>()
    for (const one of [w('Exists'), w('NotIn', 'a'), w('NotIn', 'b')]) addWant(all, 'k', one)
    assert.equal(
      [...all].map(([key, one]) => `${key} ${textOf(one)}`),
      ['k all but a b'],
    )
  })
})
