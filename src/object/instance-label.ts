import type { Finding } from '../finding/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'

const INSTANCE = 'app.kubernetes.io/instance'

/**
 * A copy that carries the instance label of what it was rendered from. `labels` are those that the copy has, `subject` is the
 * object that holds them, `path` is where. What is no text is another finding's.
 */
export function instanceLabelFindings(
  labels: KubernetesObject['metadata']['labels'],
  { name, subject, path }: { name: string; subject: KubernetesObject; path: string },
): Finding[] {
  const instance: unknown = labels?.[INSTANCE]
  if (typeof instance !== 'string') return []
  const where = path === 'metadata.labels' ? '' : ` in ${path}`
  const field = { path, currentValue: instance }
  return [finding('InstanceLabelCopied', `${name} has the label ${INSTANCE}=${instance}${where}`, { subject, field })]
}

/** Whether an object carries an instance label. */
export function hasInstanceLabel({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[INSTANCE] !== undefined
}
