/** Draws nodes, node affinity and tolerations from few keys and values, so that they often meet. */
import * as fc from 'fast-check'
import { type Affinity, isLabelValue, type Labels, type NodeSelectorRequirement } from '../../src/kube/index.ts'

const INT64 = ['9223372036854775807', '9223372036854775806', '9223372036854775808']
const LEGAL = ['', 'a', 'b', 'other', '0', '1', '5', '6', '7', '06', '0006', '6.0', '1a', '0x6', ...INT64]

/** What no label may be, though Kubernetes compares it all the same. */
const ILLEGAL = ['-5', '+6', '-0', '-9223372036854775808', '-9223372036854775809', ' ', 'a b']

const KEYS = ['a', 'b', 'metadata.name']
const NAMES = ['n1', 'n2', 'any-node']

export const legalValue = fc.constantFrom(...LEGAL)
export const value = fc.constantFrom(...LEGAL, ...ILLEGAL)

const key = fc.constantFrom(...KEYS)
const list = (least: number) => fc.uniqueArray(legalValue, { minLength: least, maxLength: 4 })
const integer = fc.constantFrom('0', '1', '5', '06', '7', ...INT64.slice(0, 2))

/** A well-formed requirement on a label. */
export const label: fc.Arbitrary<NodeSelectorRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values: list(1) }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({ key, operator: fc.constantFrom('Gt', 'Lt'), values: fc.tuple(integer).map(([one]) => [one]) }),
)

/** A well-formed requirement on a field. */
const field: fc.Arbitrary<NodeSelectorRequirement> = fc.record({
  key: fc.constantFrom('metadata.name', 'metadata.name', 'spec.unschedulable'),
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.constantFrom(...NAMES, '', 'Not_A_Name').map((one) => [one]),
})

const term = fc.record(
  { matchExpressions: fc.array(label, { maxLength: 3 }), matchFields: fc.array(field, { maxLength: 1 }) },
  { requiredKeys: [] },
)

const affinity: fc.Arbitrary<Affinity> = fc.array(term, { maxLength: 3 }).map((nodeSelectorTerms) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
}))

/** What a pod says about its node. */
export const placement = fc.record(
  {
    nodeName: fc.constantFrom('', '', ...NAMES),
    nodeSelector: fc.dictionary(key, legalValue, { maxKeys: 1 }),
    affinity,
  },
  { requiredKeys: [] },
)

/** A node such as the API server takes. */
export const node = fc.record({
  name: fc.constantFrom(...NAMES),
  labels: fc.dictionary(key, legalValue, { maxKeys: 3 }).map((labels): Labels => ({ ...labels })),
})

/** A node of which that is not known. */
export const anyNode = fc.record({
  name: fc.constantFrom(...NAMES),
  labels: fc.dictionary(key, value, { maxKeys: 3 }).map((labels): Labels => ({ ...labels })),
})

const effect = fc.constantFrom('', 'NoSchedule', 'NoExecute', 'PreferNoSchedule', undefined)

/** A toleration, also one that the API server would refuse. */
export const toleration = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b', 'other'),
    operator: fc.constantFrom('', 'Equal', 'Exists', 'Gt', 'Lt', 'Near'),
    value: fc.constantFrom('', 'x', 'other', '5', '6', '06', '-1', '9223372036854775807'),
    effect,
  },
  { requiredKeys: [] },
)

export const taint = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'other'),
  value: fc.constantFrom('', 'x', 'y', 'other', '5', '6', '06', '7', '9223372036854775807'),
  effect: fc.constantFrom('NoSchedule', 'NoExecute'),
})

/** Whether all values of the labels are legal. */
export function isLegal(labels: Labels): boolean {
  return Object.values(labels).every(isLabelValue)
}
