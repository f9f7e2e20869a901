/** Ways of having Applications, on a real Argo CD: below an app of apps, of one cluster among several, with a shared inventory, and behind the deletion guard. */
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { inventory, node, OS, shape, TYPE } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { NAMESPACE } from '../support/argocd.ts'
import { ARGOCD_WORLD, startWorld } from '../support/argocd-world.ts'
import { eventually } from '../support/eventually.ts'
import { ROOT } from '../support/hosts.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

await onLoopbackOnly()

const PACKAGE = join(ROOT, 'testdata/quickstart')
const LOGGING = 'logging'
const FLEET: Record<string, string[]> = { 'm5.large': ['node-1', 'node-2'], 'm5.4xlarge': ['node-3'] }
const SHIPPED: Any = parse(readFileSync(join(ROOT, 'deploy/argocd/application.yaml'), 'utf8'))
const INVENTORY = readFileSync(join(PACKAGE, 'inventory.yaml'), 'utf8')
const POLICY = readFileSync(join(PACKAGE, 'policy.yaml'), 'utf8')
const DAEMONSET = readFileSync(join(PACKAGE, 'daemonset.yaml'), 'utf8')
const CLUSTER = 'prod-eu'
const GENERATE_PATHS = 'argocd.argoproj.io/manifest-generate-paths'
const AMOUNTS = { cpu: '16', memory: '64Gi', pods: '110' }
const ROOM = { allocatable: AMOUNTS, capacity: AMOUNTS }
const GUARDING = stringify({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'RenderConfig',
  metadata: { name: 'config' },
  spec: { guards: { deletion: true } },
})
const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'guarded', namespace: LOGGING } }
const GUARD_PAGE = readFileSync(join(ROOT, 'docs/deliver/guard.md'), 'utf8')
/** A command of the page, for the Application that is tested. */
const ofPage = (start: string) => {
  const line = GUARD_PAGE.split('\n').find((text) => text.startsWith(start)) ?? ''
  return [...line.replaceAll('fluent-bit', 'guarded').matchAll(/'([^']*)'|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .slice(1)
}
const MANUAL_SYNC = ofPage('kubectl -n argocd patch application')
const REFRESH = ofPage('kubectl -n argocd annotate application')
const annotate = (name: string) => [
  '-n',
  LOGGING,
  'annotate',
  'daemonset',
  name,
  'nodefit.dev/allow-delete=true',
  '--overwrite',
]
/** The template of a second policy, whose selector meets no other. */
const separate = (text: string, name: string) => text.replaceAll('fluent-bit', name)
/** A base, and an inventory for each of two clusters. */
function twoClusters(name: string) {
  const of = (cluster: string, type: string) =>
    stringify({
      ...inventory([shape({ [OS]: 'linux', [TYPE]: type }, ['node-1'])], { cluster }),
      metadata: { name: cluster },
    })
  return {
    base: {
      'base/policy.yaml': POLICY.replaceAll('fluent-bit', name),
      'base/daemonset.yaml': DAEMONSET.replaceAll('fluent-bit', name),
    },
    inventories: {
      'clusters/eu/inventory.yaml': of('prod-eu', 'm5.large'),
      'clusters/us/inventory.yaml': of('prod-us', 'r5.large'),
    },
  }
}
const does = ({ status, stderr }: { status: number | null; stderr: string }) => assert.is(status, 0, stderr)

const isComplete = ARGOCD_WORLD.map(has).every((is) => is)
const world = isComplete ? await startWorld() : undefined

suite('Applications', (test) => {
  test('what it needs is built, or said', () => assert.ok(isComplete || world === undefined))
  if (world === undefined) return
  const { argocd, applications, repository, cluster, stop } = world
  const { api } = applications

  const daemonSets = async (): Promise<Any[]> => (await api.get(`/apis/apps/v1/namespaces/${LOGGING}/daemonsets`)).items
  const names = async (of = '') =>
    (await daemonSets())
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith(of))
      .sort()
  /** Identity and generation of each: what must not change where nothing is to happen. */
  const identities = async () =>
    (await daemonSets()).map(({ metadata }) => [metadata.name, metadata.uid, metadata.generation])
  /** The package under another name, in a folder of the repository. */
  const put = (folder: string, name: string) => {
    for (const [file, text] of Object.entries({
      'inventory.yaml': INVENTORY,
      'policy.yaml': POLICY,
      'daemonset.yaml': DAEMONSET,
    }))
      repository.write(`${folder}/${file}`, text.replaceAll('fluent-bit', name))
  }
  const groups = (name: string, ...types: string[]) =>
    [...types.map((type) => type.replace('.', '-')), 'default', 'remainder'].map((group) => `${name}-${group}`).sort()
  const withoutPlugin = ({ source: { plugin: _, ...source }, ...spec }: Any) => ({ ...spec, source })
  const withParameters =
    (...parameters: object[]) =>
    ({ source, ...spec }: Any) => ({ ...spec, source: { ...source, plugin: { name: 'nodefit', parameters } } })
  /** Argo CD is given the time that it would need to delete something. */
  const unchanged = async (name: string, before: unknown) => {
    await applications.refresh(name)
    await pause(1500)
    assert.equal(await identities(), before)
  }

  test('below an app of apps: the root stays a directory, with the sidecar and without, and nothing is pruned', async () => {
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: LOGGING } })
    for (const [type, nodes] of Object.entries(FLEET))
      for (const name of nodes) await api.create(node(name, { [OS]: 'linux', [TYPE]: type }, '', '', { status: ROOM }))
    put('prod/agents', 'agents')
    const { spec } = SHIPPED
    const source = { ...spec.source, repoURL: repository.url, path: 'prod/agents' }
    const child = {
      ...SHIPPED,
      metadata: { name: 'agents', namespace: NAMESPACE },
      spec: {
        ...spec,
        source: { ...source, plugin: { name: 'nodefit' } },
        syncPolicy: { ...spec.syncPolicy, retry: { limit: 0 } },
      },
    }
    repository.write('prod/agents.yaml', stringify(child))
    const revision = repository.push('an app of apps')
    applications.create('root', repository, 'prod', (one) => ({
      ...withoutPlugin(one),
      destination: { ...one.destination, namespace: NAMESPACE },
    }))
    await applications.followed('root', revision)
    await applications.followed('agents', revision)
    await applications.refresh('root', 'hard')
    const { status } = await applications.get('root')
    assert.is(status.sourceType, 'Directory')
    assert.equal(
      status.resources.map(({ kind, name }: Any) => `${kind} ${name}`),
      ['Application agents'],
    )
    const before = await identities()
    assert.equal(before.map(([name]) => name).sort(), groups('agents', 'm5.4xlarge', 'm5.large'))
    await argocd.plugin().stop()
    const later = await applications.followed('root', repository.push('another revision'))
    assert.is(later.status.sourceType, 'Directory')
    await applications.refresh('root', 'hard')
    await unchanged('root', before)
    await argocd.startPlugin()
  })

  test('a policy that is lost: by its name it fails without earlier output, without it its groups are pruned', async () => {
    put('named', 'one')
    repository.write('named/two.yaml', `${POLICY.replaceAll('fluent-bit', 'two')}---\n${separate(DAEMONSET, 'two')}`)
    const policies = { name: 'policies', array: ['one', 'two'] }
    const cluster = { name: 'cluster', string: CLUSTER }
    const revision = repository.push('two policies')
    applications.create('named', repository, 'named', withParameters(policies, cluster))
    await applications.followed('named', revision)
    assert.equal(await names('two'), groups('two', ...Object.keys(FLEET)))
    const before = await identities()
    repository.edit('named/two.yaml', (text) => text.slice(0, text.indexOf('---')).replace(/^/gm, '# '))
    const lost = repository.push('the second policy is commented out')
    await applications.failed('named', /PolicyMissing: .*two/)
    await unchanged('named', before)
    repository.edit('named/inventory.yaml', (text) => text.replace(`cluster: ${CLUSTER}`, 'cluster: prod-us'))
    repository.push('the inventory of another cluster')
    await applications.failed('named', 'WrongCluster: cluster prod-eu has no inventory')
    await unchanged('named', before)
    repository.edit('named/inventory.yaml', (text) => text.replace('cluster: prod-us', `cluster: ${CLUSTER}`))
    await applications.patch('named', { spec: withParameters(cluster)((await applications.get('named')).spec) })
    await applications.followed('named', repository.push(`its own inventory, and ${lost}`))
    assert.equal(await names('two'), [])
  })
  test('two clusters from one base: each Application names its paths and its cluster, and another inventory fails', async () => {
    const { base, inventories } = twoClusters('both')
    for (const [path, text] of Object.entries({ ...base, ...inventories })) repository.write(`both/${path}`, text)
    const of = (cluster: string, folder = cluster) =>
      withParameters(
        { name: 'cluster', string: `prod-${cluster}` },
        { name: 'policies', array: ['both'] },
        { name: 'paths', array: ['base', `clusters/${folder}`] },
      )
    const revision = repository.push('two clusters')
    applications.create('eu', repository, 'both', of('eu'))
    await applications.followed('eu', revision)
    assert.equal(await names('both'), groups('both', 'm5.large'))
    const before = await identities()
    await applications.patch('eu', { spec: of('eu', 'us')((await applications.get('eu')).spec) })
    await applications.failed('eu', 'WrongCluster: cluster prod-eu has no inventory in the package, only prod-us')
    await unchanged('eu', before)
    await applications.patch('eu', { spec: of('us')((await applications.get('eu')).spec) })
    await applications.followed('eu', repository.push('as the other cluster'))
    assert.equal(await names('both'), groups('both', 'r5.large'))
  })
  test('a shared inventory: a commit to it is rendered where manifest-generate-paths lists it, and only there', async () => {
    put('shared', 'shared')
    repository.remove('shared/inventory.yaml')
    const shared = 'inventories/prod-eu/inventory.yaml'
    repository.write(shared, INVENTORY)
    symlinkSync('../inventories/prod-eu/inventory.yaml', repository.at('shared/inventory.yaml'))
    applications.create('shared', repository, 'shared')
    const listed = (paths: string) =>
      applications.patch('shared', { metadata: { annotations: { [GENERATE_PATHS]: paths } } })
    await listed('.')
    const first = repository.push('an inventory that applications share')
    await applications.followed('shared', first)
    const before = await names('shared')
    repository.edit(shared, (text) => text.replaceAll('m5.large', 'm6i.large'))
    const second = repository.push('another type of node')
    await applications.followed('shared', second)
    assert.equal(await names('shared'), before, 'not rendered')
    const [, more = ''] = SHIPPED.metadata.annotations[GENERATE_PATHS].split(';')
    assert.is(more, '/inventories/prod-eu')
    await listed(`.;${more}`)
    repository.edit(shared, (text) => text.replaceAll('m6i.large', 'm7i.large'))
    await applications.followed('shared', repository.push('and another'))
    assert.equal(await names('shared'), groups('shared', 'm5.4xlarge', 'm7i.large'))
  })
  test('behind the deletion guard: a refused prune, then the command of the page, and a revert that guards again', async () => {
    does(cluster.kubectl(['apply', '-k', join(ROOT, 'deploy/guard')]))
    put('guarded', 'guarded')
    repository.write('guarded/config.yaml', GUARDING)
    repository.write('guarded/account.yaml', stringify(ACCOUNT))
    const begun = repository.push('guarded')
    // as it is shipped, which says nothing of retries
    applications.create('guarded', repository, 'guarded', ({ syncPolicy: { retry: _, ...syncPolicy }, ...spec }) => ({
      ...spec,
      syncPolicy,
    }))
    const { status: first } = await applications.followed('guarded', begun)
    const [, tries = ''] = /tried again (\w+) times/.exec(GUARD_PAGE) ?? []
    assert.equal([first.operationState.operation.retry.limit, tries], [5, 'five'])
    await applications.patch('guarded', {
      spec: { syncPolicy: { retry: { limit: 1, backoff: { duration: '1s', factor: 1 } } } },
    })
    const allowed = async (name: string) =>
      (await daemonSets()).find(({ metadata }) => metadata.name === name)?.metadata.annotations[
        'nodefit.dev/allow-delete'
      ]
    assert.is(await allowed('guarded-m5-large'), 'false')
    // what somebody allowed by hand is taken back while the group is rendered
    does(cluster.kubectl(annotate('guarded-m5-large')))
    await eventually(async () => (await allowed('guarded-m5-large')) === 'false')

    repository.edit('guarded/policy.yaml', (text) =>
      text.replace('spec:\n', 'spec:\n  names: { m5.large: guarded-big }\n'),
    )
    const revision = repository.push('another name')
    const { status } = await applications.refreshedUntil(
      'guarded',
      'refused prune',
      (one) =>
        one.status.operationState?.syncResult?.revision === revision && one.status.operationState.phase === 'Failed',
    )
    const [refused] = status.operationState.syncResult.resources.filter(
      ({ status: how }: Any) => how === 'PruneFailed' || how === 'SyncFailed',
    )
    assert.match(
      JSON.stringify(status.operationState),
      'it runs on 2 nodes; to let it go: kubectl -n logging annotate daemonset guarded-m5-large',
    )
    assert.ok(refused !== undefined)
    assert.ok((await names('guarded')).includes('guarded-m5-large'))
    does(cluster.kubectl(annotate('guarded-m5-large')))
    await applications.refresh('guarded')
    await pause(3000)
    assert.ok((await names('guarded')).includes('guarded-m5-large'), 'Argo CD does not try the same revision again')
    does(cluster.kubectl(MANUAL_SYNC))
    await applications.followed('guarded', revision)
    assert.not.ok((await names('guarded')).includes('guarded-m5-large'))
  })
  test('an Application that is deleted stays Terminating until its groups are let go, and nothing they need goes before', async () => {
    await applications.patch('guarded', { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] } })
    const before = await names('guarded')
    does(cluster.kubectl(['-n', NAMESPACE, 'delete', 'application', 'guarded', '--wait=false']))
    const { metadata } = await applications.until('guarded', 'refused deletion', (one) =>
      // one that has met another change of the Application is tried again
      (one.status.conditions ?? []).some(
        ({ type, message }: Any) => type === 'DeletionError' && message.includes('to let it go'),
      ),
    )
    assert.ok(metadata.deletionTimestamp)
    const serving = ['guarded-big', 'guarded-m5-4xlarge']
    for (const name of serving) assert.ok((await names('guarded')).includes(name), `${name} of ${before}`)
    does(cluster.kubectl(['-n', LOGGING, 'get', 'serviceaccount', 'guarded']))
    for (const name of serving) does(cluster.kubectl(annotate(name)))
    const isGone = () => cluster.kubectl(['-n', NAMESPACE, 'get', 'application', 'guarded']).status === 1
    // Argo CD may have tried again already: then there is no Application to refresh; and it may look at one before the others are let go
    await eventually(async () => {
      cluster.kubectl(REFRESH)
      for (let second = 0; second < 10 && !isGone(); second++) await pause(1000)
      return isGone()
    })
    assert.equal(await names('guarded'), [])
    assert.is(cluster.kubectl(['-n', LOGGING, 'get', 'serviceaccount', 'guarded']).status, 1)
  })

  test('to keep the agents its finalizer is removed: it goes, and everything stays', async () => {
    await applications.patch('shared', { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] } })
    does(cluster.kubectl(['-n', NAMESPACE, 'delete', 'application', 'shared', '--wait=false']))
    await applications.until('shared', 'refused deletion', (one) =>
      (one.status.conditions ?? []).some(({ type }: Any) => type === 'DeletionError'),
    )
    await applications.patch('shared', { metadata: { finalizers: null } })
    await eventually(() => cluster.kubectl(['-n', NAMESPACE, 'get', 'application', 'shared']).status === 1)
    const kept = ['shared-m5-4xlarge', 'shared-remainder']
    // what runs nowhere may still be going
    await eventually(async () => (await names('shared')).length === kept.length)
    await pause(1500)
    assert.equal(await names('shared'), kept)
  })
  test('what was started is stopped', stop)
})
