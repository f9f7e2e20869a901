/** Builds dist/: the library with its types by tsc, the function and the command as one file each by esbuild. */
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

rmSync(join(root, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})

for (const [entry, output] of [
  ['src/fn.ts', 'dist/fn.cjs'],
  ['src/main.ts', 'dist/nodefit.cjs'],
] as const) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: output,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
    minifySyntax: true,
    minifyWhitespace: true,
    banner: { js: '#!/usr/bin/env node' },
    define: { NODEFIT_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  })
  chmodSync(join(root, output), 0o755)
  linkForNpx(output)
}

/** npx looks for a command here first; without the link it asks its cache, which may hold a package that was not built yet. */
function linkForNpx(output: string): void {
  if (process.platform === 'win32') return
  const link = join(root, 'node_modules/.bin', output === 'dist/fn.cjs' ? 'nodefit-fn' : 'nodefit')
  rmSync(link, { force: true })
  symlinkSync(join('../..', output), link)
}
