/** kustomize: the ResourceList it sends, captured from kustomize 5.8, and the program itself where it is installed. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { FUNCTION, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

interface Item {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
}

const WIRE = readFileSync(join(ROOT, 'testdata/hosts/kustomize-wire.yaml'), 'utf8')
const KUSTOMIZATION = join(ROOT, 'testdata/golden/kustomization')
/** The annotation as docs/deliver/kustomize.md gives it. */
const [, ANNOTATION = ''] =
  /```\nmetadata:\n {2}annotations:\n([\s\S]*?)```/.exec(
    readFileSync(join(ROOT, 'docs/deliver/kustomize.md'), 'utf8'),
  ) ?? []
const POLICY = `apiVersion: nodefit.dev/v1alpha1
kind: SizingPolicy
metadata:
  name: fluent-bit
  namespace: logging
  annotations:
    config.kubernetes.io/local-config: "true"
${ANNOTATION}spec:
  targetRef:
    name: fluent-bit
  resourcePercentages: {requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5}
  minResources: {cpu: 100m, memory: 180Mi}
  maxResources: {cpu: 2000m, memory: 4Gi}
`

suite('kustomize', (test) => {
  test('the captured wire: new items without path or index, inputs and template as local configuration', () => {
    const { status, stdout, stderr } = run(process.execPath, [FUNCTION], { input: WIRE })
    assert.is(status, 0, stderr)
    const { items } = parse(stdout) as { items: Item[] }
    const made = items.filter(({ metadata }) => metadata.annotations?.['nodefit.dev/owner'] !== undefined)
    assert.equal(
      made.map(({ metadata }) => metadata.name),
      ['fluent-bit-default', 'fluent-bit-m5-4xlarge', 'fluent-bit-m5-large', 'fluent-bit-remainder'],
    )
    for (const { metadata } of made)
      assert.equal(Object.keys(metadata.annotations ?? {}).sort(), ['nodefit.dev/group', 'nodefit.dev/owner'])
    const rest = items.filter((item) => !made.includes(item))
    for (const { metadata } of rest) assert.is(metadata.annotations?.['config.kubernetes.io/local-config'], 'true')
  })
  if (!has('kustomize')) return
  test('a rendered package with a kustomization of its own: the groups alone, and on the way back the template alone', () => {
    const built = (step: number) => {
      const { status, stdout, stderr } = run('kustomize', ['build', join(KUSTOMIZATION, `expected-${step}`)])
      assert.is(status, 0, stderr)
      return parseAllDocuments(stdout).map((document) => (document.toJS() as Item).metadata.name)
    }
    assert.equal(built(1), [
      'fluent-bit-default',
      'fluent-bit-m5-large',
      'fluent-bit-m5-xlarge',
      'fluent-bit-remainder',
    ])
    assert.equal(built(2), ['fluent-bit'])
  })
  test('a kustomization that still lists the groups on the way back fails, so that nothing is pruned', () =>
    inFolder((folder) => {
      cpSync(join(KUSTOMIZATION, 'expected-2'), folder, { recursive: true })
      cpSync(join(KUSTOMIZATION, 'package/kustomization.yaml'), join(folder, 'kustomization.yaml'))
      const { status, stdout, stderr } = run('kustomize', ['build', folder])
      assert.is(status, 1)
      assert.is(stdout, '')
      assert.match(stderr, /fluent-bit-groups\.yaml/)
    }))
  test('an Order as transformer gives its Tickets, and never comes out itself', () =>
    inFolder((folder) => {
      const source = join(ROOT, 'testdata/reservation/system-overhead/package')
      cpSync(join(source, 'inventory.yaml'), join(folder, 'inventory.yaml'))
      const asFunction =
        '  namespace: infra\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: nodefit-fn\n'
      const order = readFileSync(join(source, 'order.yaml'), 'utf8').replace('  namespace: infra\n', asFunction)
      writeFileSync(join(folder, 'order.yaml'), order)
      for (const resources of ['[inventory.yaml]', '[inventory.yaml, order.yaml]']) {
        writeFileSync(join(folder, 'kustomization.yaml'), `resources: ${resources}\ntransformers: [order.yaml]\n`)
        const args = ['build', '--enable-alpha-plugins', '--enable-exec', folder]
        const { status, stdout, stderr } = run('kustomize', args, { bin: functionsIn(folder) })
        assert.is(status, 0, stderr)
        const kinds = parseAllDocuments(stdout).map((document) => (document.toJS() as Item).kind)
        assert.equal(
          kinds,
          Array.from({ length: 7 }, () => 'Ticket'),
        )
      }
    }))
  test('kustomize build gives the groups and nothing else, and fails where the function fails', () =>
    inFolder((folder) => {
      for (const file of ['inventory.yaml', 'daemonset.yaml'])
        cpSync(join(ROOT, 'testdata/quickstart', file), join(folder, file))
      writeFileSync(
        join(folder, 'kustomization.yaml'),
        'resources: [inventory.yaml, daemonset.yaml]\ntransformers: [policy.yaml]\n',
      )
      const build = (policy: string) => {
        writeFileSync(join(folder, 'policy.yaml'), policy)
        return run('kustomize', ['build', '--enable-alpha-plugins', '--enable-exec', folder], {
          bin: functionsIn(folder),
        })
      }
      const { status, stdout, stderr } = build(POLICY)
      assert.is(status, 0, stderr)
      assert.is(stderr, '')
      const names = parseAllDocuments(stdout).map((document) => (document.toJS() as Item).metadata.name)
      assert.equal(names, [
        'fluent-bit-default',
        'fluent-bit-m5-4xlarge',
        'fluent-bit-m5-large',
        'fluent-bit-remainder',
      ])
      const failed = build(
        POLICY.replace('name: fluent-bit\n  namespace', 'name: other\n  namespace').replace(
          '    name: fluent-bit\n',
          '    name: absent\n',
        ),
      )
      assert.is(failed.status, 1)
      assert.match(failed.stderr, 'nodefit: TargetMissing')
    }))
})
