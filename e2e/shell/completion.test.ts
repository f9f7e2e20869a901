/** What bash, zsh and fish complete, in the shells themselves. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { COMMANDS } from '../../src/host/cli/commands.ts'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'
import { has, hasAlternative } from '../support/program.ts'
import { inShell } from '../support/terminal.ts'

const script = (shell: string) => run(process.execPath, [COMMAND, 'completion', shell])
const optionsOf = (command: string) =>
  [...Object.keys(COMMANDS[command]?.options ?? {}), 'help'].map((one) => `--${one}`)

/** A line up to the cursor, and all that may stand there; files of the folder where nothing else may. */
const LINES: Array<[line: string, candidates: string[] | 'files' | 'folders']> = [
  ['nodefit ', Object.keys(COMMANDS)],
  ['nodefit in', ['inventory', 'init']],
  ['nodefit --v', ['--version']],
  ...Object.keys(COMMANDS).map((name): [string, string[]] => [`nodefit ${name} --`, optionsOf(name)]),
  ['nodefit build --al', ['--all']],
  ['nodefit build package --set req', ['requestCPU=', 'requestMemory=']],
  ['nodefit build --set=req', ['requestCPU=', 'requestMemory=']],
  ['nodefit completion ', ['bash', 'zsh', 'fish']],
  ['nodefit completion z', ['zsh']],
  ['nodefit build ', 'files'],
  ['nodefit build --earlier ', 'folders'],
  ['nodefit init --nodes ', 'files'],
]

suite('nodefit completion', (test) => {
  test('names one shell', () => {
    for (const args of [[], ['tcsh'], ['bash', 'zsh'], ['constructor']]) {
      const { status, stdout, stderr } = run(process.execPath, [COMMAND, 'completion', ...args])
      assert.is(status, 1)
      assert.is(stdout, '')
      assert.is(stderr, 'nodefit: name one shell: bash, zsh, fish\n')
    }
  })
  test('every option is in the help of its command, and none is only there', () => {
    for (const { help, options } of Object.values(COMMANDS)) {
      const columns = [...help.matchAll(/^ {2}(--.*?)(?: {2}|$)/gm)].map(([, column = '']) => column)
      const inHelp = new Set(columns.flatMap((column) => [...column.matchAll(/--([a-z-]+)/g)].map(([, name]) => name)))
      assert.equal([...inHelp].sort(), Object.keys(options).sort())
    }
  })

  const inPackage = <T>(body: (folder: string) => T) =>
    inFolder((folder) => {
      mkdirSync(join(folder, 'package'))
      writeFileSync(join(folder, 'nodes.json'), '')
      return body(folder)
    })

  if (has('bash')) {
    for (const [line, candidates] of LINES)
      test(`bash: ${line}`, () => {
        // as bash parts a line: at blanks, and at =, which is a word
        const words = line.split(/ +|(?=[=])|(?<==)/)
        const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`
        const { status, stdout, stderr } = run('bash', [
          '-euc',
          `${script('bash').stdout}\n${ask}; _nodefit || true; printf '%s\\n' "\${COMPREPLY[@]-}"`,
        ])
        assert.is(status, 0, stderr)
        assert.equal(
          stdout
            .split('\n')
            .filter((one) => one !== '')
            .sort(),
          Array.isArray(candidates)
            ? [...candidates, ...(line === 'nodefit ' ? ['--help', '--version'] : [])].sort()
            : [],
        )
      })
    if (has('python3'))
      test('bash: at a terminal, files too', () =>
        inPackage((folder) => {
          writeFileSync(join(folder, 'completion'), script('bash').stdout)
          const shown = inShell(
            ['bash', '--norc', '-i'],
            [
              [". ./completion; echo 're'ady\n", 'ready'],
              ['nodefit bui\t', 'nodefit build '],
              ['no\t', 'nodes.json '],
              ['--set req\t', 'uest'],
              ['M\t', 'emory='],
            ],
            folder,
          )
          assert.match(shown, 'nodefit build nodes.json --set req')
          assert.match(shown, 'emory=')
        }))
  }
  if (hasAlternative('fish'))
    for (const [line, candidates] of LINES)
      test(`fish: ${line}`, () =>
        inPackage((folder) => {
          const { status, stdout, stderr } = run(
            'fish',
            [
              '--no-config',
              '-c',
              `source (${process.execPath} ${COMMAND} completion fish | psub); complete -C ${JSON.stringify(line)}`,
            ],
            { cwd: folder },
          )
          assert.is(status, 0, stderr)
          const files = candidates === 'files' ? ['nodes.json', 'package/'] : ['package/']
          const found = stdout
            .split('\n')
            .filter((one) => one !== '')
            .map((one) => (one.split('\t')[0] ?? '').replace(/^--set=/, ''))
          assert.equal(found.sort(), (Array.isArray(candidates) ? [...candidates] : files).sort())
        }))
  if (hasAlternative('zsh') && has('python3'))
    test('zsh: commands, options, keys, words and files', () =>
      inPackage((folder) => {
        writeFileSync(join(folder, 'completion'), script('zsh').stdout)
        const typed = (text: string, there: string) =>
          inShell(
            ['zsh', '-f', '-i'],
            [
              ["autoload -Uz compinit && compinit -D -u; . ./completion; clear; print -- 're'ady\n", 'ready'],
              [`${text}\t`, there],
            ],
            folder,
          )
        const shown: Array<[text: string, there: string]> = [
          ['nodefit in', 'inventory  -- turn the nodes'],
          ['nodefit build --al', 'build --all'],
          ['nodefit build --set requestM', '--set requestMemory='],
          ['nodefit completion z', 'completion zsh'],
          ['nodefit build no', 'build nodes.json'],
          ['nodefit init pa', 'init package'],
        ]
        for (const [text, there] of shown) assert.match(typed(text, there), there)
      }))
})
