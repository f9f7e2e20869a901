import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** In place of the proof of coverage: nothing is found. A row that holds the same against the same would say nothing. */
const unproved: Plugin = {
  name: 'unproved',
  setup({ onLoad, onEnd }) {
    let isReplaced = false
    onLoad({ filter: /rules\/coverage\.ts$/ }, () => {
      isReplaced = true
      return { contents: 'export const coverage = { codes: {}, check: () => [] }', loader: 'ts' }
    })
    onEnd(() => {
      if (!isReplaced) throw new Error('there is no proof of coverage to leave out')
    })
  },
}

/** The function as a program of one file, with the proof of coverage or without it. */
export async function writeFunction(outfile: string, { isProved }: { isProved: boolean }): Promise<string> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'src/host/fn.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    define: { NODEFIT_VERSION: '"0"' },
    plugins: isProved ? [] : [unproved],
    logLevel: 'warning',
  })
  return outfile
}
