/** `nodefit sync` as a process, against a real API server and a Git repository: what it commits, and what it does not. */
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, filesOf, run } from '../support/hosts.ts'
import { nodeOf } from '../support/node-objects.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { type Line, type SyncProcess, startSync } from '../support/sync-process.ts'
import { OUTPUT, OWNED, syncWorld } from '../support/sync-world.ts'

/** Long enough for a change to be looked at, were it one. */
const QUIET = 6_000

const isHere = [...CONTROL_PLANE, 'git'].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined
const [port] = await freePorts(1)

suite('nodefit sync', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { api, repository, at, args, configure, add, pushAgents, events, get: ask } = syncWorld(cluster, port)
  const start = (...more: string[]) => startSync([...args, ...more])
  const isPush = ({ message }: Line) => message.startsWith('pushed')

  test('the first time it commits the inventory and what is rendered from it', async () => {
    pushAgents()
    await add('node-1', 'm5.large')
    await add('node-2', 'm5.large')
    await add('node-3', 'm5.4xlarge')
    configure()
    const sync = start('--once')
    assert.is(await sync.ended, 0, sync.stderr())
    repository.pull()
    const files = filesOf(repository.at('clusters/prod'))
    assert.equal(Object.keys(files), [
      'nodes/inventory.yaml',
      ...groups('default', 'm5-4xlarge', 'm5-large', 'remainder').map(
        (name) => `rendered/daemonset.apps_logging_${name}.yaml`,
      ),
      'rendered/kustomization.yaml',
    ])
    const [message = ''] = repository.messages()
    assert.match(message, /^Nodefit-Cluster: prod$/m)
  })
  test('it commits what nodefit build writes of the same repository', () => {
    const folder = at('built')
    const { status, stderr } = run(process.execPath, [
      ...[COMMAND, 'build', repository.at('agents'), repository.at(OWNED), '--output-dir', folder],
    ])
    assert.is(status, 0, stderr)
    assert.equal(filesOf(folder), filesOf(repository.at(OUTPUT)))
  })
  test('a second time there is nothing to do', async () => {
    const sync = start('--once')
    assert.is(await sync.ended, 0, sync.stderr())
    assert.is(repository.messages().length, 2)
  })

  let sync: SyncProcess
  /** What happens while something is done and as long as it would take to be committed, had it to be. */
  const quietly = async (body: () => Promise<unknown>) => {
    const before = [repository.messages().length, sync.lines().length]
    await body()
    await pause(QUIET)
    assert.is(repository.messages().length, before[0], JSON.stringify(sync.lines().slice(before[1])))
  }
  test('it goes on as a process, and says so to probes and Prometheus', async () => {
    sync = start()
    await sync.said(({ message }) => message.startsWith('no change'))
    await get('/healthz', 200)
    await get('/readyz', 200)
    const metrics = await get('/metrics', 200)
    assert.match(metrics, /^nodefit_nodes 3$/m)
    assert.match(metrics, /^nodefit_component_up\{component="git"\} 1$/m)
  })
  test('heartbeats, images, a replaced node of a known type: no commit', async () => {
    await quietly(async () => {
      for (let beat = 0; beat < 20; beat++) {
        const { status } = nodeOf('node-1', 'm5.large')
        const heard = { ...status.conditions[0], lastHeartbeatTime: `2026-11-20T12:00:${10 + beat}Z` }
        const images = [{ names: [`example.com/image:${beat}`], sizeBytes: beat }]
        await api.status(nodeOf('node-1', 'm5.large'), { ...status, conditions: [heard], images })
      }
      await add('node-4', 'm5.large')
      await api.delete('/api/v1/nodes/node-2')
    })
  })
  test('a new type of node: its agent is sized, and the message says for whom', async () => {
    const from = sync.lines().length
    await add('node-5', 'r5.xlarge')
    await sync.said(isPush, from)
    repository.pull()
    assert.ok('daemonset.apps_logging_fluent-bit-r5-xlarge.yaml' in filesOf(repository.at(OUTPUT)))
    assert.match(repository.messages()[0] ?? '', 'r5.xlarge')
    await quietly(async () => undefined)
  })
  test('a policy that somebody changes is rendered at the next look', async () => {
    const from = sync.lines().length
    repository.edit('agents/policy.yaml', (text) => text.replace('cpu: 50m', 'cpu: 60m'))
    repository.push('more for the agents')
    await sync.said(isPush, from)
    repository.pull()
    assert.match(filesOf(repository.at(OUTPUT))['daemonset.apps_logging_fluent-bit-default.yaml'] ?? '', 'cpu: 60m')
  })
  test('a render that fails: the inventory is committed once, what was rendered stays, an Event says why', async () => {
    const from = sync.lines().length
    const before = filesOf(repository.at(OUTPUT))
    repository.edit('agents/policy.yaml', (text) => text.replace('requestCPU: 2', 'requestCPU: 200'))
    repository.push('a slip')
    await add('node-6', 'c6g.xlarge')
    await sync.said(({ message }) => message.startsWith('the render fails'), from)
    repository.pull()
    assert.equal(filesOf(repository.at(OUTPUT)), before)
    assert.match(filesOf(repository.at(OWNED))['inventory.yaml'] ?? '', 'c6g.xlarge')
    await eventually(async () => (await events()).some(({ reason }) => reason === 'RenderFailed'))
    await quietly(async () => undefined)
    const mended = sync.lines().length
    repository.edit('agents/policy.yaml', (text) => text.replace('requestCPU: 200', 'requestCPU: 2'))
    repository.push('mended')
    await sync.said(isPush, mended)
    repository.pull()
    assert.ok('daemonset.apps_logging_fluent-bit-c6g-xlarge.yaml' in filesOf(repository.at(OUTPUT)))
  })
  test('a guard that trips: nothing is committed, and a human is asked for', async () => {
    configure({ retainShapes: '0s' })
    await sync.said(({ message }) => message.startsWith('the configuration changed'))
    const from = sync.lines().length
    await quietly(async () => {
      const gone = ['node-3', 'node-4', 'node-5', 'node-6']
      // at once, or what is gone after the first would be committed
      await Promise.all(gone.map((name) => api.delete(`/api/v1/nodes/${name}`)))
      await sync.said(({ message }) => message.startsWith('nothing is committed until'), from)
    })
    await eventually(async () => (await events()).some(({ reason }) => reason === 'GuardStopped'))
    const back = sync.lines().length
    await Promise.all([add('node-3', 'm5.4xlarge'), add('node-5', 'r5.xlarge'), add('node-6', 'c6g.xlarge')])
    await sync.said(({ message }) => message.startsWith('no change of what is rendered'), back)
  })
  test('a configuration that cannot be used is said, and the one before goes on; a good one is taken', async () => {
    let from = sync.lines().length
    configure({ cluster: 7 })
    await sync.said(({ message }) => message.startsWith('cannot use the changed configuration'), from)
    from = sync.lines().length
    configure({ suspend: true })
    await sync.said(({ message }) => message.startsWith('the configuration changed'), from)
    await quietly(() => add('node-7', 'm5.8xlarge'))
    from = sync.lines().length
    configure()
    await sync.said(isPush, from)
  })
  test('told to end it ends, and lets the Lease go', async () => {
    assert.is(await sync.stop(), 0)
    const lease = await api.get('/apis/coordination.k8s.io/v1/namespaces/default/leases/nodefit-sync')
    assert.is(lease.spec.holderIdentity ?? '', '')
  })
  test('of two, one pushes; when it is killed the other takes over', async () => {
    configure({ health: { address: '127.0.0.1:0' } })
    const [one, two] = [start(), start()]
    const isLooking = ({ message }: Line) => /^no change/.test(message)
    const leader = await Promise.race([one.said(isLooking).then(() => one), two.said(isLooking).then(() => two)])
    const other = leader === one ? two : one
    await pause(2_000)
    assert.not(other.lines().some(isLooking))
    await leader.stop('SIGKILL')
    await add('node-8', 'm5.2xlarge')
    await other.said(isPush)
    assert.is(await other.stop(), 0)
  })
  test('a dry run says what would be pushed, and pushes nothing', async () => {
    await add('node-9', 't3.large')
    const before = repository.messages().length
    const dry = start('--once', '--dry-run')
    assert.is(await dry.ended, 0)
    assert.match(
      dry
        .lines()
        .map(({ message }) => message)
        .join('\n'),
      /^would commit/m,
    )
    assert.is(repository.messages().length, before)
  })
  test('no configuration, or one that cannot be read: exit code 2, and why', async () => {
    writeFileSync(at('sync.yaml'), 'kind: SyncConfig\n')
    const bad = start('--once')
    assert.is(await bad.ended, 2)
    assert.match(
      bad
        .lines()
        .map(({ message }) => message)
        .join('\n'),
      'spec',
    )
    const none = startSync([])
    assert.is(await none.ended, 2)
    assert.match(none.stderr(), '--config')
  })
  test('the servers are stopped', () => cluster.stop())

  async function get(path: string, status: number): Promise<string> {
    const { text, ...answer } = await ask(path)
    assert.is(answer.status, status, text)
    return text
  }
})

function groups(...names: string[]): string[] {
  return names.map((name) => `fluent-bit-${name}`)
}
