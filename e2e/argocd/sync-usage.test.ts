/** From the second kill to larger limits: nodefit sync commits them, Argo CD applies them, and the pods of that group alone are replaced. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { ARGOCD_WORLD, startWorld } from '../support/argocd-world.ts'
import { Controller } from '../support/controller.ts'
import { eventually } from '../support/eventually.ts'
import { Followed } from '../support/followed.ts'
import { FIRST, OUTPUT, SERVED } from '../support/following.ts'
import { COMMAND, run } from '../support/hosts.ts'
import { killArguments } from '../support/killed-container.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

await onLoopbackOnly()

const [APP, NAMESPACE, LABEL] = ['fluent-bit', 'logging', 'nodefit.dev/node-group']
const OWNED = 'clusters/prod/nodes'
const hasArgocd = ARGOCD_WORLD.map(has).every((is) => is)

suite('kills, nodefit sync and Argo CD', (test) => {
  test('what it needs is built, or said', () => assert.type(hasArgocd, 'boolean'))
  if (!hasArgocd) return
  let world: Awaited<ReturnType<typeof startWorld>>
  let controller: Controller
  let followed: Followed
  const list = async (path: string): Promise<Any[]> => (await followed.api.get(path)).items
  const pods = async (group: string): Promise<Any[]> =>
    (await list(`/api/v1/namespaces/${NAMESPACE}/pods`)).filter(
      // one that ends is nobody's agent any more: nobody sees that it is killed
      ({ metadata }) => metadata.labels[LABEL] === group && metadata.deletionTimestamp === undefined,
    )
  const uids = async (group: string) => (await pods(group)).map(({ metadata }) => metadata.uid).sort()
  const limit = async (group: string): Promise<string> => {
    const sets = await list(`/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`)
    const set = sets.find(({ metadata }) => metadata.labels[LABEL] === group)
    return set.spec.template.spec.containers[0].resources.limits.memory
  }
  const applied = async () => {
    const [newest = ''] = world.repository.revisions()
    await world.applications.followed(APP, newest, world.repository)
  }
  const kill = (pod: Any, restartCount: number) =>
    assert.is(world.cluster.kubectl(killArguments(pod, restartCount)).status, 0)

  test('agents of two groups run, as Argo CD has applied them', async () => {
    world = await startWorld()
    const { cluster, repository, applications } = world
    assert.is(cluster.kubectl(['create', 'namespace', NAMESPACE]).status, 0)
    repository.push('the beginning')
    followed = new Followed(cluster, repository, APP)
    for (const [name, type] of FIRST) await followed.add(name, type)
    controller = new Controller(cluster, repository, 'sync-usage')
    followed.copyPackage(APP)
    repository.edit(`${APP}/policy.yaml`, (text) => `${text.trimEnd()}\n  usage:\n    updateMode: Auto\n`)
    repository.push(APP)
    const [port = 0] = await freePorts(1)
    controller.configure({
      health: { address: `127.0.0.1:${port}` },
      ...{ mode: 'rendered', packages: [APP], output: OUTPUT, git: { folder: OWNED }, collect: ['nodes', 'usage'] },
    })
    await controller.pushes('inventory.yaml', () => controller.start())
    repository.pull()
    applications.create(APP, repository, OUTPUT, ({ source: { plugin: _, ...source }, ...spec }) => ({
      ...spec,
      source,
    }))
    await applied()
    await followed.served(SERVED, true)
    // a label that it has not seen is watched from the next poll on
    const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    await eventually(async () => /watch-agent-pods"} 1/.test(await metrics()), 120)
  })
  test('sizes that somebody has imported: each group has its own row, and borrows from no other', async () => {
    const { repository } = world
    const rows = ['m5.large', 'm5.4xlarge'].map((type) => ({
      ...{ policy: `${NAMESPACE}/${APP}`, container: APP, group: `value:${type}` },
      settled: { cpu: '61m', memory: '71Mi', at: '2026-11-01T00:00:00Z', why: 'Imported' },
    }))
    await controller.pushes('rendered', () => {
      repository.edit(`${OWNED}/workload.yaml`, (text) =>
        text.replace(/^ {2}usage:[\s\S]*/m, `  usage: ${JSON.stringify(rows)}\n`).replace(/usage: \d+/, 'usage: 2'),
      )
      repository.push('imported')
    })
    repository.pull()
    await applied()
    await followed.served(SERVED, true)
  })
  test('a commit that another one follows before it is applied is waited for no longer than that one', async () => {
    const { repository } = world
    const [earlier = ''] = repository.revisions()
    const later = repository.push('nothing that is rendered')
    const { status } = await world.applications.followed(APP, earlier, repository)
    assert.is(status.sync.revision, later)
  })
  test('twice killed: the commit, which replays; applied: pods of that group are replaced, and no others', async () => {
    const [group, other] = ['m5.large', 'm5.4xlarge']
    const [before, others, was, otherLimit] = [
      await uids(group),
      await uids(other),
      await limit(group),
      await limit(other),
    ]
    const versions = await followed.versions()
    const [pod] = await pods(group)
    kill(pod, 1)
    await pause(2000)
    let second = 0
    const { time } = await controller.pushes('workload.yaml', () => {
      second = Date.now()
      kill(pod, 2)
    })
    const { repository } = world
    repository.pull()
    await applied()
    const there = Date.now() - second
    const replaced = async () => {
      const now = await pods(group)
      return (
        now.length === 3 &&
        now.every(({ metadata, status }) => !before.includes(metadata.uid) && status.phase === 'Running')
      )
    }
    await eventually(replaced, 240)
    const parts = { committed: Date.parse(String(time)) - second, applied: there, replaced: Date.now() - second }
    const texts = Object.entries(parts).map(([part, milliseconds]) => `${part} ${(milliseconds / 1000).toFixed(1)} s`)
    process.stdout.write(`\nfrom a second kill, with Argo CD: ${texts.join(', ')}\n`)
    assert.equal(await uids(other), others)
    assert.is(await limit(other), otherLimit)
    const { spec } = parse(readFileSync(repository.at(`${OWNED}/workload.yaml`), 'utf8'))
    const row = spec.usage.find((one: Any) => one.group === `value:${group}`)
    assert.equal([row.kills.count, row.kills.pods, row.settled.why], [2, 1, 'Imported'])
    assert.is(await limit(group), row.settled.limitMemory)
    assert.ok(Number.parseInt(row.settled.limitMemory, 10) !== Number.parseInt(was, 10))
    const after = await followed.versions()
    const same = Object.keys(versions).filter((name) => after[name] === versions[name])
    assert.ok(same.includes(`${APP}-m5-4xlarge`) && !same.includes(`${APP}-m5-large`), same.join())
    const replayed = run(process.execPath, [COMMAND, 'replay', 'HEAD'], { cwd: repository.at('.') })
    assert.is(replayed.status, 0, replayed.stdout + replayed.stderr)
  })
  test('what was started is stopped', async () => {
    const code = await controller?.stop()
    await world?.stop()
    assert.is(code, 0)
    assert.not(existsSync(join(world.cluster.folder)))
  })
})
