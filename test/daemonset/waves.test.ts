/** Groups change one behind another in Argo CD's sync waves. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { inWaves } from '../../src/daemonset/wave-order.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/plan.ts'
import type { Plan } from '../../src/types.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const TYPES = ['a', 'b', 'c', 'd']
const nodes = (types: readonly string[] = TYPES, more: object = {}) =>
  inventory(types.map((type) => shape({ [TYPE]: type, pool: type }, [`${type}-1`, `${type}-2`], '4', '16Gi', more)))
const sized = (spec: object = {}) => policy({ rollout: { maxNodes: '50%', waves: true }, remainder: false, ...spec })
const first = (spec?: object, template = daemonSet()) => plan(listOf([nodes(), sized(spec), template]))
const waves = ({ items }: Plan) =>
  items
    .map(({ object }) => object)
    .filter(({ kind, metadata }) => kind === 'DaemonSet' && metadata.annotations?.['nodefit.dev/group'] !== undefined)
    .map(({ metadata }) => `${metadata.name.replace('agent-', '')} ${metadata.annotations?.[WAVE]}`)
    .sort()
const changed = (kind: string, spec: object) => (object: KubernetesObject) =>
  object.kind === kind && object.metadata.annotations?.['nodefit.dev/group'] === undefined
    ? withSpec(object, spec)
    : object
const same = (object: KubernetesObject) => object
const textOf = ({ items }: Plan) => JSON.stringify(items.map(({ object }) => object))
const steady = (result: Plan) => {
  assert.equal(errorsOf(result), [])
  assert.is(textOf(rerender(result, same)), textOf(result))
  return waves(result)
}
const own = (names: Record<string, string>) =>
  Object.entries(names).map(([name, pool]) => ({ name, nodeSelector: { pool } }))
const withPort = daemonSet({
  containers: [{ name: 'agent', image: 'agent:1', ports: [{ hostPort: 1, containerPort: 1 }] }],
})

suite('rollout in waves', (test) => {
  test('groups in name order, so many nodes in each wave', () =>
    assert.equal(steady(first()), ['a 0', 'b 0', 'c 1', 'd 1', 'default 1']))
  test('counted from the template’s own', () => {
    const template = daemonSet({}, { annotations: { [WAVE]: '-5' } })
    assert.equal(steady(first({}, template)), ['a -5', 'b -5', 'c -4', 'd -4', 'default -4'])
  })
  test('a group larger than a wave has one of its own', () => {
    const spec = { rollout: { maxNodes: 1, waves: true } }
    assert.equal(steady(first(spec)), ['a 0', 'b 1', 'c 2', 'd 3', 'default 4'])
  })
  test('kept while no group changes, whatever number would come of it now', () => {
    const wider = rerender(first(), changed('SizingPolicy', { rollout: { maxNodes: '100%', waves: true } }))
    assert.equal(steady(wider), ['a 0', 'b 0', 'c 1', 'd 1', 'default 1'])
  })
  test('worked out anew by a run in which one does', () => {
    const wider = rerender(first(), (object) =>
      changed('DaemonSet', { template: (withPort.spec as { template: object }).template })(
        changed('SizingPolicy', { rollout: { maxNodes: '100%', waves: true } })(object),
      ),
    )
    assert.equal(steady(wider), ['a 0', 'b 0', 'c 0', 'd 0', 'default 0'])
  })
  test('a later function that changes every pod is no change', () => {
    const isGroup = ({ metadata }: KubernetesObject) => metadata.annotations?.['nodefit.dev/group'] !== undefined
    const mirrored = (object: KubernetesObject): KubernetesObject =>
      isGroup(object) ? JSON.parse(JSON.stringify(object).replaceAll('"agent:1', '"mirror:1')) : object
    const piped = (result: Plan): Plan => ({
      ...result,
      items: result.items.map(({ object }) => newItem(mirrored(object))),
    })
    const wider = rerender(piped(first()), changed('SizingPolicy', { rollout: { maxNodes: '100%', waves: true } }))
    assert.equal(waves(wider), ['a 0', 'b 0', 'c 1', 'd 1', 'default 1'])
  })
  test('what takes nodes over comes before what it takes them from', () => {
    const before = first({ groups: own({ old: 'a' }) })
    assert.equal(steady(before), ['b 0', 'c 0', 'd 1', 'default 1', 'old 1'])
    const groups = [...own({ old: 'nobody' }), ...own({ young: 'a' })]
    const after = rerender(before, changed('SizingPolicy', { groups }))
    assert.equal(waves(after), ['b 0', 'c 0', 'd 1', 'default 1', 'old 2', 'young 1'])
    steady(after)
  })
  test('what swaps nodes shares a wave', () => {
    const before = first({ rollout: { maxNodes: 1, waves: true }, groups: own({ one: 'a', two: 'b' }) })
    const after = rerender(before, changed('SizingPolicy', { groups: own({ one: 'b', two: 'a' }) }))
    assert.equal(waves(after), ['c 0', 'd 1', 'default 2', 'one 2', 'two 2'])
  })
  test('pods that hold a port of the node: giver and taker share a wave', () => {
    const before = first({ groups: own({ old: 'a' }) }, withPort)
    const after = rerender(
      before,
      changed('SizingPolicy', { groups: [...own({ old: 'nobody' }), ...own({ young: 'a' })] }),
    )
    assert.equal(waves(after), ['b 0', 'c 0', 'd 1', 'default 1', 'old 1', 'young 1'])
  })
})

suite('rollout in waves: what is said', (test) => {
  test('OnDelete is refused', () => {
    const template = daemonSet()
    const result = first({}, withSpec(template, { updateStrategy: { type: 'OnDelete' } }))
    assert.equal(errorsOf(result), ['InvalidField'])
  })
  const unseen = (template: KubernetesObject) => {
    const items = [nodes(), sized(), template].map((object) => newItem(object))
    return plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
  }
  test('where earlier output is not seen waves follow name order', () =>
    assert.equal([errorsOf(unseen(daemonSet())), waves(unseen(daemonSet()))[0]], [[], 'a 0']))
  test('but not with a host port, nor where pods repel each other', () => {
    assert.equal(errorsOf(unseen(withPort)), ['NeedsEarlierOutput'])
    const terms = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'agent' } } }]
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
    assert.equal(errorsOf(unseen(daemonSet({ affinity }))), ['NeedsEarlierOutput'])
  })
  test('a node that is not ready holds back later waves', () => {
    const shapes = TYPES.map((type) =>
      shape({ [TYPE]: type }, [`${type}-1`], '4', '16Gi', type === 'b' || type === 'd' ? { ready: 'False' } : {}),
    )
    const result = plan(listOf([inventory(shapes), sized(), daemonSet()]))
    const texts = said(result, 'WavesWait').map((text) => text.split('. Make')[0])
    assert.equal(texts, ['agent: b-1 of agent-b is not ready: 1 later wave waits for its agent'])
  })
})

suite('the order of waves', (test) => {
  test('for any groups and hand-overs: within the number, takers first, those that swap together', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const group = fc.record({ nodeCount: fc.integer({ min: 0, max: 5 }), from: fc.subarray(names, { maxLength: 2 }) })
    fc.assert(
      fc.property(fc.array(group, { minLength: 6, maxLength: 6 }), fc.integer({ min: 1, max: 9 }), (all, most) => {
        const groups = all.map(({ nodeCount }, index) => ({ name: names[index] ?? '', nodeCount }))
        const givers = new Map(
          all.map(({ from }, index) => [names[index] ?? '', new Set(from.filter((name) => name !== names[index]))]),
        )
        const order = inWaves(groups, givers, { most, isTogether: false })
        const waveOf = (name: string) => order.get(name) ?? -1
        const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
          [...(givers.get(from) ?? [])].some(
            (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
          )
        for (const [taker, from] of givers)
          for (const giver of from) {
            const isSwap = reaches(giver, taker)
            assert.ok(isSwap ? waveOf(taker) === waveOf(giver) : waveOf(taker) < waveOf(giver))
          }
        for (let wave = 0; wave <= Math.max(...order.values()); wave++) {
          const inWave = groups.filter(({ name }) => waveOf(name) === wave)
          assert.ok(inWave.length > 0)
          const sum = inWave.reduce((count, { nodeCount }) => count + nodeCount, 0)
          const isOne = inWave.every(({ name }) =>
            inWave.every(
              (other) =>
                other.nodeCount === 0 ||
                other.name === name ||
                reaches(name, other.name) ||
                groups.find((one) => one.name === name)?.nodeCount === 0,
            ),
          )
          assert.ok(sum <= most || isOne, `wave ${wave} of ${sum} nodes`)
        }
      }),
      { numRuns: 300 },
    )
  })
})
