/** Where a minimum keeps usage from lowering requests, and where it does not. */
import * as assert from 'uvu/assert'
import { plan } from '../../../src/rules/run.ts'
import { listOf } from '../../support/objects.ts'
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
