/** The function and the command start from the code that was compiled when they were built, or from their text, and do the same. */
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, FUNCTION, inFolder, ROOT, run } from '../support/hosts.ts'

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
  'no compiled code': () => undefined,
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

/** What may have become of the program, none of which is run. */
const NOT_RUN: Record<string, (program: Buffer) => Buffer | undefined> = {
  'no program, as where the file is copied alone': () => undefined,
  'an empty program': () => Buffer.alloc(0),
  'a program cut at its end': (program) => program.subarray(0, -1),
  'a program cut at its beginning': (program) => program.subarray(1),
  'a program of another build': (program) => changedAt(program, program.length - 1),
  'a program with more behind it': (program) => Buffer.concat([program, Buffer.from(';')]),
}

/** A built program in a folder of its own, with its parts as they are or changed. */
function placed(
  source: string,
  folder: string,
  change: Partial<Record<'.program' | '.compiled', (part: Buffer) => Buffer | undefined>>,
): string {
  const file = join(folder, basename(source))
  copyFileSync(source, file)
  for (const end of ['.program', '.compiled'] as const) {
    const part = readFileSync(`${source}${end}`)
    const changed = change[end] === undefined ? part : change[end](part)
    if (changed !== undefined) writeFileSync(`${file}${end}`, changed)
  }
  return file
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
        const file = placed(FUNCTION, folder, { '.compiled': change })
        assert.equal(spied(file), { status: 0, stdout, stderr: 'from its text' })
      }))
  }
  for (const [name, change] of Object.entries(NOT_RUN)) {
    test(`${name}: nothing is written, and it says what to do`, () =>
      inFolder((folder) => {
        const file = placed(FUNCTION, folder, { '.program': change })
        const sentence = `nodefit: ${file}.program is missing or not of the same build as ${file}: install nodefit again, or copy all of dist/ together\n`
        assert.equal(run(process.execPath, [file], { input }), { status: 1, stdout: '', stderr: sentence })
      }))
  }
  test('through a link, as package managers make it, its parts are found', () =>
    inFolder((folder) => {
      const link = join(folder, 'nodefit-fn')
      symlinkSync(FUNCTION, link)
      assert.equal(run(link, [], { input }), { status: 0, stdout, stderr: '' })
    }))
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
        const file = placed(COMMAND, folder, { '.compiled': change })
        assert.equal(spiedBuild(file), { status: 0, stdout, stderr: `from its text${said}` })
      }))
  }
})
