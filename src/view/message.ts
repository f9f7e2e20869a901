import { type Finding, hasRole } from '../finding/index.ts'

/**
 * The message of a finding for somebody who sees nothing else of it. Where the sentence is about a part of its subject,
 * as a group, the name of the subject comes first; one that begins with an object, or names the subject before its
 * first colon, stays as it is.
 */
export function messageOf(finding: Finding): string {
  const { sentence, message, subject } = finding
  const name: unknown = subject?.metadata.name
  if (typeof name !== 'string' || name === '' || hasRole(finding, 'package')) return message
  const [start = ''] = sentence.split(': ')
  const isNamed = start.startsWith(`${name}-`) || start.split(/[^A-Za-z0-9.-]+/).includes(name)
  return isNamed || BEGINS_WITH_OBJECT.test(start) ? message : `${name}: ${message}`
}

const BEGINS_WITH_OBJECT = /^[A-Z][A-Za-z]* \S/
