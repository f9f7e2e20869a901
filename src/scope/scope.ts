import { CODES, type Finding, finding, type Subject } from '../finding/index.ts'
import { isNodeSource } from '../inventory/index.ts'
import { packageOf } from '../krm/identity.ts'
import { ownerOf } from '../krm/ownership.ts'
import type { Item } from '../krm/types.ts'
import { DEFAULT_OPTIONS, type RenderOptions, readRenderConfig } from '../policy/index.ts'
import { isDaemonOrder } from '../reservation/index.ts'
import type { Request } from './request.ts'

/** A package: what its policies may see, and no more. */
export interface Scope {
  readonly packagePath: string
  readonly items: readonly Item[]
  /** Every item of the run, other packages' too; only to see what an item is needed for. */
  readonly everything: readonly Item[]
  /** The policies to render here; one given as functionConfig has no item. */
  readonly policies: readonly PolicySource[]
  /** The Orders in DaemonSet mode to render here. */
  readonly orders: readonly PolicySource[]
  readonly options: RenderOptions
  readonly findings: readonly Finding[]
}

export interface PolicySource {
  readonly subject: Subject
  readonly item?: Item
}

const GROUP = 'nodefit.dev/'
const VERSION = 'nodefit.dev/v1alpha1'
const NOT_BUILT = ['PoolPolicy', 'NodeAction']

/** Splits the items by package and says which policies are rendered in each. */
export function scopesOf(items: readonly Item[], request: Request): Scope[] {
  const packages = new Map<string, Item[]>()
  for (const item of items) {
    const path = packageOf(item)
    const group = packages.get(path)
    if (group === undefined) packages.set(path, [item])
    else group.push(item)
  }
  if (packages.size === 0) packages.set('', [])
  const home = request.policy === undefined ? undefined : homeOf(request.policy, packages)
  return [...packages.keys()]
    .sort()
    .map((path) => scopeOf(path, packages.get(path) ?? [], items, request, home === path))
}

/** Whether an object is one that nodefit reads and that is never applied. */
export function isInput({ apiVersion, kind }: Pick<Subject, 'apiVersion' | 'kind'>): boolean {
  return isResource({ apiVersion, kind }) || isNodeSource({ apiVersion, kind } as Subject)
}

/** Whether an object is of a kind of ours; unlike a Node, nobody else's. */
export function isResource({ apiVersion, kind }: Pick<Subject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === VERSION && ['SizingPolicy', 'NodeInventory', 'RenderConfig', 'WorkloadSnapshot'].includes(kind)
}

function scopeOf(
  packagePath: string,
  items: readonly Item[],
  everything: readonly Item[],
  request: Request,
  isHome: boolean,
): Scope {
  const { options, findings } = optionsOf(items, request)
  findings.push(...items.flatMap(({ object }) => checkKind(object)), ...duplicatePolicies(items))
  return {
    packagePath,
    items,
    everything,
    policies: policiesOf(items, request, isHome),
    orders: ordersOf(items, request, isHome),
    options,
    findings,
  }
}

function policiesOf(items: readonly Item[], { policy }: Request, isHome: boolean): PolicySource[] {
  const all = items.filter(isPolicy)
  if (policy === undefined) return all.map((item) => ({ subject: item.object, item })).sort(byName)
  if (!isHome || policy.kind !== 'SizingPolicy') return []
  const item = all.find(
    ({ object }) =>
      object.metadata.name === policy.metadata.name && object.metadata.namespace === policy.metadata.namespace,
  )
  return [{ subject: policy, item }]
}

/** Orders in DaemonSet mode that nobody rendered and no enabled policy takes as its target; one given as functionConfig alone. */
function ordersOf(items: readonly Item[], { policy }: Request, isHome: boolean): PolicySource[] {
  const policies = items.filter(isPolicy).map(({ object }) => object)
  const all = items.filter(
    ({ object }) =>
      isDaemonOrder(object) && ownerOf(object) === undefined && !policies.some((one) => isTargetOf(object, one)),
  )
  if (policy === undefined) return all.map((item) => ({ subject: item.object, item })).sort(byName)
  if (!isHome || !isDaemonOrder(policy)) return []
  return [{ subject: policy, item: all.find(({ object }) => nameOf(object) === nameOf(policy)) }]
}

/** Whether an enabled policy sizes the Order. */
function isTargetOf({ kind, metadata }: Item['object'], policy: Item['object']): boolean {
  const { enabled, targetRef } = (policy.spec ?? {}) as {
    enabled?: unknown
    targetRef?: { kind?: unknown; name?: unknown }
  }
  const { namespace } = policy.metadata
  if (enabled === false || targetRef?.kind !== kind || targetRef.name !== metadata.name) return false
  return namespace === undefined || namespace === metadata.namespace
}

function nameOf({ metadata }: { metadata: Subject['metadata'] }): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

/** A policy given as functionConfig belongs to the package it says; without one to the outermost. */
function homeOf(policy: Subject, packages: ReadonlyMap<string, Item[]>): string {
  const own = packageOf({ object: policy as Item['object'] })
  if (own !== '' || packages.has('')) return own
  return [...packages.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? ''
}

function optionsOf(items: readonly Item[], { config }: Request): { options: RenderOptions; findings: Finding[] } {
  const own = items.filter(({ object }) => object.apiVersion === VERSION && object.kind === 'RenderConfig')
  const [first, second] = own
  if (config !== undefined) {
    const read = readRenderConfig(config, CODES)
    const other = own.find(({ object }) => object.metadata.name !== config.metadata.name)
    if (other === undefined) return read
    const sentence = `RenderConfig ${other.object.metadata.name} is in the package beside the functionConfig ${config.metadata.name}`
    return { ...read, findings: [...read.findings, finding('TwoRenderConfigs', sentence, { subject: other.object })] }
  }
  if (first === undefined) return { options: DEFAULT_OPTIONS, findings: [] }
  if (second !== undefined) {
    const sentence = `RenderConfig ${first.object.metadata.name} and ${second.object.metadata.name} are in one package`
    return { options: DEFAULT_OPTIONS, findings: [finding('TwoRenderConfigs', sentence, { subject: second.object })] }
  }
  return readRenderConfig(first.object, CODES)
}

function checkKind(subject: Subject): Finding[] {
  const { apiVersion, kind } = subject
  if (isPage(subject)) return [finding('PartialList', `${kind} is one page of a longer list`, { subject })]
  if (!apiVersion.startsWith(GROUP) || isInput(subject)) return []
  if (apiVersion === VERSION && NOT_BUILT.includes(kind))
    return [finding('NotBuilt', `${kind} ${subject.metadata.name} is not built yet`, { subject })]
  return [finding('UnknownKind', `${apiVersion} ${kind} ${subject.metadata.name} is not known`, { subject })]
}

/** Output is owned by name, so a name must say which policy is meant. */
function duplicatePolicies(items: readonly Item[]): Finding[] {
  const policies = items.filter(isPolicy).map(({ object }) => object)
  const findings: Finding[] = []
  for (const [index, subject] of policies.entries()) {
    const { name, namespace } = subject.metadata
    const rivals = policies.filter((other) => other !== subject && other.metadata.namespace === namespace)
    const former = (subject.spec as { formerNames?: unknown } | undefined)?.formerNames
    const taken = rivals.find((other) => Array.isArray(former) && former.includes(other.metadata.name))
    if (policies.slice(0, index).some((other) => rivals.includes(other) && other.metadata.name === name)) {
      findings.push(finding('DuplicatePolicy', `there are two policies ${name}`, { subject }))
    } else if (taken !== undefined) {
      const field = { path: 'spec.formerNames', currentValue: former }
      findings.push(
        finding('DuplicatePolicy', `${name} lists ${taken.metadata.name} as a former name, but that policy is there`, {
          subject,
          field,
        }),
      )
    }
  }
  return findings
}

function isPage({
  apiVersion,
  kind,
  metadata,
}: Subject & { metadata: { continue?: unknown; remainingItemCount?: unknown } }): boolean {
  const { continue: token, remainingItemCount } = metadata
  return apiVersion === 'v1' && kind.endsWith('List') && Boolean(token || remainingItemCount)
}

function isPolicy({ object }: Item): boolean {
  return object.apiVersion === VERSION && object.kind === 'SizingPolicy'
}

function byName(left: PolicySource, right: PolicySource): number {
  const key = ({ subject }: PolicySource) => `${subject.metadata.namespace ?? ''}/${subject.metadata.name}`
  return key(left) < key(right) ? -1 : 1
}
