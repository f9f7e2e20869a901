/** The heading of what no release has yet. */
const UNRELEASED = '## [Unreleased]'
const BYTES = '### Rendered bytes'

/** The text below `## [Unreleased]` of CHANGELOG.md. Throws without that heading. */
export function unreleased(changelog: string): string {
  const start = changelog.indexOf(`\n${UNRELEASED}\n`)
  if (start < 0) throw new Error(`CHANGELOG.md has no heading ${UNRELEASED}`)
  const [text = ''] = changelog.slice(start + UNRELEASED.length + 2).split(/^## /m)
  return text.trim()
}

/**
 * The entries of `### Rendered bytes` in a section, each as the packages that it names in parentheses at its end: `(golden/ranges,
 * pools/*)`; none where no golden package shows the change.
 */
export function entriesOfBytes(section: string): string[][] {
  const [, below = ''] = section.split(`${BYTES}\n`)
  const [text = ''] = below.split(/^### /m)
  const entries = text.split(/^- /m).slice(1)
  return entries.map((entry) => {
    const [, names = ''] = /\(([^()]*\/[^()]*)\)\s*$/.exec(entry) ?? []
    return names.split(',').flatMap((name) => name.trim() || [])
  })
}

/** Whether a name of an entry means a package; `pools/*` means all of pools, `golden/sticky` all its steps. */
export function isNamed(name: string, packages: readonly string[]): boolean {
  return packages.some((one) =>
    one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name || name.startsWith(`${one}#`),
  )
}

/** CHANGELOG.md with what was unreleased under the version and day, and nothing unreleased. */
export function withRelease(changelog: string, version: string, day: string): string {
  return changelog.replace(`\n${UNRELEASED}\n`, `\n${UNRELEASED}\n\n## [${version}] - ${day}\n`)
}
