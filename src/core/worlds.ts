import { isNodeSource } from '../facts/inventory/index.ts'
import { type Expected, isNodefitKind, isOrder, isSizingPolicy } from '../kinds/index.ts'
import { type Codes, type Finding, listNames } from '../krm/finding.ts'
import { describe, identityOf, packageOf, pathOf } from '../krm/identity.ts'
import { ownerName, ownerOf, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject, ResourceList } from '../krm/types.ts'
import { finding } from './codes.ts'
import type { Kustomizations } from './kustomizations.ts'
import { indexBy, once } from './memo.ts'
import { type AnyPlanner, registryOf } from './planner.ts'
import { kindFindings, optionsOf, type Request, selectionFindings, UNPLANNED_KINDS } from './request.ts'
import type { Trust } from './trust.ts'
import { type FlatKeys, isAllowed, type World, worldOf } from './world.ts'

/** What the worlds of a run have in common. */
interface Run {
  readonly list: ResourceList
  readonly request: Request
  readonly planners: readonly AnyPlanner[]
  readonly codes: Codes
  readonly kustomizations: Kustomizations
  /** What was rendered before, where it was given separately from the list. */
  readonly earlier?: readonly Item[]
  /** Whether the host of the list keeps files at the paths it gives. */
  readonly keepsFiles: boolean
  /** What the packages must have together, as the caller of the run expects. */
  readonly expect?: Expected
  /** The cluster that the run is for, where its caller says so. */
  readonly cluster?: string
  /** Codes that the caller accepts. */
  readonly allow?: readonly string[]
  /** The clock of the machine that runs. */
  readonly clock?: Date
  /** Whom the operator trusts to act. */
  readonly trust?: Trust
  /** How flat keys were given; `config` if undefined. */
  readonly flat?: FlatKeys
}

/** Returns the packages of a list, each as a world of its own, in the order of their paths. */
export function worldsOf(run: Run): World[] {
  const {
    list,
    request,
    planners,
    codes,
    kustomizations,
    earlier,
    keepsFiles,
    expect,
    cluster,
    allow = [],
    clock,
    trust,
  } = run
  // a patch is named like what it changes, and is no object of the package
  const everything = list.items.filter((item) => !kustomizations.isPatch(item))
  const registry = registryOf(planners)
  const packages = new Map(indexBy(everything, packageOf))
  if (packages.size === 0) packages.set('', [])
  // released objects are no subjects either
  const isOurs = ({ object }: Item) => rendererOf(object) !== undefined
  const owners = once(() => new Set([...everything, ...(earlier ?? [])].map(({ object }) => ownerOf(object))))
  const hasOutput = ({ object: { kind, metadata } }: Item) => owners().has(ownerName(kind, metadata.name))
  const isClaimed = (item: Item) =>
    !isOurs(item) &&
    planners.some((planner) => planner.claims(item) || (planner.mayHaveClaimed?.(item) === true && hasOutput(item)))
  const schemas = planners.flatMap((planner) => planner.schemas)
  const isSeen =
    earlier !== undefined || everything.some((item) => isOurs(item) || (keepsFiles && pathOf(item) !== undefined))
  const home = request.subject === undefined ? undefined : homeOf(request.subject, packages)
  const paths = [...packages.keys()].sort()
  const wanted = request.subject
  // kustomize gives the file of a policy as the functionConfig, and among the resources what its layers made of it
  const isGiven = (item: Item) => wanted !== undefined && isClaimed(item) && isCopyOf(item, wanted.object)
  const asked = wanted === undefined || everything.some(isGiven) ? [] : [wanted]
  const ofRun = [...everything.filter(isClaimed), ...asked]
  // flat keys are given with the run: they are no file of the package, which could be lost
  const isOfFile = wanted === list.functionConfig
  const flat = wanted === undefined || isOfFile ? undefined : (run.flat ?? 'config')
  return paths.map((path) => {
    const items = packages.get(path) ?? []
    const claimed = items.filter(isClaimed)
    const { options: written, config, findings } = optionsOf(items, request.config, codes, cluster)
    const options = { ...written, allow: new Set([...written.allow, ...allow]) }
    // a package of which only a part is shown has no other findings; kpt also passes the Kptfile of a package that only
    // holds others
    const isHolder = packages.size > 1 && home !== path && items.every(({ object }) => object.kind === 'Kptfile')
    const selection = isHolder ? [] : selectionFindings(items)
    const isHidden = selection.some(({ code }) => !isAllowed(options, code))
    const isFirst = path === paths[0]
    const ofPackage = [...claimed, ...(home === path && isOfFile ? asked : [])]
    // a functionConfig is for the whole run, and is counted once
    const counted = request.config === undefined ? ofPackage : isFirst ? ofRun : undefined
    const unexpected = [
      ...(counted === undefined || isHidden ? [] : expectedFindings(counted, options.expect ?? {}, config)),
      ...(isFirst ? expectedFindings(ofRun, expect ?? {}) : []),
    ]
    const all = request.subject === undefined ? [...claimed].sort(byName) : home === path ? [request.subject] : []
    return worldOf({
      path,
      items,
      everything,
      kustomizations,
      options,
      subjects: isHidden ? [] : all,
      plansAllSubjects: request.subject === undefined && !isHidden,
      isSeen,
      keepsFiles,
      isInput: (item) => planners.some((planner) => planner.isInput(item)) || (!isOurs(item) && isResource(item)),
      planners: registry,
      clock,
      trust,
      flat,
      // with several packages, each has its own earlier output
      earlierOutput: (earlier ?? []).filter((item) => packages.size < 2 || packageOf(item) === path),
      findings: [
        ...selection,
        ...findings,
        ...unexpected,
        ...kindFindings(items, schemas),
        ...duplicateFindings(claimed),
      ],
    })
  })
}

function isResource({ object }: Item): boolean {
  return isNodeSource(object) || isNodefitKind(object, UNPLANNED_KINDS)
}

/** Returns the package of a policy that is the functionConfig: as it names it, else the outermost. */
function homeOf(subject: Item, packages: ReadonlyMap<string, unknown>): string {
  const own = packageOf(subject)
  if (own !== '' || packages.has('')) return own
  return [...packages.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? ''
}

function byName(left: Item, right: Item): number {
  const key = ({ object }: Item) => `${object.metadata.namespace ?? ''}/${object.metadata.name}`
  return key(left) < key(right) ? -1 : 1
}

/** Reports subjects of one kind and name, since output is owned by these, and former names that another subject has. */
function duplicateFindings(subjects: readonly Item[]): Finding[] {
  const all = indexBy(subjects, ({ object }) => identityOf(object))
  return subjects.flatMap((item) => {
    const { object: subject } = item
    const [first] = all.get(identityOf(subject)) ?? []
    if (first !== item) return [finding('DuplicatePolicy', `${describe(subject)} is in the package twice`, { subject })]
    const names = formerNames(subject)
    const isTaken = (name: string) => all.has(identityOf({ ...subject, metadata: { ...subject.metadata, name } }))
    const taken = names.find((name) => name !== subject.metadata.name && isTaken(name))
    if (taken === undefined) return []
    const sentence = `${subject.metadata.name} lists ${taken} in spec.formerNames, but that policy is in the package`
    const field = { path: 'spec.formerNames', currentValue: names }
    return [finding('DuplicatePolicy', sentence, { subject, field })]
  })
}

/** Returns the names that a policy had before; ignores other values, which its schema refuses. */
export function formerNames({ spec }: KubernetesObject): string[] {
  const { formerNames: names } = (spec ?? {}) as { formerNames?: unknown }
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

/** Returns the owners under which a subject's fields of other objects are listed: itself, and its former names. */
export function fieldOwners(subject: KubernetesObject): string[] {
  const { kind, metadata } = subject
  const place = metadata.namespace === undefined ? kind : `${kind}/${metadata.namespace}`
  return [metadata.name, ...formerNames(subject)].map((name) => `${place}/${name}`)
}

/**
 * Reports policies and Orders that are expected and missing, or there and not expected. A file that is commented out,
 * renamed, emptied or hidden takes its policy away without a trace, and a host without earlier output then prunes what
 * was rendered for it. `config` is the RenderConfig that expects them; without one the caller of the run does.
 */
function expectedFindings(subjects: readonly Item[], expected: Expected, config?: KubernetesObject): Finding[] {
  const found = [...new Map(subjects.map(({ object }) => [identityOf(object), object])).values()]
  const policies = found.filter(isSizingPolicy)
  const who = config === undefined ? 'this run expects' : `${describe(config)} expects`
  const at = (field: keyof Expected) =>
    config === undefined
      ? {}
      : { subject: config, field: { path: `spec.expect.${field}`, currentValue: expected[field] } }
  const countFindings = (field: 'policies' | 'orders', noun: string, objects: readonly KubernetesObject[]) => {
    const wanted = expected[field]
    const count = objects.length
    if (wanted === undefined || wanted === count) return []
    const held = count === 0 ? 'none' : `${count}: ${namesOf(objects)}`
    const sentence = `${who} ${noun} to number ${wanted}, but there ${count === 1 ? 'is' : 'are'} ${held}`
    return [finding(count < wanted ? 'PolicyMissing' : 'PolicyNotExpected', sentence, at(field))]
  }
  const names = expected.policyNames
  const missing = names?.filter((name) => !policies.some((policy) => writtenAs(policy, 'Names') === name)) ?? []
  const more = policies.filter((policy) => names?.includes(writtenAs(policy, 'Names')) === false)
  const held = policies.length === 0 ? 'none' : namesOf(policies)
  return [
    ...(missing.length === 0
      ? []
      : [finding('PolicyMissing', `${who} SizingPolicy ${allOf(missing)}, but there is ${held}`, at('policyNames'))]),
    ...(more.length === 0
      ? []
      : [
          finding(
            'PolicyNotExpected',
            `${who} SizingPolicy ${allOf(names ?? [])}, but not ${namesOf(more)}`,
            at('policyNames'),
          ),
        ]),
    ...countFindings('policies', 'SizingPolicies', policies),
    ...countFindings('orders', 'Orders in DaemonSet mode', found.filter(isOrder)),
  ]
}

const PREVIOUS = 'internal.config.kubernetes.io/previous'

/** Whether an item is what layers of kustomize made of an object: they record the name and namespace of its file. */
function isCopyOf({ object }: Item, { metadata, kind }: KubernetesObject): boolean {
  const { name, namespace = 'default' } = metadata
  if (object.kind !== kind || object.metadata.annotations?.[`${PREVIOUS}Names`] === undefined) return false
  return writtenAs(object, 'Names') === name && writtenAs(object, 'Namespaces') === namespace
}

/**
 * Returns the name or namespace of an object in its file: the first that kustomize lists, without any the present one.
 */
function writtenAs({ metadata }: KubernetesObject, what: 'Names' | 'Namespaces'): string {
  const known: unknown = metadata.annotations?.[`${PREVIOUS}${what}`]
  if (typeof known === 'string') return known.split(',')[0] ?? ''
  return what === 'Names' ? metadata.name : (metadata.namespace ?? 'default')
}

function namesOf(objects: readonly KubernetesObject[]): string {
  return allOf(objects.map((object) => String(writtenAs(object, 'Names'))).sort())
}

function allOf(names: readonly string[]): string {
  return listNames(names, names.length)
}
