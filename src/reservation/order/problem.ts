import type { Finding, Subject } from '../../finding/index.ts'
import { KubeError } from '../../kube/index.ts'
import { finding } from '../codes.ts'

/** What a notation of Kubernetes has to say against a text; undefined where it reads it. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/** An Order's field that cannot be what it is. */
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
