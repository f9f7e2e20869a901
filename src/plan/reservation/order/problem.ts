import type { Finding, Subject } from '../../../krm/finding/index.ts'
import { KubeError } from '../../../kube/index.ts'
import { finding } from '../codes.ts'

/** Returns the message of the `KubeError` that reading a value throws; undefined if it can be read. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/** Returns OrderInvalid for a field; `sentence` follows its path. */
export function invalid(subject: Subject, path: string, sentence: string, currentValue?: unknown): Finding {
  return finding(
    'OrderInvalid',
    `${subject.kind} ${subject.metadata.name}: ${path}${sentence.startsWith(':') ? '' : ' '}${sentence}`,
    {
      subject,
      field: { path, currentValue },
    },
  )
}
