import { codesAbout } from '../../../krm/finding/index.ts'

/**
 * Why `nodefit sync` refuses to start beside variables of the agent that it replaces; docs/deliver/kubernetes-agent.md
 * lists them.
 */
export const SYNC_CODES = codesAbout('nodefit sync', {
  ClusterInEnvironment: {
    severity: 'error',
    meaning: 'CLUSTER_ID, which is not read, names a cluster, and the SyncConfig names none.',
    mend: 'Write its value as spec.cluster, and remove the variable from the pod.',
  },
  DryRunInEnvironment: {
    severity: 'error',
    meaning: 'DRY_RUN, which is not read, is set, and the SyncConfig pushes.',
    mend: 'Set spec.dryRun or --dry-run to push nothing, or remove the variable from the pod to push.',
  },
})
