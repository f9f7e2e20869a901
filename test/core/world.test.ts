/** What a package is taken for: what is seen of it, what it holds twice, and what it nearly says. */
import * as assert from 'uvu/assert'
import { render } from '../../src/face/render.ts'
import { PACKAGE_PATH, withoutWireAnnotations } from '../../src/krm/identity.ts'
import { newItem } from '../../src/krm/index.ts'
import { memberOf } from '../../src/krm/map.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { codes, config, daemonSet, inventory, listOf, node, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, korder, NOON, nodes, nodesAt, order, snapshot } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const AGENT = [NODES, policy(), daemonSet()]
const bare = (objects: readonly KubernetesObject[]) => ({
  apiVersion: 'config.kubernetes.io/v1',
  items: objects.map((object) => newItem(withoutWireAnnotations(object))),
  results: [],
})
const inPackage = (path: string, object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [PACKAGE_PATH]: path } },
})
const notChecked = (result: ReturnType<typeof plan>) => codes(result.findings).includes('GuardsNotChecked')

suite('what was rendered before is seen', (test) => {
  test('where the host keeps files', () => assert.not.ok(notChecked(plan(listOf(AGENT)))))
  test('not where the paths are those of a command that only reads', () =>
    assert.ok(notChecked(plan(listOf(AGENT), { keepsFiles: false }))))
  test('not where there are no paths', () => assert.ok(notChecked(plan(bare(AGENT)))))
  test('where earlier output is given, an empty one included', () =>
    assert.not.ok(notChecked(plan(bare(AGENT), { earlier: bare([]) }))))
  test('where an object of ours is in the input', () => {
    const first = plan(listOf(AGENT))
    assert.not.ok(notChecked(plan(bare(first.items.map(({ object }) => object)))))
  })
  test('what follows it fails without it, and drops nothing', () => {
    const down = nodesAt(NOON, { ...nodes('a'), ready: 'False' }, nodes('b'))
    const unseen = plan(listOf([down, order(), korder({ keep: true })]), { keepsFiles: false })
    assert.equal(errorsOf(unseen), ['NeedsEarlierOutput'])
  })
})

suite('a selection of a package', (test) => {
  const SELECTED = { 'internal.config.k8s.io/kpt-resource-id': '1' }
  const selected = (object: KubernetesObject) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...SELECTED } },
  })
  const child = AGENT.map((object) => inPackage('parent/child', selected(object)))
  test('is an error, and nothing else is said of it', () =>
    assert.equal(errorsOf(plan(listOf([selected(NODES), selected(policy())]))), ['SelectorsInUse']))
  test('is nothing to a package that only holds others', () => {
    const allowed = inPackage('parent/child', config({ allow: ['SelectorsInUse'] }))
    const kptfile = { apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'parent' } }
    const parent = inPackage('parent', selected(kptfile))
    const said = plan(listOf([parent, ...child, allowed])).findings.filter(({ code }) => code === 'SelectorsInUse')
    assert.equal(
      said.map(({ severity }) => severity),
      ['warning'],
    )
    assert.equal(errorsOf(plan(listOf([selected(kptfile)]))), ['SelectorsInUse'])
    const other = inPackage('parent', selected({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } }))
    assert.equal(errorsOf(plan(listOf([parent, other, ...child, allowed]))), ['SelectorsInUse'])
    assert.equal(errorsOf(plan(listOf([parent, ...child, allowed], inPackage('parent', policy())))), ['SelectorsInUse'])
  })
  test('is allowed by the RenderConfig of its own package', () => {
    const allowed = inPackage('parent/child', config({ allow: ['SelectorsInUse'] }))
    const parent = inPackage('parent', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } })
    assert.equal(errorsOf(plan(listOf([parent, ...child, allowed]))), [])
    assert.equal(errorsOf(plan(listOf([inPackage('parent', config({ allow: ['SelectorsInUse'] })), ...child]))), [
      'SelectorsInUse',
    ])
  })
})

suite('two of one name', (test) => {
  const agents = (namespace: string | undefined) => [
    NODES,
    policy({ targetRef: { name: 'one' } }, 'p', namespace === undefined ? {} : { namespace }),
    daemonSet({}, { name: 'one', namespace: 'ns' }),
    policy({ targetRef: { name: 'two' } }, 'p', { namespace: 'ns' }),
    daemonSet({ containers: [{ name: 'two' }] }, { name: 'two', namespace: 'ns' }),
  ]
  test('one without a namespace: refused at the first render, not only at the second', () =>
    assert.equal(errorsOf(plan(listOf(agents(undefined)))), ['DuplicatePolicy']))
  test('also where one of them is disabled', () => {
    const [nodes = NODES, first = NODES, ...rest] = agents(undefined)
    assert.equal(errorsOf(plan(listOf([nodes, withSpec(first, { enabled: false }), ...rest]))), ['DuplicatePolicy'])
  })
  test('also where one had the name of the other', () => {
    const [nodes = NODES, first = NODES, ...rest] = agents(undefined)
    const renamed = withSpec({ ...first, metadata: { name: 'q' } }, { formerNames: ['p'] })
    assert.equal(errorsOf(plan(listOf([nodes, renamed, ...rest]))), ['DuplicatePolicy'])
  })
  test('one that had its own name before is none', () =>
    assert.equal(errorsOf(plan(listOf([NODES, policy({ formerNames: ['agent'] }), daemonSet()]))), []))
  test('in different namespaces they are two', () => {
    const [nodes = NODES, first = NODES, one = NODES, ...rest] = agents('other')
    const moved = { ...one, metadata: { ...one.metadata, namespace: 'other' } }
    assert.equal(errorsOf(plan(listOf([nodes, first, moved, ...rest]))), [])
  })
})

suite('a snapshot beside Node objects', (test) => {
  const raw = node('a', {}, '4', '16Gi', { status: { conditions: [{ type: 'Ready', status: 'True' }] } })
  const objects = [raw, order(), snapshot()]
  test('is not believed: nobody knows of which cluster they are', () => {
    const result = plan(listOf(objects))
    assert.equal(errorsOf(result), ['WrongCluster'])
    assert.match(said(result, 'WrongCluster')[0] ?? '', 'set spec.cluster of a RenderConfig')
  })
  test('is believed once the run names its cluster', () =>
    assert.equal(errorsOf(plan(listOf([...objects, config({ cluster: 'prod' })]))), []))
  test('without one, Node objects are those of the cluster that the run names', () => {
    const summaryOf = (...more: KubernetesObject[]) =>
      said(plan(listOf([node('a', { [TYPE]: 'm5' }, '4', '16Gi'), policy(), daemonSet(), ...more])), 'PolicySummary')
    assert.match(summaryOf()[0] ?? '', '0 -> 0.1 cores and 0 -> 0.32 GiB on 1 pod')
    assert.equal(summaryOf(config({ cluster: 'prod' })), summaryOf())
  })
  test('is not believed where the run names another', () =>
    assert.equal(errorsOf(plan(listOf([...objects, config({ cluster: 'other' })]))), ['WrongCluster']))
})

const KEY = 'example.com/pool'
const ZONES = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: KEY, operator: 'Exists' }] }],
    },
  },
}
type Fields = Record<string, unknown>

/** The field, what the policy and the template of the DaemonSet say, and an Order beside them. */
const NOT_EXPORTED: Array<
  [name: string, path: string | undefined, spec: Fields, pod: Fields, kept?: KubernetesObject[]]
> = [
  ['one label', 'spec.nodeGroupLabel', { nodeGroupLabel: KEY }, {}],
  ['one of several', 'spec.nodeGroupLabels', { nodeGroupLabels: [TYPE, KEY] }, {}],
  ['a group', 'spec.groups.0.nodeSelector', { groups: [{ name: 'g', nodeSelector: { [KEY]: 'x' } }] }, {}],
  ['the nodeSelector', 'spec.nodeSelector', { nodeSelector: { [KEY]: 'x' } }, {}],
  ['the affinity', 'spec.affinity', { affinity: ZONES }, {}],
  ['the template', undefined, {}, { nodeSelector: { [KEY]: 'x' } }],
  ['an Order', 'spec.template.spec.nodeSelector', {}, {}, [order({}, { nodeSelector: { [KEY]: 'x' } })]],
  ['the affinity of an Order', 'spec.template.spec.affinity', {}, {}, [order({}, { affinity: ZONES })]],
]

suite('what is nearly right', (test) => {
  test('a target that is itself rendered', () => {
    const first = plan(listOf(AGENT))
    const second = rerender(first, (object) =>
      object.kind === 'SizingPolicy' ? [object, policy({ targetRef: { name: 'agent-m5-large' } }, 'second')] : object,
    )
    const found = second.findings.find(({ code }) => code === 'TargetMissing')
    assert.is(
      found?.message,
      'second: DaemonSet agent-m5-large is rendered for SizingPolicy/agent and cannot be a target. Take its template, DaemonSet agent, in spec.targetRef.',
    )
    assert.is(memberOf(found?.field?.proposedValue, 'name'), 'agent')
  })
  for (const [name, own] of [
    ['a policy that is gone', 'second'],
    ['the policy itself', 'agent'],
  ] as const)
    test(`a target that is rendered for ${name}`, () => {
      const second = rerender(plan(listOf(AGENT)), (object) =>
        object.kind === 'SizingPolicy' ? policy({ targetRef: { name: 'agent-m5-large' } }, own) : object,
      )
      const [message = ''] = said(second, 'TargetMissing')
      assert.match(message, /: DaemonSet agent-m5-large is .* cannot be a target\. Put the target into the package/)
    })
  test('a target that is mistyped', () => {
    const result = plan(listOf([NODES, policy({ targetRef: { name: 'agnet' } }), daemonSet()]))
    assert.match(said(result, 'TargetMissing')[0] ?? '', 'did you mean agent? Put the target')
  })
  test('a label key that is mistyped is not to be exported', () => {
    const few = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])], { labelKeys: [TYPE] })
    const result = plan(listOf([few, policy({ nodeGroupLabel: 'node.kubernetes.io/instance-typ' }), daemonSet()]))
    const [sentence = ''] = said(result, 'LabelNotExported')
    assert.match(sentence, `did you mean ${TYPE}?`)
    assert.match(
      sentence,
      ' If node.kubernetes.io/instance-typ is a typo, correct it in spec.nodeGroupLabel. If nodes have this label, ',
    )
    assert.not.match(sentence, 'Write the inventory again with the --label options it had and one for this key')
    const other = plan(listOf([few, policy({ nodeGroupLabel: 'example.com/pool' }), daemonSet()]))
    assert.match(said(other, 'LabelNotExported')[0] ?? '', 'nodefit inventory --label example.com/pool')
    assert.match(
      said(other, 'LabelNotExported')[0] ?? '',
      ' Write the inventory again with the --label options it had and one for this key.',
    )
  })
  for (const [key, usual] of [
    ['karpenter.sh/nodepol', 'karpenter.sh/nodepool'],
    ['kubernetes.io/hostnam', 'kubernetes.io/hostname'],
  ] as const)
    test(`${key}, where the inventory has not ${usual} either`, () => {
      const few = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])], { labelKeys: [TYPE] })
      const result = plan(listOf([few, policy({ nodeGroupLabel: key }), daemonSet()]))
      assert.match(said(result, 'LabelNotExported')[0] ?? '', `(did you mean ${usual}?). If ${key} is a typo`)
      const right = plan(listOf([few, policy({ nodeGroupLabel: usual }), daemonSet()]))
      assert.match(said(right, 'LabelNotExported')[0] ?? '', `(nodefit inventory --label ${usual})`)
    })
  test('a label key that others only resemble is to be exported', () => {
    const few = inventory([shape({ [TYPE]: 'm5', 'topology.kubernetes.io/region': 'x' }, ['a'])], { labelKeys: [TYPE] })
    const result = plan(listOf([few, policy({ nodeGroupLabel: 'topology.kubernetes.io/zone' }), daemonSet()]))
    assert.match(said(result, 'LabelNotExported')[0] ?? '', 'nodefit inventory --label topology.kubernetes.io/zone')
  })
  for (const [name, path, spec, template, kept] of NOT_EXPORTED)
    test(`a label key that was not exported is named by its field, ${name}`, () => {
      const few = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])], { labelKeys: [TYPE], observedAt: NOON })
      const objects = [few, policy(spec), daemonSet(template), ...(kept ?? [])]
      const found = plan(listOf(objects)).findings.find(({ code }) => code === 'LabelNotExported')
      assert.is(found?.field?.path, path)
      assert.is(found?.subject?.kind, kept === undefined ? 'SizingPolicy' : 'Order')
    })
  test('a label on no node is named by the field that was written', () => {
    const ranges = { nodeGroupRanges: { label: 'a', bounds: [8] } }
    for (const [path, spec] of [
      ['nodeGroupLabel', { nodeGroupLabel: 'a' }],
      ['nodeGroupLabels', { nodeGroupLabels: [TYPE, 'a'] }],
      ['nodeGroupRanges.label', ranges],
    ] as const) {
      const { findings } = plan(listOf([NODES, policy(spec), daemonSet()]))
      const found = findings.find(({ code }) => code === 'LabelOnNoNode')
      assert.is(found?.field?.path, `spec.${path}`)
      assert.match(found?.message ?? '', ` Correct ${path}; kubectl get nodes`)
    }
  })
})

suite('what is said once', (test) => {
  test('of an inventory, however many look at it', () => {
    const cut = inventory([shape({ [TYPE]: 'x' }, ['a']), shape({ [TYPE]: 'y' }, ['b'])], { nodeCount: 3 })
    const policies = ['one', 'two', 'three'].flatMap((name) => [
      policy({ targetRef: { name } }, name),
      daemonSet({ containers: [{ name }] }, { name }),
    ])
    const result = plan(listOf([cut, ...policies, order(), order({}, {}, { name: 'second' })]))
    assert.equal(errorsOf(result), ['InventoryCut'])
  })
  test('of amounts that are none', () => {
    const bad = inventory([shape({ [TYPE]: 'x' }, ['a'], 'many')])
    assert.equal(errorsOf(plan(listOf([bad, policy(), daemonSet()]))), ['InventoryInvalid'])
  })
  test('results of an earlier run give way, those of others stay', () => {
    const first = render(listOf(AGENT))
    const other = { message: 'checked', severity: 'info' as const }
    const second = render({ ...first, results: [other, ...first.results] })
    assert.equal(second.results.filter(({ tags }) => tags?.code === 'PolicySummary').length, 1)
    assert.equal(second.results[0], other)
  })
})

const HOMES: Array<[name: string, packages: string[], home: string]> = [
  ['the package of the host itself, where there is one', ['', 'a'], ''],
  ['else that with the shortest path', ['a/b', 'zz', 'a/c'], 'zz'],
  ['of equal ones the first', ['b', 'a', 'c/d'], 'a'],
]

suite('a functionConfig that says no package belongs to the outermost', (test) => {
  for (const [name, packages, home] of HOMES)
    test(name, () => {
      const items = packages.flatMap((path) =>
        [NODES, daemonSet()].map((object) => (path === '' ? object : inPackage(path, object))),
      )
      const { packages: planned } = plan(listOf(items, policy()))
      assert.equal(
        planned.filter((one) => one.planned.length > 0).map(({ path }) => path),
        [home],
      )
    })
})
