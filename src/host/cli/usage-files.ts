import type { UsageRow } from '../../facts/inventory/index.ts'
import { type Imported, isPrometheusAnswer, LEAST_DAYS, readPrometheus } from '../../facts/usage/index.ts'
import { listNames, plural } from '../../krm/finding/index.ts'
import type { Item } from '../../krm/types.ts'
import { readObjects } from '../files/read-objects.ts'
import { readText, statOf } from '../files/read-text.ts'
import { say } from '../files/terminal.ts'
import { importedRows } from '../files/usage-rows.ts'
import { UserError } from '../files/user-error.ts'

/**
 * Reads the rows of usage from files: answers of Prometheus, and objects. `written` is the inventory beside them, whose
 * time counts for what says none. Throws `UserError` for an answer that cannot be used, and where nothing is left.
 */
export function readUsageFiles(
  files: readonly string[],
  nodes: readonly Item[],
  { spec }: Record<string, unknown>,
): readonly UsageRow[] {
  const answers: Array<readonly Imported[]> = []
  const objects: Item[] = []
  for (const file of files) {
    const answer = answerIn(file)
    if (answer === undefined) {
      objects.push(...readObjects([file]))
      continue
    }
    const read = readPrometheus(answer)
    if (typeof read === 'string') throw new UserError(`${file}: ${read}`)
    answers.push(read)
  }
  const { observedAt } = spec as { observedAt?: string }
  const now = observedAt === undefined ? Date.now() : Date.parse(observedAt)
  const { rows, unknown } = importedRows({ answers, objects }, nodes, now)
  const left = `no FILE has a policy or a rendered DaemonSet for ${listNames(unknown)}`
  if (rows.length === 0)
    throw new UserError(unknown.length > 0 ? left : 'no FILE says what the container of a DaemonSet uses')
  if (unknown.length > 0) say(`nodefit: ${left}: left out\n`)
  const young = rows.filter(({ days = 0, settled }) => settled === undefined && days < LEAST_DAYS)
  if (young.length > 0)
    say(`nodefit: nothing is settled of fewer than ${LEAST_DAYS} days: ${listNames(young.map(daysText))}\n`)
  return rows
}

function daysText({ policy, container, group, days = 0 }: UsageRow): string {
  return `${policy} ${container} ${group} (${plural(days, 'day')} of twelve hours or more)`
}

/** The answer of Prometheus in a file; undefined of any other file. */
function answerIn(file: string): unknown {
  if (!file.endsWith('.json') || statOf(file)?.isFile() !== true) return undefined
  try {
    const value: unknown = JSON.parse(readText(file))
    return isPrometheusAnswer(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
