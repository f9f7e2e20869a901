import { type Answer, type Answers, jobText, type PlannedAction, type Rendered } from '../../core/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { ACTIONS } from '../../krm/remembered.ts'
import { timeText } from '../../kube/index.ts'
import type { ACTION_CODES } from './codes.ts'
import type { Judged } from './judge.ts'
import type { Leases } from './leases.ts'
import type { Memory, Outcome } from './memory.ts'
import { findingsBySubject } from './rows.ts'
import { targetText } from './verify.ts'

type ActionCode = keyof typeof ACTION_CODES | 'InvalidField' | 'UnknownField'

/** The checks of an action in their order, with the codes that say that it does not pass. */
const CHECKS: ReadonlyArray<readonly [check: string, codes: readonly ActionCode[]]> = [
  ['form', ['UnknownField', 'InvalidField', 'NonIntegerNumber', 'UnsafeInteger']],
  ['algorithm and key', ['UnsupportedAlgorithm', 'UnknownKey', 'NoKey']],
  ['signature', ['TooFewSignatures', 'MalformedSignature', 'BadSignature', 'ActionUnverified']],
  ['cluster', ['ActionOfOtherCluster']],
  ['window and types of the key', ['KeyExpired', 'KeyTypeForbidden']],
  ['lifetime', ['LifetimeTooLong']],
  ['time', ['ActionExpired', 'ActionNotYetValid']],
  ['limits of the policy', ['ActionTypeForbidden', 'InvalidLabel', 'ForbiddenLabel', 'OverLimit']],
  ['id', ['DuplicateId', 'NodeInTwoPackages']],
  [
    'target',
    [
      ...([
        'ActionTargetMissing',
        'ActionTargetChanged',
        'NodeUidUnknown',
        'ControlPlaneNode',
        'NodeNotTrusted',
      ] as const),
      ...(['PodNotEvictable', 'HPAOwnsReplicas', 'ActionLabelUnknown'] as const),
    ],
  ],
  ['sequence', ['ActionSuperseded', 'DuplicateSequence']],
  ['turn', ['ActionSuspended', 'ActionQueued']],
  ['what it is rendered with', ['JobImageMissing', 'EditNeedsSource', 'DeploymentTwice', 'DrainCutShort']],
]

/** What answers are made of. */
export interface AnswerInput {
  readonly rows: readonly PlannedAction[]
  readonly judged: Pick<Judged, 'all'>
  readonly findings: readonly Finding[]
  readonly memory: Pick<Memory, 'outcomes'>
  readonly objects: readonly Rendered[]
  readonly leases: Leases
}

/** Answers what became of an action, and which actions hold a node. */
export function answersOf(input: AnswerInput): Answers {
  const { rows, leases } = input
  return {
    action: (id) => {
      const index = rows.findIndex((row) => row.id === id)
      return index < 0 ? undefined : actionAnswer(index, input)
    },
    node: (name) => {
      const holders = rows.filter(({ state, target }) => isInEffect(state) && isNode(target, name))
      if (holders.length > 0) {
        const lines = holders.map((row) => `${row.id} (${row.type})${askedBy(row)}, until ${expiry(row)}`)
        return holders.every(({ type }) => type === 'uncordonNode')
          ? { state: 'uncordoned', sentence: `is kept uncordoned by ${lines.join('; ')}` }
          : { state: 'held', sentence: `is held by ${lines.join('; ')}` }
      }
      const isEnding = leases.shares.some(({ target }) => isNode(target, name))
      return isEnding ? { state: 'ending', sentence: 'is held by no action any more, and is given back' } : undefined
    },
  }
}

function isInEffect(state: PlannedAction['state']): boolean {
  return state === 'in effect' || state === 'done'
}

function isNode(target: { readonly kind: string; readonly name: string }, name: string): boolean {
  return target.kind === 'Node' && target.name === name
}

function askedBy({ requester, reason }: PlannedAction): string {
  return `${requester === undefined ? '' : ` for ${requester}`}${reason === undefined ? '' : `: ${reason}`}`
}

function expiry({ expiresAt }: PlannedAction): string {
  return expiresAt === undefined ? 'an unknown time' : timeText(expiresAt)
}

function actionAnswer(index: number, { rows, judged, findings, memory, objects, leases }: AnswerInput): Answer {
  const row = rows[index] as PlannedAction
  const about = findingsBySubject(findings).get(judged.all[index]?.subject) ?? []
  const outcome = memory.outcomes.byAction.get(`${row.id} ${row.digest}`)
  const made = objects
    .filter(({ object }) => object.metadata.annotations?.[ACTIONS] === row.id)
    .map(({ object }) => {
      const job = jobText(object)
      return job === undefined
        ? describe(object)
        : `${describe(object)}: ${job.command}, as ${job.account}, in ${job.image}`
    })
  const { name } = row.target
  const isHeld = leases.held.has(name) || leases.uncordoned.has(name)
  const isField = isInEffect(row.state) && row.target.kind === 'Node' && isHeld
  const rendered = [...(isField ? [`fields of ${targetText(row)}`] : []), ...made]
  return {
    state: row.state,
    sentence: `${row.type} of ${targetText(row)}${askedBy(row)}, until ${expiry(row)}: ${row.state}`,
    lines: [
      ...checkLines(about),
      `rendered: ${rendered.length === 0 ? 'nothing' : rendered.join('; ')}`,
      ...outcomeLines(outcome),
    ],
  }
}

/** Returns a line for each check: what it says, or that it was not reached, as with all of an expired action. */
function checkLines(about: readonly Finding[]): string[] {
  const isExpired = about.some(({ code }) => code === 'ActionExpired')
  const failed = CHECKS.findIndex(([, codes]) => about.some(({ code }) => codes.some((one) => one === code)))
  return CHECKS.map(([check, codes], index) => {
    const found = about.find(({ code }) => codes.some((one) => one === code))
    if (found !== undefined) return `${check}: ${found.code}: ${found.sentence}`
    const isBefore = failed < 0 || index < failed || about.some(({ code }) => code === 'ActionRendered')
    return `${check}: ${isBefore && !isExpired ? 'passed' : 'not reached'}`
  })
}

function outcomeLines(outcome: Outcome | undefined): string[] {
  if (outcome === undefined) return ['outcome: no snapshot has one']
  const { state, held, observedAt, message, blocking = [] } = outcome
  const since = observedAt === undefined ? '' : ` since ${observedAt}`
  return [
    `outcome: ${state}${since}${message === undefined ? '' : `: ${message}`}`,
    ...(held === true ? ['held: the cluster still has something of it'] : []),
    ...blocking.map(({ pod = '', by = '' }) => `blocked by pod ${pod}: ${by}`),
  ]
}
