import { type Finding, finding } from './finding/index.ts'
import type { PolicyPlan } from './plan-policy.ts'

/** Two policies of one target must not meet on a node, which would get two agents. */
export function overlaps(policies: readonly PolicyPlan[]): Finding[] {
  const findings: Finding[] = []
  for (const [index, policy] of policies.entries()) {
    for (const other of policies.slice(0, index)) {
      if (policy.template === undefined || policy.template.item !== other.template?.item) continue
      const taken = new Set(nodesOf(other))
      const node = nodesOf(policy).find((name) => taken.has(name))
      if (node === undefined) continue
      const { subject, target } = policy.settings
      const sentence = `${other.settings.subject.metadata.name} and ${subject.metadata.name} both size ${target.kind} ${target.name} on node ${node}`
      findings.push(finding('PolicyOverlap', sentence, { subject }))
    }
  }
  return findings
}

function nodesOf({ groups }: PolicyPlan): string[] {
  return groups.flatMap(({ group }) => (group.id === 'remainder' ? [] : group.members.flatMap(({ nodes }) => nodes)))
}
