import { createHash } from 'node:crypto'
import type { FileChanges } from '../commit.ts'
import type { Tree } from './paths.ts'

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
