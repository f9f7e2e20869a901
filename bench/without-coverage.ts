import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** In place of the proof of coverage: nothing is found. */
const unproved: Plugin = {
  name: 'unproved',
  setup({ onLoad }) {
    onLoad({ filter: /proof\/coverage\/coverage\.ts$/ }, () => ({
      contents: 'export const coverageFindings = () => []',
      loader: 'ts',
    }))
  },
}

/** The function as a program of one file, with the proof of coverage or without it. */
export async function writeFunction(outfile: string, { isProved }: { isProved: boolean }): Promise<string> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'src/fn.ts')],
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
