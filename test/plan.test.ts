/** Rows O1 to O8 and those of 3.6 of the Kubescape report that are not about the chart's template. */
import * as assert from 'uvu/assert'
import { render } from '../src/face/render.ts'
import { newItem, readResourceList, writeResourceList } from '../src/krm/index.ts'
import type { Item, KubernetesObject, ResourceList } from '../src/krm/types.ts'
import { matchesLabels } from '../src/kube/index.ts'
import type { DaemonSet } from '../src/plan/daemonset/index.ts'
import { plan } from '../src/rules/run.ts'
import {
  codes,
  config,
  daemonSet,
  inventory,
  listOf,
  node,
  policy,
  rendered,
  SMALL,
  shape,
  TYPE,
} from './support/objects.ts'
import { suite } from './support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const quiet = { remainder: false, defaultNodeGroup: '' }
const withDefault = { remainder: false }
const run = (objects: KubernetesObject[], functionConfig?: KubernetesObject) => plan(listOf(objects, functionConfig))

suite('two RenderConfigs', (test) => {
  test('of which one is the functionConfig: both are named, and its own options stay', () => {
    const nodes = inventory([shape({ [TYPE]: 'a' }, ['a'])])
    const second = { ...config({}), metadata: { name: 'second' } }
    const { findings } = run(
      [nodes, policy(), daemonSet(), second],
      config({ allow: ['UnknownCode'], expect: { policies: 2 } }),
    )
    const told = findings.map(({ code }) => code)
    assert.ok(told.includes('TwoRenderConfigs'), told.join())
    assert.ok(told.includes('InvalidField'), told.join())
  })
})
const again = (
  items: readonly Item[],
  change: (object: KubernetesObject) => KubernetesObject = (object) => object,
): ResourceList => ({
  apiVersion: 'config.kubernetes.io/v1',
  items: items.map((item) => newItem(change(structuredClone(item.object)))),
  results: [],
})
const failures = (result: ReturnType<typeof plan>) =>
  codes(result.findings.filter(({ severity }) => severity === 'error'))
const one = (result: ReturnType<typeof plan>, name = 'agent-m5-large') => rendered(result.items).get(name) as DaemonSet
const pod = (object: DaemonSet) => object.spec.template.spec

suite('ownership', (test) => {
  test('O1 only what carries the owner is ours', () => {
    const other = daemonSet({}, { name: 'other', labels: { 'nodefit.dev/managed-by': 'nodefit' } })
    const result = run([NODES, policy(quiet), daemonSet(), other])
    assert.ok(result.items.some(({ object }) => object.metadata.name === 'other'))
  })
  test('O2 what no group produces any more is dropped', () => {
    const first = run([
      inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'old' }, ['b'])]),
      policy({ ...quiet, retainGroups: 0 }),
      daemonSet(),
    ])
    const second = plan(
      again(first.items, (object) => (object.kind === 'NodeInventory' ? { ...object, spec: NODES.spec } : object)),
    )
    assert.equal([...rendered(first.items).keys()], ['agent-m5-large', 'agent-old'])
    assert.equal([...rendered(second.items).keys()], ['agent-m5-large'])
  })
  test('O3 a foreign object with the name is an error and stays', () => {
    const foreign = daemonSet({}, { name: 'agent-m5-large' })
    const result = run([NODES, policy(quiet), daemonSet(), foreign])
    assert.equal(failures(result), ['ForeignObject'])
    assert.is(result.items.length, 4)
  })
  test('O4 a group that cannot be sized fails the run and nothing changes', () => {
    const list = listOf([
      inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'bare' }, ['b'], '0', '0')]),
      policy(quiet),
      daemonSet(),
    ])
    const result = plan(list)
    assert.equal(failures(result), ['NoAllocatable'])
    assert.equal(result.items, list.items)
  })
  test('O5 output fed back gives identical bytes', () => {
    const once = writeResourceList({ ...render(listOf([NODES, policy(), daemonSet()])), results: [] })
    const twice = writeResourceList({ ...render(readResourceList(once)), results: [] })
    assert.is(twice, once)
  })
  test('O6 shuffled nodes give identical bytes', () => {
    const nodes = [
      node('a', { [TYPE]: 'm5.large' }),
      node('b', { [TYPE]: 'm5.large' }, '2', '8Gi'),
      node('c', { [TYPE]: 'x' }),
    ]
    const bytes = (order: KubernetesObject[]) =>
      JSON.stringify([...rendered(run([policy(), daemonSet(), ...order]).items)].sort())
    assert.is(bytes([...nodes].reverse()).replaceAll(/file-\d/g, ''), bytes(nodes).replaceAll(/file-\d/g, ''))
  })
  test('O7 another key with the same values changes the nodeSelector in place', () => {
    const first = run([inventory([shape({ [TYPE]: 'm5.large', type: 'm5.large' }, ['a'])]), policy(quiet), daemonSet()])
    const second = plan(
      again(first.items, (object) =>
        object.kind === 'SizingPolicy'
          ? { ...object, spec: { ...(object.spec as object), nodeGroupLabel: 'type' } }
          : object,
      ),
    )
    assert.equal(pod(one(second))?.nodeSelector, { type: 'm5.large' })
    assert.equal(one(second).spec.selector, one(first).spec.selector)
  })
  test('O8 no annotations of Argo CD, no owner references', () => {
    const object = one(
      run([
        NODES,
        policy(quiet),
        daemonSet({}, { ownerReferences: [{ uid: 'x' }], annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }),
      ]),
    )
    assert.equal(object.metadata.ownerReferences, undefined)
    assert.equal(
      Object.keys(object.metadata.annotations ?? {}).filter((key) => key.includes('argo')),
      [],
    )
  })
  test('a name once given is kept, and its label too', () => {
    const first = run([NODES, policy(quiet), daemonSet()])
    const second = plan(
      again(first.items, (object) =>
        object.kind === 'NodeInventory'
          ? {
              ...object,
              spec: inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'm5_large' }, ['b'])]).spec,
            }
          : object,
      ),
    )
    assert.equal([...rendered(second.items).keys()], ['agent-m5-large', 'agent-m5-large-ad36e8'])
    assert.equal(one(second).spec.selector, one(first).spec.selector)
  })
  test('an output of the policy in another namespace is rendered there, whoever moved it', () => {
    const first = run([NODES, policy(quiet, 'agent', { namespace: 'x' }), daemonSet({}, { namespace: 'x' })])
    const moved = plan(
      again(first.items, (object) =>
        object.metadata.name === 'agent-m5-large'
          ? { ...object, metadata: { ...object.metadata, namespace: 'y' } }
          : object,
      ),
    )
    assert.equal(failures(moved), [])
    assert.equal(
      [...rendered(moved.items).values()].map(({ metadata }) => metadata.namespace),
      ['y'],
    )
  })
  test('a selector that still selects the new pods is kept, one that does not is an error', () => {
    const first = run([NODES, policy(quiet), daemonSet()])
    const withLabels = (labels: object) => (object: KubernetesObject) => {
      if (object.metadata.name !== 'agent' || object.kind !== 'DaemonSet') return object
      const spec = structuredClone(object.spec) as {
        selector: { matchLabels: object }
        template: { metadata: { labels: object } }
      }
      spec.selector.matchLabels = labels
      spec.template.metadata.labels = labels
      return { ...object, spec }
    }
    const kept = plan(again(first.items, withLabels({ app: 'agent', tier: 'node' })))
    assert.equal(one(kept).spec.selector, one(first).spec.selector)
    assert.equal(failures(plan(again(first.items, withLabels({ app: 'renamed' })))), ['SelectorChanged'])
  })
  test('earlier output given beside the input keeps names and counts as before', () => {
    const first = run([NODES, policy(quiet), daemonSet()])
    const both = inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'm5_large' }, ['b'])])
    const earlier = again(
      first.items.filter(({ object }) => object.metadata.annotations?.['nodefit.dev/owner'] !== undefined),
    )
    const second = plan(listOf([both, policy(quiet), daemonSet()]), { earlier })
    assert.equal([...rendered(second.items).keys()].sort(), ['agent-m5-large', 'agent-m5-large-ad36e8'])
  })
})

const required = (...terms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
})
const arch = { matchExpressions: [{ key: 'arch', operator: 'In', values: ['amd64'] }] }
const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }
const DEFAULT_NODES = inventory([
  shape({ [TYPE]: 'm5.large', arch: 'amd64' }, ['a']),
  shape({ arch: 'amd64', zone: 'a' }, ['b']),
])
const terms = (object: DaemonSet) =>
  pod(object)?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
const absent = { key: TYPE, operator: 'DoesNotExist' }
const with2 = (spec: object, osImages: string[]) =>
  run([
    inventory(
      osImages.map((osImage, index) =>
        shape({ [TYPE]: index === 0 ? 'br' : 'm5.large', os: 'linux' }, [`n${index}`], '4', '16Gi', { osImage }),
      ),
    ),
    policy({ ...quiet, ...spec }),
    daemonSet(),
  ])
const seLinux = (result: ReturnType<typeof plan>, name: string) =>
  (pod(one(result, name))?.containers?.[0]?.securityContext?.seLinuxOptions as { type?: string } | undefined)?.type
const BR = 'Bottlerocket OS 1.20.0 (aws-k8s-1.29)'

suite('template and scheduling', (test) => {
  test('T9 the default group: name, label, one term DoesNotExist', () => {
    const object = one(run([DEFAULT_NODES, policy(withDefault), daemonSet()]), 'agent-default')
    assert.equal(terms(object), [{ matchExpressions: [absent] }])
    assert.is(object.metadata.labels?.['nodefit.dev/node-group'], 'default')
    assert.is(pod(object)?.nodeSelector?.[TYPE], undefined)
  })
  test('T10 preferred affinity and pod affinity stay', () => {
    const affinity = {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] },
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 2 }] },
    }
    const object = one(run([DEFAULT_NODES, policy(withDefault), daemonSet({ affinity })]), 'agent-default')
    assert.equal(pod(object)?.affinity?.podAntiAffinity, affinity.podAntiAffinity)
    assert.equal(pod(object)?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution, [{ weight: 2 }])
    assert.equal(terms(object), [{ matchExpressions: [absent] }])
  })
  test('T11 DoesNotExist joins each required term', () => {
    const object = one(run([DEFAULT_NODES, policy(withDefault), daemonSet(required(arch, zone))]), 'agent-default')
    assert.equal(terms(object), [
      { matchExpressions: [...arch.matchExpressions, absent] },
      { matchExpressions: [...zone.matchExpressions, absent] },
    ])
  })
  test('T12 without a default group such nodes are skipped and reported', () => {
    const result = run([DEFAULT_NODES, policy(quiet), daemonSet()])
    assert.equal([...rendered(result.items).keys()], ['agent-m5-large'])
    assert.ok(result.findings.some(({ code, message }) => code === 'NodesWithoutAgent' && message.includes('b')))
  })
  test('T13 default group and a value default: two names, two disjoint selectors', () => {
    const nodes = inventory([shape({ [TYPE]: 'default' }, ['a']), shape({}, ['b'])])
    const objects = [
      ...rendered(
        run([nodes, policy({ ...withDefault, names: { default: 'agent-real' } }), daemonSet()]).items,
      ).values(),
    ] as DaemonSet[]
    assert.is(objects.length, 2)
    const [first, second] = objects as [DaemonSet, DaemonSet]
    assert.not(matchesLabels(first.spec.selector, second.spec.template.metadata?.labels ?? {}))
    assert.not(matchesLabels(second.spec.selector, first.spec.template.metadata?.labels ?? {}))
  })
  test('T14 a Bottlerocket group gets super_t', () =>
    assert.is(
      seLinux(with2({ bottlerocketAutoDetect: true, seLinuxType: 'spc_t' }, [BR, 'AL']), 'agent-br'),
      'super_t',
    ))
  test('T15 in any case of letters', () =>
    assert.is(seLinux(with2({ bottlerocketAutoDetect: true }, ['BOTTLEROCKET 2']), 'agent-br'), 'super_t'))
  test('T16 not where detection is off', () =>
    assert.is(seLinux(with2({ bottlerocketAutoDetect: false, seLinuxType: 'spc_t' }, [BR]), 'agent-br'), 'spc_t'))
  test('T17 a mixed group gets it too, with a warning', () => {
    const result = with2({ bottlerocketAutoDetect: true, nodeGroupLabel: 'os' }, [BR, 'Amazon Linux'])
    assert.is(seLinux(result, 'agent-linux'), 'super_t')
    assert.ok(codes(result.findings).includes('MixedOperatingSystems'))
  })
  test('T18 every other group gets the configured type', () => {
    const result = with2({ bottlerocketAutoDetect: true, seLinuxType: 'foo_t' }, [BR, 'Amazon Linux'])
    assert.equal([seLinux(result, 'agent-br'), seLinux(result, 'agent-m5-large')], ['super_t', 'foo_t'])
  })
  test('of a privileged container on Bottlerocket it is dropped, which is said', () => {
    const privileged = [{ name: 'agent', image: 'a', securityContext: { privileged: true } }]
    const dropped = (spec: object, os: string, containers: object[] = privileged) =>
      run([
        inventory([shape({ [TYPE]: 'br' }, ['a'], '4', '16Gi', { osImage: os })]),
        policy({ ...quiet, ...spec }),
        daemonSet({ containers }),
      ]).findings.flatMap(({ code, message }) => (code === 'SELinuxTypeDropped' ? [message] : []))
    assert.match(
      dropped({ bottlerocketAutoDetect: true }, BR).join(),
      'container agent is privileged, so Bottlerocket runs it as control_t',
    )
    assert.is(dropped({ bottlerocketAutoDetect: false, seLinuxType: 'super_t' }, BR).length, 1, 'a stated type')
    assert.equal(dropped({ bottlerocketAutoDetect: false }, BR), [], 'no type is written')
    assert.equal(dropped({ bottlerocketAutoDetect: true }, 'Amazon Linux 2'), [])
    const [own] = privileged
    assert.equal(dropped({ bottlerocketAutoDetect: true }, BR, [{ ...own, securityContext: {} }]), [])
  })
  test('unset, neither GOMEMLIMIT nor SELinux is touched', () => {
    const container = pod(one(run([NODES, policy(quiet), daemonSet()])))?.containers?.[0]
    assert.equal([container?.env, container?.securityContext], [undefined, undefined])
  })
  test('a container keeps its other resources, and loses a limit that is null', () => {
    const containers = [
      { name: 'agent', resources: { limits: { cpu: '1', 'ephemeral-storage': '1024Mi' }, requests: { cpu: '1' } } },
    ]
    const container = pod(
      one(run([NODES, policy({ ...quiet, resourcePercentages: { limitCPU: null } }), daemonSet({ containers })])),
    )?.containers?.[0]
    assert.equal(container?.resources, {
      limits: { 'ephemeral-storage': '1Gi', memory: '819Mi' },
      requests: { cpu: '100m', memory: '327Mi' },
    })
  })
  test('derived variables replace what stood there', () => {
    const containers = [
      {
        name: 'agent',
        env: [
          { name: 'A', value: '1' },
          { name: 'GOMEMLIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
          { name: 'B', value: '2' },
        ],
      },
    ]
    const env = [
      { name: 'PROCS', from: 'limits.cpu', unit: 'cores' },
      { name: 'HEAP', from: 'limits.memory', fraction: 0.5, unit: 'B' },
      { name: 'HEAP_MB', from: 'limits.memory', unit: 'MiB', suffix: false },
    ]
    const container = pod(
      one(run([NODES, policy({ ...quiet, goMemLimitPercentage: 0.8, env }), daemonSet({ containers })])),
    )?.containers?.[0]
    assert.equal(container?.env, [
      { name: 'A', value: '1' },
      { name: 'GOMEMLIMIT', value: '655MiB' },
      { name: 'B', value: '2' },
      { name: 'PROCS', value: '1' },
      { name: 'HEAP', value: '429496729' },
      { name: 'HEAP_MB', value: '819' },
    ])
  })
  test('what the server or another tool keeps in the template is not copied', () => {
    const metadata = {
      uid: 'u',
      resourceVersion: '1',
      generation: 4,
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [{}],
      finalizers: ['f'],
      ownerReferences: [{}],
      labels: {
        'app.kubernetes.io/managed-by': 'Helm',
        'kustomize.toolkit.fluxcd.io/name': 'x',
        'helm.toolkit.fluxcd.io/name': 'y',
        keep: 'me',
      },
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'deprecated.daemonset.template.generation': '4',
        'meta.helm.sh/release-name': 'r',
        'config.k8s.io/owning-inventory': 'i',
        keep: 'me',
      },
    }
    const live: KubernetesObject = { ...daemonSet({}, metadata), status: { numberReady: 3 } }
    const object = one(run([NODES, policy(quiet), live]))
    assert.equal(object.status, undefined)
    assert.equal(Object.keys(object.metadata).sort(), ['annotations', 'labels', 'name'])
    assert.equal(object.metadata.labels, {
      'app.kubernetes.io/managed-by': 'nodefit',
      keep: 'me',
      'nodefit.dev/managed-by': 'nodefit',
      'nodefit.dev/node-group': 'm5.large',
    })
    assert.equal(
      Object.keys(object.metadata.annotations ?? {})
        .filter((key) => !key.startsWith('internal'))
        .sort(),
      [
        'keep',
        'nodefit.dev/basis',
        'nodefit.dev/cluster',
        'nodefit.dev/group',
        'nodefit.dev/namespace',
        'nodefit.dev/nodes',
        'nodefit.dev/owner',
        'nodefit.dev/selector',
      ],
    )
  })
})

suite('hand over', (test) => {
  const marks = (result: ReturnType<typeof plan>) =>
    result.items.find(({ object }) => object.metadata.name === 'agent' && object.kind === 'DaemonSet')?.object.metadata
      .annotations ?? {}
  test('a template is not handed back while another policy renders from it, in whatever order', () => {
    for (const name of ['0-off', 'z-off']) {
      const result = run([NODES, policy(quiet), policy({ enabled: false }, name), daemonSet()])
      assert.equal(failures(result), [])
      assert.is(marks(result)['nodefit.dev/template'], 'true', name)
    }
  })
  test('a disabled policy whose target is missing removes nothing', () => {
    const first = run([NODES, policy(quiet), daemonSet()])
    const off = (object: KubernetesObject) =>
      object.kind === 'SizingPolicy' ? { ...object, spec: { enabled: false, targetRef: { name: 'typo' } } } : object
    assert.equal(failures(plan(again(first.items, off))), ['TargetMissing'])
  })
  test('output that is given up on purpose hands its template back', () => {
    const first = run([NODES, policy(quiet), daemonSet()])
    const left = again(first.items.filter(({ object }) => object.kind !== 'SizingPolicy'))
    const result = plan({ ...left, functionConfig: newItem(config({ allow: ['OrphanedOutput'] })) })
    assert.equal([...rendered(result.items).keys()], [])
    assert.is(marks(result)['config.kubernetes.io/local-config'], undefined)
    assert.ok(codes(result.findings).includes('TemplateReleased'))
  })
  test('a template marked by its user stays local configuration', () => {
    const own = { annotations: { 'config.kubernetes.io/local-config': 'true' } }
    const first = run([NODES, policy(quiet), daemonSet({}, own)])
    assert.is(marks(first)['nodefit.dev/template'], 'existing')
    const back = plan(
      again(first.items, (object) =>
        object.kind === 'SizingPolicy' ? { ...object, spec: { ...(object.spec as object), enabled: false } } : object,
      ),
    )
    assert.equal(
      [marks(back)['config.kubernetes.io/local-config'], marks(back)['nodefit.dev/template']],
      ['true', undefined],
    )
  })
})

suite('two policies', (test) => {
  const second = (spec: object) =>
    policy(
      { names: { 'm5.large': 'x', remainder: 'y', a: 'z', default: 'd' }, labels: { nodeGroup: 'second' }, ...spec },
      'second',
    )
  test('remainders that could meet on a new node are an overlap', () => {
    const nodes = inventory([shape({ pool: 'a' }, ['a']), shape({ arch: 'b' }, ['b'])])
    const one = policy({ nodeGroupLabel: 'pool', defaultNodeGroup: '', names: { remainder: 'ra' } }, 'one')
    const two = policy(
      { nodeGroupLabel: 'arch', defaultNodeGroup: '', names: { remainder: 'rb' }, labels: { nodeGroup: 'two' } },
      'two',
    )
    assert.equal(failures(run([nodes, one, two, daemonSet()])), ['PolicyOverlap'])
    assert.equal(
      failures(
        run([
          nodes,
          { ...one, spec: { ...(one.spec as object), remainder: false, defaultNodeGroup: '' } },
          { ...two, spec: { ...(two.spec as object), remainder: false, defaultNodeGroup: '' } },
          daemonSet(),
        ]),
      ),
      ['PolicyOverlap'],
      'a node with both labels may come',
    )
  })
  test('policies whose selectors exclude each other may both have a remainder', () => {
    const nodes = inventory([
      shape({ [TYPE]: 'm5.large', pool: 'a' }, ['a']),
      shape({ [TYPE]: 'm5.large', pool: 'b' }, ['b']),
    ])
    assert.equal(
      failures(
        run([nodes, policy({ nodeSelector: { pool: 'a' } }), second({ nodeSelector: { pool: 'b' } }), daemonSet()]),
      ),
      [],
    )
  })
  test('what another run rendered from the same target counts too', () => {
    const first = run([NODES, daemonSet()], policy(quiet))
    const next = again(first.items)
    assert.equal(failures(plan({ ...next, functionConfig: newItem(second(quiet)) })), ['PolicyOverlap'])
  })
})

suite('who owns what', (test) => {
  test('output that two policies claim is an error, and stays', () => {
    const nodes = inventory([
      shape({ [TYPE]: 'm5.large', p: '1' }, ['a']),
      shape({ [TYPE]: 'm5.xlarge', p: '2' }, ['b']),
    ])
    const first = run([nodes, policy(quiet, 'old'), daemonSet()])
    const heirs = ['1', '2'].map((p) => policy({ ...quiet, formerNames: ['old'], nodeSelector: { p } }, `p${p}`))
    const items = again(first.items.filter(({ object }) => object.kind !== 'SizingPolicy')).items
    const result = plan({
      apiVersion: 'config.kubernetes.io/v1',
      items: [...items, ...listOf(heirs).items],
      results: [],
    })
    assert.equal(failures(result), ['DuplicatePolicy'])
    assert.is(rendered(result.items).size, 2)
  })
  test('policies of one name, one without a namespace, do not prune each other', () => {
    const in2 = { namespace: 'mon' }
    const objects = [
      NODES,
      policy({ ...quiet, targetRef: { name: 'one' } }, 'agents'),
      policy({ ...quiet, targetRef: { name: 'two' } }, 'agents', in2),
      daemonSet({ containers: [{ name: 'one' }] }, { name: 'one', ...in2 }),
      daemonSet({ containers: [{ name: 'two' }] }, { name: 'two', ...in2 }),
    ]
    assert.ok(failures(run(objects)).includes('DuplicatePolicy'))
  })
  test('policies of one name in different namespaces are two policies', () => {
    const own = (namespace: string) => [
      policy({ ...quiet, targetRef: { name: namespace } }, 'agents', { namespace }),
      daemonSet({}, { name: namespace, namespace }),
    ]
    const first = run([NODES, ...own('a'), ...own('b')])
    assert.equal(failures(first), [])
    const second = plan(again(first.items))
    assert.equal([failures(second), rendered(second.items).size], [[], 2])
  })
  test('a functionConfig cannot take the output of a policy in the package', () => {
    const first = run([
      NODES,
      policy(quiet),
      daemonSet(),
      daemonSet({ containers: [{ name: 'two' }] }, { name: 'two' }),
    ])
    const asConfig = (own: KubernetesObject) => failures(plan({ ...again(first.items), functionConfig: newItem(own) }))
    assert.ok(
      asConfig(policy({ ...quiet, targetRef: { name: 'two' }, formerNames: ['agent'] }, 'p2')).includes(
        'DuplicatePolicy',
      ),
    )
    assert.ok(
      asConfig(policy({ ...quiet, targetRef: { name: 'two' } }, 'agent', { namespace: undefined })).length === 0,
    )
  })
  test('two policies on one declared shape are an overlap', () => {
    const nodes = inventory([
      shape({ [TYPE]: 'a', team: 'x' }, ['a']),
      shape({ [TYPE]: 'a', env: 'y' }, ['b']),
      shape({ [TYPE]: 'b', team: 'x', env: 'y' }, []),
    ])
    const two = [
      policy({ ...quiet, nodeSelector: { team: 'x' } }),
      policy({ ...quiet, nodeSelector: { env: 'y' }, names: { a: 'n-a', b: 'n-b' } }, 'second'),
    ]
    assert.equal(failures(run([nodes, ...two, daemonSet()])), ['PolicyOverlap'])
  })
})

suite('what a run allows', (test) => {
  const allowing = (code: string, objects: KubernetesObject[]) => run([...objects, config({ allow: [code] })])
  const cases: Array<[code: string, objects: KubernetesObject[], names: string[]]> = [
    [
      'InventoryCut',
      [inventory([shape({ [TYPE]: 'm5.large' }, ['a'])], { nodeCount: 9 }), policy(quiet), daemonSet()],
      ['agent-m5-large'],
    ],
    ['WrongCluster', [NODES, policy({ ...quiet, cluster: 'other' }), daemonSet()], ['agent-m5-large']],
    [
      'LabelNotExported',
      [
        inventory([shape({ [TYPE]: 'm5.large' }, ['a'])], { labelKeys: [TYPE] }),
        policy({ ...quiet, groups: [{ name: 'g', nodeSelector: { x: 'y' } }] }),
        daemonSet(),
      ],
      ['agent-g', 'agent-m5-large'],
    ],
    ['LabelOnNoNode', [NODES, policy({ ...withDefault, nodeGroupLabel: 'x' }), daemonSet()], ['agent-default']],
    ['NoNodes', [policy(quiet), daemonSet()], []],
    ['NoGroups', [NODES, policy({ nodeSelector: { [TYPE]: 'none' } }), daemonSet()], []],
  ]
  for (const [code, objects, names] of cases) {
    test(`${code} only warns where it is allowed`, () => {
      assert.equal(failures(run(objects)), [code])
      const result = allowing(code, objects)
      assert.equal(failures(result), [])
      assert.is(result.findings.find((one) => one.code === code)?.severity, 'warning')
      assert.equal([...rendered(result.items).keys()], names)
    })
  }
})

suite('the rules of groups', (test) => {
  test('contradicting overrides are an error of the group, valid combinations are not', () => {
    const both = (...overrides: object[]) =>
      run([
        NODES,
        policy({ ...quiet, overrides: overrides.map((one) => ({ groups: ['m5.large'], ...one })) }),
        daemonSet(),
      ])
    assert.equal(failures(both({ resourcePercentages: { requestCPU: 4 } }, { resourcePercentages: { limitCPU: 3 } })), [
      'RequestAboveLimit',
    ])
    assert.equal(failures(both({ minResources: { cpu: '3' } }, { maxResources: { cpu: '4' } })), [])
  })
  test('required affinity that Kubernetes could not evaluate is an error, not an exception', () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }],
        },
      },
    }
    assert.equal(failures(run([NODES, policy({ ...quiet, affinity }), daemonSet()])), ['InvalidField'])
    assert.equal(failures(run([NODES, policy(quiet), daemonSet({ affinity })])), ['InvalidField'])
  })
  for (const [name, pod] of [
    ['tolerations a map', { tolerations: { operator: 'Exists' } }],
    ['a toleration null', { tolerations: [null] }],
    ['initContainers a map', { initContainers: {} }],
    ['a selector text', { nodeSelector: 'linux' }],
    [
      'terms a map',
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: {} } } } },
    ],
  ] as const) {
    test(`a template with ${name} is TemplateInvalid`, () =>
      assert.equal(failures(run([NODES, policy(quiet), daemonSet(pod as Record<string, unknown>)])), [
        'TemplateInvalid',
      ]))
  }
  for (const [name, pod] of [
    ['env a list of nothing', { containers: [{ name: 'agent', env: [null] }] }],
    ['values a number', required({ matchExpressions: [{ key: 'a', operator: 'In', values: 5 }] })],
    ['expressions a map', required({ matchExpressions: {} })],
    ['pod affinity a list', { affinity: { podAntiAffinity: [1] } }],
  ] as const) {
    test(`a template with ${name} is TemplateInvalid, too`, () =>
      assert.equal(
        failures(
          run([NODES, policy({ ...quiet, goMemLimitPercentage: 0.8 }), daemonSet(pod as Record<string, unknown>)]),
        ),
        ['TemplateInvalid'],
      ))
  }
  test('the longest toleration and an empty pod affinity are legal', () => {
    const template = daemonSet({
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9223372036854775807n }],
      affinity: { podAntiAffinity: null },
    })
    assert.equal(
      failures(
        run([
          NODES,
          policy({ ...quiet, affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } }),
          template,
        ]),
      ),
      [],
    )
  })
  test('an override for a label value does not reach a group whose name part is the same', () => {
    const nodes = inventory([shape({ [TYPE]: 'a.b' }, ['1']), shape({ [TYPE]: 'a-b' }, ['2'])])
    const result = run([
      nodes,
      policy({ ...quiet, names: { 'a.b': 'dotted' }, overrides: [{ groups: ['a-b'], minResources: { cpu: '1' } }] }),
      daemonSet(),
    ])
    const cpu = (name: string) => pod(one(result, name))?.containers?.[0]?.resources?.requests?.cpu
    assert.equal([cpu('dotted'), cpu('agent-a-b')], ['100m', '1'])
  })
  test('another key of the group label is SelectorChanged, whatever the name', () => {
    const first = run([NODES, policy(quiet), daemonSet()])
    const relabelled = (object: KubernetesObject) =>
      object.kind === 'SizingPolicy'
        ? { ...object, spec: { ...(object.spec as object), labels: { nodeGroup: 'other' } } }
        : object
    assert.equal(failures(plan(again(first.items, relabelled))), ['SelectorChanged'])
  })
  test('a template whose selector misses its own pods is TemplateInvalid', () => {
    const wrong = daemonSet()
    const spec = wrong.spec as { selector: { matchLabels: object } }
    assert.equal(
      failures(
        run([NODES, policy(quiet), { ...wrong, spec: { ...spec, selector: { matchLabels: { app: 'other' } } } }]),
      ),
      ['TemplateInvalid'],
    )
  })
  test('a share so small that a container gets nothing is an error', () => {
    const containers = [
      { name: 'agent', share: 0.1 },
      { name: 'side', share: 99.9 },
    ]
    const result = run([
      NODES,
      policy({ ...quiet, containers }),
      daemonSet({ containers: [{ name: 'agent' }, { name: 'side' }] }),
    ])
    assert.equal([...new Set(failures(result))], ['SizeZero'])
  })
  test('pod affinity of both sides is kept', () => {
    const rule = (weight: number) => ({
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight }] },
    })
    const object = one(run([NODES, policy({ ...quiet, affinity: rule(1) }), daemonSet({ affinity: rule(2) })]))
    assert.equal(pod(object)?.affinity?.podAntiAffinity, {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 2 }, { weight: 1 }],
    })
  })
})

suite('the run', (test) => {
  test('a policy cannot take the output of another that is there', () => {
    const heir = policy(
      { ...quiet, formerNames: ['agent'], names: { 'm5.large': 'x' }, nodeSelector: { a: 'b' } },
      'heir',
    )
    assert.ok(failures(run([NODES, policy(quiet), heir, daemonSet()])).includes('DuplicatePolicy'))
  })
  test('G10 no nodes at all are an error, and nothing is removed', () => {
    const first = run([NODES, policy(quiet), daemonSet()])
    const second = plan(again(first.items.filter(({ object }) => object.kind !== 'NodeInventory')))
    assert.equal(failures(second), ['NoNodes'])
    assert.equal([...rendered(second.items).keys()], ['agent-m5-large'])
  })
  test('the first result of a policy counts', () => {
    assert.match(
      run([NODES, policy(), daemonSet()]).findings[0]?.message ?? '',
      'agent: 1 group, 1 node, 3 objects added, 0 changed, 0 removed, 0 unchanged, 0 nodes without an agent',
    )
  })
  test('every sized group explains its numbers', () => {
    const sized = run([NODES, policy(quiet), daemonSet()]).findings.find(({ code }) => code === 'GroupSized')
    assert.match(
      sized?.message ?? '',
      'requestCPU 2% of 4 = 80m, held at the minimum -> 100m; requestMemory 2% of 16Gi = 343597383 bytes -> 327Mi',
    )
  })
  test('a failed run says errors and warnings only, and changes no item', () => {
    const list = listOf([policy(), daemonSet()])
    const output = render(list)
    assert.equal(output.items, list.items)
    assert.equal(
      output.results.map(({ severity }) => severity),
      ['error'],
    )
  })
  test('failOn warning makes an error of a warning', () => {
    const containers = [{ name: 'agent', image: 'agent:1', resources: SMALL }]
    const labelled = daemonSet({ containers }, { labels: { 'app.kubernetes.io/instance': 'x' } })
    const failing = (...configs: KubernetesObject[]) => failures(run([NODES, policy(), labelled, ...configs]))
    const off = (...listed: string[]) => listed.map((code) => ({ code, as: 'off', reason: 'intended' }))
    assert.equal(failing(), [])
    assert.equal(failing(config({ failOn: 'warning' })), ['TotalGrows', 'InstanceLabelCopied'])
    assert.equal(failing(config({ failOn: 'warning', severity: off('InstanceLabelCopied') })), ['TotalGrows'])
    assert.equal(failing(config({ failOn: 'warning', severity: off('InstanceLabelCopied', 'TotalGrows') })), [])
  })
  test('inputs leave as local configuration', () => {
    const result = run([NODES, policy(quiet), daemonSet(), config({})])
    const marks = result.items.map(({ object }) => [
      object.kind,
      object.metadata.annotations?.['config.kubernetes.io/local-config'],
    ])
    assert.equal(marks, [
      ['NodeInventory', 'true'],
      ['SizingPolicy', 'true'],
      ['DaemonSet', 'true'],
      ['RenderConfig', 'true'],
      ['DaemonSet', undefined],
    ])
  })
  test('a functionConfig of a policy kind renders that policy only', () => {
    const other = policy({ targetRef: { name: 'absent' } }, 'other')
    assert.equal(failures(run([NODES, policy(quiet), other, daemonSet()])), ['TargetMissing'])
    assert.equal(failures(run([NODES, policy(quiet), other, daemonSet()], policy(quiet))), [])
  })
  test('a functionConfig that is no item serves hosts that keep it to themselves', () => {
    const result = run([NODES, daemonSet()], policy(quiet))
    assert.equal([...rendered(result.items).keys()], ['agent-m5-large'])
  })
  test('a ConfigMap of flat keys is a policy, an empty one is every policy', () => {
    const flat = (data: object): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'function-input' },
      data,
    })
    assert.equal(
      [
        ...rendered(
          run(
            [NODES, daemonSet()],
            flat({
              ...{ target: 'agent', remainder: 'false', defaultNodeGroup: '' },
              ...{ requestCPU: '2', requestMemory: '2', limitCPU: 'none', limitMemory: 'none' },
            }),
          ).items,
        ).keys(),
      ],
      ['agent-m5-large'],
    )
    assert.equal([...rendered(run([NODES, policy(quiet), daemonSet()], flat({})).items).keys()], ['agent-m5-large'])
    assert.equal(failures(run([NODES, policy(quiet), daemonSet()], flat({ taget: 'agent' }))), [
      'UnknownField',
      'InvalidField',
    ])
  })
  test('a derived variable for a container that is not sized is an error', () => {
    const containers = [{ name: 'agent' }, { name: 'side' }]
    const env = (container?: string) =>
      policy({
        ...quiet,
        containers: [
          { name: 'agent', share: 50 },
          { name: 'side', share: 50 },
        ],
        env: [{ container, name: 'X', from: 'limits.cpu' }],
      })
    assert.equal(failures(run([NODES, env('other'), daemonSet({ containers })])), ['ContainerNotChosen'])
    assert.equal(failures(run([NODES, env(), daemonSet({ containers })])), ['ContainerNotChosen'])
    assert.equal(failures(run([NODES, env('side'), daemonSet({ containers })])), [])
    const sentence = (container?: string) =>
      run([NODES, env(container), daemonSet({ containers })]).findings.find(({ code }) => code === 'ContainerNotChosen')
        ?.message ?? ''
    assert.match(
      sentence('other'),
      'agent: env X names container other, which is not sized; sized containers: agent, side',
    )
    assert.match(sentence(), 'agent: env X names no container; sized containers: agent, side')
  })
  test('results name the object, its file and the field', () => {
    const list = listOf([NODES, policy({ oops: 1 }), daemonSet()])
    const [result] = render(list).results
    assert.equal(result?.resourceRef, { apiVersion: 'nodefit.dev/v1alpha1', kind: 'SizingPolicy', name: 'agent' })
    assert.equal(
      [result?.file, result?.field?.path, result?.tags],
      [{ path: 'file-1.yaml', index: 0 }, 'spec.oops', { code: 'UnknownField' }],
    )
  })
  test('without a policy there is nothing to do, and that is said', () => {
    const result = run([NODES, daemonSet()])
    assert.equal(codes(result.findings), ['NoPolicy'])
    assert.not(result.failed)
  })
})
