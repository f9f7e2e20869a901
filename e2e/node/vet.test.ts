/** `nodefit vet`. What kpt has to do with it is in e2e/kpt/vet.test.ts. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, FUNCTION, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })
const TYPES = ['m5.large', 'm5.xlarge', 'r5.large']
const LARGER = { retainGroups: '0s', overrides: [{ groups: ['m5.large'], minResources: { cpu: '300m' } }] }
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'ops' },
  stringData: { key: 'before' },
}

suite('nodefit vet', (test) => {
  test('says on stdout what a render has to say; its exit code is that of build', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      const before = filesOf(folder)
      const good = nodefit(folder, 'vet', 'package')
      assert.is(good.status, 0, good.stderr)
      assert.match(good.stdout, /nodefit: info: PolicySummary: agent: \d groups/)
      writePackage(folder, { types: TYPES, spec: { nodeGroupLabel: 'example.com/typo' } })
      const bad = nodefit(folder, 'vet', 'package')
      assert.is(bad.status, 1)
      assert.match(bad.stdout, /^nodefit: error: Label/)
      assert.is(bad.stderr, '')
      writePackage(folder, { types: TYPES })
      assert.equal(filesOf(folder), before)
    }))
  test('says last how many objects of what are in order, and nothing of the kind where one is not', () =>
    inFolder((folder) => {
      const last = () => nodefit(folder, 'vet', 'package').stdout.trimEnd().split('\n').at(-1) ?? ''
      writePackage(folder, { types: ['m5.large'] })
      assert.is(last(), 'nodefit: ok: 3 objects of 1 policy')
      const spec = { daemonSet: true, template: { spec: { duration: '1h', resources: { requests: { cpu: '1' } } } } }
      const order = { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', metadata: { name: 'o' }, spec }
      writePackage(folder, { types: ['m5.large'], more: [order] })
      assert.is(last(), 'nodefit: ok: 4 objects of 1 policy and 1 Order')
      rmSync(join(folder, 'package/policy.yaml'))
      assert.is(last(), 'nodefit: ok: 1 object of 1 Order')
      writePackage(folder, { types: ['m5.large'], spec: { nodeGroupLabel: 'example.com/typo' } })
      assert.not.match(last(), 'nodefit: ok')
    }))
  test('2 where there is no answer', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      rmSync(join(folder, 'package/policy.yaml'))
      for (const [args, sentence] of [
        [['nowhere'], 'there is no file or folder nowhere'],
        [['package', '--curent', 'x'], 'did you mean --current?'],
        [['package', '--current', 'out'], 'there is no policy in the input'],
        [['package', '--current', 'out', '--earlier', 'out'], 'leave --earlier out'],
        [['package', 'package/daemonset.yaml', '--current', 'package'], 'give that package alone'],
      ] as const) {
        const { status, stdout, stderr } = nodefit(folder, 'vet', ...args)
        assert.is(status, 2, args.join(' '))
        assert.is(stdout, '')
        assert.match(stderr, sentence)
      }
    }))
  test('--current: which objects differ, how, and the command that mends it', () =>
    inFolder((folder) => {
      const vet = () => nodefit(folder, 'vet', 'package', '--current', 'the output')
      const build = () => nodefit(folder, 'build', 'package', '--output-dir', 'the output')
      writePackage(folder, { types: TYPES, more: [SECRET] })
      assert.is(vet().status, 1)
      assert.is(build().status, 0)
      assert.is(vet().status, 0)
      const files = filesOf(folder)

      writePackage(folder, {
        types: ['m5.large', 'm5.xlarge', 'c5.large'],
        spec: LARGER,
        more: [{ ...SECRET, stringData: { key: 'after' } }],
      })
      const { status, stdout } = vet()
      assert.is(status, 1)
      for (const line of [
        'DaemonSet ops/agent-m5-large (the output/daemonset.apps_ops_agent-m5-large.yaml) differs from the rendered object: spec.template.spec.containers.0.resources.limits.cpu 200m -> 300m, spec.template.spec.containers.0.resources.requests.cpu 100m -> 300m',
        'DaemonSet ops/agent-c5-large (the output/daemonset.apps_ops_agent-c5-large.yaml) is missing',
        'DaemonSet ops/agent-r5-large (the output/daemonset.apps_ops_agent-r5-large.yaml) is no longer rendered',
        'Secret ops/s (the output/secret_ops_s.yaml) differs from the rendered object: stringData.key\n',
        'the output/kustomization.yaml does not list the rendered files',
      ])
        assert.match(stdout, `nodefit: error: ${line}`)
      assert.not.match(stdout, /before|after/)
      assert.ok(stdout.endsWith("nodefit: to update it, run nodefit build package --output-dir 'the output'\n"), stdout)
      const [, mend = ''] = /to update it, run nodefit (.*)\n/.exec(stdout) ?? []
      const mended = run('sh', ['-c', `exec ${process.execPath} ${COMMAND} ${mend}`], { cwd: folder })
      assert.is(mended.status, 0, mended.stderr)
      assert.is(vet().status, 0)

      const edited = join(folder, 'the output/daemonset.apps_ops_agent-m5-xlarge.yaml')
      writeFileSync(edited, `${readFileSync(edited, 'utf8')}# mine\n`)
      assert.match(vet().stdout, 'differs from the rendered object: only its formatting differs')
      assert.ok(Object.keys(files).length > 0)
    }))
  test('--current of a package that kpt renders in place', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      const { status, stdout } = nodefit(folder, 'vet', 'package', '--current', 'package')
      assert.is(status, 1)
      assert.match(stdout, 'error: OutputStale: DaemonSet ops/agent-m5-large is missing from the package')
      assert.match(
        stdout,
        'error: OutputStale: DaemonSet ops/agent differs from what is rendered: metadata.annotations',
      )
      assert.ok(stdout.endsWith('nodefit: to update it, run kpt fn render --allow-exec package\n'), stdout)
    }))
})

/** What kpt writes into a Kptfile since it records the outcome of a render there, as its documentation shows it. */
const KPT_1 = `- apiVersion: kpt.dev/v1
  kind: Kptfile
  metadata:
    name: agent
    annotations:
      kpt.dev/save-on-render-failure: "true"
      internal.config.kubernetes.io/path: 'Kptfile'
  pipeline:
    mutators:
    - exec: nodefit-fn
  status:
    conditions:
    - type: Rendered
      status: "False"
      reason: RenderFailed
      message: |-
        pkg.render: pkg .:
        \tpipeline.run: must run
`

suite('a Kptfile of kpt 1.0', (test) => {
  const list = (rest: string) => `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${KPT_1}${rest}`
  test('comes back byte for byte, whether the run succeeds or fails', () => {
    const policy = `- apiVersion: nodefit.dev/v1alpha1
  kind: SizingPolicy
  metadata:
    name: agent
    annotations:
      internal.config.kubernetes.io/path: 'policy.yaml'
  spec:
    targetRef:
      name: agent
    resourcePercentages: {requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5}
    minResources: {cpu: 100m, memory: 180Mi}
    maxResources: {cpu: 2000m, memory: 4Gi}
`
    for (const [rest, exit] of [
      ['', 0],
      [policy, 1],
    ] as const) {
      const { status, stdout } = run(process.execPath, [FUNCTION], { input: list(rest) })
      assert.is(status, exit)
      assert.ok(stdout.includes(list(rest)), stdout)
      assert.is(parse(stdout).items.length, rest === '' ? 1 : 2)
    }
  })
  test('compares what the cluster has of Kubescape’s chart, and says nothing of it elsewhere', () =>
    inFolder((folder) => {
      const chart = (name: string) =>
        readFileSync(join(ROOT, 'testdata/kubescape-charts/1.40.3', `${name}.yaml`), 'utf8')
      const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
      const nodes = join(ROOT, 'testdata/nodes/eks.yaml')
      put('chart.yaml', `${chart('template')}${chart('off')}`)
      assert.is(nodefit(folder, 'init', 'agent', '--nodes', nodes, '--template', 'chart.yaml').status, 0)
      const { stdout: groups } = nodefit(folder, 'build', 'agent')
      const vet = (live: string) => {
        put('live.json', live)
        return nodefit(folder, 'vet', 'agent', '--live', 'live.json')
      }
      const live = `${chart('off')}---\n${groups}`
      const same = vet(live)
      assert.is(same.status, 0, same.stdout)
      assert.match(same.stdout, /nodefit: ok: 6 objects of 1 policy, as in the cluster\n$/)
      const learning = vet(live.replace('"initialDelay": "2m"', '"initialDelay": "7m"'))
      assert.is(learning.status, 1)
      assert.match(learning.stdout, 'LiveValueDiffers: node-agent: ConfigMap node-agent of the cluster')
      const on = vet(live.replace('"enabled": false', '"enabled": true'))
      assert.is(on.status, 1)
      assert.match(on.stdout, 'nodefit: error: LiveLoopOn')
      writePackage(folder)
      const other = nodefit(folder, 'vet', 'package', '--live', 'live.json')
      assert.is(other.status, 2)
      assert.match(other.stderr, '--live compares policies for the template')
    }))
})
