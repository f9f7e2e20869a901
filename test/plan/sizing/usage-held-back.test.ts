/** What keeps usage from sizing a container: a minimum, or another name. */
import * as assert from 'uvu/assert'
import { podSpecOf } from '../../../src/core/object/index.ts'
import type { UsageRow } from '../../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, listOf } from '../../support/objects.ts'
import { said } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'
import { AGENT, nodeTypes, SMALL_NODES, settledRow, usagePolicy, usageSnapshot } from '../../support/usage.ts'

const settled = { cpu: '100m', memory: '100Mi' }
const told = (spec: Record<string, unknown>, usage: object = {}) =>
  said(
    plan(
      listOf([
        nodeTypes([SMALL_NODES]),
        usagePolicy(usage, spec),
        AGENT,
        usageSnapshot([settledRow(SMALL_NODES, settled)]),
      ]),
    ),
    'MinimumAboveUse',
  )

suite('a minimum above use', (test) => {
  test('is told with container, group, both amounts, and what it costs', () => {
    const [sentence = ''] = told({ minResources: { cpu: '1', memory: '1Mi' } })
    assert.match(sentence, 'agent: minResources holds requests above use with its margin')
    assert.match(
      sentence,
      '1.77 cores and 0 GiB on the nodes of today: container agent of group value:small requestCPU 1 of 115m.',
    )
    assert.not.match(sentence, 'requestMemory')
  })
  for (const [name, minimum] of [
    ['as much as use with its margin', { cpu: '115m', memory: '115Mi' }],
    ['less', { cpu: '100m', memory: '64Mi' }],
    ['next to nothing', { cpu: '1m', memory: '1Mi' }],
  ] as const)
    test(`${name} is not told`, () => assert.equal(told({ minResources: minimum }), []))
  test('of memory is told too', () =>
    assert.match(told({ minResources: { memory: '1Gi' } })[0] ?? '', /requestMemory 1Gi of 115Mi/))
  test('what usage does not control has no use to be above', () =>
    assert.equal(told({ minResources: { cpu: '1', memory: '1Mi' } }, { controlledResources: ['memory'] }), []))
})

suite('a container that its chart renames', (test) => {
  const renamed = daemonSet({
    containers: [
      {
        name: 'collector',
        image: 'agent:1',
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
      },
    ],
  })
  const row = settledRow(SMALL_NODES, { cpu: '50m', memory: '300Mi', limitMemory: '808Mi' })
  const sizeOf = (rows: readonly UsageRow[], spec: Record<string, unknown> = {}) => {
    const { items } = plan(
      listOf([
        nodeTypes([SMALL_NODES]),
        usagePolicy({}, { containers: [{ name: 'collector' }], ...spec }),
        renamed,
        usageSnapshot(rows),
      ]),
    )
    const made = items.map(({ object }) => object).find(({ metadata }) => metadata.name === 'agent-small')
    return podSpecOf(made as KubernetesObject).containers?.[0]?.resources
  }
  test('keeps the rows that the one container of the policy had', () => {
    const { requests, limits } = sizeOf([row]) ?? {}
    assert.equal([requests?.memory, limits?.memory], ['345Mi', '808Mi'])
  })
  test('until something is settled of the new name, though it is measured already', () => {
    const young = { ...settledRow(SMALL_NODES, undefined, { days: 3 }), container: 'collector' }
    assert.is(sizeOf([row, young])?.limits?.memory, '808Mi')
    const settled = { ...settledRow(SMALL_NODES, { cpu: '20m', memory: '60Mi' }), container: 'collector' }
    assert.equal([sizeOf([row, settled])?.requests?.memory, sizeOf([row, settled])?.limits?.memory], ['69Mi', '409Mi'])
  })
  test('not those of another container that the pod still has', () => {
    const both = daemonSet({ containers: ['collector', 'agent'].map((name) => ({ name, image: 'agent:1' })) })
    const { items } = plan(
      listOf([
        nodeTypes([SMALL_NODES]),
        usagePolicy({}, { containers: [{ name: 'collector' }] }),
        both,
        usageSnapshot([row]),
      ]),
    )
    const made = items.map(({ object }) => object).find(({ metadata }) => metadata.name === 'agent-small')
    assert.is(podSpecOf(made as KubernetesObject).containers?.[0]?.resources?.limits?.memory, '409Mi')
  })
  test('not those of one of several', () =>
    assert.is(sizeOf([row, { ...row, container: 'other' }])?.limits?.memory, '409Mi'))
})
