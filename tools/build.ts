/** Builds dist/: the library with its types by tsc, the function and the command as one file each by esbuild. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, ROOT } from './build/bundle.ts'
import { seal } from './build/seal.ts'
import { writeValidators } from './build/validators.ts'

const SHEBANG = '#!/usr/bin/env node\n'
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const define = { NODEFIT_VERSION: JSON.stringify(version) }

rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
writeValidators()
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: ROOT,
  stdio: 'inherit',
})
await buildFunction('dist/fn.cjs')
write('dist/nodefit.cjs', await bundle('src/main.ts', define), 'nodefit')

/** The function, which hosts start for every render, with the code that V8 makes of it beside it. */
async function buildFunction(output: string): Promise<void> {
  const program = `(function(require){${await bundle('src/fn.ts', define)}})`
  const hash = createHash('sha256').update(program).digest('hex')
  const compiled = join(ROOT, `${output}.compiled`)
  compile(program, compiled)
  appendFileSync(compiled, `\n${seal(hash, readFileSync(compiled))}`)
  const text = { PROGRAM: JSON.stringify(program), PROGRAM_HASH: JSON.stringify(hash) }
  write(output, await bundle('tools/build/start.ts', text), 'nodefit-fn')
}

/** A program that cannot render the sample is not built. */
function compile(program: string, output: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-build-'))
  try {
    writeFileSync(join(folder, 'program.cjs'), program)
    execFileSync(
      process.execPath,
      ['--import', 'tsx', join(ROOT, 'tools/build/compile.ts'), join(folder, 'program.cjs'), output],
      { cwd: ROOT, input: readFileSync(join(ROOT, 'tools/build/warm-up.yaml')), stdio: ['pipe', 'pipe', 'inherit'] },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(output: string, text: string, command: string): void {
  writeFileSync(join(ROOT, output), SHEBANG + text)
  chmodSync(join(ROOT, output), 0o755)
  linkForNpx(output, command)
}

/** npx looks for a command here first; without the link it asks its cache, which may hold a package that was not built yet. */
function linkForNpx(output: string, command: string): void {
  if (process.platform === 'win32') return
  const link = join(ROOT, 'node_modules/.bin', command)
  rmSync(link, { force: true })
  symlinkSync(join('../..', output), link)
}
