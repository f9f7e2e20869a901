/** A limit that a policy leaves unset, through the merges of kpt and kustomize: none survives them, null does not. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const PACKAGE = join(ROOT, 'testdata/quickstart')
const AUTHOR = ['-c', 'user.name=n', '-c', 'user.email=n@example.invalid', '-c', 'commit.gpgsign=false']

function ran(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = run(program, args, { cwd })
  assert.is(status, 0, `${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}
const git = (cwd: string, ...args: string[]) => ran('git', [...AUTHOR, ...args], cwd)

function edit(file: string, from: RegExp, to: string): void {
  const text = readFileSync(file, 'utf8')
  assert.match(text, from)
  writeFileSync(file, text.replace(from, to))
}

/** The package in a repository, its policy with a CPU limit of the given spelling. */
function upstream(folder: string, spelling: string): string {
  const repository = join(folder, 'upstream')
  cpSync(PACKAGE, join(repository, 'agents'), { recursive: true })
  edit(join(repository, 'agents/policy.yaml'), /limitCPU: 5/, `limitCPU: ${spelling}`)
  git(repository, 'init', '-q', '-b', 'main')
  git(repository, 'add', '-A')
  git(repository, 'commit', '-qm', 'first')
  return repository
}

/** The CPU limits of what a package renders; undefined for none. */
function limitsOf(folder: string): unknown[] {
  const rendered = parseAllDocuments(ran(process.execPath, [COMMAND, 'build', folder], folder)).map((one) => one.toJS())
  const containers = rendered.flatMap(({ spec }) => spec.template.spec.containers)
  return [...new Set(containers.map(({ resources }) => resources.limits?.cpu))]
}

suite('a limit of none', (test) => {
  for (const [spelling, survives] of [
    ['none', true],
    ['null', false],
  ] as const) {
    if (has('kpt'))
      test(`kpt pkg update, three ways: ${spelling} ${survives ? 'stays' : 'is lost, and missed'}`, () =>
        inFolder((folder) => {
          const repository = upstream(folder, spelling)
          const mine = join(folder, 'mine')
          mkdirSync(mine)
          git(mine, 'init', '-q', '-b', 'main')
          ran('kpt', ['pkg', 'get', `file://${repository}/.git/agents@main`, 'agents'], mine)
          edit(join(mine, 'agents/policy.yaml'), /requestCPU: 2/, 'requestCPU: 3')
          git(mine, 'add', '-A')
          git(mine, 'commit', '-qm', 'mine')
          assert.equal(limitsOf(join(mine, 'agents')), [undefined])
          edit(join(repository, 'agents/policy.yaml'), /requestMemory: 2/, 'requestMemory: 4')
          git(repository, 'commit', '-qam', 'second')
          ran('kpt', ['pkg', 'update', 'agents@main'], mine)
          const { spec } = parse(readFileSync(join(mine, 'agents/policy.yaml'), 'utf8'))
          const { requestCPU, requestMemory } = spec.resourcePercentages
          assert.equal([requestCPU, requestMemory], [3, 4])
          if (survives) assert.equal(limitsOf(join(mine, 'agents')), [undefined])
          else assert.match(run(process.execPath, [COMMAND, 'build', join(mine, 'agents')]).stderr, 'SizesMissing')
        }))
    if (has('kustomize'))
      test(`a merge patch of kustomize: ${spelling} ${survives ? 'takes the limit off' : 'deletes the key, which is missed'}`, () =>
        inFolder((folder) => {
          const patch = `
apiVersion: nodefit.dev/v1alpha1
kind: SizingPolicy
metadata: { name: fluent-bit, namespace: logging }
spec: { resourcePercentages: { limitCPU: ${spelling} } }
`
          const made = join(folder, 'made')
          cpSync(PACKAGE, made, { recursive: true })
          // kustomize drops local configuration
          edit(join(made, 'policy.yaml'), / {2}annotations:\n.*\n/, '')
          writeFileSync(
            join(made, 'kustomization.yaml'),
            JSON.stringify({ resources: ['policy.yaml'], patches: [{ patch }] }),
          )
          writeFileSync(join(folder, 'policy.yaml'), ran('kustomize', ['build', made], folder))
          for (const file of ['inventory.yaml', 'daemonset.yaml']) cpSync(join(PACKAGE, file), join(folder, file))
          const inputs = ['policy.yaml', 'inventory.yaml', 'daemonset.yaml'].map((file) => join(folder, file))
          const { status, stdout, stderr } = run(process.execPath, [COMMAND, 'build', ...inputs])
          assert.is(status, survives ? 0 : 1, stderr)
          assert.match(survives ? stdout : stderr, survives ? /limits:\n\s+memory/ : 'SizesMissing')
        }))
  }
})
