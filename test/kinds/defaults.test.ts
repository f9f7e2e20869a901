/** A default is what stands in the schema: a resource without a field means the same as one with its default written out. */
import * as assert from 'uvu/assert'
import {
  CONFIG_MAP_DEFAULTS,
  RENDER_CONFIG_DEFAULTS,
  SIZING_POLICY_DEFAULTS,
} from '../../src/kinds/generated/fields.ts'
import { DEFAULT_OPTIONS, ORDER_DEFAULTS, readRenderConfig, readSizingPolicy } from '../../src/kinds/index.ts'
import { readUsageRule } from '../../src/kinds/rule.ts'
import { readOrder } from '../../src/plan/reservation/order/read-order.ts'
import { config, policy } from '../support/objects.ts'
import { korder, NOON, nodes, nodesAt, order, runOrders, ticketsIn } from '../support/orders.ts'
import { suite } from '../support/suite.ts'

const { strategy, refreshPolicy, template, ...rest } = ORDER_DEFAULTS
const { duration, window, ...pod } = template.spec

/** An Order with all defaults written out, as each dialect writes them. */
const WRITTEN = {
  duration: { ...rest, strategy, template: { spec: { ...pod, duration } } },
  window: { ...rest, refreshPolicy, template: { spec: { ...pod, window } } },
}
const BARE = order({ strategy: undefined, template: { spec: {} } })

/** What was read, without what only says how it was written. */
function meaningOf(spec: Record<string, unknown>): object {
  const { value: settings, findings } = readOrder(order({ strategy: undefined, ...spec }))
  assert.equal(findings, [])
  return { ...settings, subject: undefined, pod: undefined, dialect: undefined }
}

suite('defaults', (test) => {
  test('a SizingPolicy', () => {
    const read = (spec: object) => {
      const { settings, findings } = readSizingPolicy(policy({ ...spec }))
      assert.equal(findings, [])
      return { ...settings, subject: undefined }
    }
    // without usage nothing is said of it; its defaults are those of a policy that has it
    const { usage, ...defaults } = SIZING_POLICY_DEFAULTS
    const targetRef = { ...defaults.targetRef, name: 'agent' }
    assert.equal(read({}), read({ ...defaults, targetRef }))
    assert.equal(readUsageRule({}), readUsageRule({ ...usage, controlledResources: ['cpu', 'memory'] }))
  })
  test('a SizingPolicy for the template of Kubescape’s chart, sizes included', () => {
    const read = (spec: object) => {
      const { settings, findings } = readSizingPolicy(policy({ ...spec }))
      assert.equal(findings, [])
      const asWritten = { isGoMemLimitStated: 0, isSeLinuxTypeStated: 0, isBottlerocketStated: 0, subject: 0 }
      return { ...settings, ...asWritten }
    }
    const target = { kind: 'ConfigMap', name: 'template' }
    const { targetRef, ...defaults } = CONFIG_MAP_DEFAULTS
    assert.equal(read({ targetRef: target }), read({ ...defaults, targetRef: { ...targetRef, ...target } }))
  })
  test('a RenderConfig', () => {
    const read = (spec?: object) => {
      const { options, findings } = readRenderConfig(config(spec ?? {}), {})
      assert.equal(findings, [])
      const { guards, ...others } = options
      const amounts = { maxGroupsRemoved: guards.maxGroupsRemoved(10), maxNodesLost: guards.maxNodesLost(10) }
      return { ...others, guards: { ...guards, ...amounts } }
    }
    assert.equal(read({}), read(RENDER_CONFIG_DEFAULTS))
    assert.equal(read({ guards: {}, korder: {} }), read({}))
    assert.is(DEFAULT_OPTIONS.guards.maxGroupsRemoved(10), 5)
  })
  for (const dialect of ['duration', 'window'] as const) {
    test(`an Order, and its Tickets, in the ${dialect} dialect`, () => {
      assert.equal(meaningOf(WRITTEN[dialect]), meaningOf({ template: { spec: {} } }))
      const tickets = (one: typeof BARE) =>
        ticketsIn(runOrders(nodesAt(NOON, nodes('a')), korder({ dialect }), one)).map(({ metadata, spec }) => ({
          metadata,
          spec,
        }))
      assert.is(tickets(BARE).length, 1)
      assert.equal(tickets(order({ strategy: undefined, ...WRITTEN[dialect] })), tickets(BARE))
    })
  }
  test('both dialects of an Order have the same', () => {
    assert.is(strategy.refreshPolicy, refreshPolicy)
    assert.is(window.duration, duration)
  })
})
