import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, ROOT } from '../build/bundle.ts'
import { compiledCode, WARM_UP_LINES } from '../build/compiled.ts'

const PROGRAMS = { fn: 'dist/fn.cjs.program', nodefit: 'dist/nodefit.cjs.program' } as const
const PARTS = { api: 'dist/api.cjs', page: 'dist/page.cjs', sync: 'dist/sync.cjs' } as const

/**
 * The programs and parts of dist/ as Node.js wants to have them inside an executable: written by `writer`, a Node.js of
 * the executable's version. With `isCompiled` what that Node.js compiles of them is in it, too.
 */
export async function blobOf(writer: string, isCompiled: boolean): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-blob-'))
  try {
    const assets: Record<string, string> = {}
    const hashes: Record<string, string> = {}
    for (const [name, file] of Object.entries(PROGRAMS)) {
      const program = readFileSync(join(ROOT, file), 'utf8')
      hashes[name] = program.slice(-64)
      assets[`${name}.program`] = join(ROOT, file)
      if (!isCompiled) continue
      const compiled = join(folder, `${name}.compiled`)
      writeFileSync(compiled, compiledCode(program, WARM_UP_LINES[name as keyof typeof PROGRAMS], writer))
      assets[`${name}.compiled`] = compiled
    }
    for (const [name, file] of Object.entries(PARTS)) assets[name] = join(ROOT, file)
    const defined = { PARTS: JSON.stringify(Object.keys(PARTS)), HASHES: JSON.stringify(hashes) }
    writeFileSync(join(folder, 'start.cjs'), await bundle('tools/build/start-single.ts', defined))
    const config = { main: 'start.cjs', output: 'blob', disableExperimentalSEAWarning: true, assets }
    writeFileSync(join(folder, 'sea.json'), JSON.stringify(config))
    execFileSync(writer, ['--experimental-sea-config', 'sea.json'], { cwd: folder, stdio: 'pipe' })
    return readFileSync(join(folder, 'blob'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
