/** The function and the command start from the code that was compiled when they were built, or from their text, and do the same. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../test/support/suite.ts'
import { COMMAND, FUNCTION, inFolder, ROOT, run } from './support/hosts.ts'

const COMPILED = `${FUNCTION}.compiled`
const QUICKSTART = join(ROOT, 'testdata/quickstart')
const input = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')

/** Says on stderr, before the function does anything, whether V8 was given code and what it made of it. */
const SPY = `
const vm = require('node:vm')
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options)
    process.stderr.write(options.cachedData === undefined ? 'from its text' : this.cachedDataRejected ? 'refused' : 'as compiled')
  }
}
require(process.argv[1])`

const spied = (file: string) => run(process.execPath, ['-e', SPY, file], { input })
const changedAt = (code: Buffer, position: number) => {
  const changed = Buffer.from(code)
  changed[position] = (changed[position] ?? 0) ^ 1
  return changed
}

/** What may have become of the compiled code, none of which is taken. */
const NOT_TAKEN: Record<string, (code: Buffer) => Buffer | undefined> = {
  'none, as where the file is copied alone': () => undefined,
  'an empty file': () => Buffer.alloc(0),
  'the seal alone': (code) => code.subarray(code.lastIndexOf('\n')),
  'cut at its end': (code) => code.subarray(0, -1),
  'cut in its middle': (code) => Buffer.concat([code.subarray(0, 1000), code.subarray(code.lastIndexOf('\n'))]),
  'a changed byte at its beginning': (code) => changedAt(code, 0),
  'a changed byte in its middle': (code) => changedAt(code, code.length >> 1),
  'made from another program': (code) => changedAt(code, code.lastIndexOf('\n') + 1),
  'made by another version of Node': (code) =>
    Buffer.from(code.toString('latin1').replace(` ${process.version} `, ' v0.0.1 '), 'latin1'),
  'made for another platform': (code) =>
    Buffer.from(code.toString('latin1').replace(` ${process.platform} `, ' plan9 '), 'latin1'),
  'made for another processor': (code) =>
    Buffer.from(code.toString('latin1').replace(` ${process.arch} `, ' mips '), 'latin1'),
}

suite('the start of the function', (test) => {
  const { status, stdout, stderr } = spied(FUNCTION)
  test('the code that was compiled at the build is taken by the engine that made it', () => {
    assert.is(status, 0)
    assert.is(stderr, 'as compiled')
    assert.match(stdout, /^results:\n/m)
  })
  for (const [name, change] of Object.entries(NOT_TAKEN)) {
    test(`${name}: the text is compiled, and the output is the same`, () =>
      inFolder((folder) => {
        const file = join(folder, 'fn.cjs')
        copyFileSync(FUNCTION, file)
        const code = change(readFileSync(COMPILED))
        if (code !== undefined) writeFileSync(`${file}.compiled`, code)
        assert.equal(spied(file), { status: 0, stdout, stderr: 'from its text' })
      }))
  }
  test('V8 refuses what its own header does not allow, and the output is the same', () => {
    const refused = run(process.execPath, ['--no-lazy', '-e', SPY, FUNCTION], { input })
    assert.equal(refused, { status: 0, stdout, stderr: 'refused' })
  })
})

suite('the start of the command', (test) => {
  const spiedBuild = (file: string) =>
    run(process.execPath, ['-e', `process.argv.splice(2, 0, 'build', '--argocd');${SPY}`, file], { cwd: QUICKSTART })
  const { status, stdout, stderr } = spiedBuild(COMMAND)
  const said = stderr.slice('as compiled'.length)
  test('the code that was compiled at the build is taken by the engine that made it', () => {
    assert.is(status, 0)
    assert.match(stderr, /^as compiled/)
    assert.match(stdout, /^kind: DaemonSet$/m)
    assert.match(said, /^nodefit: /)
  })
  for (const [name, change] of Object.entries(NOT_TAKEN)) {
    test(`${name}: the text is compiled, and the output is the same`, () =>
      inFolder((folder) => {
        const file = join(folder, 'nodefit.cjs')
        copyFileSync(COMMAND, file)
        const code = change(readFileSync(`${COMMAND}.compiled`))
        if (code !== undefined) writeFileSync(`${file}.compiled`, code)
        assert.equal(spiedBuild(file), { status: 0, stdout, stderr: `from its text${said}` })
      }))
  }
})
