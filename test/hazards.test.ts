/** Every hazard of the Kubescape report (section 2.2), each with what nodefit does instead. */
import * as assert from 'uvu/assert'
import { shapeOfNode, toInventory } from '../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../src/krm/types.ts'
import { matchesLabels, matchesNode } from '../src/kube/index.ts'
import type { DaemonSet } from '../src/plan/daemonset/index.ts'
import { plan } from '../src/rules/run.ts'
import { codes, inventory, listOf, node, OS, rendered, shape, TYPE } from './support/objects.ts'
import { suite } from './support/suite.ts'
import { agentConfig, CONTAINER, chartText, kubescapePolicy, operatorConfig, templateMap } from './support/template.ts'

type Labels = Record<string, string>

/** A shape of Linux nodes; a type of undefined is no label. */
const linux = (type: string | undefined, nodes: string[], cpu = '4', memory = '16Gi', more: object = {}) =>
  shape({ [OS]: 'linux', ...(type === undefined ? {} : { [TYPE]: type }) }, nodes, cpu, memory, more)
const LARGE = linux('m5.large', ['a'])
const OFF = operatorConfig(false)
const WITH_DEFAULT = { defaultNodeGroup: 'default' }

interface Run {
  shapes?: object[]
  nodes?: KubernetesObject[]
  spec?: Record<string, unknown>
  text?: string
  more?: KubernetesObject[]
}

const run = ({ shapes = [LARGE], nodes, spec, text, more = [] }: Run = {}) =>
  plan(listOf([...(nodes ?? [inventory(shapes)]), templateMap(text), OFF, kubescapePolicy(spec), ...more]))
/** The same package after a run, with other nodes or another policy. */
const again = (first: ReturnType<typeof plan>, { shapes = [LARGE], spec, more = [] }: Run = {}) =>
  plan(
    listOf([
      ...first.items.map(({ object }) => {
        if (object.kind === 'NodeInventory') return inventory(shapes)
        return object.kind === 'SizingPolicy' && spec !== undefined ? kubescapePolicy(spec) : object
      }),
      ...more,
    ]),
  )
const errors = (result: ReturnType<typeof plan>) =>
  codes(result.findings.filter(({ severity }) => severity === 'error'))
const names = (result: ReturnType<typeof plan>) => [...rendered(result.items).keys()]
const one = (result: ReturnType<typeof plan>, name = 'node-agent-m5-large') => {
  assert.equal(errors(result), [])
  return rendered(result.items).get(name) as DaemonSet
}
const all = (result: ReturnType<typeof plan>) => [...rendered(result.items).values()] as DaemonSet[]
const agent = (object: DaemonSet) => object.spec.template.spec?.containers?.find(({ name }) => name === 'node-agent')
const size = (object: DaemonSet) => {
  const { requests, limits } = agent(object)?.resources ?? {}
  return `${requests?.cpu}/${requests?.memory} - ${limits?.cpu}/${limits?.memory}`
}
const variable = (object: DaemonSet, name: string) => agent(object)?.env?.find((each) => each.name === name)?.value
const daemonSetsOn = (result: ReturnType<typeof plan>, labels: Labels) =>
  all(result).filter(({ spec }) => matchesNode({ name: 'any', labels }, spec.template.spec ?? {}))

suite('hazards', (test) => {
  test('H1 the size is that of the smallest node, in whatever order; the spread is reported', () => {
    const [small, big] = [linux('m5.large', ['a']), linux('m5.large', ['b'], '8', '33Gi')]
    assert.is(size(one(run({ shapes: [big, small] }))), '100m/327Mi - 200m/819Mi')
    assert.is(size(one(run({ shapes: [small, big] }))), '100m/327Mi - 200m/819Mi')
    assert.ok(codes(run({ shapes: [small, big] }).findings).includes('GroupSpread'))
  })
  test('H2 a group all of whose nodes are NotReady stays', () => {
    const down = linux('m5.large', ['a', 'b'], '4', '16Gi', { ready: 'Unknown' })
    assert.equal(names(again(run(), { shapes: [down] })), ['node-agent-m5-large'])
  })
  test('H3 no nodes, an empty or a mistyped label are errors, and nothing is removed', () => {
    const first = run()
    assert.equal(errors(again(first, { shapes: [] })), ['NoNodes'])
    assert.equal(errors(again(first, { spec: { nodeGroupLabel: '' } })), ['InvalidField'])
    const mistyped = again(first, { spec: { nodeGroupLabel: 'node.kubernetes.io/instance-typo', ...WITH_DEFAULT } })
    assert.equal(errors(mistyped), ['LabelOnNoNode'])
    assert.equal(names(mistyped), ['node-agent-m5-large'])
    assert.equal(names(again(first, { shapes: [] })), ['node-agent-m5-large'])
  })
  test('H4 one group that fails, fails the run', () => {
    const result = again(run(), { shapes: [LARGE, linux('bare', ['b'], '0', '0')] })
    assert.equal(errors(result), ['NoAllocatable'])
    assert.equal(names(result), ['node-agent-m5-large'])
  })
  test('H5 a name never ends in a dash', () => {
    const result = run({ shapes: [linux(`${'a'.repeat(49)}.b`, ['a'])] })
    assert.equal(names(result), [`node-agent-${'a'.repeat(49)}`])
  })
  test('H6 a name does not depend on other groups once it is given', () => {
    const both = again(run(), { shapes: [LARGE, linux('m5_large', ['b'])] })
    assert.equal(names(both).sort(), ['node-agent-m5-large', 'node-agent-m5-large-ad36e8'])
    assert.equal(errors(run({ shapes: [LARGE, linux('m5_large', ['b'])] })), ['NameCollision'])
  })
  test('H7 a hashed name is free, too', () => {
    const first = run({ shapes: [LARGE, linux('m5-large-ad36e8', ['c'])] })
    const result = again(first, { shapes: [LARGE, linux('m5-large-ad36e8', ['c']), linux('m5_large', ['b'])] })
    assert.equal(errors(result), [])
    assert.is(new Set(names(result)).size, 3)
  })
  test('H8 no name is longer than 63 characters', () => {
    const long = (end: string) => linux(`${'a'.repeat(60)}${end}`, [`n${end}`])
    const first = run({ shapes: [long('1')] })
    const result = again(first, { shapes: [long('1'), long('2')] })
    assert.equal(errors(result), [])
    for (const name of names(result)) assert.ok(name.length <= 63, name)
    assert.is(new Set(names(result)).size, 2)
  })
  test('H9 the default group and a value called default have disjoint selectors', () => {
    const result = run({
      shapes: [linux('default', ['a']), linux(undefined, ['b'])],
      spec: { defaultNodeGroup: 'unlabelled' },
    })
    assert.equal(errors(result), [])
    const [left, right] = all(result) as [DaemonSet, DaemonSet]
    assert.not(matchesLabels(left.spec.selector, right.spec.template.metadata?.labels ?? {}))
    assert.not(matchesLabels(right.spec.selector, left.spec.template.metadata?.labels ?? {}))
  })
  test('H10 absent, empty and a value are three groups', () => {
    const result = run({ shapes: [LARGE, linux('', ['b']), linux(undefined, ['c'])], spec: WITH_DEFAULT })
    assert.equal(names(result).sort(), ['node-agent-default', 'node-agent-empty', 'node-agent-m5-large'])
  })
  test('H11 a request is never above its limit', () => {
    assert.equal(errors(run({ spec: { resourcePercentages: { requestCPU: 10, limitCPU: 5 } } })), ['RequestAboveLimit'])
    assert.is(size(one(run({ spec: { minResources: { memory: '3Gi' } } }))), '100m/3Gi - 200m/3Gi')
  })
  test('H12 a minimum above the maximum is an error', () =>
    assert.equal(errors(run({ spec: { minResources: { cpu: '300m' }, maxResources: { cpu: '200m' } } })), [
      'MinAboveMax',
    ]))
  test('H13 percentages are above 0 and at most 100, decimals are exact', () => {
    for (const requestCPU of [-1, 0, 100.5])
      assert.equal(errors(run({ spec: { resourcePercentages: { requestCPU } } })), ['PercentageOutOfRange'])
    assert.is(size(one(run({ spec: { resourcePercentages: { requestCPU: 2.75 } } }))), '110m/327Mi - 200m/819Mi')
  })
  test('H14 a bound that wins is printed as it is', () =>
    assert.is(size(one(run({ spec: { minResources: { memory: '900M' } } }))), '100m/900M - 200m/900M'))
  test('H15 the notation of a quantity changes nothing', () => {
    const notations = ['16380Mi', '17175674880', '16773120Ki', '17175674880000m']
    const sizes = notations.map((memory) => size(one(run({ shapes: [linux('m5.large', ['a'], '4000m', memory)] }))))
    assert.equal(new Set(sizes).size, 1)
    assert.is(size(one(run({ shapes: [linux('m5.large', ['a'], '4', '17175674879')] }))), '100m/327Mi - 200m/818Mi')
  })
  test('H16 a GOMEMLIMIT of nothing is an error', () => {
    const spec = { minResources: { cpu: '1m', memory: '1Ki' } }
    assert.equal(errors(run({ shapes: [linux('m5.large', ['a'], '100m', '16Mi')], spec })), ['DerivedTooSmall'])
  })
  test('H17 a fraction of 1 is taken, and nothing above it', () => {
    const result = run({ spec: { goMemLimitPercentage: 1 } })
    assert.is(variable(one(result), 'GOMEMLIMIT'), '819MiB')
    assert.ok(codes(result.findings).includes('NoHeadroom'))
    assert.equal(errors(run({ spec: { gomemlimitPercentage: 1.1 } })), ['FractionOutOfRange'])
  })
  test('H18 nodes on which the agent cannot run make no group and no size, and are reported', () => {
    const windows = shape({ [TYPE]: 'w1', [OS]: 'windows' }, ['w'])
    const closed = linux('m5.large', ['v'], '1', '2Gi', { taints: [{ key: 'virtual', effect: 'NoExecute' }] })
    const result = run({ shapes: [LARGE, windows, closed] })
    assert.equal(names(result), ['node-agent-m5-large'])
    assert.is(size(one(result)), '100m/327Mi - 200m/819Mi')
    const said = result.findings.filter(({ code }) => code === 'NodesWithoutAgent').map(({ message }) => message)
    assert.is(said.length, 2)
    assert.ok(said.every((message) => /: (v|w)$/.test(message)))
  })
  test('H19 grouping by the os label merges with the template’s own selector', () => {
    const windows = shape({ [TYPE]: 'w1', [OS]: 'windows' }, ['w'])
    const result = run({ shapes: [LARGE, windows], spec: { nodeGroupLabel: OS } })
    assert.equal(names(result), ['node-agent-linux'])
    assert.equal(all(result)[0]?.spec.template.spec?.nodeSelector, { [OS]: 'linux' })
  })
  test('H20 node selector and affinity of the user hold for every group, the default group’s too', () => {
    const result = run({ shapes: [LARGE, linux(undefined, ['b'])], spec: { nodeSelector: { pool: 'x' } } })
    assert.equal(errors(result), ['NoGroups'])
    const pooled = (type: string | undefined, name: string) => ({
      ...linux(type, [name]),
      labels: { [OS]: 'linux', pool: 'x', ...(type === undefined ? {} : { [TYPE]: type }) },
    })
    const shapes = [pooled('m5.large', 'a'), pooled(undefined, 'b'), linux('m5.large', ['c'])]
    const own = run({ shapes, spec: { nodeSelector: { pool: 'x' }, ...WITH_DEFAULT } })
    for (const object of all(own)) assert.is(object.spec.template.spec?.nodeSelector?.pool, 'x')
    assert.is(daemonSetsOn(own, { [OS]: 'linux' }).length, 0)
    assert.is(daemonSetsOn(own, { [OS]: 'linux', pool: 'x' }).length, 1)
  })
  test('H21 a group that mixes Bottlerocket with others says so', () => {
    const mixed = [linux('x', ['a'], '4', '16Gi', { osImage: 'Bottlerocket OS 1.20.0' }), linux('x', ['b'])]
    const result = run({ shapes: mixed })
    assert.equal(agent(one(result, 'node-agent-x'))?.securityContext?.seLinuxOptions, { type: 'super_t' })
    assert.ok(codes(result.findings).includes('MixedOperatingSystems'))
  })
  test('H22 the user’s own braces stay text', () => {
    const container = CONTAINER.replace('value: info', `value: '{{ with secret "x" }}'`)
    assert.is(variable(one(run({ text: chartText({ container }) })), 'LEVEL'), '{{ with secret "x" }}')
  })
  test('H23 the grouping key must be a label key', () => {
    for (const nodeGroupLabel of ['a b', 'x: y', '{{ .A }}', `${'a'.repeat(64)}`])
      assert.equal(errors(run({ spec: { nodeGroupLabel } })), ['InvalidField'])
  })
  test('H24 the static DaemonSet beside the groups runs a second agent', () => {
    const metadata = { name: 'node-agent', namespace: 'kubescape' }
    const { containers } = one(run()).spec.template.spec ?? {}
    const spec = { template: { spec: { containers } } }
    const result = run({ more: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec }] })
    assert.ok(result.findings.some(({ code }) => code === 'AgentTwice'))
  })
  test('H25 an object that need not change does not: output fed back is unchanged, and holds no field of the server', () => {
    const first = run()
    const second = again(first)
    assert.ok(second.findings[0]?.message.includes('0 objects added, 0 changed, 0 removed, 1 unchanged'))
    assert.equal(all(second), all(first))
    const fields = Object.keys(one(first).metadata)
    assert.equal(fields.sort(), ['annotations', 'labels', 'name', 'namespace'])
  })
  test('H26 two DaemonSets of one group in the input are an error', () => {
    const first = run()
    assert.equal(errors(again(first, { more: [one(first)] })), ['DuplicateOutput'])
  })
  test('H27 own objects that no group produces go, foreign ones stay', () => {
    const first = run({ shapes: [LARGE, linux('old', ['b'])], spec: { retainGroups: '0s' } })
    const foreign = { ...one(first, 'node-agent-old'), metadata: { name: 'theirs', namespace: 'kubescape' }, spec: {} }
    const second = again(first, { more: [foreign as KubernetesObject], spec: { retainGroups: '0s' } })
    assert.equal(names(second), ['node-agent-m5-large'])
    assert.ok(second.items.some(({ object }) => object.metadata.name === 'theirs'))
    const inTheWay = { ...foreign, metadata: { name: 'node-agent-m5-large', namespace: 'kubescape' } }
    assert.equal(errors(run({ more: [inTheWay as KubernetesObject] })), ['ForeignObject'])
  })
  test('H28 the selector of a rendered DaemonSet does not change silently', () => {
    const result = again(run(), { spec: { labels: { nodeGroup: 'example.com/other' } } })
    assert.equal(one(result).spec.selector, one(run()).spec.selector)
    const text = chartText().replaceAll('app.kubernetes.io/instance: kubescape', 'app.kubernetes.io/instance: other')
    const first = run()
    const objects = first.items.map(({ object }) =>
      object.metadata.name.endsWith('template') ? templateMap(text) : object,
    )
    assert.equal(errors(plan(listOf(objects))), ['SelectorChanged'])
  })
  test('H29 every selector is disjoint from every other', () => {
    const result = run({
      shapes: [LARGE, linux('m5.xlarge', ['b']), linux('', ['c']), linux(undefined, ['d'])],
      spec: { remainder: true, ...WITH_DEFAULT },
    })
    assert.is(all(result).length, 5)
    for (const left of all(result))
      for (const right of all(result))
        assert.is(matchesLabels(left.spec.selector, right.spec.template.metadata?.labels ?? {}), left === right)
  })
  test('H30 no annotation keeps Argo CD from pruning', () => {
    const options = 'argocd.argoproj.io/sync-options: Prune=false,ServerSideApply=true'
    const argo = `  annotations:\n    ${options}\n    argocd.argoproj.io/compare-options: IgnoreExtraneous\n`
    const { annotations } = one(run({ text: chartText().replace('  annotations:\n', argo) })).metadata
    assert.is(annotations?.['argocd.argoproj.io/sync-options'], 'ServerSideApply=true')
    assert.is(annotations?.['argocd.argoproj.io/compare-options'], undefined)
  })
  test('H31 there are no owner references, whatever the template has', () => {
    const text = chartText().replace('  annotations:\n  labels:', '  ownerReferences:\n  - name: operator\n  labels:')
    assert.is(one(run({ text })).metadata.ownerReferences, undefined)
  })
  test('H32 Helm does not manage what is rendered', () => {
    const text = chartText().replace('  labels:\n', '  labels:\n    app.kubernetes.io/managed-by: Helm\n')
    assert.is(one(run({ text })).metadata.labels?.['app.kubernetes.io/managed-by'], 'nodefit')
  })
  test('H33 the pod labels and annotations of the template stay as they are', () => {
    const { metadata } = one(run()).spec.template
    assert.is(metadata?.annotations?.['checksum/config'], 'abc')
    assert.is(metadata?.labels?.['app.kubernetes.io/component'], 'node-agent')
  })
  test('H34 a sidecar may be part of the budget', () => {
    const sidecar = '      - name: sbom-scanner\n        image: scanner:1\n'
    const containers = [
      { name: 'node-agent', share: 60 },
      { name: 'sbom-scanner', share: 40 },
    ]
    const object = one(run({ text: chartText({ container: sidecar + CONTAINER }), spec: { containers } }))
    const amounts = object.spec.template.spec?.containers?.map(({ resources }) => resources?.limits?.cpu)
    assert.equal(amounts, ['80m', '120m'])
  })
  test('H35 a type that nobody has seen has an agent at once', () => {
    const result = run({ shapes: [LARGE, linux(undefined, ['b'])], spec: { remainder: true, ...WITH_DEFAULT } })
    const on = (labels: Labels) =>
      daemonSetsOn(result, { [OS]: 'linux', ...labels }).map(({ metadata }) => metadata.name)
    assert.equal(on({ [TYPE]: 'm7i.large' }), ['node-agent-remainder'])
    assert.equal(on({ [TYPE]: 'm5.large' }), ['node-agent-m5-large'])
    assert.equal(on({}), ['node-agent-default'])
  })
  test('H36 a group is chosen by plain node selector entries', () => {
    const { nodeSelector, affinity } = one(run({ text: chartText({ conditions: '' }) })).spec.template.spec ?? {}
    assert.equal([nodeSelector, affinity], [{ [TYPE]: 'm5.large' }, undefined])
  })
  test('H38 a null or a bad interval is said, and no number is null', () => {
    assert.equal(errors(run({ spec: { reconcileInterval: '0s' } })), ['InvalidField'])
    assert.equal(errors(run({ spec: { reconcileInterval: '-5m' } })), ['InvalidField'])
    assert.equal(errors(run({ spec: { reconcileInterval: 'soon' } })), ['InvalidField'])
    assert.equal(errors(run({ spec: { reconcileInterval: 5 } })), ['InvalidField'])
    assert.is(
      variable(one(run({ spec: { gomemlimitPercentage: null, reconcileInterval: null } })), 'GOMEMLIMIT'),
      '655MiB',
    )
  })
  test('H39 a template that mounts ClamAV’s socket without ClamAV warns where malware detection is on', () => {
    const mount = '        volumeMounts:\n        - name: clamrun\n          mountPath: /clamav\n'
    const warned = (container: string, settings?: object) => {
      const more = settings === undefined ? [] : [agentConfig(settings)]
      return codes(run({ text: chartText({ container }), more }).findings).includes('ScannerMissing')
    }
    const on = { malwareDetectionEnabled: true }
    assert.ok(warned(CONTAINER + mount, on))
    assert.not(warned(`${CONTAINER}${mount}      - name: clamav\n        image: clamav:1\n`, on))
    assert.not(warned(CONTAINER, on))
    assert.not(warned(CONTAINER + mount))
    assert.not(warned(CONTAINER + mount, { malwareDetectionEnabled: false }))
  })
  test('H40 the group label is a valid label value, whatever the group is called', () => {
    const result = run({ shapes: [LARGE, linux(undefined, ['b'])], spec: { defaultNodeGroup: 'On Prem / old!' } })
    assert.equal(names(result).sort(), ['node-agent-m5-large', 'node-agent-on-prem-old'])
    assert.is(one(result, 'node-agent-on-prem-old').metadata.labels?.['kubescape.io/node-group'], 'on-prem-old')
  })
  test('H41 nodes that differ by a few Ki are one shape, by the smallest', () => {
    const nodes = ['7134856Ki', '7134852Ki', '7134860Ki'].map((memory, index) =>
      node(`n${index}`, { [TYPE]: 'm5.large' }, '1930m', memory),
    )
    const options = { name: 'prod', cluster: 'prod', labelKeys: [TYPE] }
    const { spec } = toInventory(
      nodes.map((each) => shapeOfNode(each as never)),
      options,
    )
    const { shapes } = spec as { shapes: Array<{ allocatable: unknown }> }
    assert.equal(
      shapes.map(({ allocatable }) => allocatable),
      [{ cpu: '1930m', memory: '7134852Ki' }],
    )
  })
})
