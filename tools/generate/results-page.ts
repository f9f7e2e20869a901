import { CODES, type Code } from '../../src/rules/all-codes.ts'

/** docs/reference/results.md: part by part every code, what it means and how to mend it; a code's part is where it is declared. */
export function resultsPage(): string {
  const codes = (Object.keys(CODES) as Code[]).sort()
  const parts = [...new Set(Object.values(CODES).map(({ part }) => part))]
  const codesOf = (part: string) => codes.filter((code) => CODES[code].part === part)
  return [
    '# Results',
    '',
    'Every result carries a code. A run with an `error` fails with exit code 1 and',
    'changes nothing. `RenderConfig.spec.allow` accepts an *allowable* error for a run; `RenderConfig.spec.severity` changes',
    'the severity of warnings and infos.',
    '',
    `${parts.map(link).join(', ')}.`,
    '',
    ...parts.flatMap((part) => [`## ${part}`, '', ...codesOf(part).flatMap(sectionOf)]),
  ].join('\n')
}

function sectionOf(code: Code): string[] {
  const { meaning, mend } = CODES[code]
  return [`### ${code}`, '', `*${severityOf(code)}*: ${meaning}`, '', ...(mend === '' ? [] : [mend, ''])]
}

function severityOf(code: Code): string {
  const { severity, allowable, acceptedBy } = CODES[code]
  if (acceptedBy !== undefined) return `${severity}, never off`
  return allowable ? `${severity}, allowable` : severity
}

/** A link to a heading of the page: the anchor is what GitHub makes of it. */
function link(heading: string): string {
  return `[${heading}](#${heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')})`
}
