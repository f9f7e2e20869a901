import { type Finding, hasRole } from '../finding/index.ts'

/**
 * What a command says of a run: everything but infos, and of these what nobody should have to ask for; all of them
 * where asked.
 */
export function explained(findings: readonly Finding[], isAsked: boolean): Finding[] {
  return findings.filter((finding) => finding.severity !== 'info' || isAsked || hasRole(finding, 'shown'))
}
