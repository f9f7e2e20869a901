import type { Finding } from '../finding/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'

const INSTANCE = 'app.kubernetes.io/instance'

/** A copy that carries the instance label of what it was rendered from; `subject` is the object that holds it. */
export function instanceLabelFindings({ metadata }: KubernetesObject, subject: KubernetesObject): Finding[] {
  const instance = metadata.labels?.[INSTANCE]
  if (instance === undefined) return []
  const field = { path: 'metadata.labels', currentValue: instance }
  return [finding('InstanceLabelCopied', `${metadata.name} has the label ${INSTANCE}=${instance}`, { subject, field })]
}
