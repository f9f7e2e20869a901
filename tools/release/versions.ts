import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../build/bundle.ts'

/** What stands before the version of nodefit itself: in the name of a package or image, a chart, a tag, a build argument. */
const BEFORE = '\\bnodefit[:@-]v?|\\bnewTag: |^version: |^appVersion: |^ARG VERSION=|^  "version": "'
/** Files whose versions are those of others, or of the past. */
const NOT_OURS = /^(?:CHANGELOG\.md|package-lock\.json|(?:src|test|e2e|bench|tools|examples)\/|testdata\/(?!argocd\/))/
const NO_TEXT = /\.(?:png|gz|sum)$/

/** The version in package.json. */
export function currentVersion(): string {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
}

/** Returns the files that name a version of nodefit, with their texts for another version, by path. */
export function withVersion(version: string): Map<string, string> {
  const current = currentVersion().replaceAll('.', '\\.')
  const places = new RegExp(`(${BEFORE})${current}(?!\\.?\\d)`, 'gm')
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
  const changed = new Map([['package-lock.json', lockFile(version)]])
  for (const file of files.filter((one) => !NOT_OURS.test(one) && !NO_TEXT.test(one))) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const other = text.replaceAll(places, (_, before: string) => `${before}${version}`)
    if (other !== text) changed.set(file, other)
  }
  return changed
}

export function writeVersion(version: string): void {
  for (const [file, text] of withVersion(version)) writeFileSync(join(ROOT, file), text)
}

function lockFile(version: string): string {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  lock.version = version
  lock.packages[''].version = version
  return `${JSON.stringify(lock, undefined, 2)}\n`
}
