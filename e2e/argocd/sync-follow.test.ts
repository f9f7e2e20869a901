/** From a new node to its agent: Argo CD applies what `nodefit sync` pushes. */
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { ARGOCD_WORLD, startWorld } from '../support/argocd-world.ts'
import { Controller } from '../support/controller.ts'
import { eventually } from '../support/eventually.ts'
import { Followed } from '../support/followed.ts'
import { FIRST, MIN_PUSH_INTERVAL, OUTPUT, SERVED } from '../support/following.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

await onLoopbackOnly()

const hasArgocd = ARGOCD_WORLD.map(has).every((is) => is)

suite('Argo CD follows nodefit sync', (test) => {
  test('what it needs is built, or said', () => assert.type(hasArgocd, 'boolean'))
  if (!hasArgocd) return
  let world: Awaited<ReturnType<typeof startWorld>>
  let controller: Controller
  let followed: Followed

  /** A package, a controller that keeps the nodes for it, and the first commit. */
  const begin = async (app: string, spec: { readonly git: object; readonly [field: string]: unknown }) => {
    followed = new Followed(world.cluster, world.repository, app)
    controller = new Controller(world.cluster, world.repository, `sync-${app}`)
    world.repository.pull()
    followed.copyPackage(app)
    world.repository.push(app)
    controller.configure({ packages: [app], ...spec })
    return controller.pushes('inventory.yaml', () => controller.start())
  }
  /** Waits until an Application is as the newest commit has it; gives its status. */
  const applied = async (app: string): Promise<Any> => {
    const [newest = ''] = world.repository.revisions()
    return (await world.applications.followed(app, newest, world.repository)).status
  }
  /**
   * A node of a new type joins: the remainder serves it, and after the commit its own group does. Argo CD is told of the commit, as a webhook
   * does.
   */
  const joins = async (app: string, name: string, type: string) => {
    const [group, before] = [type.replace('.', '-'), await followed.versions()]
    await pause(MIN_PUSH_INTERVAL)
    const created = Date.now()
    const since = () => Date.now() - created
    let remainder = 0
    const { time, written } = await controller.pushes('inventory.yaml', async () => {
      await followed.add(name, type)
      await followed.served({ [name]: 'remainder' }, true)
      remainder = since()
    })
    const told = since()
    const following = applied(app)
    await eventually(async () => (await followed.names()).includes(`${app}-${group}`), 240)
    const there = since()
    await followed.served({ [name]: group, 'node-1': 'm5-large', 'node-4': 'm5-4xlarge' }, true)
    const parts = { remainder, committed: Date.parse(String(time)) - created, told, applied: there, pod: since() }
    followed.say(`Argo CD, ${app}`, parts)
    await following
    const after = await followed.versions()
    for (const one of followed.groups('m5.large', 'm5.4xlarge').filter((kept) => !kept.endsWith('remainder')))
      assert.is(after[one], before[one], one)
    return String(written)
  }

  test('rendered output is applied as a folder of kustomize: each node has an agent, and it runs', async () => {
    world = await startWorld()
    const { cluster, repository, applications } = world
    assert.is(cluster.kubectl(['create', 'namespace', 'logging']).status, 0)
    repository.push('the beginning')
    const nodes = new Followed(cluster, repository, 'any')
    for (const [name, type] of FIRST) await nodes.add(name, type)
    await begin('fluent-bit', { mode: 'rendered', output: OUTPUT, git: { folder: 'clusters/prod/nodes' } })
    applications.create('fluent-bit', repository, OUTPUT, ({ source: { plugin: _, ...source }, ...spec }) => ({
      ...spec,
      source,
    }))
    const { sourceType } = await applied('fluent-bit')
    assert.is(sourceType, 'Kustomize')
    assert.equal(await followed.names(), followed.groups('m5.large', 'm5.4xlarge'))
    await followed.served(SERVED, true)
  })
  test('a new type of node: its group is committed, applied, and its pod runs', async () => {
    assert.match(await joins('fluent-bit', 'node-6', 'r5.xlarge'), `${OUTPUT}/kustomization.yaml`)
    assert.is(await controller.stop(), 0)
  })
  test('an inventory alone is what the plugin renders', async () => {
    const { written } = await begin('shipper', { mode: 'inventory', git: { folder: 'shipper/nodes' } })
    assert.is(written, 'shipper/nodes/inventory.yaml')
    world.applications.create('shipper', world.repository, 'shipper')
    const { sourceType } = await applied('shipper')
    assert.is(sourceType, 'Plugin')
    assert.equal(await followed.names(), followed.groups('m5.large', 'm5.4xlarge', 'r5.xlarge'))
    await followed.served(SERVED, true)
  })
  test('a new type of node: the inventory is committed, the plugin renders its group, and its pod runs', async () => {
    assert.is(await joins('shipper', 'node-7', 'c6g.xlarge'), 'shipper/nodes/inventory.yaml')
  })
  test('a render that fails: Argo CD says so and deletes nothing, and the mended one is followed', async () => {
    const before = await followed.versions()
    const { repository, applications } = world
    const policy = (from: string, to: string) => {
      repository.pull()
      repository.edit('shipper/policy.yaml', (text) => text.replace(from, to))
      repository.push(to)
    }
    await controller.says('the render fails', async () => {
      policy('requestCPU: 2', 'requestCPU: 200')
      await followed.add('node-8', 'm6i.large')
    })
    await applications.failed('shipper', 'PercentageOutOfRange')
    assert.equal(await followed.versions(), before)
    policy('requestCPU: 200', 'requestCPU: 2')
    await applied('shipper')
    await followed.served({ ...SERVED, 'node-8': 'm6i-large' }, true)
  })
  test('what was started is stopped', async () => {
    const code = await controller?.stop()
    await world?.stop()
    assert.is(code, 0)
    assert.not(existsSync(world.cluster.folder))
  })
})
