/** What only the template of Kubescape's chart has: placeholders, conditions, and rows T1 to T8 and T19. */
import * as assert from 'uvu/assert'
import { KrmError } from '../../../../src/krm/error.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import type { DaemonSet } from '../../../../src/plan/daemonset/index.ts'
import { readTemplateText, TemplateTextError } from '../../../../src/plan/daemonset/kubescape/template-text.ts'
import { plan } from '../../../../src/rules/run.ts'
import { codes, inventory, listOf, OS, rendered, shape, TYPE } from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import {
  CONDITIONS,
  CONTAINER,
  chartText,
  kubescapePolicy,
  operatorConfig,
  TEMPLATE_KEY,
  templateMap,
} from '../../../support/template.ts'

const LARGE = shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a'])
const NODES = inventory([LARGE])
const WITH_DEFAULT = inventory([LARGE, shape({ [OS]: 'linux' }, ['b'])])
const run = (template: KubernetesObject, spec: Record<string, unknown> = {}, nodes = NODES) =>
  plan(listOf([nodes, template, operatorConfig(false), kubescapePolicy(spec)]))
const errors = (result: ReturnType<typeof plan>) => result.findings.filter(({ severity }) => severity === 'error')
const one = (result: ReturnType<typeof plan>, name = 'node-agent-m5-large') => {
  assert.equal(
    errors(result).map(({ message }) => message),
    [],
  )
  const object = rendered(result.items).get(name) as DaemonSet | undefined
  assert.ok(object, `${name} is not among ${[...rendered(result.items).keys()].join(', ')}`)
  return object
}
const pod = (object: DaemonSet) => object.spec.template.spec ?? {}
const container = (object: DaemonSet, name = 'node-agent') => pod(object).containers?.find((each) => each.name === name)
const variable = (object: DaemonSet, name: string, of = 'node-agent') =>
  container(object, of)?.env?.find((each) => each.name === name)?.value
const CHART_LABELS = {
  'app.kubernetes.io/name': 'kubescape-operator',
  'app.kubernetes.io/instance': 'kubescape',
  'app.kubernetes.io/component': 'node-agent',
}

suite('the chart’s template', (test) => {
  test('T1 name, namespace, labels, node selector and quantities of a group', () => {
    const own = { requestCPU: 5, requestMemory: 100, limitCPU: 25, limitMemory: 100 }
    const spec = { resourcePercentages: own, minResources: { memory: '200Mi' }, maxResources: { memory: '1Gi' } }
    const object = one(
      run(templateMap(), spec, inventory([shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a'], '2', '200Mi')])),
    )
    assert.equal([object.metadata.name, object.metadata.namespace], ['node-agent-m5-large', 'kubescape'])
    assert.is(object.metadata.labels?.['kubescape.io/managed-by'], 'operator-autoscaler')
    assert.is(object.metadata.labels?.['kubescape.io/node-group'], 'm5.large')
    assert.equal(pod(object).nodeSelector, { [OS]: 'linux', [TYPE]: 'm5.large' })
    assert.equal(container(object)?.resources, {
      requests: { cpu: '100m', memory: '200Mi' },
      limits: { cpu: '500m', memory: '200Mi' },
    })
  })
  test('T2 an action that does not end is an error', () => {
    for (const broken of ['name: {{ .Name\n', 'name: {{ if }}\n']) {
      const [error] = errors(run(templateMap(`${broken}${chartText()}`)))
      assert.is(error?.code, 'TemplateInvalid')
      assert.match(error?.message ?? '', 'failed to parse template')
    }
  })
  test('a condition that nodefit does not know is named with its own line', () => {
    const text = chartText({ annotations: '        {{- if .X }}\n        a: b\n        {{- end }}\n' })
    const line = text.split('\n').findIndex((each) => each.includes('{{- if .X }}')) + 1
    const [error] = errors(run(templateMap(text)))
    assert.is(error?.code, 'TemplateInvalid')
    assert.match(error?.message ?? '', `line ${line} has {{- if .X }}, which nodefit does not evaluate`)
  })
  test('T3 no template at all is an error, and so is another key', () => {
    assert.equal(codes(errors(plan(listOf([NODES, operatorConfig(false), kubescapePolicy()])))), ['TargetMissing'])
    const [error] = errors(run(templateMap(chartText(), 'other.yaml')))
    assert.match(
      error?.message ?? '',
      /data\.daemonset-template\.yaml: the key is missing or not a string \(keys are other\.yaml\)/,
    )
    assert.equal(errors(run(templateMap(chartText(), 'other.yaml'), { targetRef: target('other.yaml') })), [])
  })
  test('T4 the text around the name stays', () => {
    const names = (name: string, spec = {}) =>
      [...rendered(run(templateMap(chartText({ name })), spec).items).keys()].join(' ')
    assert.is(names('"{{ .Name }}-v2"'), 'node-agent-m5-large-v2')
    assert.is(names('{{ .Name }}-v2'), 'node-agent-m5-large-v2')
    assert.is(names('pre-{{.Name}}'), 'pre-node-agent-m5-large')
    assert.is(names('"{{- .Name -}}"'), 'node-agent-m5-large')
    assert.is(names('"{{ .Name }}-v2"', { names: { 'm5.large': 'mine' } }), 'mine')
    assert.match(errors(run(templateMap(chartText({ name: 'node-agent' }))))[0]?.message ?? '', 'and lacks {{ .Name }}')
    assert.match(
      errors(run(templateMap(chartText({ name: '"{{ .Name }}{{ .Name }}"' }))))[0]?.message ?? '',
      'failed to parse',
    )
  })
  test('T5 one container, the selector of the chart and the group', () => {
    const object = one(run(templateMap()))
    assert.equal(
      pod(object).containers?.map(({ name }) => name),
      ['node-agent'],
    )
    assert.equal(object.spec.selector.matchLabels, { ...CHART_LABELS, 'kubescape.io/node-group': 'm5.large' })
  })
  test('T6 a sidecar before it keeps its own size and GOMEMLIMIT', () => {
    const sidecar = `      - name: sbom-scanner
        resources:
          requests: {cpu: 50m, memory: 256Mi}
          limits: {cpu: 1000m, memory: 4Gi}
        env:
        - name: GOMEMLIMIT
          value: "3276MiB"
`
    const object = one(run(templateMap(chartText({ container: sidecar + CONTAINER }))))
    assert.equal(
      pod(object).containers?.map(({ name }) => name),
      ['sbom-scanner', 'node-agent'],
    )
    assert.equal(container(object, 'sbom-scanner')?.resources, {
      requests: { cpu: '50m', memory: '256Mi' },
      limits: { cpu: '1', memory: '4Gi' },
    })
    assert.is(variable(object, 'GOMEMLIMIT', 'sbom-scanner'), '3276MiB')
    assert.is(variable(object, 'GOMEMLIMIT'), '655MiB')
  })
  test('T7 an unknown placeholder is an error that names it and where it stands', () => {
    for (const unknown of ['{{ .LogLevel }}', '{{ .Resources.Request.CPU }}', '{{- .x -}}']) {
      const container = CONTAINER.replace('value: info', `value: "${unknown}"`)
      const [error] = errors(run(templateMap(chartText({ container }))))
      assert.is(error?.code, 'UnknownPlaceholder')
      assert.match(error?.message ?? '', 'spec.template.spec.containers.0.env.1.value')
    }
    const [bare] = errors(run(templateMap(chartText({ container: CONTAINER.replace('info', '{{ .LogLevel }}') }))))
    assert.is(bare?.code, 'UnknownPlaceholder')
  })
  const ACTIONS: Array<[name: string, text: string, isRefused: boolean]> = [
    ['a function of a field', '{{ printf "%s" .Name }}', true],
    ['a field through a pipe', '{{ .NodeGroupLabel | quote }}', true],
    ['without blanks', '{{.Name|quote}}', true],
    ['in brackets', '{{- (.GoMemLimit) -}}', true],
    ['within a longer text', 'a {{ printf "%s" .Resources.Limits.CPU }} b', true],
    ['of the root', '{{ $.Name }}', true],
    ['a field of another name', '{{ printf "%s" .Names }}', false],
    ['a function of no field', '{{ now }}', false],
    ['of another program’s dot', '{{ range services }}{{ .Name | toLower }}{{ end }}', false],
    ['of a secret', '{{ with secret "x" }}{{ .Data.Name | x }}{{ end }}', false],
  ]
  for (const [name, text, isRefused] of ACTIONS) {
    test(`an action in a scalar, ${name}, is ${isRefused ? 'refused' : 'text'}`, () => {
      const result = run(templateMap(chartText({ annotations: `        a: '${text}'\n` })))
      assert.equal(codes(errors(result)), isRefused ? ['UnknownPlaceholder'] : [])
      if (isRefused) assert.match(errors(result)[0]?.message ?? '', 'spec.template.metadata.annotations.a has ')
      else assert.is(one(result).spec.template.metadata?.annotations?.a, text)
    })
  }
  test('an action in a key is refused', () => {
    const result = run(templateMap(chartText({ annotations: `        '{{ printf "%s" .Name }}': a\n` })))
    assert.equal(codes(errors(result)), ['UnknownPlaceholder'])
    assert.match(errors(result)[0]?.message ?? '', 'spec.template.metadata.annotations.{{ printf "%s" .Name }}')
  })
  test('T8 a normal group: selector, affinity, SELinux type and GOMEMLIMIT', () => {
    const object = one(run(templateMap()))
    assert.equal(object.spec.selector.matchLabels, { ...CHART_LABELS, 'kubescape.io/node-group': 'm5.large' })
    assert.equal(pod(object).affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, {
      nodeSelectorTerms: [{ matchExpressions: [{ key: OS, operator: 'In', values: ['linux'] }] }],
    })
    assert.equal(container(object)?.securityContext?.seLinuxOptions, { type: 'spc_t' })
    assert.is(variable(object, 'GOMEMLIMIT'), '655MiB')
  })
  test('the default group excludes in every term of the user’s own affinity', () => {
    const object = one(run(templateMap(), { defaultNodeGroup: 'default' }, WITH_DEFAULT), 'node-agent-default')
    assert.equal(pod(object).nodeSelector, { [OS]: 'linux' })
    assert.equal(pod(object).affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: OS, operator: 'In', values: ['linux'] },
            { key: TYPE, operator: 'DoesNotExist' },
          ],
        },
      ],
    })
  })
  test('T19 braces in a longer text are text, also whole lines of a block', () => {
    const annotations = `        a: '{{ with secret "x" }}'
        b: |
          {{- if .IsDefaultGroup }}
          {{ .Data }}
          {{- end }}
        c: >-
          {{ .Name }} and more
        d: "{{ .Name }}{{ .Name }}"
`
    const object = one(run(templateMap(chartText({ annotations }))))
    const kept = { ...object.spec.template.metadata?.annotations }
    delete kept['checksum/config']
    assert.equal(kept, {
      a: '{{ with secret "x" }}',
      b: '{{- if .IsDefaultGroup }}\n{{ .Data }}\n{{- end }}\n',
      c: '{{ .Name }} and more',
      d: '{{ .Name }}{{ .Name }}',
    })
  })
  test('an older template, without conditions and with the label key written out', () => {
    const conditions = `      nodeSelector:\n        ${OS}: linux\n        ${TYPE}: "{{ .NodeGroupLabel }}"\n      affinity:\n`
    const [object, other] = ['node-agent-m5-large', 'node-agent-default'].map((name) =>
      one(run(templateMap(chartText({ conditions })), { defaultNodeGroup: 'default' }, WITH_DEFAULT), name),
    ) as [DaemonSet, DaemonSet]
    assert.equal(pod(object).nodeSelector, { [OS]: 'linux', [TYPE]: 'm5.large' })
    assert.is(pod(object).affinity, undefined)
    assert.equal(pod(other).nodeSelector, { [OS]: 'linux' })
  })
  const OWN = '        - name: GOMEMLIMIT\n          value: 500MiB\n'
  const withEnv = (more: string) => CONTAINER.replace('        securityContext:\n', `${more}        securityContext:\n`)
  const TWICE: Array<[name: string, container: string, want: Array<[name: string, value: string | undefined]>]> = [
    [
      'a GOMEMLIMIT of the user’s stays, and the chart’s goes',
      withEnv(OWN),
      [
        ['LEVEL', 'info'],
        ['GOMEMLIMIT', '500MiB'],
      ],
    ],
    [
      'before the chart’s, too',
      CONTAINER.replace('        env:\n', `        env:\n${OWN}`),
      [
        ['GOMEMLIMIT', '500MiB'],
        ['LEVEL', 'info'],
      ],
    ],
    [
      'of the chart’s twice, one is computed',
      withEnv('        - name: GOMEMLIMIT\n          value: "{{ .GoMemLimit }}"\n'),
      [
        ['LEVEL', 'info'],
        ['GOMEMLIMIT', '655MiB'],
      ],
    ],
    [
      'an older chart’s GOMEMLIMIT, a reference, gives way to the user’s behind it',
      withEnv(OWN).replace(
        'value: "{{ .GoMemLimit }}"',
        'valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: "1"}}',
      ),
      [
        ['LEVEL', 'info'],
        ['GOMEMLIMIT', '500MiB'],
      ],
    ],
    [
      'of any other variable the last stays',
      withEnv('        - name: LEVEL\n          value: debug\n'),
      [
        ['GOMEMLIMIT', '655MiB'],
        ['LEVEL', 'debug'],
      ],
    ],
  ]
  const READ_BACK = 'valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: "1"}}'
  const older = CONTAINER.replace('value: "{{ .GoMemLimit }}"', READ_BACK)
  test('a GOMEMLIMIT that is no placeholder stays, as in 1.30.7, unless a fraction is stated', () => {
    const limitOf = (text: string, spec = {}) =>
      container(one(run(templateMap(chartText({ container: text })), spec)))?.env?.filter(
        ({ name }) => name === 'GOMEMLIMIT',
      )
    const reference = { resourceFieldRef: { resource: 'limits.memory', divisor: '1' } }
    assert.equal(limitOf(older), [{ name: 'GOMEMLIMIT', valueFrom: reference }])
    assert.equal(limitOf(older, { goMemLimitPercentage: 0.8 }), [{ name: 'GOMEMLIMIT', value: '655MiB' }])
    assert.equal(limitOf(CONTAINER.replace('{{ .GoMemLimit }}', '500MiB')), [{ name: 'GOMEMLIMIT', value: '500MiB' }])
    const none = CONTAINER.replace('        - name: GOMEMLIMIT\n          value: "{{ .GoMemLimit }}"\n', '')
    assert.equal(limitOf(none), [])
    assert.equal(limitOf(none, { goMemLimitPercentage: 0.8 }), [{ name: 'GOMEMLIMIT', value: '655MiB' }])
  })
  test('a variable with value and valueFrom is refused, before the API server does', () => {
    for (const both of [
      older.replace(READ_BACK, `${READ_BACK}\n          value: 500MiB`),
      older.replace(READ_BACK, `${READ_BACK}\n          value: "{{ .GoMemLimit }}"`),
    ])
      for (const spec of [{}, { goMemLimitPercentage: 0.8 }]) {
        const [error] = errors(run(templateMap(chartText({ container: both })), spec))
        assert.is(error?.code, 'TemplateInvalid')
        assert.match(error?.message ?? '', 'env GOMEMLIMIT of container node-agent is not either value or valueFrom')
      }
    const empty = older.replace(READ_BACK, `${READ_BACK}\n          value: ""`)
    assert.equal(errors(run(templateMap(chartText({ container: empty })))), [], 'the API server takes an empty value')
  })
  for (const [name, text, want] of TWICE) {
    test(`a variable twice: ${name}`, () => {
      for (const spec of [{}, { goMemLimitPercentage: 0.8 }]) {
        const result = run(templateMap(chartText({ container: text })), spec)
        assert.equal(
          container(one(result))?.env?.map((each) => [each.name, each.value]),
          want,
        )
        assert.ok(codes(result.findings).includes('VariableTwice'))
        const again = plan(listOf(result.items.map(({ object }) => object)))
        assert.equal(container(one(again))?.env, container(one(result))?.env)
      }
    })
  }
  test('a variable twice is refused where another refers to the one that would go', () => {
    const refers = '        - name: A\n          value: $(LEVEL)\n        - name: LEVEL\n          value: debug\n'
    const [error] = errors(run(templateMap(chartText({ container: withEnv(refers) }))))
    assert.is(error?.code, 'TemplateInvalid')
    assert.match(error?.message ?? '', 'lists LEVEL 2 times, and A refers to an entry that would be removed')
    const own = '        - name: LEVEL\n          value: $(LEVEL)-x\n'
    assert.equal(codes(errors(run(templateMap(chartText({ container: withEnv(own) }))))), ['TemplateInvalid'])
    const behind = '        - name: LEVEL\n          value: debug\n        - name: A\n          value: $(LEVEL)\n'
    assert.equal(errors(run(templateMap(chartText({ container: withEnv(behind) })))), [])
  })
  test('the label key is the policy’s', () => {
    const nodes = inventory([shape({ zone: 'z1', [OS]: 'linux' }, ['a'])])
    const object = one(run(templateMap(), { nodeGroupLabel: 'zone' }, nodes), 'node-agent-z1')
    assert.equal(pod(object).nodeSelector, { [OS]: 'linux', zone: 'z1' })
  })
  test('another key for the group label: the chart’s own carries the group as well', () => {
    const object = one(run(templateMap(), { labels: { nodeGroup: 'example.com/group' } }))
    const group = { 'kubescape.io/node-group': 'm5.large', 'example.com/group': 'm5.large' }
    assert.equal(object.spec.selector.matchLabels, { ...CHART_LABELS, ...group })
  })
  test('a placeholder elsewhere gets the value of its container, or is an error', () => {
    const container = CONTAINER.replace('value: info', 'value: "{{ .Resources.Limits.Memory }}"')
    assert.is(variable(one(run(templateMap(chartText({ container })))), 'LEVEL'), '819Mi')
    const annotations =
      '        name: "{{ .Name }}"\n        group: "{{ .NodeGroupLabel }}"\n        key: "{{ .NodeGroupLabelKey }}"\n'
    const object = one(run(templateMap(chartText({ annotations }))))
    const { name, group, key } = object.spec.template.metadata?.annotations ?? {}
    assert.equal([name, group, key], ['node-agent-m5-large', 'm5.large', TYPE])
    const two = `      - name: other\n        image: other:1\n${CONTAINER}`
    const sized = { containers: [{ name: 'other' }] }
    assert.equal(
      [...new Set(codes(errors(run(templateMap(chartText({ container: two })), sized))))],
      ['UnknownPlaceholder'],
    )
  })
  test('without a memory limit GOMEMLIMIT is left out, unless it is asked for', () => {
    const spec = { resourcePercentages: { limitMemory: null } }
    const object = one(run(templateMap(), spec))
    assert.equal(container(object)?.env, [{ name: 'LEVEL', value: 'info' }])
    assert.equal(container(object)?.resources?.limits, { cpu: '200m' })
    assert.equal(codes(errors(run(templateMap(), { ...spec, goMemLimitPercentage: 0.8 }))), ['DerivedWithoutSize'])
  })
  test('an SELinux type is given only where the template leaves it open, unless the policy asks for one', () => {
    const sidecar = '      - name: side\n        image: side:1\n'
    const literal = CONTAINER.replace('"{{ .SELinuxType }}"', 'custom_t')
    const types = (container: string, spec: Record<string, unknown>, nodes = NODES) =>
      pod(one(run(templateMap(chartText({ container })), spec, nodes))).containers?.map(
        ({ securityContext }) => (securityContext?.seLinuxOptions as { type?: string } | undefined)?.type,
      )
    const shares = {
      containers: [
        { name: 'node-agent', share: 60 },
        { name: 'side', share: 40 },
      ],
    }
    const rocket = inventory([
      shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a'], '4', '16Gi', { osImage: 'Bottlerocket' }),
    ])
    assert.equal(types(sidecar + CONTAINER, shares), [undefined, 'spc_t'])
    assert.equal(types(sidecar + CONTAINER, { ...shares, seLinuxType: 'a_t' }), ['a_t', 'a_t'])
    assert.equal(types(literal, {}), ['custom_t'])
    assert.equal(types(literal, { seLinuxType: '' }), ['custom_t'])
    assert.equal(types(CONTAINER, { seLinuxType: '' }), ['spc_t'])
    assert.equal(types(sidecar + CONTAINER, shares, rocket), [undefined, 'super_t'])
    assert.equal(types(literal, {}, rocket), ['super_t'])
    assert.equal(codes(errors(run(templateMap(), { seLinuxType: 'a b' }))), ['InvalidField'])
  })
  test('the remainder of a fleet of Bottlerocket is Bottlerocket', () => {
    const rocket = { osImage: 'Bottlerocket OS' }
    const [a, b] = [
      { [TYPE]: 'a', [OS]: 'linux' },
      { [TYPE]: 'b', [OS]: 'linux' },
    ]
    const type = (...shapes: object[]) => {
      const object = one(run(templateMap(), { remainder: true }, inventory(shapes)), 'node-agent-remainder')
      return container(object)?.securityContext?.seLinuxOptions
    }
    const [left, right] = [shape(a, ['a'], '4', '16Gi', rocket), shape(b, ['b'], '4', '16Gi', rocket)]
    assert.equal(type(left, right), { type: 'super_t' })
    assert.equal(type(left, shape(b, ['b'])), { type: 'spc_t' })
  })
  test('a template made for another label, and a placeholder within a text, are said', () => {
    const conditions = `      nodeSelector:\n        ${OS}: linux\n        topology.kubernetes.io/zone: "{{ .NodeGroupLabel }}"\n`
    assert.ok(codes(run(templateMap(chartText({ conditions }))).findings).includes('GroupLabelDiffers'))
    const annotations = '        a: "x-{{ .Name }}"\n'
    const result = run(templateMap(chartText({ annotations })))
    assert.ok(codes(result.findings).includes('PlaceholderInText'))
    assert.is(one(result).spec.template.metadata?.annotations?.a, 'x-{{ .Name }}')
    const clean = codes(run(templateMap()).findings)
    assert.not(clean.includes('PlaceholderInText') || clean.includes('GroupLabelDiffers'))
  })
  test('a condition that adds to the node selector is refused', () => {
    const conditions = CONDITIONS.replace(
      '        {{- end }}\n',
      '        {{- else }}\n        pool: x\n        {{- end }}\n',
    )
    assert.match(errors(run(templateMap(chartText({ conditions }))))[0]?.message ?? '', 'a condition is outside')
  })
  test('the operator’s label of the template is the policy’s affair', () => {
    const text = chartText().replace('  labels:\n', '  labels:\n    kubescape.io/managed-by: operator-autoscaler\n')
    const label = (spec: Record<string, unknown>) =>
      one(run(templateMap(text), spec)).metadata.labels?.['kubescape.io/managed-by']
    assert.is(label({}), 'operator-autoscaler')
    assert.is(label({ labels: { managedBy: 'a/b=c' } }), undefined)
  })
  test('the namespace is that of the ConfigMap, whatever the text says', () => {
    const template = { ...templateMap(), metadata: { name: 'node-agent-daemonset-template', namespace: 'security' } }
    const policy = kubescapePolicy()
    const moved = { ...policy, metadata: { ...policy.metadata, namespace: 'security' } }
    const result = plan(listOf([NODES, template, operatorConfig(false), moved]))
    assert.is(one(result).metadata.namespace, 'security')
  })
  test('a ConfigMap stays as it is beside what may mount it and cannot be looked into', () => {
    const beside = (kind: string) => {
      const object = { apiVersion: 'x/v1', kind, metadata: { name: 'odd', namespace: 'kubescape' } }
      const list = listOf([NODES, templateMap(), kubescapePolicy(), operatorConfig(false)])
      const { items } = plan({
        ...list,
        items: [...list.items, { object, opaque: new KrmError('YamlSyntax', 'a tag'), text: 'spec: !odd {}' }],
      })
      const map = items.find((item) => item.object.metadata.name === 'node-agent-daemonset-template')
      return map?.object.metadata.annotations?.['config.kubernetes.io/local-config']
    }
    assert.equal(['Rollout', 'CustomResourceDefinition', 'ConfigMap'].map(beside), [undefined, 'true', 'true'])
  })
  test('a ConfigMap that a workload mounts stays as it is, byte for byte', () => {
    const volumes = (volume: object) => ({ spec: { template: { spec: { volumes: [{ name: 't', ...volume }] } } } })
    const workload = (volume: object, ...[namespace]: [string?]): KubernetesObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'operator', namespace },
      ...volumes(volume),
    })
    const name = 'node-agent-daemonset-template'
    const isKept = (object: KubernetesObject) => {
      const list = listOf([NODES, templateMap(), object, operatorConfig(false), kubescapePolicy()])
      return plan(list).items[1] === list.items[1]
    }
    assert.ok(isKept(workload({ configMap: { name } })))
    assert.ok(isKept(workload({ projected: { sources: [{ configMap: { name } }] } })))
    assert.not(isKept(workload({ configMap: { name: 'other' } })))
    assert.ok(isKept(workload({ configMap: { name } }, undefined)))
    assert.not(isKept(workload({ configMap: { name } }, 'elsewhere')))
    assert.not(isKept(workload({ emptyDir: {} })))
  })
  test('a workload of another package counts, too', () => {
    const inPackage = (object: KubernetesObject, path: string): KubernetesObject => ({
      ...object,
      metadata: { ...object.metadata, annotations: { 'internal.config.kubernetes.io/package-path': path } },
    })
    const name = 'node-agent-daemonset-template'
    const spec = { template: { spec: { volumes: [{ name: 't', configMap: { name } }] } } }
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'operator' }, spec }
    const own = [NODES, templateMap(), operatorConfig(false), kubescapePolicy()].map((object) =>
      inPackage(object, 'a/b'),
    )
    const list = listOf([...own, inPackage(deployment, 'a')])
    assert.is(plan(list).items[1], list.items[1])
  })
  test('disabled without a namespace and without the template, what was rendered goes', () => {
    const policy = kubescapePolicy()
    const { namespace: _, ...metadata } = policy.metadata
    const bare = { ...policy, metadata }
    const first = plan(listOf([NODES, templateMap(), operatorConfig(false), bare]))
    const left = first.items
      .map(({ object }) => object)
      .filter((object) => object.metadata.name !== 'node-agent-daemonset-template')
      .map((object) =>
        object.kind === 'SizingPolicy' ? { ...object, spec: { ...(object.spec as object), enabled: false } } : object,
      )
    const result = plan(listOf(left))
    assert.equal(errors(result), [])
    assert.is(rendered(result.items).size, 0)
  })
  test('disabled, with or without the template: the groups go', () => {
    const first = run(templateMap())
    const objects = first.items.map(({ object }) =>
      object.kind === 'SizingPolicy' ? { ...object, spec: { ...(object.spec as object), enabled: false } } : object,
    )
    for (const kept of [objects, objects.filter(({ metadata }) => metadata.name !== 'node-agent-daemonset-template')]) {
      const result = plan(listOf(kept))
      assert.equal(errors(result), [])
      assert.is(rendered(result.items).size, 0)
      assert.ok(codes(result.findings).includes('GroupRemoved'))
    }
  })
})

function target(key: string) {
  return { kind: 'ConfigMap', name: 'node-agent-daemonset-template', key }
}

const BROKEN: Array<[name: string, text: unknown]> = [
  ['an empty text', ''],
  ['a number', 5],
  ['a list', '- a'],
  ['another kind', chartText().replace('kind: DaemonSet', 'kind: Deployment')],
  ['another version', chartText().replace('apps/v1', 'extensions/v1beta1')],
  [
    'a selector that is none',
    chartText().replace('    matchLabels:\n', '    matchExpressions: {}\n    matchLabels:\n'),
  ],
  ['no pod template', 'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: "{{ .Name }}"}\nspec: {selector: {}}'],
  ['two documents', `${chartText()}---\na: b\n`],
  ['a condition without end', chartText({ conditions: CONDITIONS.replaceAll('        {{- end }}\n', '') })],
  [
    'an else too many',
    chartText({ conditions: CONDITIONS.replace('{{- else }}', '{{- else }}\n        {{- else }}') }),
  ],
  [
    'a condition in a condition',
    chartText({ conditions: CONDITIONS.replace('{{- else }}', '{{- if .IsDefaultGroup }}') }),
  ],
  ['an end without condition', `${chartText()}{{- end }}\n`],
  ['another condition', chartText({ conditions: CONDITIONS.replaceAll('.IsDefaultGroup', '.Other') })],
  [
    'a condition elsewhere',
    chartText({ container: `${CONTAINER}{{- if .IsDefaultGroup }}\n        tty: true\n{{- end }}\n` }),
  ],
  ['a loop', chartText({ container: `${CONTAINER}{{ range .Items }}\n{{ end }}\n` })],
  ['a value that is an expression', chartText({ container: CONTAINER.replace('info', '{{ or .A .B }}') })],
  ['a key twice', chartText({ container: `${CONTAINER}        name: again\n` })],
  ['a tag', chartText({ container: CONTAINER.replace('info', '!!binary YQ==') })],
  ['ten levels of ten aliases', bomb()],
  ['a key that would reach a prototype', chartText({ annotations: '        __proto__: x\n' })],
  ['depth', `a: ${'['.repeat(20_000)}`],
]

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(10)}]`)
  return `l0: &l0 [x]\n${levels.join('\n')}\n`
}

suite('texts that are no template', (test) => {
  for (const [name, text] of BROKEN) {
    test(`${name} is refused`, () => {
      const list = listOf([NODES, templateMap(text), operatorConfig(false), kubescapePolicy()])
      const result = plan(list)
      assert.equal(codes(errors(result)), ['TemplateInvalid'])
      assert.match(errors(result)[0]?.message ?? '', `data.${TEMPLATE_KEY}: `)
      assert.equal(result.items, list.items)
    })
  }
  test('a ConfigMap without data is refused', () => {
    const empty = { ...templateMap(), data: null }
    assert.match(errors(run(empty))[0]?.message ?? '', 'keys are none')
  })
})

suite('the text of a template', (test) => {
  const read = (text: string) => readTemplateText(text).valued as Record<string, unknown>
  const CASES: Array<[name: string, text: string, want: unknown]> = [
    ['a bare value', 'a: {{ .X }}', { a: '{{ .X }}' }],
    ['a bare value with a comment', 'a: {{ .X }} # y', { a: '{{ .X }}' }],
    ['a bare value with text behind it', 'a: {{ .X }}-v2', { a: '{{ .X }}-v2' }],
    ['a bare key', '{{ .X }}: b', { '{{ .X }}': 'b' }],
    ['a bare key and value', '{{ .X }}: {{ .Y }}', { '{{ .X }}': '{{ .Y }}' }],
    ['a bare key of a map', 'm:\n  {{ .X }}:\n    a: b', { m: { '{{ .X }}': { a: 'b' } } }],
    ['a bare list item', '- {{ .X }}\n- a: {{ .Y }}', ['{{ .X }}', { a: '{{ .Y }}' }]],
    ['a quoted key', '"a b": {{ .X }}', { 'a b': '{{ .X }}' }],
    ['without blanks, with trim markers', 'a: {{.X}}\nb: {{- .Y -}}', { a: '{{.X}}', b: '{{- .Y -}}' }],
    ['a block in a list', '- |\n  {{- end }}\n- b', ['{{- end }}\n', 'b']],
    ['a block that ends at its key’s column', 'm:\n  a: |\n    x\n  b: {{ .X }}', { m: { a: 'x\n', b: '{{ .X }}' } }],
    ['a block with indicators and a comment', 'a: |2- # c\n   {{ .X }}: y\nb: c', { a: ' {{ .X }}: y', b: 'c' }],
    ['a pipe within a text is no block', 'a: b | c\nd: {{ .X }}', { a: 'b | c', d: '{{ .X }}' }],
    ['a comment that looks like a block', '# a: |\n  \nb: {{ .X }}', { b: '{{ .X }}' }],
    ['lines ended by carriage returns', 'a: {{ .X }}\r\nb: c\r\n', { a: '{{ .X }}', b: 'c' }],
    [
      'a double-quoted text of several lines',
      'a: "x\n  p: {{ .X }}\n  {{ .Y }}: 1\n  {{- end }}"\nb: {{ .Z }}',
      { a: 'x p: {{ .X }} {{ .Y }}: 1 {{- end }}', b: '{{ .Z }}' },
    ],
    [
      'a single-quoted text of several lines',
      "a: 'it''s\n  {{ .X }}\n  y'\nb: {{ .Z }}",
      { a: "it's {{ .X }} y", b: '{{ .Z }}' },
    ],
    ['quotes within quotes', 'a: "b: \\"c"\nd: {{ .Z }}', { a: 'b: "c', d: '{{ .Z }}' }],
    ['an apostrophe in a plain text', "a: it's\nb: {{ .Z }}", { a: "it's", b: '{{ .Z }}' }],
    [
      'a plain text of several lines',
      'a: x\n  {{ .X }}\n  {{ end }} y\nb: {{ .Z }}',
      { a: 'x {{ .X }} {{ end }} y', b: '{{ .Z }}' },
    ],
    ['a plain list item of several lines', '- x\n  {{ .X }}\n- {{ .Y }}', ['x {{ .X }}', '{{ .Y }}']],
    [
      'a condition further right than the line before',
      'm:\n  a: x\n      {{- if not .IsDefaultGroup }}\n  b: {{ .Z }}\n      {{- end }}\n',
      { m: { a: 'x', b: '{{ .Z }}' } },
    ],
    [
      'conditions within quotes',
      'a: "x\n  {{- if .IsDefaultGroup }}\n  {{- end }}\n  y"',
      { a: 'x {{- if .IsDefaultGroup }} {{- end }} y' },
    ],
    ['a comment that looks like a quote', '# it\'s\na: {{ .Z }} # "x', { a: '{{ .Z }}' }],
    ['numbers as Go reads them', 'a: 0644\nb: 1_000\nc: 0o17', { a: 420, b: 1000, c: 15 }],
  ]
  for (const [name, text, want] of CASES) test(name, () => assert.equal(read(text), want))
  test('both branches', () => {
    const text =
      'a:\n  {{ if .IsDefaultGroup }}\n  x: 1\n  {{ else }}\n  y: 2\n  {{ end }}\nb:\n  {{-if   not .IsDefaultGroup-}}\n  z: 3\n  {{end}}\n'
    assert.equal(readTemplateText(text), { valued: { a: { y: 2 }, b: { z: 3 } }, unlabelled: { a: { x: 1 }, b: null } })
  })
  test('an error says the line', () => {
    assert.throws(
      () => readTemplateText('a: b\n{{ else }}\n'),
      (error: unknown) => {
        assert.instance(error, TemplateTextError)
        assert.match((error as Error).message, 'failed to parse template: line 2 has {{ else }}')
        return true
      },
    )
  })
})
