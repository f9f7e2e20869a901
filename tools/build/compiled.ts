import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { ROOT } from './bundle.ts'

const WARM_UP = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')

/** The command lines that a program is warmed up with. */
export const WARM_UP_LINES: Readonly<Record<'fn' | 'nodefit', readonly string[]>> = {
  fn: [''],
  nodefit: ['build items.yaml', 'build --argocd'],
}

/** How often a program is compiled at most. */
const TRIES = 8

/**
 * The code that V8 compiles of a program, by a Node.js of this platform, with its seal. The same Node.js gives the same
 * bytes: V8's threads change some of them now and then, so it is the first that comes out twice. Throws where the
 * program cannot render the sample, or this Node.js would not take what it gave.
 */
export function compiledCode(program: string, lines: readonly string[], node = process.execPath): Buffer {
  const codes: Buffer[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    const code = compileOnce(program, lines, node)
    if (codes.some((earlier) => earlier.equals(code))) return code
    codes.push(code)
  }
  throw new Error(`V8 compiled ${TRIES} times, and no two were the same`)
}

function compileOnce(program: string, lines: readonly string[], node: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-build-'))
  try {
    writeFileSync(join(folder, 'program.cjs'), program)
    const { items } = parse(WARM_UP) as { items: { kind: string }[] }
    const objects = items.filter(({ kind }) => kind !== 'Kptfile').map((item) => stringify(item))
    writeFileSync(join(folder, 'items.yaml'), objects.join('---\n'))
    const { ARGOCD_APP_PARAMETERS: _, ...env } = process.env
    const compile = join(ROOT, 'tools/build/compile.ts')
    execFileSync(
      node,
      // without a seed the tables of V8 differ from run to run, and so the bytes
      ['--random-seed=1', '--import', import.meta.resolve('tsx'), compile, 'program.cjs', 'compiled', ...lines],
      { cwd: folder, env, input: WARM_UP, stdio: 'pipe' },
    )
    return readFileSync(join(folder, 'compiled'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
