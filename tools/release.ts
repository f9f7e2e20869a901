/**
 * Cuts a release: `npm run release -- 0.2.0` writes the version wherever it stands, dates the section of CHANGELOG.md, and keeps
 * what the golden packages render to as what the next release is held against. It commits and publishes nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build/bundle.ts'
import { unreleased, withRelease } from './release/changelog.ts'
import { refusal } from './release/refusal.ts'
import { readReleased, writeReleased } from './release/released.ts'
import { writeVersion } from './release/versions.ts'

const HUB = join(ROOT, 'catalog/artifacthub/nodefit/artifacthub-pkg.yml')
const [version = ''] = process.argv.slice(2)
const file = join(ROOT, 'CHANGELOG.md')
const changelog = readFileSync(file, 'utf8')
const released = readReleased()
const refused = refusal(version, released.version, unreleased(changelog))
if (refused === undefined) {
  writeVersion(version)
  writeReleased(version)
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(file, withRelease(changelog, version, day))
  const hub = readFileSync(HUB, 'utf8')
  writeFileSync(HUB, hub.replace(/^createdAt: .*$/m, `createdAt: "${day}T00:00:00Z"`))
  process.stdout.write(`${version} is prepared, after ${released.version}: read git diff, commit, tag v${version}\n`)
} else {
  process.stderr.write(`not released: ${refused}\n`)
  process.exitCode = 1
}
