import { VALIDATORS } from '#test-validators'
import { POLICY_CODES, validateAs } from '../../kinds/index.ts'
import { type Finding, findingOf, type Read } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import type { Item } from '../../krm/types.ts'
import { isTime, readQuantity } from '../../kube/index.ts'
import { NODEFIT_TEST_FIELDS, NODEFIT_TEST_ONE_OF } from './generated/fields.ts'
import type { NodefitTest } from './generated/types.ts'

const finding = findingOf(POLICY_CODES)
const SCHEMA = {
  kind: 'NodefitTest',
  validator: VALIDATORS.NodefitTest,
  known: NODEFIT_TEST_FIELDS,
  oneOf: NODEFIT_TEST_ONE_OF,
}

export type TestSpec = NodefitTest['spec']
export type ExpectedSize = NonNullable<TestSpec['expect']['sizes']>[number]
export type ExpectedFinding = NonNullable<TestSpec['expect']['findings']>[number]

/** A NodefitTest that was read, and the item that it is in. */
export interface PolicyTest {
  /** Namespace and name, as people write them. */
  readonly name: string
  readonly item: Item
  readonly spec: TestSpec
}

/** Reads a NodefitTest. Without a value the findings say what is wrong with it. */
export function readTest(item: Item): Read<PolicyTest> {
  const { object } = item
  const findings = validateAs(SCHEMA, object)
  if (findings.length > 0) return { findings }
  const { metadata, spec } = object as unknown as NodefitTest
  const { namespace } = object.metadata
  const problems = [...problemsOf(spec)].map(
    ([path, words]): Finding =>
      finding('InvalidField', `${describe(object)}: ${path} ${words}`, { subject: object, field: { path } }),
  )
  if (problems.length > 0) return { findings: problems }
  return { value: { name: namespace ? `${namespace}/${metadata.name}` : metadata.name, item, spec }, findings: [] }
}

/** Yields what the schema cannot say: fields that exclude each other, and amounts and times that cannot be read. */
function* problemsOf({ nodes, inventory, now, expect }: TestSpec): Generator<[path: string, words: string]> {
  if (nodes !== undefined && inventory !== undefined) yield ['spec.inventory', 'cannot be set together with nodes']
  if (now !== undefined && nodes === undefined)
    yield ['spec.now', 'is the time of spec.nodes, which is missing: the inventory of the package has its own']
  if (now !== undefined && !isTime(now)) yield ['spec.now', `must be a time as RFC 3339 has it, but is "${now}"`]
  if (Object.keys(expect).length === 0) yield ['spec.expect', 'expects nothing: add sizes, groups, without or findings']
  for (const [index, size] of (expect.sizes ?? []).entries()) {
    const path = `spec.expect.sizes.${index}`
    const lists = { requests: size.requests ?? {}, limits: size.limits ?? {} }
    const amounts = Object.entries(lists).flatMap(([list, one]) =>
      Object.entries(one).map(([resource, text]) => [`${path}.${list}.${resource}`, text] as const),
    )
    if (amounts.length + Object.keys(size.env ?? {}).length === 0)
      yield [path, 'expects nothing: add requests, limits or env']
    for (const [place, text] of amounts)
      if (text !== null && readQuantity(text) === undefined) yield [place, `must be a quantity, but is "${text}"`]
  }
}
