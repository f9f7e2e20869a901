/** Whether Kubernetes would make and start the pods of what is rendered. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { container, limitRange, resourceQuota, runtimeClass, usage } from '../support/fit.ts'
import {
  config,
  countedShape,
  daemonSet,
  inventory,
  listOf,
  node,
  OS,
  policy,
  shape,
  TYPE,
} from '../support/objects.ts'
import { rerender, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../support/template.ts'

const FIT = [
  'DoesNotFit',
  'ResourcesRefused',
  'LimitRangeRefuses',
  'LimitRangeAmbiguous',
  'ResourceQuotaRefuses',
  'ResourceQuotaExceeded',
  'FitNotChecked',
]
const small = (...names: string[]) => shape({ [TYPE]: 'small' }, names, '1', '1Gi')
const large = (...names: string[]) => shape({ [TYPE]: 'small' }, names, '8', '32Gi')
const asking = (memory: string, more: object = {}) =>
  policy({ minResources: { memory }, maxResources: { memory: '64Gi' }, ...more })
const D = daemonSet()
const run = (...objects: KubernetesObject[]) => plan(listOf(objects))
const found = (...objects: KubernetesObject[]) => foundIn(run(...objects))
const foundIn = ({ findings }: ReturnType<typeof run>) =>
  findings.filter(({ code }) => FIT.includes(code)).map(({ code, severity, sentence }) => [code, severity, sentence])
const kinds = (...objects: KubernetesObject[]) => found(...objects).map(([code, severity]) => `${severity} ${code}`)

suite('the room on nodes', (test) => {
  test('all of a node is enough', () => assert.equal(found(inventory([small('a')]), asking('1Gi'), D), []))
  test('more than any node of the group has is an error', () =>
    assert.equal(found(inventory([small('a', 'b')]), asking('1025Mi'), D), [
      [
        'DoesNotFit',
        'error',
        'agent: the pods of agent-small fit on none of 2 nodes (a, b): memory 1025Mi is requested, 1024Mi is allocatable; the template’s own pod would fit',
      ],
    ]))
  test('where the minimum is more than a type has, the override that mends it is there to copy', () => {
    const nodes = inventory([small('a'), shape({ [TYPE]: 'big' }, ['b'], '8', '32Gi')])
    const refused = run(nodes, asking('1025Mi'), D).findings.find(({ code }) => code === 'DoesNotFit')
    assert.equal(refused?.lines, ['  overrides:', '    - { groups: [small], minResources: { memory: 768Mi } }'])
    const overrides = [{ groups: ['small'], minResources: { memory: '1Gi' } }]
    assert.equal(found(nodes, asking('1025Mi', { overrides }), D), [])
    const cpu = policy({ minResources: { cpu: '1500m' }, maxResources: { cpu: '9' } })
    const [lines] = run(nodes, cpu, D).findings.flatMap((one) => (one.code === 'DoesNotFit' ? [one.lines ?? []] : []))
    assert.match(lines?.join('') ?? '', 'minResources: { cpu: 750m }')
    const percentage = policy({
      resourcePercentages: { requestCPU: 100, requestMemory: 100, limitCPU: 100, limitMemory: 100 },
      maxResources: { cpu: '9', memory: '64Gi' },
    })
    const two = daemonSet({ containers: [container('agent', {}), container('beside', { memory: '1Gi' })] })
    const others = run(
      nodes,
      { ...percentage, spec: { ...(percentage.spec as object), containers: [{ name: 'agent', share: 100 }] } },
      two,
    )
    assert.equal(
      others.findings.filter(({ code }) => code === 'DoesNotFit').map((one) => one.lines),
      [undefined],
    )
  })
  test('the size of larger nodes that hysteresis keeps may fit on none, until it keeps no size of such nodes', () => {
    const keeping = policy({
      hysteresisPercent: 100,
      resourcePercentages: { requestCPU: 5, requestMemory: 10, limitCPU: 5, limitMemory: 10 },
      maxResources: { memory: '64Gi' },
    })
    const first = run(inventory([large('a')]), keeping, D)
    const later = (spec: object) =>
      rerender(first, (object) => {
        if (object.kind === 'NodeInventory') return inventory([small('a')])
        return object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
      })
    const [refused] = later({}).findings.filter(({ severity }) => severity === 'error')
    assert.is(refused?.code, 'DoesNotFit')
    assert.match(refused?.message ?? '', /memory 3276Mi is requested, 1024Mi is allocatable.*hysteresisPercent/)
    assert.equal(foundIn(later({ hysteresisPercent: 20 })), [])
  })
  test('more than some nodes have names these, and warns', () =>
    assert.equal(found(inventory([small('a'), large('b', 'c')]), asking('2Gi'), D), [
      [
        'DoesNotFit',
        'warning',
        'agent: the pods of agent-small do not fit on 1 of 3 nodes (a): memory 2Gi is requested, 1Gi is allocatable; the template’s own pod would fit',
      ],
    ]))
  test('a template that fits nowhere itself warns', () => {
    const side = daemonSet({ containers: [container('agent'), container('side', { memory: '8Gi' })] })
    assert.equal(kinds(inventory([small('a')]), policy(), side), ['warning DoesNotFit'])
    assert.match(
      found(inventory([small('a')]), policy(), side)[0]?.[2] ?? '',
      'the template’s own pod would not fit either',
    )
  })
  test('the template’s own sizes count for it', () => {
    const sized = daemonSet({ containers: [container('agent', { memory: '2Gi' })] })
    assert.equal(kinds(inventory([small('a')]), asking('3Gi'), sized), ['warning DoesNotFit'])
  })
  test('one group may be too large and another not', () => {
    const nodes = inventory([small('a'), shape({ [TYPE]: 'big' }, ['b'])])
    assert.equal(kinds(nodes, asking('2Gi'), D), ['error DoesNotFit'])
  })
  test('a node where no pod starts is not looked at, unless it is only unwell', () => {
    const tainted = (key: string) => inventory([{ ...small('a'), taints: [{ key, effect: 'NoSchedule' }] }, large('b')])
    assert.equal(kinds(tainted('gpu'), asking('2Gi'), D), [])
    assert.equal(kinds(tainted('node.kubernetes.io/not-ready'), asking('2Gi'), D), ['warning DoesNotFit'])
  })
  test('nodes that are only counted count, without names', () => {
    const counted = (count: number, cpu: string, memory: string) =>
      countedShape({ [TYPE]: 'small' }, count, { allocatable: { cpu, memory } })
    assert.equal(found(inventory([counted(2, '1', '1Gi')], { nodeCount: 2 }), asking('2Gi'), D), [
      [
        'DoesNotFit',
        'error',
        'agent: the pods of agent-small fit on none of 2 nodes: memory 2Gi is requested, 1Gi is allocatable; the template’s own pod would fit',
      ],
    ])
    const mixed = inventory([counted(2, '1', '1Gi'), counted(3, '8', '32Gi')], { nodeCount: 5 })
    assert.match(found(mixed, asking('2Gi'), D)[0]?.[2] ?? '', 'do not fit on 2 of 5 nodes:')
    assert.equal(kinds(mixed, policy(), D, resourceQuota({ pods: '4' })), ['warning ResourceQuotaExceeded'])
  })
  test('a type that may come counts where there is no node', () => {
    assert.equal(kinds(inventory([small()]), asking('2Gi'), D), ['error DoesNotFit'])
    assert.equal(kinds(inventory([small(), large('a')]), asking('2Gi'), D), [])
  })
  test('what a node does not report is not known to be missing, but for devices and hugepages', () => {
    const with2 = (name: string) => daemonSet({ containers: [container('agent', { [name]: '2' }, { [name]: '2' })] })
    assert.equal(kinds(inventory([small('a')]), policy(), with2('ephemeral-storage')), [])
    assert.equal(kinds(inventory([small('a')]), policy(), with2('example.com/gpu')), ['warning DoesNotFit'])
  })
  test('a node that reports nothing yet is not looked at, and may be large enough', () => {
    const silent = shape({ [TYPE]: 'small' }, ['new'], '0', '0')
    assert.equal(kinds(inventory([large('a'), silent]), policy(), D), [])
    assert.equal(kinds(inventory([small('a'), silent]), asking('2Gi'), D), ['warning DoesNotFit'])
  })
  test('of amounts that cannot be read nothing is known', () => {
    const odd = { ...small('a'), allocatable: { cpu: '1', memory: '1Gi', pods: 'many' } }
    assert.equal(kinds(inventory([odd]), policy(), D), [])
  })
  test('sidecars and init containers count', () => {
    const init = (restartPolicy?: string) =>
      daemonSet({
        containers: [container('agent')],
        initContainers: [container('i', { memory: '900Mi' }, undefined, { ...(restartPolicy && { restartPolicy }) })],
      })
    assert.equal(kinds(inventory([small('a')]), policy(), init()), [])
    assert.equal(kinds(inventory([small('a')]), policy(), init('Always')), ['error DoesNotFit'])
  })
  test('the overhead of a RuntimeClass of the package counts', () => {
    const kata = daemonSet({ runtimeClassName: 'kata' })
    const nodes = inventory([small('a')])
    assert.equal(kinds(nodes, policy(), kata), [])
    assert.equal(kinds(nodes, policy(), kata, runtimeClass('kata')), [])
    assert.equal(kinds(nodes, policy(), kata, runtimeClass('kata', { podFixed: { memory: '900Mi' } })), [
      'error DoesNotFit',
    ])
  })
  test('a request that a LimitRange gives another container counts', () => {
    const two = daemonSet({ containers: [container('agent'), container('side')] })
    const given = limitRange([{ type: 'Container', defaultRequest: { memory: '2Gi' } }])
    assert.equal(kinds(inventory([small('a')]), policy(), two, given), ['warning DoesNotFit'])
  })
  test('the worst of what is missing is named, and an error where the template’s pod fits on one of them', () => {
    const tiny = shape({ [TYPE]: 'small' }, ['z'], '1', '512Mi')
    const sized = daemonSet({ containers: [container('agent', { memory: '800Mi' })] })
    assert.equal(found(inventory([small('a'), tiny]), asking('2Gi'), sized), [
      [
        'DoesNotFit',
        'error',
        'agent: the pods of agent-small fit on none of 2 nodes (a, z): memory 2048Mi is requested, 512Mi is allocatable; the template’s own pod would fit',
      ],
    ])
  })
  test('errors and warnings of one policy are said apart, the errors first', () => {
    const mixed = [shape({ [TYPE]: 'a' }, ['a1'], '1', '1Gi'), shape({ [TYPE]: 'a' }, ['a2'])]
    const nodes = inventory([...mixed, shape({ [TYPE]: 'b' }, ['b'], '1', '1Gi')])
    assert.equal(kinds(nodes, asking('2Gi'), D), ['error DoesNotFit', 'warning DoesNotFit'])
  })
  test('amounts are written as their resource is counted', () => {
    const cpu = policy({ minResources: { cpu: '1100m' } })
    assert.match(found(inventory([small('a')]), cpu, D)[0]?.[2] ?? '', 'cpu 1100m is requested, 1000m is allocatable')
    const pages = { 'hugepages-2Mi': '4Mi' }
    const huge = daemonSet({ containers: [container('agent', pages, pages)] })
    const text = found(inventory([small('a')]), policy(), huge)[0]?.[2] ?? ''
    assert.match(text, 'hugepages-2Mi 4Mi is requested, 0 is allocatable')
  })
  test('a template that leaves its sizes open asks for none of them', () => {
    const nodes = inventory([shape({ [OS]: 'linux', [TYPE]: 'small' }, ['a'], '1', '1Gi')])
    const large = kubescapePolicy({ minResources: { memory: '2Gi' }, maxResources: { memory: '2Gi' } })
    assert.equal(kinds(nodes, large, templateMap(), operatorConfig(false)), ['error DoesNotFit'])
  })
  test('a node that has cpu and says nothing of memory is not looked at', () =>
    assert.equal(kinds(inventory([large('a'), shape({ [TYPE]: 'small' }, ['new'], '1', '0')]), asking('2Gi'), D), []))
  test('it can be allowed', () => {
    const objects = [inventory([small('a')]), asking('2Gi'), D]
    assert.ok(run(...objects).failed)
    assert.not(run(...objects, config({ allow: ['DoesNotFit'] })).failed)
  })
})

suite('the room beside other pods', (test) => {
  const NODES = inventory([small('a', 'b')])
  const used = (memory: string, name = 'a') => ({ name, used: { cpu: '100m', memory, pods: '3' } })
  const own = (name: string, more: object = {}) => ({
    name,
    namespace: 'logs',
    requests: { memory: '300Mi' },
    nodes: ['a'],
    ...more,
  })
  test('counts where a snapshot knows it, and warns', () =>
    assert.equal(found(NODES, asking('800Mi'), D, usage([used('300Mi')])), [
      [
        'DoesNotFit',
        'warning',
        'agent: beside the pods that run now, the pods of agent-small do not fit on 1 of 2 nodes (a): memory 800Mi is requested, 724Mi is left of 1024Mi',
      ],
    ]))
  test('that request more than there is: by how much', () =>
    assert.match(
      found(NODES, asking('800Mi'), D, usage([used('1436Mi')]))[0]?.[2] ?? '',
      'memory 800Mi is requested, and the others request 412Mi more than its 1024Mi',
    ))
  test('is enough to the byte', () => assert.equal(found(NODES, asking('724Mi'), D, usage([used('300Mi')])), []))
  for (const [name, sets, want] of [
    ['a pod of the template is its own', [own('agent')], []],
    ['a pod of a group is its own', [own('agent-small')], []],
    ['a pod of another DaemonSet is not', [own('agents')], ['warning DoesNotFit']],
    ['a pod on another node does not count there', [own('agent', { nodes: ['b'] })], ['warning DoesNotFit']],
  ] as Array<[string, object[], string[]]>)
    test(name, () => assert.equal(kinds(NODES, asking('800Mi'), D, usage([used('300Mi')], sets)), want))
  test('in a namespace that is known the name alone is not enough', () => {
    const named = daemonSet({}, { namespace: 'agents' })
    const sized = { ...asking('800Mi'), metadata: { name: 'agent', namespace: 'agents' } }
    const with1 = (namespace: string) =>
      kinds(NODES, sized, named, usage([used('300Mi')], [own('agent', { namespace })]))
    assert.equal(with1('logs'), ['warning DoesNotFit'])
    assert.equal(with1('agents'), [])
  })
  test('what was rendered before is its own, under a name it had then', () => {
    const before = plan(listOf([NODES, policy({ names: { small: 'old' } }), D]))
    const after = rerender(before, (object) =>
      object.kind === 'SizingPolicy'
        ? [asking('800Mi', { names: { small: 'new' } }), usage([used('300Mi')], [own('old')])].map((one) => ({
            ...one,
            metadata: { ...object.metadata, name: one.metadata.name },
          }))
        : object,
    )
    assert.equal(foundIn(after), [])
  })
  test('what another policy rendered from the same template before it was disabled gives way, too', () => {
    const before = plan(listOf([NODES, policy({ names: { small: 'old' } }, 'first'), D]))
    const after = rerender(before, (object) =>
      object.kind === 'SizingPolicy'
        ? [withSpec(object, { enabled: false }), asking('800Mi'), usage([used('300Mi')], [own('old')])]
        : object,
    )
    assert.equal(
      foundIn(after).map(([code, severity]) => `${severity} ${code}`),
      [],
    )
  })
  test('where the template’s pod would not fit beside the others either, that is said', () => {
    const sized = daemonSet({ containers: [container('agent', { memory: '750Mi' })] })
    const [[, , text = ''] = []] = found(NODES, asking('800Mi'), sized, usage([used('300Mi')]))
    assert.ok(text.endsWith('; the template’s own pod would not fit either'), text)
  })
  test('a pod more than the node takes', () => {
    const nodes = inventory([{ ...small('a'), allocatable: { cpu: '1', memory: '1Gi', pods: '3' } }])
    assert.match(found(nodes, policy(), D, usage([used('1Mi')]))[0]?.[2] ?? '', 'pods 1 is requested, 0 is left of 3')
    assert.equal(found(nodes, policy(), D, usage([used('1Mi')], [own('agent', { requests: {} })])), [])
  })
  test('a node that is too small by itself is said once', () =>
    assert.equal(kinds(NODES, asking('2Gi'), D, usage([used('300Mi')])), ['error DoesNotFit']))
  test('of several snapshots the newest one counts', () => {
    const at = (observedAt: string, memory: string, name: string) => {
      const one = usage([used(memory)], [], { observedAt })
      return { ...one, metadata: { name } }
    }
    const objects = [at('2026-11-20T12:00:00Z', '1Mi', 'z'), at('2026-11-20T11:00:00Z', '900Mi', 'a')]
    assert.equal(kinds(NODES, asking('800Mi'), D, ...objects), [])
  })
  test('a snapshot of another cluster, or of nodes whose cluster nobody names, is refused', () => {
    const other = usage([used('1Mi')], [], { cluster: 'other' })
    assert.ok(run(NODES, policy(), D, other).findings.some(({ code }) => code === 'WrongCluster'))
    const bare = run(node('a', { [TYPE]: 'small' }), policy(), D, usage([used('1Mi')]))
    assert.ok(bare.findings.some(({ code }) => code === 'WrongCluster'))
  })
  test('a malformed amount is refused', () =>
    assert.ok(run(NODES, policy(), D, usage([used('lots')])).findings.some(({ code }) => code === 'InvalidField')))
  test('a snapshot without nodes says nothing', () => {
    const tickets = { ...usage([]), spec: { cluster: 'other', tickets: [] } }
    assert.not(run(NODES, policy(), D, tickets).failed)
  })
})

suite('the room beside the agents of other policies', (test) => {
  const NODES = inventory([small('a')])
  /** A policy, and an agent with a selector of its own. */
  const agent = (name: string, memory: string, spec: object = {}, metadata: object = {}): KubernetesObject[] => {
    const labels = { app: name }
    const pods = { metadata: { labels }, spec: { containers: [container(name, { memory: '1Mi' })] } }
    return [
      { ...asking(memory, { targetRef: { name }, ...spec }), metadata: { name, ...metadata } },
      {
        ...daemonSet({}, { name, ...metadata }),
        spec: { selector: { matchLabels: labels }, template: pods },
      },
    ]
  }
  const beside = (found: string, who: string, needs: string) => [
    [
      'DoesNotFit',
      'warning',
      `z: beside ${who}, the pods of z-small fit on none of 1 node${found}: memory ${needs} is requested, 424Mi is left of 1024Mi`,
    ],
  ]
  const used = (memory: string) => ({ name: 'a', used: { cpu: '100m', memory, pods: '3' } })
  const running = (name: string, memory: string) => ({ name, namespace: 'logs', requests: { memory }, nodes: ['a'] })
  const fill = (size: string) => [...agent('b', size), ...agent('z', size)]

  const ROWS: Array<[name: string, objects: KubernetesObject[], want: unknown[]]> = [
    [
      'each fits, and not both: the one behind is said',
      [NODES, ...fill('600Mi')],
      beside(' (a)', 'the agents of b', '600Mi'),
    ],
    [
      'in whatever order they are given',
      [...fill('600Mi').reverse(), NODES],
      beside(' (a)', 'the agents of b', '600Mi'),
    ],
    [
      'in another namespace, too',
      [NODES, ...agent('b', '600Mi'), ...agent('z', '600Mi', {}, { namespace: 'n' })],
      beside(' (a)', 'the agents of b', '600Mi'),
    ],
    ['both fit to the byte', [NODES, ...agent('b', '600Mi'), ...agent('z', '424Mi')], []],
    [
      'three of which any two fit',
      [NODES, ...agent('b', '300Mi'), ...agent('c', '300Mi'), ...agent('z', '600Mi')],
      beside(' (a)', 'the agents of b, c', '600Mi'),
    ],
    [
      'nodes that are only counted',
      [
        inventory([countedShape({ [TYPE]: 'small' }, 1, { allocatable: { cpu: '1', memory: '1Gi' } })]),
        ...fill('600Mi'),
      ],
      beside('', 'the agents of b', '600Mi'),
    ],
    [
      'on nodes of their own',
      [
        inventory([
          { ...small('a'), labels: { [TYPE]: 'small', pool: 'x' } },
          { ...small('c'), labels: { [TYPE]: 'small', pool: 'y' } },
        ]),
        ...agent('b', '600Mi', { nodeSelector: { pool: 'x' } }),
        ...agent('z', '600Mi', { nodeSelector: { pool: 'y' } }),
      ],
      [],
    ],
  ]
  for (const [name, objects, want] of ROWS) test(name, () => assert.equal(found(...objects), want))
  test('nodes of another cluster have the same names', () => {
    const other = { ...inventory([small('a')], { cluster: 'other' }), metadata: { name: 'other' } }
    const two = [...agent('b', '600Mi', { cluster: 'other' }), ...agent('z', '600Mi', { cluster: 'prod' })]
    assert.equal(found(NODES, other, ...two), [])
    const more = [...agent('b', '600Mi', { cluster: 'other' }), ...agent('z', '2Gi', { cluster: 'prod' })]
    assert.equal(found(inventory([large('a')]), other, ...more), [])
  })
  test('a type that may come is looked at as well', () =>
    assert.match(
      found(inventory([small()]), ...fill('600Mi'))[0]?.[2] ?? '',
      'z: beside the agents of b, the pods of z-small fit on no declared node type',
    ))
  test('one that is too large by itself stays pending, and takes no room', () =>
    assert.equal(
      found(NODES, ...agent('b', '2Gi'), ...agent('z', '900Mi')).map(([, , text]) => text?.split(':')[0]),
      ['b'],
    ))
  test('one that the API server refuses takes no room', () => {
    const max = limitRange([{ type: 'Container', max: { memory: '700Mi' } }], 'l', { namespace: 'n' })
    const two = [...agent('b', '800Mi', {}, { namespace: 'n' }), ...agent('z', '800Mi')]
    assert.equal(kinds(NODES, max, ...two), ['error LimitRangeRefuses'])
  })
  test('a disabled one takes no room', () =>
    assert.equal(kinds(NODES, ...agent('b', '600Mi', { enabled: false }), ...agent('z', '600Mi')), []))
  test('more agents than a node takes pods', () => {
    const full = inventory([{ ...small('a'), allocatable: { cpu: '1', memory: '1Gi', pods: '1' } }])
    assert.match(found(full, ...fill('1Mi'))[0]?.[2] ?? '', /^z: .*pods 1 is requested, 0 is left of 1/)
  })
  test('where a snapshot knows what runs, the pods of both give way to what both request now', () => {
    const pods = [running('b', '300Mi'), running('z', '300Mi')]
    assert.equal(found(NODES, ...fill('500Mi'), usage([used('600Mi')], pods)), [])
    assert.equal(found(NODES, ...fill('500Mi'), usage([used('700Mi')], pods)), [
      [
        'DoesNotFit',
        'warning',
        'z: beside the pods that run now and the agents of b, the pods of z-small fit on none of 1 node (a): memory 500Mi is requested, 424Mi is left of 1024Mi',
      ],
    ])
  })
})

suite('what limits pods', (test) => {
  const NODES = inventory([shape({ [TYPE]: 'x' }, ['a', 'b']), shape({ [TYPE]: 'y' }, ['c'])])
  const max = (memory: string, metadata: object = {}) =>
    limitRange([{ type: 'Container', max: { memory } }], 'l', metadata)
  test('a LimitRange that refuses the pods is said once for all groups', () =>
    assert.equal(found(NODES, policy(), D, max('1Mi')), [
      [
        'LimitRangeRefuses',
        'error',
        'agent: LimitRange l refuses DaemonSet agent-x and 3 more: container agent: memory limit 819Mi is above the maximum 1Mi',
      ],
    ]))
  test('of another namespace it does not count', () => {
    const sized = { ...policy(), metadata: { name: 'agent', namespace: 'n' } }
    const named = daemonSet({}, { namespace: 'n' })
    assert.equal(kinds(NODES, sized, named, max('1Mi')), [])
    assert.equal(kinds(NODES, sized, named, max('1Mi', { namespace: 'm' })), [])
    assert.equal(kinds(NODES, sized, named, max('1Mi', { namespace: 'n' })), ['error LimitRangeRefuses'])
  })
  test('it counts where it is only there to be read', () =>
    assert.equal(
      kinds(NODES, policy(), D, max('1Mi', { annotations: { 'config.kubernetes.io/local-config': 'true' } })),
      ['error LimitRangeRefuses'],
    ))
  test('two that disagree are asked in every order', () => {
    const two = daemonSet({ containers: [container('agent'), container('side')] })
    const give = (name: string, memory: string, more: object = {}) =>
      limitRange([{ type: 'Container', defaultRequest: { memory }, ...more }], name)
    assert.equal(kinds(NODES, policy(), two, give('a', '1Mi'), give('b', '2Mi')), ['warning LimitRangeAmbiguous'])
    assert.equal(kinds(NODES, policy(), two, give('a', '1Mi'), give('b', '64Gi')).sort(), [
      'warning DoesNotFit',
      'warning LimitRangeAmbiguous',
    ])
    const bounded = give('a', '2Mi', { min: { memory: '2Mi' } })
    assert.equal(kinds(NODES, policy(), two, bounded, give('b', '1Mi')).sort(), [
      'error LimitRangeRefuses',
      'warning LimitRangeAmbiguous',
    ])
  })
  test('a pod that is refused needs no room, and counts in no quota', () => {
    const nodes = inventory([small('a')])
    assert.equal(kinds(nodes, asking('2Gi'), D, max('1Mi'), resourceQuota({ pods: '0' })), ['error LimitRangeRefuses'])
  })
  test('in whatever order they are given, by name', () => {
    const two = daemonSet({ containers: [container('agent'), container('side')] })
    const give = (name: string, memory: string) => limitRange([{ type: 'Container', defaultRequest: { memory } }], name)
    const said = found(NODES, policy(), two, give('b', '2Mi'), give('a', '1Mi'))
    assert.match(said[0]?.[2] ?? '', 'LimitRanges a, b give container side different requests.memory')
  })
  test('kinds of other APIs with these names do not count', () => {
    const foreign = { ...max('1Mi'), apiVersion: 'example.com/v1' }
    const kata = { ...runtimeClass('kata', { podFixed: { memory: '64Gi' } }), apiVersion: 'example.com/v1' }
    assert.equal(kinds(NODES, policy(), daemonSet({ runtimeClassName: 'kata' }), foreign, kata), [])
  })
  test('one pod that is above the whole quota', () => {
    const one = policy({ remainder: false, defaultNodeGroup: '' })
    const nodes = inventory([shape({ [TYPE]: 'x' }, ['a'])])
    assert.equal(found(nodes, one, D, resourceQuota({ 'requests.memory': '1Mi' })), [
      [
        'ResourceQuotaRefuses',
        'error',
        'agent: ResourceQuota quota refuses DaemonSet agent-x: requests.memory 327Mi is above 1Mi',
      ],
    ])
  })
  test('hugepages that the policy leaves without cpu and memory', () => {
    const huge = daemonSet({ containers: [container('agent', undefined, { cpu: '1', 'hugepages-2Mi': '2Mi' })] })
    const none = { requestCPU: null, requestMemory: null, limitCPU: null, limitMemory: null }
    const nodes = inventory([
      shape({ [TYPE]: 'x' }, ['a'], '4', '16Gi', { allocatable: { cpu: '4', memory: '16Gi', 'hugepages-2Mi': '2Mi' } }),
    ])
    assert.equal(kinds(nodes, policy({ remainder: false }), huge), [])
    assert.equal(kinds(nodes, policy({ resourcePercentages: none, remainder: false }), huge), [
      'error ResourcesRefused',
    ])
  })
  test('a quota on limits refuses pods without them', () => {
    const none = policy({ resourcePercentages: { limitCPU: null } })
    assert.equal(found(NODES, none, D, resourceQuota({ 'limits.cpu': '100' })), [
      [
        'ResourceQuotaRefuses',
        'error',
        'agent: ResourceQuota quota refuses DaemonSet agent-x and 3 more: container agent sets no limit of cpu',
      ],
    ])
  })
  test('a quota that is too small for the pods of all policies warns, and counts nodes', () => {
    const second = policy({ targetRef: { name: 'second' } }, 'second')
    const other = daemonSet({ containers: [{ name: 'second', image: 'second:1' }] }, { name: 'second' })
    const twin = {
      ...other,
      spec: {
        ...(other.spec as object),
        selector: { matchLabels: { app: 's' } },
        template: { metadata: { labels: { app: 's' } }, spec: { containers: [{ name: 'second', image: 'second:1' }] } },
      },
    }
    assert.equal(found(NODES, policy(), D, resourceQuota({ pods: '3' })), [])
    assert.equal(found(NODES, policy(), D, second, twin, resourceQuota({ pods: '5' })), [
      [
        'ResourceQuotaExceeded',
        'warning',
        'ResourceQuota quota is too small for 6 pods of agent, second: pods 6 is above 5',
      ],
    ])
    assert.equal(found(NODES, policy(), D, second, twin, resourceQuota({ pods: '6' })), [])
  })
  test('the pods of other DaemonSets count, which a snapshot shows in the namespace', () => {
    const shown = (daemonSets: object[]): KubernetesObject => ({
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'WorkloadSnapshot',
      metadata: { name: 'prod' },
      spec: { cluster: 'prod', nodes: ['a', 'b', 'c'].map((name) => ({ name })), daemonSets },
    })
    const of = (name: string, namespace: string, more: object) => ({ name, namespace, requests: {}, ...more })
    const all = [
      of('other', 'ns', { nodes: ['a', 'b'] }),
      of('more', 'ns', { nodesExcept: ['a'] }),
      of('agent-x', 'ns', { nodes: ['a', 'b'] }),
      of('agent', 'ns', { nodes: ['c'] }),
      of('elsewhere', 'other', { nodesExcept: [] }),
    ]
    const here = { namespace: 'ns' }
    const run2 = (hard: object, more: object = {}, daemonSets = all) =>
      found(NODES, policy(), daemonSet({}, here), resourceQuota(hard, more, here), shown(daemonSets))
    assert.equal(run2({ pods: '7' }), [])
    for (const name of ['pods', 'count/pods'])
      assert.equal(run2({ [name]: '6' }), [
        [
          'ResourceQuotaExceeded',
          'warning',
          `ResourceQuota quota is too small for 3 pods of agent: ${name} 7, of which other DaemonSets have 4, is above 6`,
        ],
      ])
    const beside = shown(all)
    const withNamespaces = (hard: object, more: object) =>
      found(NODES, policy(), daemonSet({}, here), resourceQuota(hard, {}, here), {
        ...beside,
        spec: { ...(beside.spec as object), ...more },
      })
    const namespaces = [
      { name: 'ns', pods: 5 },
      { name: 'other', pods: 90 },
    ]
    const waiting = (namespace: string) => [{ like: { requests: {} }, pods: [{ namespace, name: 'web-1' }] }]
    assert.equal(withNamespaces({ pods: '12' }, { namespaces }), [])
    assert.match(
      withNamespaces({ pods: '11' }, { namespaces })[0]?.[2] ?? '',
      'pods 12, of which other DaemonSets have 4 and other workloads have 5, is above 11',
    )
    assert.match(
      withNamespaces({ pods: '3' }, { namespaces, daemonSets: [], pending: waiting('ns') })[0]?.[2] ?? '',
      'pods 9, of which other workloads have 6, is above 3',
      'a pod that waits for a node counts too',
    )
    assert.equal(withNamespaces({ pods: '7' }, { pending: waiting('other') }), [])
    assert.equal(run2({ pods: '6' }, { scopes: ['NotBestEffort'] }), [], 'a scope may leave the others out')
    assert.equal(run2({ 'requests.memory': '64Gi' }), [])
    assert.match(run2({ pods: '2' })[0]?.[2] ?? '', 'pods 3 is above 2', 'its own alone are too many')
  })
  test('DaemonSets and their revisions are counted where a quota counts objects', () => {
    const counts = (hard: object, ...more: KubernetesObject[]) =>
      found(NODES, policy(), D, resourceQuota(hard), ...more)
    // the template is applied no more once it is a template; agent-x, agent-y, the default group and the remainder are
    const [first] = counts({ 'count/daemonsets.apps': '1' })
    assert.match(first?.[2] ?? '', /^ResourceQuota quota is too small: count\/daemonsets.apps is 1, and 4 DaemonSets/)
    assert.equal(counts({ 'count/daemonsets.apps': '4' }), [])
    assert.match(
      counts({ 'count/controllerrevisions.apps': '43' })[0]?.[2] ?? '',
      '4 DaemonSets keep up to 44 revisions',
    )
    assert.equal(counts({ 'count/controllerrevisions.apps': '44' }), [])
    const short = { ...D, spec: { ...(D.spec as object), revisionHistoryLimit: 1 } }
    const kept = found(NODES, policy(), short, resourceQuota({ 'count/controllerrevisions.apps': '7' }))
    assert.match(kept[0]?.[2] ?? '', '4 DaemonSets keep up to 8 revisions')
    const beside = daemonSet({}, { name: 'beside' })
    const apart = { ...beside, spec: { ...(beside.spec as object), selector: { matchLabels: { app: 'b' } } } }
    assert.match(counts({ 'count/daemonsets.apps': '4' }, apart)[0]?.[2] ?? '', '5 DaemonSets')
    assert.equal(counts({ 'count/daemonsets.apps': '4' }, daemonSet({}, { name: 'beside', namespace: 'other' })), [])
  })
  test('a quota with a scope counts what it is about', () => {
    assert.equal(kinds(NODES, policy(), D, resourceQuota({ pods: '1' }, { scopes: ['BestEffort'] })), [])
    const classes = {
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['p'] }] },
    }
    assert.equal(kinds(NODES, policy(), D, resourceQuota({ pods: '1' }, classes)), [])
    const first = daemonSet({ priorityClassName: 'p' })
    assert.equal(kinds(NODES, policy(), first, resourceQuota({ pods: '1' }, classes)), [
      'warning ResourceQuotaExceeded',
    ])
  })
  test('a scope that only some pods come to is read with the others', () => {
    const scopes = {
      scopes: ['BestEffort'],
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Is' }] },
    }
    const none = { requestCPU: null, requestMemory: null, limitCPU: null, limitMemory: null }
    const found = kinds(NODES, policy({ resourcePercentages: none }), D, resourceQuota({ pods: '1' }, scopes))
    assert.equal(found, ['warning FitNotChecked'])
  })
  for (const [name, object] of [
    ['limits that are no list', limitRange('x' as unknown as object[])],
    ['an amount that is none', max('much')],
    ['a minimum that is none', limitRange([{ type: 'Pod', min: { cpu: 'x' } }])],
    ['a quota of amounts that are none', resourceQuota({ pods: 'many' })],
    [
      'a scope without operator',
      resourceQuota({ pods: '1' }, { scopeSelector: { matchExpressions: [{ scopeName: 'x' }] } }),
    ],
    [
      'an operator that is none',
      resourceQuota(
        { pods: '1' },
        { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Is' }] } },
      ),
    ],
    ['an overhead that is none', runtimeClass('r', { podFixed: { cpu: 'x' } })],
    ['no spec', { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' } }],
  ] as Array<[string, KubernetesObject]>)
    test(`what cannot be read is said: ${name}`, () =>
      assert.equal(kinds(NODES, policy(), D, object), ['warning FitNotChecked']))
  test('nothing is said where policies are disabled', () =>
    assert.equal(kinds(NODES, policy({ enabled: false }), D, max('1Mi'), limitRange('x' as unknown as object[])), []))
})
