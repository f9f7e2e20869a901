/** Builds dist/: the library, and the function and the command as one file each. */
import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { billText } from './build/bill-of-materials.ts'
import { bundle, metafiles, ROOT } from './build/bundle.ts'
import { compiledCode, WARM_UP_LINES } from './build/compiled.ts'
import { kubeconfigOnly } from './build/kubeconfig-only.ts'
import { buildLibrary } from './build/library.ts'
import { bundledPackages, noticesText } from './build/notices.ts'
import { playgroundPackages } from './build/playground.ts'
import { writeValidators } from './build/validators.ts'

const SHEBANG = '#!/usr/bin/env node\n'
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const define = { NODEFIT_VERSION: JSON.stringify(version) }

rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
writeValidators()
await buildLibrary()
await buildProgram('src/host/fn.ts', 'dist/fn.cjs', 'nodefit-fn', WARM_UP_LINES.fn)
await buildProgram('src/host/main.ts', 'dist/nodefit.cjs', 'nodefit', WARM_UP_LINES.nodefit)
// only commands that read a cluster load it
writeFileSync(join(ROOT, 'dist/api.cjs'), await bundle('src/host/cluster/read-cluster.ts', define, [kubeconfigOnly]))
// only commands that write a page load it
writeFileSync(join(ROOT, 'dist/page.cjs'), await bundle('src/face/page/index.ts', define))
// only `nodefit sync` loads it, and runs for weeks
writeFileSync(join(ROOT, 'dist/sync.cjs'), await bundle('src/host/sync/index.ts', define, [kubeconfigOnly]))
const programs = bundledPackages(metafiles)
// the page of the playground comes with a release, too
const paged = (await playgroundPackages()).filter(({ folder }) => programs.every((one) => one.folder !== folder))
const packages = [...programs, ...paged].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
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
  writeFileSync(join(ROOT, `${output}.compiled`), compiledCode(program, lines))
  const told = { PROGRAM_HASH: JSON.stringify(hash), PROGRAM_LENGTH: String(program.length) }
  write(output, await bundle('tools/build/start.ts', told), command)
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
