import { VALIDATORS } from '#sync-validators'
import { findingOf, type Read, type Subject } from '../../finding/index.ts'
import { KrmError } from '../../krm/error.ts'
import { isMap } from '../../krm/index.ts'
import { readYaml } from '../../krm/read-yaml.ts'
import { KubeError, parseDuration } from '../../kube/index.ts'
import { POLICY_CODES, validateAs } from '../../policy/index.ts'
import { checkConfig } from './check-config.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { SYNC_CONFIG_DEFAULTS as DEFAULTS, SYNC_CONFIG_FIELDS, SYNC_CONFIG_ONE_OF } from './generated/fields.ts'
import type { SyncConfig as Written } from './generated/types.ts'
import type { SyncConfig } from './sync-config.ts'

const finding = findingOf(POLICY_CODES)
const HELD = {
  kind: 'SyncConfig',
  validator: VALIDATORS.SyncConfig,
  known: SYNC_CONFIG_FIELDS,
  oneOf: SYNC_CONFIG_ONE_OF,
}
const LARGEST = 1 << 20
const PER_MILLISECOND = 1_000_000n

/**
 * A SyncConfig from the text of a file. What the file leaves out is as the environment says, else the schema's default. Without
 * a value the findings say everything that is wrong with it; a message is a sentence for a log, and shows no secret.
 */
export function readSyncConfig(
  text: string,
  file: string,
  environment: Environment = {},
  self = 'local',
): Read<SyncConfig> {
  if (text.length > LARGEST) return bad(file, 'is larger than 1 MiB')
  let root: unknown
  try {
    root = readYaml(text, file)
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    return { findings: [finding('InvalidField', error.message, { mend: '' })] }
  }
  if (!isMap(root)) return bad(file, 'is no map: it must be a SyncConfig')
  const subject = subjectOf(root)
  const findings = validateAs(HELD, subject)
  if (findings.length > 0) return { findings }
  const { spec } = root as unknown as Written
  const unread: Array<readonly [field: string, sentence: string]> = []
  const value = settled(spec, readEnvironment(environment).values, self, unread)
  const problems = [...unread, ...checkConfig(value)]
  if (problems.length === 0) return { value, findings: [] }
  return {
    findings: problems.map(([field, sentence]) =>
      finding('InvalidField', `${nameOf(subject)}: spec.${field} ${sentence}`, {
        subject,
        field: { path: `spec.${field}` },
      }),
    ),
  }
}

type Spec = Written['spec']

function settled(
  spec: Spec,
  outside: ReturnType<typeof readEnvironment>['values'],
  self: string,
  unread: Array<readonly [field: string, sentence: string]>,
): SyncConfig {
  const milliseconds = (field: string, text: string): number => {
    try {
      const length = parseDuration(text)
      if (length >= 0n) return Number(length / PER_MILLISECOND)
      unread.push([field, `is below zero: ${text}`])
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      unread.push([field, `is no duration: ${error.message}`])
    }
    // no number is less than it, so that nothing else is said of the field
    return Number.NaN
  }
  const timeOf = (field: keyof typeof DEFAULTS & keyof Spec, own?: string) =>
    milliseconds(field, (spec[field] as string | undefined) ?? own ?? (DEFAULTS[field] as string))
  const { git, review, leaderElection = {} } = spec
  const author = { ...DEFAULTS.git.author, ...git.author }
  const identity = leaderElection.identity ?? outside.leaderElection.identity
  const namespace = leaderElection.namespace ?? outside.leaderElection.namespace
  return {
    cluster: spec.cluster ?? outside.cluster ?? '',
    collect: ['nodes', ...(spec.collect ?? []).filter((name) => name !== 'nodes')],
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
    quietWindow: timeOf('quietWindow'),
    maxWindow: timeOf('maxWindow'),
    minPushInterval: timeOf('minPushInterval'),
    reconcileInterval: timeOf('reconcileInterval', outside.reconcileInterval),
    ...(spec.maxAge === undefined ? {} : { maxAge: milliseconds('maxAge', spec.maxAge) }),
    readyDebounce: timeOf('readyDebounce'),
    retainShapes: timeOf('retainShapes'),
    pageSize: spec.pageSize ?? outside.pageSize ?? DEFAULTS.pageSize,
    relistInterval: timeOf('relistInterval'),
    leaderElection: {
      enabled: leaderElection.enabled ?? DEFAULTS.leaderElection.enabled,
      ...(namespace === undefined ? {} : { namespace }),
      name: leaderElection.name ?? DEFAULTS.leaderElection.name,
      // what file and environment say is the same in every replica
      identity: identity === undefined || identity === self ? self : `${identity}_${self}`,
    },
    health: {
      ...addressOf(spec.health?.address ?? DEFAULTS.health.address, unread),
      readyWithin: milliseconds('health.readyWithin', spec.health?.readyWithin ?? DEFAULTS.health.readyWithin),
    },
  }
}

function addressOf(
  text: string,
  unread: Array<readonly [field: string, sentence: string]>,
): { host?: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):([0-9]{1,5})$/.exec(text) ?? []
  const port = Number(digits ?? Number.NaN)
  if (!(port <= 65_535)) unread.push(['health.address', 'is no address: write a port as :8080, or 127.0.0.1:8080'])
  const host = bracketed ?? plain
  return host === undefined || host === '' ? { port } : { host, port }
}

function withoutSlash(path: string): string {
  return path.replace(/^\.\/(?=.)/, '').replace(/(?<=.)\/$/, '')
}

function subjectOf(root: Record<string, unknown>): Subject {
  return root as unknown as Subject
}

function nameOf({ metadata }: Subject): string {
  return `SyncConfig ${metadata?.name ?? ''}`.trimEnd()
}

function bad(file: string, sentence: string): Read<SyncConfig> {
  return { findings: [finding('InvalidField', `${file} ${sentence}`, { mend: '' })] }
}
