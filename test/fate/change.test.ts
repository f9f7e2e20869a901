/** Planned against present: what is counted, and the reasons that are given. */
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { codes, config, daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from '../support/objects.ts'
import { errorsOf } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([
  shape({ [TYPE]: 'm5.large', pool: 'a' }, ['a']),
  shape({ [TYPE]: 'c5.large', pool: 'b' }, ['b']),
])
const OBJECTS = [NODES, policy({ remainder: false, defaultNodeGroup: '' }), daemonSet()]
const FREE = config({ guards: { maxGroupsRemoved: null } })
const first = () => plan(listOf([...OBJECTS, FREE]))
const stream = (objects: readonly KubernetesObject[], earlier: readonly KubernetesObject[]) => {
  const list = (all: readonly KubernetesObject[]) => ({
    apiVersion: 'config.kubernetes.io/v1',
    items: all.map((object) => newItem(withoutWireAnnotations(object))),
    results: [],
  })
  return plan(list(objects), { earlier: list(earlier) })
}
const ofPolicy = (change: (policy: KubernetesObject) => KubernetesObject) => (object: KubernetesObject) =>
  object.kind === 'SizingPolicy' ? change(object) : object

suite('changes', (test) => {
  test('against earlier output that is given apart', () => {
    const before = [...rendered(first().items).values()]
    const same = stream(OBJECTS, before)
    assert.match(same.findings[0]?.message ?? '', '0 objects added, 0 changed, 0 removed, 2 unchanged')
    assert.equal(said(same, 'GroupAdded'), [])
    const [, one = NODES] = before
    const less = stream(OBJECTS, [one])
    assert.match(less.findings[0]?.message ?? '', '1 object added, 0 changed, 0 removed, 1 unchanged')
  })
  test('give the old and the new value of each field', () => {
    const second = rerender(
      first(),
      ofPolicy((object) => withSpec(object, { minResources: { cpu: '1' } })),
    )
    const [change] = second.packages.flatMap(({ changes }) => changes)
    assert.is(change?.kind, 'changed')
    assert.equal(change?.fields[0], {
      path: 'spec.template.spec.containers.0.resources.limits.cpu',
      before: '200m',
      after: '1',
    })
  })
})

/** An agent with these variables, and arguments that nobody else may read. */
const withEnv = (env: object[], args = ['--token=abc']) =>
  daemonSet({
    containers: [{ name: 'agent', image: 'agent:1', args, env }],
  }).spec as object
const PASSWORD = { name: 'PASSWORD', value: 'hunter2' }

const CHANGED: Array<
  [name: string, before: object[], after: object[], policy: object, shown: RegExp, args?: string[]]
> = [
  ['a variable of the template', [PASSWORD], [{ ...PASSWORD, value: 'hunter3' }], {}, /env\.0\.value$/],
  ['an argument', [], [], {}, /args\.0$/, ['--token=def']],
  ['a variable that is new', [], [PASSWORD], {}, /\.env\.0$/],
  [
    'a variable that nodefit computes',
    [],
    [],
    { goMemLimitPercentage: 0.5 },
    /env\.0\.value 665MiB -> 409MiB, .*limits\.cpu 200m -> 400m/,
  ],
  [
    'a variable in whose place another was',
    [{ name: 'PIN', value: '1234' }],
    [],
    { goMemLimitPercentage: 0.5 },
    /env\.0\.name, \S*env\.0\.value$/,
  ],
]

suite('what is said of a change', (test) => {
  test('the old and the new value, those of the pods first', () => {
    const second = rerender(first(), (object) => {
      if (object.kind === 'SizingPolicy') return withSpec(object, { minResources: { cpu: '1' } })
      return object.kind === 'NodeInventory'
        ? inventory([shape({ [TYPE]: 'm5.large', pool: 'a' }, ['a', 'b', 'c'])])
        : object
    })
    assert.match(
      said(second, 'GroupChanged').join(),
      /changed: spec\.template\.spec\.containers\.0\.resources\.limits\.cpu 200m -> 1, .*requests\.cpu 100m -> 1, metadata\.annotations\.nodefit\.dev\/nodes 1 -> 3$/,
    )
  })
  test('integers that no number holds, and nothing at all', () => {
    for (const cpu of [9007199254740993n, null]) {
      const second = rerender(first(), (object) => {
        const resources = { limits: { cpu } }
        const pod = { containers: [{ name: 'agent', image: 'agent:1', resources }] }
        return object.metadata.name === 'agent-m5-large' ? withSpec(object, { template: { spec: pod } }) : object
      })
      assert.match(
        said(second, 'GroupChanged').join(),
        cpu === null ? 'limits.cpu null -> 200m' : `limits.cpu "${cpu}" -> 200m`,
      )
    }
  })
  test('long values are shortened', () => {
    const image = `registry.example.com/${'a'.repeat(60)}:1`
    const second = rerender(first(), (object) =>
      object.metadata.name === 'agent' && object.kind === 'DaemonSet'
        ? withSpec(object, daemonSet({ containers: [{ name: 'agent', image }] }).spec as object)
        : object,
    )
    assert.match(
      said(second, 'GroupChanged')[0] ?? '',
      / image agent:1 -> registry\.example\.com\/a{16}\.\.\.$|image agent:1 -> registry\.example\.com\/a+\.\.\.$/,
    )
  })
  for (const [name, before, after, spec, shown, args] of CHANGED)
    test(`no secrets: ${name}`, () => {
      const one = plan(listOf([NODES, OBJECTS[1] as KubernetesObject, withSpec(daemonSet(), withEnv(before)), FREE]))
      const isFirstComputed = name === 'a variable that nodefit computes'
      const start = isFirstComputed
        ? rerender(
            one,
            ofPolicy((object) => withSpec(object, { goMemLimitPercentage: 0.8125 })),
          )
        : one
      const second = rerender(start, (object) => {
        if (object.kind === 'SizingPolicy')
          return withSpec(object, { ...spec, ...(isFirstComputed ? { minResources: { cpu: '400m' } } : {}) })
        const isTemplate = object.metadata.name === 'agent' && object.kind === 'DaemonSet'
        return isTemplate ? withSpec(object, withEnv(after, args)) : object
      })
      const sentence = said(second, 'GroupChanged')[0] ?? ''
      assert.match(sentence, shown)
      assert.not.match(sentence, /hunter|token|1234/)
    })
})

suite('why a group is removed', (test) => {
  const reason = (result: ReturnType<typeof plan>) =>
    said(result, 'GroupRemoved').map((text) => text.replace(/.* is removed: /, ''))
  test('its nodes are gone', () => {
    const left = inventory([shape({ [TYPE]: 'c5.large', pool: 'b' }, ['b'])])
    const gone = (spec: object) =>
      rerender(first(), (object) =>
        object.kind === 'NodeInventory' ? left : object.kind === 'SizingPolicy' ? withSpec(object, spec) : object,
      )
    assert.equal(reason(gone({ retainGroups: 0 })), ['no node or declared shape is in value:m5.large any more'])
    assert.equal(reason(gone({})), [])
  })
  test('it has another name', () => {
    const renamed = rerender(
      first(),
      ofPolicy((object) => withSpec(object, { names: { 'm5.large': 'agent-big' } })),
    )
    assert.equal(reason(renamed), ['value:m5.large is now named agent-big'])
  })
  test('nodes are grouped by another label', () => {
    const regrouped = rerender(
      first(),
      ofPolicy((object) => withSpec(object, { nodeGroupLabel: 'pool' })),
    )
    assert.equal(reason(regrouped), [
      `nodes are no longer grouped by ${TYPE}`,
      `nodes are no longer grouped by ${TYPE}`,
    ])
  })
  const UNLIMITED = { guards: { maxGroupsRemoved: null } }
  const NOW: Array<[name: string, spec: object, reason: string, pod?: Record<string, unknown>, more?: object]> = [
    [
      'its nodes are in an explicit group now',
      { groups: [{ name: 'g', nodeSelector: { pool: 'a' } }] },
      'its nodes are now in group g',
    ],
    [
      'the policy selects other nodes',
      { nodeSelector: { pool: 'b' } },
      'its nodes are excluded by nodeSelector or affinity of the policy',
    ],
    [
      'the template selects other nodes',
      {},
      'its nodes are excluded by nodeSelector or affinity of the template',
      { nodeSelector: { pool: 'b' } },
    ],
    [
      'a shape without nodes is in another group now',
      { groups: [{ name: 'g', nodeSelector: { pool: 'a' } }] },
      'its shapes are now in group g',
      {},
      { nodes: undefined, count: 0 },
    ],
    ['there is no remainder', { remainder: false }, 'the policy has remainder: false'],
    ['there is no default group', { defaultNodeGroup: '' }, 'the policy has defaultNodeGroup: ""'],
  ]
  for (const [name, spec, wanted, pod = {}, more = {}] of NOW)
    test(name, () => {
      const isLess = Object.keys(spec).some((key) => key === 'remainder' || key === 'defaultNodeGroup')
      const start = isLess ? {} : { remainder: false, defaultNodeGroup: '' }
      const second = rerender(plan(listOf([NODES, policy(start), daemonSet(), config(UNLIMITED)])), (object) => {
        if (object.kind === 'SizingPolicy') return withSpec(object, spec)
        if (object.kind === 'NodeInventory')
          return inventory([
            shape({ [TYPE]: 'm5.large', pool: 'a' }, ['a'], '4', '16Gi', more),
            shape({ [TYPE]: 'c5.large', pool: 'b' }, ['b']),
          ])
        if (object.kind !== 'DaemonSet' || object.metadata.name !== 'agent') return object
        return { ...daemonSet(pod), metadata: object.metadata }
      })
      assert.equal(errorsOf(second), [])
      assert.equal(reason(second), [wanted])
    })
  test('some of its nodes are in another group, and some are kept out', () => {
    const both = [
      shape({ [TYPE]: 'm5.large', pool: 'a' }, ['a']),
      shape({ [TYPE]: 'm5.large', pool: 'b' }, ['b']),
      shape({ [TYPE]: 'm5.large', pool: 'c' }, ['c']),
      shape({ [TYPE]: 'c5.large', pool: 'b' }, ['d']),
    ]
    const start = policy({ remainder: false, defaultNodeGroup: '' })
    const second = rerender(
      plan(listOf([inventory(both), start, daemonSet(), config(UNLIMITED)])),
      ofPolicy((object) =>
        withSpec(object, {
          groups: [
            { name: 'g', nodeSelector: { pool: 'a' } },
            { name: 'h', nodeSelector: { pool: 'b', [TYPE]: 'm5.large' } },
          ],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'NotIn', values: ['c'] }] }],
              },
            },
          },
        }),
      ),
    )
    assert.equal(reason(second), [
      'its nodes are now in groups g, h, or excluded by nodeSelector or affinity of the policy',
    ])
  })
  test('its policy is disabled', () => {
    const disabled = rerender(
      first(),
      ofPolicy((object) => withSpec(object, { enabled: false })),
    )
    assert.equal(reason(disabled), ['the policy is disabled', 'the policy is disabled'])
  })
})

suite('a mend that is followed to the letter', (test) => {
  test('SelectorChanged: a new name for each group, and no guard in the way', () => {
    const labels = { app: 'agent', tier: 'new' }
    const changed = (object: KubernetesObject) =>
      object.kind === 'DaemonSet' && object.metadata.name === 'agent'
        ? withSpec(object, {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'agent' }] } },
          })
        : object
    const relabelled = rerender(plan(listOf(OBJECTS)), (object) => {
      const made = changed(object)
      return object.metadata.name === 'agent-m5-large' || object.metadata.name === 'agent-c5-large'
        ? withSpec(object, { selector: { matchLabels: { app: 'old' } } })
        : made
    })
    assert.equal(errorsOf(relabelled), ['SelectorChanged', 'SelectorChanged'])
    const names = { 'm5.large': 'agent-m5-new', 'c5.large': 'agent-c5-new' }
    const mended = rerender(
      relabelled,
      ofPolicy((object) => withSpec(object, { names })),
    )
    assert.equal(errorsOf(mended), [])
    assert.equal([...rendered(mended.items).keys()].sort(), ['agent-c5-new', 'agent-m5-new'])
  })
  test('PolicyMoved: a policy that moved with its template says where it renders now', () => {
    const placed = (namespace: string) => [
      NODES,
      policy({ remainder: false, defaultNodeGroup: '' }, 'agent', { namespace }),
      daemonSet({}, { namespace }),
    ]
    const moved = rerender(plan(listOf(placed('old'))), (object) => {
      if (object.kind === 'NodeInventory') return object
      const isOurs = object.metadata.annotations?.['nodefit.dev/owner'] !== undefined
      return isOurs ? object : { ...object, metadata: { ...object.metadata, namespace: 'new' } }
    })
    assert.equal(errorsOf(moved), ['PolicyMoved'])
    assert.match(said(moved, 'PolicyMoved')[0] ?? '', 'SizingPolicy/agent, which now renders to namespace new')
    const withAllowed = (code: string) =>
      rerender(moved, (object) => (object.kind === 'NodeInventory' ? [object, config({ allow: [code] })] : object))
    assert.equal(errorsOf(withAllowed('OrphanedOutput')), ['PolicyMoved'])
    const allowed = withAllowed('PolicyMoved')
    assert.equal(errorsOf(allowed), [])
    assert.equal(
      [...rendered(allowed.items).values()].map(({ metadata }) => metadata.namespace),
      ['new', 'new'],
    )
  })
})

suite('the words of a change', (test) => {
  test('what is in the pods before what only nodefit reads, and values before paths alone', () => {
    const nodes = (...names: string[]) => inventory([shape({ [TYPE]: 'm5' }, names)])
    const changed = rerender(plan(listOf([nodes('a'), policy(), daemonSet()])), (object) => {
      if (object.kind === 'NodeInventory') return nodes('a', 'b', 'c', 'd', 'e')
      if (object.kind !== 'DaemonSet' || object.metadata.name !== 'agent') return object
      const containers = [{ name: 'agent', image: 'agent:2', imagePullPolicy: 'Always' }]
      return { ...daemonSet({ containers }), metadata: object.metadata }
    })
    const pod = 'spec.template.spec.containers.0'
    const message = said(changed, 'GroupChanged').find((one) => one.includes('agent-m5')) ?? ''
    const at = [
      `${pod}.image agent:1 -> agent:2`,
      `${pod}.imagePullPolicy`,
      'metadata.annotations.nodefit.dev/nodes 1 -> 5',
    ]
    assert.equal(
      at.map((text) => message.includes(text)),
      [true, true, true],
      message,
    )
    assert.equal(
      [...at].sort((a, b) => message.indexOf(a) - message.indexOf(b)),
      at,
      message,
    )
  })
})

suite('the words of a summary', (test) => {
  test('count what the findings name: without an agent, and where no new pod starts', () => {
    const taint = (effect: string) => ({ taints: [{ key: 'x', effect }] })
    const nodes = inventory([
      shape({ [TYPE]: 'x' }, ['a']),
      shape({ [TYPE]: 'x' }, ['b', 'c'], '4', '16Gi', taint('NoExecute')),
      shape({ [TYPE]: 'x' }, ['d', 'e', 'f'], '4', '16Gi', taint('NoSchedule')),
    ])
    const result = plan(listOf([nodes, policy(), daemonSet()]))
    assert.match(result.findings[0]?.message ?? '', '2 nodes without an agent, 3 nodes where no new pod starts')
    assert.match(result.findings[0]?.message ?? '', ' on 1 pod, 3 more if they run there already')
    assert.match(said(result, 'NodesWithoutAgent').join(), /^agent: 2 nodes without an agent, .*: b, c$/)
    assert.match(said(result, 'NoNewPods').join(), /^agent: 3 nodes where no new pod starts, .*: d, e, f$/)
    assert.ok(codes(result.findings).includes('PolicySummary'))
  })
})

suite('what a template may not hand on', (test) => {
  for (const [place, metadata, template] of [
    ['annotations', { annotations: { port: 9090 } }, {}],
    ['labels', { labels: { version: 2 } }, {}],
    ['annotations of its pods', {}, { annotations: { scrape: true } }],
    ['a key that is none', { annotations: { 'a b': 'x' } }, {}],
  ] as const)
    test(`a number, or what is no key, among ${place}`, () => {
      const made = daemonSet({}, metadata)
      const { template: pods } = made.spec as { template: { metadata: object } }
      const bad = withSpec(made, { template: { ...pods, metadata: { ...pods.metadata, ...template } } })
      assert.equal(errorsOf(plan(listOf([NODES, policy(), bad]))), ['TemplateInvalid'])
    })
})
