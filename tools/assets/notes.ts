/**
 * The section of a version in CHANGELOG.md as the text of its release; what is unreleased where that version has no
 * section yet.
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## \[)/m)
  const found =
    sections.find((section) => section.startsWith(`## [${version}]`)) ??
    sections.find((section) => section.startsWith('## [Unreleased]'))
  if (found === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`)
  return `${found.slice(found.indexOf('\n') + 1).trim()}\n`
}
