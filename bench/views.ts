/** What is only looked at, beside the render that it shows. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inventoryFile } from './inputs.ts'
import type { Program } from './measure.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NODEFIT = [process.execPath, join(ROOT, 'dist/nodefit.cjs')]
const VIEWS = ['explain', 'report', 'diff'] as const

/** A view of a package, and the render of the same. */
export interface ViewPair {
  readonly what: string
  readonly view: Program
  readonly build: Program
}

/**
 * The views of a package with nodes in 40 shapes, of which the one for small nodes was smaller before: all that `isAsked`
 * names. The package is written into the folder.
 */
export function viewPairs(folder: string, count: number, isAsked: (what: string) => boolean = () => true): ViewPair[] {
  const whatOf = (name: string) => `nodefit ${name}, ${count.toLocaleString('en')} nodes in shapes`
  const asked = VIEWS.filter((name) => isAsked(whatOf(name)))
  if (asked.length === 0) return []
  const [source, before] = [join(folder, `package-${count}`), join(folder, `before-${count}`)]
  mkdirSync(folder, { recursive: true })
  cpSync(join(ROOT, 'testdata/quickstart'), source, { recursive: true })
  const write = (text: string) => writeFileSync(join(source, 'inventory.yaml'), text)
  const [program = '', ...script] = NODEFIT
  write(inventoryFile(count).replaceAll('cpu: 1930m', 'cpu: 3930m'))
  execFileSync(program, [...script, 'build', source, '--output-dir', before], { stdio: 'ignore' })
  write(inventoryFile(count))
  const options: Record<(typeof VIEWS)[number], string[]> = {
    explain: [],
    report: ['--output', join(folder, 'report.html')],
    diff: ['--against', before],
  }
  return asked.map((name) => ({
    what: whatOf(name),
    view: { name, command: [...NODEFIT, name, source, ...options[name]] },
    build: { name: 'build', command: [...NODEFIT, 'build', source] },
  }))
}
