/** deploy/kustomize: built with the real kustomize, and applied to a real API server where the function was skipped. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const DEPLOY = join(ROOT, 'deploy/kustomize')
const FLAGS = ['--enable-alpha-plugins', '--enable-exec']
const objectsOf = (text: string): Any[] => parseAllDocuments(text).map((document) => document.toJS())

const GROUPS: Record<string, { groups: string[]; image: string }> = {
  eu: { groups: ['default', 'm5-2xlarge', 'm5-large', 'remainder'], image: 'registry.eu.example.com/agent:1.2.0' },
  us: { groups: ['default', 'm6i-xlarge', 'r6i-4xlarge', 'remainder'], image: 'registry.us.example.com/agent:1.1.0' },
}

suite('kustomize overlays', (test) => {
  if (!has('kustomize')) return
  const build = (folder: string, overlay: string, ...flags: string[]) =>
    run('kustomize', ['build', ...flags, join(DEPLOY, 'overlays', overlay)], { bin: functionsIn(folder) })
  for (const [name, { groups, image }] of Object.entries(GROUPS)) {
    test(`${name}: the groups of its own nodes, with its prefix, namespace and image, and no input`, () =>
      inFolder((folder) => {
        const { status, stdout, stderr } = build(folder, name, ...FLAGS)
        assert.is(status, 0, stderr)
        const objects = objectsOf(stdout)
        assert.equal([...new Set(objects.map(({ kind }) => kind))], ['ServiceAccount', 'DaemonSet'])
        const sets = objects.filter(({ kind }) => kind === 'DaemonSet')
        assert.equal(
          sets.map(({ metadata }) => metadata.name),
          groups.map((group) => `${name}-agent-${group}`),
        )
        for (const { metadata, spec } of sets) {
          assert.is(metadata.namespace, `agents-${name}`)
          assert.is(spec.template.spec.containers[0].image, image)
          assert.is(spec.template.spec.serviceAccountName, `${name}-agent`)
        }
      }))
  }
  test('as a generator the function fails, and says where it belongs', () =>
    inFolder((folder) => {
      cpSync(DEPLOY, join(folder, 'kustomize'), { recursive: true })
      const component = join(folder, 'kustomize/nodefit/kustomization.yaml')
      const text = readFileSync(component, 'utf8')
      writeFileSync(
        component,
        text.replace('resources:\n  - policy.yaml\n', '').replace('transformers:', 'generators:'),
      )
      const overlay = join(folder, 'kustomize/overlays/eu')
      const { status, stdout, stderr } = run('kustomize', ['build', ...FLAGS, overlay], { bin: functionsIn(folder) })
      assert.is(status, 1)
      assert.is(stdout, '')
      assert.match(stderr, 'UseTransformers: SizingPolicy agent runs as a generator')
    }))
  test('without both flags, and with kubectl, the function is refused, or skipped without a word', () =>
    inFolder((folder) => {
      assert.match(build(folder, 'eu').stderr, 'external plugins disabled')
      const skipped = build(folder, 'eu', '--enable-alpha-plugins')
      assert.is(skipped.status, 0)
      assert.is(skipped.stderr, '')
      assert.ok(objectsOf(skipped.stdout).some(({ kind }) => kind === 'SizingPolicy'))
      if (!has('kubectl')) return
      const overlay = join(DEPLOY, 'overlays/eu')
      assert.is(run('kubectl', ['kustomize', overlay]).status, 1)
      assert.is(run('kubectl', ['kustomize', '--enable-alpha-plugins', overlay]).stdout, skipped.stdout)
    }))
  test('what comes out of a build that skipped it cannot be applied, and prunes nothing', async () => {
    if (!CONTROL_PLANE.map(has).every((found) => found)) return
    const cluster = await startCluster()
    try {
      const { folder, kubectl } = cluster
      const prune = ['--prune', '--selector=app.kubernetes.io/name=agent', '--prune-allowlist=apps/v1/DaemonSet']
      const apply = (text: string, ...more: string[]) => kubectl(['apply', '-n', 'agents-eu', ...more, '-f', '-'], text)
      const sets = () => kubectl(['get', 'daemonsets', '-n', 'agents-eu', '-o', 'name']).stdout.trim().split('\n')
      assert.is(kubectl(['create', 'namespace', 'agents-eu']).status, 0)
      mkdirSync(join(folder, 'bin'))
      const whole = build(folder, 'eu', ...FLAGS)
      assert.is(apply(whole.stdout, ...prune).status, 0)
      const groups = sets()
      assert.is(groups.length, 4)
      const skipped = build(folder, 'eu', '--enable-alpha-plugins').stdout
      for (const more of [prune, ['--server-side', '--dry-run=server']]) {
        const { status, stderr } = apply(skipped, ...more)
        assert.is(status, 1)
        assert.match(stderr, 'no matches for kind "SizingPolicy"')
        for (const group of groups) assert.ok(sets().includes(group), group)
      }
    } finally {
      await cluster.stop()
    }
  })
})
