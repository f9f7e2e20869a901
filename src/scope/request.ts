import { type Finding, finding, type Subject } from '../finding/index.ts'
import type { Item } from '../krm/types.ts'
import { policyFromFlat } from '../policy/index.ts'
import { isDaemonOrder } from '../reservation/index.ts'

/** What the functionConfig asks for: every policy, or one; with which options. */
export interface Request {
  readonly policy?: Subject
  readonly config?: Subject
  readonly findings: readonly Finding[]
}

const VERSION = 'nodefit.dev/v1alpha1'

/**
 * Reads the functionConfig: none or an empty ConfigMap is every policy in scope, a RenderConfig is that with options,
 * a SizingPolicy or a ConfigMap of flat keys is that policy alone.
 */
export function readRequest(functionConfig: Item | undefined): Request {
  const subject = functionConfig?.object
  if (subject === undefined) return { findings: [] }
  if (subject.apiVersion === VERSION && subject.kind === 'SizingPolicy') return { policy: subject, findings: [] }
  if (isDaemonOrder(subject)) return { policy: subject, findings: [] }
  if (subject.apiVersion === VERSION && subject.kind === 'RenderConfig') return { config: subject, findings: [] }
  if (subject.apiVersion === 'v1' && subject.kind === 'ConfigMap') {
    const data = (subject.data ?? {}) as Record<string, unknown>
    if (Object.keys(data).length === 0) return { findings: [] }
    const { policy, findings } = policyFromFlat(data, subject)
    const annotations = subject.metadata.annotations
    const placed = policy === undefined ? undefined : { ...policy, metadata: { ...policy.metadata, annotations } }
    return { policy: placed, findings }
  }
  return {
    findings: [
      finding(
        'UnknownFunctionConfig',
        `the functionConfig is ${subject.apiVersion} ${subject.kind} ${subject.metadata.name}`,
        { subject },
      ),
    ],
  }
}
