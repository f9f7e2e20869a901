/** What nodefit sync says of a real cluster that differs from what was rendered for Kubescape's agent, with the component's rights and without them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { does } from '../support/objects.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { ownKubeconfig, PACKAGE } from '../support/sync-deploy.ts'
import { type SyncProcess, startSync } from '../support/sync-process.ts'
import { OUTPUT, OWNED, syncWorld } from '../support/sync-world.ts'

/** It reads once a minute: its clock goes this many times as fast. */
const CLOCK_TIMES = 10
/** From one read to the next: a minute, and the rest of a round. */
const NEXT_READ = 80_000 / CLOCK_TIMES
const CODES = ['LiveLoopOn', 'LiveVersionDiffers', 'LiveTemplateDiffers', 'LiveValueDiffers', 'LiveAgentBeside']

const isHere = [...CONTROL_PLANE, 'git'].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined
const [port] = await freePorts(1)

/** What a version of the chart printed. */
const printed = (name: string, version = '1.40.3') =>
  readFileSync(join(ROOT, 'testdata/kubescape-charts', version, `${name}.yaml`), 'utf8')
/** The text with another one in it. */
const changed = (text: string, from: string, to: string) => {
  assert.ok(text.includes(from), from)
  return text.replace(from, to)
}

suite('nodefit sync beside Kubescape', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { folder, kubectl } = cluster
  const { api, repository, at, configure, add, get } = syncWorld(cluster, port)
  const component = ['-f', join(PACKAGE, 'components/collect-kubescape/rbac.yaml')]
  const apply = (text: string) =>
    does(kubectl(['apply', '--server-side', '--force-conflicts', '--namespace=kubescape', '-f', '-'], text))
  let sync: SyncProcess

  const metrics = async () => (await get('/metrics')).text
  /** The codes that the metric has at 1; undefined where it has none at all. */
  const differing = async () => {
    const all = [...(await metrics()).matchAll(/^nodefit_cluster_differs\{code="(\w+)"\} ([01])$/gm)]
    return all.length === 0 ? undefined : all.flatMap(([, code, value]) => (value === '1' ? [code] : []))
  }
  /** The codes of the Events, each of which begins with one. */
  const told = async (): Promise<string[]> => {
    const { items } = await api.get('/apis/events.k8s.io/v1/namespaces/nodefit/events')
    return items
      .filter(({ reason }: { reason: string }) => reason === 'ClusterDiffers')
      .map(({ note }: { note: string }) => /^\w+/.exec(note)?.[0] ?? note)
  }
  const settles = async (...codes: string[]) => {
    const isSo = async () => (await differing())?.join() === codes.join()
    await eventually(isSo).catch(async () => assert.equal(await differing(), codes))
    for (const code of codes) {
      assert.ok(sync.lines().some(({ message }) => message.startsWith(`the cluster differs: ${code}`)))
      await eventually(async () => (await told()).includes(code))
    }
  }
  const isUp = (value: 0 | 1) =>
    eventually(async () => (await metrics()).includes(`nodefit_component_up{component="api-kubescape"} ${value}`))
  const unread = () => sync.lines().filter(({ message }) => message.startsWith('cannot read what the cluster has'))

  test('there are the operator with its loop on, and a package made from the chart’s print with the loop off', async () => {
    for (const namespace of ['nodefit', 'kubescape']) does(kubectl(['create', 'namespace', namespace]))
    does(kubectl(['apply', '-k', PACKAGE]))
    apply(printed('on'))
    writeFileSync(at('chart.yaml'), `${printed('template')}${printed('off')}`)
    const nodes = join(ROOT, 'testdata/nodes/eks.yaml')
    const args = ['init', 'agents', '--nodes', nodes, '--template', 'chart.yaml', '--cluster', 'prod']
    does(run(process.execPath, [COMMAND, ...args], { cwd: folder }))
    for (const name of ['policy.yaml', 'template.yaml', 'chart.yaml'])
      repository.write(`agents/${name}`, readFileSync(at(`agents/${name}`), 'utf8'))
    repository.push('the agent')
    await add('node-1', 'm5.large')
    await add('node-2', 'm5.4xlarge')
    mkdirSync(at('none'))
    configure({
      collect: ['nodes', 'kubescape'],
      leaderElection: { namespace: 'nodefit' },
      git: { credentials: at('none') },
    })
    const own = ['--config', at('sync.yaml'), '--kubeconfig', ownKubeconfig(cluster)]
    const env = { CLOCK_TIMES: String(CLOCK_TIMES) }
    sync = startSync(own, { node: ['--require', join(ROOT, 'e2e/support/fast-clock.cjs')], env })
    await sync.said(({ message }) => message.startsWith('pushed'))
  })
  test('without the rights it says so in one line, and nothing of the cluster', async () => {
    await isUp(0)
    await pause(NEXT_READ)
    assert.is(unread().length, 1)
    assert.match(JSON.stringify(unread()), 'forbidden')
    assert.is(await differing(), undefined)
    assert.equal(await told(), [])
  })
  test('with the rights of the component it finds the loop', async () => {
    does(kubectl(['apply', ...component]))
    await isUp(1)
    await settles('LiveLoopOn')
  })
  test('a setting of the agent, a value of the operator, another template', async () => {
    apply(changed(changed(printed('off'), '"initialDelay": "2m"', '"initialDelay": "7m"'), '"600Mi"', '"200Mi"'))
    apply(changed(printed('template'), 'name: KS_LOGGER_LEVEL', 'name: KS_LOGGER_LEVELS'))
    await settles('LiveTemplateDiffers', 'LiveValueDiffers')
  })
  test('another version of the chart, whose template and settings are not compared', async () => {
    apply(printed('off', '1.40.2'))
    await settles('LiveVersionDiffers')
  })
  test('where all is mended it says so, and finds nothing', async () => {
    const from = sync.lines().length
    apply(printed('off'))
    apply(printed('template'))
    await sync.said(({ message }) => message === 'the cluster has what was rendered again', from)
    await settles()
  })
  test('the static agent beside the groups of Git', async () => {
    repository.pull()
    does(kubectl(['apply', '--server-side', '-k', repository.at(OUTPUT)]))
    apply(printed('static'))
    await settles('LiveAgentBeside')
    does(kubectl(['delete', 'daemonset', 'node-agent', '-n', 'kubescape']))
    await settles()
  })
  test('where the rights are taken away it says so again, and keeps what it found last', async () => {
    apply(printed('on'))
    await settles('LiveLoopOn')
    does(kubectl(['delete', ...component]))
    await isUp(0)
    assert.is(unread().length, 2)
    assert.equal(await differing(), ['LiveLoopOn'])
  })
  test('every difference was told by an Event, and nothing of them is in Git', async () => {
    assert.equal([...new Set(await told())].sort(), [...CODES].sort())
    assert.is(await sync.stop(), 0)
    repository.pull()
    assert.equal(repository.messages().length, 2)
    assert.not.match(readFileSync(repository.at(`${OWNED}/inventory.yaml`), 'utf8'), /Live[A-Z]/)
  })
  test('the servers are stopped', () => cluster.stop())
})
