import { createHash } from 'node:crypto'
import type { FileChanges } from './repository.ts'

/** A path that nodefit sync may not write. */
export class InvalidPathError extends Error {}

/** An entry of a commit's tree: a file, a symbolic link, or a submodule. */
export interface TreeEntry {
  readonly mode: string
  readonly object: string
}

/** The entries of a commit by path, and their folders. */
export interface Tree {
  readonly entries: ReadonlyMap<string, TreeEntry>
  readonly folders: ReadonlySet<string>
}

/** Parses the output of `git ls-tree -r -z`. */
export function parseTree(listing: Buffer): Tree {
  const entries = new Map<string, TreeEntry>()
  const folders = new Set<string>()
  for (const line of listing.toString().split('\0')) {
    const [, mode, object, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    if (mode === undefined || object === undefined || path === undefined) continue
    entries.set(path, { mode, object })
    for (const folder of foldersOf(path)) folders.add(folder)
  }
  return { entries, folders }
}

const REGULAR_MODES = new Set(['100644', '100755'])

/**
 * Throws `InvalidPathError` for a path that is not normalized or leads out of the repository, that may mean `.git`,
 * that has a link or a file where it needs a folder, or that is a folder.
 */
export function requireWritablePath(path: string, { entries, folders }: Tree): void {
  const parts = path.split('/')
  // NTFS and HFS+ read some other names as .git too
  const isInvalid = (part: string) => /^(?:|\.|\.\.|git~\d+|\.git[\s.]*)$/i.test(part) || /[\p{Cc}\p{Cf}\\]/u.test(part)
  if (parts.some(isInvalid)) throw new InvalidPathError(`"${path}" must be a path within the repository`)
  if (folders.has(path)) throw new InvalidPathError(`cannot write "${path}": it is a folder`)
  for (const [index] of parts.entries()) {
    const ancestor = parts.slice(0, index + 1).join('/')
    const entry = entries.get(ancestor)
    if (entry === undefined) continue
    if (ancestor !== path)
      throw new InvalidPathError(`cannot write "${path}": ${ancestor} is a ${entryKind(entry)}, not a folder`)
    if (!REGULAR_MODES.has(entry.mode))
      throw new InvalidPathError(`cannot write "${path}": it is a ${entryKind(entry)}`)
  }
}

/** Throws `InvalidPathError` where a path is a folder of another one. */
export function requireDisjointPaths(paths: readonly string[]): void {
  const folders = new Set(paths.flatMap(foldersOf))
  for (const path of paths)
    if (folders.has(path))
      throw new InvalidPathError(`cannot write "${path}": other files are in a folder of that name`)
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

const entryKind = ({ mode }: TreeEntry): string =>
  mode === '120000' ? 'symbolic link' : mode === '160000' ? 'submodule' : 'file'

/** The changes without those that the commit `base`, with this tree, has already. */
export function effectiveChanges({ write, remove }: FileChanges, { entries }: Tree, base: string): FileChanges {
  const algorithm = base.length === 64 ? 'sha256' : 'sha1'
  return {
    write: new Map([...write].filter(([path, text]) => entries.get(path)?.object !== blobId(text, algorithm))),
    remove: remove.filter((path) => entries.has(path) && !write.has(path)),
  }
}

/** The object ID of a file. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function blobId(text: string, algorithm: 'sha1' | 'sha256'): string {
  const bytes = Buffer.from(text)
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
