import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What is used of Node's cryptography. */
const CRYPTO = [
  'hash',
  'createHash',
  'createHmac',
  'createPublicKey',
  'createPrivateKey',
  'generateKeyPairSync',
  'randomBytes',
  'sign',
  'timingSafeEqual',
  'verify',
]

/** Loading Node's cryptography costs several milliseconds of every start; only hashed names and signatures need it. */
const cryptoOnDemand: Plugin = {
  name: 'crypto-on-demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:crypto$/ }, ({ namespace }) =>
      namespace === 'on-demand' ? undefined : { path: 'node:crypto', namespace: 'on-demand' },
    )
    onLoad({ filter: /.*/, namespace: 'on-demand' }, () => ({
      contents: CRYPTO.map(
        (name) => `export const ${name} = (...args) => require('node:crypto').${name}(...args)`,
      ).join('\n'),
    }))
  },
}

/** What has been bundled so far, and of which files. */
export const metafiles: Metafile[] = []

/** A program with all it imports as the text of one CommonJS file; unless told otherwise one that is started for every render. */
export async function bundle(
  entry: string,
  define: Record<string, string>,
  plugins: Plugin[] = [cryptoOnDemand],
): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, entry)],
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
    minifySyntax: true,
    minifyWhitespace: true,
    plugins,
    define,
    logLevel: 'warning',
  })
  metafiles.push(metafile)
  const [output] = outputFiles
  if (output === undefined) throw new Error(`${entry} was not bundled`)
  return output.text
}
