import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GitFailure } from './failure.ts'
import type { Git } from './git.ts'
import type { Remote } from './remote.ts'
import type { FileChanges } from './repository.ts'
import type { Tree } from './tree.ts'

const DIGITS = 12
/** When something was seen or changed: as much of a file changes each time that it is made. */
const WHEN = /^ *(?:observedAt|emptySince|nodefit\.dev\/changed): .*\n/gm

/** The name of the branch for review: the same change, by its digest, always has the same one, so a repeated run finds what it has asked for already. */
export function reviewBranch({ prefix, cluster }: { prefix: string; cluster: string }, digest: string): string {
  return `${prefix}${cluster.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}-${sha256(digest).slice(0, DIGITS)}`
}

/**
 * The digest of a change that has none of its own: what its files were and what they become, whenever that was seen. Where the target has
 * other content since, it is another one.
 */
export function digestOf({ write, remove }: FileChanges, { entries }: Tree): string {
  const lines = [
    ...[...write].map(([path, text]) => [path, entries.get(path)?.object ?? '', text.replaceAll(WHEN, '')]),
    ...remove.map((path) => [path, entries.get(path)?.object ?? '', null]),
  ].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
  return sha256(JSON.stringify(lines))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export interface MergedOptions {
  /** Where a clone of commits alone is made, and taken away again. */
  readonly folder: string
  readonly remote: Remote
  /** The branch that may be merged, and the commit that it is at. */
  readonly branch: string
  readonly head: string
  /** The branch that it may be merged into, and the commit that that is known to be at. */
  readonly target: string
  readonly base: string
}

/**
 * Whether a branch is part of what another one is at: the server is asked for the commits that only the other one has, and the first of these
 * have as a parent what they were made on. Where that cannot be told, it is not: some servers say nothing of this, and one that has no such
 * commit ends the connection. Throws `GitFailure` where it is stopped.
 */
export async function isMerged(
  git: Git,
  { folder, remote, branch, head, target, base }: MergedOptions,
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

/** The parents of all commits in what `git cat-file --batch` gives, whatever their messages say. */
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
