/** A process that runs tests on the modules of the tree: all of them once without a fault, then some for each fault. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT } from '../build/bundle.ts'
import type { Look, Looked, Seen, Tried, Try } from './messages.ts'
import { Modules } from './modules.ts'
import { marked, placesIn } from './places.ts'
import { fastCheck } from './properties.ts'
import { type Test, testsOf, uvu } from './suites.ts'

const shared = globalThis as unknown as { __seen: Uint8Array; __answers: Record<string, string> }
const INSTEAD = { uvu, 'fast-check': fastCheck }
const sound = new Modules(ROOT, INSTEAD)

process.on('message', async (message: Look | Try) => {
  process.send?.(message.kind === 'look' ? await look(message) : await attempt(message))
})

async function look({ files, firsts }: Look): Promise<Looked> {
  const total = Math.max(0, ...Object.values(firsts)) + 10_000
  shared.__seen = new Uint8Array(total)
  shared.__answers = {}
  const modules = new Modules(ROOT, INSTEAD, (path) => {
    const text = readFileSync(path, 'utf8')
    const file = relative(ROOT, path)
    const first = firsts[file]
    return first === undefined ? text : marked(text, placesIn(file, text).blocks, first)
  })
  const seen: Seen[] = []
  const failed: string[] = []
  const onLoad = new Set<number>()
  const world = modules.world()
  world(join(ROOT, 'src/face/render.ts'))
  for (const file of files) {
    shared.__seen.fill(0)
    const loadedFrom = performance.now()
    const tests = testsOf(() => world(file))
    const loading = performance.now() - loadedFrom
    for (const block of entered()) onLoad.add(block)
    for (const [index, { name, body }] of tests.entries()) {
      shared.__seen.fill(0)
      const from = performance.now()
      try {
        await body()
      } catch (error) {
        failed.push(`${relative(ROOT, file)}: ${name}: ${(error as Error).message}`)
        continue
      }
      const milliseconds = loading / tests.length + performance.now() - from
      seen.push({ file, index, name, milliseconds, blocks: entered() })
    }
  }
  return { seen, failed, onLoad: [...onLoad], answers: shared.__answers }
}

function entered(): number[] {
  const found: number[] = []
  for (const [index, mark] of shared.__seen.entries()) if (mark === 1) found.push(index)
  return found
}

async function attempt({ path, text, tests, answers }: Try): Promise<Tried> {
  shared.__answers = { ...answers }
  const world = sound.world({ path, text })
  const declared = new Map<string, Test[]>()
  for (const [file, index] of tests) {
    const name = relative(ROOT, file)
    try {
      const those = declared.get(file) ?? testsOf(() => world(file))
      declared.set(file, those)
      const test = those[index]
      if (test === undefined) return { killedBy: `${name}: declares other tests` }
      if (!(await passes(test)) && (await passesAlone(file, index, answers)))
        return { killedBy: `${name}: ${test.name}` }
      shared.__answers = { ...answers }
    } catch {
      return { killedBy: `${name}: does not load` }
    }
  }
  return {}
}

const alone = new Map<string, boolean>()

/** Whether a test passes by itself where there is no fault: one that counts what others have seen fails without them. */
async function passesAlone(file: string, index: number, answers: Try['answers']): Promise<boolean> {
  const key = `${file} ${index}`
  const known = alone.get(key)
  if (known !== undefined) return known
  shared.__answers = { ...answers }
  const world = sound.world()
  const test = testsOf(() => world(file))[index]
  const does = test !== undefined && (await passes(test))
  alone.set(key, does)
  return does
}

async function passes({ body }: Test): Promise<boolean> {
  try {
    await body()
    return true
  } catch {
    return false
  }
}
