/** Nodes that report no cpu or memory: what their groups are sized by, and whose they are until they do. */
import * as assert from 'uvu/assert'
import { matchesNode } from '../../../src/kube/index.ts'
import type { DaemonSet } from '../../../src/plan/daemonset/index.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, config, daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON, order } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const REPORTS = { cpu: '4', memory: '16Gi' }
const MUTE = [{}, { cpu: '4' }, { memory: '16Gi' }, { cpu: '0', memory: '16Gi' }]
const of = (labels: Record<string, string>, allocatable: object, ...nodes: string[]) => ({
  ...shape(labels, nodes),
  allocatable,
})
const typed = (type: string, allocatable: object, ...nodes: string[]) => of({ [TYPE]: type }, allocatable, ...nodes)
const fleet = (...shapes: object[]) => inventory(shapes, { observedAt: NOON })
const run = (shapes: object[], spec: Record<string, unknown> = {}) =>
  plan(listOf([fleet(...shapes), policy(spec), daemonSet()]))
const then = (from: Plan, ...shapes: object[]) =>
  rerender(from, (object) => (object.kind === 'NodeInventory' ? fleet(...shapes) : object))
const namesOf = (result: Plan) => [...rendered(result.items).keys()].sort()
const known = typed('m5', REPORTS, 'a')

/** The rendered DaemonSets on whose nodes a node would be. */
function servedBy(result: Plan, labels: Record<string, string>): string[] {
  return [...rendered(result.items)]
    .filter(([, object]) => matchesNode({ name: 'x', labels }, (object as DaemonSet).spec.template.spec ?? {}))
    .map(([name]) => name)
}

function sizeOf(result: Plan, name: string): string {
  const object = rendered(result.items).get(name) as DaemonSet | undefined
  const { requests = {} } = object?.spec.template.spec?.containers?.[0]?.resources ?? {}
  return `${requests.cpu}/${requests.memory}`
}

suite('nodes that report nothing', (test) => {
  for (const allocatable of MUTE)
    test(`a new type that reports ${JSON.stringify(allocatable)} is the remainder’s`, () => {
      const result = run([known, typed('new', allocatable, 'b')])
      assert.equal(errorsOf(result), [])
      assert.equal(namesOf(result), ['agent-default', 'agent-m5', 'agent-remainder'])
      assert.equal(servedBy(result, { [TYPE]: 'new' }), ['agent-remainder'])
      assert.equal(servedBy(result, { [TYPE]: 'm5' }), ['agent-m5'])
      assert.equal(
        said(result, 'NodesNotSized').map((text) => text.split('. ')[0]),
        ['agent: no node of new reports allocatable cpu and memory, so the remainder serves them'],
      )
    })
  test('such nodes are counted as the remainder’s', () => {
    const result = run([known, typed('new', {}, 'b', 'c')])
    assert.match(said(result, 'PolicySummary')[0] ?? '', '1 group, 3 nodes, 3 objects added')
    assert.match(said(result, 'PolicySummary')[0] ?? '', '0 nodes without an agent')
    assert.match(
      said(result, 'GroupSized').at(-1) ?? '',
      'agent-remainder for remainder (2 nodes and nodes with label values not seen yet)',
    )
    assert.equal(result.packages[0]?.planned[0]?.nodes, ['a', 'b', 'c'])
  })
  test('once they report they have a group of their own', () => {
    const after = then(run([known, typed('new', {}, 'b')]), known, typed('new', REPORTS, 'b'))
    assert.equal([errorsOf(after), namesOf(after)], [[], ['agent-default', 'agent-m5', 'agent-new', 'agent-remainder']])
    assert.equal(servedBy(after, { [TYPE]: 'new' }), ['agent-new'])
  })
  test('one that reports is enough, and a declared shape is', () => {
    for (const other of [typed('new', { cpu: '2', memory: '8Gi' }, 'c'), typed('new', { cpu: '2', memory: '8Gi' })]) {
      const result = run([known, typed('new', {}, 'b'), other], { minResources: { memory: '1Mi' } })
      assert.is(sizeOf(result, 'agent-new'), '100m/163Mi')
    }
  })
  test('a type that was sized before keeps its size, and changes no byte', () => {
    const before = run([known, typed('c5', { cpu: '8', memory: '32Gi' }, 'b')])
    const after = then(before, known, typed('c5', {}, 'b'))
    assert.equal(errorsOf(after), [])
    assert.is(sizeOf(after, 'agent-c5'), '160m/655Mi')
    assert.equal(rendered(after.items).get('agent-c5'), rendered(before.items).get('agent-c5'))
    assert.match(
      said(after, 'NodesNotSized')[0] ?? '',
      'group value:c5: b report no allocatable cpu and memory; the group keeps its size',
    )
    assert.match(said(after, 'GroupSized')[0] ?? '', '2% of 8 as before (no node reports) = 160m -> 160m')
  })
  test('all of them at once: every group that was sized keeps its size, the remainder too', () => {
    const before = run([known, typed('c5', REPORTS, 'b'), of({}, REPORTS, 'd')])
    const after = then(before, typed('m5', {}, 'a'), typed('c5', {}, 'b'), of({}, {}, 'd'))
    assert.equal(errorsOf(after), [])
    assert.equal([...rendered(after.items)], [...rendered(before.items)])
  })
  test('all of them, and nothing was sized before: an error, and nothing changes', () => {
    for (const shapes of [[typed('m5', {}, 'a')], [typed('m5', {}, 'a'), of({}, {}, 'd')]]) {
      const result = run(shapes)
      assert.ok(
        errorsOf(result).every((code) => code === 'NoAllocatable'),
        errorsOf(result).join(),
      )
      assert.ok(errorsOf(result).length > 0)
    }
  })
  test('the default group and explicit ones are sized like the remainder', () => {
    const groups = [{ name: 'gpu', nodeSelector: { gpu: 'yes' } }]
    const shapes = [
      known,
      typed('c5', { cpu: '8', memory: '12Gi' }, 'c'),
      of({ gpu: 'yes', [TYPE]: 'p3' }, {}, 'g'),
      of({}, {}, 'd'),
    ]
    const result = run(shapes, { groups, minResources: { memory: '1Mi', cpu: '1m' } })
    assert.equal(errorsOf(result), [])
    assert.equal(
      ['agent-gpu', 'agent-default', 'agent-remainder'].map((name) => sizeOf(result, name)),
      ['80m/245Mi', '80m/245Mi', '80m/245Mi'],
    )
    assert.equal(
      said(result, 'NodesNotSized').map((text) => text.split('; ')[1]?.split('. ')[0]),
      ['the group is sized like the remainder', 'the group is sized like the remainder'],
    )
    assert.match(said(result, 'GroupSized').join('\n'), '2% of 4 as the remainder (no node reports) = 80m')
  })
  test('a range is sized like the nearest that has something, also without a remainder', () => {
    const sized = (size: string, allocatable: object, name: string) => of({ size }, allocatable, name)
    const shapes = [
      sized('1', { cpu: '8', memory: '12Gi' }, 'a'),
      sized('10', {}, 'b'),
      sized('40', {}, 'c'),
      sized('90', { cpu: '40', memory: '80Gi' }, 'd'),
    ]
    const nodeGroupRanges = { label: 'size', bounds: [8, 32, 64] }
    for (const remainder of [true, false]) {
      const result = run(shapes, { nodeGroupRanges, remainder, minResources: { memory: '1Mi', cpu: '1m' } })
      assert.equal(errorsOf(result), [])
      assert.equal(
        ['lt-8', '8-31', '32-63', 'ge-64'].map((name) => sizeOf(result, `agent-${name}`)),
        ['160m/245Mi', '160m/245Mi', '160m/245Mi', '800m/1638Mi'],
      )
      assert.equal(
        said(result, 'NodesNotSized').map((sentence) => sentence.split('. ')[0]),
        ['8-31: b', '32-63: c'].map(
          (one) => `group range:${one} report no allocatable cpu and memory; the group is sized like the nearest range`,
        ),
      )
      assert.match(said(result, 'GroupSized').join('\n'), '2% of 8 as the nearest range (no node reports) = 160m')
    }
  })
  test('ranges none of which reports are sized by what the policy has', () => {
    const nodeGroupRanges = { label: 'size', bounds: [8] }
    const result = run([of({ size: '1' }, {}, 'a'), of({}, REPORTS, 'b')], { nodeGroupRanges })
    assert.equal([errorsOf(result), sizeOf(result, 'agent-lt-8')], [[], '100m/327Mi'])
    assert.equal(new Set(errorsOf(run([of({ size: '1' }, {}, 'a')], { nodeGroupRanges }))), new Set(['NoAllocatable']))
  })
  test('a class keeps such a value and its size, and is sized like the remainder where it has none', () => {
    const spec = { classes: { ratio: 2 } }
    const before = run([known, typed('c5', { cpu: '8', memory: '16Gi' }, 'b')], spec)
    const after = then(before, known, typed('c5', {}, 'b'))
    assert.equal([errorsOf(after), [...rendered(after.items)]], [[], [...rendered(before.items)]])
    const forgotten = rerender(before, (object) => {
      if (object.kind === 'NodeInventory') return fleet(known, typed('c5', {}, 'b'))
      const { 'nodefit.dev/basis': _, ...annotations } = object.metadata.annotations ?? {}
      return { ...object, metadata: { ...object.metadata, annotations } }
    })
    assert.equal([errorsOf(forgotten), sizeOf(forgotten, 'agent-8cpu-16gi')], [[], '100m/327Mi'])
    assert.match(said(forgotten, 'NodesNotSized')[0] ?? '', 'the group is sized like the remainder')
  })
  test('a remainder that had such nodes counts in no guard', () => {
    const before = run([known, typed('new', {}, 'b', 'c', 'd', 'e')])
    assert.is(rendered(before.items).get('agent-remainder')?.metadata.annotations?.['nodefit.dev/nodes'], '4')
    assert.equal(errorsOf(then(before, known)), [])
    const off = rerender(before, (object) => {
      if (object.kind === 'NodeInventory') return [fleet(known), config({ guards: { maxGroupsRemoved: 0 } })]
      return object.kind === 'SizingPolicy' ? withSpec(object, { remainder: false, defaultNodeGroup: '' }) : object
    })
    assert.equal(errorsOf(off), [])
  })
  test('without a remainder a group that cannot be sized is an error', () => {
    const groups = [{ name: 'gpu', nodeSelector: { gpu: 'yes' } }]
    for (const mute of [typed('new', {}, 'b'), of({}, {}, 'b'), of({ gpu: 'yes' }, {}, 'b')])
      assert.equal(errorsOf(run([known, mute], { remainder: false, groups })).slice(0, 1), ['NoAllocatable'])
  })
  test('of two labels the combination is the remainder’s', () => {
    const labels = (type: string, zone: string) => ({ [TYPE]: type, zone })
    const spec = { nodeGroupLabels: [TYPE, 'zone'] }
    const result = run(
      [of(labels('m5', 'a'), REPORTS, 'a'), of(labels('m5', 'b'), {}, 'b'), of(labels('c5', 'a'), {}, 'c')],
      spec,
    )
    assert.equal(errorsOf(result), [])
    assert.equal(servedBy(result, labels('m5', 'b')), ['agent-remainder-e39b9b'])
    assert.equal(servedBy(result, labels('c5', 'a')), ['agent-remainder'])
    assert.equal(result.packages[0]?.planned[0]?.nodes.slice().sort(), ['a', 'b', 'c'])
  })
  test('a label that only such nodes have is on nodes all the same', () => {
    const result = run([of({}, REPORTS, 'a'), typed('m5', {}, 'b')])
    assert.equal([errorsOf(result), namesOf(result)], [[], ['agent-default', 'agent-remainder']])
  })
  test('what is said for such a group is not unused', () => {
    const result = run([known, typed('new', {}, 'b')], {
      names: { new: 'x' },
      overrides: [{ groups: ['new'], minResources: { cpu: '1' } }],
    })
    assert.not.ok(codes(result.findings).includes('OverrideUnused'))
  })
  test('a remainder of Bottlerocket alone knows of them', () => {
    const other = { ...typed('new', {}, 'b'), osImage: 'Amazon Linux' }
    const result = run([{ ...known, osImage: 'Bottlerocket OS' }, other], { bottlerocketAutoDetect: true })
    const object = rendered(result.items).get('agent-remainder') as DaemonSet
    assert.is(object.spec.template.spec?.containers?.[0]?.securityContext, undefined)
  })
  test('an Order, which has no remainder, keeps what it had and refuses what it cannot size', () => {
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
    const first = plan(listOf([fleet(known), order(), sizing]))
    assert.equal(errorsOf(then(first, typed('m5', {}, 'a'))), [])
    assert.equal(errorsOf(then(first, known, typed('new', {}, 'b'))), ['NoAllocatable'])
  })
})
