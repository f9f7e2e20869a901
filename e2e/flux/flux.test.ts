/** Flux applies what `nodefit build --output-dir` writes: the real kustomize-controller on a real API server. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { DAEMONSET, type Package, writePackage } from '../support/agent-package.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { FLUX, fluxDefinitions, kustomizationDefinition, startFlux } from '../support/flux.ts'
import { COMMAND, filesOf, functionsIn, ROOT, run } from '../support/hosts.ts'
import { countPods, type Span } from '../support/pods-by-node.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const DEPLOY = readFileSync(join(ROOT, 'deploy/flux/agents.yaml'), 'utf8')
const TYPES = ['m5.large', 'm5.large', 'm5.large', 'm5.xlarge', 'm5.xlarge', 'r5.large', 'r5.large', 'r5.large']
const SETTLED_SECONDS = 120
const STAYS = { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' }

const GUARDING = {
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'RenderConfig',
  metadata: { name: 'config', annotations: { 'config.kubernetes.io/local-config': 'true' } },
  spec: { guards: { deletion: true } },
}
const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'agent', namespace: 'ops' } }
const FLUX_RECONCILE = [
  ...['-n', 'flux-system', 'annotate', 'kustomization', 'agents', '--overwrite'],
  `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`,
]

const isHere = [...CONTROL_PLANE, ...FLUX].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined

suite('Flux', (test) => {
  test('what is deployed points at the folder that build writes, and prunes', () => {
    const [source, kustomization] = parseAllDocuments(DEPLOY).map((document) => document.toJS()) as Any[]
    assert.equal(kustomization.spec.sourceRef, { kind: source.kind, name: source.metadata.name })
    assert.is(kustomization.spec.prune, true)
    assert.is(kustomization.spec.path, './rendered')
  })
  if (cluster === undefined) return
  const { folder, kubectl } = cluster
  const work = join(folder, 'work')
  const repo = join(work, 'repo')
  const rendered = join(repo, 'rendered')
  const does = ({ status, stdout, stderr }: ReturnType<typeof run>) => {
    assert.is(status, 0, stderr)
    return stdout
  }
  const build = () =>
    run(process.execPath, [COMMAND, 'build', 'package', '--output-dir', 'repo/rendered'], { cwd: work })
  const renders = (what: Package) => {
    writePackage(work, what)
    does(build())
  }
  /** Every DaemonSet with the version that its last change gave it. */
  const versions = (): Record<string, string> => {
    const { items } = JSON.parse(does(kubectl(['get', 'daemonsets', '-n', 'ops', '-o', 'json']))) as Any
    return Object.fromEntries(
      items.map(({ metadata }: Any) => [metadata.name, `${metadata.uid} ${metadata.generation}`]),
    )
  }
  const groups = (...names: string[]) => ['default', ...names, 'remainder'].map((name) => `agent-${name}`)
  const ALL = groups('m5-large', 'm5-xlarge', 'r5-large')
  let flux: Awaited<ReturnType<typeof startFlux>>
  const applied = async () => {
    const { ready, message } = await flux.publish(repo)
    assert.is(ready, 'True', message)
  }

  const point = (path: string) =>
    does(
      kubectl([
        ...['patch', 'kustomization', 'agents', '-n', 'flux-system', '--type=merge'],
        ...['-p', JSON.stringify({ spec: { path } })],
      ]),
    )

  test('the shipped objects are taken as they are written', async () => {
    mkdirSync(rendered, { recursive: true })
    does(
      kubectl(
        ['apply', '--server-side', '-f', '-'],
        [kustomizationDefinition(), ...fluxDefinitions().map((one) => stringify(one))].join('\n---\n'),
      ),
    )
    await established(kubectl)
    for (const name of ['flux-system', 'ops']) does(kubectl(['create', 'namespace', name]))
    does(kubectl(['apply', '--validate=strict', '-f', '-'], DEPLOY))
    const nodes = TYPES.map((type, index) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `node-${index}`, labels: { 'node.kubernetes.io/instance-type': type } },
    }))
    does(kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: nodes })))
    flux = await startFlux(cluster)
  })
  test('what is rendered is applied, and no input with it', async () => {
    renders({ types: TYPES })
    await applied()
    assert.equal(Object.keys(versions()), ALL)
  })
  test('a change reaches the groups it is about; a type that is gone is pruned', async () => {
    const before = versions()
    renders({ types: TYPES, spec: { overrides: [{ groups: ['m5.large'], minResources: { cpu: '300m' } }] } })
    await applied()
    const after = versions()
    assert.equal(
      ALL.filter((name) => before[name] !== after[name]),
      ['agent-m5-large'],
    )
    renders({ types: TYPES.filter((type) => type !== 'r5.large') })
    await applied()
    assert.equal(Object.keys(versions()), ALL, 'a type that is gone for a while stays')
    renders({ types: TYPES.filter((type) => type !== 'r5.large'), spec: { retainGroups: '0s' } })
    await applied()
    assert.equal(Object.keys(versions()), groups('m5-large', 'm5-xlarge'))
  })
  test('a render that fails leaves the folder as it was, and nothing is pruned', async () => {
    renders({ types: TYPES })
    await applied()
    const [files, before] = [filesOf(rendered), versions()]
    writePackage(work, { types: ['m5.large'] })
    const { status, stderr } = build()
    assert.is(status, 1)
    assert.match(stderr, /error: GuardTripped/)
    assert.equal(filesOf(rendered), files)
    await applied()
    assert.equal(versions(), before)
  })
  test('a folder in which a file is missing is not applied, and nothing is pruned', async () => {
    const before = versions()
    const file = join(rendered, 'daemonset.apps_ops_agent-r5-large.yaml')
    const text = readFileSync(file, 'utf8')
    rmSync(file)
    const { ready, reason } = await flux.publish(repo)
    assert.equal([ready, reason], ['False', 'BuildFailed'])
    assert.equal(versions(), before)
    writeFileSync(file, text)
  })
  test('an overlay that runs a function is refused, and nothing is pruned', async () => {
    const before = versions()
    cpSync(join(ROOT, 'deploy/kustomize'), join(repo, 'kustomize'), { recursive: true })
    point('./kustomize/overlays/eu')
    const { ready, message } = await flux.publish(repo)
    assert.is(ready, 'False')
    assert.match(message, 'external plugins disabled')
    assert.equal(versions(), before)
    point('./rendered')
  })
  test('a package that kpt renders in place, with a kustomization: the render lists what Flux is to apply', async () => {
    if (!has('kpt')) return
    const before = Object.keys(versions())
    mkdirSync(join(repo, 'kpt'))
    writePackage(join(repo, 'kpt'), { types: TYPES })
    const file = (name: string) => join(repo, 'kpt/package', name)
    const kptfile = { apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'agent' } }
    writeFileSync(file('Kptfile'), stringify({ ...kptfile, pipeline: { mutators: [{ exec: 'nodefit-fn' }] } }))
    writeFileSync(file('kustomization.yaml'), 'resources: [daemonset.yaml, inventory.yaml, policy.yaml]\n')
    // what kpt live init writes: Flux knows no such kind
    const group = { apiVersion: 'kpt.dev/v1alpha1', kind: 'ResourceGroup', metadata: { name: 'inventory' } }
    writeFileSync(file('resourcegroup.yaml'), stringify(group))
    does(run('kpt', ['fn', 'render', '--allow-exec', join(repo, 'kpt/package')], { bin: functionsIn(folder) }))
    point('./kpt/package')
    await applied()
    assert.equal(Object.keys(versions()), before)
    assert.equal(before, ALL)
    point('./rendered')
    rmSync(join(repo, 'kpt'), { recursive: true })
  })
  test('postBuild replaces ${, unless the template says that it must not', async () => {
    const command = ['sh', '-c', `exec agent $${'{'}HOME}`]
    const template = (annotations: object) => {
      const daemonSet = structuredClone(DAEMONSET) as Any
      daemonSet.spec.template.spec.containers[0].command = command
      daemonSet.metadata.annotations = annotations
      writeFileSync(join(work, 'package/daemonset.yaml'), stringify(daemonSet))
    }
    const commandOf = () =>
      JSON.parse(does(kubectl(['get', 'daemonset', 'agent-m5-large', '-n', 'ops', '-o', 'json']))).spec.template.spec
        .containers[0].command
    const postBuild = (value: unknown) =>
      does(
        kubectl([
          'patch',
          'kustomization',
          'agents',
          '-n',
          'flux-system',
          '--type=merge',
          '-p',
          JSON.stringify({ spec: { postBuild: value } }),
        ]),
      )
    postBuild({ substitute: { CLUSTER: 'prod' } })
    writePackage(work, { types: TYPES })
    template({})
    const { status, stderr } = build()
    assert.is(status, 0, stderr)
    assert.match(stderr, /info: FluxSubstitutes: agent: .*command\.2/)
    const before = versions()
    const unset = await flux.publish(repo)
    assert.is(unset.ready, 'False')
    assert.match(unset.message, 'variable not set')
    assert.equal(versions(), before)
    postBuild({ substitute: { HOME: '/replaced' } })
    await applied()
    assert.equal(commandOf(), ['sh', '-c', 'exec agent /replaced'])
    template({ 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' })
    const spared = build()
    assert.is(spared.status, 0, spared.stderr)
    assert.not.match(spared.stderr, 'FluxSubstitutes')
    await applied()
    assert.equal(commandOf(), command)
    postBuild(null)
  })
  test('a folder without any manifest prunes everything: nodefit does not write one', async () => {
    const kept = join(work, 'kept')
    cpSync(rendered, kept, { recursive: true })
    rmSync(rendered, { recursive: true })
    mkdirSync(rendered)
    writeFileSync(join(rendered, 'README.md'), 'nothing\n')
    await applied()
    assert.equal(versions(), {})
    cpSync(kept, rendered, { recursive: true })
  })

  const pods = countPods(cluster, 'ops')
  /** Whether every pod is of a DaemonSet that is there. */
  const areOwned = () => {
    const [owners, all] = ['daemonsets', 'pods'].map((kind) => {
      const { items } = JSON.parse(does(kubectl(['get', kind, '-n', 'ops', '-o', 'json']))) as { items: Any[] }
      return items.map(({ metadata }) => metadata)
    })
    const uids = new Set(owners?.map(({ uid }) => uid))
    return all?.every(({ ownerReferences }) => uids.has(ownerReferences[0].uid)) === true
  }
  /** Waits until every node has this many pods, none of them of a DaemonSet that is gone. */
  const settled = async (each: number): Promise<ReadonlyMap<string, Span>> => {
    for (const end = Date.now() + SETTLED_SECONDS * 1000; Date.now() < end; await pause(200)) {
      const isSo = () => [...pods.spans().values()].every(({ now }) => now === each)
      if (pods.spans().size === TYPES.length && isSo() && areOwned() && isSo()) return new Map(pods.spans())
    }
    const now = [...pods.spans()].map(([node, span]) => `${node} ${span.now}`)
    throw new Error(`not ${each} pods on each node within ${SETTLED_SECONDS} s: ${now.join(', ')}`)
  }
  const counted = (spans: ReadonlyMap<string, Span>) => ({
    gap: [...spans.values()].filter(({ least }) => least === 0).length,
    overlap: [...spans.values()].filter(({ most }) => most > 1).length,
    most: Math.max(...[...spans.values()].map(({ most }) => most)),
  })
  /** A template that the tool is to keep, or not. */
  const withStatic = (annotations: object, spec: object) => {
    writePackage(work, { types: TYPES, spec })
    const daemonSet = { ...DAEMONSET, metadata: { ...DAEMONSET.metadata, annotations } }
    writeFileSync(join(work, 'package/daemonset.yaml'), stringify(daemonSet))
  }
  const startStatic = async (annotations: object) => {
    withStatic(annotations, { enabled: false })
    rmSync(rendered, { recursive: true })
    does(build())
    await applied()
    await settled(1)
    pods.reset()
  }

  test('there with prune: disabled on the static DaemonSet: no node is without, each has two for a while', async () => {
    await startStatic(STAYS)
    withStatic(STAYS, {})
    const { status, stderr } = build()
    assert.is(status, 0, stderr)
    assert.match(stderr, /warning: StaticTemplateStays/)
    await applied()
    await settled(2)
    does(kubectl(['delete', 'daemonset', 'agent', '-n', 'ops']))
    assert.equal(counted(await settled(1)), { gap: 0, overlap: TYPES.length, most: 2 })
    assert.equal(Object.keys(versions()), ALL)
    for (const name of ALL) {
      const { metadata } = JSON.parse(does(kubectl(['get', 'daemonset', name, '-n', 'ops', '-o', 'json']))) as Any
      assert.is(metadata.annotations['kustomize.toolkit.fluxcd.io/prune'], undefined, name)
    }
  })
  test('back, with the static DaemonSet applied by hand before the push: no node is without', async () => {
    pods.reset()
    withStatic({}, { enabled: false })
    does(build())
    does(kubectl(['apply', '-f', join(rendered, 'daemonset.apps_ops_agent.yaml')]))
    await settled(2)
    await applied()
    assert.equal(counted(await settled(1)), { gap: 0, overlap: TYPES.length, most: 2 })
    assert.equal(Object.keys(versions()), ['agent'])
  })
  test('there and back without either: Flux waits for no pod, and never are there more than two', async () => {
    for (const spec of [{}, { enabled: false }]) {
      pods.reset()
      withStatic({}, spec)
      does(build())
      await applied()
      // whether a node has none or two for a while is a race between two controllers
      assert.ok(counted(await settled(1)).most <= 2)
    }
    assert.equal(Object.keys(versions()), ['agent'])
    const { metadata } = parse(readFileSync(join(rendered, 'daemonset.apps_ops_agent.yaml'), 'utf8'))
    assert.equal(metadata.annotations ?? {}, {})
  })
  test('two clusters from one base: its Kustomization applies the folder of the cluster, and no other', async () => {
    cpSync(join(ROOT, 'testdata/two-clusters'), join(work, 'fleet'), { recursive: true })
    const cwd = join(work, 'fleet')
    const buildFor = (cluster: string) =>
      run(
        process.execPath,
        [COMMAND, 'build', 'base', `clusters/${cluster}`, '--output-dir', `../repo/clusters/${cluster}`],
        { cwd },
      )
    const point = (path: string) =>
      does(
        kubectl([
          ...['patch', 'kustomization', 'agents', '-n', 'flux-system', '--type=merge'],
          ...['-p', JSON.stringify({ spec: { path } })],
        ]),
      )
    const names = () =>
      does(kubectl(['get', 'daemonsets', '-n', 'logging', '-o', 'jsonpath={.items[*].metadata.name}'])).split(' ')
    does(kubectl(['create', 'namespace', 'logging']))
    mkdirSync(join(repo, 'clusters'))
    for (const cluster of ['eu', 'us']) does(buildFor(cluster))
    point('./clusters/eu')
    await applied()
    const eu = ['default', 'm5-2xlarge', 'm5-large', 'remainder'].map((group) => `fluent-bit-${group}`)
    assert.equal(names(), eu)
    cpSync(join(cwd, 'clusters/us/inventory.yaml'), join(cwd, 'clusters/eu/inventory.yaml'))
    const { status, stderr } = buildFor('eu')
    assert.is(status, 1)
    assert.match(stderr, 'WrongCluster: cluster prod-eu has no inventory in the package, only prod-us')
    await applied()
    assert.equal(names(), eu)
    point('./rendered')
    await applied()
  })
  test('behind the deletion guard: a refused prune is tried again, and a deleted Kustomization waits for what it may not delete', async () => {
    does(kubectl(['apply', '-k', join(ROOT, 'deploy/guard')]))
    const rendersGuarded = (spec: object) => {
      writePackage(work, { types: TYPES, spec, more: [GUARDING, ACCOUNT] })
      const daemonSet = structuredClone(DAEMONSET) as Any
      daemonSet.spec.template.spec.serviceAccountName = 'agent'
      writeFileSync(join(work, 'package/daemonset.yaml'), stringify(daemonSet))
      does(build())
    }
    const allow = (name: string) =>
      does(kubectl(['-n', 'ops', 'annotate', 'daemonset', name, 'nodefit.dev/allow-delete=true', '--overwrite']))
    const waitFor = async (what: string, is: () => boolean) => {
      // Flux waits twice as long after each refusal
      for (const end = Date.now() + 2 * SETTLED_SECONDS * 1000; Date.now() < end && !is(); ) await pause(200)
      assert.ok(is(), what)
    }
    rendersGuarded({})
    await applied()
    await settled(1)
    rendersGuarded({ names: { 'r5.large': 'agent-big' } })
    const { ready, message } = await flux.publish(repo)
    assert.is(ready, 'False')
    assert.match(message, 'it runs on 3 nodes; to let it go: kubectl -n ops annotate daemonset agent-r5-large')
    allow('agent-r5-large')
    does(kubectl(FLUX_RECONCILE))
    await waitFor('the group is pruned', () => !Object.keys(versions()).includes('agent-r5-large'))

    does(kubectl(['delete', 'kustomization', 'agents', '-n', 'flux-system', '--wait=false']))
    const account = () => kubectl(['-n', 'ops', 'get', 'serviceaccount', 'agent']).status
    await waitFor('what runs nowhere is deleted', () => !Object.keys(versions()).includes('agent-remainder'))
    await pause(2000)
    const serving = ['agent-big', 'agent-m5-large', 'agent-m5-xlarge']
    for (const name of serving) assert.ok(Object.keys(versions()).includes(name), name)
    assert.is(account(), 0)
    const left = () => kubectl(['get', 'kustomization', 'agents', '-n', 'flux-system']).status === 0
    assert.ok(left())
    for (const name of serving) allow(name)
    await waitFor('the Kustomization is gone', () => !left())
    assert.equal(versions(), {})
    assert.is(account(), 1)
  })
  test('what was started is stopped', async () => {
    pods.stop()
    await flux.stop()
    await cluster.stop()
  })
})
