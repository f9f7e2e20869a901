/** Sizes from usage on hosts that keep no earlier output: kustomize, Argo CD's plugin and a folder for Flux give what kpt gives. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: rendered objects, read back
type Any = any

const GOLDEN = join(ROOT, 'testdata/golden/usage')
/** The golden package after each of its steps, by what is copied over it. */
const STEPS = [[], ['auto'], ['auto', 'killed'], ['auto', 'killed', 'stop']]
const AS_FUNCTION =
  '  namespace: logging\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: nodefit-fn\n'

/** The name of each DaemonSet with the resources of its container. */
function sizesIn(text: string): Record<string, unknown> {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Any)
  return Object.fromEntries(
    objects
      .filter((object) => object?.kind === 'DaemonSet' && object.metadata.annotations?.['nodefit.dev/owner'])
      .map(({ metadata, spec }) => [metadata.name, spec.template.spec.containers[0].resources])
      .sort(),
  )
}

function packageOf(step: readonly string[], folder: string): void {
  for (const source of ['package', ...step]) cpSync(join(GOLDEN, source), folder, { recursive: true })
}

function built(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = run(process.execPath, [COMMAND, 'build', ...args], { cwd })
  assert.is(status, 0, stderr)
  return stdout
}

suite('sizes from usage on other hosts', (test) => {
  for (const [index, step] of STEPS.entries()) {
    const name = `step ${index + 1} of the golden package`
    const wanted = sizesIn(readFileSync(join(GOLDEN, `expected-${index + 1}`, 'fluent-bit-groups.yaml'), 'utf8'))
    test(`${name} has six groups`, () => assert.is(Object.keys(wanted).length, 6))
    test(`${name}: Argo CD’s plugin`, () =>
      inFolder((folder) => {
        packageOf(step, folder)
        assert.equal(sizesIn(built(folder, '--argocd')), wanted)
      }))
    test(`${name}: an output folder, as Flux applies it`, () =>
      inFolder((folder) => {
        packageOf(step, join(folder, 'package'))
        const output = join(folder, 'rendered')
        built(folder, 'package', '--output-dir', output)
        const files = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter((file) =>
          file.endsWith('.yaml'),
        )
        assert.equal(sizesIn(files.map((file) => readFileSync(join(output, file), 'utf8')).join('---\n')), wanted)
      }))
    if (has('kustomize'))
      test(`${name}: kustomize`, () =>
        inFolder((folder) => {
          packageOf(step, folder)
          const policy = join(folder, 'policy.yaml')
          writeFileSync(policy, readFileSync(policy, 'utf8').replace('  namespace: logging\n', AS_FUNCTION))
          const resources = '[inventory.yaml, daemonset.yaml, snapshot.yaml]'
          writeFileSync(join(folder, 'kustomization.yaml'), `resources: ${resources}\ntransformers: [policy.yaml]\n`)
          const args = ['build', '--enable-alpha-plugins', '--enable-exec', folder]
          const { status, stdout, stderr } = run('kustomize', args, { bin: functionsIn(folder) })
          assert.is(status, 0, stderr)
          assert.equal(sizesIn(stdout), wanted)
        }))
  }
})
