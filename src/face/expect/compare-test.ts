import type { GroupLine, NodesLine } from '../../core/index.ts'
import { nodesText } from '../../facts/inventory/index.ts'
import { type Finding, isError, listNames, plural } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { isMap, listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { readQuantity } from '../../kube/index.ts'
import type { Plan } from '../../rules/plan.ts'
import { folded, isGroupCalled, messageOf, resourcesIn } from '../index.ts'
import type { ExpectedFinding, ExpectedSize, PolicyTest } from './read-test.ts'

/** Compares what a run decided with what a test expects of it; empty where the test holds. */
export function compareTest({ spec }: PolicyTest, plan: Plan): Mismatch[] {
  const { sizes = [], groups, without, findings } = spec.expect
  const ofFindings = findingMismatches(findings, plan.findings)
  if (sizes.length === 0 && groups === undefined && without === undefined) return ofFindings
  if (plan.failed) {
    const error = plan.findings.find(isError)
    const isSaid = ofFindings.some(({ got }) => error !== undefined && got.includes(messageOf(error)))
    // an expected error leaves nothing to compare the rest with
    return isSaid ? ofFindings : [...ofFindings, { what: 'render', expected: 'groups and sizes', got: 'an error' }]
  }
  const policy = testedPolicy(spec.policy, plan)
  if (!('groups' in policy)) return [...ofFindings, policyMismatch(spec.policy, policy)]
  return [
    ...sizes.flatMap((size) => sizeMismatches(size, policy)),
    ...(groups === undefined ? [] : groupMismatches(groups, policy)),
    ...(without === undefined ? [] : withoutMismatches(without, policy)),
    ...ofFindings,
  ]
}

function policyMismatch(name: string | undefined, names: readonly string[]): Mismatch {
  return {
    what: 'policy',
    expected: name ?? 'one, or its name in spec.policy',
    got: names.length === 0 ? 'no policy' : listNames(names),
  }
}

/**
 * Compares findings: each that is expected has to be there, and no other warning or error. A test that says nothing of
 * findings fails on errors alone.
 */
function findingMismatches(expected: readonly ExpectedFinding[] | undefined, found: readonly Finding[]): Mismatch[] {
  const wanted = expected ?? []
  const missing = wanted.filter((one) => !found.some((finding) => isMeant(one, finding)))
  const isUnasked = (finding: Finding) =>
    (expected === undefined ? isError(finding) : finding.severity !== 'info') &&
    !wanted.some((one) => isMeant(one, finding))
  return [
    ...missing.map((one) => ({ what: 'finding', expected: expectedText(one), got: nearestText(one, found) })),
    ...folded(found.filter(isUnasked)).map(({ finding, more }) => ({
      what: 'finding',
      expected: NOTHING,
      got: `${findingText(finding)}${more === 0 ? '' : ` (and ${more} more)`}`,
    })),
  ]
}

function isMeant({ code, severity, says }: ExpectedFinding, finding: Finding): boolean {
  return (
    finding.code === code &&
    (severity === undefined || finding.severity === severity) &&
    (says === undefined || messageOf(finding).includes(says))
  )
}

function expectedText({ code, severity, says }: ExpectedFinding): string {
  return [...(severity === undefined ? [] : [severity]), says === undefined ? code : `${code}: …${says}…`].join(' ')
}

/** Formats the finding of the same code, if there is one: its severity or message is another. */
function nearestText({ code }: ExpectedFinding, found: readonly Finding[]): string {
  const same = found.find((finding) => finding.code === code)
  return same === undefined ? NOTHING : findingText(same)
}

function findingText(finding: Finding): string {
  return `${finding.severity} ${finding.code}: ${messageOf(finding)}`
}

/** Compares the groups that have nodes, and how many each has. */
function groupMismatches(expected: Readonly<Record<string, number>>, { groups }: TestedPolicy): Mismatch[] {
  const named = Object.entries(expected).map(([name, count]) => ({
    name,
    count,
    line: groups.find((line) => isGroupCalled(line, name)),
  }))
  const wrong = named.filter(({ count, line }) => line?.nodeCount !== count)
  const listed = new Set(named.map(({ line }) => line))
  const more = groups.filter((line) => line.nodeCount > 0 && !listed.has(line))
  return [
    ...wrong.map(({ name, count, line }) => ({
      what: `group ${name}`,
      expected: plural(count, 'node'),
      got: line === undefined ? 'no such group' : countText(line),
    })),
    ...more.map((line) => ({ what: `group ${line.name}`, expected: NOTHING, got: countText(line) })),
  ]
}

function countText(line: GroupLine): string {
  return line.nodes.length === 0
    ? plural(line.nodeCount, 'node')
    : `${plural(line.nodeCount, 'node')}: ${nodesText(line)}`
}

/** Compares the nodes on which nothing starts, by name; an inventory that only counts has nodes without one. */
function withoutMismatches(expected: readonly string[], { left, servedBy }: TestedPolicy): Mismatch[] {
  const reasons = new Map(left.flatMap(({ nodes, reason }) => nodes.map((name) => [name, reason])))
  const served = expected.filter((name) => !reasons.has(name))
  const more = [...reasons].filter(([name]) => !expected.includes(name))
  const unnamed = left.filter(({ nodes, nodeCount }) => nodeCount > nodes.length)
  return [
    ...served.map((name) => ({ what: `node ${name}`, expected: WITHOUT, got: servedBy(name) ?? 'no such node' })),
    ...more.map(([name, reason]) => ({ what: `node ${name}`, expected: 'served', got: `${WITHOUT}: ${reason}` })),
    ...unnamed.map(({ nodes, nodeCount, reason }) => ({
      what: `${plural(nodeCount - nodes.length, 'node')} without a name`,
      expected: 'served',
      got: `${WITHOUT}: ${reason}`,
    })),
  ]
}

/** Compares the amounts and variables of the pod of a node, or of a group. */
function sizeMismatches(size: ExpectedSize, policy: TestedPolicy): Mismatch[] {
  const about = size.node === undefined ? `group ${size.group}` : `node ${size.node}`
  const { object, why } = objectOf(size, policy)
  if (object === undefined) return [{ what: about, expected: 'a pod of this size', got: why }]
  const all = resourcesIn(object) ?? new Map()
  const container = size.container ?? onlyOf(policy.sized) ?? onlyOf([...all.keys()])
  const own = container === undefined ? undefined : all.get(container)
  if (container === undefined || own === undefined)
    return [{ what: about, expected: `container ${container ?? 'named in the test'}`, got: [...all.keys()].join(', ') }]
  const place = size.container === undefined ? about : `${about}, ${container}`
  const amounts = (['requests', 'limits'] as const).flatMap((list) =>
    Object.entries(size[list] ?? {}).map(([resource, expected]) => ({ name: `${list}.${resource}`, expected })),
  )
  const env = envOf(object, container)
  return [
    ...amounts.flatMap(({ name, expected }) => mismatch(`${place}: ${name}`, expected, own[name], isSameAmount)),
    ...Object.entries(size.env ?? {}).flatMap(([name, expected]) =>
      mismatch(`${place}: ${name}`, expected, env.get(name), (a, b) => a === b),
    ),
  ]
}

/** Returns what is rendered for the node or group that is meant, else why there is nothing. */
function objectOf(
  { node, group = '' }: ExpectedSize,
  policy: TestedPolicy,
): { object?: KubernetesObject; why: string } {
  if (node === undefined) {
    const line = policy.groups.find((one) => isGroupCalled(one, group))
    return { object: line && policy.rendered(line.name), why: 'no such group' }
  }
  const left = policy.left.find(({ nodes }) => nodes.includes(node))
  const served = policy.servedBy(node)
  return {
    object: served === undefined ? undefined : policy.rendered(served),
    why: left === undefined ? 'no such node' : `${WITHOUT}: ${left.reason}`,
  }
}

function onlyOf(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined
}

type Same = (expected: string, got: string) => boolean

function mismatch(what: string, expected: string | number | null, got: unknown, isSame: Same): Mismatch[] {
  const [wanted, found] = [sideText(expected), sideText(got)]
  const isEqual = wanted === undefined || found === undefined ? wanted === found : isSame(wanted, found)
  return isEqual ? [] : [{ what, expected: wanted ?? NOTHING, got: found ?? NOTHING }]
}

function sideText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value)
}

/** Compares amounts, not how they are written: 0.1 is 100m. */
function isSameAmount(expected: string, got: string): boolean {
  const [wanted, found] = [readQuantity(expected), readQuantity(got)]
  return wanted !== undefined && found !== undefined && wanted.compare(found) === 0
}

/** Returns the variables of a container that have a value. */
function envOf({ spec }: KubernetesObject, container: string): ReadonlyMap<string, unknown> {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  const containers = ['containers', 'initContainers'].flatMap((list) => listOf(memberOf(pod, list))).filter(isMap)
  const own = containers.find(({ name }) => name === container)
  return new Map(
    listOf(memberOf(own, 'env'))
      .filter(isMap)
      .map(({ name, value, valueFrom }) => [String(name), value ?? (valueFrom === undefined ? '' : 'valueFrom')]),
  )
}

/** One thing that came out otherwise than a test expects: what it is, and both sides of it. */
export interface Mismatch {
  readonly what: string
  readonly expected: string
  readonly got: string
}

/** What a side shows for nothing. */
const NOTHING = 'none'
/** What a side shows for a node on which nothing starts, as the field of the test is called. */
const WITHOUT = 'without'

/** What a run decided for the policy of a test. */
interface TestedPolicy {
  readonly groups: readonly GroupLine[]
  /** Nodes on which nothing starts, with the reason; those where a pod may stay are in their groups, too. */
  readonly left: readonly NodesLine[]
  /** The sized containers. */
  readonly sized: readonly string[]
  /** Returns what is rendered for a group, by the group's name. */
  readonly rendered: (name: string) => KubernetesObject | undefined
  /** Returns the name of what is rendered for a node; undefined where nothing is. */
  readonly servedBy: (node: string) => string | undefined
}

type Planned = Plan['packages'][number]['planned'][number]

/** Subjects that serve nodes: a test may be about one of them. */
const KINDS = ['SizingPolicy', 'Order']

/**
 * Returns what a run decided for the policy of this name, or for the only one; else the names of all, of which one has
 * to be chosen.
 */
function testedPolicy(name: string | undefined, { packages }: Plan): TestedPolicy | readonly string[] {
  const all = packages.flatMap(({ planned }) => planned).filter(({ subject }) => KINDS.includes(subject.object.kind))
  const found = name === undefined ? all : all.filter((one) => namesOf(one).includes(name))
  const [only, another] = found
  if (only === undefined || another !== undefined) return all.map(({ subject }) => describe(subject.object))
  const { account, objects } = only
  const byName = new Map(objects.map((one) => [one.object.metadata.name, one.object]))
  const groups = account.filter((line) => line.kind === 'group')
  return {
    groups,
    left: account.filter((line) => line.kind === 'nodes'),
    sized: account.flatMap((line) => (line.kind === 'containers' ? line.sized : [])),
    rendered: (group) => byName.get(group),
    servedBy: (node) =>
      groups.find(({ nodes }) => nodes.includes(node))?.name ??
      objects.find((one) => one.node === node)?.object.metadata.name,
  }
}

function namesOf({ subject }: Planned): string[] {
  const { namespace, name } = subject.object.metadata
  return namespace === undefined ? [name] : [name, `${namespace}/${name}`]
}
