import type { Finding } from '../../finding/index.ts'
import { describe } from '../../krm/identity.ts'
import { scalarText } from '../../krm/map.ts'
import type { Item } from '../../krm/types.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import { finding } from './codes.ts'
import { isIn, namespaceOf } from './in-namespace.ts'
import { isMalwareDetected } from './operator-config.ts'

/**
 * In autoscaler mode the chart mounts ClamAV's sockets, wanted or not, and never adds its container (research:
 * kubescape H39): a fault only where the agent's own configuration, which must be among the items, switches malware
 * detection on.
 */
export function scannerMissing(policy: PolicyPlan, items: readonly Item[]): Finding[] {
  const { template } = policy
  const subject = template?.item.object
  if (template === undefined || subject?.kind !== 'ConfigMap') return []
  const config = items.find(({ object }) => isMalwareDetected(object) === true && isIn(object, namespaceOf(policy)))
  if (config === undefined) return []
  const { containers = [], initContainers } = template.daemonSet.spec.template.spec ?? {}
  const all = [...containers, ...(initContainers ?? [])]
  const mounts = all.flatMap(({ volumeMounts }) => volumeMounts ?? [])
  const isMounted = mounts.some((mount) => /^\/clamav(\/|$)/.test(scalarText(mount?.mountPath)))
  if (!isMounted || all.some(({ name }) => scalarText(name).includes('clamav'))) return []
  const { name } = config.object.metadata
  const sentence = `${describe(subject)} mounts /clamav and has no container of ClamAV, and ConfigMap ${name} has malwareDetectionEnabled: true`
  return [finding('ScannerMissing', sentence, { subject })]
}
