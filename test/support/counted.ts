/** Work counted in steps instead of seconds: the same number on every machine, however busy it is. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { marked, placesIn } from '../../tools/mutants/places.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Counted<Room> {
  readonly room: Room
  /** How many blocks of our code, bodies of loops and functions among them, the work enters. */
  readonly stepsOf: (work: () => unknown) => number
}

/** A module of `src` and all that it imports, which counts its steps. */
export async function counted<Room>(entry: string): Promise<Counted<Room>> {
  const marks: Plugin = {
    name: 'marks',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        return { contents: marked(text, placesIn(path, text).blocks, 0), loader: 'ts' }
      })
    },
  }
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, entry)],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    plugins: [marks],
    logLevel: 'warning',
  })
  let steps = 0
  const seen = new Proxy(
    {},
    {
      set() {
        steps++
        return true
      },
    },
  )
  const module = { exports: {} as Room }
  const run = new Function('require', 'module', 'exports', '__seen', outputFiles[0]?.text ?? '')
  run(createRequire(join(ROOT, 'package.json')), module, module.exports, seen)
  const stepsOf = (work: () => unknown) => {
    const before = steps
    work()
    return steps - before
  }
  return { room: module.exports, stepsOf }
}
