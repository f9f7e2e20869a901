/** What overlays change in an agent, as docs/deliver/kustomize.md has it: built by the real kustomize, and as a command sees it. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const FLAGS = ['--enable-alpha-plugins', '--enable-exec']
/** The files that docs/deliver/kustomize.md shows. */
const OVERLAYS = join(ROOT, 'testdata/overlays')
const byName = (text: string) => text.replace(/\n {4}target:\n {6}kind: DaemonSet\n {6}name: agent-\.\*\n/, '\n')

const PREFIXES = 'namespace: agents-eu\nnamePrefix: eu-\nnameSuffix: -x\n'

/** deploy/kustomize with these files; the overlay has a prefix, a suffix and a namespace. */
function write(folder: string, files: Readonly<Record<string, string>>): string {
  const work = join(folder, 'work')
  cpSync(join(ROOT, 'deploy/kustomize'), work, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true })
    writeFileSync(join(work, name), text)
  }
  const below = join(work, 'overlays/eu/agents')
  if (existsSync(below)) {
    // the page has both beside the inner kustomization
    renameSync(join(work, 'overlays/eu/inventory.yaml'), join(below, 'inventory.yaml'))
    renameSync(join(work, 'nodefit/policy.yaml'), join(below, 'policy.yaml'))
  }
  const outer = join(work, 'overlays/eu/kustomization.yaml')
  const text = readFileSync(outer, 'utf8').replace(/^(?:namespace|namePrefix|nameSuffix):.*\n/gm, '')
  writeFileSync(outer, text.replace(/(?=^resources:)/m, PREFIXES))
  return work
}

const podsOf = (text: string): Any[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .flatMap(({ kind, metadata, spec }) =>
      kind === 'DaemonSet' ? [{ name: metadata.name, ...spec.template.spec }] : [],
    )

const NAMES = ['default', 'm5-2xlarge', 'm5-large', 'remainder'].map((group) => `eu-agent-${group}-x`)
const WAYS = {
  below: 'a layer below',
  transformers: 'transformers of the layer with the patch',
  target: 'a target that matches the groups',
}

suite('changes of an agent in overlays of kustomize', (test) => {
  if (!has('kustomize')) return
  const build = (folder: string, work: string) =>
    run('kustomize', ['build', ...FLAGS, join(work, 'overlays/eu')], { bin: functionsIn(folder) })
  const vet = (work: string) => run(process.execPath, [COMMAND, 'vet', 'base', 'nodefit', 'overlays/eu'], { cwd: work })
  for (const [way, name] of Object.entries(WAYS))
    test(`${name}: tolerations, priority class and image reach every group`, () =>
      inFolder((folder) => {
        const work = write(folder, filesOf(join(OVERLAYS, way)))
        const { status, stdout, stderr } = build(folder, work)
        assert.is(status, 0, stderr)
        const pods = podsOf(stdout)
        assert.equal(
          pods.map((pod) => pod.name),
          NAMES,
        )
        for (const { priorityClassName, tolerations, containers } of pods) {
          assert.is(priorityClassName, 'system-node-critical')
          assert.ok(tolerations.some(({ key }: Any) => key === 'dedicated'))
          assert.is(containers[0].image, 'registry.eu.example.com/agent:1.2.0')
        }
        const seen = vet(work)
        assert.not.match(seen.stdout, 'PatchLost')
      }))
  test('a patch that names the DaemonSet is lost without a word of kustomize, and nodefit says so', () =>
    inFolder((folder) => {
      const files = filesOf(join(OVERLAYS, 'target'))
      const lost = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, byName(text)]))
      assert.not.equal(lost, files)
      const work = write(folder, lost)
      const { status, stdout, stderr } = build(folder, work)
      assert.is(status, 0, stderr)
      assert.is(stderr, '')
      assert.equal(
        podsOf(stdout).map(({ priorityClassName }) => priorityClassName),
        NAMES.map(() => undefined),
      )
      const seen = vet(work)
      assert.is(seen.status, 1)
      assert.match(seen.stdout, /error: PatchLost: .*kustomization\.yaml changes DaemonSet agent in patches\[0\]/)
    }))
  test('the name of the groups without prefix, and with it, in a layer above', () =>
    inFolder((folder) => {
      const files = filesOf(join(OVERLAYS, 'target'))
      const work = write(folder, files)
      for (const name of ['agent-.*', 'eu-agent-.*', 'eu-agent-.*-x']) {
        mkdirSync(join(work, 'overlays/top'), { recursive: true })
        const patch = JSON.stringify([{ op: 'add', path: '/spec/minReadySeconds', value: 7 }])
        const target = { kind: 'DaemonSet', name }
        writeFileSync(
          join(work, 'overlays/top/kustomization.yaml'),
          JSON.stringify({ resources: ['../eu'], patches: [{ patch, target }] }),
        )
        const { status, stdout, stderr } = run('kustomize', ['build', ...FLAGS, join(work, 'overlays/top')], {
          bin: functionsIn(folder),
        })
        assert.is(status, 0, stderr)
        const sets = parseAllDocuments(stdout).map((document) => document.toJS() as Any)
        assert.equal(
          sets.flatMap(({ kind, spec }) => (kind === 'DaemonSet' ? [spec.minReadySeconds] : [])),
          [7, 7, 7, 7],
          name,
        )
      }
    }))
  test('a package that kpt renders: the kustomization gets the file, and its patches of the template are an error', () => {
    if (!has('kpt')) return
    inFolder((folder) => {
      writePackage(folder)
      const file = (name: string) => join(folder, 'package', name)
      const kptfile =
        'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: agent\npipeline:\n  mutators:\n    - exec: nodefit-fn\n'
      writeFileSync(file('Kptfile'), kptfile)
      const patch = `apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\n  namespace: ops\nspec:\n  template:\n    spec:\n      priorityClassName: system-node-critical\n`
      writeFileSync(file('patch.yaml'), patch)
      // as people write it: no apiVersion, comments, and a target by default
      const head =
        '# ours\nresources:\n  - daemonset.yaml # the agent\n  # inputs\n  - inventory.yaml\n  - policy.yaml\n'
      const [BY_NAME, BY_PATTERN] = ['', '    target:\n      kind: DaemonSet\n      name: agent-.*\n'].map(
        (target) => `patches:\n  - path: patch.yaml\n${target}`,
      )
      const render = () =>
        run('kpt', ['fn', 'render', '--allow-exec', '--truncate-output=false', join(folder, 'package')], {
          bin: functionsIn(folder),
        })
      writeFileSync(file('kustomization.yaml'), `${head}${BY_NAME}`)
      const lost = render()
      assert.is(lost.status, 1)
      assert.match(lost.stderr, 'PatchLost: kustomization.yaml changes DaemonSet ops/agent in patches[0]')
      writeFileSync(file('kustomization.yaml'), `${head}${BY_PATTERN}`)
      const { status, stderr } = render()
      assert.is(status, 0, stderr)
      assert.match(stderr, 'FileListed: kustomization.yaml now lists agent-groups.yaml')
      const text = readFileSync(file('kustomization.yaml'), 'utf8')
      assert.is(text, `${head}  - agent-groups.yaml\n${BY_PATTERN}`)
      const built = run('kustomize', ['build', join(folder, 'package')])
      assert.is(built.status, 0, built.stderr)
      assert.equal(
        podsOf(built.stdout).map(({ name, priorityClassName }) => `${name} ${priorityClassName}`),
        ['default', 'm5-large', 'm5-xlarge', 'remainder'].map((group) => `agent-${group} system-node-critical`),
      )
      const command = (...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd: folder })
      assert.is(command('vet', 'package', '--current', 'package').status, 0)
      // the patch is no object
      assert.equal(podsOf(command('build', 'package').stdout).length, 4)
      // a list without the file is what deletes the agent: every command says so
      writeFileSync(file('kustomization.yaml'), `${head}${BY_PATTERN}`)
      assert.equal(podsOf(run('kustomize', ['build', join(folder, 'package')]).stdout), [])
      for (const args of [
        ['vet', 'package', '--current', 'package'],
        ['vet', 'package'],
        ['build', 'package'],
        ['build', 'package', '--output-dir', 'out'],
      ]) {
        const { status: failed, stdout, stderr: words } = command(...args)
        assert.is(failed, 1, args.join(' '))
        assert.match(`${stdout}${words}`, 'error: FileNotListed: kustomization.yaml does not list agent-groups.yaml')
      }
      render()
      assert.is(readFileSync(file('kustomization.yaml'), 'utf8'), text)
      // the way back is one line: the file goes, and its entry with it
      const policy = parse(readFileSync(file('policy.yaml'), 'utf8'))
      writeFileSync(file('policy.yaml'), JSON.stringify({ ...policy, spec: { ...policy.spec, enabled: false } }))
      assert.is(render().status, 0)
      assert.equal(
        podsOf(run('kustomize', ['build', join(folder, 'package')]).stdout).map(({ name }) => name),
        ['agent'],
        'the patch of the groups finds nothing, which kustomize allows',
      )
    })
  })
})
