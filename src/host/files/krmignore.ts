import { Effort, type Matches, wholePattern } from '../../krm/pattern.ts'
import { UserError } from './user-error.ts'

/** Whether the file or folder of a path below the package is ignored. */
export type Ignores = (path: string, isFolder: boolean) => boolean

/** What each file may cost beside what the patterns do: a package may have any number of files. */
const STEPS_OF_A_FILE = 2_000
/** How much of a pattern a message shows. */
const MOST_SHOWN = 40

interface Pattern {
  readonly isAnchored: boolean
  readonly isForFolders: boolean
  readonly parts: readonly Matches[]
}

/**
 * Reads a .krmignore as kpt does (kyaml's ignoreFilesMatcher): a pattern with a leading slash is matched from the
 * folder of the file, any other against the last parts of a path, a trailing slash means folders only, and a pattern
 * behind `!` wins over all others. There is no `**`. Throws `UserError` for a pattern that is too long to be read.
 */
export function readKrmignore(text: string): Ignores {
  const effort = new Effort()
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^ +| +$/g, ''))
    .filter((line) => line.replaceAll('/', '') !== '' && !line.startsWith('#'))
  const ignored = lines.filter((line) => !line.startsWith('!')).map((line) => readPattern(line, effort))
  const accepted = lines.flatMap((line) => (/^!.*[^/]/.test(line) ? [readPattern(line.slice(1), effort)] : []))
  return (path, isFolder) => {
    effort.allow(STEPS_OF_A_FILE)
    const parts = path.split('/')
    const isAny = (patterns: readonly Pattern[]) => patterns.some((pattern) => matches(pattern, parts, isFolder))
    const isIgnored = isAny(ignored) && !isAny(accepted)
    if (effort.isSpent) throw new UserError('.krmignore: its patterns are too many for the files of the package')
    return isIgnored
  }
}

function readPattern(line: string, effort: Effort): Pattern {
  const parts = line
    .replace(/^\\#/, '#')
    .replace(/^\/+|\/+$/g, '')
    .split('/')
  return {
    isAnchored: line.startsWith('/'),
    isForFolders: line.endsWith('/'),
    parts: parts.map((part) => partPattern(part, effort)),
  }
}

/** What lies in an ignored folder is not reached, so only whole paths and their ends are compared. */
function matches({ isAnchored, isForFolders, parts }: Pattern, path: readonly string[], isFolder: boolean): boolean {
  if ((isForFolders && !isFolder) || path.length < parts.length) return false
  if (isAnchored && path.length !== parts.length) return false
  return path.slice(-parts.length).every((part, index) => parts[index]?.(part))
}

/** A part of a pattern as Go's filepath.Match reads it; a malformed one matches nothing. */
function partPattern(part: string, effort: Effort): Matches {
  let isMalformed = false
  const source = part.replaceAll(/\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|[*?]|[^\\[*?]+|./g, (piece, escaped, not, set) => {
    if (escaped !== undefined) return literal(escaped)
    if (set !== undefined) return `[${not}${set.replaceAll(/\[/g, '\\[')}]`
    if (piece === '[' || piece === '\\') isMalformed = true
    if (piece === '*') return '.*'
    return piece === '?' ? '.' : literal(piece)
  })
  if (isMalformed) return () => false
  const matches = wholePattern(source, effort)
  if (matches === undefined && effort.isSpent) return () => false
  if (matches === undefined)
    throw new UserError(
      `.krmignore: a pattern of ${part.length} characters is too long: ${part.slice(0, MOST_SHOWN)}...`,
    )
  return matches
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
