/** What a run decides for a whole fleet, held against figures worked out by hand. */
import * as assert from 'uvu/assert'
import { fleetJson } from '../../src/face/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { container } from '../support/fit.ts'
import { daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([
  shape({ [OS]: 'linux', [TYPE]: 'small' }, ['a', 'b'], '2', '4Gi'),
  shape({ [OS]: 'linux', [TYPE]: 'large' }, ['c'], '10', '100Gi'),
  shape({ [OS]: 'windows', [TYPE]: 'small' }, ['w'], '2', '4Gi'),
])
const AGENT = daemonSet({
  nodeSelector: { [OS]: 'linux' },
  containers: [container('agent', { cpu: '100m', memory: '1Gi' })],
})
/** A tenth of cpu and memory: 200m and 410Mi on small nodes, 1 core and 10Gi on large ones. */
const TENTH = policy({
  resourcePercentages: { requestCPU: 10, requestMemory: 10, limitCPU: null, limitMemory: null },
  minResources: { cpu: '1m', memory: '1Mi' },
  maxResources: { cpu: '100', memory: '1Ti' },
})
const ITEMS = [NODES, TENTH, AGENT]
const first = () => plan(listOf(ITEMS))
const packageOf = (...args: Parameters<typeof fleetJson>) => {
  const [only] = fleetJson(...args).packages
  if (only === undefined) throw new Error('no package')
  return only
}

suite('the figures of a fleet', (test) => {
  test('shares are of the smallest node of a group, of the amount and of the template', () => {
    const [agent] = packageOf(first()).agents
    const group = agent?.groups.find(({ name }) => name === 'agent-large')
    assert.equal(group?.allocatable, { cpu: '10', memory: '100Gi' })
    const { cpu, memory } = group?.containers[0] ?? {}
    assert.equal(cpu?.request, { after: '1000m', before: '100m', percent: 10, template: '100m', templatePercent: 1 })
    assert.equal(memory?.request, { after: '10Gi', before: '1Gi', percent: 10, template: '1Gi', templatePercent: 1 })
    assert.equal(cpu?.limit, { after: null })
  })
  test('nodes of one type with the same agents are one row', () => {
    const { nodes } = packageOf(first())
    assert.equal(
      nodes.map(({ type, names, agents }) => [type, names, agents.map(({ group }) => group)]),
      [
        ['large', ['c'], ['agent-large']],
        ['small', ['a', 'b'], ['agent-small']],
        ['small', ['w'], []],
      ],
    )
    assert.equal([nodes[0]?.requested.cpu, nodes[0]?.requested.cpuPercent, nodes[2]?.requested.cpu], ['1', 10, '0'])
  })
  test('the fullest node by the agents, and by all pods where a snapshot shows them', () => {
    assert.equal(packageOf(first()).fullest?.type, 'large')
    const used = (name: string, cpu: string) => ({ name, used: { cpu, memory: '1Gi', pods: '3' } })
    const snapshot = {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'WorkloadSnapshot',
      metadata: { name: 'prod' },
      spec: { cluster: 'prod', nodes: [used('a', '100m'), used('b', '1500m'), used('c', '1')] },
    }
    const { fullest } = packageOf(plan(listOf([...ITEMS, snapshot])))
    // 1500m of other pods and 200m of the agent, of 2 cores
    assert.equal([fullest?.name, fullest?.countsOthers, fullest?.percent, fullest?.free.cpu], ['b', true, 85, '300m'])
  })
  test('what containers use is that of the rows which size them: of former names too, and of this cluster', () => {
    const row = (policy: string, cpu: string) => ({ policy, container: 'agent', group: 'value:small', seen: { cpu } })
    const usedOf = (
      spec: object,
      ...snapshots: ReadonlyArray<readonly [cluster: string, ...ReturnType<typeof row>[]]>
    ) => {
      const items = snapshots.map(([cluster, ...usage]) => ({
        apiVersion: 'nodefit.dev/v1alpha1',
        kind: 'WorkloadSnapshot',
        metadata: { name: cluster },
        spec: { cluster, usage },
      }))
      const [agent] = packageOf(plan(listOf([NODES, withSpec(TENTH, spec), AGENT, ...items]))).agents
      const container = agent?.groups.find(({ name }) => name === 'agent-small')?.containers[0]
      return [container?.cpu.used, container?.cpu.usedPercent, container?.memory.used]
    }
    assert.equal(usedOf({}, ['prod', row('agent', '100m')]), ['100m', 5, undefined])
    assert.equal(usedOf({ formerNames: ['old'] }, ['prod', row('old', '0.2')]), ['200m', 10, undefined])
    assert.equal(usedOf({ formerNames: ['old'] }, ['prod', row('old', '200m'), row('agent', '100m')])[0], '100m')
    assert.equal(usedOf({}, ['prod', row('old', '200m')]), [undefined, undefined, undefined])
  })
  test('what containers use is that of their own package, as they are sized by no other', () => {
    const at = (path: string, object: KubernetesObject): KubernetesObject => ({
      ...object,
      metadata: { ...object.metadata, annotations: { 'internal.config.kubernetes.io/package-path': path } },
    })
    const usage = (cpu: string) => ({
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'WorkloadSnapshot',
      metadata: { name: 'prod' },
      spec: { cluster: 'prod', usage: [{ policy: 'agent', container: 'agent', group: 'value:small', seen: { cpu } }] },
    })
    const packages = ['a', 'b', 'c'].flatMap((path) => [NODES, TENTH, AGENT].map((one) => at(path, one)))
    const made = plan(listOf([...packages, at('a', usage('100m')), at('b', usage('300m'))]))
    const used = fleetJson(made).packages.map(({ path, agents }) => {
      const group = agents[0]?.groups.find(({ name }) => name === 'agent-small')
      return [path, group?.containers[0]?.cpu.used]
    })
    assert.equal(used, [
      ['a', '100m'],
      ['b', '300m'],
      ['c', undefined],
    ])
  })
  test('a pod is charged half of the price by cpu, half by memory, before and after, where there is a price', () => {
    const { cost } = fleetJson(first(), new Map([['small', 1]]))
    // a tenth each of two nodes; before 100m of 2 cores and 1Gi of 4Gi: (0.05 + 0.25) / 2 each
    assert.equal([cost?.pricedNodes, cost?.nodes], [2, 3])
    assert.is(cost?.hour.before, '0.3000')
    assert.ok(Math.abs(Number(cost?.hour.after) - 0.2) < 0.0005, cost?.hour.after)
    assert.is(cost?.month.before, '219.00')
    assert.is(fleetJson(first()).cost, undefined)
  })
  test('objects that change name their fields, others are counted', () => {
    const later = rerender(first(), (object) =>
      object.kind === 'SizingPolicy' ? withSpec(object, { minResources: { cpu: '250m', memory: '1Mi' } }) : object,
    )
    const [agent] = packageOf(later).agents
    assert.is(agent?.changes.added, 0)
    assert.ok((agent?.changes.unchanged ?? 0) >= 1)
    const [one] = agent?.changes.objects ?? []
    assert.is(one?.change, 'changed')
    assert.ok(
      one?.fields.some((path) => path.endsWith('resources.requests.cpu')),
      one?.fields.join(),
    )
    const small = agent?.groups.find(({ name }) => name === 'agent-small')
    assert.equal([small?.podsRestarted, small?.containers[0]?.cpu.request.before], [2, '200m'])
  })
})
