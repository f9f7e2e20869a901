import { createHash } from 'node:crypto'
import type { FileChanges } from './repository.ts'

/** A path that nodefit sync may not write. */
export class PathRefused extends Error {}

/** An entry of a commit's tree: a file, a link, or a repository within. */
export interface Entry {
  readonly mode: string
  readonly object: string
}

/** The entries of a commit by path, and the folders that they are in. */
export interface Tree {
  readonly entries: ReadonlyMap<string, Entry>
  readonly folders: ReadonlySet<string>
}

const REGULAR = new Set(['100644', '100755'])

/**
 * Throws `PathRefused` for a path that is not below the repository's root as it is written, that git's own folder could be meant by,
 * that has a link or a file where it needs a folder, or that is a folder.
 */
export function requireOwnPath(path: string, { entries, folders }: Tree): void {
  const parts = path.split('/')
  // NTFS and HFS+ read some other names as .git too
  const isOdd = (part: string) => /^(?:|\.|\.\.|git~\d+|\.git[\s.]*)$/i.test(part) || /[\p{Cc}\p{Cf}\\]/u.test(part)
  if (parts.some(isOdd)) throw new PathRefused(`"${path}" is no path below the repository's root`)
  if (folders.has(path)) throw new PathRefused(`"${path}" is a folder`)
  for (const [at] of parts.entries()) {
    const before = parts.slice(0, at + 1).join('/')
    const entry = entries.get(before)
    if (entry === undefined) continue
    if (before !== path) throw new PathRefused(`"${path}" leads through ${before}, which is a ${kindOf(entry)}`)
    if (!REGULAR.has(entry.mode)) throw new PathRefused(`"${path}" is a ${kindOf(entry)}`)
  }
}

/** Throws `PathRefused` for a path that would be a file and a folder at once. */
export function requireApart(paths: readonly string[]): void {
  const folders = new Set(paths.flatMap(foldersOf))
  for (const path of paths) if (folders.has(path)) throw new PathRefused(`"${path}" would be a file and a folder`)
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

const kindOf = ({ mode }: Entry): string => (mode === '120000' ? 'link' : mode === '160000' ? 'submodule' : 'file')

/** Reads what `git ls-tree -r -z` gives. */
export function treeOf(listing: Buffer): Tree {
  const entries = new Map<string, Entry>()
  const folders = new Set<string>()
  for (const line of listing.toString().split('\0')) {
    const [, mode, object, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    if (mode === undefined || object === undefined || path === undefined) continue
    entries.set(path, { mode, object })
    for (const folder of foldersOf(path)) folders.add(folder)
  }
  return { entries, folders }
}

/** As much of the changes as is not so already; objects are named as those of the base are. */
export function effectiveChanges({ write, remove }: FileChanges, { entries }: Tree, base: string): FileChanges {
  const algorithm = base.length === 64 ? 'sha256' : 'sha1'
  return {
    write: new Map([...write].filter(([path, text]) => entries.get(path)?.object !== blobOf(text, algorithm))),
    remove: remove.filter((path) => entries.has(path) && !write.has(path)),
  }
}

/** The name that git gives a file's content. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function blobOf(text: string, algorithm: 'sha1' | 'sha256'): string {
  const bytes = Buffer.from(text)
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
