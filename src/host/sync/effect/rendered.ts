import { join } from 'node:path'
import type { Trust } from '../../../core/index.ts'
import { isActionPolicy, isActionTrust, isNodeAction, isPoolPolicy } from '../../../kinds/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { type Finding, hasRole, isError } from '../../../krm/finding.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import { KubeError } from '../../../kube/index.ts'
import type { Plan } from '../../../rules/plan.ts'
import { isPlanned, manifestsOf } from '../../files/manifest.ts'
import type { Document } from '../../files/objects-in.ts'
import { openOutput, outputChange } from '../../files/output-change.ts'
import type { FolderChange } from '../../files/output-folder.ts'
import { readObjects } from '../../files/read-objects.ts'
import type { ReadLimits } from '../../files/read-text.ts'
import { planItems } from '../../files/rendering.ts'
import { errorText, UserError } from '../../files/user-error.ts'
import { INVENTORY_FILE, isBelow, WORKLOAD_FILE } from './owned-folder.ts'

/** The paths that a render reads. */
export interface RenderSource {
  /** The root of the checkout, without symbolic links in its path. */
  readonly root: string
  readonly folder: string
  readonly packages: readonly string[]
  readonly output?: string
  readonly limits?: ReadLimits
  /** Codes that are accepted besides those of a RenderConfig. */
  readonly allow?: readonly string[]
  /** Says whom the operator trusts to act. Throws `UserError`, with which the render fails. */
  readonly trust?: () => Trust | undefined
  /** The clock of the controller. */
  readonly clock?: Date
  /** What was read in this evaluation already. */
  readonly memo?: Map<string, readonly Document[]>
}

interface RenderInput {
  readonly items: readonly Item[]
  /** The earlier output, of the output folder. */
  readonly earlier: readonly Item[]
}

/** The result of a render. */
export type Rendered = RenderInput &
  /** There is no policy. */
  (
    | { readonly kind: 'nothing' }
    | {
        readonly kind: 'rendered'
        readonly plan: Plan
        readonly manifests: readonly Item[]
        /** The changes of the output folder, and the files that it has; undefined where there is no output folder. */
        readonly change?: FolderChange & { readonly held: ReadonlyMap<string, string> }
      }
    | {
        readonly kind: 'failed'
        readonly findings: readonly Finding[]
        /** The first error. */
        readonly sentence: string
        /** Identifies the errors, without what changes with the nodes. */
        readonly key: string
        /** Undefined where the files cannot be read. */
        readonly plan?: Plan
      }
  )

/**
 * Renders the packages as `nodefit build` does, with these files in the owned folder. `earlier` is the earlier output
 * where there is no output folder. Writes nothing. Errors of the repository's content are part of the result, not
 * thrown.
 */
export function renderWith(
  { root, folder, packages, output, limits, allow, trust, clock, memo }: RenderSource,
  files: ReadonlyMap<string, string>,
  givenEarlier?: readonly Item[],
): Rendered {
  const paths = renderPaths(folder, packages).map((path) => join(root, path))
  const instead = new Map([INVENTORY_FILE, WORKLOAD_FILE].map((name) => [join(root, folder, name), files.get(name)]))
  const target = output === undefined ? undefined : join(root, output)
  let items: readonly Item[] = []
  let earlier: readonly Item[] = []
  try {
    items = readObjects(paths, { within: root, except: target, instead, kustomizations: true, limits, memo })
    const opened = target === undefined ? undefined : openOutput(target, paths)
    earlier = opened?.earlier ?? givenEarlier ?? []
    const plan = planItems(items, {
      ...{ earlier: opened === undefined ? givenEarlier : earlier, keepsFiles: false, allow },
      clock,
      trust: items.some(({ object }) => isOfTrust(object)) ? byClock(trust?.()) : undefined,
    })
    if (plan.failed) return { kind: 'failed', items, earlier, plan, ...errorsOf(plan.findings) }
    if (!isPlanned(plan)) return { kind: 'nothing', items, earlier }
    const manifests = manifestsOf(plan)
    const change =
      opened === undefined ? undefined : { ...outputChange(opened.folder, plan), held: opened.folder.files }
    return { kind: 'rendered', items, earlier, plan, manifests, change }
  } catch (error) {
    if (!isContentError(error)) throw error
    const sentence = errorText(error).replaceAll(`${root}/`, '')
    return { kind: 'failed', items, earlier, findings: [], sentence, key: sentence }
  }
}

/** The controller has a clock, by which actions must be valid under a keyring, too. */
const byClock = (trust: Trust | undefined): Trust | undefined => trust && { ...trust, byClock: true }

/** Whether a trust says anything of an object. */
const isOfTrust = (object: KubernetesObject) =>
  [isNodeAction, isActionPolicy, isActionTrust, isPoolPolicy].some((isKind) => isKind(object))

/** The packages, and the owned folder where it is in none of them. */
function renderPaths(folder: string, packages: readonly string[]): readonly string[] {
  return packages.some((path) => isBelow(path, folder)) ? packages : [...packages, folder]
}

function errorsOf(findings: readonly Finding[]): { findings: readonly Finding[]; sentence: string; key: string } {
  const errors = findings.filter(isError)
  const keys = errors.map(({ code, subject, field }) =>
    [code, subject?.kind, subject?.metadata.namespace, subject?.metadata.name, field?.path].join(' '),
  )
  const [first] = errors
  return {
    findings,
    sentence: first === undefined ? 'the render fails' : `${first.code}: ${first.message}`,
    key: [...new Set(keys)].sort().join('\n'),
  }
}

function isContentError(error: unknown): error is Error {
  return (
    error instanceof UserError ||
    error instanceof KrmError ||
    error instanceof KubeError ||
    // the message of the system has the path
    /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '')
  )
}

export function findingsOf(rendered: Rendered): readonly Finding[] {
  if (rendered.kind === 'rendered') return rendered.plan.findings
  return rendered.kind === 'failed' ? rendered.findings : []
}

/** The first error that needs a person, with its code: a run would remove too much, or is about the wrong cluster. */
export function guardOf(rendered: Rendered): string | undefined {
  const guard = findingsOf(rendered).find((finding) => isError(finding) && hasRole(finding, 'attention'))
  return guard && `${guard.code}: ${guard.message}`
}
