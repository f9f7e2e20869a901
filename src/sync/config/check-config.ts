import { isDns1123Label, isDns1123Subdomain, isLabelValue } from '../../kube/index.ts'
import { templateProblem } from '../effect/message.ts'
import type { SyncConfig } from './sync-config.ts'

/** What is wrong with a field, without the field. */
export type Problem = readonly [field: string, sentence: string]

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** The least that a duration may be: pushes within bounds whatever is written, and no list in a loop. */
const LEAST: ReadonlyArray<readonly [keyof SyncConfig, number, string]> = [
  ['minPushInterval', 10 * SECOND, '10s'],
  ['reconcileInterval', 10 * SECOND, '10s'],
  ['relistInterval', MINUTE, '1m'],
  ['maxAge', MINUTE, '1m'],
]

/** Characters and sequences that git's check-ref-format refuses. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const NO_REF = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[-./]|\.$/

/** The forms of a remote that are taken; git knows others, which run programs or ask nobody who they are. */
const REMOTE = /^(?:https?|ssh|file):\/\/[^\s]+$|^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)(?!:)[^\s]+$/

/** What the schema cannot say of a configuration: rules of Kubernetes and git, and fields that contradict each other. */
export function checkConfig(config: SyncConfig): Problem[] {
  return [...checkNames(config), ...checkTimes(config), ...checkPaths(config), ...checkGit(config)]
}

function* checkNames({ cluster, inventory, collect, leaderElection }: SyncConfig): Generator<Problem> {
  if (cluster === '') yield ['cluster', 'is missing: write it, or set CLUSTER_ID']
  else if (!isLabelValue(cluster))
    yield ['cluster', 'cannot name a cluster: letters, digits, - _ . and at most 63 of them']
  if (inventory.uid && inventory.counts)
    yield ['inventory.counts', 'excludes inventory.uid: a node without a name has no UID']
  if (inventory.counts && collect.some((name) => name !== 'nodes'))
    yield [
      'inventory.counts',
      'can be true only where nothing but nodes is collected: a WorkloadSnapshot names the nodes',
    ]
  if (!isDns1123Subdomain(leaderElection.name)) yield ['leaderElection.name', 'cannot name a Lease']
  if (leaderElection.namespace !== undefined && !isDns1123Label(leaderElection.namespace))
    yield ['leaderElection.namespace', 'cannot name a namespace']
}

function* checkTimes(config: SyncConfig): Generator<Problem> {
  for (const [field, least, text] of LEAST)
    if (((config[field] as number | undefined) ?? least) < least) yield [field, `is less than ${text}`]
  if (config.health.readyWithin < MINUTE) yield ['health.readyWithin', 'is less than 1m']
  if (config.git.timeout < SECOND) yield ['git.timeout', 'is less than 1s']
  if (config.maxWindow < config.quietWindow) yield ['maxWindow', 'is less than quietWindow']
}

function* checkPaths({ git, output, packages, mode }: SyncConfig): Generator<Problem> {
  if (mode === 'rendered' && output === undefined)
    yield ['output', 'is missing: mode rendered needs a folder to render to']
  const paths = [['git.folder', git.folder], ...(output === undefined ? [] : [['output', output]])]
  for (const [index, path] of packages.entries()) if (path !== '.') paths.push([`packages.${index}`, path])
  for (const [field = '', path = ''] of paths)
    if (!isPath(path))
      yield [field, 'is no path below the root of the repository: no / at its ends, no . or .. and no .git in it']
  if (output !== undefined && isWithin(git.folder, output))
    yield ['output', 'holds git.folder: what is rendered takes the place of everything that was rendered there before']
}

function* checkGit({ git, review }: SyncConfig): Generator<Problem> {
  if (!REMOTE.test(git.url)) yield ['git.url', 'is no address of a repository: https://…, ssh://… or user@host:path']
  // the address itself is not shown: it holds a secret
  else if (/^\w+:\/\/[^/@]*:[^/@]*@/.test(git.url))
    yield ['git.url', 'holds a password: put it into the Secret that git.credentials mounts']
  if (git.branch === '' || git.branch.endsWith('/') || NO_REF.test(git.branch))
    yield ['git.branch', 'cannot name a branch']
  if (review !== undefined && NO_REF.test(`${review.prefix}x`))
    yield ['review.prefix', 'cannot begin the name of a branch']
  for (const who of ['author', 'committer'] as const)
    for (const part of ['name', 'email'] as const)
      if (git[who][part].trim() === '' || /[<>\n\r\0]/.test(git[who][part]))
        yield [`git.${who}.${part}`, 'is empty, or holds a line break, < or >']
  const options = [
    ['git.pushOptions', git.pushOptions] as const,
    ['review.pushOptions', review?.pushOptions ?? []] as const,
  ]
  for (const [field, values] of options)
    if (values.some((option) => /[\n\r\0]/.test(option))) yield [field, 'holds a line break']
  const template = git.messageTemplate === undefined ? undefined : templateProblem(git.messageTemplate)
  if (template !== undefined) yield ['git.messageTemplate', `cannot be used: ${template}`]
  if (git.pushVia !== 'github') return
  if (!git.url.startsWith('https://'))
    yield ['git.pushVia', 'can be github only with an https address: a token is what it goes by']
  if (git.signing !== undefined)
    yield ['git.signing', 'excludes pushVia github: GitHub signs what is made through its API']
  for (const [field, values] of options)
    if (values.length > 0) yield [field, 'excludes pushVia github: its API has no push options']
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
