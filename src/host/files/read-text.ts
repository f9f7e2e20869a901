import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { KrmError } from '../../krm/error.ts'
import { plural } from '../../krm/finding.ts'
import { MOST_BYTES_OF_TEXT, tooLong, toText } from './stdio.ts'

/** How much is read, in bytes. */
export interface ReadLimits {
  /** The largest file. */
  readonly file: number
  /** All files together. */
  readonly packages: number
  /** The memory that reading may take; undefined where that is not limited. */
  readonly memory?: number
}

export const MEBIBYTE = 1 << 20
/** The limits of the function, and the default ones of `nodefit sync`. */
export const DEFAULT_LIMITS: ReadLimits = { file: 8 * MEBIBYTE, packages: 64 * MEBIBYTE }

/** Bytes of heap for each byte of the largest YAML document while it is parsed, and of every object while it lives. */
const PARSED = 18
const KEPT = 7
const DOCUMENT = /^---/gm

/**
 * The text of a file. Throws `KrmError` with the file and the reason: `FileNotRead`, `TooLarge`, or `NotText` for one
 * that is neither UTF-8 nor UTF-16 with a byte order mark.
 */
export function readText(file: string, limit = Number.POSITIVE_INFINITY): string {
  const stats = statOf(file)
  if (stats !== undefined && stats.size > limit)
    throw new KrmError('TooLarge', `${file} has ${sizeText(stats.size)}, and a file may have ${sizeText(limit)}`)
  if (stats !== undefined && stats.size > MOST_BYTES_OF_TEXT) throw tooLong(file, stats.size)
  return toText(
    reading(file, () => readFileSync(file)),
    file,
  )
}

/** The entries of a folder, sorted by name. Throws `KrmError` as `readText`. */
export function entriesOf(folder: string) {
  return reading(folder, () => readdirSync(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What a path leads to; undefined where there is nothing: no file, a link to nothing, or a loop of links. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new KrmError('FileNotRead', `${path} cannot be read: ${reasonOf(error as NodeJS.ErrnoException, path)}`)
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException, path: string): string {
  // readdir gives this character for each byte that is not UTF-8
  if (path.includes('\uFFFD')) return 'its name is not UTF-8: rename it'
  if (code === 'ELOOP') return 'it is a link in a loop of links: remove it'
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (code === 'ENOENT' && isLink) return `it is a link to ${readlinkSync(path)}, which does not exist: remove it`
  return code ?? message
}

/** Throws `KrmError` with the code `TooLarge` where some files are larger together than `limits.packages`. */
export function requireSmall(files: readonly string[], { packages }: ReadLimits): void {
  const sizes = files.map((file) => statOf(file)?.size ?? 0)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= packages) return
  const largest = files[sizes.indexOf(Math.max(...sizes))]
  throw new KrmError(
    'TooLarge',
    `the packages have ${sizeText(total)} and may have ${sizeText(packages)}; the largest file is ${largest}`,
  )
}

/**
 * Counts the memory that the texts of files take, and throws `KrmError` with the code `TooLarge` before one is parsed
 * that does not fit.
 */
export function memoryCounter({ memory = Number.POSITIVE_INFINITY }: ReadLimits): (text: string, file: string) => void {
  let kept = 0
  return (text, file) => {
    kept += KEPT * text.length
    const needed = kept + PARSED * longestDocument(text)
    if (needed > memory)
      throw new KrmError(
        'TooLarge',
        `${file} and the files before it need about ${sizeText(needed)} of memory, of which ${sizeText(memory)} are left: split its largest document, leave it out of the packages, or raise --max-old-space-size in NODE_OPTIONS`,
      )
  }
}

/** The length of the longest YAML document; JSON needs no more memory than its objects. */
function longestDocument(text: string): number {
  if (/^\s*[{[]/.test(text)) return 0
  let start = 0
  let longest = 0
  for (const { index } of text.matchAll(DOCUMENT)) {
    longest = Math.max(longest, index - start)
    start = index
  }
  return Math.max(longest, text.length - start)
}

/** Bytes as text: `12 MiB`, `5 bytes`. */
export function sizeText(bytes: number): string {
  if (bytes < MEBIBYTE / 10) return plural(bytes, 'byte')
  return `${(bytes / MEBIBYTE).toFixed(1).replace(/\.0$/, '')} MiB`
}
