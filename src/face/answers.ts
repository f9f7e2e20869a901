import type {
  Answer,
  GroupLine,
  LargestStep,
  Line,
  NodesLine,
  PercentageStep,
  Step,
  UsedStep,
  VariableStep,
} from '../core/index.ts'
import { firstNames, nodesText } from '../facts/inventory/index.ts'
import { candidateTexts, usedText } from '../fate/index.ts'
import { isPoolPolicy } from '../kinds/index.ts'
import { plural } from '../krm/finding.ts'
import { describe } from '../krm/identity.ts'
import type { Plan } from '../rules/plan.ts'
import { alignedLines, plain } from './columns.ts'
import { messageOf } from './explain.ts'

/**
 * What is asked of a plan: about a policy, a group by its name or the nodes that it is for, a pool, a pod by namespace
 * and name, a node, or a signed action by its id.
 */
export interface Question {
  readonly about: 'policy' | 'group' | 'pool' | 'pod' | 'node' | 'action'
  readonly name: string
}

/** The answer of one subject, such as a PoolPolicy. */
export interface SubjectAnswer extends AccountAnswer {
  readonly subject: string
}

/**
 * Returns what each subject of a plan says about a policy, group, pod, node or action; of a pool all that its subject
 * reports. Empty where no subject knows it.
 */
export function answersTo({ about, name }: Question, { packages, findings }: Plan): SubjectAnswer[] {
  return packages.flatMap(({ path, planned }) =>
    planned.flatMap(({ subject, answers, account }): SubjectAnswer[] => {
      const { object } = subject
      const who = `${describe(object)}${packages.length < 2 || path === '' ? '' : ` in ${path}`}`
      if (about === 'pool') {
        if (!isPoolPolicy(object) || object.metadata.name !== name) return []
        const { kind, metadata } = object
        const own = findings.filter(
          ({ subject: of }) =>
            of?.kind === kind && of.metadata.name === name && of.metadata.namespace === metadata.namespace,
        )
        return own.map((one) => ({ subject: who, state: one.code, sentence: messageOf(one) }))
      }
      const known = about === 'policy' || about === 'group' ? undefined : answers?.[about]?.(name)
      const isAsked = about === 'group' || about === 'node' || (about === 'policy' && object.metadata.name === name)
      const counted = isAsked ? accountAnswers(about, name, account) : []
      return [...(known === undefined ? [] : [known]), ...counted].map((answer) => ({ subject: who, ...answer }))
    }),
  )
}

/** Returns the names of the subjects that `policy` asks about: those with groups, or nodes that they leave out. */
export function policyNames({ packages }: Plan): string[] {
  const names = packages.flatMap(({ planned }) =>
    planned
      .filter(({ account }) => accountAnswers('policy', '', account).length > 0)
      .map(({ subject }) => subject.object.metadata.name),
  )
  return [...new Set(names)]
}

/** An answer about a node group, with the figures of each amount for programs. */
export interface AccountAnswer extends Answer {
  readonly group?: {
    readonly name: string
    readonly id: string
    readonly kind: string
    readonly nodeCount: number
    readonly nodes: readonly string[]
    readonly amounts: ReadonlyArray<Record<string, string>>
  }
}

/**
 * Returns what the account of a subject says of all its groups and the nodes that it leaves out (`policy`), of the
 * group of a name or id (`group`), or of one node (`node`). Nodes of an inventory that only counts have no names.
 */
export function accountAnswers(
  about: 'policy' | 'group' | 'node',
  name: string,
  lines: readonly Line[],
): AccountAnswer[] {
  const groups = lines.filter((line) => line.kind === 'group')
  const left = lines.filter((line) => line.kind === 'nodes')
  if (about === 'group') return groups.filter((line) => isGroupCalled(line, name)).map(groupAnswer)
  if (about === 'policy') return [...groups.map(groupAnswer), ...left.map(leftAnswer)]
  return [
    ...groups.filter(({ nodes }) => nodes.includes(name)).map(groupAnswer),
    ...left.filter(({ nodes }) => nodes.includes(name)).map(leftAnswer),
  ]
}

/** Whether a group has this name or id, or a policy refers to it so: by its label value or name part. */
export function isGroupCalled({ name, id, aliases }: GroupLine, asked: string): boolean {
  return name === asked || id === asked || aliases.includes(asked)
}

function groupAnswer(line: GroupLine): AccountAnswer {
  const { name, id, groupKind, nodeCount, nodes, steps, variables = [] } = line
  const rows = [...steps.map(rowOf), ...variables.map(variableRow)]
  const unseen = groupKind === 'remainder' ? ', and nodes with label values not seen yet' : ''
  return {
    state: groupKind,
    sentence: `${name} for ${id}: ${plural(nodeCount, 'node')}${namesOf(line)}${unseen}`,
    lines: rowLines(rows),
    group: { name, id, kind: groupKind, nodeCount, nodes, amounts: rows.map(({ json }) => json) },
  }
}

function leftAnswer(line: NodesLine): AccountAnswer {
  return {
    state: line.code,
    sentence: `${plural(line.nodeCount, 'node')} ${line.words}, ${line.reason}${namesOf(line)}`,
  }
}

function namesOf(line: GroupLine | NodesLine): string {
  return firstNames(line).length === 0 ? '' : ` (${nodesText(line)})`
}

const COLUMNS = ['AMOUNT', 'PERCENT', 'OF', 'FROM', 'RESULT', 'ROUNDED', 'DECIDED BY', 'WRITTEN'].map((heading) => ({
  heading,
}))

/** One amount or variable: its figures for programs, and in words where its basis comes from. */
interface AmountRow {
  readonly json: Record<string, string>
  readonly from: string
}

function rowLines(rows: readonly AmountRow[]): string[] {
  if (rows.length === 0) return []
  const cells = rows.map(({ json, from }) => {
    const { name, container, percentage, basis, result, rounded = '', decidedBy = '', written } = json
    return [
      container === undefined ? name : `${name} of ${container}`,
      percentage,
      basis,
      from,
      result,
      rounded,
      decidedBy,
      written,
    ].map((text) => ({
      text: text ?? '',
    }))
  })
  return alignedLines(COLUMNS, cells, plain)
}

function rowOf(step: Step): AmountRow {
  return { json: stepJson(step), from: fromText(step) }
}

const AMOUNT_WORDS: Readonly<Record<string, string>> = {
  requestCPU: 'its cpu request',
  requestMemory: 'its memory request',
  limitCPU: 'its cpu limit',
  limitMemory: 'its memory limit',
}

function variableRow({ raw, printed, ...step }: VariableStep): AmountRow {
  const result = step.from.endsWith('CPU') ? `${raw}m` : String(raw)
  return { json: { ...step, result, written: printed }, from: AMOUNT_WORDS[step.from] ?? step.from }
}

function fromText(step: Step): string {
  if (step.kind === 'used') return usedText(step)
  if (step.kind === 'largest') return step.of.length === 1 ? '' : 'the largest'
  if (step.now !== undefined) return `kept, now ${step.now}`
  return {
    smallest: 'the smallest node',
    median: 'the median node',
    earlier: 'before',
    range: 'the nearest range',
    remainder: 'the remainder',
  }[step.from]
}

/** A step with its integers as text, since programs round large numbers. */
function stepJson(step: Step): Record<string, string> {
  const { name, decidedBy, printed } = step
  const made =
    step.kind === 'used' ? usedJson(step) : step.kind === 'largest' ? largestJson(step) : percentageJson(step)
  return { name, ...made, ...(decidedBy === undefined ? {} : { decidedBy }), written: printed }
}

function percentageJson({ name, percentage, basis, from, now, raw, step }: PercentageStep): Record<string, string> {
  const unit = name.endsWith('CPU') ? 'm' : ''
  return {
    percentage,
    basis,
    from,
    ...(now === undefined ? {} : { now }),
    result: `${raw}${unit}`,
    ...(step === undefined ? {} : { step: step.size, rounded: `${step.result}${unit}` }),
  }
}

function usedJson({
  container,
  used,
  days,
  pods,
  imported,
  evidence,
  like,
  margin,
  raw,
  step,
}: UsedStep): Record<string, string> {
  return {
    container,
    percentage: `+${margin}`,
    basis: used,
    from: like === undefined ? 'usage' : 'neighbour',
    days: String(days),
    pods: String(pods),
    ...(imported === undefined ? {} : { imported }),
    ...(evidence === undefined ? {} : { evidence }),
    ...(like === undefined ? {} : { like }),
    result: raw,
    ...(step === undefined ? {} : { step: step.size, rounded: step.result }),
  }
}

function largestJson({ container, of }: LargestStep): Record<string, string> {
  return {
    container,
    percentage: '',
    basis: candidateTexts(of).join(', '),
    from: 'largest',
    result: '',
    ...Object.fromEntries(of.map(({ by, amount }) => [`by${by[0]?.toUpperCase()}${by.slice(1)}`, amount])),
  }
}
