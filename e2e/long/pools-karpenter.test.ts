/** Drawn pools and pods: Karpenter's own scheduler, with one instance type a pool, serves the same pods with about as many machines. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { decideObjects } from '../../test/support/pools.ts'
import { suite } from '../../test/support/suite.ts'
import { run } from '../support/hosts.ts'
import { drawPoolFleet, type PoolFleet } from '../support/pools/draw-fleet.ts'
import { exported } from '../support/pools/snapshot-files.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const CASES = sampled(300, 60)
const TYPE = 'node.kubernetes.io/instance-type'
const NOW = '2026-01-15T10:00:00Z'

/** What one of the two makes: the machines, and the pods that they serve. */
interface Made {
  readonly machines: number
  readonly served: readonly string[]
}

/** A fleet whose pools have one size, no limits, and nothing but pending pods. */
function plain({ objects, ...fleet }: PoolFleet): PoolFleet {
  const limits = { minNodes: 0, maxNodes: 0, cpuCores: 0, memoryMiB: 0 }
  const change = (one: KubernetesObject): KubernetesObject => {
    const spec = one.spec as Any
    if (one.kind === 'NodeSmithPool') return { ...one, spec: { ...spec, limits } }
    if (one.kind !== 'PoolPolicy') return one
    return { ...one, spec: { ...spec, sizing: 'Fixed', machines: spec.machines.slice(0, 1), startupTaints: [] } }
  }
  return { ...fleet, objects: objects.map(change) }
}

function byNodefit({ name, objects, pods }: PoolFleet): Made {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: NOW }
  const pending = pods.map((pod) => ({ ...pod, status: { phase: 'Pending', conditions: [condition] } }))
  const ready = [{ type: 'Ready', status: 'True', lastHeartbeatTime: NOW, lastTransitionTime: NOW }]
  const amounts = { cpu: '2', memory: '4Gi', pods: '0' }
  const node = { metadata: { name: 'control' }, status: { capacity: amounts, allocatable: amounts, conditions: ready } }
  const pools = objects.filter(({ kind }) => kind === 'NodeSmithPool')
  const decided = decideObjects([...objects, ...exported({ nodes: [node], pods: pending, claims: [], pools })])
  assert.equal(decided.errors, [])
  const outcomes = [...(decided.run?.packing.outcomes ?? [])]
  const served = outcomes.flatMap(([{ id }, { kind }]) => (kind === 'placed' ? id.replace(`${name}/`, '') : []))
  return { machines: decided.added.length, served: served.sort() }
}

/** A pool as Karpenter has it: one type of the size, whose agents it counts itself. */
function question({ objects, pods }: PoolFleet): object {
  const policies = objects.filter(({ kind }) => kind === 'PoolPolicy').sort(byPriority)
  const nodePools = policies.map(({ metadata, spec }) => {
    const pool = objects.find((one) => one.kind === 'NodeSmithPool' && one.metadata.name === metadata.name)
    const { machineTemplate } = (pool?.spec ?? {}) as Any
    const labels = { ...machineTemplate.labels, 'topology.kubenodesmith.io/pool': metadata.name }
    const requirements = [{ key: TYPE, operator: 'In', values: [metadata.name] }]
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'standard' }
    const template = { metadata: { labels }, spec: { nodeClassRef, requirements, taints: (spec as Any).taints } }
    return { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: metadata.name }, spec: { template } }
  })
  const instanceTypes = policies.map(({ metadata: { name }, spec }) => {
    const { machines, reserved } = spec as Any
    const [{ cpuCores, memoryMiB, resources = {} }] = machines
    const cpu = cpuCores * 1000 - Number.parseInt(reserved.cpu, 10)
    const memory = memoryMiB - Number.parseInt(reserved.memory, 10)
    const labels = { [TYPE]: name, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' }
    const more = { 'topology.kubernetes.io/zone': 'z', 'karpenter.sh/capacity-type': 'on-demand' }
    return {
      name,
      capacity: { cpu: `${cpu}m`, memory: `${memory}Mi`, pods: '110', ...resources },
      offerings: [{ zone: 'z', capacityType: 'on-demand' }],
      requirements: Object.entries({ ...labels, ...more }).map(([key, value]) => ({
        ...{ key, operator: 'In', values: [value] },
      })),
    }
  })
  return {
    wellKnown: [],
    nodePools,
    instanceTypes,
    daemonSets: objects.filter(({ kind }) => kind === 'DaemonSet'),
    pods: pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, uid: pod.metadata.name } })),
  }
}

function byPriority(left: KubernetesObject, right: KubernetesObject): number {
  const [a, b] = [left, right].map(({ spec }) => (spec as { priority: number }).priority) as [number, number]
  return b - a || (left.metadata.name < right.metadata.name ? -1 : 1)
}

function byKarpenter(fleets: readonly PoolFleet[]): Made[] {
  const input = fleets.map((fleet) => `${JSON.stringify(question(fleet))}\n`).join('')
  const { stdout, stderr, status } = run('karpenter-counts', [], { input })
  assert.is(status, 0, stderr)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Array<{ pods: string[] }>)
    .map((machines) => ({ machines: machines.length, served: machines.flatMap(({ pods }) => pods).sort() }))
}

suite('pools beside Karpenter', (test) => {
  if (!has('karpenter-counts')) return
  const fleets = Array.from({ length: CASES }, (_, index) => plain(drawPoolFleet(1000 + index)))
  const ours = fleets.map(byNodefit)
  const theirs = byKarpenter(fleets)
  const poolsOf = ({ objects }: PoolFleet) => objects.filter(({ kind }) => kind === 'PoolPolicy').length
  test('the same pods are served, with at most one machine more, and where there are two pools two', () => {
    assert.is(theirs.length, CASES)
    const differences = fleets.flatMap(({ name }, index) => {
      const [one, other] = [ours[index], theirs[index]]
      if (one === undefined || other === undefined) return [`${name}: no answer`]
      if (one.served.join() !== other.served.join())
        return [`${name}: nodefit serves ${one.served.join()}, Karpenter ${other.served.join()}`]
      const most = other.machines + 1
      return one.machines > most ? [`${name}: ${one.machines} machines, Karpenter ${other.machines}`] : []
    })
    assert.equal(differences, [])
  })
  /** Machines of all cases with so many pools, by nodefit and by Karpenter. */
  const sums = (pools: number) =>
    [ours, theirs].map((all) =>
      all.reduce((sum, { machines }, index) => sum + (poolsOf(fleets[index] as PoolFleet) === pools ? machines : 0), 0),
    ) as [number, number]
  // nodefit prefers a pool to a machine that another pool just opened, so that the next run packs alike
  test('and no more in sum where each pod has one pool', () => {
    const [[one, karpenterOne], [two, karpenterTwo]] = [sums(1), sums(2)]
    const unserved = ours.filter(({ served }, index) => served.length < (fleets[index]?.pods.length ?? 0)).length
    process.stdout.write(
      `pools beside Karpenter: ${CASES} cases, ${unserved} with pods that neither serves; machines of nodefit and of Karpenter: ` +
        `one pool ${one}, ${karpenterOne}; two pools ${two}, ${karpenterTwo}\n`,
    )
    assert.ok(one > 20 && two > 20 && unserved > 0)
    assert.ok(one <= karpenterOne, `${one} machines, Karpenter ${karpenterOne}`)
    assert.ok(two <= karpenterTwo, `${two} machines, Karpenter ${karpenterTwo}`)
  })
})
