import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import type { Trust } from '../../../core/index.ts'
import { inventoryName, nodeNameLabel, toInventory } from '../../../facts/inventory/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { plural } from '../../../krm/finding.ts'
import { timeText } from '../../../kube/index.ts'
import { trustText } from '../../files/trust.ts'
import { errorText, UserError } from '../../files/user-error.ts'
import type { OwnCommit } from '../git/repository.ts'
import { exceeds, replacementOf } from '../nodes/losses.ts'
import { type Projection, project } from '../nodes/project.ts'
import { labelKeysWith, type ProjectedNode } from '../nodes/projected-node.ts'
import { decide, earliestAfter } from './decide.ts'
import type { DecisionInput, EffectSettings, Evaluation, Preview, SyncMemory } from './evaluation.ts'
import { unwrittenIdle } from './idle.ts'
import { actionsIn, hasOtherOutcomes } from './outcomes.ts'
import {
  INVENTORY_FILE,
  type OwnedFolder,
  ownedFileText,
  readOwnedFolder,
  repositoryPath,
  WORKLOAD_FILE,
} from './owned-folder.ts'
import { renderWith } from './rendered.ts'
import { targetsIn } from './targets.ts'
import { hasUsage, importedRows, usageChanges, usageIn, usagePoliciesIn } from './usage-changes.ts'
import { type Acknowledgement, ackCommand, acknowledged, type Refusal, refusalOf } from './whose-folder.ts'

export interface EvaluateInput {
  /** A commit, and a folder with its files. */
  readonly checkout: { readonly commit: string; readonly path: string; readonly message?: string }
  readonly nodes: Iterable<ProjectedNode>
  /** A WorkloadSnapshot, which is written beside the inventory. */
  readonly workload?: Record<string, unknown>
  /** Whether the API server reported the deletion of a node. */
  readonly isDeleted?: (name: string) => boolean
  readonly now: Date
  readonly memory: SyncMemory
  readonly settings: EffectSettings
  /** Gives the keys that verify signed actions. Throws `UserError`, with which the render fails. */
  readonly trust?: () => Trust | undefined
  /** The uid of the cluster; undefined where it may not be read. */
  readonly clusterUid?: string
  /** The newest commit of nodefit sync to the folder; undefined where it is not known. */
  readonly own?: OwnCommit
  /** Whether nothing is pushed: what is held is shown as if somebody accepted it. */
  readonly isLook?: boolean
}

/**
 * Decides whether Git has to change, and how: renders with the present nodes, and compares the result with Git. Reads
 * the checkout and writes nothing. Errors of the repository's content are part of the result, not thrown.
 */
export function evaluate({
  checkout,
  nodes,
  workload,
  isDeleted = () => false,
  now,
  memory,
  settings: given,
  trust,
  clusterUid,
  own,
  isLook = false,
}: EvaluateInput): Evaluation {
  const time = Math.floor(now.getTime() / 1000) * 1000
  try {
    const root = realpathSync(checkout.path)
    const settings = withRepositoryPaths(given)
    // another head means that somebody pushed after it, which the person may not have seen
    const ack = acknowledged(checkout.message ?? '', { cluster: settings.cluster, clusterUid, time })
    memory.ack = ack
    const owned = readOwnedFolder(root, settings, settings.undoesEdits === true ? own?.inventory : undefined)
    const labelKeys = labelKeysWith(settings.labels)
    const present = [...nodes]
    const nameLabel = settings.counts ? nodeNameLabel(present, labelKeys) : undefined
    if (nameLabel !== undefined)
      return stopped(
        `inventory.counts is true, but the exported label ${nameLabel} contains names of nodes: remove it from labels`,
      )
    const claim = { ...settings, clusterUid, owned, committedUid: own?.clusterUid, ack }
    const names = new Set(present.map(({ name }) => name))
    const isAccepted = acceptsNodes(ack)
    const replaced = replacedNodes(names, { owned, memory, settings, clusterUid })
    const refusal = refusalOf({ ...claim, present: names }) ?? (isAccepted ? undefined : replaced)
    if (refusal !== undefined && !isLook) return stopped(refusal.sentence)
    if (refusal === undefined) memory.present = names
    const inGit = usageIn(owned.files.get(WORKLOAD_FILE), memory)
    if (inGit.problem !== undefined && hasUsage(workload))
      return stopped(
        `${settings.folder}/${WORKLOAD_FILE} was changed after nodefit sync wrote it: ${inGit.problem}. Restore it, or delete it to have it written again, which loses the sizes in it`,
      )
    const projection = project(present, owned.known, {
      now: time,
      memory: memory.nodes,
      settings: { ...settings, labelKeys },
    })
    if (projection.nodeCount === 0)
      return stopped('the cluster has no nodes: nothing is committed, since that would remove every agent')
    const uid = clusterUid ?? owned.clusterUid
    const files = ownedFiles(projection, { time, labelKeys, workload, settings, clusterUid: uid })
    const key = inputKey(checkout.commit, files, settings, trust)
    const { last } = memory
    const due = last?.evaluation.until?.getTime()
    if (refusal === undefined && last?.key === key && !projection.isOverdue && time < (due ?? Infinity)) {
      // a node whose state is debounced changes nothing before projection.until
      const until = earliestAfter([projection.until, due], time)
      // a commit that waits for a review or a push stays the same, with its times
      return last.evaluation.kind === 'commit'
        ? { ...last.evaluation, until }
        : { ...last.evaluation, why: 'inputs', until }
    }
    const usage = usageChanges(workload, inGit)
    const idle = unwrittenIdle(workload, owned.files.get(WORKLOAD_FILE), time)
    const isOther = hasOtherOutcomes(workload, owned.files.get(WORKLOAD_FILE))
    const input = {
      ...{ root, owned, files, projection, idle, usage, time, settings, memory, isDeleted, trust, clusterUid: uid },
      hasOtherOutcomes: isOther,
      hasOtherNodes: isAccepted && replaced !== undefined,
    }
    if (refusal !== undefined) return { ...stopped(refusal.sentence), preview: previewOf(input, refusal, names) }
    const [replaces] = ack.replaces
    const evaluation = decide({ ...input, ...(replaces === undefined ? {} : { replaces }) })
    if (evaluation.kind !== 'stopped') memory.losses.observe([], time)
    memory.last = evaluation.kind === 'stopped' ? undefined : { key, evaluation }
    return evaluation
  } catch (error) {
    if (error instanceof UserError || error instanceof KrmError) return stopped(errorText(error))
    throw error
  }
}

/** Reads what collectors need to know of the policies of a checkout, where no render has read it yet. */
export function readTargets(
  { path }: EvaluateInput['checkout'],
  memory: SyncMemory,
  given: EffectSettings,
  trust?: EvaluateInput['trust'],
): void {
  if (memory.targets !== undefined && memory.actions !== undefined && memory.usagePolicies !== undefined) return
  const root = realpathSync(path)
  const settings = withRepositoryPaths(given)
  try {
    const { files } = readOwnedFolder(root, settings)
    // before the first commit there is no folder; the render fails then, and the policies are read
    const rendered = renderWith({ root, ...settings, trust }, files.size > 0 ? files : new Map([[INVENTORY_FILE, '']]))
    memory.targets ??= targetsIn(rendered, settings.cluster)
    memory.actions ??= actionsIn(rendered)
    memory.usagePolicies ??= usagePoliciesIn(rendered)
    memory.importedUsage ??= importedRows(rendered.items, files.get(WORKLOAD_FILE), settings.cluster)
  } catch (error) {
    // the evaluation that follows reports it
    if (!(error instanceof UserError || error instanceof KrmError)) throw error
  }
}

function stopped(sentence: string): Extract<Evaluation, { kind: 'stopped' }> {
  return { kind: 'stopped', sentence, findings: [] }
}

/** Whether somebody accepts that the nodes are others. */
function acceptsNodes({ guardsUntil, replaces }: Acknowledgement): boolean {
  return guardsUntil !== undefined || replaces.length > 0
}

interface NodesInGit extends Pick<EvaluateInput, 'memory' | 'settings' | 'clusterUid'> {
  readonly owned: OwnedFolder
}

/** Refuses nodes of which most have others in their place since the last look, or since Git was written. */
function replacedNodes(
  present: ReadonlySet<string>,
  { owned, memory: { present: seen }, settings: { cluster, counts, guards }, clusterUid }: NodesInGit,
): Refusal | undefined {
  const percent = guards?.maxNodesReplaced
  if (counts || percent === undefined) return undefined
  // Git may be old, as after a long stop, and names are then no evidence against the uid
  if (seen === undefined && clusterUid !== undefined && owned.clusterUid === clusterUid) return undefined
  const { known } = owned
  const replacement = replacementOf(seen ?? new Set(known.shapes.flatMap(({ nodes }) => nodes)), present)
  if (!exceeds(replacement, percent)) return undefined
  const { before, replaced } = replacement
  const since = seen === undefined ? 'in Git' : 'of the last look'
  return {
    sentence: `NodesReplaced: ${replaced} of ${plural(before, 'node')} ${since} are gone, and others are in their place; guards.maxNodesReplaced is ${percent}%. Look whether this is the right cluster; if it is, push ${ackCommand({ cluster })}`,
  }
}

/** The codes of what a person should know before a cluster takes the place of another. */
const NOTED = new Set(['PodsRestart', 'RolloutWidens', 'TotalGrows', 'GroupRemoved'])

/** What would be committed, if somebody accepted what is held. */
function previewOf(input: DecisionInput, { replaces }: Refusal, present: ReadonlySet<string>): Preview | undefined {
  const accepting = { ...input, ...(replaces === undefined ? {} : { replaces }) }
  const accepted = decide(accepting)
  const shown = accepted.kind === 'stopped' ? decide({ ...accepting, settled: 'a look at it' }) : accepted
  if (shown.kind !== 'commit') return undefined
  const names = input.owned.known.shapes.flatMap(({ nodes }) => nodes)
  const shared = names.filter((name) => present.has(name)).length
  const guard = accepted.kind === 'stopped' ? [`a guard holds it then: ${accepted.sentence}`] : []
  const notes = shown.findings.filter(({ code }) => NOTED.has(code)).map(({ code, message }) => `${code}: ${message}`)
  return {
    summary: shown.summary,
    commit: shown.commit,
    notes: [`${shared} of ${plural(names.length, 'node')} in Git are nodes of this cluster`, ...guard, ...notes],
  }
}

function withRepositoryPaths(settings: EffectSettings): EffectSettings {
  const { folder, packages, output } = settings
  return {
    ...settings,
    folder: repositoryPath(folder),
    packages: packages.map(repositoryPath),
    output: output === undefined ? undefined : repositoryPath(output),
  }
}

/** The files that the owned folder should have. */
function ownedFiles(
  { shapes }: Projection,
  {
    time,
    labelKeys,
    workload,
    settings,
    clusterUid,
  }: {
    time: number
    labelKeys: string[]
    workload?: Record<string, unknown>
    settings: EffectSettings
    clusterUid?: string
  },
): OwnedFolder['files'] {
  const { cluster, uid, counts } = settings
  const name = inventoryName(cluster)
  const observedAt = timeText(time)
  const inventory = toInventory(shapes, {
    ...{ name, cluster, clusterUid, observedAt, labelKeys, exact: true, uid, counts },
  })
  const files = new Map([[INVENTORY_FILE, ownedFileText(cluster, inventory)]])
  if (workload !== undefined) files.set(WORKLOAD_FILE, ownedFileText(cluster, withClusterUid(workload, clusterUid)))
  return files
}

/** A snapshot with the uid of its cluster, after the name. */
function withClusterUid({ spec, ...rest }: Record<string, unknown>, clusterUid: string | undefined) {
  if (clusterUid === undefined) return { ...rest, spec }
  const { cluster, ...members } = spec as Record<string, unknown>
  return { ...rest, spec: { cluster, clusterUid, ...members } }
}

/** Identifies the inputs of an evaluation: the commit, the settings and the files, without the times in them. */
function inputKey(
  commit: string,
  files: OwnedFolder['files'],
  settings: EffectSettings,
  trust: EvaluateInput['trust'],
): string {
  const texts = [...files.values()].map((text) => text.replaceAll(/^ *(?:observedAt|emptySince): .*\n/gm, ''))
  return createHash('sha256')
    .update(JSON.stringify([commit, settings, trustText(trust), ...texts]))
    .digest('hex')
}
