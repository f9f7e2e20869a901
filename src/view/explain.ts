import type { Finding } from '../finding/index.ts'

/** The infos that are said without being asked for. */
const SAID: ReadonlySet<string> = new Set([
  'PolicySummary',
  'OrderSummary',
  'NodesWithoutAgent',
  'NoNewPods',
  'NodesNotEligible',
  'GuardsNotChecked',
  'FluxSubstitutes',
])

/** What a command says of a run: everything but infos, and of these what nobody should have to ask for; all of them where asked. */
export function explained(findings: readonly Finding[], isAsked: boolean): Finding[] {
  return findings.filter(({ severity, code }) => severity !== 'info' || isAsked || SAID.has(code))
}
