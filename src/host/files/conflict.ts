import { isPointer } from '../../krm/not-yaml.ts'
import { OWNER } from '../../krm/remembered.ts'
import { UserError } from './user-error.ts'

const MARKER = /^(?:<{7}|>{7}|\|{7})(?: .*)?$/m

/**
 * Refuses a file that Git has left with conflict markers: in YAML no value begins a line with one. What nodefit
 * rendered, such as all of `folder`, needs no merge, since the next run writes it. A pointer of Git LFS is refused as
 * well: it is no file of anybody's. Throws `UserError` with the line.
 */
export function refuseConflict(text: string, name: string, folder?: string): void {
  if (isPointer(text))
    throw new UserError(`NotText: ${name} is a pointer of Git LFS: fetch the file itself with git lfs pull`)
  const found = MARKER.exec(text)
  if (found === null) return
  const line = text.slice(0, found.index).split('\n').length
  const where = `ConflictMarkers: ${name} has the markers of a Git conflict, line ${line}: ${found[0]}`
  const isRendered = folder !== undefined || text.includes(`${OWNER}:`)
  throw new UserError(
    isRendered
      ? `${where}. nodefit rendered it: take either side (git checkout --ours -- ${folder ?? name}), then build again`
      : `${where}. Merge it by hand, then run the command again`,
  )
}
