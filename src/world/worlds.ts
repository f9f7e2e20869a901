import type { Codes } from '../finding/index.ts'
import { isNodeSource } from '../inventory/index.ts'
import { packageOf, pathOf } from '../krm/identity.ts'
import { rendererOf } from '../krm/remembered.ts'
import type { Item, ResourceList } from '../krm/types.ts'
import { isNodefitKind } from '../policy/index.ts'
import { duplicateFindings } from './duplicates.ts'
import { kindFindings, selectionFindings, UNPLANNED_KINDS } from './kinds.ts'
import { indexBy } from './memo.ts'
import { isAllowed, optionsOf } from './options.ts'
import type { AnyPlanner } from './planner.ts'
import { registryOf } from './registry.ts'
import type { Request } from './request.ts'
import { type Keyring, type World, worldOf } from './world.ts'

/** What the worlds of a run have in common. */
export interface Run {
  readonly list: ResourceList
  readonly request: Request
  readonly planners: readonly AnyPlanner[]
  readonly codes: Codes
  /** What was rendered before, where the run was given it apart from the list. */
  readonly earlier?: readonly Item[]
  /** Whether the paths in the list are those of a host that keeps its files in place. */
  readonly keepsFiles: boolean
  /** The keys that signed actions are verified with. */
  readonly keyring?: Keyring
}

/** The packages of a list, each a world of its own, in the order of their paths. */
export function worldsOf({ list, request, planners, codes, earlier, keepsFiles, keyring }: Run): World[] {
  const everything = list.items
  const registry = registryOf(planners)
  const packages = new Map(indexBy(everything, packageOf))
  if (packages.size === 0) packages.set('', [])
  // what was released is nobody's input either
  const isOurs = ({ object }: Item) => rendererOf(object) !== undefined
  const isClaimed = (item: Item) => !isOurs(item) && planners.some((planner) => planner.claims(item))
  const schemas = planners.flatMap((planner) => planner.schemas)
  const isSeen =
    earlier !== undefined || everything.some((item) => isOurs(item) || (keepsFiles && pathOf(item) !== undefined))
  const home = request.subject === undefined ? undefined : homeOf(request.subject, packages)
  return [...packages.keys()].sort().map((path) => {
    const items = packages.get(path) ?? []
    const claimed = items.filter(isClaimed)
    const { options, findings } = optionsOf(items, request.config, codes)
    // of a package that is seen in part nothing else can be said; kpt also gives the Kptfile of one that only holds
    // others
    const isHolder = packages.size > 1 && home !== path && items.every(({ object }) => object.kind === 'Kptfile')
    const selection = isHolder ? [] : selectionFindings(items)
    const isHidden = selection.some(({ code }) => !isAllowed(options, code))
    const all = request.subject === undefined ? [...claimed].sort(byName) : home === path ? [request.subject] : []
    return worldOf({
      path,
      items,
      everything,
      options,
      subjects: isHidden ? [] : all,
      plansAllSubjects: request.subject === undefined && !isHidden,
      isSeen,
      keepsFiles,
      isInput: (item) => planners.some((planner) => planner.isInput(item)) || (!isOurs(item) && isResource(item)),
      planners: registry,
      keyring,
      // of several packages each has its own earlier output
      earlierOutput: (earlier ?? []).filter((item) => packages.size < 2 || packageOf(item) === path),
      findings: [...selection, ...findings, ...kindFindings(items, schemas), ...duplicateFindings(claimed)],
    })
  })
}

function isResource({ object }: Item): boolean {
  return isNodeSource(object) || isNodefitKind(object, UNPLANNED_KINDS)
}

/** A policy given as functionConfig belongs to the package it says; without one to the outermost. */
function homeOf(subject: Item, packages: ReadonlyMap<string, unknown>): string {
  const own = packageOf(subject)
  if (own !== '' || packages.has('')) return own
  return [...packages.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? ''
}

function byName(left: Item, right: Item): number {
  const key = ({ object }: Item) => `${object.metadata.namespace ?? ''}/${object.metadata.name}`
  return key(left) < key(right) ? -1 : 1
}
