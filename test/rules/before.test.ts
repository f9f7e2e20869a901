/** Who has room on a node before a subject, as one walk over its agents finds it. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { Planned } from '../../src/core/index.ts'
import { Quantity } from '../../src/kube/index.ts'
import type { Agent } from '../../src/rules/fit/agents.ts'
import { beforeIn, subjectsText, usedBefore } from '../../src/rules/fit/other-pods.ts'
import { suite } from '../support/suite.ts'

const subject = (name: string) => ({ subject: { object: { metadata: { name } } } }) as unknown as Planned
const agent = (planned: Planned, cpu: number) =>
  ({ planned, pod: { requests: { cpu: Quantity.parse(`${cpu}m`) } } }) as unknown as Agent

/** Subjects in order of plan with the millicores of each of their agents; names may be the same in two namespaces. */
const PLANNED = fc.array(
  fc.record({
    name: fc.constantFrom(...'abcdefg'),
    cpus: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 3 }),
  }),
  { maxLength: 12 },
)

const textOf = (names: readonly string[]) => {
  const all = [...new Set(names)].sort()
  return all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : all.join(', ')
}

suite('room that others have before', (test) => {
  test('it is what all agents of the subjects planned before request, whatever they are called', () =>
    fc.assert(
      fc.property(PLANNED, (planned) => {
        const subjects = planned.map(({ name, cpus }) => ({ name, cpus, one: subject(name) }))
        const all = subjects.flatMap(({ one, cpus }) => cpus.map((cpu) => agent(one, cpu)))
        const before = beforeIn()
        for (const [index, { one, cpus }] of subjects.entries()) {
          const earlier = cpus.length === 0 ? [] : subjects.slice(0, index).filter((other) => other.cpus.length > 0)
          const amounts = earlier.flatMap((other) => other.cpus)
          const found = before(all, one)
          const expected =
            amounts.length === 0
              ? {}
              : { cpu: Quantity.parse(`${amounts.reduce((a, b) => a + b, 0)}m`).toString(), pods: `${amounts.length}` }
          assert.equal(usedBefore(found), expected)
          assert.is(subjectsText([found]), textOf(earlier.map(({ name }) => name)))
        }
      }),
      { numRuns: 500, seed: 11 },
    ))

  test('what is used already is added, and what nobody requests stays', () => {
    const [first, second] = [subject('a'), subject('b')]
    const found = beforeIn()([agent(first, 250), agent(second, 100)], second)
    const used = { cpu: '1', memory: '2Gi', pods: '7' }
    assert.equal(usedBefore(found, used), { cpu: '1250m', memory: '2Gi', pods: '8' })
  })

  test('on several nodes with other agents each subject is named once', () => {
    const [a, b, c, d, last] = [subject('a'), subject('b'), subject('c'), subject('d'), subject('last')]
    const before = beforeIn()
    const on = (...others: Planned[]) =>
      before(
        [...others, last].map((one) => agent(one, 100)),
        last,
      )
    assert.is(subjectsText([on(c, a), on(b, a)]), 'a, b, c')
    assert.is(subjectsText([on(c, a), on(d, b, a), on()]), 'a, b, c and 1 more')
    assert.is(subjectsText([on(), on()]), '')
  })

  test('one that is planned later takes no room before', () => {
    const [a, b] = [subject('a'), subject('b')]
    const all = [agent(a, 100), agent(b, 200)]
    const before = beforeIn()
    assert.equal([usedBefore(before(all, a)), usedBefore(before(all, b))], [{}, { cpu: '100m', pods: '1' }])
    assert.is(before([], a).count, 0)
  })
})
