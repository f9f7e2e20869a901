import * as assert from 'uvu/assert'
import { hasSelfAntiAffinity } from '../../../src/core/object/index.ts'
import { hostPortsOf } from '../../../src/core/object/update-strategy.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const container = (...ports: unknown[]) => ({ name: 'agent', image: 'agent:1', ports })
const HELD = { containerPort: 9100, hostPort: 9200 }

const PORTS: readonly [name: string, pod: Record<string, unknown>, ports: readonly number[]][] = [
  ['no port', {}, []],
  ['a port of the container alone', { containers: [container({ containerPort: 80 })] }, []],
  ['a port of the node', { containers: [container(HELD)] }, [9200]],
  ['hostPort 0 is none', { containers: [container({ containerPort: 80, hostPort: 0 })] }, []],
  [
    'every port on the network of the node',
    { hostNetwork: true, containers: [container({ containerPort: 80 })] },
    [80],
  ],
  ['hostNetwork without ports', { hostNetwork: true }, []],
  [
    'in order, each once',
    { containers: [container({ hostPort: 90 }, { hostPort: 80 }), container({ hostPort: 90 })] },
    [80, 90],
  ],
  ['as numbers', { containers: [container({ hostPort: 9100 }, { hostPort: 80 })] }, [80, 9100]],
  ['a sidecar', { initContainers: [{ ...container(HELD), restartPolicy: 'Always' }] }, [9200]],
  ['an init container that ends', { initContainers: [container(HELD)] }, []],
  [
    'a template that is none',
    { containers: { a: 1 }, initContainers: [null, 'x', { ports: 'y', restartPolicy: 'Always' }] },
    [],
  ],
]

suite('ports of the node', (test) => {
  for (const [name, pod, ports] of PORTS) test(name, () => assert.equal(hostPortsOf(daemonSet(pod)), ports))
  test('an object without a spec holds none', () => {
    for (const spec of [undefined, null, {}, { template: null }, { template: { spec: null } }])
      assert.equal(hostPortsOf({ ...daemonSet(), spec } as KubernetesObject), [])
  })
  test('said where DaemonSets change over, there and back, and not in between', () => {
    const nodes = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
    const holder = daemonSet({ containers: [container(HELD)] })
    const held = (result: ReturnType<typeof plan>) =>
      result.findings.filter(({ code }) => code === 'HostPortHeld').length
    const first = plan(listOf([nodes, policy(), holder]))
    assert.is(held(first), 1)
    const rendered = first.items.map(({ object }) => object)
    assert.is(held(plan(listOf(rendered))), 0)
    const disabled = rendered.map((object) => (object.kind === 'SizingPolicy' ? policy({ enabled: false }) : object))
    assert.is(held(plan(listOf(disabled))), 1)
  })
})

const OWN = { matchLabels: { app: 'agent' } }
const HOST = 'kubernetes.io/hostname'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const against = (...terms: unknown[]) => ({ affinity: { podAntiAffinity: { [REQUIRED]: terms } } })

/** A pod's spec in namespace logging, whose label is app=agent. */
const TERMS: readonly [name: string, pod: Record<string, unknown>, repels: boolean][] = [
  ['no affinity', {}, false],
  ['its own pods, on a node', against({ labelSelector: OWN, topologyKey: HOST }), true],
  ['its own pods, in a zone', against({ labelSelector: OWN, topologyKey: 'topology.kubernetes.io/zone' }), true],
  ['no topology', against({ labelSelector: OWN }), false],
  ['an empty topology', against({ labelSelector: OWN, topologyKey: '' }), false],
  ['other pods', against({ labelSelector: { matchLabels: { app: 'other' } }, topologyKey: HOST }), false],
  ['all pods', against({ labelSelector: {}, topologyKey: HOST }), true],
  ['no pod', against({ topologyKey: HOST }), false],
  ['no pod, as null', against({ labelSelector: null, topologyKey: HOST }), false],
  [
    'by an expression',
    against({
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['agent', 'b'] }] },
      topologyKey: HOST,
    }),
    true,
  ],
  [
    'all but its own',
    against({
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['agent'] }] },
      topologyKey: HOST,
    }),
    false,
  ],
  [
    'the second term',
    against(
      { labelSelector: { matchLabels: { app: 'other' } }, topologyKey: HOST },
      { labelSelector: OWN, topologyKey: HOST },
    ),
    true,
  ],
  ['its own namespace', against({ labelSelector: OWN, topologyKey: HOST, namespaces: ['a', 'logging'] }), true],
  ['another namespace', against({ labelSelector: OWN, topologyKey: HOST, namespaces: ['a'] }), false],
  ['no namespace listed', against({ labelSelector: OWN, topologyKey: HOST, namespaces: [] }), true],
  [
    'every namespace',
    against({ labelSelector: OWN, topologyKey: HOST, namespaces: ['a'], namespaceSelector: {} }),
    true,
  ],
  [
    'namespaces by label',
    against({ labelSelector: OWN, topologyKey: HOST, namespaceSelector: { matchLabels: { team: 'x' } } }),
    true,
  ],
  ['by a key that both have', against({ labelSelector: OWN, topologyKey: HOST, matchLabelKeys: ['app'] }), true],
  ['by a key that neither has', against({ labelSelector: OWN, topologyKey: HOST, matchLabelKeys: ['x'] }), true],
  [
    'of one version only',
    against({ labelSelector: OWN, topologyKey: HOST, matchLabelKeys: ['controller-revision-hash'] }),
    false,
  ],
  ['of another value', against({ labelSelector: {}, topologyKey: HOST, mismatchLabelKeys: ['app'] }), false],
  [
    'of another value of a key it lacks',
    against({ labelSelector: OWN, topologyKey: HOST, mismatchLabelKeys: ['x'] }),
    true,
  ],
  [
    'preferred',
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { labelSelector: OWN, topologyKey: HOST } },
          ],
        },
      },
    },
    false,
  ],
  ['affinity', { affinity: { podAffinity: { [REQUIRED]: [{ labelSelector: OWN, topologyKey: HOST }] } } }, false],
  [
    'a selector that is none',
    against({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'Foo' }] }, topologyKey: HOST }),
    false,
  ],
  ['terms that are none', { affinity: { podAntiAffinity: { [REQUIRED]: [null, 'x'] } } }, false],
]

suite('anti-affinity against its own pods', (test) => {
  for (const [name, pod, repels] of TERMS)
    test(name, () => assert.is(hasSelfAntiAffinity(daemonSet(pod, { namespace: 'logging' })), repels))
  test('a namespace that is set later may be any that is listed', () => {
    assert.ok(hasSelfAntiAffinity(daemonSet(against({ labelSelector: OWN, topologyKey: HOST, namespaces: ['a'] }))))
  })
  test('an object without a spec has none', () => {
    for (const spec of [undefined, null, {}, { template: null }, { template: { spec: null } }])
      assert.not(hasSelfAntiAffinity({ ...daemonSet(), spec } as KubernetesObject))
  })
  test('said where DaemonSets change over, there and back, and not in between', () => {
    const nodes = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
    const held = (result: ReturnType<typeof plan>) =>
      result.findings.filter(({ code }) => code === 'AntiAffinityHeld').length
    const first = plan(listOf([nodes, policy(), daemonSet(against({ labelSelector: OWN, topologyKey: HOST }))]))
    assert.is(held(first), 1)
    const rendered = first.items.map(({ object }) => object)
    assert.is(held(plan(listOf(rendered))), 0)
    const disabled = rendered.map((object) => (object.kind === 'SizingPolicy' ? policy({ enabled: false }) : object))
    assert.is(held(plan(listOf(disabled))), 1)
  })
})
