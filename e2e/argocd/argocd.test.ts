/** nodefit as a plugin of a real Argo CD that applies to a real API server, and what stays when a part of it breaks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { inventory, node, OS, shape, TYPE } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { type Span, watchAgents } from '../support/agent-watch.ts'
import { canConfine, SIDECAR_USER } from '../support/argocd.ts'
import { ARGOCD_WORLD, startWorld } from '../support/argocd-world.ts'
import { ROOT } from '../support/hosts.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

await onLoopbackOnly()

const PACKAGE = join(ROOT, 'testdata/quickstart')
const COMMITTED = join(ROOT, 'testdata/golden/kustomization/expected-1')
const LOGGING = 'logging'
const SETTLED_MILLISECONDS = 120_000
const APP = 'fluent-bit'
/** Linux nodes by their type. */
const FLEET: Record<string, readonly string[]> = {
  'm5.large': ['node-1', 'node-2', 'node-3'],
  'm5.4xlarge': ['node-4', 'node-5'],
  'c6g.xlarge': ['node-6', 'node-7'],
}
const CPU: Record<string, string> = { 'm5.large': '2', 'm5.4xlarge': '16', 'c6g.xlarge': '4', 'r5.xlarge': '4' }
const groupsOf = (types: readonly string[]) =>
  [...types.map((type) => type.replace('.', '-')), 'default', 'remainder'].map((group) => `${APP}-${group}`).sort()

const isComplete = ARGOCD_WORLD.map(has).every((is) => is)
const world = isComplete ? await startWorld() : undefined

suite('Argo CD with nodefit as its plugin', (test) => {
  test('what it needs is built, or said', () => assert.ok(isComplete || world === undefined))
  if (world === undefined) return
  const { cluster, argocd, applications, repository, stop } = world
  const { api } = applications
  let fleet = FLEET

  const list = async (path: string): Promise<Any[]> => (await api.get(path)).items
  const daemonSets = () => list(`/apis/apps/v1/namespaces/${LOGGING}/daemonsets`)
  const names = async () => (await daemonSets()).map(({ metadata }) => metadata.name).sort()
  /** What must not change where nothing is to happen: the same objects, in the same generation. */
  const identities = async () =>
    (await daemonSets()).map(({ metadata }) => [metadata.name, metadata.uid, metadata.generation])
  const push = (message: string) => {
    repository.write(`${APP}/inventory.yaml`, writeYaml(inventoryOf(fleet)))
    return repository.push(message)
  }
  const setPolicy = (from: string, to: string) =>
    repository.edit(`${APP}/policy.yaml`, (text) => text.replace(from, to))
  /** Does something while every agent is watched, until each node of the fleet has one again and no other pod is left. */
  const watched = async (body: () => Promise<unknown>): Promise<Map<string, Span>> => {
    const watch = await watchAgents(cluster.folder, LOGGING)
    await body()
    const nodes = Object.values(fleet).flat()
    for (const until = Date.now() + SETTLED_MILLISECONDS; ; await pause(100)) {
      const now = watch.now()
      if (nodes.every((name) => now.get(name) === 1) && now.size === nodes.length) return watch.stop()
      if (Date.now() > until)
        throw new Error(`not one agent on each of ${nodes.join()}, but ${JSON.stringify([...now])}`)
    }
  }
  const each = (spans: Map<string, Span>, expected: Span) => {
    const nodes = Object.values(fleet).flat()
    assert.equal(
      Object.fromEntries([...spans].sort()),
      Object.fromEntries(nodes.map((name) => [name, expected]).sort()),
    )
  }

  test('an Application that names the plugin is synced: of a disabled policy the static DaemonSet', async () => {
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: LOGGING } })
    for (const one of nodesOf(fleet)) await api.create(one)
    repository.copy(PACKAGE, APP)
    setPolicy('spec:\n', 'spec:\n  enabled: false\n')
    const revision = push('a static DaemonSet')
    applications.create(APP, repository, APP)
    const spans = await watched(() => applications.followed(APP, revision))
    each(spans, { least: 1, most: 1 })
    assert.equal(await names(), [APP])
    const { status } = await applications.get(APP)
    assert.is(status.sourceType, 'Plugin')
  })
  test('so it is with the sidecar as its patch confines it: no root, a root filesystem to read only, no network', () => {
    if (!canConfine) return
    const of = (file: string) => readFileSync(`/proc/${argocd.plugin().pid}/${file}`, 'utf8')
    assert.match(of('status'), new RegExp(`^Uid:\\s+${SIDECAR_USER}\\s`, 'm'))
    assert.match(of('status'), /^CapEff:\s+0+$/m)
    assert.match(of('status'), /^NoNewPrivs:\s+1$/m)
    assert.match(of('mountinfo'), / \/ \/ ro[, ]/)
    assert.equal(of('net/route').trim().split('\n').slice(1), [])
  })
  test('adoption with PruneLast: two agents on each node for a while, none ever without', async () => {
    setPolicy('enabled: false', 'enabled: true')
    const spans = await watched(() => applications.followed(APP, push('a DaemonSet for each group')))
    each(spans, { least: 1, most: 2 })
    assert.equal(await names(), groupsOf(Object.keys(fleet)))
  })
  test('an unchanged repository makes no change, however often it is rendered, nor does another folder', async () => {
    const before = await identities()
    const { status } = await applications.get(APP)
    for (let time = 0; time < 3; time++) await applications.refresh(APP, 'hard')
    const { status: after } = await applications.get(APP)
    assert.is(after.sync.status, 'Synced')
    assert.equal(after.history, status.history)
    repository.write('other/README.md', 'another folder\n')
    await applications.followed(APP, push('nothing of ours'))
    assert.equal(await identities(), before)
  })
  test('a new type of node: the remainder serves it at once, its own group after the commit, and no other pod restarts', async () => {
    fleet = { ...fleet, 'r5.xlarge': ['node-8'] }
    const old = await identities()
    await watched(async () => {
      for (const one of nodesOf({ 'r5.xlarge': ['node-8'] })) await api.create(one)
    })
    assert.equal(await owners('node-8'), [`${APP}-remainder`])
    const spans = await watched(() => applications.followed(APP, push('a type comes')))
    // its pod is replaced; which of the two comes first is the DaemonSet controller's affair
    spans.delete('node-8')
    for (const [name, span] of spans) assert.equal(span, { least: 1, most: 1 }, name)
    assert.equal(await owners('node-8'), [`${APP}-r5-xlarge`])
    assert.equal(await names(), groupsOf(Object.keys(fleet)))
    const kept = (await identities()).filter(([name]) => !/remainder|r5/.test(name))
    assert.equal(
      kept,
      old.filter(([name]) => !/remainder/.test(name)),
    )
  })
  test('a type that goes takes its DaemonSet along, and no other', async () => {
    const { 'm5.4xlarge': gone = [], ...rest } = fleet
    fleet = rest
    for (const name of gone) await api.delete(`/api/v1/nodes/${name}`)
    // as the collector of pods without a node does, which does not run here: at once, since no kubelet is left to say that a pod has ended
    for (const { metadata, spec } of await list(`/api/v1/namespaces/${LOGGING}/pods`))
      if (gone.includes(spec.nodeName))
        await api.delete(`/api/v1/namespaces/${LOGGING}/pods/${metadata.name}?gracePeriodSeconds=0`)
    const spans = await watched(() => applications.followed(APP, push('a type goes')))
    for (const name of gone) spans.delete(name)
    each(spans, { least: 1, most: 1 })
    assert.equal(await names(), groupsOf(Object.keys(fleet)))
  })
  test('the function fails: nothing changes, Argo CD shows its words, and the mended commit is followed', async () => {
    const before = await identities()
    setPolicy('nodeGroupLabel: node.kubernetes.io/instance-type', 'nodeGroupLabel: no.such/label')
    push('a label that no node has')
    const said = await applications.failed(
      APP,
      '`nodefit build --argocd` failed exit status 1: nodefit: LabelOnNoNode: ',
    )
    assert.not.match(said, 'GROUP')
    assert.ok(said.length < 2000, said)
    await unchanged(before)
    setPolicy('nodeGroupLabel: no.such/label', 'nodeGroupLabel: node.kubernetes.io/instance-type')
    await applications.followed(APP, push('the label again'))
    assert.equal(await identities(), before)
  })
  test('a parameter that nodefit does not know: nothing changes', async () => {
    const before = await identities()
    const plugin = { name: 'nodefit', parameters: [{ name: 'target', string: 'fluent-bit' }] }
    await applications.patch(APP, { spec: { source: { plugin } } })
    await applications.failed(APP, 'unknown parameter "target"')
    await unchanged(before)
    const known = {
      name: 'nodefit',
      parameters: [{ name: 'paths', array: ['daemonset.yaml', 'inventory.yaml', 'policy.yaml'] }],
    }
    await applications.patch(APP, { spec: { source: { plugin: known } } })
    await applications.followed(APP, push('with paths'))
    assert.equal(await identities(), before)
  })
  for (const [what, how] of [
    ['is stopped', undefined],
    ['is killed', 'killed'],
  ] as const) {
    test(`the sidecar ${what}: nothing changes, and when it is back the commit is followed`, async () => {
      const before = await identities()
      await argocd.plugin().stop(how)
      fleet = { ...fleet, [`x${what.length}.large`]: [] }
      const revision = push('while the sidecar is down')
      await applications.failed(APP, 'could not find cmp-server plugin with name "nodefit"')
      await unchanged(before)
      await argocd.startPlugin()
      await applications.refresh(APP, 'hard')
      await applications.followed(APP, revision)
      assert.equal(await names(), groupsOf(Object.keys(fleet)))
    })
  }
  test('the repo server is down: nothing changes, and when it is back the commit is followed', async () => {
    const before = await identities()
    await argocd.repoServer().stop('killed')
    fleet = Object.fromEntries(Object.entries(fleet).filter(([type]) => !type.startsWith('x')))
    const revision = push('while the repo server is down')
    await applications.failed(APP, /connection refused|Unavailable/)
    await unchanged(before)
    await argocd.startRepoServer()
    await applications.followed(APP, revision)
    assert.equal(await names(), groupsOf(Object.keys(fleet)))
  })
  test('the way back with PruneLast: two agents for a while, none ever without', async () => {
    setPolicy('enabled: true', 'enabled: false')
    const spans = await watched(() => applications.followed(APP, push('back to the static one')))
    each(spans, { least: 1, most: 2 })
    assert.equal(await names(), [APP])
  })
  test('without PruneLast there is a gap, there and back', async () => {
    await applications.patch(APP, { spec: { syncPolicy: { syncOptions: null } } })
    for (const [from, to] of [
      ['enabled: false', 'enabled: true'],
      ['enabled: true', 'enabled: false'],
    ] as const) {
      setPolicy(from, to)
      const spans = await watched(() => applications.followed(APP, push(to)))
      // on a single node the new pod may be there before the old one has gone
      assert.ok(
        Object.values(fleet)
          .flat()
          .some((name) => spans.get(name)?.least === 0),
      )
    }
  })
  test('committed output with a kustomization.yaml is kustomize’s, and the inputs stay in Git', async () => {
    const renamed = (text: string) => text.replaceAll(APP, 'committed')
    for (const file of readdirSync(COMMITTED))
      repository.write(`committed/${renamed(file)}`, renamed(readFileSync(join(COMMITTED, file), 'utf8')))
    const revision = repository.push('what kpt has rendered')
    applications.create('committed', repository, 'committed', ({ source: { plugin: _, ...source }, ...spec }) => ({
      ...spec,
      source,
    }))
    const { status } = await applications.followed('committed', revision)
    assert.is(status.sourceType, 'Kustomize')
    const groups = (await names()).filter((name) => name !== APP)
    assert.ok(groups.length > 2, groups.join())
    assert.equal(
      status.resources.map(({ kind, name }: Any) => `${kind} ${name}`).sort(),
      groups.map((name) => `DaemonSet ${name}`),
    )
    const before = await identities()
    repository.remove('committed/committed-groups.yaml')
    repository.push('a file that the kustomization still names')
    await applications.failed('committed', 'committed-groups.yaml')
    await unchanged(before)
  })
  test('why the name must not be left out: without it the folder is plain manifests', async () => {
    const renamed = (file: string) => readFileSync(join(PACKAGE, file), 'utf8').replaceAll(APP, 'unnamed')
    repository.write('unnamed/daemonset.yaml', renamed('daemonset.yaml'))
    for (const file of ['inventory.yaml', 'policy.yaml']) repository.write(`unnamed/inputs/${file}`, renamed(file))
    const revision = repository.push('a package that no plugin is named for')
    applications.create('unnamed', repository, 'unnamed', ({ source: { plugin: _, ...source }, ...spec }) => ({
      ...spec,
      source,
    }))
    const { status } = await applications.followed('unnamed', revision)
    assert.is(status.sourceType, 'Directory')
    assert.equal(
      (await names()).filter((name) => name.startsWith('unnamed')),
      ['unnamed'],
    )
  })
  test('what was started is stopped', async () => {
    await stop()
    assert.not(existsSync(cluster.folder))
  })

  /** The DaemonSets whose pods are on a node. */
  async function owners(name: string): Promise<string[]> {
    const pods = await list(`/api/v1/namespaces/${LOGGING}/pods`)
    return pods.filter(({ spec }) => spec.nodeName === name).map(({ metadata }) => metadata.ownerReferences[0].name)
  }

  /** Argo CD is given the time it would need to delete something. */
  async function unchanged(before: unknown): Promise<void> {
    await applications.refresh(APP)
    await pause(1500)
    assert.equal(await identities(), before)
  }
})

function inventoryOf(fleet: typeof FLEET) {
  const linux = Object.entries(fleet).map(([type, nodes]) =>
    shape({ [OS]: 'linux', [TYPE]: type }, [...nodes], CPU[type]),
  )
  return inventory(linux)
}

function nodesOf(fleet: typeof FLEET) {
  return Object.entries(fleet).flatMap(([type, nodes]) => {
    const allocatable = { cpu: CPU[type] ?? '4', memory: '16Gi', pods: '110' }
    const status = { allocatable, capacity: allocatable }
    return nodes.map((name) => node(name, { [OS]: 'linux', [TYPE]: type }, '', '', { status }))
  })
}
