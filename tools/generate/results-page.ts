import { CODES } from '../../src/all-codes.ts'

/** docs/results.md: every code, what it means, how to mend it. */
export function resultsPage(): string {
  const codes = (Object.keys(CODES) as Array<keyof typeof CODES>).sort()
  const parts = [
    '# Results',
    '',
    'Every result of nodefit carries a code. A run with an `error` fails with exit code 1 and changes nothing.',
    'Codes marked *allowable* fail closed; `RenderConfig.spec.allow` accepts them for a run. The severity of warnings and',
    'infos can be changed with `RenderConfig.spec.severity`.',
    '',
    '| Code | Severity |',
    '|---|---|',
    ...codes.map(
      (code) =>
        `| [${code}](#${code.toLowerCase()}) | ${CODES[code].severity}${CODES[code].allowable ? ', allowable' : ''} |`,
    ),
    '',
  ]
  for (const code of codes) {
    const { meaning, mend } = CODES[code]
    parts.push(`## ${code}`, '', meaning, '')
    if (mend !== '') parts.push(mend, '')
  }
  return parts.join('\n')
}
