import { createHash } from 'node:crypto'
import type { FileChanges } from '../commit.ts'
import type { Tree } from './paths.ts'

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
