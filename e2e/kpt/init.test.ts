/** A package that `nodefit init` writes, as kpt renders it and kustomize builds it. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

const data = (path: string) => join(ROOT, 'testdata', path)
const DAEMONSETS = ['fluent-bit.json', 'node-exporter.yaml', 'trace-agent.yaml'].map((name) =>
  data(`daemonsets/${name}`),
)
const names = (stream: string) => objectsOf(stream).map(({ metadata }) => metadata.name)

/** Makes a package of the DaemonSets, has kpt render it, and gives its files before and after. */
function rendered(folder: string, nodes: string, daemonSets: readonly string[]) {
  const files = daemonSets.flatMap((file) => ['--daemonset', file])
  const args = ['init', folder, '--nodes', data(`nodes/${nodes}.yaml`), '--cluster', 'prod', ...files]
  const made = run(process.execPath, [COMMAND, ...args])
  assert.is(made.status, 0, made.stderr)
  const before = filesOf(folder)
  const { status, stderr } = run('kpt', ['fn', 'render', '--allow-exec', folder], {
    bin: functionsIn(join(folder, '..')),
  })
  assert.is(status, 0, stderr)
  return { before, after: filesOf(folder) }
}

suite('a package of nodefit init', (test) => {
  if (!has('kpt')) return
  test('is rendered by kpt, which changes none of its files, and built by kustomize', () =>
    inFolder((folder) => {
      const package_ = join(folder, 'fluent-bit')
      const { before, after } = rendered(package_, 'gke', DAEMONSETS.slice(0, 1))
      assert.equal(Object.keys(after).sort(), [...Object.keys(before), 'fluent-bit-groups.yaml'].sort())
      for (const file of ['policy.yaml', 'inventory.yaml', 'kustomization.yaml', 'Kptfile'])
        assert.is(after[file]?.replace(/^status:[\s\S]*/m, ''), before[file], file)
      assert.not.match(after['fluent-bit-groups.yaml'] ?? '', 'owned-by')
      if (!has('kustomize')) return
      const { stdout } = run('kustomize', ['build', package_])
      assert.equal(names(stdout), names(after['fluent-bit-groups.yaml'] ?? ''))
    }))
  test('of several DaemonSets has the groups of each', () =>
    inFolder((folder) => {
      const package_ = join(folder, 'agents')
      const built = () => names(run(process.execPath, [COMMAND, 'build', package_]).stdout)
      const { after } = rendered(package_, 'eks', DAEMONSETS)
      for (const name of ['fluent-bit', 'node-exporter', 'trace-agent']) assert.ok(after[`${name}-groups.yaml`])
      if (!has('kustomize')) return
      assert.equal(names(run('kustomize', ['build', package_]).stdout).sort(), built().sort())
    }))
})
