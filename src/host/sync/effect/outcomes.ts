import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlannedAction } from '../../../core/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { memberOf } from '../../../krm/map.ts'
import { readYaml } from '../../../krm/read-yaml.ts'
import type { Outcome } from '../collect/action-outcomes.ts'
import { WORKLOAD_FILE } from './owned-folder.ts'
import type { Rendered } from './rendered.ts'

/** Returns the actions of a render, the failed ones too; undefined where the files cannot be read. */
export function actionsIn(rendered: Rendered): readonly PlannedAction[] | undefined {
  if (rendered.kind === 'nothing') return []
  return rendered.plan?.packages.flatMap(({ planned }) => planned.flatMap(({ actions = [] }) => actions))
}

/** The lines of outcomes in a snapshot that nodefit sync wrote: reading one of thousands of nodes takes seconds. */
const SECTION = /^ {2}outcomes:\n((?: {2}(?: |- ).*\n)*)/m

/** Returns the outcomes in the text of a snapshot; none where there are none or they cannot be read. */
function outcomesIn(text: string): readonly Outcome[] {
  const [, lines = ''] = SECTION.exec(text) ?? []
  if (lines === '') return []
  try {
    const outcomes = memberOf(readYaml(`outcomes:\n${lines}`, WORKLOAD_FILE), 'outcomes')
    return Array.isArray(outcomes) ? (outcomes as Outcome[]) : []
  } catch (error) {
    if (error instanceof KrmError) return []
    throw error
  }
}

/** Returns the outcomes in a checkout. */
export function outcomesInGit(root: string, { folder }: { readonly folder: string }): readonly Outcome[] {
  try {
    return outcomesIn(readFileSync(join(root, folder, WORKLOAD_FILE), 'utf8').replaceAll('\r\n', '\n'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Whether a snapshot tells of another state of an action than the text of the one in Git. */
export function hasOtherOutcomes(workload: Record<string, unknown> | undefined, inGit = ''): boolean {
  const { outcomes } = (workload?.spec ?? {}) as { outcomes?: readonly Outcome[] }
  return outcomes !== undefined && statesText(outcomes) !== statesText(outcomesIn(inGit))
}

/** One that waits is not worth a commit of its own. */
function statesText(outcomes: readonly Outcome[]): string {
  const told = outcomes.filter(({ state }) => state !== 'Waiting')
  return JSON.stringify(
    told.map(({ action, digest, state, held, proof }) => [action, digest, state, held === true, proof !== undefined]),
  )
}
