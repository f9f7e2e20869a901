import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { ROOT } from '../build/bundle.ts'

/** Test files as JavaScript, in a folder of this run. */
export interface Bundles {
  /** The bundle of a test file. */
  readonly of: (file: string) => string
  readonly worker: string
  readonly remove: () => void
}

const FOLDER = join(ROOT, '.tests')
const WORKER = 'tools/test/worker.ts'
/** Programs that tests load as a whole. */
const EXTERNAL = [
  'esbuild',
  'prettier',
  'typescript',
  'tsx',
  'json-schema-to-typescript',
  '@biomejs/biome',
  '@cyclonedx/cyclonedx-library',
  'playwright-core',
]
/** Packages in CommonJS that are bundled ask for Node's modules by `require`. */
const BANNER = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`

/** A module keeps the address of its source, where it looks for what lies beside it. */
const sourceAddress: Plugin = {
  name: 'source-address',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' }
    })
  },
}

/** Bundles test files in one step: what they share is in files that a process loads once. */
export async function bundleTests(files: readonly string[]): Promise<Bundles> {
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(join(FOLDER, 'run-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await build({
      absWorkingDir: ROOT,
      entryPoints: [...files, WORKER],
      outbase: ROOT,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      chunkNames: 'shared/[hash]',
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: true,
      sourcesContent: false,
      external: EXTERNAL,
      banner: { js: BANNER },
      plugins: [sourceAddress],
      logLevel: 'warning',
    })
  } catch (error) {
    remove()
    throw error
  }
  const at = (file: string) => join(folder, file.replace(/\.ts$/, '.mjs'))
  return { of: at, worker: at(WORKER), remove }
}
