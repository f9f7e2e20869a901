/** Rows G1 to G12 of the Kubescape report, section 3.2, and the rows of 3.6 that are about groups. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { Shape } from '../../src/inventory/index.ts'
import { matchesNode, type PodSpec } from '../../src/kube/index.ts'
import {
  and,
  basisOf,
  type Group,
  groupMembers,
  membersOf,
  placementOf,
  type Terms,
  withRequired,
} from '../../src/sizing/index.ts'
import { codes, fleetShape, OS, settings, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const typed = (type: string, nodes: string[], cpu = '4', memory = '16Gi', more: Partial<Shape> = {}) =>
  fleetShape({ [TYPE]: type }, nodes, cpu, memory, more)

function groupsOf(shapes: Shape[], spec: Record<string, unknown> = {}, pod: PodSpec = {}) {
  const own = settings({ remainder: false, ...spec })
  const { members, without } = membersOf(shapes, placementOf(pod, own))
  const grouped = groupMembers(members, own)
  return { ...grouped, without: [...without, ...grouped.without], ids: grouped.groups.map(({ id }) => id) }
}

const nodesOf = ({ members }: Group) => members.flatMap(({ nodes }) => nodes)

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
    const { ids, groups } = groupsOf([typed('m5.large', ['a']), fleetShape({}, ['b'])])
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
      { nodeSelector: { [OS]: 'linux' } },
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
    const { groups } = groupsOf([typed('', ['e']), fleetShape({}, ['d']), typed('default', ['v'])])
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
  test('a NoSchedule taint keeps the group, sizes come from nodes that take pods', () => {
    const taints = [{ key: 'x', effect: 'NoSchedule' }]
    const { groups } = groupsOf([typed('t', ['a'], '1', '1Gi', { taints }), typed('t', ['b'])])
    assert.equal(groups.map(nodesOf), [['a', 'b']])
    assert.is(basisOf(groups[0] as Group).value?.cpu.toString(), '4')
    const [blocked] = groupsOf([typed('t', ['a'], '1', '1Gi', { taints })]).groups
    assert.is(basisOf(blocked as Group).value?.cpu.toString(), '1')
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
  test('an explicit group without nodes is reported and not rendered', () => {
    const { ids, findings } = groupsOf([typed('t', ['a'])], { groups: [{ name: 'gpu', nodeSelector: { gpu: 'yes' } }] })
    assert.equal(ids, ['value:t'])
    assert.equal(codes(findings), ['EmptyGroup'])
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

suite('groups are disjoint and cover', (test) => {
  const value = fc.option(fc.constantFrom('', 'a', 'b', 'c'), { nil: undefined })
  const labels = fc
    .record({ one: value, two: value, gpu: value, disk: value })
    .map(
      (record) =>
        Object.fromEntries(Object.entries(record).filter(([, text]) => text !== undefined)) as Record<string, string>,
    )
  const spec = fc.record({
    nodeGroupLabels: fc.constantFrom(['one'], ['one', 'two']),
    groups: fc.constantFrom(
      [],
      [{ name: 'g', nodeSelector: { gpu: 'a' } }],
      [
        { name: 'g', nodeSelector: { gpu: 'a', disk: 'b' } },
        { name: 'h', nodeSelector: { disk: 'b' } },
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
  })
  test('every node the policy is about matches one group and no other, seen or not', () => {
    fc.assert(
      fc.property(fc.array(labels, { minLength: 1, maxLength: 6 }), labels, spec, (seen, unseen, own) => {
        const shapes = seen.map((one, index) => fleetShape(one, [`n${index}`]))
        const policy = settings(own)
        const placement = placementOf({}, policy)
        const { members } = membersOf(shapes, placement)
        const { groups, findings } = groupMembers(members, policy)
        fc.pre(!codes(findings).includes('LabelOnNoNode'))
        const matches = (node: Record<string, string>) => groups.filter((group) => admits(group, placement, node))
        for (const { shape, nodes } of members) {
          const own = groups.filter(
            (group) => group.id !== 'remainder' && group.members.some((member) => member.nodes === nodes),
          )
          assert.equal(
            matches(shape.labels).map(({ id }) => id),
            own.map(({ id }) => id),
            JSON.stringify([shape.labels, own.map(({ id }) => id)]),
          )
        }
        assert.ok(matches(unseen).length <= 1, JSON.stringify([unseen, matches(unseen).map(({ id }) => id)]))
        const isAbout = matchesNode({ name: '', labels: unseen }, placement)
        const hasLabels = own.nodeGroupLabels.every((label) => unseen[label] !== undefined)
        if (own.remainder && groups.length > 0 && isAbout && hasLabels && !isExplicit(unseen, own.groups))
          assert.is(matches(unseen).length, 1, `${JSON.stringify(unseen)} gets no agent`)
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

function admits(group: Group, placement: ReturnType<typeof placementOf>, labels: Record<string, string>): boolean {
  const nodeSelector = { ...placement.nodeSelector, ...group.nodeSelector }
  const affinity = withRequired(
    withRequired(undefined, group.terms),
    and(
      group.terms,
      placement.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
    ),
  )
  return matchesNode({ name: '', labels }, { nodeSelector, affinity })
}

function isExplicit(
  labels: Record<string, string>,
  groups: ReadonlyArray<{ nodeSelector: Record<string, string | undefined> }>,
): boolean {
  return groups.some(({ nodeSelector }) => Object.entries(nodeSelector).every(([key, value]) => labels[key] === value))
}
