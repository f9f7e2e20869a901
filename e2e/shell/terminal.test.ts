/** What people see of `nodefit build`: on a terminal, without one, and where nobody listens. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { faultyCommand } from '../support/faulty-programs.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { onTerminal } from '../support/terminal.ts'

const PACKAGE = join(ROOT, 'testdata/quickstart')
const NODES = join(ROOT, 'testdata/nodes/eks.yaml')
const AGENT = join(ROOT, 'testdata/daemonsets/fluent-bit.json')
const build = (...args: string[]) => run(process.execPath, [COMMAND, 'build', ...args])
const BUILT = build(PACKAGE)
/** The command as if its work ended before the line is shown, however busy the machine, and as if no work did. */
const SOURCE = join(ROOT, 'src/host/files/terminal.ts')
const DELAY = 'const DELAY_MILLISECONDS = '
const programs = mkdtempSync(join(tmpdir(), 'nodefit-terminal-'))
process.once('exit', () => rmSync(programs, { recursive: true, force: true }))
const waitingFor = (name: string, milliseconds: number) => {
  mkdirSync(join(programs, name))
  const fault = { module: 'host/files/terminal.ts', text: `${DELAY}1000`, instead: `${DELAY}${milliseconds}` }
  return faultyCommand(join(programs, name), [fault])
}
const PATIENT = await waitingFor('patient', 86_400_000)
const HASTY = await waitingFor('hasty', 0)
const ESCAPE = '\x1b'
const CLEARED = '\r\x1b[K'

suite('nodefit build on a terminal', (test) => {
  if (!has('python3')) return test('is not run', () => {})
  const command = [process.execPath, PATIENT, 'build', PACKAGE]
  const shown = (env: Record<string, string> = {}) =>
    inFolder((folder) => onTerminal(command, { stdout: join(folder, 'out'), env }).shown.replaceAll('\r\n', '\n'))
  const colourless = (text: string) => text.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')

  test('has colours, and else what is said without one', () => {
    const text = shown()
    assert.ok(text.includes(`${ESCAPE}[1mGROUP${ESCAPE}[22m`))
    assert.ok(text.includes(`${ESCAPE}[33mwarning${ESCAPE}[39m`))
    assert.is(colourless(text), BUILT.stderr)
  })
  const PLAIN: Array<[name: string, env: Record<string, string>]> = [
    ['NO_COLOR=1', { NO_COLOR: '1' }],
    ['NO_COLOR=0: any value', { NO_COLOR: '0' }],
    ['TERM=dumb', { TERM: 'dumb' }],
  ]
  for (const [name, env] of PLAIN) test(`${name}: no colours`, () => assert.is(shown(env), BUILT.stderr))
  test('an empty NO_COLOR is none', () => assert.ok(shown({ NO_COLOR: '' }).includes(ESCAPE)))
  test('FORCE_COLOR makes no terminal of a file', () => {
    const { stderr } = run('sh', ['-c', `FORCE_COLOR=1 "${process.execPath}" "${COMMAND}" build "${PACKAGE}"`])
    assert.is(stderr, BUILT.stderr)
  })
  test('stdout on the terminal or not, its bytes are the same', () =>
    inFolder((folder) => {
      onTerminal(command, { stdout: join(folder, 'out') })
      assert.is(readFileSync(join(folder, 'out'), 'utf8'), BUILT.stdout)
    }))

  const waiting = (program: string, awaited: string, env: Record<string, string> = {}, columns = 200) =>
    inFolder((folder) => {
      const inputs = [process.execPath, program, 'build', '-', AGENT, '--set', 'target=fluent-bit']
      const input = readFileSync(NODES, 'utf8')
      return onTerminal(inputs, {
        stdout: join(folder, 'out'),
        env: { NO_COLOR: '1', ...env },
        input,
        awaited,
        columns,
      })
    })
  test('work that lasts has a line, which is gone at the end', () => {
    const { status, shown: text } = waiting(COMMAND, 'reading stdin')
    assert.is(status, 0)
    assert.ok(text.startsWith(`${CLEARED}nodefit: reading stdin`), JSON.stringify(text.slice(0, 200)))
    const rest = text.slice(text.lastIndexOf(CLEARED) + CLEARED.length)
    assert.match(rest, /^GROUP /)
    assert.is(rest.replaceAll('\r\n', '\n'), waiting(PATIENT, '').shown.replaceAll('\r\n', '\n'))
  })
  test('that line fits the terminal, so that it can be taken away', () => {
    const { shown: text } = waiting(COMMAND, 'nodefi...stdin', {}, 15)
    assert.ok(text.startsWith(`${CLEARED}nodefi...stdin${CLEARED}`), JSON.stringify(text.slice(0, 100)))
  })
  test('work that ends before has none', () => assert.not.ok(waiting(PATIENT, '').shown.includes(ESCAPE)))
  test('a terminal that cannot clear a line gets none', () =>
    assert.not.ok(waiting(HASTY, '', { TERM: 'dumb' }).shown.includes('reading')))
  test('a second is what it waits for', () => assert.match(readFileSync(SOURCE, 'utf8'), `${DELAY}1000\n`))
  test('an error takes the line away, too', () =>
    inFolder((folder) => {
      const failing = [process.execPath, COMMAND, 'build', '-']
      const { status, shown: text } = onTerminal(failing, {
        stdout: join(folder, 'out'),
        input: 'a: [\n',
        awaited: 'reading stdin',
      })
      assert.is(status, 1)
      assert.match(text.slice(text.lastIndexOf(CLEARED) + CLEARED.length), /^nodefit: YamlSyntax: /)
      assert.is(readFileSync(join(folder, 'out'), 'utf8'), '')
    }))
})

suite('nodefit build without a terminal', (test) => {
  test('table, totals, findings', () => {
    assert.not.ok(BUILT.stderr.includes(ESCAPE))
    assert.match(
      BUILT.stderr,
      /^GROUP +NODES .*\n(?:fluent-bit-.*\n)+total .*\n\nnodefit: info: PolicySummary: .*\n\nnodefit: /,
    )
  })
  test('a progress line is never written', () => {
    const slow = `(sleep 1.5; cat "${NODES}") | "${process.execPath}" "${COMMAND}" build - "${AGENT}" --set target=fluent-bit`
    assert.match(run('sh', ['-c', slow]).stderr, /^GROUP /)
  })
  const LOST: Array<[name: string, redirection: string]> = [
    ['closed', '2>&-'],
    ['a full disk', '2>/dev/full'],
    ['a reader that is gone', '2> >(exec true; :)'],
  ]
  if (process.platform === 'linux')
    for (const [name, redirection] of LOST)
      test(`stderr is ${name}: the output and the exit code stand`, () => {
        const { status, stdout } = run('bash', [
          '-c',
          `"${process.execPath}" "${COMMAND}" build "${PACKAGE}" ${redirection}`,
        ])
        assert.is(status, 0)
        assert.is(stdout, BUILT.stdout)
        const failed = run('bash', ['-c', `"${process.execPath}" "${COMMAND}" build absent ${redirection}`])
        assert.is(failed.status, 1)
        assert.is(failed.stdout, '')
      })
})

suite('nodefit build --output', (test) => {
  test('has the bytes of stdout, which stays empty', () =>
    inFolder((folder) => {
      const { status, stdout, stderr } = build(PACKAGE, '--output', join(folder, 'all.yaml'))
      assert.is(status, 0, stderr)
      assert.is(stdout, '')
      assert.is(stderr, BUILT.stderr)
      assert.is(readFileSync(join(folder, 'all.yaml'), 'utf8'), BUILT.stdout)
      assert.equal(readdirSync(folder), ['all.yaml'])
    }))
  test('- is stdout', () => assert.is(build(PACKAGE, '--output', '-').stdout, BUILT.stdout))
  test('needs no stdout', () =>
    inFolder((folder) => {
      const file = join(folder, 'all.yaml')
      const line = `"${process.execPath}" "${COMMAND}" build "${PACKAGE}" --output "${file}" >&-`
      assert.is(run('sh', ['-c', line]).status, 0)
      assert.is(readFileSync(file, 'utf8'), BUILT.stdout)
    }))
  test('a file that is there keeps its permissions, a link its target', () =>
    inFolder((folder) => {
      writeFileSync(join(folder, 'real.yaml'), 'before\n')
      chmodSync(join(folder, 'real.yaml'), 0o640)
      symlinkSync('real.yaml', join(folder, 'link.yaml'))
      assert.is(build(PACKAGE, '--output', join(folder, 'link.yaml')).status, 0)
      assert.is(readFileSync(join(folder, 'real.yaml'), 'utf8'), BUILT.stdout)
      assert.is(statSync(join(folder, 'real.yaml')).mode & 0o777, 0o640)
      assert.equal(readdirSync(folder).sort(), ['link.yaml', 'real.yaml'])
    }))
  const REFUSED: Array<[name: string, args: string[], said: RegExp]> = [
    [
      'a run that fails writes nothing',
      ['build', AGENT, '--set', 'target=absent', '--output', 'all.yaml'],
      /^nodefit: error: /,
    ],
    ['nor one without a policy', ['build', AGENT, '--output', 'all.yaml'], /there is no policy in the input/],
    ['a folder', ['build', PACKAGE, '--output', 'folder'], /^nodefit: folder is a folder: give the path of a file/],
    ['a device', ['build', PACKAGE, '--output', '/dev/full'], /^nodefit: \/dev\/full is not a regular file: give/],
    [
      'a folder that is not there',
      ['build', PACKAGE, '--output', 'absent/all.yaml'],
      /^nodefit: absent\/all\.yaml could not be written: ENOENT/,
    ],
  ]
  for (const [name, args, said] of REFUSED)
    test(name, () =>
      inFolder((folder) => {
        mkdirSync(join(folder, 'folder'))
        writeFileSync(join(folder, 'all.yaml'), 'before\n')
        const { status, stdout, stderr } = run(process.execPath, [COMMAND, ...args], { cwd: folder })
        assert.is(status, 1)
        assert.is(stdout, '')
        assert.match(stderr, said)
        assert.not.match(stderr, 'GROUP ')
        assert.equal(readdirSync(folder).sort(), ['all.yaml', 'folder'])
        assert.is(readFileSync(join(folder, 'all.yaml'), 'utf8'), 'before\n')
      }),
    )
})
