/** Required affinities multiply: what becomes too much is refused before it is made, with the bound and the way out. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Affinity } from '../../../src/kube/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON, nodes, nodesAt, order } from '../../support/orders.ts'
import { said } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5', pool: 'v0' }, ['a'])])
const FEWER = 'write one term with a list of values'
/** As many alternatives, of which a node with `key` v0 meets the first. */
const terms = (count: number, key = 'pool') => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: Array.from({ length: count }, (_, index) => ({
        matchExpressions: [{ key, operator: 'In', values: [`v${index}`] }],
      })),
    },
  },
})
/** Explicit groups that take two terms each to keep out. */
const pairs = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `g${index}`,
    nodeSelector: { [`a${index}`]: 'x', [`b${index}`]: 'x' },
  }))
const sized = (pod: object, spec: Record<string, unknown>) =>
  plan(listOf([NODES, policy(spec), daemonSet(pod as Record<string, unknown>)]))

/** The required terms of a rendered DaemonSet. */
function termsOf(object: KubernetesObject | undefined): readonly object[] {
  const spec = object?.spec as { template: { spec: { affinity: Affinity } } } | undefined
  const required = spec?.template.spec.affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required?.nodeSelectorTerms ?? []
}

suite('too many terms', (test) => {
  test('a thousand of the template times a thousand of the policy', () => {
    const result = sized({ affinity: terms(1000) }, { affinity: terms(1000) })
    assert.equal(errorsOf(result), ['TooManyTerms'])
    const [message = ''] = said(result, 'TooManyTerms')
    assert.match(message, 'has 1000 terms and the policy’s 1000, joined 1000000; at most 1024 are allowed')
    assert.match(message, FEWER)
  })
  test('a single one of the template', () => {
    const result = sized({ affinity: terms(1) }, { affinity: terms(2000) })
    assert.match(said(result, 'TooManyTerms')[0] ?? '', 'has 1 term and the policy’s 2000, joined 2000;')
  })
  test('a hundred thousand times as many end as soon', () => {
    const result = sized({ affinity: terms(100_000) }, { affinity: terms(100_000) })
    assert.equal(errorsOf(result), ['TooManyTerms'])
  })
  test('those of the template times those that keep explicit groups out', () => {
    const result = sized({ affinity: terms(1000) }, { groups: pairs(6) })
    assert.equal(errorsOf(result), ['TooManyTerms'])
    assert.match(
      said(result, 'TooManyTerms')[0] ?? '',
      'needs 64 terms, joined with those of template and policy 64000; at most 1024 are allowed',
    )
  })
  test('explicit groups alone', () => {
    const result = sized({}, { groups: pairs(9) })
    assert.equal(errorsOf(result), ['TooManyTerms'])
    assert.match(said(result, 'TooManyTerms')[0] ?? '', 'needs more than 256 terms')
    // the mend, followed: the same label keys
    const alike = pairs(9).map(({ name }) => ({ name, nodeSelector: { a: name, b: name } }))
    assert.equal(errorsOf(sized({}, { groups: alike })), [])
  })
  test('eight explicit groups of two labels are few, whatever the labels', () => {
    assert.equal(errorsOf(sized({}, { groups: pairs(8) })), [])
    const alike = pairs(8).map(({ name }) => ({ name, nodeSelector: { a: name, b: name } }))
    const made = sized({}, { groups: alike })
    assert.equal(errorsOf(made), [])
    assert.is(termsOf(rendered(made.items).get('agent-m5')).length, 9)
    // thirty are no more than a term each, and one
    const many = Array.from({ length: 30 }, (_, index) => ({
      name: `g${index}`,
      nodeSelector: { a: `${index}`, b: 'x' },
    }))
    const thirty = sized({}, { groups: many })
    assert.equal(errorsOf(thirty), [])
    assert.is(termsOf(rendered(thirty.items).get('agent-m5')).length, 2)
  })
  test('what renders in few terms keeps them, and so do earlier groups where one more is too many', () => {
    const [six, seven] = [6, 7].map((count) => rendered(sized({}, { groups: pairs(count) }).items))
    assert.is(termsOf(six?.get('agent-m5')).length, 64)
    for (const { name } of pairs(6)) assert.equal(seven?.get(`agent-${name}`)?.spec, six?.get(`agent-${name}`)?.spec)
  })
  test('of an Order as of a DaemonSet', () => {
    const spec = { targetRef: { kind: 'Order', name: 'infra' }, affinity: terms(1000) }
    const objects = [
      nodesAt(NOON, nodes('a')),
      order({}, { affinity: terms(1000) }),
      policy(spec, 'p', { namespace: 'ns' }),
    ]
    assert.equal(errorsOf(plan(listOf(objects))), ['TooManyTerms'])
  })
  test('said in fewer terms, as it asks for, it renders', () => {
    const values = Array.from({ length: 1000 }, (_, index) => `v${index}`)
    const nodeSelectorTerms = [{ matchExpressions: [{ key: 'pool', operator: 'In', values }] }]
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
    assert.equal(errorsOf(sized({ affinity }, { affinity })), [])
  })
  test('as many as the bound are rendered, every one', () => {
    const result = sized({ affinity: terms(32) }, { affinity: terms(32) })
    assert.not.ok(errorsOf(result).includes('TooManyTerms'))
    const few = sized({ affinity: terms(4) }, { affinity: terms(4) })
    assert.equal(errorsOf(few), [])
    assert.match(JSON.stringify(rendered(few.items).get('agent-m5')), '"v3"')
  })
})

suite('an explicit group that no node can match', (test) => {
  const groups = [
    { name: 'never', nodeSelector: { pool: 'other' } },
    { name: 'later', nodeSelector: { gpu: 'yes' } },
  ]
  test('is not said to be empty as well', () => {
    const result = sized({ nodeSelector: { pool: 'v0' } }, { groups })
    assert.equal(said(result, 'GroupImpossible').length, 1)
    assert.match(said(result, 'GroupImpossible')[0] ?? '', 'no node can match group never, so it is not rendered')
    assert.equal(said(result, 'EmptyGroup').length, 1)
    assert.match(said(result, 'EmptyGroup')[0] ?? '', 'group later has no nodes')
  })
  test('of an Order either', () => {
    const spec = { targetRef: { kind: 'Order', name: 'infra' }, groups }
    const fleet = nodesAt(NOON, shape({ [TYPE]: 'm5', pool: 'v0' }, ['a']))
    const reserving = order({}, { nodeSelector: { pool: 'v0' } })
    const result = plan(listOf([fleet, reserving, policy(spec, 'p', { namespace: 'ns' })]))
    assert.equal(errorsOf(result), [])
    assert.equal(
      said(result, 'GroupImpossible').map((text) => text.replace(/, so.*/, '')),
      ['p: no node can match group never'],
    )
    assert.equal(said(result, 'EmptyGroup').length, 1)
    assert.match(said(result, 'EmptyGroup')[0] ?? '', 'group later has no nodes')
  })
  test('and an Order’s is said to be empty', () => {
    const spec = { targetRef: { kind: 'Order', name: 'infra' }, groups: [groups[1]] }
    const fleet = nodesAt(NOON, shape({ [TYPE]: 'm5' }, ['a']))
    const result = plan(listOf([fleet, order({}, {}), policy(spec, 'p', { namespace: 'ns' })]))
    assert.equal([errorsOf(result), said(result, 'EmptyGroup').length], [[], 1])
  })
})
