import { KUBENODESMITH } from '../../kinds/index.ts'
import { sortedByKey } from '../../krm/map.ts'
import { OPENED, OPENED_FOR } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { timeText } from '../../kube/index.ts'
import type { Opened } from './openings.ts'
import type { PoolSettings } from './settings.ts'

/** Renders the claim of a machine that a run opens. The label of the pool wins over those of its template. */
export function renderClaim({ bin, size, pods }: Opened, settings: PoolSettings, now: number): KubernetesObject {
  const { name, namespace, labelKey, templateLabels, drainText } = settings
  const labels = { ...templateLabels, [labelKey]: name }
  return {
    apiVersion: KUBENODESMITH,
    kind: 'NodeSmithClaim',
    metadata: {
      name: bin.name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: sortedByKey(labels),
      annotations: {
        [OPENED]: timeText(now),
        ...(pods.length === 0 ? {} : { [OPENED_FOR]: [...pods].sort().join(' ') }),
      },
    },
    spec: { poolRef: name, requirements: { ...size.requirements }, terminationGracePeriod: drainText },
  }
}
