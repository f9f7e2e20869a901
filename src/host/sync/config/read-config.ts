import { VALIDATORS } from '#sync-validators'
import { POLICY_CODES, validateAs } from '../../../kinds/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { codesAbout, type Finding, findingOf, type Read, type Subject } from '../../../krm/finding.ts'
import { isMap } from '../../../krm/index.ts'
import { readYaml } from '../../../krm/read-yaml.ts'
import { KubeError, parseDuration, Quantity } from '../../../kube/index.ts'
import { type Address, checkConfig, type HookConfig, type Problem, type SyncConfig } from './check-config.ts'
import { SYNC_CONFIG_DEFAULTS as DEFAULTS, SYNC_CONFIG_FIELDS, SYNC_CONFIG_ONE_OF } from './generated/fields.ts'
import type { SyncConfig as SyncConfigObject } from './generated/types.ts'

const finding = findingOf(POLICY_CODES)
const SCHEMA = {
  kind: 'SyncConfig',
  validator: VALIDATORS.SyncConfig,
  known: SYNC_CONFIG_FIELDS,
  oneOf: SYNC_CONFIG_ONE_OF,
}
const MAX_LENGTH = 1 << 20
const NANOSECONDS = 1_000_000n

/** What a SyncConfig is read with besides its text. */
export interface ReadConfigOptions {
  /** POD_NAMESPACE is the default of leaderElection.namespace; variables of another agent may be errors. */
  readonly environment?: Environment
  /** The name of this process, which ends leaderElection.identity. */
  readonly processName?: string
  /** Whether the option --dry-run is given. */
  readonly dryRun?: boolean
}

/**
 * Reads a SyncConfig, and fills in the defaults of the schema. Without a value the findings are all errors of the file
 * and of the environment; their messages contain no secret.
 */
export function readSyncConfig(
  text: string,
  file: string,
  { environment = {}, processName = 'local', dryRun = false }: ReadConfigOptions = {},
): Read<SyncConfig> {
  if (text.length > MAX_LENGTH) return invalidFile(file, 'is larger than 1 MiB: shorten it')
  let root: unknown
  try {
    root = readYaml(text, file)
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    return { findings: [finding('InvalidField', error.message, { mend: '' })] }
  }
  if (!isMap(root)) return invalidFile(file, 'is not a map: write a SyncConfig')
  const subject = root as unknown as Subject
  const schemaErrors = validateAs(SCHEMA, subject)
  // an unknown field hides no other mistake; a value of another type cannot be checked further
  if (schemaErrors.some(({ code }) => code !== 'UnknownField')) return { findings: schemaErrors }
  const { spec } = root as unknown as SyncConfigObject
  const problems: Problem[] = []
  const value = withDefaults(spec, { namespace: environment.POD_NAMESPACE?.trim() || undefined, processName }, problems)
  const hasCluster = value.cluster !== ''
  const variables = environmentErrors(environment, { hasCluster, dryRun: dryRun || value.dryRun })
  problems.push(...checkConfig(value))
  const findings = [
    ...schemaErrors,
    ...variables,
    ...problems
      // CLUSTER_ID has an error of its own
      .filter(([field]) => field !== 'cluster' || !variables.some(({ code }) => code === 'ClusterInEnvironment'))
      .map(([field, predicate]) =>
        finding('InvalidField', `${subjectName(subject)}: spec.${field} ${predicate}`, {
          subject,
          field: { path: `spec.${field}` },
          mend: '',
        }),
      ),
  ]
  return findings.length === 0 ? { value, findings } : { findings }
}

type Spec = SyncConfigObject['spec']

/** The configuration with its defaults; adds to `problems` what cannot be parsed. */
function withDefaults(
  spec: Spec,
  pod: { readonly namespace: string | undefined; readonly processName: string },
  problems: Problem[],
): SyncConfig {
  const milliseconds = (field: string, text: string): number => {
    try {
      const duration = parseDuration(text)
      if (duration >= 0n) return Number(duration / NANOSECONDS)
      problems.push([field, `must not be negative: ${text}`])
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      problems.push([field, `is invalid: ${error.message}`])
    }
    // compares as false with every bound, so that the field has no second problem
    return Number.NaN
  }
  const bytes = (field: string, text: string): number => {
    try {
      const size = Number(Quantity.parse(text).value())
      if (size > 0) return size
      problems.push([field, `must be above 0: ${text}`])
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      problems.push([field, `is invalid: ${error.message}`])
    }
    return Number.NaN
  }
  const durationOf = (field: keyof typeof DEFAULTS & keyof Spec) =>
    milliseconds(field, (spec[field] as string | undefined) ?? (DEFAULTS[field] as string))
  const { git, review, leaderElection = {} } = spec
  const author = { ...DEFAULTS.git.author, ...git.author }
  const { identity } = leaderElection
  const namespace = leaderElection.namespace ?? pod.namespace
  return {
    cluster: spec.cluster ?? '',
    collect: ['nodes', ...(spec.collect ?? []).filter((name) => name !== 'nodes')],
    usage: { ...DEFAULTS.usage, ...spec.usage },
    labels: spec.labels ?? DEFAULTS.labels,
    inventory: { ...DEFAULTS.inventory, ...spec.inventory },
    packages: (spec.packages ?? DEFAULTS.packages).map(withoutSlash),
    mode: spec.mode ?? DEFAULTS.mode,
    ...(spec.output === undefined ? {} : { output: withoutSlash(spec.output) }),
    ...(review === undefined ? {} : { review: { ...DEFAULTS.review, ...review } }),
    dryRun: spec.dryRun ?? DEFAULTS.dryRun,
    suspend: spec.suspend ?? DEFAULTS.suspend,
    git: {
      ...DEFAULTS.git,
      ...git,
      folder: withoutSlash(git.folder),
      author,
      committer: { ...author, ...git.committer },
      signing: git.signing === undefined ? undefined : { ...DEFAULTS.git.signing, ...git.signing },
      timeout: milliseconds('git.timeout', git.timeout ?? DEFAULTS.git.timeout),
    },
    quietWindow: durationOf('quietWindow'),
    maxWindow: durationOf('maxWindow'),
    minPushInterval: durationOf('minPushInterval'),
    reconcileInterval: durationOf('reconcileInterval'),
    ...(spec.maxAge === undefined ? {} : { maxAge: milliseconds('maxAge', spec.maxAge) }),
    readyDebounce: durationOf('readyDebounce'),
    retainShapes: durationOf('retainShapes'),
    pageSize: spec.pageSize ?? DEFAULTS.pageSize,
    relistInterval: durationOf('relistInterval'),
    guards: {
      settle: milliseconds('guards.settle', spec.guards?.settle ?? DEFAULTS.guards.settle),
      maxNodesReplaced: Number((spec.guards?.maxNodesReplaced ?? DEFAULTS.guards.maxNodesReplaced).slice(0, -1)),
      maxGroupsAdded: spec.guards?.maxGroupsAdded ?? DEFAULTS.guards.maxGroupsAdded,
    },
    limits: {
      file: bytes('limits.file', spec.limits?.file ?? DEFAULTS.limits.file),
      packages: bytes('limits.packages', spec.limits?.packages ?? DEFAULTS.limits.packages),
    },
    leaderElection: {
      enabled: leaderElection.enabled ?? DEFAULTS.leaderElection.enabled,
      ...(namespace === undefined ? {} : { namespace }),
      name: leaderElection.name ?? DEFAULTS.leaderElection.name,
      // the file is the same for all replicas
      identity:
        identity === undefined || identity === pod.processName ? pod.processName : `${identity}_${pod.processName}`,
    },
    actions: { ...DEFAULTS.actions, ...spec.actions },
    health: {
      ...parseAddress('health.address', spec.health?.address ?? DEFAULTS.health.address, problems),
      readyWithin: milliseconds('health.readyWithin', spec.health?.readyWithin ?? DEFAULTS.health.readyWithin),
    },
    ...(spec.hook === undefined ? {} : { hook: hookOf({ ...DEFAULTS.hook, ...spec.hook }, problems) }),
  }
}

function hookOf({ address, secret }: { address: string; secret: string }, problems: Problem[]): HookConfig {
  return { ...parseAddress('hook.address', address, problems), secret }
}

function parseAddress(field: string, text: string, problems: Problem[]): Address {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):([0-9]{1,5})$/.exec(text) ?? []
  const port = Number(digits ?? Number.NaN)
  if (!(port <= 65_535)) problems.push([field, 'must be an address with a port, such as :8080 or 127.0.0.1:8080'])
  const host = bracketed ?? plain
  return host === undefined || host === '' ? { port } : { host, port }
}

function withoutSlash(path: string): string {
  return path.replace(/^\.\/(?=.)/, '').replace(/(?<=.)\/$/, '')
}

function subjectName({ metadata }: Subject): string {
  return `SyncConfig ${metadata?.name ?? ''}`.trimEnd()
}

function invalidFile(file: string, predicate: string): Read<SyncConfig> {
  return { findings: [finding('InvalidField', `${file} ${predicate}`, { mend: '' })] }
}

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

const environmentFinding = findingOf(SYNC_CODES)

/** The variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>

/** A variable that is set and not read, for the log. Its value may be a secret and is not shown. */
interface EnvironmentNote {
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
      environmentFinding('ClusterInEnvironment', 'the variable CLUSTER_ID is set, and spec.cluster is missing', {
        field: { path: 'spec.cluster' },
      }),
    )
  if (isTruthy(environment.DRY_RUN) && !dryRun)
    findings.push(
      environmentFinding('DryRunInEnvironment', 'the variable DRY_RUN is set, and spec.dryRun is false', {
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
