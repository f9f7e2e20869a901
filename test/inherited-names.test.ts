/** Names that every JavaScript object inherits something by are names like any other, wherever a user may choose one. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../src/krm/types.ts'
import type { Plan } from '../src/rules/plan.ts'
import { plan } from '../src/rules/run.ts'
import { daemonSet, inventory, listOf, OS, policy, shape, TYPE } from './support/objects.ts'
import { errorsOf, NOON, nodesAt, order } from './support/orders.ts'
import { rerender, said } from './support/rerender.ts'
import { suite } from './support/suite.ts'

const NAMES = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', 'isPrototypeOf']
/** A name that nobody inherits, and that stands at the same place in any order. */
const plainOf = (name: string) =>
  `${name.slice(0, -1)}~`.replace('~', String.fromCharCode(name.charCodeAt(name.length - 1) + 1))

const NODES = (label: string) =>
  inventory([
    shape({ [TYPE]: 'm5', [label]: 'v1' }, ['a'], '4', '16Gi', { capacity: { cpu: '4', [label]: '1' } }),
    shape({ [TYPE]: 'm5', [label]: 'v2' }, ['b']),
    shape({ [TYPE]: 'm5' }, ['c']),
  ])
const agent = (name: string) => [policy(), daemonSet({}, { name })]
const withPod = (pod: Record<string, unknown>, metadata: object = {}) => [policy(), daemonSet(pod, metadata)]

/** Where a user may choose a name. */
const PLACES: ReadonlyArray<[place: string, objects: (name: string) => KubernetesObject[]]> = [
  ['the label of groups', (name) => [NODES(name), policy({ nodeGroupLabel: name }), daemonSet()]],
  ['one of several labels of groups', (name) => [NODES(name), policy({ nodeGroupLabels: [TYPE, name] }), daemonSet()]],
  ['a label of nodes', (name) => [NODES(name), ...agent('agent')]],
  ['the value of a label', (name) => [inventory([shape({ [TYPE]: name }, ['a'])]), ...agent('agent')]],
  [
    'a node',
    (name) => [inventory([shape({ [TYPE]: 'm5' }, [name], '4', '16Gi', { uids: { [name]: 'u' } })]), ...agent('agent')],
  ],
  ['a label in a node selector', (name) => [NODES(name), policy({ nodeSelector: { [name]: 'v1' } }), daemonSet()]],
  ['a label in the template’s node selector', (name) => [NODES(name), ...withPod({ nodeSelector: { [name]: 'v1' } })]],
  [
    'a label in an affinity',
    (name) => {
      const nodeSelectorTerms = [{ matchExpressions: [{ key: name, operator: 'DoesNotExist' }] }]
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
      return [NODES(name), policy({ affinity: { nodeAffinity } }), daemonSet()]
    },
  ],
  [
    'rules about pods, in one of the two',
    (name) => [
      NODES('x'),
      policy({ affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } }),
      daemonSet({ affinity: { podAffinity: { [name]: [] } } }),
    ],
  ],
  [
    'labels and annotations',
    (name) => [NODES('x'), ...withPod({}, { labels: { [name]: 'x' }, annotations: { [name]: 'x' } })],
  ],
  [
    'a container',
    (name) => [NODES('x'), policy({ containers: [{ name, share: 100 }] }), daemonSet({ containers: [{ name }] })],
  ],
  [
    'a variable',
    (name) => [
      NODES('x'),
      policy({ env: [{ container: 'agent', name, from: 'limits.memory', unit: 'MiB' }] }),
      daemonSet({ containers: [{ name: 'agent', env: [{ name: 'A', value: 'b' }] }] }),
    ],
  ],
  [
    'a resource of a container',
    (name) => [NODES('x'), ...withPod({ containers: [{ name: 'agent', resources: { limits: { [name]: '1' } } }] })],
  ],
  [
    'an explicit group, its override',
    (name) => [
      NODES('x'),
      policy({
        groups: [{ name, nodeSelector: { x: 'v1' } }],
        overrides: [{ groups: [name], resourcePercentages: { requestCPU: 3 } }],
      }),
      daemonSet(),
    ],
  ],
  [
    'an explicit group that is named',
    (name) => [
      NODES('x'),
      policy({ groups: [{ name, nodeSelector: { x: 'v1' } }], names: { [name]: 'z' } }),
      daemonSet(),
    ],
  ],
  [
    'the label that groups carry',
    (name) => [NODES('x'), policy({ labels: { nodeGroup: name, managedBy: `${name}=x` } }), daemonSet()],
  ],
  ['a policy, a former one', (name) => [NODES('x'), policy({ formerNames: [name] }, 'one'), daemonSet()]],
  ['a policy', (name) => [NODES('x'), policy({}, name), daemonSet()]],
  [
    'a label that keeps policies apart',
    (name) => [
      NODES(name),
      policy(
        { nodeSelector: { [name]: 'v1' }, names: { default: 'one-default' }, labels: { nodeGroup: 'a/one' } },
        'one',
      ),
      policy(
        { nodeSelector: { [name]: 'v2' }, names: { default: 'two-default', m5: 'two', remainder: 'two-rest' } },
        'two',
      ),
      daemonSet(),
    ],
  ],
  [
    'an Order’s labels, annotations and selector',
    (name) => [
      nodesAt(NOON, shape({ [OS]: 'linux', [name]: 'v1' }, ['a']), shape({ [OS]: 'linux' }, ['b'])),
      order({}, { nodeSelector: { [name]: 'v1' } }, { labels: { [name]: 'x' }, annotations: { [name]: 'x' } }),
    ],
  ],
]

/** What came of it, with one name in the place of another. */
function shown({ items, findings }: Plan, name: string, as: string): string {
  const text = JSON.stringify([items.map(({ object }) => object), findings.map(({ message }) => message)], null, 1)
  return text
    .replaceAll(name, as)
    .replaceAll(name.toLowerCase(), as.toLowerCase())
    .replace(/-[0-9a-f]{10}\b|[0-9a-f]{6}\b|"[0-9a-f]{16,}"|tickets-infra-./g, '#')
}

suite('names that every object inherits', (test) => {
  for (const [place, objects] of PLACES)
    test(place, () => {
      for (const name of NAMES) {
        const plain = plainOf(name)
        const [made, other] = [plan(listOf(objects(name))), plan(listOf(objects(plain)))]
        assert.equal(errorsOf(made), errorsOf(other), name)
        assert.is(shown(made, name, plain), shown(other, plain, plain), name)
        if (made.failed) continue
        const again = rerender(made, (object) => object)
        assert.equal(
          again.packages.flatMap(({ changes }) => changes.filter(({ kind }) => kind !== 'unchanged')),
          [],
          name,
        )
      }
    })
  test('a label that comes is said with nothing before it', () => {
    for (const name of NAMES) {
      const first = plan(listOf([NODES('x'), ...agent('agent')]))
      const labelled = rerender(first, (object) =>
        object.kind === 'DaemonSet' && object.metadata.name === 'agent'
          ? { ...object, metadata: { ...object.metadata, labels: { [name]: 'x' } } }
          : object,
      )
      assert.equal(said(labelled, 'GroupChanged').length, 3)
      const fields = labelled.packages.flatMap(({ changes }) => changes.flatMap((change) => change.fields))
      assert.ok(
        fields.every(({ before }) => before === undefined),
        name,
      )
    }
  })
  test('policies on nodes that share no label meet where one of them does not name it', () => {
    for (const name of NAMES) {
      const apart = ['v1', 'v2', 'v3'].map((value) => policy({ nodeSelector: { [name]: value } }, value))
      const nodes = ['v1', 'v2', 'v3'].map((value) => shape({ [TYPE]: 'm5', [name]: value }, [value]))
      const z = [
        policy({ nodeSelector: { other: 'y' } }, 'z'),
        inventory([...nodes, shape({ [TYPE]: 'm5', other: 'y' }, ['c'])]),
      ]
      const made = plan(listOf([...apart, ...z, daemonSet()]))
      assert.is(said(made, 'PolicyOverlap').length, 1, name)
    }
  })
  test('a flat key of that name is refused as any other', () => {
    for (const name of NAMES) {
      const flat = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'f' },
        data: { target: 'agent', [name]: 'x' },
      }
      assert.equal(errorsOf(plan(listOf([NODES('x'), daemonSet()], flat))), ['UnknownField'], name)
    }
  })
})
