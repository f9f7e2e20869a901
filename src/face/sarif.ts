import type { Codes, Severity } from '../krm/finding/index.ts'
import { messageOf } from './explain.ts'
import type { PlacedFinding } from './placed.ts'

const LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }

/**
 * Returns findings as a log of SARIF 2.1.0 (OASIS), which code scanning of GitHub and others read: a rule for each
 * code, a result for each finding, with its file relative to the working directory where that is known.
 */
export function sarifLog(found: readonly PlacedFinding[], codes: Codes, version: string): object {
  const ids = [...new Set(found.map(({ finding }) => finding.code))]
  const rules = ids.map((id) => {
    const { meaning = id, mend = '' } = codes[id] ?? {}
    return { id, shortDescription: { text: meaning }, ...(mend === '' ? {} : { help: { text: mend } }) }
  })
  const results = found.map(({ finding, file, line }) => ({
    ruleId: finding.code,
    ruleIndex: ids.indexOf(finding.code),
    level: LEVELS[finding.severity],
    message: { text: [messageOf(finding), ...(finding.lines ?? [])].join('\n') },
    ...(file === undefined
      ? {}
      : {
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
                region: { startLine: line ?? 1 },
              },
            },
          ],
        }),
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'nodefit', version, rules } }, columnKind: 'utf16CodeUnits', results }],
  }
}
