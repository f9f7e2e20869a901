import { codesAbout } from '../../finding/index.ts'

/** Why `nodefit sync` refuses to start beside variables of the agent that it replaces; docs/sync.md lists them. */
export const SYNC_CODES = codesAbout('nodefit sync', {
  ClusterInEnvironment: {
    severity: 'error',
    meaning: 'The variable CLUSTER_ID names a cluster, and the SyncConfig names none. The variable is not read.',
    mend: 'Write its value as spec.cluster, and remove the variable from the pod.',
  },
  DryRunInEnvironment: {
    severity: 'error',
    meaning: 'The variable DRY_RUN is set, and the SyncConfig pushes. The variable is not read.',
    mend: 'Set spec.dryRun or --dry-run to push nothing, or remove the variable from the pod to push.',
  },
})
