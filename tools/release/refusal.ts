import { entriesOfBytes } from './changelog.ts'

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

/**
 * Why a version cannot follow the last one with these unreleased changes, or undefined. A patch renders the same bytes: what changes
 * them is a minor version, and a major one from 1.0.0 on only where an input is no longer read.
 */
export function refusal(version: string, last: string, changes: string): string | undefined {
  const next = numbers(version)
  const before = numbers(last)
  if (next === undefined || before === undefined) return `"${version}" is no version of three numbers, such as 0.2.0`
  const at = next.findIndex((number, index) => number !== before[index])
  if (at < 0 || (next[at] ?? 0) < (before[at] ?? 0)) return `${version} does not follow ${last}`
  if (changes === '') return 'CHANGELOG.md has nothing below Unreleased'
  if (at === 2 && entriesOfBytes(changes).length > 0)
    return `${version} is a patch, which may not change rendered bytes; CHANGELOG.md says that it does`
  return undefined
}

function numbers(version: string): number[] | undefined {
  return VERSION.exec(version)?.slice(1).map(Number)
}
