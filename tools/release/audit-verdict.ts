/** What `npm audit --json` printed, read: which packages have advisories, or why there is no answer. */
export type AuditVerdict =
  | { readonly kind: 'clean'; readonly dependencies: number }
  | { readonly kind: 'found'; readonly packages: readonly string[] }
  | { readonly kind: 'unanswered'; readonly why: string }

interface Report {
  readonly auditReportVersion?: number
  readonly message?: string
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
  readonly metadata?: { readonly dependencies?: { readonly total?: number } }
}

/** A registry that answers no audits, or cannot be reached, is no verdict on the packages. */
export function auditVerdict(printed: string): AuditVerdict {
  const report = parsed(printed)
  if (report?.auditReportVersion === undefined)
    return { kind: 'unanswered', why: report?.message ?? `npm printed "${printed.slice(0, 200).trim()}"` }
  const packages = Object.entries(report.vulnerabilities ?? {}).map(
    ([name, { severity, range }]) => `${name} ${range}: ${severity}`,
  )
  if (packages.length > 0) return { kind: 'found', packages: packages.sort() }
  return { kind: 'clean', dependencies: report.metadata?.dependencies?.total ?? 0 }
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}
