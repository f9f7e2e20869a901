/** A change of the template reaches so many nodes within a time, and a run that is repeated changes nothing. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { untilOf } from '../../../src/face/index.ts'
import { newItem } from '../../../src/krm/index.ts'
import { isDeepEqual } from '../../../src/krm/map.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../../support/objects.ts'
import { errorsOf } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const MINUTE = 60_000
const TYPES = ['a', 'b', 'c', 'd', 'e', 'f']
const CHANGED = 'nodefit.dev/changed'
const RENDERED = 'nodefit.dev/rendered'

const at = (minutes: number) => new Date(START + minutes * MINUTE).toISOString().replace('.000Z', 'Z')
const nodes = (minutes: number, types: readonly string[] = TYPES) =>
  inventory(
    types.map((type) => shape({ [TYPE]: type, [OS]: 'linux' }, [`${type}-1`, `${type}-2`])),
    { observedAt: at(minutes) },
  )
const rollout = (more: object = {}) => ({ rollout: { maxNodes: '20%', every: '10m', ...more } })
const sized = (spec: object = rollout()) => policy({ ...spec })
const first = (spec?: object, minutes = 0) => plan(listOf([nodes(minutes), sized(spec), daemonSet()]))

/** What is rendered, by name. */
const groups = ({ items }: Plan) =>
  new Map(
    items
      .map(({ object }) => object)
      .filter(({ kind, metadata }) => kind === 'DaemonSet' && metadata.annotations?.['nodefit.dev/group'] !== undefined)
      .map((object) => [object.metadata.name.replace('agent-', ''), object]),
  )
const imageOf = ({ spec }: KubernetesObject) =>
  (spec as { template: { spec: { containers: Array<{ image: string }> } } }).template.spec.containers[0]?.image
const images = (result: Plan) =>
  [...groups(result)].map(([name, object]) => `${name} ${imageOf(object)?.slice(-1)}`).sort()
const withImage = (version: number) => (object: KubernetesObject) =>
  object.kind === 'DaemonSet' && object.metadata.name === 'agent'
    ? withSpec(object, {
        template: (
          daemonSet({ containers: [{ name: 'agent', image: `agent:${version}` }] }).spec as { template: object }
        ).template,
      })
    : object
const later =
  (minutes: number, types?: readonly string[], also: (object: KubernetesObject) => KubernetesObject = (same) => same) =>
  (object: KubernetesObject) =>
    object.kind === 'NodeInventory' ? { ...nodes(minutes, types), metadata: object.metadata } : also(object)
const same = (object: KubernetesObject) => object
const textOf = ({ items }: Plan) => JSON.stringify(items.map(({ object }) => object))
/** Running again changes nothing. */
const isSteady = (result: Plan) => assert.is(textOf(rerender(result, same)), textOf(result))

suite('rollout: a change of the template', (test) => {
  test('reaches as many nodes as may change, in name order, and the rest when their time comes', () => {
    const seen: string[][] = []
    let result = rerender(first(), later(60, TYPES, withImage(2)))
    for (let minutes = 60; minutes <= 110; minutes += 10) {
      if (minutes > 60) result = rerender(result, later(minutes))
      isSteady(result)
      seen.push(images(result).filter((text) => text.endsWith('1')))
    }
    assert.equal(
      seen.map((old) => old.join()),
      ['b 1,c 1,d 1,e 1,f 1', 'c 1,d 1,e 1,f 1', 'd 1,e 1,f 1', 'e 1,f 1', 'f 1', ''],
    )
    assert.equal(said(result, 'RolloutHeldBack'), [])
  })
  test('says which are kept back, why, and when they follow', () => {
    const [message] = said(rerender(first(), later(60, TYPES, withImage(2))), 'RolloutHeldBack')
    assert.is(
      message?.split('. Render again')[0],
      'agent: 5 of 8 groups to change keep their earlier pod template: agent-b, agent-c, agent-d and 2 more. spec.rollout changes at most 20% of 12 nodes within 10m0s, and 2 have changed; render at 2026-11-20T13:10:00Z or later for more',
    )
  })
  test('a minute too early nothing follows, at the instant that was named it does', () => {
    const held = rerender(first(), later(60, TYPES, withImage(2)))
    assert.equal(images(rerender(held, later(69))), images(held))
    assert.is(images(rerender(held, later(70))).filter((text) => text.endsWith('2')).length, 4)
  })
  for (const every of ['10m', '10m0.5s', '599.001s', '1ms'])
    test(`every ${every}: at the instant that is named, to the second, more follow`, () => {
      const held = rerender(first(rollout({ every })), later(60, TYPES, withImage(2)))
      const [, time = ''] = /render at (\S+) or later/.exec(said(held, 'RolloutHeldBack')[0] ?? '') ?? []
      const minutes = (Date.parse(time) - START) / MINUTE
      assert.is(untilOf(held)?.getTime(), Date.parse(time))
      assert.ok(images(rerender(held, later(minutes))).join() !== images(held).join(), time)
    })
  test('what is kept back has its earlier pod template whole, and all else as it is now', () => {
    const before = first()
    const held = rerender(
      before,
      later(60, TYPES, (object) => {
        const changed = withImage(2)(object)
        return changed === object ? object : withSpec(changed, { minReadySeconds: 7 })
      }),
    )
    const [was, is] = [before, held].map((result) => groups(result).get('f')) as [KubernetesObject, KubernetesObject]
    assert.equal((is.spec as { template: unknown }).template, (was.spec as { template: unknown }).template)
    assert.is((is.spec as { minReadySeconds: number }).minReadySeconds, 7)
    assert.is(is.metadata.annotations?.[RENDERED], was.metadata.annotations?.[RENDERED])
    assert.is(is.metadata.annotations?.[CHANGED], at(0))
  })
  test('a second change while the first is under way: each group goes to the newest, no faster', () => {
    const held = rerender(first(), later(60, TYPES, withImage(2)))
    const again = rerender(held, later(65, TYPES, withImage(3)))
    // what changed five minutes ago counts once, however often it changes
    assert.equal(
      images(again).filter((text) => text.endsWith('3')),
      ['a 3', 'default 3', 'remainder 3'],
    )
    isSteady(again)
    const next = rerender(again, later(75))
    assert.equal(
      images(next).filter((text) => text.endsWith('1')),
      ['c 1', 'd 1', 'e 1', 'f 1'],
    )
  })
  test('a change that is taken back asks for nothing more of those kept back', () => {
    const held = rerender(first(), later(60, TYPES, withImage(2)))
    const back = rerender(held, later(100, TYPES, withImage(1)))
    assert.equal(
      [said(back, 'RolloutHeldBack'), new Set(images(back).map((text) => text.slice(-1)))],
      [[], new Set('1')],
    )
  })
})

suite('rollout: what is counted', (test) => {
  const changedWith = (more: object) => {
    const result = rerender(first(rollout(more)), later(60, TYPES, withImage(2)))
    isSteady(result)
    return images(result).filter((text) => text.endsWith('2') && !/default|remainder/.test(text)).length
  }
  const rows: Array<[name: string, maxNodes: string | number, groups: number]> = [
    ['less than one group still lets one change', '1%', 1],
    ['one node', 1, 1],
    ['a third and a bit, rounded down', '34%', 2],
    ['half', '50%', 3],
    ['five nodes: a group is not divided', 5, 2],
    ['all', '100%', 6],
    ['more than there are', 99, 6],
  ]
  for (const [name, maxNodes, expected] of rows)
    test(`maxNodes ${maxNodes}: ${name}`, () => assert.is(changedWith({ maxNodes }), expected))

  test('a later function that changes every pod template is nothing that was rendered', () => {
    const mirrored = (object: KubernetesObject): KubernetesObject =>
      object.metadata.annotations?.['nodefit.dev/group'] === undefined
        ? object
        : JSON.parse(JSON.stringify(object).replaceAll('"agent:', '"mirror/agent:'))
    /** What stands in Git behind the whole pipeline. */
    const piped = (result: Plan): Plan => ({
      ...result,
      items: result.items.map(({ object }) => newItem(mirrored(object))),
    })
    const run = (result: Plan, change: (object: KubernetesObject) => KubernetesObject) =>
      piped(rerender(result, change))
    const steady = run(piped(first()), later(30))
    const times = [...groups(steady).values()].map(({ metadata }) => metadata.annotations?.[CHANGED])
    assert.equal([said(steady, 'RolloutHeldBack'), new Set(times)], [[], new Set([at(0)])])
    const held = run(steady, later(60, TYPES, withImage(2)))
    assert.equal(images(held), ['a 2', 'b 1', 'c 1', 'd 1', 'default 2', 'e 1', 'f 1', 'remainder 2'])
    assert.ok([...groups(held).values()].every((object) => imageOf(object)?.startsWith('mirror/agent:')))
    assert.is(textOf(run(held, same)), textOf(held))
    assert.equal(
      images(run(held, later(70))).filter((text) => text.endsWith('1')),
      ['c 1', 'd 1', 'e 1', 'f 1'],
    )
  })
  test('an annotation that a user mistyped holds nothing back and is written anew with the next change', () => {
    const edited = rerender(first(), (object) =>
      object.metadata.name === 'agent-a'
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, [CHANGED]: 'soon', [RENDERED]: 'x' },
            },
          }
        : object,
    )
    assert.equal(errorsOf(edited), [])
    const next = rerender(edited, later(60, TYPES, withImage(2)))
    assert.is(groups(next).get('a')?.metadata.annotations?.[CHANGED], at(60))
  })
  test('switched on for what runs already: only what differs changes, and all is marked', () => {
    const before = first({})
    assert.ok([...groups(before).values()].every(({ metadata }) => metadata.annotations?.[RENDERED] === undefined))
    const on = rerender(
      before,
      later(60, TYPES, (object) =>
        object.kind === 'SizingPolicy' ? withSpec(object, rollout()) : withImage(2)(object),
      ),
    )
    assert.is(images(on).filter((text) => text.endsWith('1')).length, 5)
    isSteady(on)
  })
})

suite('rollout: what cannot wait', (test) => {
  test('a new type and the remainder that gives it away change whole, and count first', () => {
    const result = rerender(first(), later(60, [...TYPES, 'g'], withImage(2)))
    assert.equal(errorsOf(result), [])
    assert.equal(
      images(result).filter((text) => text.endsWith('2')),
      ['default 2', 'g 2', 'remainder 2'],
    )
    assert.equal(said(result, 'RolloutExceeded'), [])
    isSteady(result)
  })
  test('with more of them than may change it is said', () => {
    const result = rerender(first(), later(60, [...TYPES, 'g', 'h']))
    const [message] = said(result, 'RolloutExceeded')
    assert.ok(
      message?.startsWith(
        'agent: agent-g, agent-h, agent-remainder are new or select other nodes, 4 nodes in total, but spec.rollout changes at most 20% of 16 nodes within 10m0s',
      ),
      message,
    )
    isSteady(result)
  })
  test('an integer of the template that is too long for a number is one that differs', () => {
    const long = (last: string) =>
      daemonSet({
        containers: [{ name: 'agent', image: 'agent:1' }],
        runtimeClassNumber: BigInt(`1234567890123456789${last}`),
      })
    const before = plan(listOf([nodes(0), sized(), long('1')]))
    assert.equal(errorsOf(before), [])
    const marks = ['1', '2'].map(
      (last) => groups(plan(listOf([nodes(0), sized(), long(last)]))).get('a')?.metadata.annotations?.[RENDERED],
    )
    assert.ok(marks[0] !== undefined && marks[0] !== marks[1], marks.join())
  })
  test('the first render is bounded by nothing, and says nothing', () => {
    assert.equal([said(first(), 'RolloutExceeded'), said(first(), 'RolloutHeldBack')], [[], []])
  })
  test('a type that is gone goes, whatever else waits', () => {
    const result = rerender(first({ ...rollout(), retainGroups: '0s' }), later(60, TYPES.slice(1), withImage(2)))
    assert.not(groups(result).has('a'))
    isSteady(result)
  })
})

suite('rollout: what it needs', (test) => {
  test('the time', () => {
    const timeless = inventory([shape({ [TYPE]: 'a' }, ['a'])])
    assert.equal(errorsOf(plan(listOf([timeless, sized(), daemonSet()]))), ['NoTime'])
  })
  test('the earlier output', () => {
    const list = listOf([nodes(0), sized(), daemonSet()])
    const bare = list.items.map(({ object }) => object)
    const unseen = plan({
      ...list,
      items: bare.map((object) => ({
        object: { ...object, metadata: { ...object.metadata, annotations: {} } },
      })) as never,
    })
    assert.equal(errorsOf(unseen), ['NeedsEarlierOutput'])
  })
  test('where a run allows that it is not seen, all is rendered at once', () => {
    const objects = [nodes(0), sized(), daemonSet(), config({ allow: ['NeedsEarlierOutput'] })]
    const items = objects.map((object) => newItem(object))
    const result = plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
    assert.equal([result.failed, groups(result).size], [false, 8])
  })
})

suite('rollout: never too fast', (test) => {
  test('whatever changes when, no window has more nodes than may change or one group, but for what cannot wait', () => {
    const step = fc.record({ minutes: fc.integer({ min: 0, max: 14 }), version: fc.integer({ min: 1, max: 3 }) })
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 7 }),
        (steps, maxNodes) => {
          let result = first(rollout({ maxNodes }), -1000)
          let time = 0
          const changes: Array<{ time: number; name: string }> = []
          for (const { minutes, version } of steps) {
            time += minutes
            const before = new Map([...groups(result)].map(([name, object]) => [name, imageOf(object)]))
            result = rerender(result, later(time, TYPES, withImage(version)))
            isSteady(result)
            for (const [name, object] of groups(result))
              if (TYPES.includes(name) && imageOf(object) !== before.get(name)) changes.push({ time, name })
          }
          for (const { time: end } of changes) {
            const inWindow = new Set(
              changes.filter((one) => one.time > end - 10 && one.time <= end).map(({ name }) => name),
            )
            assert.ok(inWindow.size * 2 <= Math.max(maxNodes, 2), `${[...inWindow]} within 10 minutes of ${end}`)
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})

suite('rollout: the update strategy', (test) => {
  const ON_DELETE = { updateStrategy: { type: 'OnDelete' } }
  const rolling = (members: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: members } })
  const ALL = rolling({ maxUnavailable: '100%' })
  const withStrategy =
    (strategy: { updateStrategy?: object }, version = 1) =>
    (object: KubernetesObject) =>
      object.kind === 'DaemonSet' && object.metadata.name === 'agent'
        ? withSpec(withImage(version)(object), { updateStrategy: undefined, ...strategy })
        : object
  const start = (strategy: { updateStrategy?: object }) =>
    plan(listOf([nodes(0), sized(), withStrategy(strategy)(daemonSet())]))
  /** The groups with nodes whose strategy is so. */
  const having = (result: Plan, { updateStrategy }: { updateStrategy?: object }) =>
    [...groups(result)]
      .filter(([name]) => TYPES.includes(name))
      .filter(([, { spec }]) => isDeepEqual((spec as typeof ALL).updateStrategy, updateStrategy))
      .map(([name]) => name)
      .join('')

  for (const [what, from, to] of [
    ['OnDelete to RollingUpdate', ON_DELETE, ALL],
    ['OnDelete to the default', ON_DELETE, {}],
    ['more nodes at once', rolling({ maxUnavailable: 1 }), ALL],
    ['the default to more', {}, rolling({ maxUnavailable: 2 })],
    [
      'new pods first to old ones stopped first',
      rolling({ maxSurge: 1, maxUnavailable: 0 }),
      rolling({ maxUnavailable: 1 }),
    ],
    ['more new pods at once', rolling({ maxSurge: 1, maxUnavailable: 0 }), rolling({ maxSurge: 2, maxUnavailable: 0 })],
  ] as const)
    test(`${what}: as many nodes as may change, and the rest when their time comes`, () => {
      const seen: string[] = []
      let result = rerender(start(from), later(60, TYPES, withStrategy(to)))
      assert.match(
        said(result, 'RolloutHeldBack')[0] ?? '',
        /^agent: 5 of [68] groups to change keep their earlier update strategy: agent-b, /,
      )
      for (let minutes = 60; minutes <= 110; minutes += 10) {
        if (minutes > 60) result = rerender(result, later(minutes))
        isSteady(result)
        seen.push(having(result, from))
      }
      assert.equal(seen, ['bcdef', 'cdef', 'def', 'ef', 'f', ''])
      assert.equal([said(result, 'RolloutHeldBack'), having(result, to)], [[], 'abcdef'])
    })
  for (const [what, from, to] of [
    ['RollingUpdate to OnDelete', ALL, ON_DELETE],
    ['fewer nodes at once', ALL, rolling({ maxUnavailable: 1 })],
    ['another way to write the default', {}, rolling({ maxUnavailable: 1 })],
    ['a percentage of two nodes that is one', rolling({ maxUnavailable: 1 }), rolling({ maxUnavailable: '50%' })],
    ['new pods first', rolling({ maxUnavailable: 1 }), rolling({ maxSurge: 1, maxUnavailable: 0 })],
  ] as const)
    test(`${what} is written at once`, () => {
      const result = rerender(start(from), later(60, TYPES, withStrategy(to)))
      assert.equal([said(result, 'RolloutHeldBack'), having(result, to)], [[], 'abcdef'])
      assert.is(groups(result).get('a')?.metadata.annotations?.[CHANGED], at(0))
    })
  test('after an image that is held back: strategy and image follow together, counted once', () => {
    const held = rerender(start(ON_DELETE), later(60, TYPES, withStrategy(ON_DELETE, 2)))
    const both = rerender(held, later(65, TYPES, withStrategy(ALL, 2)))
    // a has the image for five minutes, and counts once within ten
    assert.equal(
      [
        images(both)
          .filter((text) => /^[a-f] 2/.test(text))
          .join(),
        having(both, ALL),
      ],
      ['a 2', 'a'],
    )
    assert.match(
      said(both, 'RolloutHeldBack')[0] ?? '',
      'keep their earlier pod template and update strategy: agent-b, ',
    )
    const next = rerender(both, later(75))
    assert.equal(
      [
        images(next)
          .filter((text) => /^[a-f] 2/.test(text))
          .join(),
        having(next, ALL),
      ],
      ['a 2,b 2', 'ab'],
    )
  })
  test('a group that selects other nodes changes whole, its strategy too, and counts once', () => {
    const moved = (object: KubernetesObject) =>
      object.kind === 'SizingPolicy'
        ? withSpec(object, { tolerations: [{ operator: 'Exists' }] })
        : withStrategy(ALL)(object)
    const result = rerender(start(ON_DELETE), later(60, TYPES, moved))
    assert.equal([said(result, 'RolloutHeldBack'), having(result, ALL)], [[], 'abcdef'])
    assert.is(said(result, 'RolloutExceeded').length, 1)
  })
  test('while an image is held back, a strategy that replaces fewer pods is written at once', () => {
    const held = rerender(start(ALL), later(60, TYPES, withStrategy(rolling({ maxUnavailable: 1 }), 2)))
    assert.equal(having(held, rolling({ maxUnavailable: 1 })), 'abcdef')
    assert.match(said(held, 'RolloutHeldBack')[0] ?? '', 'keep their earlier pod template: ')
  })
  test('a later function that sets the strategy is no change, whichever way', () => {
    for (const set of [ON_DELETE, ALL]) {
      const before = start({})
      const piped = {
        ...before,
        items: before.items.map(({ object }) => newItem(isGroup(object) ? withSpec(object, set) : object)),
      }
      const result = rerender(piped, later(60))
      assert.equal(
        [said(result, 'RolloutHeldBack'), groups(result).get('a')?.metadata.annotations?.[CHANGED]],
        [[], at(0)],
      )
    }
  })
  test('output that does not record the strategy is compared as it is', () => {
    const before = start(ON_DELETE)
    const old = {
      ...before,
      items: before.items.map(({ object }) => {
        const mark = object.metadata.annotations?.[RENDERED]
        if (mark === undefined) return newItem(object)
        const annotations = { ...object.metadata.annotations, [RENDERED]: mark.split('-').slice(0, 2).join('-') }
        return newItem({ ...object, metadata: { ...object.metadata, annotations } })
      }),
    }
    assert.equal(said(rerender(old, later(60)), 'RolloutHeldBack'), [])
    assert.is(said(rerender(old, later(60, TYPES, withStrategy(ALL))), 'RolloutHeldBack').length, 1)
  })
})

function isGroup({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.['nodefit.dev/group'] !== undefined
}
