/** Programs as they are built, with a fault put into a module: what a suite is worth shows in what it says of such a program. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { bundle } from '../../tools/build/bundle.ts'
import { kubeconfigOnly } from '../../tools/build/kubeconfig-only.ts'
import { COMMAND } from './hosts.ts'

/** A text of a module below `src`, and what stands there instead. */
export interface Fault {
  readonly module: string
  readonly text: string
  readonly instead: string
}

/** Builds the program into a folder, and gives the path of its command. */
export async function faultySync(folder: string, faults: readonly Fault[]): Promise<string> {
  mkdirSync(folder)
  const command = join(folder, 'nodefit.cjs')
  for (const end of ['', '.program', '.compiled']) copyFileSync(`${COMMAND}${end}`, `${command}${end}`)
  writeFileSync(join(folder, 'sync.cjs'), await faultyBundle('src/host/sync/index.ts', faults))
  return command
}

/** The command without `nodefit sync`, as the path of one file. */
export async function faultyCommand(folder: string, faults: readonly Fault[]): Promise<string> {
  const file = join(folder, 'nodefit.cjs')
  writeFileSync(file, await faultyBundle('src/host/main.ts', faults))
  return file
}

/** What an entry point of the sources exports, with faults in the modules that it imports. */
export async function faultyModule<Exports>(folder: string, entry: string, faults: readonly Fault[]): Promise<Exports> {
  const file = join(folder, 'module.cjs')
  writeFileSync(file, await faultyBundle(entry, faults))
  return createRequire(import.meta.url)(file) as Exports
}

async function faultyBundle(entry: string, faults: readonly Fault[]): Promise<string> {
  let done = 0
  const fault: Plugin = {
    name: 'fault',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const here = faults.filter(({ module }) => path.endsWith(`/src/${module}`))
        let contents = readFileSync(path, 'utf8')
        for (const { text, instead } of here) {
          if (contents.split(text).length !== 2) throw new Error(`${path} does not have this once: ${text}`)
          contents = contents.replace(text, () => instead)
          done++
        }
        return { contents, loader: 'ts' }
      })
    },
  }
  const text = await bundle(entry, { NODEFIT_VERSION: '"0.0.0-faulty"' }, [fault, kubeconfigOnly])
  if (done !== faults.length) throw new Error(`${faults.length - done} faults were not put in`)
  return text
}
