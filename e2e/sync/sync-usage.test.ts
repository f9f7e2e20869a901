/** Kills on a real cluster: their commit by nodefit sync with its own rights, its replay, and the pods that it replaces. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { NO_HISTORY, withKill } from '../../src/facts/usage/index.ts'
import { connect } from '../../src/host/cluster/connection.ts'
import { UsageHistory } from '../../src/host/sync/collect/usage-history.ts'
import { Quantity } from '../../src/kube/index.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { SCHEDULED, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, run } from '../support/hosts.ts'
import { killArguments } from '../support/killed-container.ts'
import { startKwok } from '../support/kwok.ts'
import { does } from '../support/objects.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { Servers } from '../support/servers.ts'
import { ownKubeconfig, PACKAGE } from '../support/sync-deploy.ts'
import { type SyncProcess, startSync } from '../support/sync-process.ts'
import { OUTPUT, OWNED, syncWorld } from '../support/sync-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const PROGRAMS = [...SCHEDULED, 'kwok', 'git']
const cluster = PROGRAMS.map(has).every((found) => found) ? await startCluster({ scheduler: true }) : undefined
const NAMESPACE = 'logging'
const LABEL = 'nodefit.dev/node-group'

suite('kills, and nodefit sync on a real cluster', (test) => {
  test('what it needs is here, or said', () => assert.ok(cluster !== undefined || !PROGRAMS.every(has)))
  if (cluster === undefined) return
  const { kubectl, folder } = cluster
  const servers = new Servers(folder)
  let world: ReturnType<typeof syncWorld>
  let sync: SyncProcess
  const list = (kind: string): Any[] => JSON.parse(does(kubectl(['get', kind, '-n', NAMESPACE, '-o', 'json']))).items
  const podsOf = (group: string) => list('pods').filter(({ metadata }) => metadata.labels[LABEL] === group)
  const uidsOf = (group: string) =>
    podsOf(group)
      .map(({ metadata }) => metadata.uid)
      .sort()
  const limitOf = (group: string): bigint => {
    const set = list('daemonsets').find(({ metadata }) => metadata.labels[LABEL] === group)
    return Quantity.parse(set.spec.template.spec.containers[0].resources.limits.memory).value()
  }
  const apply = () => does(kubectl(['apply', '-k', world.repository.at(OUTPUT)]))
  const runs = (group: string, count: number) => () => {
    const pods = podsOf(group)
    return pods.length === count && pods.every(({ status }) => status.phase === 'Running')
  }
  const kill = (pod: Any, restartCount: number) => does(kubectl(killArguments(pod, restartCount)))

  test('agents of two groups run, sized by percentages until something is known', async () => {
    const [port = 0] = await freePorts(1)
    world = syncWorld(cluster, port)
    for (const name of ['nodefit', NAMESPACE]) does(kubectl(['create', 'namespace', name]))
    does(kubectl(['apply', '-k', PACKAGE]))
    does(kubectl(['apply', '-f', join(PACKAGE, 'components/collect-usage/rbac.yaml')]))
    const kubeconfig = ownKubeconfig(cluster)
    await startKwok(servers, world.at('kubeconfig'))
    for (const [name, type] of Object.entries({ a: 'm5.large', b: 'm5.large', c: 'r5.xlarge', d: 'r5.xlarge' }))
      await world.add(name, type)
    world.pushAgents()
    world.repository.edit('agents/policy.yaml', (text) => `${text.trimEnd()}\n  usage:\n    updateMode: Auto\n`)
    world.repository.push('sizes from usage')
    world.configure({ collect: ['nodes', 'usage'], leaderElection: { namespace: 'nodefit' } })
    sync = startSync(['--config', world.at('sync.yaml'), '--kubeconfig', kubeconfig])
    await sync.said(({ message }) => message.startsWith('pushed'))
    world.repository.pull()
    apply()
    await eventually(runs('m5.large', 2), 120)
    await eventually(runs('r5.xlarge', 2), 120)
  })
  test('sizes that somebody has imported are gone on from', async () => {
    const file = `${OWNED}/workload.yaml`
    const rows = ['m5.large', 'r5.xlarge'].map((type) => ({
      ...{ policy: `${NAMESPACE}/fluent-bit`, container: 'fluent-bit', group: `value:${type}` },
      settled: { cpu: '61m', memory: '71Mi', at: '2026-11-01T00:00:00Z', why: 'Imported' },
    }))
    const from = sync.lines().length
    world.repository.edit(file, (text) =>
      text.replace(/usage: \[\]/, `usage: ${JSON.stringify(rows)}`).replace(/usage: 0/, 'usage: 2'),
    )
    world.repository.push('imported')
    await sync.said(({ message }) => message.startsWith('pushed'), from, 120_000)
    world.repository.pull()
    const { spec } = parse(readFileSync(world.repository.at(file), 'utf8'))
    assert.equal(
      spec.usage.map(({ group, settled }: Any) => [group, settled.memory, settled.why]),
      ['m5.large', 'r5.xlarge'].map((type) => [`value:${type}`, '71Mi', 'Imported']),
    )
    apply()
    const request = () =>
      list('daemonsets').map(({ spec: { template } }) => template.spec.containers[0].resources.requests.cpu)
    assert.equal(request().filter((cpu) => cpu === '71m').length, 4)
    await eventually(runs('m5.large', 2), 120)
    await eventually(runs('r5.xlarge', 2), 120)
    // a label that it has not seen is watched from the next poll on
    const metrics = async () => (await world.get('/metrics')).text
    await eventually(async () => /watch-agent-pods"} 1/.test(await metrics()), 180)
  })
  test('a container that is killed twice has a commit with twice its limit, which replays', async () => {
    const before = limitOf('m5.large')
    const [pod] = podsOf('m5.large')
    assert.ok(pod.metadata.deletionTimestamp === undefined)
    kill(pod, 1)
    await pause(2000)
    const from = sync.lines().length
    const began = Date.now()
    kill(pod, 2)
    const line = await sync.said(({ message }) => message.startsWith('pushed'), from, 120_000)
    process.stdout.write(`from the second kill to Git: ${Math.round((Date.now() - began) / 100) / 10} s\n`)
    assert.match(line.message, 'fluent-bit on m5.large killed, limit')
    world.repository.pull()
    const [message = ''] = world.repository.messages()
    assert.match(message, `${NAMESPACE}/fluent-bit fluent-bit value:m5.large: limit of memory `)
    assert.match(message, '(killed 2 times in 1 pod at ')
    const { spec } = parse(readFileSync(world.repository.at(`${OWNED}/workload.yaml`), 'utf8'))
    const row = spec.usage.find(({ group }: Any) => group === 'value:m5.large')
    const mebibytes = before >> 20n
    assert.is(Quantity.parse(row.settled.limitMemory).value(), (2n * mebibytes) << 20n)
    assert.equal([row.settled.why, row.kills.count, row.settled.raisedAt.length], ['Imported', 2, 1])
    const replayed = run(process.execPath, [COMMAND, 'replay', 'HEAD'], { cwd: world.repository.at('.') })
    assert.is(replayed.status, 0, replayed.stdout + replayed.stderr)
  })
  test('which replaces the pods of that group, and no others', async () => {
    const [before, others, limit] = [uidsOf('m5.large'), uidsOf('r5.xlarge'), limitOf('r5.xlarge')]
    apply()
    await eventually(
      () => uidsOf('m5.large').length === 2 && uidsOf('m5.large').every((uid) => !before.includes(uid)),
      120,
    )
    assert.equal(uidsOf('r5.xlarge'), others)
    assert.is(limitOf('r5.xlarge'), limit)
  })
  test('nothing more is committed, and nothing was forbidden', async () => {
    const from = sync.lines().length
    await pause(20_000)
    const lines = sync.lines()
    assert.not(lines.slice(from).some(({ message }) => message.startsWith('pushed')))
    assert.equal(
      lines.filter((line) => /forbidden/.test(JSON.stringify(line))),
      [],
    )
    assert.is(await sync.stop(), 0)
  })
  test('it has the rights that ship, and no more', () => {
    const user = '--as=system:serviceaccount:nodefit:nodefit-sync'
    const rights = (namespace: string) =>
      does(kubectl(['auth', 'can-i', '--list', '--no-headers', user, '-n', namespace]))
        .split('\n')
        .filter((line) => /^(?:pods|daemonsets|configmaps|secrets|nodes|leases|events)/.test(line))
        .map((line) => line.replaceAll(/ +/g, ' ').trim())
        .sort()
    const everywhere = [
      'daemonsets.apps [] [] [list watch]',
      'nodes [] [] [list watch]',
      'pods [] [] [list watch]',
      'pods.metrics.k8s.io [] [] [list]',
    ]
    assert.equal(rights(NAMESPACE), everywhere)
    assert.equal(rights('nodefit'), [
      'configmaps [] [] [create]',
      'configmaps [] [nodefit-sync-usage] [get update]',
      ...['daemonsets.apps [] [] [list watch]', 'events.events.k8s.io [] [] [create patch]'],
      ...['leases.coordination.k8s.io [] [] [create]', 'leases.coordination.k8s.io [] [nodefit-sync] [get update]'],
      ...everywhere.slice(1),
    ])
  })
  test('with which the history is written, read, written again, and made anew where somebody deletes it', async () => {
    const context = engineContext()
    const connection = connect({ kubeconfig: world.at('own-kubeconfig') }, context)
    const history = () => new UsageHistory({ connection, namespace: 'nodefit', name: 'nodefit-sync-usage', context })
    const { signal } = new AbortController()
    const key = { policy: 'n/p', container: 'c', group: 'g' }
    const kept = {
      histories: [[key, withKill(NO_HISTORY, { pod: 'x', at: 5, count: 1 }, 5)] as const],
      until: 3_600_000,
    }
    // what nodefit sync has written of the kills
    does(kubectl(['delete', 'configmap', 'nodefit-sync-usage', '-n', 'nodefit', '--ignore-not-found']))
    const [first, second] = [history(), history()]
    assert.equal(await first.load(signal), { histories: [], until: Number.NEGATIVE_INFINITY })
    assert.equal([await first.save(kept, signal), await first.save(kept, signal)], [true, true])
    assert.equal(await second.load(signal), kept)
    assert.ok(await second.save({ ...kept, until: 7_200_000 }, signal))
    // what another has written is not written over unseen
    assert.equal([await first.save(kept, signal), await first.save(kept, signal)], [false, true])
    does(kubectl(['delete', 'configmap', 'nodefit-sync-usage', '-n', 'nodefit']))
    assert.equal([await first.save(kept, signal), await first.save(kept, signal)], [false, true])
  })
  test('the servers are stopped', async () => {
    await servers.stop()
    await cluster.stop()
  })
})
