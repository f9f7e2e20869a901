import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { packageFiles } from '../../../src/host/cli/first-package.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { daemonSet, inventory, policy, shape } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { templateMap } from '../../support/template.ts'

const HELM = { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'ns' }
const MANAGED_BY = 'app.kubernetes.io/managed-by'
const written = (target: KubernetesObject, file: string) =>
  packageFiles('a', [{ target, policy: policy() }], { ...inventory([]) }).files[file] ?? ''
const withAnnotations = (object: KubernetesObject, annotations: Record<string, string>) => ({
  ...object,
  metadata: { ...object.metadata, annotations },
})

suite('a template in a first package', (test) => {
  test('loses the marks of its owner, who is named instead', () => {
    const labels = { app: 'agent', [MANAGED_BY]: 'Helm', 'objectset.rio.cattle.io/hash': 'h' }
    const text = written(withAnnotations(daemonSet({}, { labels }), HELM), 'daemonset.yaml')
    assert.match(text, 'nodefit.dev/owned-by: Helm release r in ns; Rancher object set\n')
    assert.not.match(text, /meta\.helm|objectset/)
    assert.equal(parse(text).metadata.labels, { app: 'agent', [MANAGED_BY]: 'nodefit' })
  })
  test('has the label of what is rendered in place of that of a chart that was printed', () => {
    const labels = { app: 'agent', [MANAGED_BY]: 'Helm' }
    const text = written(daemonSet({}, { labels }), 'daemonset.yaml')
    assert.equal(parse(text).metadata.labels, { app: 'agent', [MANAGED_BY]: 'nodefit' })
    assert.match(text, 'nodefit.dev/owned-by:')
  })
  test('keeps who manages it where that is no owner', () => {
    const labels = { app: 'agent', [MANAGED_BY]: 'somebody' }
    const text = written(daemonSet({}, { labels }), 'daemonset.yaml')
    assert.equal(parse(text).metadata.labels, labels)
    assert.not.match(text, 'owned-by')
  })
  test('names no owner of a ConfigMap, which stays the chart’s', () => {
    const text = written(withAnnotations(templateMap(), HELM), 'template.yaml')
    assert.not.match(text, /meta\.helm|owned-by/)
    assert.match(text, 'kind: ConfigMap')
    assert.match(text, 'config.kubernetes.io/local-config: "true"')
    assert.not.match(written(daemonSet(), 'daemonset.yaml'), 'local-config')
  })
})

suite('the files of a first package', (test) => {
  const of = (name: string, namespace?: string) => ({
    target: { ...daemonSet(), metadata: { name, ...(namespace === undefined ? {} : { namespace }) } },
    policy: policy({}, name),
  })
  const NODES = { ...inventory([shape({}, ['n1'])]) }
  const filesOf = (...agents: Parameters<typeof packageFiles>[1]) => packageFiles('a', agents, NODES)
  test('of one agent: all there is, and what kustomize builds of it', () => {
    const { files, rendered } = filesOf(of('agent'))
    const inputs = ['daemonset.yaml', 'inventory.yaml', 'policy.yaml', 'render-config.yaml']
    assert.equal(Object.keys(files), ['Kptfile', 'kustomization.yaml', ...inputs])
    assert.equal(rendered, ['agent-groups.yaml'])
    assert.equal(parse(files['kustomization.yaml'] ?? '').resources, [...inputs, ...rendered])
    assert.equal(parse(files['inventory.yaml'] ?? ''), NODES)
    assert.equal(parse(files['policy.yaml'] ?? ''), policy())
    assert.equal(parse(files['render-config.yaml'] ?? '').spec, { expect: { policies: 1 } })
    assert.equal(parse(files['daemonset.yaml'] ?? ''), daemonSet())
    assert.equal(parse(files.Kptfile ?? ''), {
      apiVersion: 'kpt.dev/v1',
      kind: 'Kptfile',
      metadata: { name: 'a', annotations: { 'config.kubernetes.io/local-config': 'true' } },
      info: { description: 'DaemonSet agent, sized per node group' },
      pipeline: { mutators: [{ exec: 'nodefit-fn' }] },
    })
  })
  const SEVERAL: Array<[name: string, agents: Array<ReturnType<typeof of>>, want: string[]]> = [
    ['two names', [of('x'), of('b')], ['b-daemonset.yaml', 'b-policy.yaml', 'x-daemonset.yaml', 'x-policy.yaml']],
    [
      'one name in two namespaces, and another',
      [of('x', 'one'), of('x'), of('b', 'one')],
      ['b', 'default-x', 'one-x'].flatMap((prefix) => [`${prefix}-daemonset.yaml`, `${prefix}-policy.yaml`]),
    ],
  ]
  for (const [name, agents, want] of SEVERAL)
    test(`of several agents: ${name}`, () => {
      const { files, rendered } = filesOf(...agents)
      const inputs = [...want, 'inventory.yaml', 'render-config.yaml'].sort()
      assert.equal(Object.keys(files), ['Kptfile', 'kustomization.yaml', ...inputs])
      assert.equal(rendered, ['b-groups.yaml', 'x-groups.yaml'])
      assert.equal(parse(files['kustomization.yaml'] ?? '').resources, [...inputs, ...rendered])
      assert.match(parse(files.Kptfile ?? '').info.description, /^DaemonSets x, .*, sized per node group$/)
    })
  test('one agent twice is refused, and named', () => {
    assert.throws(() => filesOf(of('x'), of('x')), /^DaemonSet x is given twice$/)
    assert.throws(() => filesOf(of('b'), of('x', 'default'), of('x')), /^DaemonSet x is given twice$/)
  })
  test('what stands beside a template is kept in one file, and applied by nobody', () => {
    const operator = { ...templateMap(), metadata: { name: 'operator', annotations: { own: 'x' } } }
    const kept = [operator, { ...operator, metadata: { name: 'node-agent' } }]
    const { files } = filesOf({ target: templateMap(), policy: policy(), kept })
    const local = { 'config.kubernetes.io/local-config': 'true' }
    assert.equal(
      parseAllDocuments(files['chart.yaml'] ?? '').map((one) => one.toJS().metadata),
      [
        { name: 'operator', annotations: { own: 'x', ...local } },
        { name: 'node-agent', annotations: local },
      ],
    )
  })
  test('a live object is written as one would write it', () => {
    const live = {
      ...daemonSet({}, { namespace: 'n', uid: 'u', resourceVersion: '9', generation: 3, managedFields: [] }),
      status: { numberReady: 1 },
    }
    assert.equal(parse(written(live, 'daemonset.yaml')), daemonSet({}, { namespace: 'n' }))
    const annotations = { 'deprecated.daemonset.template.generation': '3', own: 'x' }
    assert.equal(parse(written(withAnnotations(live, annotations), 'daemonset.yaml')).metadata, {
      name: 'agent',
      namespace: 'n',
      annotations: { own: 'x' },
    })
  })
})
