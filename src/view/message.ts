import type { Finding } from '../finding/index.ts'

/** What is said of a package, and has a subject only so that a host shows it somewhere. */
const OF_PACKAGE: ReadonlySet<string> = new Set(['GuardsNotChecked'])

/**
 * The message of a finding for somebody who sees nothing else of it. Where the sentence is about a part of its subject, as a group, the
 * name of the subject comes first; one that begins with an object, or names the subject before its first colon, stays as it is.
 */
export function messageOf({ code, sentence, message, subject }: Finding): string {
  const name: unknown = subject?.metadata.name
  if (typeof name !== 'string' || name === '' || OF_PACKAGE.has(code)) return message
  const [start = ''] = sentence.split(': ')
  const isNamed = start.startsWith(`${name}-`) || start.split(/[^A-Za-z0-9.-]+/).includes(name)
  return isNamed || BEGINS_WITH_OBJECT.test(start) ? message : `${name}: ${message}`
}

const BEGINS_WITH_OBJECT = /^[A-Z][A-Za-z]* \S/
