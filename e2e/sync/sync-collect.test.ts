/** What is collected of a real API server, each part by an account that may do what that part needs, and nothing else. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { readLive, type SnapshotParts } from '../../src/facts/inventory/index.ts'
import { type Clock, systemClock } from '../../src/host/cluster/clock.ts'
import { connect } from '../../src/host/cluster/connection.ts'
import { PART_NAMES } from '../../src/host/sync/collect/collector.ts'
import { type Collecting, startCollectors, workloadSnapshot } from '../../src/host/sync/collect/start.ts'
import type { Subject } from '../../src/krm/finding.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { suite } from '../../test/support/suite.ts'
import { type Cluster, SCHEDULED, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { conditionText } from '../support/eventually.ts'
import { ROOT } from '../support/hosts.ts'
import { korderCrd } from '../support/korder-crd.ts'
import { METRICS, MetricsApi } from '../support/metrics-api.ts'
import { aggregatedMetrics } from '../support/metrics-server.ts'
import { asList, does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const MINUTE = 60_000
const PATIENCE_MILLISECONDS = 120_000
const WATCHED = ['list', 'watch']
const DAEMON_SETS = { apiGroups: ['apps'], resources: ['daemonsets'], verbs: WATCHED }
const KORDER = 'core.korder.dev'
const SMITH = 'kubenodesmith.parawell.cloud'

/** What each part needs. */
const RULES: Record<string, Any[]> = {
  pods: [{ apiGroups: [''], resources: ['pods'], verbs: WATCHED }],
  pending: [{ apiGroups: [''], resources: ['pods'], verbs: WATCHED }],
  usage: [
    DAEMON_SETS,
    { apiGroups: [''], resources: ['pods'], verbs: WATCHED },
    { apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['nodefit-sync-usage'], verbs: ['get', 'update'] },
  ],
  events: [DAEMON_SETS, { apiGroups: [''], resources: ['events'], verbs: WATCHED }],
  tickets: [{ apiGroups: [KORDER], resources: ['tickets'], verbs: WATCHED }],
  claims: [{ apiGroups: [SMITH], resources: ['nodesmithclaims'], verbs: WATCHED }],
  pools: [{ apiGroups: [SMITH], resources: ['nodesmithpools'], verbs: WATCHED }],
  machines: [{ apiGroups: ['cluster.x-k8s.io'], resources: ['machinedeployments', 'machines'], verbs: WATCHED }],
  workloads: [
    DAEMON_SETS,
    { apiGroups: [''], resources: ['pods'], verbs: WATCHED },
    { apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] },
  ],
  capacity: [{ apiGroups: ['metrics.k8s.io'], resources: ['nodes'], verbs: ['list'] }],
  components: [],
  actions: [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
    { apiGroups: ['batch'], resources: ['jobs'], verbs: WATCHED },
  ],
  nothing: [],
}

const node = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: {
    capacity: { cpu: '4', memory: '8Gi', pods: '20' },
    allocatable: { cpu: '4', memory: '8Gi', pods: '20' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
})
const podSpec = (cpu: string) => ({
  containers: [
    { name: 'main', image: 'registry.example.com/agent:1', resources: { requests: { cpu, memory: '64Mi' } } },
  ],
})
const pod = (name: string, nodeName: string | undefined, cpu: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'infra' },
  spec: { ...podSpec(cpu), nodeName, ...(nodeName === undefined && { schedulerName: 'nobody' }) },
})
const daemonSet = (name: string, namespace: string, cpu: string, annotations: object) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace, annotations },
  spec: {
    selector: { matchLabels: { app: 'agent', group: name } },
    template: { metadata: { labels: { app: 'agent', group: name } }, spec: podSpec(cpu) },
  },
})
const RENDERED = { 'nodefit.dev/owner': 'SizingPolicy/node-agent', 'nodefit.dev/group': 'value:m5.large' }
const NAMESPACES = [
  { metadata: { name: 'kubescape' } },
  { metadata: { name: 'infra' } },
  { metadata: { name: 'strict', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
].map((one) => ({ apiVersion: 'v1', kind: 'Namespace', ...one }))

const CLAIM_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `nodesmithclaims.${SMITH}` },
  spec: {
    group: SMITH,
    scope: 'Namespaced',
    names: { kind: 'NodeSmithClaim', plural: 'nodesmithclaims', singular: 'nodesmithclaim' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

const cluster = SCHEDULED.every(has) ? await startCluster({ scheduler: true }) : undefined

suite('what is collected of a real cluster', (test) => {
  test('every part has rules', () => assert.equal(Object.keys(RULES), [...PART_NAMES, 'nothing']))
  for (const name of PART_NAMES.filter((part) => RULES[part]?.length !== 0))
    test(`the component collect-${name} has the same rules, and no others`, () => {
      const file = join(ROOT, `deploy/sync/components/collect-${name}/rbac.yaml`)
      const roles = objectsOf(readFileSync(file, 'utf8')).filter(({ kind }) => kind.endsWith('Role'))
      const sorted = (rules: Any[]) => rules.map((rule) => JSON.stringify(rule)).sort()
      assert.equal(sorted(roles.flatMap(({ rules }) => rules)), sorted(RULES[name] ?? []))
    })
  if (cluster === undefined) return
  const { kubectl, stop, folder } = cluster
  const metrics = new MetricsApi()
  const ending = new AbortController()
  const running: Collecting[] = []
  let served: { port: number; close: () => Promise<void> } | undefined
  const collect = (account: string, parts: readonly string[], clock: Clock = systemClock) => {
    const connection = connect({ kubeconfig: join(folder, `${account}.kubeconfig`) }, engineContext({ clock }))
    let changes = 0
    const collecting = startCollectors(
      {
        ...{ collect: parts, connection, context: engineContext({ clock }), nodes: () => ['a', 'b'] },
        onChange: () => {
          changes++
        },
      },
      ending.signal,
    )
    running.push(collecting)
    const part = () => Object.assign({}, ...collecting.parts(clock.now())) as SnapshotParts
    return { part, collecting, changes: () => changes }
  }

  test('accounts, nodes, pods and agents are made', () => {
    does(kubectl(['create', '-f', '-'], asList([...NAMESPACES, node('a'), node('b')])))
    accounts(cluster)
    does(
      kubectl(
        ['create', '-f', '-'],
        asList([
          pod('one', 'a', '100m'),
          pod('two', 'a', '150m'),
          pod('ended', 'b', '1'),
          pod('waiting', undefined, '1'),
          daemonSet('agent', 'kubescape', '50m', RENDERED),
          daemonSet('large', 'kubescape', '64', { ...RENDERED, 'nodefit.dev/group': 'value:m5.24xlarge' }),
          daemonSet('refused', 'strict', '50m', RENDERED),
          daemonSet('foreign', 'strict', '50m', {}),
        ]),
      ),
    )
    const ended = JSON.stringify({ status: { phase: 'Succeeded' } })
    does(kubectl(['patch', 'pod', 'ended', '-n', 'infra', '--subresource=status', '--type=merge', '-p', ended]))
  })
  test('pods are added up by node, whatever is still waiting or has ended', async () => {
    const { part } = collect('pods', ['pods'])
    // what the DaemonSets have of a node follows from theirs
    const sums = () => part().nodes?.map(({ name, used, daemons }) => [name, used, daemons])
    await until(
      () => part().daemonSets?.[0]?.nodes?.length === 2,
      () => [sums(), part().daemonSets],
    )
    assert.equal(sums(), [
      ['a', { cpu: '300m', memory: '192Mi', pods: '3' }, undefined],
      ['b', { cpu: '50m', memory: '64Mi', pods: '1' }, undefined],
    ])
    const requests = { cpu: '50m', memory: '64Mi' }
    assert.equal(part().daemonSets, [{ namespace: 'kubescape', name: 'agent', requests, nodes: ['a', 'b'] }])
    does(kubectl(['delete', 'pod', 'two', '-n', 'infra', '--force', '--grace-period=0']))
    await until(() => part().nodes?.[0]?.used?.cpu === '150m', sums)
  })
  test('events are those of rendered DaemonSets, as the scheduler and the controller write them', async () => {
    const { part } = collect('events', ['events'])
    const told = () => part().events?.map(({ object, reason }) => `${reason} ${object}`)
    const want = ['FailedScheduling DaemonSet/kubescape/large', 'FailedCreate DaemonSet/strict/refused']
    await until(() => told()?.length === want.length, told)
    assert.equal(told(), want)
    const uid = (name: string, namespace: string) =>
      does(kubectl(['get', 'daemonset', name, '-n', namespace, '-o', 'jsonpath={.metadata.uid}']))
    const [scheduling, create] = part().events ?? []
    assert.equal([scheduling?.uid, create?.uid], [uid('large', 'kubescape'), uid('refused', 'strict')])
    assert.ok((scheduling?.count ?? 0) >= 2, 'two nodes have a pod each')
    assert.match(create?.lastSeen ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/)
  })
  test('Tickets and claims are unknown as long as the cluster has no definition of them', async () => {
    const { part, collecting } = collect('tickets', ['tickets'])
    await until(() => collecting.waitingFor().length === 0, collecting.waitingFor)
    assert.equal(part(), {})
  })
  test('a Ticket that is claimed, and a machine that is ready, ask for an evaluation', async () => {
    does(kubectl(['create', '-f', '-'], asList([withStatus(korderCrd('Ticket', 'duration')), CLAIM_CRD])))
    await established(kubectl)
    const ticket = {
      apiVersion: `${KORDER}/v1alpha1`,
      kind: 'Ticket',
      metadata: { name: 't', namespace: 'infra', labels: { 'korder.dev/order': 'o' } },
      spec: { duration: '1h' },
      status: { phase: 'Ready', nodeName: 'a' },
    }
    const claim = {
      apiVersion: `${SMITH}/v1alpha1`,
      kind: 'NodeSmithClaim',
      metadata: { name: 'small-1', namespace: 'infra' },
      spec: { poolRef: 'small', requirements: { cpuCores: 4, memoryMiB: 8192 }, idempotencyKey: 'x' },
    }
    does(kubectl(['create', '--validate=false', '-f', '-'], asList([ticket, claim])))
    const tickets = collect('tickets', ['tickets'])
    const claims = collect('claims', ['claims'])
    const seen = () => [tickets.part(), claims.part()]
    await until(() => tickets.part().tickets?.length === 1 && claims.part().claims?.length === 1, seen)
    const before = [tickets.changes(), claims.changes()]
    const claimed = JSON.stringify({ status: { phase: 'Claimed', claimedTime: '2026-11-20T12:00:00Z' } })
    does(kubectl(['patch', 'ticket', 't', '-n', 'infra', '--type=merge', '-p', claimed]))
    await until(() => tickets.part().tickets?.[0]?.phase === 'Claimed', seen)
    const ready = JSON.stringify({ status: { nodeName: 'small-1', conditions: [{ type: 'Ready', status: 'True' }] } })
    does(kubectl(['patch', 'nodesmithclaim', 'small-1', '-n', 'infra', '--type=merge', '-p', ready]))
    await until(() => claims.part().claims?.[0]?.ready === true, seen)
    const [ofTickets = 0, ofClaims = 0] = before
    assert.equal([tickets.changes() - ofTickets, claims.changes() - ofClaims], [1, 1])
    const [{ claims: [{ createdAt, ...rest } = { name: '' }] = [], ...like } = {}] = claims.part().claims ?? []
    assert.match(createdAt ?? '', /^20\d\d-/)
    const requirements = { cpuCores: 4, memoryMiB: 8192 }
    assert.equal(like, { namespace: 'infra', poolRef: 'small', requirements, ready: true })
    assert.equal(rest, { name: 'small-1', idempotencyKey: 'x' })
    assert.equal(tickets.part().tickets, [
      { namespace: 'infra', name: 't', order: 'o', node: 'a', phase: 'Claimed', claimedAt: '2026-11-20T12:00:00Z' },
    ])
    const parts = [tickets.part(), claims.part()]
    const written = workloadSnapshot(parts, { cluster: 'c', name: 'c', now: new Date() }) as unknown as Subject
    assert.equal(readLive([written], 'c').findings, [])
  })
  test('a cluster without a metrics API says so, and with one measures each group', async () => {
    const clock = new FakeClock()
    const { part, collecting } = collect('usage', ['usage'], clock)
    const lists = () => metrics.asked.filter((path) => path.includes(' app='))
    const minute = async () => {
      const before = lists().length
      await clock.advance(MINUTE)
      // the next poll may not wait yet when the time passes
      for (let second = 0; second < 600 && lists().length < before + 3; second++) {
        await pause(20)
        await clock.advance(1000)
      }
      await until(
        () => lists().length >= before + 3,
        () => lists().length,
      )
    }
    await passes(clock, () => collecting.waitingFor().length === 0)
    assert.is(part().metricsAvailable, false)
    const listed = does(kubectl(['get', 'pods', '-n', 'kubescape', '-o', 'json']))
    const agents: Any[] = JSON.parse(listed).items
    assert.is(agents.length, 4)
    served = await metrics.serve(join(folder, 'certs/apiserver.crt'), join(folder, 'certs/apiserver.key'))
    does(kubectl(['create', '-f', '-'], asList(aggregatedMetrics(served.port, 'infra'))))
    // kubectl would keep the stand-in, which is in this process, from answering
    const admin = connect({ kubeconfig: join(folder, 'kubeconfig') }, engineContext())
    let isThere = false
    for (let attempt = 0; attempt < 400 && !isThere; attempt++) {
      await pause(300)
      isThere = await admin.json({ path: METRICS }).then(
        () => true,
        () => false,
      )
    }
    assert.ok(isThere)
    for (let count = 0; count <= 5; count++) {
      metrics.pods = agents.map(({ metadata: { name, labels } }, index) => ({
        ...{ namespace: 'kubescape', name, labels, timestamp: new Date(clock.now()).toISOString() },
        containers: { main: { cpu: `${20 + index}m`, memory: '65536Ki' } },
      }))
      await minute()
    }
    const { metricsAvailable, usage } = part()
    assert.is(metricsAvailable, true)
    assert.equal(
      usage?.map(({ policy, container, group, days }) => [policy, container, group, days]),
      [
        ['kubescape/node-agent', 'main', 'value:m5.24xlarge', 0],
        ['kubescape/node-agent', 'main', 'value:m5.large', 0],
      ],
    )
    assert.ok(metrics.asked.includes(`${METRICS}/namespaces/kubescape/pods app=agent,group=agent`))
    assert.not(
      metrics.asked.some((path) => path.endsWith('/pods')),
      'never those of all pods',
    )
  })
  test('an account that may do nothing learns nothing, and stops nothing', async () => {
    const { part, collecting } = collect('nothing', PART_NAMES)
    // these need no right, the first one for all but the usage; one watch of the pods serves pods and pending
    const refused = PART_NAMES.filter((name) => !['capacity', 'components', 'pods'].includes(name))
    await until(() => collecting.waitingFor().length === refused.length, collecting.waitingFor)
    await pause(3000)
    const { capacity, components, ...others } = part()
    assert.equal([Object.keys(capacity ?? {}).includes('usage'), components], [false, []])
    assert.equal(collecting.waitingFor(), refused)
    assert.equal(others, {})
  })
  test('ends', async () => {
    ending.abort()
    await Promise.all(running.map(({ ended }) => ended))
    await served?.close()
    await stop()
  })
})

/** An account for each part, with a role of its rules alone, and a kubeconfig of its token. */
function accounts({ kubectl, folder }: Cluster): void {
  const namespace = 'infra'
  const config = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
  for (const [name, rules] of Object.entries(RULES)) {
    const rbac = 'rbac.authorization.k8s.io'
    does(
      kubectl(
        ['create', '-f', '-'],
        asList([
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
          { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: `collect-${name}` }, rules },
          {
            apiVersion: `${rbac}/v1`,
            kind: 'ClusterRoleBinding',
            metadata: { name: `collect-${name}` },
            roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: `collect-${name}` },
            subjects: [{ kind: 'ServiceAccount', name, namespace }],
          },
        ]),
      ),
    )
    const token = does(kubectl(['create', 'token', name, '-n', namespace])).trim()
    const text = JSON.stringify({ ...config, users: [{ name: 'admin', user: { token } }] })
    writeFileSync(join(folder, `${name}.kubeconfig`), text, { mode: 0o600 })
  }
}

/** The definition, with room for the state that korder writes. */
function withStatus(definition: Any): Any {
  const crd = structuredClone(definition)
  crd.spec.versions[0].schema.openAPIV3Schema.properties.status = {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  }
  return crd
}

async function until(isSo: () => boolean, seen: () => unknown): Promise<void> {
  for (const end = Date.now() + PATIENCE_MILLISECONDS; Date.now() < end; await pause(20)) if (isSo()) return
  throw new Error(`not so: ${conditionText(isSo)}: ${JSON.stringify(seen())}`)
}

/** Moves the clock until something is so, in steps that leave answers the time to come. */
async function passes(clock: FakeClock, isSo: () => boolean): Promise<void> {
  for (let step = 0; step < 100 && !isSo(); step++) {
    await clock.advance(1000)
    await pause(50)
  }
}
