import { isDns1123Label, isDns1123Subdomain, isLabelValue, KubeError, Schedule } from '../../../kube/index.ts'
import type { ReadLimits } from '../../files/read-text.ts'
import type { PartName } from '../collect/collector.ts'
import { templateProblem } from '../effect/message.ts'
import type { Person } from '../git/repository.ts'

/** A field of `spec`, and the predicate of the sentence that says what is wrong with it. */
export type Problem = readonly [field: string, predicate: string]

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Lower bounds of durations: they limit how often is pushed and listed. */
const MINIMUM: ReadonlyArray<readonly [keyof SyncConfig, number, string]> = [
  ['minPushInterval', 10 * SECOND, '10s'],
  ['reconcileInterval', 10 * SECOND, '10s'],
  ['relistInterval', MINUTE, '1m'],
  ['maxAge', MINUTE, '1m'],
]

/** Characters and sequences that git-check-ref-format refuses. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const INVALID_REF = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[-./]|\.$/

/** The supported forms of a remote. git supports others, which run programs or do not authenticate the server. */
const REMOTE = /^(?:https?|ssh|file):\/\/[^\s]+$|^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)(?!:)[^\s]+$/

/** A user name that is a token of a forge, or looks like one. */
const TOKEN_USER = /^https?:\/\/(?:(?:gh[a-z]_|github_pat_|gl[a-z]+-|ATBB|ATCTT)[^/@]*|[^/@]{32,})@/

/** Checks what the schema cannot express: rules of Kubernetes and git, and fields that contradict each other. */
export function checkConfig(config: SyncConfig): Problem[] {
  return [
    ...checkNames(config),
    ...checkServers(config),
    ...checkTimes(config),
    ...checkPaths(config),
    ...checkGit(config),
  ]
}

function* checkNames({ cluster, inventory, collect, actions, leaderElection }: SyncConfig): Generator<Problem> {
  if (cluster === '') yield ['cluster', 'is missing: write the name of the cluster']
  else if (!isLabelValue(cluster))
    yield ['cluster', 'must be a valid label value: at most 63 letters, digits, -, _ or .']
  if (inventory.uid && inventory.counts)
    yield ['inventory.counts', 'excludes inventory.uid: a node without a name has no UID']
  if (inventory.counts && collect.some((name) => name !== 'nodes' && name !== 'kubescape'))
    yield ['inventory.counts', 'requires collect: [nodes], since a WorkloadSnapshot contains the names of the nodes']
  if (collect.includes('actions') && !inventory.uid)
    yield ['inventory.uid', 'must be true with collect: [actions]: an action is for one node, not for its name']
  if (actions.trust !== undefined && actions.keyring !== undefined)
    yield ['actions.keyring', 'excludes actions.trust, which has the keys: remove one of them']
  if (!isDns1123Label(actions.namespace))
    yield ['actions.namespace', 'must be a valid namespace: lowercase letters, digits or -']
  if (!isDns1123Subdomain(leaderElection.name))
    yield ['leaderElection.name', 'must be a valid name of a Lease: lowercase letters, digits, - or .']
  if (leaderElection.namespace !== undefined && !isDns1123Label(leaderElection.namespace))
    yield ['leaderElection.namespace', 'must be a valid namespace: lowercase letters, digits or -']
}

function* checkServers({ health, hook }: SyncConfig): Generator<Problem> {
  if (hook !== undefined && hook.port !== 0 && hook.port === health.port)
    yield ['hook.address', 'must have another port than health.address: who sends webhooks may not read metrics']
}

function* checkTimes(config: SyncConfig): Generator<Problem> {
  for (const [field, minimum, text] of MINIMUM)
    if (((config[field] as number | undefined) ?? minimum) < minimum) yield [field, `must be at least ${text}`]
  if (config.health.readyWithin < MINUTE) yield ['health.readyWithin', 'must be at least 1m']
  if (config.git.timeout < SECOND) yield ['git.timeout', 'must be at least 1s']
  if (config.maxWindow < config.quietWindow) yield ['maxWindow', 'must be at least quietWindow']
  yield* checkSchedule(config)
}

function* checkSchedule({ usage: { schedule, timeZone } }: SyncConfig): Generator<Problem> {
  try {
    if (Schedule.parse(schedule, timeZone).next(new Date(0)) === undefined)
      yield ['usage.schedule', 'must fire: it names a day that does not exist']
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    const field = error.code === 'TimeZone' ? 'timeZone' : 'schedule'
    yield [`usage.${field}`, `is invalid: ${error.message}`]
  }
}

function* checkPaths({ git, output, packages, mode }: SyncConfig): Generator<Problem> {
  if (mode === 'rendered' && output === undefined)
    yield ['output', 'is missing: mode rendered needs a folder for the rendered manifests']
  const paths = [['git.folder', git.folder], ...(output === undefined ? [] : [['output', output]])]
  for (const [index, path] of packages.entries()) if (path !== '.') paths.push([`packages.${index}`, path])
  for (const [field = '', path = ''] of paths)
    if (!isPath(path))
      yield [field, 'must be a path within the repository: without a leading or trailing /, and without ., .. or .git']
  if (output !== undefined && isWithin(git.folder, output))
    yield ['output', 'must not contain git.folder: rendering replaces all files of output']
}

function* checkGit({ git, review }: SyncConfig): Generator<Problem> {
  if (!REMOTE.test(git.url)) yield ['git.url', 'must be the URL of a repository: https://…, ssh://… or user@host:path']
  // the URL is not shown, since it contains a secret
  else if (/^\w+:\/\/[^/@]*:[^/@]*@/.test(git.url))
    yield ['git.url', 'contains a password: move it to the Secret that is mounted at git.credentials']
  else if (TOKEN_USER.test(git.url))
    yield ['git.url', 'contains a token as the user name: move it to the Secret that is mounted at git.credentials']
  if (git.branch === '' || git.branch.endsWith('/') || INVALID_REF.test(git.branch))
    yield ['git.branch', 'must be a valid branch name, as git check-ref-format takes it']
  if (review !== undefined && INVALID_REF.test(`${review.prefix}x`))
    yield ['review.prefix', 'must be a valid beginning of a branch name, as git check-ref-format takes it']
  for (const person of ['author', 'committer'] as const)
    for (const part of ['name', 'email'] as const)
      if (git[person][part].trim() === '' || /[<>\n\r\0]/.test(git[person][part]))
        yield [`git.${person}.${part}`, 'must not be empty or contain a line break, < or >']
  const options = [
    ['git.pushOptions', git.pushOptions] as const,
    ['review.pushOptions', review?.pushOptions ?? []] as const,
  ]
  for (const [field, values] of options)
    if (values.some((option) => /[\n\r\0]/.test(option))) yield [field, 'must not contain a line break']
  const template = git.messageTemplate === undefined ? undefined : templateProblem(git.messageTemplate)
  if (template !== undefined) yield ['git.messageTemplate', `is not a valid template: ${template}`]
  if (git.pushVia !== 'github') return
  if (!git.url.startsWith('https://'))
    yield ['git.pushVia', 'can be github only if git.url is an https URL: the GitHub API is called with a token']
  if (git.signing !== undefined)
    yield ['git.signing', 'excludes pushVia: github, since GitHub signs the commits of its API: remove one of them']
  for (const [field, values] of options)
    if (values.length > 0)
      yield [field, 'excludes pushVia: github, since its API has no push options: remove one of them']
}

function isPath(path: string): boolean {
  const parts = path.split('/')
  return (
    !/[\\\n\r\0]/.test(path) && parts.every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git')
  )
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`)
}

/** What `collect` may name. */
export type CollectName = 'nodes' | 'kubescape' | PartName

/** A SyncConfig with its defaults; durations are in milliseconds. docs/sync.md describes the fields. */
export interface SyncConfig {
  readonly cluster: string
  /** Always with `nodes`. */
  readonly collect: readonly CollectName[]
  /** When sizes are settled from usage: a schedule that can be parsed, and its time zone. */
  readonly usage: { readonly schedule: string; readonly timeZone: string }
  /** Patterns of label keys; `*` matches any characters. */
  readonly labels: readonly string[]
  readonly inventory: { readonly exact: boolean; readonly uid: boolean; readonly counts: boolean }
  /** Folders and files of the repository. */
  readonly packages: readonly string[]
  readonly mode: 'inventory' | 'rendered'
  /** Present with `mode: rendered`. */
  readonly output?: string
  /** Present where each change goes to a branch for review. */
  readonly review?: { readonly prefix: string; readonly pushOptions: readonly string[] }
  readonly dryRun: boolean
  readonly suspend: boolean
  readonly git: GitConfig
  readonly quietWindow: number
  readonly maxWindow: number
  readonly minPushInterval: number
  readonly reconcileInterval: number
  readonly maxAge?: number
  readonly readyDebounce: number
  readonly retainShapes: number
  readonly pageSize: number
  readonly relistInterval: number
  /** `maxNodesReplaced` in percent. */
  readonly guards: { readonly settle: number; readonly maxGroupsAdded: number; readonly maxNodesReplaced: number }
  /** In bytes. */
  readonly limits: ReadLimits
  readonly leaderElection: LeaderElectionConfig
  readonly health: HealthConfig
  readonly actions: ActionsConfig
  /** Absent where no webhook is accepted. */
  readonly hook?: HookConfig
}

/** The repository, and how commits are made. */
interface GitConfig {
  readonly url: string
  readonly branch: string
  readonly folder: string
  readonly credentials: string
  readonly cache: string
  readonly author: Person
  readonly committer: Person
  readonly messageTemplate?: string
  readonly signOff: boolean
  readonly signing?: { readonly format: 'ssh'; readonly key: string }
  readonly pushVia: 'git' | 'github'
  readonly pushOptions: readonly string[]
  readonly timeout: number
}

/** Which of several replicas pushes. */
interface LeaderElectionConfig {
  readonly enabled: boolean
  /** Absent where neither the file nor POD_NAMESPACE has one. */
  readonly namespace?: string
  readonly name: string
  /** The identity of the holder, unique for each replica. */
  readonly identity: string
}

/** How signed actions are verified, and where their Jobs are. */
interface ActionsConfig {
  /** The file of an ActionTrust; absent where the package decides, or a keyring is given. */
  readonly trust?: string
  /** The file of the keys of a trust of defaults. */
  readonly keyring?: string
  readonly namespace: string
}

/** What a server listens on. */
export interface Address {
  /** Absent to listen on all addresses. */
  readonly host?: string
  readonly port: number
}

/** The address of probes and metrics. */
export interface HealthConfig extends Address {
  readonly readyWithin: number
}

/** The address of the webhook, and the folder of its mounted Secret. */
export interface HookConfig extends Address {
  readonly secret: string
}
