import type { Change } from '../change/index.ts'
import { type Finding, plural } from '../finding/index.ts'
import { isLocalConfig } from '../krm/annotation.ts'
import { describe } from '../krm/identity.ts'
import { GROUP, OWNER } from '../krm/remembered.ts'
import {
  clusterShapes,
  countServedNodes,
  isReadablePodSpec,
  podSpecOf,
  rememberedCluster,
  rememberedNodes,
} from '../object/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'

/** What lets one DaemonSet go where the cluster has the guard of `deploy/guard`. */
const ALLOWED = 'nodefit.dev/allow-delete=true'

/**
 * DaemonSets that go while they serve nodes of today, where the cluster refuses to delete such: with the command that
 * lets each of them go. One whose nodes are gone goes freely.
 */
export function deletionFindings(changes: readonly Change[], { options, fleets }: World): Finding[] {
  if (!options.guards.deletion) return []
  return changes.flatMap(({ kind, before }) => {
    if (kind !== 'removed' || before === undefined) return []
    const { object } = before
    const { annotations, name, namespace } = object.metadata
    const isOurs = annotations?.[OWNER] !== undefined && annotations[GROUP] !== undefined
    if (object.kind !== 'DaemonSet' || !isOurs || isLocalConfig(annotations)) return []
    const pod = podSpecOf(object)
    // nobody asks for the nodes of a policy that is disabled
    const isCounted = fleets.length > 0 && isReadablePodSpec(pod)
    const nodes = isCounted
      ? countServedNodes(pod, clusterShapes(fleets, rememberedCluster(object)))
      : (rememberedNodes(object) ?? 0)
    if (nodes === 0) return []
    const where = namespace === undefined ? '' : ` -n ${namespace}`
    const command = `kubectl${where} annotate daemonset ${name} ${ALLOWED}`
    const sentence = `${describe(object)} goes, and serves ${plural(nodes, 'node')}: ${command}`
    return [finding('RemovesServingGroup', sentence, { subject: object })]
  })
}
