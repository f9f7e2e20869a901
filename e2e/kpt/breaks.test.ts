/** A function that is not there, is not allowed, or dies on the way: kpt changes nothing, and kustomize prints nothing. */
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { FUNCTION, filesOf, functionsIn, inFolder, ROOT, type Run, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { asKustomization } from '../support/transformer.ts'

const PACKAGE = join(ROOT, 'testdata/quickstart')
const ALLOW = '--allow-exec'
/** Answers with the beginning of what nodefit says, and is killed. */
const DYING = `#!/bin/sh
"${process.execPath}" "${FUNCTION}" | head -c 2000
kill -KILL $$
`

interface Fault {
  readonly name: string
  /** The folder for PATH. */
  readonly bin: (folder: string) => string
  readonly says: RegExp
}

const FAULTS: readonly Fault[] = [
  { name: 'a function that is not on PATH', bin: (folder) => emptyBin(folder), says: /nodefit-fn.*not found/ },
  {
    name: 'a function that is killed while it answers',
    bin: (folder) => {
      const bin = emptyBin(folder)
      writeFileSync(join(bin, 'nodefit-fn'), DYING)
      chmodSync(join(bin, 'nodefit-fn'), 0o755)
      return bin
    },
    says: /signal: killed|exit (status|code):? /i,
  },
]

suite('a function that breaks', (test) => {
  test('there is a function to break', () => assert.is(run(process.execPath, [FUNCTION]).status, 1))
  for (const { name, bin, says } of FAULTS) {
    if (has('kpt'))
      test(`${name}: kpt fails and changes nothing`, () =>
        rendered((folder, work) => {
          const before = filesOf(work)
          fails(run('kpt', ['fn', 'render', work, ALLOW], { bin: bin(folder) }), says)
          assert.equal(filesOf(work), before)
        }))
    if (has('kustomize'))
      test(`${name}: kustomize fails and prints nothing`, () =>
        inFolder((folder) => {
          for (const [path, text] of Object.entries(asKustomization(filesOf(PACKAGE), [])))
            writeFileSync(join(folder, path), text)
          const args = ['build', '--enable-alpha-plugins', '--enable-exec', folder]
          assert.is(run('kustomize', args, { bin: functionsIn(folder) }).status, 0)
          fails(run('kustomize', args, { bin: bin(folder) }), says)
        }))
  }
  if (!has('kpt')) return
  test('a function that kpt is not allowed to run: it fails and changes nothing', () =>
    rendered((folder, work) => {
      const before = filesOf(work)
      fails(run('kpt', ['fn', 'render', work], { bin: functionsIn(folder) }), /allow-exec/)
      assert.equal(filesOf(work), before)
    }))
  test('a function that fails: kpt shows its words and changes nothing', () =>
    rendered((folder, work) => {
      const policy = join(work, 'policy.yaml')
      const broken = readFileSync(policy, 'utf8').replace('  targetRef:', '  targetReff: 1\n  targetRef:')
      writeFileSync(policy, broken)
      const before = filesOf(work)
      fails(run('kpt', ['fn', 'render', work, ALLOW], { bin: functionsIn(folder) }), /UnknownField/)
      assert.equal(filesOf(work), before)
    }))
})

/** A package with its groups in it. */
function rendered(body: (folder: string, work: string) => void): void {
  inFolder((folder) => {
    const work = join(folder, 'package')
    cpSync(PACKAGE, work, { recursive: true })
    const { status, stderr } = run('kpt', ['fn', 'render', work, ALLOW], { bin: functionsIn(folder) })
    assert.is(status, 0, stderr)
    assert.ok('fluent-bit-groups.yaml' in filesOf(work))
    body(folder, work)
  })
}

function emptyBin(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  return bin
}

function fails({ status, stdout, stderr }: Run, says: RegExp): void {
  assert.is(status, 1, stderr)
  assert.is(stdout, '')
  assert.match(stderr, says)
}
