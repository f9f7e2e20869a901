import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { hostPortsOf } from '../../src/object/one-pod-per-node.ts'
import { plan } from '../../src/plan.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const container = (...ports: unknown[]) => ({ name: 'agent', image: 'agent:1', ports })
const HELD = { containerPort: 9100, hostPort: 9200 }

const ROWS: readonly [name: string, pod: Record<string, unknown>, ports: readonly number[]][] = [
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
  for (const [name, pod, ports] of ROWS) test(name, () => assert.equal(hostPortsOf(daemonSet(pod)), ports))
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
