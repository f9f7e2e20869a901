/** What `nodefit sync` collects with the real metrics-server behind a real API server, of kubelets that kwok plays. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { SnapshotParts } from '../../src/facts/inventory/index.ts'
import { type Connection, connect, type Request } from '../../src/host/cluster/connection.ts'
import { startCollectors } from '../../src/host/sync/collect/start.ts'
import { Quantity } from '../../src/kube/index.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { suite } from '../../test/support/suite.ts'
import { SCHEDULED, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { measuredNode, startMetricsServer } from '../support/metrics-server.ts'
import { asList, does } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { Servers } from '../support/servers.ts'
import { startSync } from '../support/sync-process.ts'
import { OWNED, syncWorld } from '../support/sync-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const PROGRAMS = [...SCHEDULED, 'kwok', 'metrics-server', 'openssl', 'git']
const cluster = PROGRAMS.map(has).every((found) => found) ? await startCluster({ scheduler: true }) : undefined
const [MINUTE, DAY] = [60_000, 86_400_000]

suite('the real metrics-server', (test) => {
  test('what it needs is here, or said', () => assert.ok(cluster !== undefined || !PROGRAMS.every(has)))
  if (cluster === undefined) return
  const { kubectl, folder } = cluster
  const { configure, pushAgents, repository, args } = syncWorld(cluster, 0)
  const servers = new Servers(folder)
  const template = parse(readFileSync(join(ROOT, 'testdata/quickstart/daemonset.yaml'), 'utf8'))
  const { namespace, name } = template.metadata
  const usage = { 'kwok.x-k8s.io/usage-cpu': '63m', 'kwok.x-k8s.io/usage-memory': '71Mi' }
  const list = (path: string): Any[] => {
    const { status, stdout } = kubectl(['get', '--raw', `/apis/metrics.k8s.io/v1beta1/${path}`])
    return status === 0 ? JSON.parse(stdout).items : []
  }

  test('measures the pods of a DaemonSet that a policy names, which is not rendered yet', async () => {
    does(kubectl(['create', 'namespace', namespace]))
    does(kubectl(['create', '-f', '-'], asList(['a', 'b', 'c'].map((node) => measuredNode(node, 'm5.large')))))
    const live = structuredClone(template)
    live.metadata = { name, namespace }
    live.spec.template.metadata.annotations = usage
    does(kubectl(['create', '-f', '-'], JSON.stringify(live)))
    await startMetricsServer(cluster, servers, namespace)
    await eventually(() => list(`namespaces/${namespace}/pods`).length === 3 && list('nodes').length === 3, 180)
  })
  test('and nodefit scan reads what they use at one moment, and says that it is one', async () => {
    const scan = (form: string) => {
      const args = [COMMAND, 'scan', '--kubeconfig', join(folder, 'kubeconfig'), '--output', form]
      const { status, stdout, stderr } = run(process.execPath, args)
      assert.is(status, 0, stderr)
      assert.not.match(stderr, 'usage is left out')
      return stdout
    }
    const read = () => JSON.parse(scan('json')).daemonSets.find((one: Any) => one.name === name)
    let [row, table]: [Any, string] = [undefined, '']
    // between two scans something may have been measured anew
    await eventually(() => {
      row = read()
      table = scan('table')
      return read().used.cpu === row.used.cpu
    })
    assert.equal([row.used.pods, row.used.statistic, row.nodes], [3, 'p95 of one moment', 3])
    const [milli, bytes] = [Quantity.parse(row.used.cpu).milliValue(), Quantity.parse(row.used.memory).value()]
    // a rate between two measurements is never quite even
    assert.ok(milli >= 40n && milli <= 90n, row.used.cpu)
    assert.ok(bytes >> 20n >= 71n && bytes >> 20n <= 75n, row.used.memory)
    assert.match(table, `${milli}m, `)
    assert.match(table, 'not used at this moment')
  })
  test('and nodefit sync commits pods, requests, capacity and the state of its components', async () => {
    const pod = does(kubectl(['get', 'pods', '-n', namespace, '-o', 'jsonpath={.items[0].metadata.name}']))
    const [container] = template.spec.template.spec.containers
    const state = {
      ...{ name: container.name, image: 'x', imageID: 'x', ready: true, restartCount: 1 },
      state: { running: { startedAt: '2026-11-22T19:50:00Z' } },
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
    }
    const patch = JSON.stringify({ status: { containerStatuses: [state] } })
    does(kubectl(['patch', 'pod', pod, '-n', namespace, '--subresource=status', '--type=strategic', '-p', patch]))
    pushAgents()
    configure({ collect: ['nodes', 'pods', 'usage', 'events', 'workloads', 'capacity', 'components'] })
    const sync = startSync([...args, '--once'])
    assert.is(await sync.ended, 0, JSON.stringify(sync.lines()) + sync.stderr())
    repository.pull()
    const { spec } = parse(readFileSync(repository.at(`${OWNED}/workload.yaml`), 'utf8'))
    assert.equal(
      spec.workloads.map(({ object, policy, desired, ready, restarts, terminated }: Any) => [
        ...[object, policy, desired, ready, restarts, terminated],
      ]),
      [[`DaemonSet/${namespace}/${name}`, `${namespace}/fluent-bit`, 3, 3, 1, { OOMKilled: 1 }]],
    )
    assert.is(spec.workloads[0].containers[0].name, container.name)
    const { measured, usage: used, ...sums } = spec.capacity
    assert.equal([measured, spec.metricsAvailable], [3, true])
    assert.equal(sums, {
      ...{ nodes: 3, ready: 3, unschedulable: 0 },
      capacity: { cpu: '6', memory: '24Gi', pods: '87' },
      allocatable: { cpu: '5790m', memory: '21Gi', pods: '87' },
    })
    assert.ok(Quantity.parse(used.memory).value() > 0n)
    assert.equal(
      spec.components.filter(({ healthy }: Any) => !healthy),
      [],
    )
    assert.ok(spec.components.some((component: Any) => component.name === 'metricsAvailable'))
    const built = run(process.execPath, [COMMAND, 'build', repository.at('agents'), repository.at(OWNED)])
    assert.is(built.status, 0, built.stderr)
    assert.not.match(built.stderr, /UnknownField|SnapshotCut/)
  })
  test('and when a day has ended what they use, within a step of what the kubelets measure', async () => {
    // tomorrow: the CPU of what has just started does not count, and a day has twelve hours at least
    const clock = new FakeClock(`${new Date(Date.now() + DAY).toISOString().slice(0, 10)}T11:30:00Z`)
    const context = engineContext({ clock })
    const ending = new AbortController()
    const real = connect({ kubeconfig: join(folder, 'kubeconfig') }, context)
    let answers = 0
    // what is measured now, as of the minutes that pass here
    const connection: Connection = {
      ...real,
      async json<T>(request: Request): Promise<T> {
        const timestamp = new Date(clock.now()).toISOString()
        const answer = await real.json<Any>(request)
        if (answer.kind !== 'PodMetricsList') return answer
        answers++
        return { ...answer, items: answer.items.map((item: Any) => ({ ...item, timestamp })) } as T
      },
    }
    const collecting = startCollectors(
      {
        connection,
        ...{ collect: ['workloads'], context, nodes: () => ['a', 'b', 'c'], onChange: () => {} },
        targets: () => new Map([[`${namespace}/${name}`, `${namespace}/fluent-bit`]]),
      },
      ending.signal,
    )
    const part = () => Object.assign({}, ...collecting.parts(clock.now())) as SnapshotParts
    const amounts = () => part().workloads?.[0]?.containers?.[0]?.seen
    for (let minute = 0; minute < 760 && amounts() === undefined; minute++) {
      const before = answers
      await clock.advance(MINUTE)
      // the next poll may not wait yet when the time passes, and its answer takes a moment
      for (let second = 0; second < 60 && answers === before; second++) {
        await pause(20)
        await clock.advance(1000)
      }
    }
    const { cpu, memory } = amounts() ?? {}
    ending.abort()
    await collecting.ended
    const milli = Number(Quantity.parse(cpu ?? 0).milliValue())
    const mebi = Number(Quantity.parse(memory ?? 0).value() >> 20n)
    // a rate between two measurements is never quite even
    assert.ok(milli >= 50 && milli <= 76, String(cpu))
    assert.ok(mebi >= 71 && mebi <= 75, String(memory))
  })
  test('one that is gone is a component that is down, and the inventory is committed', async () => {
    await servers.stop()
    does(kubectl(['create', '-f', '-'], asList([measuredNode('d', 'r5.xlarge')])))
    const sync = startSync([...args, '--once'])
    assert.is(await sync.ended, 0, JSON.stringify(sync.lines()) + sync.stderr())
    repository.pull()
    const { spec } = parse(readFileSync(repository.at(`${OWNED}/workload.yaml`), 'utf8'))
    assert.equal([spec.metricsAvailable, 'usage' in spec.capacity, spec.capacity.nodes], [false, false, 4])
    assert.equal(
      spec.components.filter(({ healthy }: Any) => !healthy).map((component: Any) => component.name),
      ['metrics-nodes', 'metricsAvailable'],
    )
  })
  test('the servers are stopped', async () => {
    await servers.stop()
    await cluster.stop()
  })
})
