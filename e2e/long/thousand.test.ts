/** 1,000 nodes with the real scheduler, and kwok for kubelets: agents run where the plan says, and guardians of Tickets fit where it says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { plan } from '../../src/index.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { inventory, node, OS, shape, TYPE } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { type Cluster, SCHEDULED, startCluster } from '../support/cluster.ts'
import { Api } from '../support/fleets/api.ts'
import { ROOT } from '../support/hosts.ts'
import { startKwok } from '../support/kwok.ts'
import { has } from '../support/program.ts'
import { Servers } from '../support/servers.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, read back
type Any = any

interface Pool {
  readonly name: string
  readonly count: number
  readonly labels: Record<string, string>
  readonly cpu: string
  readonly taints?: readonly object[]
}

const LOGGING = 'logging'
const INFRA = 'infra'
const AT_ONCE = 8
const SETTLED_MILLISECONDS = 240_000
/** What the Order reserves on each node; the smallest cannot give it. */
const RESERVED = { cpu: '1500m', memory: '2Gi' }
const linux = (type: string) => ({ [OS]: 'linux', [TYPE]: type })
const SMALL = { name: 'small', count: 200, labels: linux('m5.small'), cpu: '940m' }
const WINDOWS = { name: 'windows', count: 30, labels: { [OS]: 'windows', [TYPE]: 'm5.large' }, cpu: '1930m' }
const GPU = [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }]
const POOLS: readonly Pool[] = [
  SMALL,
  { name: 'large', count: 400, labels: linux('m5.large'), cpu: '1930m' },
  { name: 'huge', count: 300, labels: linux('m5.4xlarge'), cpu: '15890m' },
  { name: 'unlabelled', count: 40, labels: { [OS]: 'linux' }, cpu: '3920m' },
  { name: 'gpu', count: 30, labels: linux('g5.xlarge'), cpu: '3920m', taints: GPU },
  WINDOWS,
]
const LATE: Pool = { name: 'late', count: 10, labels: linux('r5.large'), cpu: '1930m' }

const read = (path: string) => parse(readFileSync(join(ROOT, 'testdata', path), 'utf8'))
const namesOf = ({ name, count }: Pool) =>
  Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(3, '0')}`)
const nodesText = (pool: Pool) =>
  `${pool.count} nodes: ${namesOf(pool).slice(0, 3).join(', ')} and ${pool.count - 3} more`
const world = [...SCHEDULED, 'kwok', 'go'].map(has).every((is) => is) ? await start() : undefined

async function start() {
  const cluster = await startCluster({ scheduler: true })
  const servers = new Servers(cluster.folder)
  await startKwok(servers, join(cluster.folder, 'kubeconfig'))
  return { cluster, servers }
}

suite('1,000 nodes', (test) => {
  test('there are as many', () => assert.is(POOLS.flatMap(namesOf).length, 1000))
  if (world === undefined) return
  const { cluster, servers } = world
  const api = new Api(cluster.folder)
  const order = read('reservation/system-overhead/package/order.yaml')
  order.spec.template.spec.resources = { requests: RESERVED }
  const shapes = POOLS.map((pool) => shape(pool.labels, namesOf(pool), pool.cpu, '16Gi', { taints: pool.taints ?? [] }))
  const inputs = [inventory(shapes), read('quickstart/daemonset.yaml'), read('quickstart/policy.yaml'), order]
  const made = plan({
    apiVersion: 'config.kubernetes.io/v1',
    items: inputs.map((object) => newItem(object)),
    results: [],
  })
  const planned = made.packages.flatMap((one) => one.planned)
  const of = (kind: string) => planned.flatMap(({ objects }) => objects).filter(({ object }) => object.kind === kind)
  const agentOf = new Map(
    of('DaemonSet').flatMap(({ object, nodes }) => nodes.map((name) => [name, object.metadata.name])),
  )
  const list = async (namespace: string): Promise<Any[]> =>
    (await api.get(`/api/v1/namespaces/${namespace}/pods`)).items
  /** The DaemonSet of the one pod that runs on each node. */
  const running = (pods: readonly Any[]) => {
    assert.is(new Set(pods.map(({ spec }) => spec.nodeName)).size, pods.length, 'no node has two')
    return new Map(pods.map(({ spec, metadata }) => [spec.nodeName, metadata.ownerReferences[0].name]))
  }
  const settled = async (namespace: string, count: number, pending = 0): Promise<Any[]> => {
    for (const until = Date.now() + SETTLED_MILLISECONDS; ; await pause(1000)) {
      const pods = await list(namespace)
      const waiting = pods.filter(isRefused).length
      if (pods.length === count && pods.filter(isReady).length === count - pending && waiting === pending) return pods
      if (Date.now() > until)
        throw new Error(`${pods.filter(isReady).length} of ${count} pods run, ${waiting} are refused`)
    }
  }

  test('the run does not fail, and says which nodes cannot give what is reserved', () => {
    assert.not(made.failed)
    assert.is(agentOf.size, 970)
    const said = made.findings.filter(({ code }) => code === 'RequestAboveAllocatable').map((one) => one.sentence)
    const reserves = 'infrastructure-reservation reserves cpu 1500m'
    assert.equal(said, [`${reserves}, but only 940m is allocatable on ${nodesText(SMALL)}`])
  })
  test('each node has the agent of the group that it is planned in, running, and no other', async () => {
    for (const name of [LOGGING, INFRA]) await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    await each(POOLS.flatMap(nodesOf), (one) => api.create(one))
    await each(of('DaemonSet'), ({ object }) => api.apply(object))
    const found = running(await settled(LOGGING, agentOf.size))
    assert.equal(Object.fromEntries([...found].sort()), Object.fromEntries([...agentOf].sort()))
    for (const name of namesOf(WINDOWS)) assert.not(found.has(name))
  })
  test('nodes of a type that nobody has seen have the remainder’s agent, and nothing else changes', async () => {
    await each(nodesOf(LATE), (one) => api.create(one))
    const late = namesOf(LATE).map((name) => [name, 'fluent-bit-remainder'] as const)
    const found = running(await settled(LOGGING, agentOf.size + late.length))
    assert.equal(Object.fromEntries([...found].sort()), Object.fromEntries([...agentOf, ...late].sort()))
  })
  test('a guardian of each Ticket runs on its node beside the agent, where the run does not say that it cannot', async () => {
    const tickets = of('Ticket')
    assert.is(tickets.length, agentOf.size)
    await each(tickets, ({ object }) => api.create(guardianOf(object)))
    const pods = await settled(INFRA, tickets.length, SMALL.count)
    const wanted = new Map(tickets.map(({ object, nodes }) => [`korder-guardian-${object.metadata.name}`, nodes[0]]))
    const full = new Set(namesOf(SMALL))
    for (const pod of pods) {
      const name = wanted.get(pod.metadata.name) ?? ''
      if (!full.has(name)) assert.is(pod.spec.nodeName, name)
      else assert.match(pod.status.conditions[0].message, 'Insufficient cpu', name)
    }
  })
  test('what is applied again changes nothing, and nothing of it is warned of', async () => {
    const objects = of('DaemonSet').map(({ object }) => object)
    const path = ({ metadata: { name } }: KubernetesObject) => `/apis/apps/v1/namespaces/${LOGGING}/daemonsets/${name}`
    for (const object of objects) {
      const { metadata: before } = await api.get(path(object))
      const { metadata: after } = await api.apply(object)
      assert.is(after.resourceVersion, before.resourceVersion, object.metadata.name)
    }
    // of a guardian’s name Kubernetes says that it is long, which is korder’s affair
    assert.equal(
      api.warnings.filter((warning) => !warning.includes(`/namespaces/${INFRA}/pods`)),
      [],
    )
  })
  test('what was started is stopped', () => stop(cluster, servers, api))
})

async function stop(cluster: Cluster, servers: Servers, api: Api): Promise<void> {
  api.close()
  await servers.stop()
  await cluster.stop()
}

async function each<T>(all: readonly T[], body: (one: T) => Promise<unknown>): Promise<void> {
  const left = [...all]
  const work = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await body(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

function nodesOf(pool: Pool): KubernetesObject[] {
  const amounts = { cpu: pool.cpu, memory: '16Gi', pods: '110' }
  const more = { spec: { taints: pool.taints ?? [] }, status: { allocatable: amounts, capacity: amounts } }
  return namesOf(pool).map((name) => node(name, pool.labels, '', '', more))
}

/** The pod by which korder holds a Ticket's place, as its controller makes it. */
function guardianOf({ metadata, spec }: KubernetesObject): KubernetesObject {
  const { resources, nodeSelector, affinity, tolerations, schedulerName } = spec as Any
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `korder-guardian-${metadata.name}`, namespace: INFRA },
    spec: {
      containers: [{ name: 'guardian', image: 'registry.k8s.io/pause:3.10', resources }],
      ...{ nodeSelector, affinity, tolerations, schedulerName },
    },
  }
}

const hasCondition = ({ status }: Any, wanted: string, is: string) =>
  status.conditions?.some(({ type, status: value }: Any) => type === wanted && value === is) ?? false
const isReady = (pod: Any) => hasCondition(pod, 'Ready', 'True')
const isRefused = (pod: Any) => hasCondition(pod, 'PodScheduled', 'False')
