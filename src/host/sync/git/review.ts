import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readTrailers } from '../effect/trailers.ts'
import { GitFailure } from './failure.ts'
import type { Git } from './git.ts'
import type { Remote } from './remote.ts'
import type { FileChanges, Tree } from './repository.ts'

/** The hex digits of a digest in the name of a branch. */
const DIGITS = 12
/** Lines with times, which differ each time that the files are made. */
const TIME_LINE = /^ *(?:observedAt|emptySince|nodefit\.dev\/changed|nodefit\.dev\/absent-since): .*\n/gm

/** The branch for the review of a change. The same change has the same branch, so that it is pushed once. */
export function reviewBranch({ prefix, cluster }: { prefix: string; cluster: string }, digest: string): string {
  return `${prefix}${cluster.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}-${sha256(digest).slice(0, DIGITS)}`
}

/** Whether a branch has a name that `reviewBranch` gives for the cluster. */
function isReviewBranch({ prefix, cluster }: { prefix: string; cluster: string }, branch: string): boolean {
  const stem = reviewBranch({ prefix, cluster }, '').slice(0, -DIGITS)
  return (
    branch.startsWith(stem) && /^[0-9a-f]+$/.test(branch.slice(stem.length)) && branch.length === stem.length + DIGITS
  )
}

/** A branch for review, and its head. */
export interface ReviewHead {
  readonly branch: string
  readonly commit: string
}

const HEAD_REF = 'refs/nodefit/review'

/**
 * The branches for review on the remote that have a commit of nodefit sync for the same cluster and folder as their
 * head, with no commit of others on top of it. `message` is one of its own for comparison. Rejects with `GitFailure`.
 */
export async function ownReviews(
  git: Git,
  {
    env,
    address,
    review,
    message,
  }: {
    env: Readonly<Record<string, string>>
    address: string
    review: { readonly prefix: string; readonly cluster: string }
    message: string
  },
): Promise<ReviewHead[]> {
  const { stdout } = await git.run(['ls-remote', '--heads', '--', address, `refs/heads/${review.prefix}*`], { env })
  const branches = [...stdout.toString().matchAll(/^\w+\trefs\/heads\/(.+)$/gm)].flatMap(([, branch = '']) =>
    isReviewBranch(review, branch) ? [branch] : [],
  )
  const mine = readTrailers(message)
  const found: ReviewHead[] = []
  for (const branch of branches) {
    const flags = ['--depth=1', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--quiet', '--force']
    await git.run(['fetch', ...flags, '--', address, `+refs/heads/${branch}:${HEAD_REF}`], { env })
    const head = await git.run(['log', '-1', '--format=%H%n%B', HEAD_REF], { env })
    const [commit = '', ...text] = head.stdout.toString().split('\n')
    const theirs = readTrailers(text.join('\n'))
    if (mine !== undefined && theirs?.cluster === mine.cluster && theirs.folder === mine.folder)
      found.push({ branch, commit })
  }
  return found
}

/** The digest of changes, relative to the files that they replace, without the times in them. */
export function changesDigest({ write, remove }: FileChanges, { entries }: Tree): string {
  const lines = [
    ...[...write].map(([path, text]) => [path, entries.get(path)?.object ?? '', text.replaceAll(TIME_LINE, '')]),
    ...remove.map((path) => [path, entries.get(path)?.object ?? '', null]),
  ].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
  return sha256(JSON.stringify(lines))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export interface IsMergedOptions {
  /** The folder for a temporary clone without files. */
  readonly folder: string
  readonly remote: Remote
  /** The branch for review, and its head. */
  readonly branch: string
  readonly head: string
  /** The branch that it is reviewed for, and its head. */
  readonly target: string
  readonly base: string
}

/**
 * Whether a branch is merged into its target: fetches the commits that only the target has; the first of them have the
 * heads that were merged as parents. False where that cannot be determined, since some servers do not support the
 * filters and end the connection. Rejects with `GitFailure` where it is stopped.
 */
export async function isMerged(
  git: Git,
  { folder, remote, branch, head, target, base }: IsMergedOptions,
): Promise<boolean> {
  if (head === base) return true
  const clone = join(folder, 'commits')
  const env = { GIT_DIR: clone, GIT_NO_LAZY_FETCH: '1' }
  await rm(clone, { recursive: true, force: true })
  try {
    await git.run(['init', '--quiet', '--bare', '--template='], { env })
    const flags = ['--filter=tree:0', `--shallow-exclude=refs/heads/${branch}`, '--no-tags', '--no-auto-maintenance']
    await git.run(['fetch', '--quiet', ...flags, '--', remote.address, `refs/heads/${target}`], { env })
    const { stdout: commits } = await git.run(['rev-list', base], { env })
    const { stdout } = await git.run(['cat-file', '--batch'], { env, input: commits })
    return parentsIn(stdout).has(head)
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason === 'stopped') throw error
    return false
  } finally {
    await rm(clone, { recursive: true, force: true })
  }
}

/** The parents of the commits in the output of `git cat-file --batch`, without what their messages contain. */
function parentsIn(batch: Buffer): ReadonlySet<string> {
  const parents = new Set<string>()
  for (let at = 0; at < batch.length; ) {
    const start = batch.indexOf('\n', at) + 1
    const size = Number(/^\w+ commit (\d+)$/.exec(batch.toString('utf8', at, start - 1))?.[1] ?? Number.NaN)
    if (start === 0 || Number.isNaN(size)) return parents
    const [header = ''] = batch.toString('utf8', start, start + size).split('\n\n', 1)
    for (const [, parent = ''] of header.matchAll(/^parent (\w+)$/gm)) parents.add(parent)
    at = start + size + 1
  }
  return parents
}
