/** One base and two clusters, by each host that a file system is enough for: each renders its own nodes, and never those of the other. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, functionsIn, inFolder, ROOT, type Run, run } from '../support/hosts.ts'
import { objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

const SOURCE = join(ROOT, 'testdata/two-clusters')
const DEPLOY = join(ROOT, 'deploy/kustomize')
const PAGE = readFileSync(join(ROOT, 'docs/deliver/README.md'), 'utf8')
const TYPES: Record<string, string[]> = { eu: ['m5-2xlarge', 'm5-large'], us: ['m6i-xlarge', 'r6i-4xlarge'] }
const groups = (cluster: string, prefix: string) =>
  [...(TYPES[cluster] ?? []), 'default', 'remainder'].map((group) => `${prefix}-${group}`).sort()
const daemonSets = (text: string) =>
  objectsOf(text)
    .filter(({ kind }) => kind === 'DaemonSet')
    .map(({ metadata }) => metadata.name)
    .sort()
const does = ({ status, stdout, stderr }: Run) => {
  assert.is(status, 0, stderr)
  return stdout
}
const wrong = ({ status, stdout, stderr }: Run) => {
  assert.is(status, 1, stdout)
  assert.match(stderr, 'cluster prod-eu has no inventory in the package, only prod-us')
}
/** Puts the inventory of the other cluster where that of eu is. */
const swap = (clusters: string) =>
  copyFileSync(join(clusters, 'us/inventory.yaml'), join(clusters, 'eu/inventory.yaml'))

suite('two clusters from one base', (test) => {
  test('nodefit build: a folder for each, which kustomize and so Flux builds', () =>
    inFolder((folder) => {
      cpSync(SOURCE, folder, { recursive: true })
      const build = (cluster: string) => {
        const line = `nodefit build base clusters/${cluster} --output-dir rendered/${cluster}`
        if (cluster === 'eu') assert.match(PAGE, line)
        return run(process.execPath, [COMMAND, ...line.split(' ').slice(1)], { cwd: folder })
      }
      for (const cluster of ['eu', 'us']) {
        does(build(cluster))
        const rendered = join(folder, 'rendered', cluster)
        const files = readdirSync(rendered).filter((file) => file.startsWith('daemonset'))
        assert.equal(
          files,
          groups(cluster, 'fluent-bit').map((name) => `daemonset.apps_logging_${name}.yaml`),
        )
        if (has('kustomize'))
          assert.equal(daemonSets(does(run('kustomize', ['build', rendered]))), groups(cluster, 'fluent-bit'))
      }
      swap(join(folder, 'clusters'))
      wrong(build('eu'))
      assert.is(readdirSync(join(folder, 'rendered/eu')).length, 5)
    }))
  if (has('kustomize'))
    test('kustomize: an overlay for each', () =>
      inFolder((folder) => {
        const overlays = join(folder, 'kustomize/overlays')
        cpSync(DEPLOY, join(folder, 'kustomize'), { recursive: true })
        const build = (cluster: string) =>
          run('kustomize', ['build', '--enable-alpha-plugins', '--enable-exec', join(overlays, cluster)], {
            bin: functionsIn(folder),
          })
        for (const cluster of ['eu', 'us'])
          assert.equal(daemonSets(does(build(cluster))), groups(cluster, `${cluster}-agent`))
        swap(overlays)
        wrong(build('eu'))
      }))
  if (has('kpt') && has('git'))
    test('kpt: a package for each, got from the base, with its own inventory beside, and updated from it', () =>
      inFolder((folder) => {
        const git = (...args: string[]) =>
          does(run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder }))
        const base = join(folder, 'fleet')
        cpSync(SOURCE, base, { recursive: true })
        const commit = () => {
          git('-C', base, 'init', '--quiet', '--initial-branch=main')
          git('-C', base, 'add', '--all')
          git('-C', base, 'commit', '--quiet', '--message', 'The base')
        }
        commit()
        // kpt updates what is committed
        const work = join(folder, 'clusters')
        mkdirSync(work)
        git('-C', work, 'init', '--quiet', '--initial-branch=main')
        const kpt = (...args: string[]) => run('kpt', args, { cwd: work, bin: functionsIn(folder) })
        for (const cluster of ['eu', 'us']) {
          does(kpt('pkg', 'get', `file://${base}/.git/base@main`, cluster))
          for (const file of ['inventory.yaml', 'config.yaml'])
            copyFileSync(join(SOURCE, 'clusters', cluster, file), join(work, cluster, file))
          does(kpt('fn', 'render', '--allow-exec', cluster))
          const rendered = readFileSync(join(work, cluster, 'fluent-bit-groups.yaml'), 'utf8')
          assert.equal(daemonSets(rendered), groups(cluster, 'fluent-bit'))
        }
        git('-C', work, 'add', '--all')
        git('-C', work, 'commit', '--quiet', '--message', 'Two clusters')
        const policy = join(base, 'base/policy.yaml')
        writeFileSync(policy, readFileSync(policy, 'utf8').replace('requestCPU: 2', 'requestCPU: 4'))
        commit()
        does(kpt('pkg', 'update', 'eu@main'))
        does(kpt('fn', 'render', '--allow-exec', 'eu'))
        assert.equal(
          daemonSets(readFileSync(join(work, 'eu/fluent-bit-groups.yaml'), 'utf8')),
          groups('eu', 'fluent-bit'),
        )
        assert.match(readFileSync(join(work, 'eu/policy.yaml'), 'utf8'), 'requestCPU: 4')
        swap(work)
        const before = readFileSync(join(work, 'eu/fluent-bit-groups.yaml'), 'utf8')
        wrong(kpt('fn', 'render', '--allow-exec', '--truncate-output=false', 'eu'))
        assert.is(readFileSync(join(work, 'eu/fluent-bit-groups.yaml'), 'utf8'), before)
      }))
})
