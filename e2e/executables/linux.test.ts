/** The executable for this platform, as a machine without Node.js runs it, and as hosts do. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { executableIn, executableOf, TARGET_HERE } from '../support/executable.ts'
import { COMMAND, FUNCTION, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has, hasAlternative } from '../support/program.ts'
import { asKustomization } from '../support/transformer.ts'

const INPUT = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')
const PACKAGE = join(ROOT, 'testdata/quickstart')
const EXAMPLES = ['examples/nodes.yaml', 'examples/fluent-bit.json', '--set', 'target=fluent-bit']
/** Says on stderr what V8 makes of the code that it is given. */
const SPY = `
const vm = require('node:vm')
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options)
    if (options?.filename === 'nodefit') process.stderr.write(this.cachedDataRejected === false ? 'as compiled' : 'from its text')
  }
}`

/** Runs a program as where nothing else is installed: no PATH, no home. */
function alone(program: string, args: readonly string[] = [], input = '', env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  return { status, stdout, stderr }
}

suite('the single executable', (test) => {
  const target = TARGET_HERE ?? ''
  if (target === '') return
  const executable = executableOf(target)
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-executable-'))
  const bin = executableIn(folder)
  const expected = run(FUNCTION, [], { input: INPUT })

  test('called nodefit-fn, by a link or a copy, and with fn it is the function', () => {
    const copy = join(folder, 'nodefit-fn')
    copyFileSync(executable, copy)
    assert.equal(alone(join(bin, 'nodefit-fn'), [], INPUT), expected)
    assert.equal(alone(copy, [], INPUT), expected)
    assert.equal(alone(executable, ['fn'], INPUT), expected)
    rmSync(copy)
  })
  test('the function says what it is, and refuses what it does not know', () => {
    assert.match(alone(join(bin, 'nodefit-fn'), ['--help']).stdout, /^nodefit-fn renders/)
    assert.match(alone(executable, ['fn', '--help']).stdout, /^nodefit fn\n/)
    assert.is(alone(join(bin, 'nodefit-fn'), ['fn']).status, 1)
    assert.is(alone(executable, ['fn', 'x'], INPUT).status, 1)
  })
  test('the compiled code is in it, and this engine takes it', () =>
    inFolder((spies) => {
      const spy = join(spies, 'spy.cjs')
      writeFileSync(spy, SPY)
      for (const args of [['fn'], ['--version']])
        assert.match(alone(executable, args, INPUT, { NODE_OPTIONS: `--require ${spy}` }).stderr, /^as compiled/)
    }))
  for (const args of [
    ['build', ...EXAMPLES],
    ['--version'],
    ['--help'],
    ['report', '--help'],
    ['completion', 'bash'],
    ['scan', 'examples'],
  ])
    test(`nodefit ${args.join(' ')}: as the command that is installed`, () => {
      assert.equal(alone(executable, args), alone(process.execPath, [COMMAND, ...args]))
    })
  test('the parts that most commands do without are in it', () => {
    const page = join(folder, 'page.html')
    const { status, stderr } = alone(executable, ['report', ...EXAMPLES, '--output', page])
    assert.is(status, 0, stderr)
    assert.match(readFileSync(page, 'utf8'), /^<!doctype html>/i)
    // it is the file that is missing, not the part
    assert.match(alone(executable, ['sync', '--config', '/nowhere']).stderr, "open '/nowhere'")
    const config = join(folder, 'kubeconfig')
    writeFileSync(config, 'apiVersion: v1\nkind: Config\n')
    assert.match(alone(executable, ['scan', '--kubeconfig', config]).stderr, /^nodefit: the cluster cannot be read: /)
    const evict = ['act', 'evict', '--namespace', 'a', '--pod', 'b', '--uid', 'c', '--kubeconfig', '/nowhere']
    assert.match(alone(executable, evict).stderr, '/nowhere')
  })
  test('built again it has the same bytes', () => {
    const args = ['--import', 'tsx', 'tools/executables.ts', '--output', join(folder, 'again'), target]
    assert.is(spawnSync(process.execPath, args, { cwd: ROOT }).status, 0)
    const again = join(folder, 'again', `nodefit-${target}`)
    assert.ok(readFileSync(again).equals(readFileSync(executable)))
    const sums = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: join(folder, 'again') })
    assert.is(sums.status, 0)
  })
  test('kpt renders with it what it renders with the program', () => {
    if (!has('kpt')) return
    const render = (name: string, programs: string, exec: string) => {
      const path = join(folder, name)
      cpSync(PACKAGE, path, { recursive: true })
      const { status, stderr } = run('kpt', ['fn', 'eval', path, '--exec', exec], { bin: programs })
      assert.is(status, 0, stderr)
      return filesOf(path)
    }
    const wanted = render('as-program', functionsIn(folder), 'nodefit-fn')
    assert.equal(render('as-executable', bin, 'nodefit-fn'), wanted)
    assert.equal(render('as-subcommand', bin, 'nodefit fn'), wanted)
  })
  test('kustomize runs it as a transformer', () => {
    if (!has('kustomize')) return
    const files = Object.fromEntries(Object.entries(filesOf(PACKAGE)).filter(([name]) => name !== 'Kptfile'))
    const work = join(folder, 'kustomization')
    for (const [name, text] of Object.entries(asKustomization(files, []))) {
      mkdirSync(work, { recursive: true })
      writeFileSync(join(work, name), text)
    }
    const build = (programs: string) =>
      run('kustomize', ['build', '--enable-alpha-plugins', '--enable-exec', work], { bin: programs })
    const wanted = build(functionsIn(folder))
    assert.is(wanted.status, 0, wanted.stderr)
    assert.equal(build(bin), wanted)
  })
  test('the command of Argo CD’s plugin runs it', () => {
    const plugin = parse(readFileSync(join(ROOT, 'deploy/argocd/plugin.yaml'), 'utf8'))
    const [program, ...args] = plugin.spec.generate.command
    assert.is(program, 'nodefit')
    const given = (file: string, before: readonly string[]) =>
      spawnSync(file, [...before, ...args], {
        cwd: PACKAGE,
        env: {},
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
      }).stdout
    const wanted = given(process.execPath, [COMMAND])
    assert.match(wanted, /^kind: DaemonSet$/m)
    assert.is(given(join(bin, 'nodefit'), []), wanted)
  })
  test('kubectl finds it as a plugin', () => {
    if (!hasAlternative('kubectl')) return
    symlinkSync(executable, join(bin, 'kubectl-nodefit'))
    assert.match(run('kubectl', ['nodefit', '--version'], { bin }).stdout, /^\d+\.\d+\.\d+\n$/)
  })
  test('docs/install.md puts it on PATH under both names', () => {
    const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8')
    const [, block = ''] = /```sh\n(npm ci [^`]*executables -- linux-amd64\n[^`]*)```/.exec(page) ?? []
    const lines = block.trim().split('\n').slice(1)
    assert.is(lines.at(-1), 'nodefit --version')
    const work = join(folder, 'page')
    mkdirSync(join(work, 'dist/executables'), { recursive: true })
    symlinkSync(executable, join(work, 'dist/executables/nodefit-linux-amd64'))
    const env = { HOME: work, PATH: `${join(work, '.local/bin')}:/usr/bin:/bin` }
    const script = [...lines, 'nodefit-fn --version'].join(' && ')
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: work, env, encoding: 'utf8' })
    assert.match(stdout, /^(\d+\.\d+\.\d+\n)\1$/, stderr)
  })
  test('nothing is left', () => rmSync(folder, { recursive: true, force: true }))
})

suite('the executable for Linux on arm64, emulated', (test) => {
  if (TARGET_HERE !== 'linux-amd64' || !['qemu-aarch64-static', 'mmdebstrap'].map(has).every((is) => is)) return
  test('it is the function and the command', () =>
    inFolder((folder) => {
      const executable = executableOf('linux-arm64')
      const system = join(folder, 'system.tar')
      const libraries = ['--arch=arm64', '--variant=extract', '--include=libc6,libstdc++6,libgcc-s1']
      assert.is(run('mmdebstrap', ['--quiet', ...libraries, 'bookworm', system]).status, 0)
      run('tar', ['-xf', system, '-C', folder, '--exclude=./dev'])
      const emulated = (args: readonly string[], input = '') =>
        run('qemu-aarch64-static', ['-L', folder, executable, ...args], { input, cwd: ROOT })
      assert.equal(emulated(['fn'], INPUT), run(FUNCTION, [], { input: INPUT }))
      const build = ['build', ...EXAMPLES]
      assert.equal(emulated(build), run(COMMAND, build, { cwd: ROOT }))
    }))
})
