/** How a first policy groups a fleet, and which classes and ranges can be asked for. */
import * as assert from 'uvu/assert'
import { chooseClasses, chooseGrouping, membersOf, rangeChoices } from '../../../src/plan/sizing/index.ts'
import { fleetShape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const MEMORY = 'karpenter.k8s.aws/instance-memory'
const SKU = 'karpenter.azure.com/sku-memory'
const POOL = 'karpenter.sh/nodepool'
const HOSTNAME = 'kubernetes.io/hostname'
type Shape = ReturnType<typeof fleetShape>
let next = 0
const one = (labels: Record<string, string>, cpu = '4', memory = '16Gi', more: object = {}): Shape =>
  fleetShape(labels, [`n${next++}`], cpu, memory, more)
const types = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => one({ [TYPE]: `t${at}` }, '4', '16Gi', more))
const CLOSED = { taints: [{ key: 'x', effect: 'NoSchedule' }] }
const members = (shapes: Shape[]) =>
  membersOf(shapes, { nodeSelector: {}, tolerations: [], hostNetwork: false }).members
const ranges = (label: string, ...bounds: number[]) => ({ nodeGroupRanges: { label, bounds } })
const CLASSES = { nodeGroupLabel: TYPE, classes: { ratio: 2 } }

const CHOSEN: Array<[name: string, shapes: Shape[], want: object | undefined]> = [
  [
    'Karpenter’s memory label: ranges',
    [one({ [MEMORY]: '8192', [TYPE]: 'a' }), one({ [MEMORY]: '16384' })],
    ranges(MEMORY, 16384),
  ],
  ['that of Azure', [one({ [SKU]: '8192' }), one({ [SKU]: '32768' })], ranges(SKU, 16384, 32768)],
  ['on half of the nodes', [one({ [MEMORY]: '8192' }), one({ [MEMORY]: '16384' }), ...types(2)], ranges(MEMORY, 16384)],
  [
    'on fewer: the type',
    [one({ [MEMORY]: '8192' }), one({ [MEMORY]: '16384' }), ...types(3)],
    { nodeGroupLabel: TYPE },
  ],
  [
    'equal on all, which makes no ranges',
    types(2).map((shape) => ({ ...shape, labels: { ...shape.labels, [MEMORY]: '8192' } })),
    { nodeGroupLabel: TYPE },
  ],
  [
    'no number',
    [one({ [MEMORY]: 'much', [TYPE]: 'a' }), one({ [MEMORY]: '1', [TYPE]: 'a' })],
    { nodeGroupLabel: TYPE },
  ],
  ['six types: by value', types(6), { nodeGroupLabel: TYPE }],
  ['seven: by classes', types(7), CLASSES],
  [
    'types of nodes that the agent does not start on are not counted',
    [...types(6), one({ [TYPE]: 'other' }, '4', '16Gi', CLOSED)],
    { nodeGroupLabel: TYPE },
  ],
  ['unless it starts nowhere', types(7, CLOSED), CLASSES],
  ['no type: the pool', [one({ [POOL]: 'a' }), one({})], { nodeGroupLabel: POOL }],
  ['nothing known', [one({ rack: 'a' })], undefined],
]

suite('the grouping of a first policy', (test) => {
  for (const [name, shapes, want] of CHOSEN) test(name, () => assert.equal(chooseGrouping(members(shapes)), want))
})

const ASKED: Array<[name: string, shapes: Shape[], want: object | undefined]> = [
  ['of the type', types(2), CLASSES],
  [
    'of host names where the type says nothing of size',
    [one({ [TYPE]: 'k3s' }), one({ [TYPE]: 'k3s' }, '32', '64Gi')],
    { nodeGroupLabel: HOSTNAME, classes: { ratio: 2 } },
  ],
  ['of host names without a type', [one({ rack: 'a' })], { nodeGroupLabel: HOSTNAME, classes: { ratio: 2 } }],
  ['none where nodes come and go without a type', [one({ [POOL]: 'a' })], undefined],
]

suite('classes that are asked for', (test) => {
  for (const [name, shapes, want] of ASKED) test(name, () => assert.equal(chooseClasses(members(shapes)), want))
})

suite('ranges that are asked for', (test) => {
  test('of Karpenter’s label before others that grow with the nodes', () => {
    const shapes = [one({ [MEMORY]: '8192', a: '1' }, '2', '8Gi'), one({ [MEMORY]: '16384', a: '2' }, '4', '16Gi')]
    assert.equal(rangeChoices(members(shapes)), [ranges(MEMORY, 16384), ranges('a', 2)])
  })
  test('none where nothing grows', () => assert.equal(rangeChoices(members(types(2))), []))
})
