import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { UserError } from '../../files/user-error.ts'
import { inventoryName, nodeNameLabel, toInventory } from '../../inventory/index.ts'
import { timeText } from '../../kube/index.ts'
import { type Projection, project } from '../nodes/project.ts'
import { labelKeysWith, type ProjectedNode } from '../nodes/projected-node.ts'
import { decide, nextOf } from './decide.ts'
import type { EffectSettings, Evaluation, SyncMemory } from './evaluation.ts'
import { INVENTORY, type Owned, ownFile, readOwned, repositoryPath, WORKLOAD } from './owned-folder.ts'

/** What is evaluated. */
export interface EvaluateInput {
  /** A commit, and a folder with its files. */
  readonly checkout: { readonly commit: string; readonly path: string }
  readonly nodes: Iterable<ProjectedNode>
  /** A WorkloadSnapshot that is kept beside the inventory. */
  readonly workload?: Record<string, unknown>
  readonly now: Date
  readonly memory: SyncMemory
  readonly settings: EffectSettings
}

/**
 * Whether what Git has has to change, and to what: renders with the nodes as they are, and holds it against what Git has. Reads the
 * checkout and writes nothing. What is wrong with the repository is an outcome; nothing is thrown for it.
 */
export function evaluate({ checkout, nodes, workload, now, memory, settings }: EvaluateInput): Evaluation {
  const time = Math.floor(now.getTime() / 1000) * 1000
  try {
    const root = realpathSync(checkout.path)
    const settled = withPaths(settings)
    const owned = readOwned(root, settled)
    const labelKeys = labelKeysWith(settings.labels)
    const all = [...nodes]
    const telling = settings.counts ? nodeNameLabel(all, labelKeys) : undefined
    if (telling !== undefined)
      return stopped(
        `the inventory is to hold no names of nodes, and the label ${telling} holds them: do not export it`,
      )
    const projection = project(all, owned.known, {
      now: time,
      memory: memory.nodes,
      settings: { ...settled, labelKeys },
    })
    if (projection.nodeCount === 0)
      return stopped('the cluster lists no nodes at all: nothing is committed, since that would take every agent away')
    const own = filesOf(projection, { time, labelKeys, workload, settings: settled })
    const key = keyOf(checkout.commit, own, settled)
    const { last } = memory
    const due = last?.evaluation.until?.getTime()
    if (last?.key === key && !projection.isOverdue && time < (due ?? Infinity)) {
      // a node that does not count as it is yet changes nothing now, and later
      const until = nextOf([projection.until, due], time)
      // what waits for a review, or could not be pushed, stays the commit it is: times in it would make it another
      return last.evaluation.kind === 'commit'
        ? { ...last.evaluation, until }
        : { ...last.evaluation, why: 'inputs', until }
    }
    const evaluation = decide({ root, owned, own, projection, time, settings: settled })
    memory.last = evaluation.kind === 'stopped' ? undefined : { key, evaluation }
    return evaluation
  } catch (error) {
    if (error instanceof UserError) return stopped(error.message)
    throw error
  }
}

function stopped(sentence: string): Evaluation {
  return { kind: 'stopped', sentence, findings: [] }
}

function withPaths(settings: EffectSettings): EffectSettings {
  const { folder, packages, output } = settings
  return {
    ...settings,
    folder: repositoryPath(folder),
    packages: packages.map(repositoryPath),
    output: output === undefined ? undefined : repositoryPath(output),
  }
}

/** What the owned folder is to hold. */
function filesOf(
  { shapes }: Projection,
  {
    time,
    labelKeys,
    workload,
    settings,
  }: { time: number; labelKeys: string[]; workload?: Record<string, unknown>; settings: EffectSettings },
): Owned['files'] {
  const { cluster, uid, counts } = settings
  const name = inventoryName(cluster)
  const observedAt = timeText(time)
  const inventory = toInventory(shapes, { name, cluster, observedAt, labelKeys, exact: true, uid, counts })
  const files = new Map([[INVENTORY, ownFile(cluster, inventory)]])
  if (workload !== undefined) files.set(WORKLOAD, ownFile(cluster, workload))
  return files
}

/** By what an evaluation is known: the commit and what was seen, whatever the time. */
function keyOf(commit: string, own: Owned['files'], settings: EffectSettings): string {
  const seen = [...own.values()].map((text) => text.replaceAll(/^ *(?:observedAt|emptySince): .*\n/gm, ''))
  return createHash('sha256')
    .update(JSON.stringify([commit, settings, ...seen]))
    .digest('hex')
}
