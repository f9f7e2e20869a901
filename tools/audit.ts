/**
 * Asks the registry for advisories on any dependency, those of development too. Exit code 1 where it has some; where it does not answer,
 * as many mirrors do not, it says so and the exit code is 0, or 1 with `--required`, for the day of a release.
 */
import { spawnSync } from 'node:child_process'
import { ROOT } from './build/bundle.ts'
import { auditVerdict } from './release/audit-verdict.ts'

// without --offline=false an npm that is set to be offline calls everything clean
const { stdout } = spawnSync('npm', ['audit', '--json', '--offline=false'], { cwd: ROOT, encoding: 'utf8' })
const verdict = auditVerdict(stdout ?? '')
switch (verdict.kind) {
  case 'clean':
    process.stdout.write(`no advisories on ${verdict.dependencies} dependencies\n`)
    break
  case 'found':
    process.stderr.write(`advisories:\n${verdict.packages.map((line) => `  ${line}\n`).join('')}`)
    process.exitCode = 1
    break
  case 'unanswered':
    process.stderr.write(`not audited, the registry does not answer: ${verdict.why}\n`)
    if (process.argv.includes('--required')) process.exitCode = 1
}
