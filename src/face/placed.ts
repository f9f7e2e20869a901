import type { Finding, Severity } from '../krm/finding/index.ts'
import { messageOf } from './explain.ts'
import { printable } from './width.ts'

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
