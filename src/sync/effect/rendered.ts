import { join } from 'node:path'
import { manifestTexts } from '../../files/manifest.ts'
import { openOutput, outputChange } from '../../files/output-change.ts'
import type { FolderChange } from '../../files/output-folder.ts'
import { readObjects } from '../../files/read-objects.ts'
import { isPlanned, manifestsOf, planItems } from '../../files/rendering.ts'
import { UserError } from '../../files/user-error.ts'
import { type Finding, hasRole, isError } from '../../finding/index.ts'
import { KrmError } from '../../krm/error.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { KubeError } from '../../kube/index.ts'
import { isNodeInventory } from '../../policy/index.ts'
import type { Plan } from '../../types.ts'
import { INVENTORY, isBelow, WORKLOAD } from './owned-folder.ts'

/** Where a render reads: a folder with the files of a commit, and which of them. */
export interface Source {
  /** The folder, with no links in its path. */
  readonly root: string
  readonly folder: string
  readonly packages: readonly string[]
  readonly output?: string
}

/** What was read for a render. */
interface WhatWasRead {
  readonly items: readonly Item[]
  /** What was rendered before, of the output folder. */
  readonly earlier: readonly Item[]
}

/** What a render came to. */
export type Rendered = WhatWasRead &
  /** There is nothing to render: no policy. */
  (
    | { readonly kind: 'nothing' }
    | {
        readonly kind: 'rendered'
        readonly plan: Plan
        readonly manifests: readonly Item[]
        /** What the output folder needs to hold it, and what it holds; undefined where there is none. */
        readonly change?: FolderChange & { readonly held: ReadonlyMap<string, string> }
      }
    | {
        readonly kind: 'failed'
        readonly findings: readonly Finding[]
        /** The first error, as a sentence. */
        readonly sentence: string
        /** What went wrong, without what changes with every node. */
        readonly key: string
      }
  )

/**
 * Renders the packages with these files in the owned folder, as `nodefit build` does; only reads. What is wrong with the repository is an
 * outcome, never thrown.
 */
export function renderedWith(
  { root, folder, packages, output }: Source,
  own: ReadonlyMap<string, string>,
  past?: readonly Item[],
): Rendered {
  const paths = pathsOf(folder, packages).map((path) => join(root, path))
  const instead = new Map([INVENTORY, WORKLOAD].map((name) => [join(root, folder, name), own.get(name)]))
  const target = output === undefined ? undefined : join(root, output)
  let items: readonly Item[] = []
  let earlier: readonly Item[] = []
  try {
    items = readObjects(paths, { within: root, except: target, instead })
    const opened = target === undefined ? undefined : openOutput(target, paths)
    earlier = opened?.earlier ?? past ?? []
    const plan = planItems(items, { earlier: opened === undefined ? past : earlier, keepsFiles: false })
    if (plan.failed) return { kind: 'failed', items, earlier, ...failureOf(plan.findings) }
    if (!isPlanned(plan)) return { kind: 'nothing', items, earlier }
    const manifests = manifestsOf(plan)
    const change =
      opened === undefined ? undefined : { ...outputChange(opened.folder, plan), held: opened.folder.files }
    return { kind: 'rendered', items, earlier, plan, manifests, change }
  } catch (error) {
    if (!isUserError(error)) throw error
    const sentence = error.message.replaceAll(`${root}/`, '')
    return { kind: 'failed', items, earlier, findings: [], sentence, key: sentence }
  }
}

/** What is read: the packages, and the owned folder where it is in none of them. */
function pathsOf(folder: string, packages: readonly string[]): readonly string[] {
  return packages.some((path) => isBelow(path, folder)) ? packages : [...packages, folder]
}

/** Manifests as one text, in which only what matters to whoever applies them is told apart. */
export function textOf(manifests: readonly Item[]): string {
  return manifestTexts(manifests).join('---\n')
}

/** The same without counts and times (`lasting`). */
export function comparable(manifests: readonly Item[]): string {
  return lasting(textOf(manifests))
}

/** A manifest without how many nodes its group has, and when a rollout's groups changed: until somebody renders them, that is each time now. */
export function lasting(manifest: string): string {
  return uncounted(manifest).replaceAll(/^ *nodefit\.dev\/changed: .*\n/gm, '')
}

/** A manifest without how many nodes its group has: that is there for guards to count from, and does nothing in a cluster. */
export function uncounted(manifest: string): string {
  return manifest.replaceAll(/^ *nodefit\.dev\/nodes: .*\n/gm, '')
}

function failureOf(findings: readonly Finding[]): { findings: readonly Finding[]; sentence: string; key: string } {
  const errors = findings.filter(isError)
  const keys = errors.map(({ code, subject, field }) =>
    [code, subject?.kind, subject?.metadata.namespace, subject?.metadata.name, field?.path].join(' '),
  )
  const [first] = errors
  return {
    findings,
    sentence: first === undefined ? 'the render failed' : `${first.code}: ${first.message}`,
    key: [...new Set(keys)].sort().join('\n'),
  }
}

function isUserError(error: unknown): error is Error {
  return error instanceof UserError || error instanceof KrmError || error instanceof KubeError
}

/** What a render has to say. */
export function findingsOf(rendered: Rendered): readonly Finding[] {
  if (rendered.kind === 'rendered') return rendered.plan.findings
  return rendered.kind === 'failed' ? rendered.findings : []
}

/** The first guard that a render trips, with the sentence that asks for somebody to look at it. */
export function guardOf(rendered: Rendered): string | undefined {
  const guard = findingsOf(rendered).find((one) => isError(one) && hasRole(one, 'attention'))
  return guard && `${guard.code}: ${guard.message}`
}

/** Nodes from elsewhere, said as a sentence: what nodefit sync keeps and they would count the same nodes twice. */
export function otherSource(items: readonly Item[], own: string, cluster: string): string | undefined {
  for (const { object, text } of items) {
    if (ownerOf(object) !== undefined || text === own) continue
    const spec = object.spec as { cluster?: unknown } | null | undefined
    const isNode = object.apiVersion === 'v1' && object.kind === 'Node'
    if (isNode || (isNodeInventory(object) && spec?.cluster === cluster))
      return `${object.kind} ${object.metadata.name} stands in the packages beside the inventory that nodefit sync keeps of cluster ${cluster}: remove it from the repository, or from what is rendered`
  }
  return undefined
}
