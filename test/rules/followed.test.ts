/** What a sentence asks for is done to the letter, and rendered again: no node gets two agents, and no error is left. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { daemonEligibility, type Node, type PodTemplateSpec } from '../../src/kube/index.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, OS, policy, rendered, shape, TYPE } from '../support/objects.ts'
import { errorsOf, NOON, order, ticketsIn } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../support/template.ts'

const LOCAL = 'config.kubernetes.io/local-config'
const OWNER = 'nodefit.dev/owner'
const LABELS = {
  a: { [TYPE]: 'm5', [OS]: 'linux', pool: 'a' },
  b: { [TYPE]: 'm5', [OS]: 'linux', pool: 'b' },
  c: { [TYPE]: 'c5', [OS]: 'linux', pool: 'a' },
  d: { [OS]: 'linux', pool: 'b' },
}
const NODES = inventory(
  Object.entries(LABELS).map(([name, labels]) => shape(labels, [name])),
  { observedAt: NOON },
)

/** With the operator's own label what lost its mark would be taken for the operator's. */
const OUR_LABEL = { managedBy: 'nodefit.dev/managed-by=nodefit' }

/** A kind of target: a package that renders from it. */
interface Target {
  readonly name: string
  readonly base: string
  readonly target: KubernetesObject[]
  policy(spec?: Record<string, unknown>, name?: string): KubernetesObject
}
const TARGETS: readonly Target[] = [
  { name: 'a DaemonSet', base: 'agent', target: [daemonSet()], policy: (spec, name) => policy(spec, name) },
  {
    name: 'the template of Kubescape’s chart',
    base: 'node-agent',
    target: [templateMap(), operatorConfig(false)],
    policy: (spec = {}, name = 'node-agent') => {
      const made = kubescapePolicy({ remainder: true, defaultNodeGroup: 'default', labels: OUR_LABEL, ...spec })
      return { ...made, metadata: { ...made.metadata, name } }
    },
  },
]

/** How many agents each node gets of what is applied, as the DaemonSet controller decides. */
function agentsOn({ items }: Plan): Record<string, number> {
  const applied = items
    .map(({ object }) => object)
    .filter(({ kind, metadata }) => kind === 'DaemonSet' && metadata.annotations?.[LOCAL] !== 'true')
  return Object.fromEntries(
    Object.entries(LABELS).map(([name, labels]) => {
      const node = { metadata: { name, labels }, spec: {}, status: {} } as unknown as Node
      const runs = applied.filter(({ spec }) => {
        const { template } = spec as { template: PodTemplateSpec }
        return daemonEligibility(template, node).shouldRun
      })
      return [name, runs.length]
    }),
  )
}
const isWell = (result: Plan) => {
  assert.equal(errorsOf(result), [])
  assert.equal([said(result, 'AgentTwice'), agentsOn(result)], [[], { a: 1, b: 1, c: 1, d: 1 }])
}
const without = (from: Plan, ...names: string[]) =>
  rerender(from, (object) =>
    object.kind === 'DaemonSet' &&
    names.includes(object.metadata.name) &&
    object.metadata.annotations?.[OWNER] === undefined
      ? undefined
      : object,
  )
const withoutMark = (object: KubernetesObject): KubernetesObject => {
  const { [OWNER]: _, ...annotations } = object.metadata.annotations ?? {}
  return { ...object, metadata: { ...object.metadata, annotations } }
}
const changed =
  (name: string, change: (object: KubernetesObject) => KubernetesObject | undefined) => (object: KubernetesObject) =>
    object.metadata.name === name && object.kind === 'DaemonSet' ? change(object) : object
const policies = (spec: object) => (object: KubernetesObject) =>
  object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
const twin = (namespace: string | undefined, name = 'twin') =>
  daemonSet({ containers: [{ name: 'x', image: 'agent:2' }] }, { name, namespace })

/** What a message says to write in spec.names and for the group label. */
function written(message: string): {
  names?: Record<string, string>
  labels?: { nodeGroup: string }
  defaultNodeGroup?: string
} {
  const defaultNodeGroup = /spec\.defaultNodeGroup: ([a-z0-9-]+)/.exec(message)?.[1]
  const names = /spec\.names: \{ (.*?) \}/.exec(message)?.[1]
  const nodeGroup = /nodefit\.dev\/[a-z0-9-]+-node-group/.exec(message)?.[0]
  const entries = (names ?? '').split(', ').map((entry) => {
    const [key = '', value = ''] = entry.split(': ')
    return [JSON.parse(key || '""'), value] as const
  })
  return {
    ...(names && { names: Object.fromEntries(entries) }),
    ...(nodeGroup && { labels: { nodeGroup } }),
    ...(defaultNodeGroup && { defaultNodeGroup }),
  }
}

for (const { name, base, target, policy: policyFor } of TARGETS) {
  const namespace = target[0]?.metadata.namespace
  const first = () => plan(listOf([NODES, policyFor(), ...target]))
  const group = `${base}-m5`

  suite(`mends followed: ${name}`, (test) => {
    test('without anything beside it each node has one agent', () => isWell(first()))
    test('a static copy: it is removed, or only read', () => {
      const both = plan(listOf([NODES, policyFor(), ...target, twin(namespace)]))
      assert.equal(said(both, 'AgentTwice').length, 1)
      assert.equal(agentsOn(both), { a: 2, b: 2, c: 2, d: 2 })
      isWell(without(both, 'twin'))
      isWell(
        rerender(
          both,
          changed(
            'twin',
            ({ metadata, ...rest }) =>
              ({ ...rest, metadata: { ...metadata, annotations: { [LOCAL]: 'true' } } }) as KubernetesObject,
          ),
        ),
      )
    })
    test('the order in which it goes is said', () => {
      const [message = ''] = said(plan(listOf([NODES, policyFor(), ...target, twin(namespace)])), 'AgentTwice')
      assert.match(message, 'Apply the groups, wait until their pods are ready, then remove it from the package')
      assert.match(message, 'an agent with host ports must be deleted first')
    })
    test('a static agent that came back under the target’s name', () => {
      const back = rerender(first(), (object) =>
        object.kind === 'SizingPolicy' ? [object, twin(namespace, base)] : object,
      )
      if (base === 'agent') assert.equal(errorsOf(back), ['TargetNotUnique'])
      else assert.equal(said(back, 'AgentTwice').length, 1)
      let isFirst = true
      const removed = rerender(back, (object) => {
        if (
          object.kind !== 'DaemonSet' ||
          object.metadata.name !== base ||
          object.metadata.annotations?.['nodefit.dev/template']
        )
          return object
        const gone = isFirst
        isFirst = false
        return gone ? undefined : object
      })
      isWell(removed)
    })
    test('a group whose mark was taken off: it is removed', () => {
      const lost = rerender(first(), changed(group, withoutMark))
      assert.equal(errorsOf(lost), ['ForeignObject'])
      isWell(without(lost, group))
    })
    test('a group whose mark was taken off: renamed where it stands, and then removed as is asked for', () => {
      const lost = rerender(first(), changed(group, withoutMark))
      const renamed = rerender(
        lost,
        changed(group, (object) => {
          if (object.metadata.annotations?.[OWNER] !== undefined) return object
          return { ...object, metadata: { ...object.metadata, name: 'old' } }
        }),
      )
      assert.equal(said(renamed, 'AgentTwice').length, 1)
      isWell(without(renamed, 'old'))
    })
    test('a group whose mark was taken off: another name in the policy, and then removed as is asked for', () => {
      const lost = rerender(first(), changed(group, withoutMark))
      const renamed = rerender(lost, policies({ names: { m5: 'other' } }))
      assert.equal(said(renamed, 'AgentTwice').length, 1)
      isWell(without(renamed, group))
    })
    test('a group whose mark was taken off, and that is not rendered any more', () => {
      const lost = rerender(first(), changed(`${base}-c5`, withoutMark))
      const grouped = rerender(lost, policies({ groups: [{ name: 'big', nodeSelector: { [TYPE]: 'c5' } }] }))
      assert.equal([errorsOf(grouped), said(grouped, 'AgentTwice').length], [[], 1])
      isWell(without(grouped, `${base}-c5`))
    })
    for (const [what, cut] of [
      ['emptied', () => ({})],
      [
        'cut',
        ({ matchLabels }: { matchLabels: object }) => ({
          matchLabels: Object.fromEntries(Object.entries(matchLabels).slice(0, 1)),
        }),
      ],
    ] as const)
      test(`a selector that was ${what}: undone, or the group under another name`, () => {
        const made = first()
        const selector = (object: KubernetesObject | undefined) =>
          (object?.spec as { selector: { matchLabels: object } } | undefined)?.selector ?? { matchLabels: {} }
        const before = selector(rendered(made.items).get(group))
        const edited = rerender(
          made,
          changed(group, (object) => withSpec(object, { selector: cut(selector(object)) })),
        )
        assert.equal(errorsOf(edited), ['SelectorChanged'])
        isWell(
          rerender(
            edited,
            changed(group, (object) => withSpec(object, { selector: before })),
          ),
        )
        const renamed = rerender(edited, policies({ names: { m5: 'other' } }))
        isWell(renamed)
        assert.equal(selector(rendered(renamed.items).get('other')), before)
      })
    test('two policies, both new: what is written as it is asked for', () => {
      const [one, two] = [
        policyFor({ nodeSelector: { pool: 'a' } }, 'one'),
        policyFor({ nodeSelector: { pool: 'b' } }, 'two'),
      ]
      const both = plan(listOf([NODES, one, two, ...target]))
      assert.equal(errorsOf(both), ['NameCollision'])
      const more = written(said(both, 'NameCollision')[0] ?? '')
      assert.equal(more, {
        names: { m5: `${base}-two-m5`, default: `${base}-two-default`, remainder: `${base}-two-remainder` },
        labels: { nodeGroup: 'nodefit.dev/two-node-group' },
      })
      const apart = plan(listOf([NODES, one, withSpec(two, more), ...target]))
      isWell(apart)
      isWell(rerender(apart, (object) => object))
    })
    test('two policies on the same nodes, both new: kept from each other, not told apart', () => {
      const both = plan(
        listOf([NODES, policyFor({}, 'one'), policyFor({ nodeSelector: { pool: 'b' } }, 'two'), ...target]),
      )
      assert.ok(errorsOf(both).includes('PolicyOverlap'), errorsOf(both).join())
      assert.not.ok(errorsOf(both).includes('NameCollision'))
    })
    test('two policies, names alone told apart: the group label, too', () => {
      const [one, two] = [
        policyFor({ nodeSelector: { pool: 'a' } }, 'one'),
        policyFor({ nodeSelector: { pool: 'b' } }, 'two'),
      ]
      const named = withSpec(two, { names: { m5: 'x', default: 'y', remainder: 'z' } })
      const both = plan(listOf([NODES, one, named, ...target]))
      assert.equal(errorsOf(both), ['SelectorsMeet', 'SelectorsMeet'])
      const { labels } = written(said(both, 'SelectorsMeet').find((message) => message.startsWith('two')) ?? '')
      assert.equal(labels, { nodeGroup: 'nodefit.dev/two-node-group' })
      isWell(plan(listOf([NODES, one, withSpec(named, { labels }), ...target])))
    })
    test('a policy beside one that has rendered: nothing is to be done, and nothing is renamed', () => {
      const alone = plan(listOf([NODES, policyFor({ nodeSelector: { pool: 'b' } }, 'two'), ...target]))
      const added = policyFor({ nodeSelector: { pool: 'a' } }, 'one')
      const both = rerender(alone, (object) => (object.kind === 'SizingPolicy' ? [object, added] : object))
      isWell(both)
      for (const [before, object] of rendered(alone.items)) assert.equal(rendered(both.items).get(before), object)
      assert.equal(said(both, 'SelectorsMeet'), [])
      const again = rerender(both, (object) => object)
      isWell(again)
      assert.ok(again.packages.every(({ changes }) => changes.every(({ kind }) => kind === 'unchanged')))
    })
    test('two policies that have rendered, and a group that is new to both', () => {
      const [one, two] = [
        policyFor({ nodeSelector: { pool: 'a' } }, 'one'),
        policyFor({ nodeSelector: { pool: 'b' } }, 'two'),
      ]
      const names = { m5: 'two-m5', remainder: 'two-rest' }
      const labels = { nodeGroup: 'example.com/two' }
      const old = [
        policyFor({ nodeSelector: { pool: 'a' }, defaultNodeGroup: '' }, 'one'),
        policyFor({ nodeSelector: { pool: 'b' }, defaultNodeGroup: '', names, labels }, 'two'),
      ]
      const before = plan(listOf([NODES, ...old, ...target]))
      assert.equal(errorsOf(before), [])
      const now = rerender(before, (object) => {
        if (object.kind !== 'SizingPolicy') return object
        return object.metadata.name === 'one' ? one : withSpec(two, { names, labels })
      })
      isWell(now)
      for (const [own, object] of rendered(before.items)) assert.equal(rendered(now.items).get(own), object)
    })
    test('a run for one policy keeps out of the names that another run has given', () => {
      const alone = plan(listOf([NODES, policyFor({ nodeSelector: { pool: 'b' } }, 'two'), ...target]))
      const added = policyFor({ nodeSelector: { pool: 'a' } }, 'one')
      const both = plan(
        listOf(
          alone.items.map(({ object }) => object),
          added,
        ),
      )
      isWell(both)
    })
  })
}

suite('mends followed: a DaemonSet that is handed back', (test) => {
  const first = () => plan(listOf([NODES, policy(), daemonSet()]))
  test('beside a group whose mark was taken off', () => {
    const lost = rerender(first(), changed('agent-m5', withoutMark))
    const off = rerender(lost, policies({ enabled: false }))
    assert.equal([errorsOf(off), said(off, 'AgentTwice').length], [[], 1])
    assert.equal(agentsOn(off), { a: 2, b: 2, c: 1, d: 1 })
    const lostAndOff = rerender(lost, (object) =>
      object.metadata.name === 'agent-m5' && object.metadata.annotations?.[OWNER] === undefined
        ? undefined
        : policies({ enabled: false })(object),
    )
    isWell(lostAndOff)
    isWell(without(off, 'agent-m5'))
  })
  test('since its policy is gone, beside a static copy', () => {
    const allowed = {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'RenderConfig',
      metadata: { name: 'c' },
      spec: { allow: ['OrphanedOutput'] },
    }
    const gone = rerender(first(), (object) => (object.kind === 'SizingPolicy' ? [allowed, twin(undefined)] : object))
    assert.equal([errorsOf(gone), said(gone, 'AgentTwice').length], [[], 1])
    isWell(without(gone, 'twin'))
  })
  test('a run for a policy that is disabled leaves it alone where another run’s groups are', () => {
    const one = policy({ nodeSelector: { pool: 'a' } }, 'one')
    const two = policy({ nodeSelector: { pool: 'b' } }, 'two')
    const ran = plan(listOf([NODES, daemonSet()], one))
    const off = plan(
      listOf(
        ran.items.map(({ object }) => object),
        withSpec(two, { enabled: false }),
      ),
    )
    assert.equal([errorsOf(off), agentsOn(off)], [[], { a: 1, b: 0, c: 1, d: 0 }])
  })
  test('two templates whose pods have the same labels: each has its own', () => {
    const other = daemonSet({ containers: [{ name: 'other', image: 'other:1' }] }, { name: 'other' })
    const second = policy({ targetRef: { name: 'other' } }, 'second')
    const both = plan(listOf([NODES, policy(), second, daemonSet(), other]))
    assert.equal(errorsOf(both), ['SelectorsMeet', 'SelectorsMeet'])
    const labels = { 'app.kubernetes.io/name': 'other' }
    const { template } = other.spec as { template: object }
    const own = withSpec(other, { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } })
    assert.equal(errorsOf(plan(listOf([NODES, policy(), second, daemonSet(), own]))), [])
  })
})

suite('mends followed: what carries the label of Kubescape’s operator', (test) => {
  test('a group whose mark was taken off: it is removed', () => {
    const spec = { remainder: true, defaultNodeGroup: 'default' }
    const first = plan(listOf([NODES, kubescapePolicy(spec), templateMap(), operatorConfig(false)]))
    const lost = rerender(first, changed('node-agent-m5', withoutMark))
    assert.equal(errorsOf(lost), ['OperatorLeftover'])
    isWell(without(lost, 'node-agent-m5'))
  })
})

suite('mends followed: an Order', (test) => {
  const sizing = (spec: object = {}, name = 'p') =>
    policy({ targetRef: { kind: 'Order', name: 'infra' }, ...spec }, name, { namespace: 'ns' })
  const reservations = (result: Plan) => {
    const nodes = ticketsIn(result).map(({ metadata }) => metadata.annotations?.['nodefit.dev/node'])
    return nodes.sort()
  }
  test('a group whose mark was taken off: it is removed', () => {
    const first = plan(listOf([NODES, order(), sizing()]))
    const lost = rerender(first, (object) => (object.metadata.name === 'infra-m5' ? withoutMark(object) : object))
    assert.ok(errorsOf(lost).includes('ForeignObject'))
    const removed = rerender(lost, (object) =>
      object.metadata.name === 'infra-m5' && object.metadata.annotations?.[OWNER] === undefined ? undefined : object,
    )
    assert.equal([errorsOf(removed), reservations(removed)], [[], ['a', 'b', 'c', 'd']])
  })
  test('two policies of one Order: names are told apart', () => {
    const [one, two] = [sizing({ nodeSelector: { pool: 'a' } }, 'one'), sizing({ nodeSelector: { pool: 'b' } }, 'two')]
    const both = plan(listOf([NODES, order(), one, two]))
    assert.ok(errorsOf(both).every((code) => code === 'ForeignObject'))
    const apart = plan(
      listOf([NODES, order(), one, withSpec(two, { names: { m5: 'infra-two-m5', default: 'infra-two-default' } })]),
    )
    assert.equal([errorsOf(apart), reservations(apart)], [[], ['a', 'b', 'c', 'd']])
  })
})

suite('mends followed: groups of one policy with one name', (test) => {
  const POOL = 'karpenter.sh/nodepool'
  const fleet = (...all: Array<Record<string, string>>) =>
    inventory(all.map((labels, index) => shape(labels, [`n${index}`])))
  const spec = { nodeGroupLabel: POOL }
  const rows: ReadonlyArray<readonly [name: string, nodes: KubernetesObject, spec: object]> = [
    ['two values', fleet({ [POOL]: 'a.b' }, { [POOL]: 'a_b' }, { [POOL]: 'a-b' }), spec],
    ['a value called default and nodes without the label', fleet({ [POOL]: 'default' }, {}), spec],
    [
      'the same, with a value that has the proposed name',
      fleet({ [POOL]: 'default' }, { [POOL]: 'unlabelled' }, {}),
      spec,
    ],
    [
      'a value and an explicit group of its name',
      fleet({ [POOL]: 'gpu' }, { kind: 'gpu', [POOL]: 'b' }),
      { ...spec, groups: [{ name: 'gpu', nodeSelector: { kind: 'gpu' } }] },
    ],
    [
      'two explicit groups',
      fleet({ kind: 'x', [POOL]: 'b' }, { kind: 'y' }),
      {
        ...spec,
        groups: [
          { name: 'G.1', nodeSelector: { kind: 'x' } },
          { name: 'g-1', nodeSelector: { kind: 'y' } },
        ],
      },
    ],
    [
      'an explicit group called default and nodes without the label',
      fleet({ kind: 'x' }, { [POOL]: 'b' }, {}),
      { ...spec, groups: [{ name: 'default', nodeSelector: { kind: 'x' } }] },
    ],
  ]
  for (const [name, nodes, own] of rows)
    test(name, () => {
      const first = plan(listOf([nodes, policy(own as Record<string, unknown>), daemonSet()]))
      assert.equal(errorsOf(first), ['NameCollision'])
      const text = said(first, 'NameCollision')[0] ?? ''
      const pasted = { ...own, ...written(text.slice(text.indexOf('; set '))) }
      const made = plan(listOf([nodes, policy(pasted), daemonSet()]))
      assert.equal(errorsOf(made), [], text)
      assert.equal(said(made, 'OverrideUnused'), [])
      // what is proposed is also in the result, for a tool to write
      const { field } = first.findings.find(({ code }) => code === 'NameCollision') ?? {}
      const proposed = { ...own, [(field?.path ?? '').replace('spec.', '')]: field?.proposedValue }
      assert.equal(errorsOf(plan(listOf([nodes, policy(proposed), daemonSet()]))), [])
    })
  test('two policies, whose default groups alone have one name, which spec.names cannot change', () => {
    const both = (more: object = {}) => {
      const nodes = fleet({ [POOL]: 'x', at: 'a' }, { [POOL]: 'default', at: 'b' })
      const [one, two] = ['a', 'b'].map((at) => ({ ...spec, nodeSelector: { at }, remainder: false }))
      // the key is that of the value
      const named = { names: { default: 'value' }, labels: { nodeGroup: 'nodefit.dev/two' } }
      return plan(listOf([nodes, policy(one, 'one'), policy({ ...two, ...named, ...more }, 'two'), daemonSet()]))
    }
    assert.equal(errorsOf(both()), ['NameCollision'])
    const { field } = both().findings.find(({ code }) => code === 'NameCollision') ?? {}
    const proposed = { path: 'spec.defaultNodeGroup', currentValue: 'default', proposedValue: 'two-default' }
    assert.equal(field, proposed)
    assert.equal(errorsOf(both({ defaultNodeGroup: proposed.proposedValue })), [])
  })
  test('a NodePool called default, and no node without the label', () => {
    const made = plan(listOf([fleet({ [POOL]: 'default' }), policy(spec), daemonSet()]))
    assert.equal(errorsOf(made), [])
    const names = [...rendered(made.items).keys()].sort()
    assert.equal(names, ['agent-default', 'agent-default-37a8ee', 'agent-remainder'])
    const again = rerender(made, (object) =>
      object.kind === 'NodeInventory' ? fleet({ [POOL]: 'default' }, {}) : object,
    )
    assert.equal(errorsOf(again), [])
    assert.equal([...rendered(again.items).keys()].sort(), names, 'names of live objects stay when such a node comes')
  })
  test('a value called remainder, too', () => {
    const made = plan(listOf([fleet({ [POOL]: 'remainder' }), policy(spec), daemonSet()]))
    assert.equal(errorsOf(made), [])
    assert.ok(rendered(made.items).has('agent-remainder'))
  })
  test('the identity of a group is no key, and the warning has the key', () => {
    const names = { 'value:a': 'mine' }
    const made = plan(listOf([fleet({ [POOL]: 'a' }), policy({ ...spec, names }), daemonSet()]))
    assert.match(said(made, 'OverrideUnused')[0] ?? '', 'there is no such group; did you mean "a"?')
  })
})
