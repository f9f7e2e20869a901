/** Builds the library: its entries in dist/, each as JavaScript and as declarations, and what they share. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { metafiles, ROOT } from './bundle.ts'
import { Declarations } from './declarations.ts'

/** The entries: files of src/, as package.json exports them. */
export const ENTRIES = ['index', 'kube', 'krm', 'planner'] as const
const SHARED = 'declarations'

export async function buildLibrary(): Promise<void> {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((entry) => `src/${entry}.ts`),
    outdir: 'dist',
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // a dependency of the package, which whoever installs it may have already
    external: ['js-yaml'],
    legalComments: 'none',
    logLevel: 'warning',
  })
  metafiles.push(metafile)
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-declarations-'))
  try {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder], {
      cwd: ROOT,
      stdio: 'inherit',
    })
    await writeCodes(join(folder, 'rules/all-codes.d.ts'))
    const declarations = new Declarations(folder)
    for (const entry of ENTRIES) {
      const names = declarations.add(`${entry}.d.ts`)
      put(`${entry}.d.ts`, `export { ${names.join(', ')} } from './${SHARED}.js';\n`)
    }
    put(`${SHARED}.d.ts`, declarations.text)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The union of codes is composed from the tables of all rooms: written out, it does not bring the planners' types along. */
async function writeCodes(file: string): Promise<void> {
  // needs what the build makes first
  const { CODES } = await import('../../src/rules/all-codes.ts')
  const union = Object.keys(CODES)
    .toSorted()
    .map((code) => `'${code}'`)
  writeFileSync(
    file,
    `import type { CodeDefinition } from '../krm/finding.ts';
/** The closed union of what nodefit can report. */
export type Code = ${union.join(' | ')};
/** Every code with its severity, meaning and mend. */
export declare const CODES: Readonly<Record<Code, CodeDefinition>>;
`,
  )
}

function put(file: string, text: string): void {
  writeFileSync(join(ROOT, 'dist', file), text)
}
