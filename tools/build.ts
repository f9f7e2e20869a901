/** Builds dist/: the library, and the function and the command as one file each. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { billText } from './build/bill-of-materials.ts'
import { bundle, metafiles, ROOT } from './build/bundle.ts'
import { kubeconfigOnly } from './build/kubeconfig-only.ts'
import { buildLibrary } from './build/library.ts'
import { bundledPackages, noticesText } from './build/notices.ts'
import { seal } from './build/seal.ts'
import { writeValidators } from './build/validators.ts'

const SHEBANG = '#!/usr/bin/env node\n'
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const define = { NODEFIT_VERSION: JSON.stringify(version) }
const WARM_UP = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')

rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
writeValidators()
await buildLibrary()
await buildProgram('src/fn.ts', 'dist/fn.cjs', 'nodefit-fn', [''])
await buildProgram('src/main.ts', 'dist/nodefit.cjs', 'nodefit', ['build items.yaml', 'build --argocd'])
// only commands that read a cluster load it
writeFileSync(join(ROOT, 'dist/api.cjs'), await bundle('src/api/read-cluster.ts', define, [kubeconfigOnly]))
// only commands that write a page load it
writeFileSync(join(ROOT, 'dist/page.cjs'), await bundle('src/page/index.ts', define))
// only `nodefit sync` loads it, and runs for weeks
writeFileSync(join(ROOT, 'dist/sync.cjs'), await bundle('src/sync/index.ts', define, [kubeconfigOnly]))
const packages = bundledPackages(metafiles)
writeFileSync(join(ROOT, 'dist/third-party-licenses.txt'), noticesText(packages))
writeFileSync(join(ROOT, 'dist/nodefit.cdx.json'), billText(packages))

/**
 * A program that hosts start for every render: what starts it, the program as text, and the code that V8 makes of it, run with
 * these command lines.
 */
async function buildProgram(entry: string, output: string, command: string, lines: readonly string[]): Promise<void> {
  const body = `(function(require){${await bundle(entry, define)}})`
  const hash = createHash('sha256').update(body).digest('hex')
  const program = `${body}\n// ${hash}`
  // it is read as Latin-1, which is several times faster
  if (/[^\0-\x7f]/.test(program)) throw new Error(`${entry} was not bundled as ASCII`)
  writeFileSync(join(ROOT, `${output}.program`), program)
  const compiled = join(ROOT, `${output}.compiled`)
  compile(program, compiled, lines)
  appendFileSync(compiled, `\n${seal(hash, readFileSync(compiled))}`)
  const told = { PROGRAM_HASH: JSON.stringify(hash), PROGRAM_LENGTH: String(program.length) }
  write(output, await bundle('tools/build/start.ts', told), command)
}

/** A program that cannot render the sample is not built. */
function compile(program: string, output: string, lines: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-build-'))
  try {
    writeFileSync(join(folder, 'program.cjs'), program)
    const { items } = parse(WARM_UP) as { items: { kind: string }[] }
    const objects = items.filter(({ kind }) => kind !== 'Kptfile').map((item) => stringify(item))
    writeFileSync(join(folder, 'items.yaml'), objects.join('---\n'))
    const { ARGOCD_APP_PARAMETERS: _, ...env } = process.env
    execFileSync(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), join(ROOT, 'tools/build/compile.ts'), 'program.cjs', output, ...lines],
      { cwd: folder, env, input: WARM_UP, stdio: 'pipe' },
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
