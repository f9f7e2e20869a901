/** What keeps KubeNodeSmith's own controller, a GitOps tool and other packages from the claims of a pool. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import {
  decide,
  decideObjects,
  managerRole,
  type PoolScene,
  provider,
  type Scene,
  sceneObjects,
} from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const deployed = (file: string) => {
  const path = fileURLToPath(new URL(`../../../deploy/kubenodesmith/${file}`, import.meta.url))
  return parse(readFileSync(path, 'utf8'))
}
const FROZEN = { minNodes: 1000, maxNodes: 1000, cpuCores: 1, memoryMiB: 1 }
const LIMITS = { minNodes: 0, maxNodes: 5, cpuCores: 0, memoryMiB: 0 }
const pool = (limits: object, policy: object = { limits: LIMITS }): Scene => ({
  pools: [{ limits, policy }],
  roles: [],
})
const kept = (annotations: Record<string, string>, more: PoolScene = {}): Scene => ({
  pools: [{ ...more, kept: annotations }],
})
const role = (...verbs: string[]) => managerRole(['get', 'update', ...verbs])
/** Roles of KubeNodeSmith for users, who may open claims. */
const EDITOR: KubernetesObject = {
  ...managerRole(['create', 'delete']),
  metadata: { name: 'kubenodesmith-nodesmithclaim-editor-role' },
  rules: [{ apiGroups: ['kubenodesmith.parawell.cloud'], resources: ['nodesmithclaims'], verbs: ['*'] }],
}

const ROWS: ReadonlyArray<readonly [name: string, scene: Scene, warnings: readonly string[]]> = [
  ['neither recipe', { roles: [] }, ['PoolControllerLive']],
  ['the shipped role', { roles: [deployed('rights/role.yaml')] }, []],
  ['a role of users is not the manager’s', { roles: [EDITOR] }, ['PoolControllerLive']],
  ['a role of users beside it', { roles: [managerRole(), EDITOR] }, []],
  ['the manager may create claims', { roles: [role('create')] }, ['PoolControllerLive']],
  ['the manager may delete claims', { roles: [role('delete')] }, ['PoolControllerLive']],
  ['the manager may delete all at once', { roles: [role('deletecollection')] }, ['PoolControllerLive']],
  ['the manager may do anything', { roles: [managerRole(['*'])] }, ['PoolControllerLive']],
  ['a second role gives it back', { roles: [managerRole(), role('create')] }, ['PoolControllerLive']],
  ['a role without rules', { roles: [{ ...managerRole(), rules: null }] }, ['PoolControllerLive']],
  ['the shipped limits', pool(frozenLimits()), []],
  ['frozen, and the policy has no limits', pool(FROZEN, {}), ['MinNodesNotReached', 'PoolControllerLive']],
  ['it may shrink', pool({ ...FROZEN, minNodes: 999 }), ['PoolControllerLive']],
  ['no limit is no freeze', pool({ ...FROZEN, minNodes: 0, maxNodes: 0 }), ['PoolControllerLive']],
  ['it may grow by cores', pool({ ...FROZEN, cpuCores: 0 }), ['PoolControllerLive']],
  ['it may grow by memory', pool({ ...FROZEN, memoryMiB: 0 }), ['PoolControllerLive']],
  [
    'frozen at its size',
    { ...pool({ ...FROZEN, minNodes: 1, maxNodes: 1 }), nodes: [{ name: 'small-000001', used: 'full' }] },
    [],
  ],
  [
    'frozen below its size',
    {
      ...pool({ ...FROZEN, minNodes: 1, maxNodes: 1 }),
      nodes: [
        { name: 'small-000001', used: 'full' },
        { name: 'small-000002', used: 'full' },
      ],
    },
    ['PoolControllerLive'],
  ],
  ['no protection', kept({}), ['PoolNotProtected']],
  ['Argo CD prunes it last', kept({ 'argocd.argoproj.io/sync-options': 'PruneLast=true' }), ['PoolNotProtected']],
  ['Argo CD asks', kept({ 'argocd.argoproj.io/sync-options': 'ServerSideApply=true, Prune=confirm' }), []],
  ['Argo CD never prunes it', kept({ 'argocd.argoproj.io/sync-options': 'Prune=false' }), []],
  ['Flux never prunes it', kept({ 'kustomize.toolkit.fluxcd.io/prune': 'Disabled' }), []],
  ['kpt detaches it', kept({ 'client.lifecycle.config.k8s.io/deletion': 'detach' }), []],
  ['it is not applied', kept({ 'config.kubernetes.io/local-config': 'true' }), []],
]

const withProvider = (scene: Scene, spec: object) =>
  sceneObjects(scene).map((one) => (one.kind === 'NodeSmithProvider' ? provider(spec) : one))
const range = (upper: number) => ({ proxmox: { vmIDRange: { lower: 100, upper } } })
/** What a provider cannot do for a pool of five nodes at most. */
const PROVIDERS: ReadonlyArray<
  readonly [name: string, objects: readonly KubernetesObject[], warnings: readonly string[]]
> = [
  ['as many ids as nodes', withProvider({}, range(104)), []],
  ['one id less', withProvider({}, range(103)), ['ProviderRangeShort']],
  ['no limit of nodes', withProvider({ pools: [{ limits: { maxNodes: 0 } }] }, range(100)), []],
  ['a frozen pool, and enough ids for its policy', withProvider(pool(FROZEN), range(104)), []],
  ['a frozen pool, and too few', withProvider(pool(FROZEN), range(103)), ['ProviderRangeShort']],
  ['a type that KubeNodeSmith does not make', withProvider({}, { type: 'redfish' }), ['ProviderUnsupported']],
]

function frozenLimits(): object {
  const [{ patch }] = deployed('frozen/kustomization.yaml').patches
  const [{ path, value }] = parse(patch)
  assert.is(path, '/spec/limits')
  return value
}

const inPackage = (path: string, objects: readonly KubernetesObject[]) =>
  objects.map(({ metadata, ...object }) => {
    const annotations = { ...metadata.annotations, 'internal.config.kubernetes.io/package-path': path }
    return { ...object, metadata: { ...metadata, annotations } } as KubernetesObject
  })
/** The same package for another cluster. */
const elsewhere = (objects: readonly KubernetesObject[]) =>
  objects.map((object) =>
    ['NodeInventory', 'WorkloadSnapshot'].includes(object.kind)
      ? { ...object, spec: { ...(object.spec as object), cluster: 'other' } }
      : object,
  )
const renderConfig = (cluster: string): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'RenderConfig',
  metadata: { name: 'c' },
  spec: { cluster },
})
const withCluster = (cluster: string) => sceneObjects({ pools: [{ policy: { cluster } }] })
const disabled = sceneObjects({ pools: [{ policy: { enabled: false } }] })

/** Whether pools of the two are of one cluster, called prod by their inventories. */
const PAIRS: ReadonlyArray<readonly [name: string, other: readonly KubernetesObject[], isReported: boolean]> = [
  ['another package of the cluster', sceneObjects({}), true],
  ['one of another cluster', elsewhere(sceneObjects({})), false],
  ['one whose policy names the cluster', withCluster('prod'), true],
  ['one whose policy is disabled', disabled, false],
  ['one whose RenderConfig names the cluster', [...sceneObjects({}), renderConfig('prod')], true],
  ['one without pools', sceneObjects({ pools: [] }), false],
]

suite('beside KubeNodeSmith', (test) => {
  for (const [name, scene, warnings] of ROWS)
    test(name, () => {
      const decided = decide(scene)
      assert.equal([decided.errors, [...decided.warnings].sort()], [[], warnings])
    })
  test('a pool that is not planned is not warned about', () => {
    const made = decide({ roles: [], pools: [{ kept: {}, policy: { enabled: false } }] })
    assert.equal(made.warnings, [])
  })
  for (const [name, objects, warnings] of PROVIDERS)
    test(`a provider: ${name}`, () => assert.equal(decideObjects(objects).warnings, warnings))
  for (const [name, other, isReported] of PAIRS)
    test(`two packages: ${name}`, () => {
      const { warnings } = decideObjects([...inPackage('a', sceneObjects({})), ...inPackage('b', other)])
      assert.is(warnings.includes('PoolsInTwoPackages'), isReported, warnings.join())
    })
})
