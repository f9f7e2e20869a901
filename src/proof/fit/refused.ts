import { type Finding, listNames } from '../../finding/index.ts'
import type { Refusal } from '../../kube/index.ts'
import { indexBy } from '../../world/index.ts'
import { finding } from '../codes.ts'
import { type Agent, agentsText } from './agents.ts'

/** Pods of a subject that the API server would refuse: once for each LimitRange, and once for its own rules. */
export function refusedFindings(agents: readonly Agent[]): Finding[] {
  const [first] = agents
  if (first === undefined) return []
  const { object: subject } = first.planned.subject
  const all = agents.flatMap((agent) => agent.pod.refusals.map((refusal) => ({ agent, refusal })))
  const refused = [...indexBy(all, ({ refusal }) => refusal.limitRange ?? '')].flatMap(([limitRange, own]) => {
    const who = agentsText([...new Set(own.map(({ agent }) => agent))])
    const words = wordsOf(own.map(({ refusal }) => refusal))
    return limitRange === ''
      ? [finding('ResourcesRefused', `${subject.metadata.name}: the pods of ${who}: ${words}`, { subject })]
      : [
          finding('LimitRangeRefuses', `${subject.metadata.name}: LimitRange ${limitRange} refuses ${who}: ${words}`, {
            subject,
          }),
        ]
  })
  return [...refused, ...ambiguousFindings(agents)]
}

/** What is said of the first pod; of the others it differs in amounts alone. */
function wordsOf(refusals: readonly Refusal[]): string {
  const words = [...new Set(refusals.map((refusal) => refusal.words))]
  return words[0] ?? ''
}

function ambiguousFindings(agents: readonly Agent[]): Finding[] {
  const found = agents.find(({ pod }) => pod.ambiguous.length > 0)
  const [first] = found?.pod.ambiguous ?? []
  if (found === undefined || first === undefined) return []
  const { object: subject } = found.planned.subject
  const names = listNames(first.limitRanges)
  const sentence = `${subject.metadata.name}: LimitRanges ${names} give container ${first.container} different ${first.resource}`
  return [finding('LimitRangeAmbiguous', sentence, { subject })]
}
