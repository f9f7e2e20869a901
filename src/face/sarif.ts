import type { Codes, Finding, Severity } from '../krm/finding.ts'
import { printable } from './columns.ts'
import { messageOf } from './explain.ts'

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

/** A finding with the place of its object, as far as it is known. */
export interface PlacedFinding {
  readonly finding: Finding
  /** The path from the working directory, with slashes. */
  readonly file?: string
  /** The line on which the object begins, from 1. */
  readonly line?: number
}

const COMMANDS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'notice' }

/**
 * Formats findings as workflow commands of GitHub Actions, which shows each beside its file. It shows ten of each kind
 * for a step, so the most harmful come first.
 */
export function annotationLines(found: readonly PlacedFinding[]): string[] {
  return found.map(({ finding, file, line }) => {
    const properties = [
      ...(file === undefined ? [] : [['file', file] as const]),
      ...(line === undefined ? [] : [['line', String(line)] as const]),
      ['title', `nodefit: ${finding.code}`] as const,
    ]
    const text = [printable(messageOf(finding)), ...(finding.lines ?? [])].join('\n')
    const given = properties.map(([name, value]) => `${name}=${escapedProperty(value)}`).join(',')
    return `::${COMMANDS[finding.severity]} ${given}::${escapedData(text)}`
  })
}

/** Escapes as the runner reads it: a line break would end the command, and begin another one. */
function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
