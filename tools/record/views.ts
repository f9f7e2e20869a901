/** What the commands print of each golden package. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '../build/bundle.ts'
import { goldenPackages } from '../release/golden-packages.ts'

/** Its nodes are of a later day than any clock, which commands say with the time of the run. */
const AHEAD = 'reservation/permanent-buffer#2'

const COMMANDS: ReadonlyArray<readonly string[]> = [
  ['build'],
  ['vet', '--all'],
  ['vet', '--json'],
  ['diff', '--all'],
  ['diff', '--markdown'],
  ['explain'],
  ['explain', '--json'],
  ['report'],
]

/** Calls `take` with each command line and what it printed and wrote. The programs of dist/ are those of this tree. */
export function recordViews(take: (name: string, output: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-record-'))
  try {
    for (const { name, files } of goldenPackages().filter(({ name }) => name !== AHEAD)) {
      const work = join(folder, name.replaceAll(/[/#]/g, '-'))
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true })
        writeFileSync(join(work, path), text)
      }
      for (const args of COMMANDS) take(`${args.join(' ')} ${name}`, printed(args, work))
      rmSync(work, { recursive: true })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function printed([command = '', ...args]: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'dist/nodefit.cjs'), command, '.', ...args],
    { cwd, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: '1' } },
  )
  return [`exit ${status}`, stdout, stderr].join('\n').replaceAll(cwd, '/package')
}
