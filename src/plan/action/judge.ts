import { type Finding, isError } from '../../krm/finding.ts'
import { isDeepEqual } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { parameterFindings } from './parameters.ts'
import { type Action, expiryOf, readActionItem } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import { startOf, targetText, timesOf, type Verifier, verifyAction } from './verify.ts'

/** An action as it was read; undefined where it could not be, or has expired in its own words. */
export interface ReadAction {
  readonly subject: KubernetesObject
  readonly action?: Action
}

/** What became of all actions of a package. */
export interface Judged {
  /** All, in the order of the package, copies left out. */
  readonly all: readonly ReadAction[]
  /** Valid now, in the order of their sequences. */
  readonly valid: readonly Action[]
  /** Every action whose fields could be read, be its signature as it may. */
  readonly read: readonly Action[]
  /** When actions expired, begin or expire. */
  readonly expired: readonly Date[]
  readonly coming: readonly Date[]
  readonly findings: readonly Finding[]
}

/** Reads and verifies the actions of a package; what is wrong with one is an error, what time brings is not. */
export function judgeActions(items: readonly Item[], verifier: Verifier, settings: ActionSettings): Judged {
  const findings: Finding[] = []
  const read: Action[] = []
  const all: ReadAction[] = []
  const valid: Action[] = []
  const expired: Date[] = []
  const coming: Date[] = []
  const [, last] = timesOf(verifier)
  for (const item of items) {
    const { object: subject } = item
    const expiry = expiryOf(subject)
    // whatever else is wrong with it, it renders nothing any more
    if (expiry !== undefined && expiry <= last) {
      expired.push(expiry)
      const sentence = `${subject.metadata.name} expired at ${timeText(expiry)}`
      findings.push(finding('ActionExpired', sentence, { subject }))
      all.push({ subject })
      continue
    }
    const { value: action, findings: problems } = readActionItem(item)
    findings.push(...problems)
    all.push({ subject, action })
    if (action === undefined) continue
    read.push(action)
    const { verdict, findings: verified } = verifyAction(action, verifier)
    const wrong = verdict === 'refused' ? [] : parameterFindings(action, settings)
    findings.push(...verified, ...wrong)
    if (verdict === 'refused' || wrong.some(isError)) continue
    coming.push(verdict === 'early' ? startOf(action, verifier.skew) : action.expiresAt)
    if (verdict !== 'early') valid.push(action)
  }
  const { kept, copies, findings: doubled } = withoutCopies(valid)
  return {
    all: all.filter(({ subject }) => !copies.has(subject)),
    valid: [...kept].sort((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1)),
    read,
    expired,
    coming,
    findings: [...findings, ...doubled],
  }
}

/** Returns one action for each id; copies of the same bytes are one, and different actions with one id are refused. */
function withoutCopies(actions: readonly Action[]) {
  const copies = new Set<KubernetesObject>()
  const byId = new Map<string, Action>()
  const refused = new Set<string>()
  const findings: Finding[] = []
  for (const action of actions) {
    const other = byId.get(action.id)
    if (other === undefined) byId.set(action.id, action)
    else if (other.digest !== action.digest || !isDeepEqual(other.text, action.text)) {
      refused.add(action.id)
      findings.push(duplicateId(action.subject, `${other.subject.metadata.name} has the id ${action.id} as well`))
    } else copies.add(action.subject)
  }
  return { kept: [...byId.values()].filter(({ id }) => !refused.has(id)), copies, findings }
}

/** Reports an action whose id another one has. */
export function duplicateId(subject: KubernetesObject, words: string): Finding {
  return finding('DuplicateId', `${subject.metadata.name}: ${words}`, { subject, field: { path: 'spec.id' } })
}

/** Formats an action for a message: `act-0003 (drainNode Node small-000002)`. */
export function actionText(action: Action): string {
  return `${action.id} (${action.type} ${targetText(action)})`
}
