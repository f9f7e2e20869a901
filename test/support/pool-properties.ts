/** Drawn pools, nodes, claims and pods, and what must hold of every render of them. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import {
  changeKinds,
  claimsIn,
  type Decided,
  decideAgain,
  decideObjects,
  type NodeScene,
  POOL_LABEL,
  type PodScene,
  type PoolScene,
  type Scene,
  sceneObjects,
} from './pools.ts'

const NAMES = ['small', 'big', 'gpu'] as const
const size = fc.record({ cpuCores: fc.constantFrom(2, 4, 8), memoryMiB: fc.constantFrom(4096, 8192, 16384) })
const poolOf = (name: string): fc.Arbitrary<PoolScene> =>
  fc.record({
    name: fc.constant(name),
    limits: fc.record({
      minNodes: fc.constantFrom(0, 0, 1, 3),
      maxNodes: fc.constantFrom(0, 3, 6),
      cpuCores: fc.constantFrom(0, 16, 24),
      memoryMiB: fc.constantFrom(0, 40960),
    }),
    policy: fc.record({
      machines: fc.array(size, { minLength: 1, maxLength: 2 }),
      sizing: fc.constantFrom('Fixed', 'Elastic'),
      priority: fc.constantFrom(0, 0, 5),
      scaleUp: fc.record({ batchSize: fc.constantFrom(0, 0, 2) }),
      scaleDown: fc.record({ maxConcurrent: fc.integer({ min: 1, max: 3 }) }),
      headroom: fc.constantFrom({ pods: 0 }, { cpu: '1', memory: '2Gi', pods: 2 }),
      taints: fc.constantFrom([], [], [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }]),
    }),
  }) as fc.Arbitrary<PoolScene>

const likes = fc.constantFrom<object>(
  {},
  {},
  { nodeSelector: { [POOL_LABEL]: 'big' } },
  { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
)
const pod = (index: number): fc.Arbitrary<PodScene> =>
  fc.record({
    name: fc.constant(`p${index}`),
    cpu: fc.constantFrom('100m', '500m', '1', '1500m', '3', '5'),
    memory: fc.constantFrom('128Mi', '1Gi', '3Gi', '6Gi'),
    since: fc.constantFrom(30, 130, 400, 700, 5000),
    like: likes,
  })
const node = (index: number, pools: number): fc.Arbitrary<NodeScene> =>
  fc
    .record({
      pool: fc.constantFrom(...NAMES.slice(0, pools)),
      ready: fc.constantFrom<number | false>(false, 60, 400, 3600),
      load: fc.constantFrom('full', 'half', 'empty'),
      idle: fc.constantFrom(undefined, 100, 900),
      cordoned: fc.boolean(),
      marked: fc.constantFrom(undefined, undefined, 60, 700),
      git: fc.constantFrom<'same' | 'none' | 'other'>('same', 'same', 'none', 'other'),
      opened: fc.constantFrom(300, 4000),
      hasClaim: fc.constantFrom(true, true, true, false),
    })
    .map(({ pool, ready, load, idle, cordoned, marked, git, opened, hasClaim }): NodeScene => {
      const used: NodeScene['used'] =
        load === 'full' ? 'full' : load === 'half' ? { cpu: '2', memory: '2Gi', pods: '1' } : {}
      return {
        name: `${pool}-${String(index + 1).padStart(6, '0')}`,
        ready,
        used,
        blocking: load === 'empty' ? 0 : 1,
        ...(load === 'empty' && idle !== undefined ? { idle } : {}),
        cordoned,
        ...(marked === undefined ? {} : { marked, git: git === 'same' ? marked : git === 'none' ? null : marked + 5 }),
        labels: { [POOL_LABEL]: pool, 'node-role.kubernetes.io/worker': '' },
        claim: hasClaim ? { pool, opened, live: {} } : null,
      }
    })

export const scenes: fc.Arbitrary<Scene> = fc
  .record({
    pools: fc.integer({ min: 1, max: 3 }),
    pods: fc.integer({ min: 0, max: 12 }),
    nodes: fc.integer({ min: 0, max: 5 }),
  })
  .chain(({ pools, pods, nodes }) =>
    fc.record({
      pools: fc.tuple(...NAMES.slice(0, pools).map(poolOf)),
      pods: fc.tuple(...Array.from({ length: pods }, (_, index) => pod(index))),
      nodes: fc.tuple(...Array.from({ length: nodes }, (_, index) => node(index, pools))),
      claims: fc.constantFrom<Scene['claims']>(
        [],
        [{ name: 'small-000020' }],
        [{ name: 'small-000020', opened: 2000, live: {} }],
        [{ name: 'small-000021', live: { failed: true } }],
      ),
    }),
  )
  .filter(({ pools }) =>
    (pools as PoolScene[]).every(({ limits }) => {
      const { minNodes, maxNodes } = limits as { minNodes: number; maxNodes: number }
      return maxNodes === 0 || maxNodes >= minNodes
    }),
  ) as fc.Arbitrary<Scene>

const text = (decided: Decided) =>
  decided.plan.items
    .map(({ object }) => withoutWireAnnotations(object))
    .filter(({ kind }) => kind === 'NodeSmithClaim' || kind === 'Node' || kind === 'PoolPolicy')
    .map((object) => JSON.stringify(object))
    .sort()

/** The same amounts in another notation, and every list the other way round. */
function rewritten(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const turned = (object: KubernetesObject): KubernetesObject => {
    if (object.kind !== 'WorkloadSnapshot' && object.kind !== 'NodeInventory') return object
    const spec = object.spec as Record<string, unknown>
    const entries = Object.entries(spec).map(([key, value]) => [
      key,
      Array.isArray(value) ? [...value].reverse() : value,
    ])
    return {
      ...object,
      spec: JSON.parse(
        JSON.stringify(Object.fromEntries(entries))
          .replaceAll('"cpu":"1"', '"cpu":"1000m"')
          .replaceAll('"1Gi"', '"1024Mi"'),
      ),
    }
  }
  return objects.map(turned).reverse()
}

/** What must hold of a scene; throws where something does not. Returns whether it opened, and whether it marked or dropped. */
export function checkScene(scene: Scene): { opened: boolean; left: boolean } {
  const objects = sceneObjects(scene)
  const decided = decideObjects(objects)
  assert.equal(decided.errors, [])
  const again = decideAgain(decided)
  assert.equal(again.errors, [])
  assert.equal(
    changeKinds(again).filter((kind) => kind !== 'unchanged'),
    [],
    'output fed back changes nothing',
  )
  assert.equal(text(decideObjects(rewritten(objects))), text(decided), 'order and notation change no byte')
  for (const { name = '', limits } of scene.pools ?? []) checkLimits(scene, decided, name, limits as Limits)
  for (const { name, blocking, ready } of scene.nodes ?? []) {
    const isNew =
      decided.marked.includes(name) && !(scene.nodes ?? []).some((one) => one.name === name && one.marked !== undefined)
    assert.ok(!isNew || (blocking === 0 && ready !== false), `${name} is marked and busy`)
    assert.ok(!decided.dropped.includes(name) || blocking === 0, `${name} is dropped and busy`)
  }
  return { opened: decided.added.length > 0, left: decided.marked.length + decided.dropped.length > 0 }
}

interface Limits {
  readonly minNodes: number
  readonly maxNodes: number
  readonly cpuCores: number
  readonly memoryMiB: number
}

/** A pool that opened a machine is within its limits; what was there before may be beyond them. */
function checkLimits(scene: Scene, decided: Decided, pool: string, limits: Limits): void {
  if (!decided.added.some((name) => name.startsWith(`${pool}-`))) return
  const isGone = (name: string) =>
    decided.dropped.includes(name) && (scene.nodes ?? []).every((node) => node.name !== name)
  const claims = claimsIn(decided).filter(
    ({ spec, metadata }) => (spec as { poolRef: string }).poolRef === pool && !isGone(metadata.name),
  )
  const sizes = claims.map(
    ({ spec }) => (spec as { requirements: { cpuCores: number; memoryMiB: number } }).requirements,
  )
  const named = new Set(claims.map(({ metadata }) => metadata.name))
  const others = (scene.nodes ?? []).filter(({ name }) => name.startsWith(`${pool}-`) && !named.has(name)).length
  const sum = (of: (one: { cpuCores: number; memoryMiB: number }) => number) =>
    sizes.reduce((all, one) => all + of(one), 0)
  const cores = sum(({ cpuCores }) => cpuCores) + 4 * others
  const memory = sum(({ memoryMiB }) => memoryMiB + 2048) + 10240 * others
  assert.ok(limits.maxNodes === 0 || sizes.length + others <= limits.maxNodes, `${pool} passes maxNodes`)
  assert.ok(limits.cpuCores === 0 || cores <= limits.cpuCores, `${pool} passes its cpu ceiling`)
  assert.ok(limits.memoryMiB === 0 || memory <= limits.memoryMiB, `${pool} passes its memory ceiling`)
}
