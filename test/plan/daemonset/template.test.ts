/** One suite for every kind of template: the same DaemonSet, as an object and as the text in a ConfigMap. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { DaemonSet } from '../../../src/plan/daemonset/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, inventory, listOf, OS, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { asTemplateText, templateMap } from '../../support/template.ts'

interface Source {
  name: string
  /** The objects of a package whose policy renders from the DaemonSet. */
  objects: (daemonSet: KubernetesObject, spec: Record<string, unknown>) => KubernetesObject[]
}

const SAME = {
  labels: { managedBy: 'example.com/by=nodefit', nodeGroup: 'example.com/group' },
  goMemLimitPercentage: 0.8,
  seLinuxType: 'spc_t',
  bottlerocketAutoDetect: true,
  remainder: false,
}
const inKubescape = (spec: Record<string, unknown>) => policy({ ...SAME, ...spec }, 'p', { namespace: 'kubescape' })
const SOURCES: Source[] = [
  {
    name: 'DaemonSet',
    objects: (object, spec) => [object, inKubescape({ ...spec, targetRef: { name: 'node-agent' } })],
  },
  {
    name: 'ConfigMap',
    objects: (object, spec) => [
      templateMap(asTemplateText(object)),
      inKubescape({ ...spec, targetRef: { kind: 'ConfigMap', name: 'node-agent-daemonset-template' } }),
    ],
  },
]

const NODES = inventory([
  shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a']),
  shape({ [OS]: 'linux' }, ['b'], '2', '8Gi', { osImage: 'Bottlerocket OS' }),
])

function agent(pod: Record<string, unknown> = {}, metadata: object = {}, spec: object = {}): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'node-agent', namespace: 'kubescape', ...metadata },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a', tier: 'x' } },
        spec: { containers: [{ name: 'node-agent', image: 'agent:1' }], ...pod },
      },
      ...spec,
    },
  }
}

const twice = [
  { name: 'A', value: 'x' },
  { name: 'A', value: 'y' },
]
const affinity = (...terms: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
})
const arch = { matchExpressions: [{ key: 'arch', operator: 'In', values: ['arm64'] }] }
const linux = { matchExpressions: [{ key: OS, operator: 'In', values: ['linux'] }] }
const side = { name: 'side', resources: { requests: { cpu: '50m' }, limits: { memory: '4096Mi' } } }

/** Templates that must render, with what is particular about them. */
const GOOD: Array<[name: string, daemonSet: KubernetesObject, spec?: Record<string, unknown>]> = [
  ['the least', agent()],
  ['a sidecar', agent({ containers: [side, { name: 'node-agent' }] })],
  [
    'two containers with shares',
    agent({ containers: [side, { name: 'node-agent' }] }),
    {
      containers: [
        { name: 'node-agent', share: 60 },
        { name: 'side', share: 40 },
      ],
    },
  ],
  [
    'a variable that is there',
    agent({ containers: [{ name: 'node-agent', env: [{ name: 'GOMEMLIMIT', value: '1' }] }] }),
  ],
  ['a variable twice', agent({ containers: [{ name: 'node-agent', env: twice }] })],
  ['affinity of two terms', agent({ affinity: affinity(linux, arch) })],
  [
    'nulls',
    agent(
      { securityContext: null, tolerations: null, volumes: [{ name: 'v', emptyDir: null }] },
      { annotations: null },
    ),
  ],
  ['tolerations', agent({ tolerations: [{ operator: 'Exists' }] })],
  [
    'what the server keeps',
    agent({}, { uid: 'u', resourceVersion: '1', generation: 3, ownerReferences: [{ name: 'o' }] }),
  ],
  ['a label of Helm', agent({}, { labels: { 'app.kubernetes.io/managed-by': 'Helm' } })],
  [
    'quantities that are not canonical',
    agent({ containers: [side, { name: 'node-agent' }], runtimeClassName: 'kata', overhead: { cpu: '1000m' } }),
  ],
  [
    'text that looks like something else',
    agent({ containers: [{ name: 'node-agent', args: ['yes', '0644', '1e3', '~'] }] }),
  ],
  [
    'braces in a text',
    agent({}, { annotations: { a: '{{ with secret "x" }}y{{ end }}', b: '{ {', c: '}} .Name {{' } }),
  ],
]

/** Templates that must be refused, and with which code. */
const BAD: Array<[name: string, daemonSet: KubernetesObject, code: string]> = [
  ['no containers', agent({ containers: [] }), 'TemplateInvalid'],
  ['a container without a name', agent({ containers: [{}] }), 'TemplateInvalid'],
  ['an empty selector', agent({}, {}, { selector: {} }), 'TemplateInvalid'],
  ['a selector for other pods', agent({}, {}, { selector: { matchLabels: { app: 'b' } } }), 'TemplateInvalid'],
  ['a node selector that is no text', agent({ nodeSelector: { a: 1 } }), 'TemplateInvalid'],
  ['an affinity that is none', agent({ affinity: affinity({ matchExpressions: 'x' }) }), 'TemplateInvalid'],
  [
    'a variable twice, and another made of the first',
    agent({ containers: [{ name: 'node-agent', env: [twice[0], { name: 'B', value: '$(A)' }, twice[1]] }] }),
    'TemplateInvalid',
  ],
  ['resources for the pod', agent({ resources: { limits: { cpu: '1' } } }), 'PodLevelResources'],
  ['no container to choose', agent({ containers: [{ name: 'x' }, { name: 'y' }] }), 'ContainerNotChosen'],
]

const run = (source: Source, daemonSet: KubernetesObject, spec: Record<string, unknown> = {}) =>
  plan(listOf([NODES, ...source.objects(daemonSet, spec)]))
const errors = (result: ReturnType<typeof plan>) => result.findings.filter(({ severity }) => severity === 'error')
const bare = (result: ReturnType<typeof plan>) =>
  [...rendered(result.items).values()].map(({ metadata, ...rest }) => {
    const { annotations = {}, ...meta } = metadata
    const own = Object.entries(annotations).filter(([key]) => !key.startsWith('internal.'))
    return { ...rest, metadata: { ...meta, annotations: Object.fromEntries(own) } }
  })

for (const source of SOURCES) {
  suite(`templates: ${source.name}`, (test) => {
    for (const [name, daemonSet, spec] of GOOD) {
      test(`${name} renders`, () => {
        const result = run(source, daemonSet, spec)
        assert.equal(errors(result), [])
        assert.equal([...rendered(result.items).keys()].sort(), ['node-agent-default', 'node-agent-m5-large'])
        for (const object of rendered(result.items).values()) {
          const { selector, template } = (object as DaemonSet).spec
          assert.equal(selector.matchLabels, {
            app: 'a',
            'example.com/group': object.metadata.labels?.['example.com/group'],
          })
          assert.is(template.metadata?.labels?.tier, 'x')
          assert.equal(object.metadata.uid ?? object.metadata.ownerReferences, undefined)
          const sized = template.spec?.containers?.find((container) => container.name === 'node-agent')
          assert.ok(sized?.resources?.limits?.memory)
          assert.ok(
            sized?.env?.some(({ name: variable, value }) => variable === 'GOMEMLIMIT' && /^\d+MiB$/.test(value ?? '')),
          )
        }
      })
    }
    test('a variable is there once, with its last value, and a run with its output fed back says the same', () => {
      const doubled = { name: 'node-agent', env: [...twice, { name: 'GOMEMLIMIT', value: '1' }] }
      for (const containers of [
        { containers: [doubled] },
        { containers: [{ name: 'node-agent' }], initContainers: [{ ...doubled, name: 'init' }] },
      ]) {
        const result = run(source, agent(containers))
        const { findings } = result
        assert.ok(codes(findings).includes('VariableTwice'))
        for (const object of rendered(result.items).values()) {
          const pod = (object as DaemonSet).spec.template.spec
          const variables = [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].flatMap(({ env = [] }) => env)
          assert.equal(
            variables.filter(({ name }) => name === 'A'),
            [{ name: 'A', value: 'y' }],
          )
          if (pod?.initContainers === undefined)
            assert.not.equal(variables.find(({ name }) => name === 'GOMEMLIMIT')?.value, '1')
        }
      }
    })
    for (const [name, daemonSet, code] of BAD) {
      test(`${name} is refused`, () => {
        const list = listOf([NODES, ...source.objects(daemonSet, {})])
        const result = plan(list)
        assert.equal(codes(errors(result)), [code])
        assert.equal(result.items, list.items)
      })
    }
    test('the template leaves as local configuration, or stays out of the output', () => {
      const result = run(source, agent())
      const template = result.items.find(({ object }) => object.kind === source.name && !object.metadata.labels)
      assert.is(template?.object.metadata.annotations?.['config.kubernetes.io/local-config'], 'true')
      assert.is(template?.object.metadata.annotations?.['nodefit.dev/template'], 'true')
    })
    test('the mark of Kubescape’s operator is copied only where the policy asks for it', () => {
      const mark = { 'kubescape.io/managed-by': 'operator-autoscaler' }
      const marks = (spec: Record<string, unknown>) => {
        const made = rendered(run(source, agent({}, { labels: { ...mark, tier: 'x' } }), spec).items)
        const labels = made.get('node-agent-m5-large')?.metadata.labels
        return [labels?.['kubescape.io/managed-by'], labels?.tier]
      }
      assert.equal(marks({}), [undefined, 'x'])
      const managedBy = 'kubescape.io/managed-by=operator-autoscaler'
      assert.equal(marks({ labels: { ...SAME.labels, managedBy } }), ['operator-autoscaler', 'x'])
    })
    test('a missing target names what was looked for', () => {
      const [, owner] = source.objects(agent(), {})
      const [only] = errors(plan(listOf([NODES, owner as KubernetesObject])))
      assert.is(only?.code, 'TargetMissing')
      assert.match(only?.message ?? '', new RegExp(`there is no ${source.name} `))
    })
    test('two targets are ambiguous', () => {
      const [target, owner] = source.objects(agent(), {}) as [KubernetesObject, KubernetesObject]
      assert.equal(codes(errors(plan(listOf([NODES, target, target, owner])))), ['TargetNotUnique'])
    })
    test('our own output is never the target', () => {
      const [target, owner] = source.objects(agent(), {}) as [KubernetesObject, KubernetesObject]
      const annotations = { 'nodefit.dev/owner': 'SizingPolicy/p' }
      const own = { ...target, metadata: { ...target.metadata, annotations } }
      assert.ok(codes(errors(plan(listOf([NODES, own, owner])))).includes('TargetMissing'))
    })
  })
}

suite('templates: the same from both', (test) => {
  for (const [name, daemonSet, spec] of GOOD) {
    test(name, () => {
      const [one, other] = SOURCES.map((source) => bare(run(source, daemonSet, spec)))
      assert.equal(other, one)
    })
  }
})
