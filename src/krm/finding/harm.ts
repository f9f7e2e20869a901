import type { Finding, Severity } from './finding.ts'

/**
 * Codes by the harm that they report, the worst first: what runs an agent twice or takes it away, then what costs the
 * whole fleet, then what nodes lose. Hosts show only the first few results, so these come before findings about labels,
 * taints and autoscalers; codes that are not listed follow as they were found.
 */
export const BY_HARM = [
  'OwnedElsewhere',
  'HostPortHeld',
  'StatePathShared',
  'AntiAffinityHeld',
  'StaticTemplateStays',
  'AgentTwice',
  'LosesAgent',
  'TotalGrows',
  'BelowEarlier',
  'BelowTemplate',
  'DoesNotFit',
  'HeapAboveLimit',
  'ResourceQuotaExceeded',
] as const

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 }
const HARM: ReadonlyMap<string, number> = new Map(BY_HARM.map((code, index) => [code, index]))

/** Sorts findings by severity, those of one severity by harm; equal ones stay in their order. */
export function byHarm<One extends Pick<Finding, 'severity' | 'code'>>(findings: readonly One[]): One[] {
  const harm = ({ code }: One) => HARM.get(code) ?? BY_HARM.length
  return [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity] || harm(a) - harm(b))
}
