import { type Finding, findingOf } from '../../../krm/finding/index.ts'
import { SYNC_CODES } from './codes.ts'

const finding = findingOf(SYNC_CODES)

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A variable that is set and not read, for the log. Its value may be a secret and is not shown. */
export interface EnvironmentNote {
  readonly variable: string
  readonly message: string
}

/** Variables of the Kubernetes agent that this controller replaces, and what replaces each. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  CLUSTER_ID: 'set spec.cluster of the SyncConfig',
  AGENT_ID: 'set spec.leaderElection.identity of the SyncConfig',
  COLLECTION_INTERVAL: 'set spec.reconcileInterval of the SyncConfig, as a duration such as 60s',
  BATCH_SIZE: 'set spec.pageSize of the SyncConfig',
  CLUSTER_NAME: 'set spec.cluster of the SyncConfig',
  DRYRUN: 'set spec.dryRun of the SyncConfig, or use --dry-run',
  DRY_RUN: 'set spec.dryRun of the SyncConfig, or use --dry-run',
  BACKEND_URL: 'set spec.git.url of the SyncConfig, since there is no backend',
  API_ENDPOINT: 'set spec.git.url of the SyncConfig, since there is no backend',
  API_URL: 'set spec.git.url of the SyncConfig, since there is no backend',
  BACKEND_WS_URL: 'remove it: the API server is watched, and Argo CD or Flux applies what is in Git',
  API_KEY: 'mount the Git credentials as a Secret at spec.git.credentials, and remove this one from the pod',
  API_TOKEN: 'mount the Git credentials as a Secret at spec.git.credentials, and remove this one from the pod',
  SECRET_KEY: 'set spec.git.signing to sign commits, since no actions are received, and remove this one from the pod',
  ACTION_POLL_INTERVAL: 'set the interval of Argo CD or Flux, or their webhook, since no actions are polled',
  HEARTBEAT_INTERVAL: 'use the Lease and the metric nodefit_last_evaluation_timestamp_seconds as the heartbeat',
}

/** A note for each variable that is set although it is no setting of nodefit sync. None of them is read. */
export function environmentNotes(environment: Environment): EnvironmentNote[] {
  const own = Object.keys(environment).filter((variable) => /^NODEFIT_/.test(variable) && isSet(environment, variable))
  const notes = own.map((variable) => ({
    variable,
    message: `the variable ${variable} is set and not read: set the field of the SyncConfig`,
  }))
  const replaced = Object.entries(REPLACEMENTS).flatMap(([variable, replacement]) =>
    isSet(environment, variable)
      ? [{ variable, message: `the variable ${variable} is set and not read: ${replacement}` }]
      : [],
  )
  return [...replaced, ...notes]
}

/**
 * The variables that would make the controller act on another cluster, or push against the operator's intent: errors.
 */
export function environmentErrors(
  environment: Environment,
  { hasCluster, dryRun }: { readonly hasCluster: boolean; readonly dryRun: boolean },
): Finding[] {
  const findings: Finding[] = []
  if (isSet(environment, 'CLUSTER_ID') && !hasCluster)
    findings.push(
      finding('ClusterInEnvironment', 'the variable CLUSTER_ID is set, and spec.cluster is missing', {
        field: { path: 'spec.cluster' },
      }),
    )
  if (isTruthy(environment.DRY_RUN) && !dryRun)
    findings.push(
      finding('DryRunInEnvironment', 'the variable DRY_RUN is set, and spec.dryRun is false', {
        field: { path: 'spec.dryRun' },
      }),
    )
  return findings
}

function isSet(environment: Environment, variable: string): boolean {
  return (environment[variable] ?? '').trim() !== ''
}

function isTruthy(value = ''): boolean {
  return !/^(?:|0|f|false|n|no|off)$/i.test(value.trim())
}

/** Identifies this process among the replicas: the host name, which is the name of the pod, and the process ID. */
export function processName(environment: Environment, processId: number): string {
  return `${environment.HOSTNAME ?? 'local'}-${processId}`
}
