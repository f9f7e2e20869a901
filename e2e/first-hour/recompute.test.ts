/** The recomputation itself: against answers recorded from Kubernetes, and fleets against what clusters report. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { ROOT } from '../support/hosts.ts'
import { FLEETS, type FleetName, fleetNodes, nodeList } from './fleets.ts'
import type { Container, PodSpec } from './kubernetes.ts'
import { nano, podRequests, standingOn, tolerates } from './recompute.ts'

interface Recorded {
  readonly op: string
  readonly text: string
  readonly node: { readonly metadata: { readonly name: string; readonly labels?: Record<string, string> } }
  readonly pod: { readonly spec: PodSpec }
  readonly toleration: Parameters<typeof tolerates>[0]
  readonly taint: Parameters<typeof tolerates>[1]
  readonly comparison: boolean
  readonly want: unknown
}

const RECORDED = JSON.parse(readFileSync(join(ROOT, 'testdata/kube/recorded.json'), 'utf8')) as Recorded[]
/** A quantity as manifests have it: no sign, no exponent, nothing below a nano. */
const PLAIN = /^\d+(\.\d{1,3})?([munkMGT]|[KMGT]i)?$/
const NANO = 1_000_000_000n

const container = (cpu: string, more: Partial<Container> = {}): Container => ({
  name: 'c',
  image: 'i',
  resources: { requests: { cpu } },
  ...more,
})
const sidecar = (cpu: string) => container(cpu, { restartPolicy: 'Always' })

const PODS: ReadonlyArray<readonly [name: string, pod: Omit<PodSpec, 'containers'>, cpu: string]> = [
  ['one container', {}, '100m'],
  ['an init container that asks for less', { initContainers: [container('50m')] }, '100m'],
  ['an init container that asks for more', { initContainers: [container('300m')] }, '300m'],
  [
    'two init containers, which run one after the other',
    { initContainers: [container('80m'), container('70m')] },
    '100m',
  ],
  ['a sidecar', { initContainers: [sidecar('30m')] }, '130m'],
  ['an init container after a sidecar', { initContainers: [sidecar('30m'), container('200m')] }, '230m'],
  ['an init container before a sidecar', { initContainers: [container('120m'), sidecar('30m')] }, '130m'],
  ['overhead', { overhead: { cpu: '5m' } }, '105m'],
  ['resources of the pod', { resources: { requests: { cpu: '1' } } }, '1'],
]

/** What a kubelet keeps back: its reserve and the threshold below which it evicts. */
const RESERVED: ReadonlyArray<readonly [fleet: FleetName, node: string, cpu: string, memoryMi: number]> = [
  ['eks-karpenter', 'm5.large', '1930m', 255 + 11 * 29 + 100],
  ['eks', 'p4d.24xlarge', '95690m', 255 + 11 * 737 + 100],
  ['gke', 'e2-standard-4', '3920m', 2724],
  ['gke', 'n2-standard-32', '31850m', 9482],
  ['k3s', 'pi', '4', 0],
  ['bare-metal', 'large', '128', 100],
]

const NODE_COUNTS: Readonly<Record<FleetName, readonly [nodes: number, types: number]>> = {
  'eks-karpenter': [179, 20],
  eks: [40, 4],
  gke: [300, 6],
  k3s: [60, 0],
  'bare-metal': [21, 0],
}

suite('the recomputation', (test) => {
  test('places pods as Kubernetes does', () => {
    const cases = RECORDED.filter(
      ({ op, want, node, pod }) =>
        op === 'affinity' && want !== 'error' && node.metadata.name !== '' && !JSON.stringify(pod).includes('Foo'),
    )
    assert.ok(cases.length > 150)
    for (const { node, pod, want } of cases) {
      const { name, labels = {} } = node.metadata
      const found = standingOn(
        { ...pod.spec, containers: [] },
        { metadata: { name, labels }, spec: {}, status: { allocatable: {} } },
      )
      assert.is(found, want === true ? 'start' : 'none', JSON.stringify({ node, pod }))
    }
  })
  test('tolerates taints as Kubernetes does', () => {
    const cases = RECORDED.filter(({ op, comparison }) => op === 'toleration' && !comparison)
    assert.ok(cases.length > 100)
    for (const { toleration, taint, want } of cases)
      assert.is(tolerates(toleration, taint), want, JSON.stringify({ toleration, taint }))
  })
  test('reads quantities as Kubernetes does', () => {
    const cases = RECORDED.filter(({ op, text, want }) => op === 'quantity' && PLAIN.test(text) && want !== 'error')
    assert.ok(cases.length > 100)
    for (const { text, want } of cases.filter(({ text }) => !/\.\d+n$/.test(text)))
      assert.is(String((nano(text) + NANO - 1n) / NANO), String(want).split(' ')[1], text)
    for (const text of ['', '-1', '1 Gi', 'Gi']) assert.throws(() => nano(text), /no quantity/)
  })
  for (const [name, pod, cpu] of PODS)
    test(`counts ${name}`, () => {
      assert.is(podRequests({ ...pod, containers: [container('100m')] }).cpu, nano(cpu))
    })
  test('counts a limit where a request is missing', () => {
    const resources = { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '100m' } }
    const { cpu, memory } = podRequests({ containers: [container('', { resources })] })
    assert.equal([cpu, memory], [nano('100m'), nano('1Gi')])
  })
})

suite('the fleets', (test) => {
  for (const fleet of FLEETS)
    test(`${fleet} is the same each time, with as many nodes and types as it should have`, () => {
      const nodes = fleetNodes(fleet)
      const types = new Set(nodes.flatMap(({ metadata }) => metadata.labels['node.kubernetes.io/instance-type'] ?? []))
      assert.equal([nodes.length, types.size], NODE_COUNTS[fleet])
      assert.is(new Set(nodes.map(({ metadata }) => metadata.name)).size, nodes.length)
      assert.is(nodeList(fleet), nodeList(fleet))
    })
  for (const [fleet, kind, cpu, memoryMi] of RESERVED)
    test(`${fleet} keeps back of ${kind} what such a kubelet does`, () => {
      const node = fleetNodes(fleet).find(
        ({ metadata: { name, labels } }) =>
          labels['node.kubernetes.io/instance-type'] === kind || name.startsWith(`${kind}-`),
      )
      const { capacity = {}, allocatable = {} } = node?.status ?? {}
      assert.is(allocatable.cpu, cpu)
      const reserved = (nano(capacity.memory ?? '') - nano(allocatable.memory ?? '')) / NANO / 1024n / 1024n
      assert.ok(Math.abs(Number(reserved) - memoryMi) <= 1, `${reserved}Mi`)
    })
  test('three pools of Karpenter are tainted, and three nodes of bare metal have 1 TiB', () => {
    const tainted = fleetNodes('eks-karpenter').filter(({ spec }) =>
      spec.taints?.some(({ key }) => !key.includes('kubernetes.io')),
    )
    assert.equal(new Set(tainted.map(({ metadata }) => metadata.labels['karpenter.sh/nodepool'])).size, 3)
    const large = fleetNodes('bare-metal').filter(({ status }) => nano(status.capacity.memory ?? '') > nano('960Gi'))
    assert.is(large.length, 3)
  })
})
