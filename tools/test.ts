/**
 * Runs test files (all, or those whose path contains an argument), each in a process of its own, and closes with
 * `N passed, N failed`. A file that adds no test fails, and so does a run without files: uvu would call both a success.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PARALLEL = 2
const filters = process.argv.slice(2)
const files = ['test', 'e2e']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter(
    (file) => file.endsWith('.test.ts') && (filters.length === 0 || filters.some((filter) => file.includes(filter))),
  )
  .sort()

if (!existsSync(join(root, 'dist/validators.js'))) {
  process.stderr.write('dist/ is not built: npm run build, or npm test, which builds first\n')
  process.exit(1)
}

const notRun = new Set<string>()
let passed = 0
let failed = 0
const queue = [...files]
await Promise.all(Array.from({ length: PARALLEL }, work))
if (files.length === 0) failed++
for (const line of notRun) process.stdout.write(`${line}\n`)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function work(): Promise<void> {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const { code, output } = await run(file)
    const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
    const good = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
    const bad = Math.max(total - good, code === 0 && total > 0 ? 0 : 1)
    passed += good
    failed += bad
    for (const line of output.split('\n')) if (line.startsWith('not run: ')) notRun.add(line)
    if (bad > 0) process.stdout.write(`${output}\n`)
    process.stdout.write(
      `${bad > 0 ? 'FAIL' : 'ok  '} ${relative('.', file)}: ${good} of ${total}${total === 0 ? ', a test file must add tests' : ''}\n`,
    )
  }
}

function run(file: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', file], {
      cwd: root,
      env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    child.on('close', (code) => resolve({ code, output }))
  })
}
