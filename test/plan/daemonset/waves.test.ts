/** Groups change one behind another in Argo CD's sync waves. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { inWaves } from '../../../src/plan/daemonset/waves.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { errorsOf } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const TYPES = ['a', 'b', 'c', 'd']
const nodes = (types: readonly string[] = TYPES, more: object = {}) =>
  inventory(types.map((type) => shape({ [TYPE]: type, pool: type }, [`${type}-1`, `${type}-2`], '4', '16Gi', more)))
const sized = (spec: object = {}) => policy({ rollout: { maxNodes: '50%', waves: true }, remainder: false, ...spec })
/** A template that is not applied itself, so that nothing is adopted. */
const local = ({ metadata, ...rest }: KubernetesObject): KubernetesObject => ({
  ...rest,
  metadata: { ...metadata, annotations: { ...metadata.annotations, 'config.kubernetes.io/local-config': 'true' } },
})
const first = (spec?: object, template = daemonSet()) => plan(listOf([nodes(), sized(spec), local(template)]))
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

const repelling = daemonSet({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'agent' } } },
      ],
    },
  },
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
  test('pods that repelled each other share a wave, though they no longer do', () => {
    const before = first({ groups: own({ old: 'a' }) }, repelling)
    const after = rerender(before, (object) =>
      changed('DaemonSet', { template: (daemonSet().spec as { template: object }).template })(
        changed('SizingPolicy', { groups: [...own({ old: 'nobody' }), ...own({ young: 'a' })] })(object),
      ),
    )
    assert.equal(waves(after).slice(-2), ['old 1', 'young 1'])
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
    const items = [nodes(), sized(), local(template)].map((object) => newItem(object))
    return plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
  }
  test('where earlier output is not seen waves follow name order', () =>
    assert.equal([errorsOf(unseen(daemonSet())), waves(unseen(daemonSet()))[0]], [[], 'a 0']))
  test('and the remainder is last, since any group may take nodes from it', () => {
    const items = [nodes(['a', 'z']), sized({ remainder: true }), local(daemonSet())].map((object) => newItem(object))
    const result = plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
    assert.equal(waves(result), ['a 0', 'default 0', 'remainder 2', 'z 1'])
  })
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
    const result = plan(listOf([inventory(shapes), sized(), local(daemonSet())]))
    const texts = said(result, 'WavesWait').map((text) => text.split('. Make')[0])
    assert.equal(texts, ['agent: b-1 of agent-b is not ready: 1 later wave waits for its agent'])
  })
})

const PRUNED_LAST = 'argocd.argoproj.io/sync-options'
const withoutOption = (result: Plan): Plan => ({
  ...result,
  items: result.items.map(({ object }) => {
    const { [PRUNED_LAST]: _, ...annotations } = object.metadata.annotations ?? {}
    return newItem({ ...object, metadata: { ...object.metadata, annotations } })
  }),
})
const options = ({ items }: Plan) => [
  ...new Set(
    items
      .filter(({ object }) => object.metadata.annotations?.['nodefit.dev/group'] !== undefined)
      .map(({ object }) => object.metadata.annotations?.[PRUNED_LAST]),
  ),
]
const texts = (result: Plan, code: string) => said(result, code).map((text) => text.split('. ')[0])
const ONE_NODE = { rollout: { maxNodes: 1, waves: true } }
const renamed = changed('SizingPolicy', { ...ONE_NODE, names: { a: 'zz-a' } })

suite('rollout in waves: what is deleted', (test) => {
  test('is deleted last: every object carries the option, beside the template’s own', () => {
    assert.equal(options(first()), ['PruneLast=true'])
    const own = daemonSet({}, { annotations: { [PRUNED_LAST]: 'ServerSideApply=true, PruneLast=true' } })
    assert.equal(options(first({}, own)), ['ServerSideApply=true,PruneLast=true'])
    assert.equal(options(first({ rollout: undefined })), [undefined])
  })
  test('output without the option gets it before anything is deleted, and keeps its waves', () => {
    const old = withoutOption(first())
    const next = rerender(old, changed('SizingPolicy', { rollout: { maxNodes: '100%', waves: true } }))
    assert.equal([options(next), waves(next)], [['PruneLast=true'], waves(old)])
  })
  test('pods that exclude each other are not deleted last, since the new ones would wait', () => {
    assert.equal([options(first({}, withPort)), options(first({}, repelling))], [[undefined], [undefined]])
  })
  test('what takes its nodes over comes first', () => {
    const after = rerender(first(ONE_NODE), renamed)
    assert.equal(waves(after), ['b 1', 'c 2', 'd 3', 'default 4', 'zz-a 0'])
    assert.equal([said(after, 'WavesWait'), said(after, 'LosesAgent')], [[], []])
    steady(after)
  })
  test('nodes that move run both agents until it is deleted; without waves they have none for one start', () => {
    const mendOf = (result: Plan) => said(result, 'NodesMove').map((text) => text.slice(text.indexOf('. ') + 2))
    assert.equal(mendOf(rerender(first(ONE_NODE), renamed)), [
      'The nodes run the old agent until the sync wave of the new one is healthy, and need room for both.',
    ])
    const [without = ''] = mendOf(
      rerender(first({ rollout: undefined }), changed('SizingPolicy', { names: { a: 'z' } })),
    )
    assert.match(without, 'Each node runs no agent while its new pod starts.')
    const [some = ''] = mendOf(
      rerender(first({ ...ONE_NODE, groups: own({ one: 'a', two: 'b' }) }), (object) =>
        changed('SizingPolicy', { ...ONE_NODE, names: { c: 'z' }, groups: own({ one: 'b', two: 'a' }) })(object),
      ),
    )
    assert.match(some, '2 of the nodes run the old agent until the sync wave of the new one is healthy')
    assert.match(some, 'Of the others: Each node runs no agent while its new pod starts.')
  })
  test('without the option in the cluster, nodes for which there is no room in the first wave wait: said', () => {
    const before = withoutOption(first({ ...ONE_NODE, groups: own({ aa: 'a', ab: 'b' }) }))
    // Argo CD deletes aa, of wave 0, and ab, of wave 1, in reverse order
    const after = rerender(before, changed('SizingPolicy', { ...ONE_NODE, groups: undefined }))
    assert.equal(waves(after).slice(0, 2), ['a 0', 'b 1'])
    assert.equal(texts(after, 'WavesWait'), [
      'agent: b-1, b-2 wait without an agent from wave 0, in which agent-ab is deleted, to wave 1, in which agent-b takes over',
    ])
    assert.match(texts(after, 'LosesAgent')[0] ?? '', '2 until a later sync wave (2 by a move): b-1, b-2;')
  })
  test('a node that is not ready holds back the deletion, in the last wave, too', () => {
    const one = (ready: string) =>
      inventory(
        TYPES.map((type) =>
          shape({ [TYPE]: type, pool: type }, [`${type}-1`], '4', '16Gi', type === 'd' ? { ready } : {}),
        ),
      )
    const before = plan(listOf([one('True'), sized(ONE_NODE), local(daemonSet())]))
    const after = rerender(before, (object) =>
      object.kind === 'NodeInventory' ? { ...one('False'), metadata: object.metadata } : renamed(object),
    )
    assert.equal(texts(after, 'WavesWait'), [
      'agent: d-1 of agent-d is not ready: the deletion of agent-a waits for its agent',
    ])
  })
})

suite('rollout in waves: what is refused', (test) => {
  test('an adoption, with what to do first', () => {
    const [message = ''] = said(plan(listOf([nodes(), sized(), daemonSet()])), 'AdoptionInWaves')
    assert.match(
      message,
      'agent: spec.rollout.waves cannot be used for an adoption: DaemonSet agent is still applied itself',
    )
    assert.match(message, 'remove spec.rollout.waves, render and sync; set it again when the groups are healthy')
  })
  test('followed to the letter that works: adopted without waves, then with them, in which no pod changes', () => {
    const adopted = plan(listOf([nodes(), sized({ rollout: undefined }), daemonSet()]))
    const withThem = rerender(adopted, changed('SizingPolicy', { rollout: { maxNodes: 1, waves: true } }))
    assert.equal([errorsOf(withThem), options(withThem)], [[], ['PruneLast=true']])
    assert.equal(said(withThem, 'WavesWait'), [])
    const changes = rerender(withThem, renamed)
    assert.equal([errorsOf(changes), waves(changes)[4]], [[], 'zz-a 0'])
  })
  test('a template that is not known to be local where earlier output is not seen, but one that is', () => {
    const run = (template: KubernetesObject) =>
      errorsOf(
        plan({
          apiVersion: 'config.kubernetes.io/v1',
          items: [nodes(), sized(), template].map((object) => newItem(object)),
          results: [],
        }),
      )
    assert.equal([run(daemonSet()), run(local(daemonSet()))], [['AdoptionInWaves'], []])
  })
  test('no adoption is a second policy of a template from which something was rendered', () => {
    const before = first({ nodeSelector: { pool: 'a' } })
    const second = policy(
      { ...ONE_NODE, nodeSelector: { pool: 'b' }, names: { b: 'second-b' }, remainder: false },
      'second',
    )
    const after = rerender(before, (object) => {
      if (object.kind === 'SizingPolicy') return [object, second]
      return object.metadata.name === 'agent' ? daemonSet() : object
    })
    assert.equal(said(after, 'StaticTemplateRetired').length, 1)
    assert.equal(said(after, 'AdoptionInWaves'), [])
    const again = rerender(before, (object) =>
      object.metadata.name === 'agent' && object.kind === 'DaemonSet' ? daemonSet({ priority: 1 }) : object,
    )
    assert.equal(said(again, 'AdoptionInWaves'), [])
  })
  for (const [what, template] of [
    ['a host port', withPort],
    ['anti-affinity', repelling],
  ] as const)
    test(`with ${what}, a group that goes while another takes its nodes over, with the way in two steps`, () => {
      const before = first(ONE_NODE, template)
      assert.equal(errorsOf(rerender(before, renamed)), ['WavesDeadlock'])
      // both steps in one: what is deleted still has its wave in the cluster
      const skipped = rerender(before, changed('SizingPolicy', { rollout: undefined, names: { d: 'aa-d' } }))
      assert.equal(errorsOf(skipped), ['WavesDeadlock'])
      const step = rerender(before, changed('SizingPolicy', { rollout: undefined }))
      assert.equal([errorsOf(step), waves(step)[0]], [[], 'a undefined'])
      const done = rerender(step, changed('SizingPolicy', { rollout: undefined, names: { a: 'zz-a' } }))
      assert.equal(errorsOf(done), [])
      assert.equal(errorsOf(rerender(done, changed('SizingPolicy', { ...ONE_NODE, names: { a: 'zz-a' } }))), [])
    })
  test('each of several groups that go for itself, by the waves in which Argo CD deletes them', () => {
    const skipped = rerender(
      first(ONE_NODE, withPort),
      changed('SizingPolicy', { rollout: undefined, names: { a: 'zz-a', d: 'zz-d' } }),
    )
    // a, of wave 0, and d, of wave 3, are deleted in reverse order
    assert.equal(
      said(skipped, 'WavesDeadlock').map((text) => text.split(' is deleted')[0]),
      ['agent: agent-a'],
    )
  })
  test('anti-affinity that the pods had, or get; with waves that are given up in the same run, too', () => {
    const gone = renamed
    const templated = (template: KubernetesObject, change: typeof gone) => (object: KubernetesObject) =>
      change(changed('DaemonSet', { template: (template.spec as { template: object }).template })(object))
    const had = rerender(first(ONE_NODE, repelling), templated(daemonSet(), gone))
    const gets = rerender(first(ONE_NODE), templated(repelling, gone))
    const together = { rollout: { maxNodes: '100%', waves: true } }
    const dropped = changed('SizingPolicy', { rollout: undefined, names: { a: 'zz-a' } })
    const last = rerender(first(together), templated(repelling, dropped))
    assert.equal([had, gets, last].map(errorsOf), [['WavesDeadlock'], ['WavesDeadlock'], ['WavesDeadlock']])
  })
  test('the way back of such a policy, unless it was rendered without waves first', () => {
    const adopted = plan(listOf([nodes(), sized({ rollout: undefined }), withPort]))
    const other = withPort.spec as { template: { spec: { containers: object[] } } }
    const [container = {}] = other.template.spec.containers
    const changes = changed('DaemonSet', {
      template: { ...other.template, spec: { containers: [{ ...container, image: 'agent:2' }] } },
    })
    const inWaves = rerender(rerender(adopted, changed('SizingPolicy', ONE_NODE)), changes)
    assert.equal(waves(inWaves)[1], 'b 1')
    const disabled = changed('SizingPolicy', { enabled: false })
    assert.equal(texts(rerender(inWaves, disabled), 'WavesDeadlock'), [
      'agent: agent-a, agent-b, agent-c and 1 more are deleted and DaemonSet agent is applied again, but both use host port 1: Argo CD waits for the new pods before it deletes what is in later waves, whose pods keep them from starting',
    ])
    const step = rerender(inWaves, changed('SizingPolicy', { rollout: undefined }))
    assert.equal(errorsOf(rerender(step, disabled)), [])
    // default, without nodes, shares the first wave with x, and both are deleted in the last
    const few = plan(listOf([nodes(['x', 'y']), sized({ rollout: undefined }), withPort]))
    const fewInWaves = rerender(rerender(few, changed('SizingPolicy', ONE_NODE)), changes)
    assert.equal(waves(fewInWaves), ['default 0', 'x 0', 'y 1'])
    assert.match(texts(rerender(fewInWaves, disabled), 'WavesDeadlock')[0] ?? '', 'agent: agent-x is deleted and')
    assert.equal(errorsOf(rerender(first(ONE_NODE, withPort), disabled)), [])
  })
  test('but not one that goes with its nodes, nor where the ports differ', () => {
    const before = first(ONE_NODE, withPort)
    const fewer = rerender(before, (object) =>
      object.kind === 'NodeInventory' ? { ...nodes(['b', 'c', 'd']), metadata: object.metadata } : object,
    )
    assert.equal(errorsOf(fewer), [])
    const other = daemonSet({
      containers: [{ name: 'agent', image: 'agent:1', ports: [{ hostPort: 2, containerPort: 2 }] }],
    })
    const moved = rerender(before, (object) =>
      renamed(changed('DaemonSet', { template: (other.spec as { template: object }).template })(object)),
    )
    assert.equal(errorsOf(moved), [])
  })
})

suite('the order of waves', (test) => {
  test('for any groups and hand-overs: within the number, takers first, those that swap together', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const group = fc.record({
      nodeCount: fc.integer({ min: 0, max: 5 }),
      from: fc.subarray([...names, 'gone'], { maxLength: 2 }),
    })
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
        const early = names.filter((name) => givers.get(name)?.has('gone'))
        const isEarly = (name: string) => early.includes(name) || early.some((other) => reaches(name, other))
        for (const name of names.filter(isEarly))
          for (const other of names.filter((one) => !isEarly(one))) assert.ok(waveOf(name) <= waveOf(other))
        for (const [taker, from] of givers)
          for (const giver of from) {
            if (giver === 'gone') continue
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
