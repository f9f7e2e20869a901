import type { Finding } from '../finding/index.ts'
import { newItem } from '../krm/index.ts'
import type { Item } from '../krm/types.ts'
import { isRenderConfig, policyFromFlat } from '../policy/index.ts'
import { finding } from './codes.ts'

/** What the functionConfig asks for: every subject of the packages, or one; with which options. */
export interface Request {
  readonly subject?: Item
  readonly config?: Item
  readonly findings: readonly Finding[]
}

/**
 * Reads the functionConfig: none or an empty ConfigMap is everything in scope, a RenderConfig is that with options, what a
 * planner claims or a ConfigMap of flat keys is that alone.
 */
export function readRequest(functionConfig: Item | undefined, isClaimed: (item: Item) => boolean): Request {
  if (functionConfig === undefined) return { findings: [] }
  const subject = functionConfig.object
  if (isClaimed(functionConfig)) return { subject: functionConfig, findings: [] }
  if (isRenderConfig(subject)) return { config: functionConfig, findings: [] }
  if (subject.apiVersion === 'v1' && subject.kind === 'ConfigMap') {
    const data = (subject.data ?? {}) as Record<string, unknown>
    if (Object.keys(data).length === 0) return { findings: [] }
    const { policy, findings } = policyFromFlat(data, subject)
    if (policy === undefined) return { findings }
    const { annotations } = subject.metadata
    return { subject: newItem({ ...policy, metadata: { ...policy.metadata, annotations } }), findings }
  }
  const sentence = `the functionConfig is ${subject.apiVersion} ${subject.kind} ${subject.metadata.name}`
  return { findings: [finding('UnknownFunctionConfig', sentence, { subject })] }
}
