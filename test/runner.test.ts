/** What the runner of the tests makes of what a file wrote. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { eventually } from '../e2e/support/eventually.ts'
import { ROOT } from '../tools/build/bundle.ts'
import { chosenFiles } from '../tools/test/choose.ts'
import { Crew, TIME_IS_UP } from '../tools/test/crew.ts'
import { verdictOf } from '../tools/test/verdict.ts'
import { suite } from './support/suite.ts'

const totals = (total: number, passed: number) => `\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   0\n`
const MISSING = 'not run: kustomize is not installed\n'

const VERDICTS: Array<[name: string, output: string, isComplete: boolean, passed: number, failed: number]> = [
  ['all pass', totals(3, 3), true, 3, 0],
  ['one fails', totals(3, 2), false, 2, 1],
  ['two fail', totals(3, 1), false, 1, 2],
  ['all pass, and the process ends with an error', totals(3, 3), false, 3, 1],
  ['no test', totals(0, 0), true, 0, 1],
  ['nothing at all', '', true, 0, 1],
  ['no test, since a program is missing', MISSING + totals(0, 0), true, 0, 0],
  ['a program is missing for one of the tests', MISSING + totals(2, 2), true, 2, 0],
  ['a program is missing, and a test fails', MISSING + totals(2, 1), false, 1, 1],
  ['a program is missing, and the process ends with an error', MISSING, false, 0, 1],
]

suite('what a file wrote', (test) => {
  for (const [name, output, isComplete, passed, failed] of VERDICTS)
    test(name, () => {
      const verdict = verdictOf(output, isComplete)
      assert.equal([verdict.passed, verdict.failed], [passed, failed])
    })
  test('a file without tests says why', () => {
    assert.is(verdictOf('', true).why, 'a test file must add tests')
    assert.is(verdictOf(MISSING, true).why, MISSING.trim())
    assert.is(verdictOf(totals(1, 1), true).why, '')
  })
})

const HANGS = 'setInterval(() => {}, 1000)'
/** Its child keeps the output open when it has ended. */
const LEAVES_A_CHILD = `
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, ['-e', '${HANGS}'], { stdio: 'inherit' })
  console.log('child ' + child.pid)
  process.exit(0)`

suite('a run that must end', (test) => {
  const crewOf = (text: string, until: number) => {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-crew-'))
    const path = join(folder, 'file.mjs')
    writeFileSync(path, text)
    const remove = () => rmSync(folder, { recursive: true })
    return { crew: new Crew({ of: () => path, worker: path, remove }, until), remove }
  }
  test('a file that hangs is ended when the time is up, and has failed', async () => {
    const { crew, remove } = crewOf(`console.log('begun')\n${HANGS}`, Date.now() + 3_000)
    const { output, isComplete } = await crew.alone('file')
    remove()
    assert.is(output, 'begun\n')
    assert.not(isComplete)
  })
  test('a process that a file leaves running holds nothing up', async () => {
    const { crew, remove } = crewOf(LEAVES_A_CHILD, Number.POSITIVE_INFINITY)
    const { output, isComplete } = await crew.alone('file')
    remove()
    process.kill(Number(/child (\d+)/.exec(output)?.[1]))
    assert.ok(isComplete)
  })
  test('files of one host that could not begin have failed, too', async () => {
    const said: unknown[] = []
    const { crew, remove } = crewOf(HANGS, 0)
    remove()
    await crew.series(['a', 'b'], (file, outcome) => said.push([file, outcome]))
    assert.equal(said, [
      ['a', TIME_IS_UP],
      ['b', TIME_IS_UP],
    ])
    const { output, isComplete } = TIME_IS_UP
    assert.is(verdictOf(output, isComplete).failed, 1)
  })
})

const SECONDS = 30

suite('a run that is ended by a signal', (test) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`${signal} ends the file that runs and the server that it has started`, async () => {
      const { open, port, stop } = await connections()
      const folder = mkdtempSync(join(tmpdir(), 'nodefit-crew-'))
      const file = join(folder, 'file.mjs')
      // it ends with the connection, so that a test that fails leaves nothing
      const connects = `require('node:net').connect(${port}, '127.0.0.1').resume().on('close', () => process.exit())`
      const server = `process.on('SIGTERM', () => {}); ${connects}; ${HANGS}`
      writeFileSync(
        file,
        `import { createRequire } from 'node:module'
        import { spawn } from 'node:child_process'
        const require = createRequire(import.meta.url)
        ${connects}
        spawn(process.execPath, ['-e', ${JSON.stringify(server)}])
        ${HANGS}`,
      )
      const runner = `
        import { Crew, endOnSignals } from ${JSON.stringify(join(ROOT, 'tools/test/crew.ts'))}
        const crew = new Crew({ of: () => ${JSON.stringify(file)}, worker: '', remove() {} }, Infinity)
        endOnSignals(crew)
        await crew.alone('file')
        throw new Error('a file that is ended has an outcome')`
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', runner], { cwd: ROOT })
      try {
        await eventually(() => open.size === 2, SECONDS)
        const ended = once(child, 'exit')
        child.kill(signal)
        assert.equal(await ended, [1, null])
        await eventually(() => open.size === 0, SECONDS)
      } finally {
        child.kill('SIGKILL')
        rmSync(folder, { recursive: true })
        stop()
      }
    })
})

/** A server on loopback, to which a process is connected as long as it lives. */
async function connections() {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket
      .on('error', () => undefined)
      .on('close', () => open.delete(socket))
      .resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return { open, port, stop }
}

suite('which files are run', (test) => {
  const parts = [[], ['--hosts'], ['--long']].map((args) => chosenFiles(args).files)
  test('each is in one of the three parts', () => {
    const files = parts.flat()
    assert.is(new Set(files).size, files.length)
    assert.equal(files.toSorted(), [...chosenFiles(['test.ts']).files])
  })
  test('without a host those of test/ and of Node', () => {
    const [node = [], hosts = [], long = []] = parts
    assert.ok(node.every((file) => /^(test|e2e\/node)\//.test(file)))
    assert.ok(hosts.every((file) => /^e2e\/(?!node|long)[a-z-]+\//.test(file)))
    assert.ok(long.every((file) => file.startsWith('e2e/long/')))
    for (const files of parts) assert.ok(files.length > 0)
  })
  test('words narrow a part, and alone look everywhere', () => {
    assert.ok(chosenFiles(['argocd']).files.some((file) => file.startsWith('e2e/argocd/')))
    assert.equal(chosenFiles(['--hosts', 'kube/quota']).files, [])
    assert.is(chosenFiles(['kube/quota']).files.length, 1)
  })
  test('the time of a run is as asked for', () => {
    assert.is(chosenFiles(['--seconds', '90']).milliseconds, 90_000)
    assert.is(chosenFiles([]).milliseconds, Number.POSITIVE_INFINITY)
  })
  test('all faults are put in where all that is long is run', () => {
    assert.ok(chosenFiles(['--long']).withMutants)
    for (const args of [[], ['--hosts'], ['--long', '--sample'], ['--long', 'fleets']])
      assert.not(chosenFiles(args).withMutants)
  })
})
