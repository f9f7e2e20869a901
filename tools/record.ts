/**
 * Records what this tree renders and prints, and compares it with a recording of another tree:
 *   npm run record -- FILE             writes the recording
 *   npm run record -- --against FILE   prints what differs, and ends with exit code 1 if anything does
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { ROOT } from './build/bundle.ts'
import { recordRenders } from './record/inputs.ts'
import { recordViews } from './record/views.ts'

/** How many differences are printed in full. */
const SHOWN = 20

const [first = '', second] = process.argv.slice(2)
if (first === '--against' && second !== undefined) process.exitCode = compare(second) ? 0 : 1
else if (first !== '' && !first.startsWith('-')) write(first)
else {
  process.exitCode = 2
  process.stderr.write('usage: npm run record -- FILE | --against FILE\n')
}

function record(take: (name: string, output: string) => void): void {
  const counts = new Map<string, number>()
  const each = (name: string, output: string) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    take(count === 1 ? name : `${name} (${count})`, output.replaceAll(ROOT, '/checkout/'))
  }
  recordRenders(each)
  recordViews(each)
}

function write(file: string): void {
  const handle = openSync(file, 'w')
  let count = 0
  record((name, output) => {
    writeSync(handle, `${JSON.stringify([name, output])}\n`)
    count++
  })
  closeSync(handle)
  process.stdout.write(`${count} outputs are in ${file}\n`)
}

/** Compares with a recording; an output that only one of both has is a difference, and so is another order. */
function compare(file: string): boolean {
  const before = new Map(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, string]),
  )
  const places = new Map([...before.keys()].map((name, index) => [name, index]))
  let last = -1
  const differences: string[] = []
  let count = 0
  record((name, output) => {
    const place = places.get(name) ?? last
    if (place < last) differences.push(`${name}: comes later than in the recording`)
    last = Math.max(last, place)
    const other = before.get(name)
    if (other === undefined) differences.push(`${name}: is not in the recording`)
    else if (other !== output) differences.push(`${name}\n${firstDifference(other, output)}`)
    before.delete(name)
    count++
  })
  for (const name of before.keys()) differences.push(`${name}: is in the recording alone`)
  for (const text of differences.slice(0, SHOWN)) process.stdout.write(`${text}\n`)
  process.stdout.write(`${count} outputs, ${differences.length} differ\n`)
  return differences.length === 0
}

function firstDifference(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const at = old.findIndex((line, index) => line !== now[index])
  const line = at < 0 ? old.length : at
  return `  line ${line + 1}\n  - ${old[line]?.slice(0, 400) ?? '(end)'}\n  + ${now[line]?.slice(0, 400) ?? '(end)'}`
}
