import { createHash } from 'node:crypto'
import type { FileChanges } from '../commit.ts'
import type { Tree } from './paths.ts'

const DIGITS = 12
/** When something was seen or changed: as much of a file changes each time that it is made. */
const WHEN = /^ *(?:observedAt|emptySince|nodefit\.dev\/changed): .*\n/gm

/**
 * The name of the branch for review: the same change always has the same one, so a repeated run finds what it has asked for already. A change
 * is what its files were and what they become, whenever that was seen: where the target has other content since, it is another one.
 */
export function reviewBranch(
  { prefix, cluster }: { prefix: string; cluster: string },
  { write, remove }: FileChanges,
  { entries }: Tree,
): string {
  const lines = [
    ...[...write].map(([path, text]) => [path, entries.get(path)?.object ?? '', text.replaceAll(WHEN, '')]),
    ...remove.map((path) => [path, entries.get(path)?.object ?? '', null]),
  ].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
  const digest = createHash('sha256').update(JSON.stringify(lines)).digest('hex')
  return `${prefix}${cluster.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}-${digest.slice(0, DIGITS)}`
}
