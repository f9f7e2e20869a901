/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the environment says where the file says nothing, as fields of a SyncConfig. */
export interface FromEnvironment {
  readonly cluster?: string
  readonly reconcileInterval?: string
  readonly pageSize?: number
  readonly leaderElection: { readonly namespace?: string; readonly identity?: string }
}

/** A line for the log of the start. */
export interface EnvironmentNote {
  readonly variable: string
  readonly level: 'info' | 'warn'
  readonly message: string
}

/** Variables of the agent this controller replaces, and what there is instead. Their values may be secrets: none is shown. */
const REPLACED: Readonly<Record<string, string>> = {
  BACKEND_URL: 'there is no backend: git.url of the SyncConfig says where the data goes',
  BACKEND_WS_URL: 'there is no websocket: what is in Git is applied by Argo CD or Flux, and the API server is watched',
  API_ENDPOINT: 'there is no backend: git.url of the SyncConfig says where the data goes',
  API_URL: 'there is no backend: git.url of the SyncConfig says where the data goes',
  API_KEY: 'credentials are the Secret that is mounted at git.credentials; take this variable out of the pod',
  API_TOKEN: 'credentials are the Secret that is mounted at git.credentials; take this variable out of the pod',
  SECRET_KEY:
    'no actions are received: what changes is reviewed in Git, and commits are signed by git.signing; take this variable out of the pod',
  ACTION_POLL_INTERVAL: 'no actions are polled: Argo CD or Flux poll Git, or are called by its webhook',
  HEARTBEAT_INTERVAL:
    'there is no heartbeat: the Lease is renewed by leader election, and nodefit_last_evaluation_timestamp_seconds says when Git was last looked at',
  DRY_RUN: 'dryRun of the SyncConfig, or the option --dry-run, takes its place',
}

/**
 * What of the agent's environment still counts: COLLECTION_INTERVAL (seconds) as reconcileInterval, CLUSTER_ID as cluster, BATCH_SIZE as
 * pageSize, AGENT_ID as the identity of the Lease's holder; POD_NAMESPACE as its namespace. A value that cannot be read is said, and does not count.
 */
export function readEnvironment(environment: Environment): { values: FromEnvironment; notes: EnvironmentNote[] } {
  const notes: EnvironmentNote[] = []
  const given = (variable: string) => {
    const value = environment[variable]?.trim()
    return value === '' ? undefined : value
  }
  const taken = (variable: string, field: string) =>
    notes.push({ variable, level: 'info', message: `${variable} counts as ${field} where the SyncConfig has none` })
  const text = (variable: string, field: string) => {
    const value = given(variable)
    if (value !== undefined) taken(variable, field)
    return value
  }
  const whole = (variable: string, field: string, unit: string, least: number, most: number) => {
    const value = given(variable)
    if (value === undefined) return undefined
    const number = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) {
      taken(variable, field)
      return number
    }
    notes.push({
      variable,
      level: 'warn',
      message: `${variable} does not count: it is no whole number${unit} from ${least} to ${most}`,
    })
    return undefined
  }
  const seconds = whole('COLLECTION_INTERVAL', 'reconcileInterval', ' of seconds', 10, 86_400)
  const values: FromEnvironment = {
    cluster: text('CLUSTER_ID', 'cluster'),
    reconcileInterval: seconds === undefined ? undefined : `${seconds}s`,
    pageSize: whole('BATCH_SIZE', 'pageSize', '', 10, 5_000),
    leaderElection: { namespace: given('POD_NAMESPACE'), identity: text('AGENT_ID', 'leaderElection.identity') },
  }
  for (const [variable, instead] of Object.entries(REPLACED))
    if (given(variable) !== undefined)
      notes.push({ variable, level: 'warn', message: `${variable} is set and not read: ${instead}` })
  return { values, notes }
}

/** What tells this process from another replica: the name of its pod, or of its machine with its process. */
export function processName(environment: Environment, processId: number): string {
  return environment.POD_NAME ?? `${environment.HOSTNAME ?? 'local'}-${processId}`
}
