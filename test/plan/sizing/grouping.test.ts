/** Rows G1 to G12 of the Kubescape report, section 3.2, and the rows of 3.6 that are about groups. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { Shape } from '../../../src/facts/inventory/index.ts'
import { matchesNode } from '../../../src/kube/index.ts'
import type { DaemonSet } from '../../../src/plan/daemonset/index.ts'
import {
  and,
  basisOf,
  type Group,
  groupMembers,
  membersOf,
  placementOf,
  type Terms,
  withRequired,
} from '../../../src/plan/sizing/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { admits, basisText, groupsOf, nodesOf, text } from '../../support/grouping.ts'
import {
  codes,
  daemonSet,
  fleetShape,
  inventory,
  listOf,
  OS,
  policy,
  rendered,
  settings,
  shape,
  TYPE,
} from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const typed = (type: string, nodes: string[], cpu = '4', memory = '16Gi', more: Partial<Shape> = {}) =>
  fleetShape({ [TYPE]: type }, nodes, cpu, memory, more)

const WITH_DEFAULT = { defaultNodeGroup: 'default' }

suite('grouping', (test) => {
  test('G1 two of one type, one of another', () => {
    const { groups, ids } = groupsOf([typed('m5.large', ['a', 'b']), typed('m5.xlarge', ['c'], '8', '32Gi')])
    assert.equal(ids, ['value:m5.large', 'value:m5.xlarge'])
    assert.equal(groups.map(nodesOf), [['a', 'b'], ['c']])
    assert.equal(
      groups.map(({ namePart }) => namePart),
      ['m5-large', 'm5-xlarge'],
    )
  })
  test('G2 a node without the label, default group off', () => {
    const { ids, without } = groupsOf([typed('m5.large', ['a']), fleetShape({}, ['b'])], { defaultNodeGroup: '' })
    assert.equal(ids, ['value:m5.large'])
    assert.equal(without[0]?.nodes, ['b'])
  })
  test('G3 a node without the label, default group on', () => {
    const { ids, groups } = groupsOf([typed('m5.large', ['a']), fleetShape({}, ['b'])], WITH_DEFAULT)
    assert.equal(ids, ['value:m5.large', 'default'])
    assert.equal(groups[1] && nodesOf(groups[1]), ['b'])
  })
  test('G4 readiness does not decide about membership', () => {
    const shapes = [undefined, 'True', 'False', 'Unknown'].map((ready, index) =>
      typed('m5.large', [`n${index}`], '4', '16Gi', { ready }),
    )
    assert.equal(groupsOf(shapes).groups.map(nodesOf), [['n0', 'n1', 'n2', 'n3']])
  })
  test('G5 a group whose only node is not ready stays', () => {
    const taints = [
      { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]
    assert.equal(groupsOf([typed('m5.large', ['a'], '4', '16Gi', { ready: 'Unknown', taints })]).ids, [
      'value:m5.large',
    ])
  })
  for (const [row, shapes, cpu, memory] of [
    ['G6', [typed('t', ['a'], '4', '16Gi'), typed('t', ['b'], '8', '32Gi')], '4', '16Gi'],
    ['G7', [typed('t', ['b'], '8', '32Gi'), typed('t', ['a'], '4', '16Gi')], '4', '16Gi'],
    ['G8', [typed('t', ['a'], '8', '8Gi'), typed('t', ['b'], '4', '32Gi')], '4', '8Gi'],
  ] as const) {
    test(`${row} the smallest of each resource, whatever the order`, () => {
      const [group] = groupsOf([...shapes]).groups
      const { value: basis } = basisOf(group as Group)
      assert.equal([basis?.cpu.toString(), basis?.memory.toString()], [cpu, memory])
    })
  }
  test('G9 a node without allocatable is an error, or reported where others can be sized by', () => {
    const bare = typed('t', ['a'], '4', '16Gi', { allocatable: {} })
    const [alone] = groupsOf([bare]).groups
    assert.equal(codes(basisOf(alone as Group).findings), ['NoAllocatable'])
    const [mixed] = groupsOf([bare, typed('t', ['b'])]).groups
    assert.equal(codes(basisOf(mixed as Group).findings), ['NodesNotSized'])
    assert.is(basisOf(mixed as Group).value?.cpu.toString(), '4')
    const [other] = groupsOf([bare, typed('t', [], '2')]).groups
    assert.is(basisOf(other as Group).value?.cpu.toString(), '2')
    const [closed] = groupsOf([
      bare,
      typed('t', ['c'], '3', '16Gi', { taints: [{ key: 'x', effect: 'NoSchedule' }] }),
    ]).groups
    assert.is(basisOf(closed as Group).value?.cpu.toString(), '3')
  })
  test('G11 nodes the template does not select are no group', () => {
    const windows = fleetShape({ [TYPE]: 'w1', [OS]: 'windows' }, ['w'])
    const { ids, without } = groupsOf(
      [windows, fleetShape({ [TYPE]: 'm5', [OS]: 'linux' }, ['l'])],
      {},
      { pod: { nodeSelector: { [OS]: 'linux' } } },
    )
    assert.equal(ids, ['value:m5'])
    assert.equal(
      without.map(({ nodes }) => nodes),
      [['w']],
    )
  })
  test('G12 any label makes groups', () => {
    const zone = 'topology.kubernetes.io/zone'
    const { groups } = groupsOf([fleetShape({ [zone]: 'a' }, ['1']), fleetShape({ [zone]: 'b' }, ['2'])], {
      nodeGroupLabel: zone,
    })
    assert.equal(
      groups.map(({ nodeSelector }) => nodeSelector),
      [{ [zone]: 'a' }, { [zone]: 'b' }],
    )
  })
  test('absent, empty and a value are three groups', () => {
    const { groups } = groupsOf([typed('', ['e']), fleetShape({}, ['d']), typed('default', ['v'])], WITH_DEFAULT)
    assert.equal(
      groups.map(({ id, namePart }) => [id, namePart]),
      [
        ['value:', 'empty'],
        ['value:default', 'default'],
        ['default', 'default'],
      ],
    )
  })
  test('a label nobody has is an error, unless explicit groups took every node', () => {
    assert.equal(codes(groupsOf([fleetShape({}, ['a'])]).findings), ['LabelOnNoNode'])
    const { findings } = groupsOf([fleetShape({ gpu: 'yes' }, ['a'])], {
      groups: [{ name: 'gpu', nodeSelector: { gpu: 'yes' } }],
    })
    assert.equal(codes(findings), [])
  })
  for (const [label, hint] of [
    ['example.com/siz', /has the label example.com\/siz; did you mean example.com\/size\?/],
    ['kubernetes.io/arch', /has the label kubernetes.io\/arch; some nodes have kubernetes.io\/os/],
  ] as const)
    test(`a label nobody has, ${label}: what is near to a typo, else the best label of the nodes`, () => {
      const labels = { 'example.com/size': '8', 'kubernetes.io/os': 'linux', 'kubernetes.io/arcs': 'x' }
      const [finding] = groupsOf([fleetShape(labels, ['a'])], { nodeGroupLabel: label }).findings
      assert.match(finding?.message ?? '', hint)
    })
  test('a NoSchedule taint keeps the group, sizes come from nodes that take pods', () => {
    const taints = [{ key: 'x', effect: 'NoSchedule' }]
    const { groups } = groupsOf([typed('t', ['a'], '1', '1Gi', { taints }), typed('t', ['b'])])
    assert.equal(groups.map(nodesOf), [['a', 'b']])
    assert.is(basisOf(groups[0] as Group).value?.cpu.toString(), '4')
    const [blocked] = groupsOf([typed('t', ['a'], '1', '1Gi', { taints })]).groups
    assert.is(basisOf(blocked as Group).value?.cpu.toString(), '1')
  })
  test('groups that take no new pods are said together by the taints that keep them away', () => {
    const by = (...keys: string[]) => ({ taints: keys.map((key) => ({ key, value: 'v', effect: 'NoSchedule' })) })
    const nodes = [
      shape({ [TYPE]: 'a' }, ['a'], '4', '16Gi', by('spot')),
      shape({ [TYPE]: 'b' }, ['b'], '4', '16Gi', by('spot')),
      shape({ [TYPE]: 'c' }, ['c'], '4', '16Gi', by('gpu')),
      shape({ [TYPE]: 'c' }, ['d'], '4', '16Gi', by('spot')),
      shape({ [TYPE]: 'd' }, ['e'], '4', '16Gi', by('spot')),
      shape({ [TYPE]: 'd' }, ['f']),
    ]
    const { findings } = plan(listOf([inventory(nodes), policy(), daemonSet()]))
    assert.equal(
      findings.filter(({ code }) => code === 'GroupTainted').map(({ sentence }) => sentence),
      [
        'agent: no node of groups value:a, value:b accepts new pods: they do not tolerate spot=v:NoSchedule',
        'agent: no node of group value:c accepts new pods: they do not tolerate gpu=v:NoSchedule, spot=v:NoSchedule',
      ],
    )
  })
  test('a group whose taints are not tolerated is a warning only where a pod ran until now', () => {
    const taints = [{ key: 'spot', value: 'v', effect: 'NoSchedule' }]
    const tainted = inventory([shape({ [TYPE]: 'a' }, ['a'], '4', '16Gi', { taints }), shape({ [TYPE]: 'd' }, ['d'])])
    const tolerant = daemonSet({ tolerations: [{ key: 'spot', operator: 'Exists' }] })
    const of = ({ findings }: ReturnType<typeof plan>) =>
      findings.filter(({ code }) => code === 'GroupTainted').map(({ severity, sentence }) => `${severity}: ${sentence}`)
    const closed = 'agent: no node of group value:a accepts new pods: they do not tolerate spot=v:NoSchedule'
    const first = plan(listOf([tainted, policy(), daemonSet()]))
    assert.equal(of(first), [`info: ${closed}`])
    assert.equal(of(plan(listOf(first.items.map(({ object }) => object)))), [`info: ${closed}`], 'rendered before')
    const open = plan(listOf([tainted, policy(), tolerant]))
    assert.equal(of(open), [])
    const withoutToleration = open.items.map(({ object }) =>
      object.metadata.name === 'agent' && object.kind === 'DaemonSet' ? { ...object, spec: daemonSet().spec } : object,
    )
    assert.equal(of(plan(listOf(withoutToleration))), [`warning: ${closed}; a pod ran there until now`])
    const inOps = { namespace: 'ops' }
    for (const [name, severity, namespace] of [
      ['agent', 'warning'],
      ['agent', 'warning', 'ops'],
      ['agent', 'info', 'another'],
      ['agent-a', 'info'],
      ['other', 'info'],
    ]) {
      const snapshot = {
        apiVersion: 'nodefit.dev/v1alpha1',
        kind: 'WorkloadSnapshot',
        metadata: { name: 's' },
        spec: {
          cluster: 'prod',
          observedAt: '2026-11-20T12:00:00Z',
          nodes: [{ name: 'a' }, { name: 'd' }],
          daemonSets: [{ name, namespace, requests: {}, nodes: ['a'] }],
        },
      }
      const found = plan(listOf([tainted, policy({}, 'agent', inOps), daemonSet({}, inOps), snapshot]))
      assert.equal(
        of(found).map((text) => text.split(':')[0]),
        [severity],
        found.findings.map(({ message }) => message).join('\n'),
      )
    }
  })
  test('a NoExecute taint that is not tolerated takes the node out', () => {
    const taints = [{ key: 'x', effect: 'NoExecute' }]
    const shapes = [typed('t', ['a'], '1', '1Gi', { taints }), typed('u', ['b'])]
    assert.equal(groupsOf(shapes).ids, ['value:u'])
    assert.equal(groupsOf(shapes, { tolerations: [{ key: 'x', operator: 'Exists' }] }).ids, ['value:t', 'value:u'])
  })
  test('a declared shape counts for sizes only where there is no node', () => {
    const { groups } = groupsOf([typed('t', [], '1', '1Gi'), typed('t', ['a']), typed('new', [], '2', '4Gi')])
    assert.equal(
      groups.map((group) => basisOf(group).value?.cpu.toString()),
      ['2', '4'],
    )
  })
  test('an explicit group without nodes is sized by the smallest of the policy', () => {
    const { ids, groups } = groupsOf([typed('t', ['a']), typed('u', ['b'], '8', '8Gi')], {
      groups: [{ name: 'gpu', nodeSelector: { gpu: 'yes' } }],
    })
    assert.equal(ids, ['group:gpu', 'value:t', 'value:u'])
    const { value: basis } = basisOf(groups[0] as Group)
    assert.equal([basis?.cpu.toString(), basis?.memory.toString()], ['4', '8Gi'])
  })
  test('the default group is there without nodes, one for each label', () => {
    const [zone, rack] = ['zone', 'rack']
    const { groups } = groupsOf([fleetShape({ [zone]: 'a', [rack]: '1' }, ['n'])], {
      nodeGroupLabels: [zone, rack],
      defaultNodeGroup: 'Other',
    })
    assert.equal(
      groups.slice(1).map(({ id, namePart, terms }) => [id, namePart, text(terms)]),
      [
        ['default', 'other', 'zone DoesNotExist'],
        ['default-2', 'other-2', 'zone Exists, rack DoesNotExist'],
      ],
    )
  })
  test('a node that lacks several labels is where the first is missing', () => {
    const shapes = [{ zone: 'a', rack: '1' }, { zone: 'a' }, { rack: '1' }, {}].map((labels, index) =>
      fleetShape(labels as Record<string, string>, [`n${index}`]),
    )
    const { groups } = groupsOf(shapes, { nodeGroupLabels: ['zone', 'rack'], ...WITH_DEFAULT })
    assert.equal(
      groups.map((group) => [group.id, nodesOf(group)]),
      [
        ['value:a,1', ['n0']],
        ['default', ['n2', 'n3']],
        ['default-2', ['n1']],
      ],
    )
  })
  test('a group without nodes is sized by shapes as by nodes, where a pod may start', () => {
    const taints = [{ key: 'x', effect: 'NoSchedule' }]
    const shapes = [typed('t', ['a']), typed('new', [], '2'), typed('closed', ['b'], '1', '1Gi', { taints })]
    const { groups, findings } = groupsOf(shapes, { ...WITH_DEFAULT, remainder: true })
    for (const id of ['default', 'remainder']) assert.is(basisText(groups.find((group) => group.id === id)), '2 16Gi')
    assert.equal(codes(findings), [])
    const bare = groupsOf([...shapes, typed('bare', ['c'], '0', '0')], WITH_DEFAULT).groups.at(-1) as Group
    assert.equal(codes(basisOf(bare).findings), [], 'said of its own group alone')
  })
  test('without any node or shape there is no group', () => {
    assert.equal(groupsOf([], { ...WITH_DEFAULT, remainder: true }).ids, [])
  })
  test('an Order has no group without nodes or shapes', () => {
    const { ids } = groupsOf([typed('t', ['a']), typed('new', [])], {
      targetRef: { kind: 'Order', name: 'o' },
      groups: [{ name: 'gpu', nodeSelector: { gpu: 'yes' } }],
      ...WITH_DEFAULT,
    })
    assert.equal(ids, ['value:new', 'value:t'])
  })
  test('matchFields choose nodes by name', () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
        },
      },
    }
    const { groups, without } = groupsOf([typed('t', ['a', 'b'])], { affinity })
    assert.equal(groups.map(nodesOf), [['b']])
    assert.equal(
      without.map(({ nodes }) => nodes),
      [['a']],
    )
  })
})

suite('what groups without nodes come to', (test) => {
  const run = (shapes: object[], spec: Record<string, unknown>, pod: Record<string, unknown> = {}) =>
    plan(listOf([inventory(shapes), policy(spec), daemonSet(pod)]))
  const both = shape({ zone: 'a', rack: '1' }, ['n'])
  const containerOf = (result: ReturnType<typeof run>, name: string) =>
    (rendered(result.items).get(name) as DaemonSet).spec.template.spec?.containers?.[0]
  test('an override for the default group or the remainder is for all of its DaemonSets', () => {
    const overrides = ['default', 'remainder'].map((group) => ({ groups: [group], minResources: { cpu: '1' } }))
    const result = run([both], { nodeGroupLabels: ['zone', 'rack'], overrides })
    const cpu = [...rendered(result.items).keys()].map((name) => [
      name.replace(/-[0-9a-f]{6}$/, '-#'),
      containerOf(result, name)?.resources?.requests?.cpu,
    ])
    assert.equal(Object.fromEntries(cpu), {
      'agent-default': '1',
      'agent-default-2': '1',
      'agent-remainder': '1',
      'agent-remainder-#': '1',
      'agent-a-1': '100m',
    })
  })
  test('Bottlerocket’s type only where every node of the policy runs it', () => {
    const typeOf = (other: string) => {
      const shapes = [
        shape({ [TYPE]: 'a' }, ['x'], '4', '16Gi', { osImage: 'Bottlerocket OS 1.20.0' }),
        shape({ [TYPE]: 'b' }, ['y'], '4', '16Gi', { osImage: other }),
      ]
      const result = run(shapes, { bottlerocketAutoDetect: true })
      assert.is(
        result.findings.some(({ code }) => code === 'MixedOperatingSystems'),
        false,
      )
      const context = containerOf(result, 'agent-default')?.securityContext as
        | { seLinuxOptions?: { type?: string } }
        | undefined
      return context?.seLinuxOptions?.type
    }
    assert.equal([typeOf('Bottlerocket OS 1.20.0'), typeOf('Ubuntu')], ['super_t', undefined])
  })
  test('nodes left to the remainder are counted', () => {
    const result = run([shape({ [TYPE]: 'a' }, ['x']), shape({ [TYPE]: 'b' }, ['y'], '0', '0')], {
      classes: { ratio: 2 },
    })
    assert.match(result.findings[0]?.sentence ?? '', 'agent: 1 group, 2 nodes')
  })
})

suite('groups are disjoint and cover', (test) => {
  const value = fc.option(fc.constantFrom('', 'a', 'b', 'c'), { nil: undefined })
  const size = fc.option(fc.constantFrom('0', '1', '7', '8', '08', '9', '63', '64', '9223372036854775807'), {
    nil: undefined,
  })
  const labels = fc
    .record({ size, one: value, two: value, three: value, gpu: value, disk: value })
    .map(
      (record) =>
        Object.fromEntries(Object.entries(record).filter(([, text]) => text !== undefined)) as Record<string, string>,
    )
  const spec = fc.record({
    by: fc.constantFrom<object>(
      { nodeGroupLabels: ['one'] },
      { nodeGroupLabels: ['one', 'two'] },
      { nodeGroupLabels: ['one', 'two', 'three'] },
      { nodeGroupLabel: 'one', classes: { ratio: 2 } },
      { nodeGroupRanges: { label: 'size', bounds: [8] } },
      { nodeGroupRanges: { label: 'size', bounds: [1, 8, 9, 64] } },
    ),
    groups: fc.constantFrom(
      [],
      [{ name: 'g', nodeSelector: { gpu: 'a' } }],
      [
        { name: 'g', nodeSelector: { gpu: 'a', disk: 'b' } },
        { name: 'h', nodeSelector: { disk: 'b' } },
      ],
      [
        { name: 'g', nodeSelector: { one: 'a' } },
        { name: 'h', nodeSelector: { one: 'b', gpu: 'a' } },
        { name: 'i', nodeSelector: { two: 'c', gpu: 'a' } },
      ],
    ),
    affinity: fc.constantFrom(undefined, {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'two', operator: 'Exists' }] },
            { matchExpressions: [{ key: 'gpu', operator: 'NotIn', values: ['b'] }] },
          ],
        },
      },
    }),
    remainder: fc.boolean(),
    defaultNodeGroup: fc.constantFrom('default', ''),
  })
  test('every node the policy is about matches one group and no other, seen or not', () => {
    fc.assert(
      fc.property(fc.array(labels, { minLength: 1, maxLength: 6 }), labels, spec, (seen, unseen, { by, ...own }) => {
        const shapes = seen.map((one, index) => fleetShape(one, [`n${index}`], String(2 ** index)))
        const policy = settings({ ...by, ...own })
        const placement = placementOf({}, policy)
        const { members } = membersOf(shapes, placement)
        const { groups, findings } = groupMembers(members, policy, { placement, earlier: [] })
        fc.pre(members.length > 0 && !codes(findings).includes('TooManyTerms'))
        const matches = (node: Record<string, string>) =>
          groups.filter((group) => admits(group, placement, node)).map(({ id }) => id)
        for (const { shape, nodes } of members) {
          const of = groups.filter((group) => group.members.some((member) => member.nodes === nodes))
          assert.equal(
            matches(shape.labels),
            of.map(({ id }) => id),
            JSON.stringify(shape.labels),
          )
        }
        const isAbout = matchesNode({ name: '', labels: unseen }, placement)
        const found = matches(unseen)
        if (!isAbout) assert.equal(found, [])
        else if (own.remainder && own.defaultNodeGroup !== '')
          assert.is(found.length, 1, `${JSON.stringify(unseen)} is in ${found.join(' and ') || 'no group'}`)
        else assert.ok(found.length <= 1, `${JSON.stringify(unseen)} is in ${found.join(' and ')}`)
      }),
      { numRuns: 3000 },
    )
  })
  test('and of terms is the conjunction', () => {
    const requirement = fc.record({
      key: fc.constantFrom('one', 'two'),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.constantFrom<string[]>(['a'], ['a', 'b']),
    })
    const terms = fc.option(
      fc.array(fc.record({ matchExpressions: fc.array(requirement, { minLength: 1, maxLength: 2 }) }), {
        maxLength: 3,
      }),
      { nil: undefined },
    )
    fc.assert(
      fc.property(terms, terms, labels, (left, right, node) => {
        const admitsTerms = (own: Terms) =>
          matchesNode({ name: '', labels: node }, { affinity: withRequired(undefined, own) })
        assert.is(admitsTerms(and(left, right)), admitsTerms(left) && admitsTerms(right))
      }),
    )
  })
})
