/** What agents need and the deletion guard of the cluster lets anybody delete, where it is in use. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, said } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a', 'b'])])
const POD = { serviceAccountName: 'logger', priorityClassName: 'agents', runtimeClassName: 'small' }
const IN_LOGGING = { namespace: 'logging' }

/** An object of access control that refers to a role and to the ServiceAccount of a namespace. */
const binding = (kind: string, namespace: string | undefined, role: string, account = 'logger', of = 'logging') => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: role, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: kind === 'RoleBinding' ? 'Role' : 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: account, namespace: of }],
})
const plain = (apiVersion: string, kind: string, name: string, metadata = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
})
const role = (kind: string, name: string, metadata = {}) => plain('rbac.authorization.k8s.io/v1', kind, name, metadata)

const run = (objects: readonly KubernetesObject[], deletion = true) =>
  plan(
    listOf([
      NODES,
      policy({}, 'agent', IN_LOGGING),
      daemonSet({ containers: [{ name: 'agent', image: 'agent:1' }], ...POD }, IN_LOGGING),
      ...objects,
      config({ guards: { deletion } }),
    ]),
  )
const named = (result: ReturnType<typeof run>) =>
  said(result, 'DependentNotGuarded').map((text) => text.split(', and the deletion guard')[0])

const marked = (object: KubernetesObject, annotations: Record<string, string>): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations },
})
const CLUSTER_BINDING = binding('ClusterRoleBinding', undefined, 'logger')
const BINDS = 'ClusterRoleBinding logger binds the ServiceAccount of the agents'

const ROWS: Array<[name: string, objects: KubernetesObject[], expected: string[]]> = [
  [
    'a binding of the whole cluster, and its role',
    [CLUSTER_BINDING, role('ClusterRole', 'logger')],
    [BINDS, 'ClusterRole logger is bound to the ServiceAccount of the agents'],
  ],
  [
    'other roles than the one that is bound',
    [CLUSTER_BINDING, role('ClusterRole', 'other'), role('Role', 'logger', IN_LOGGING)],
    [BINDS],
  ],
  ['a role of the whole cluster that nothing binds', [role('ClusterRole', 'logger')], []],
  ['a binding for another account', [binding('ClusterRoleBinding', undefined, 'logger', 'other')], []],
  [
    'a binding for the account of another namespace',
    [binding('ClusterRoleBinding', undefined, 'x', 'logger', 'shop')],
    [],
  ],
  ['a binding that is marked', [marked(CLUSTER_BINDING, { 'nodefit.dev/guarded': 'true' })], []],
  ['a mark with another value', [marked(CLUSTER_BINDING, { 'nodefit.dev/guarded': 'false' })], [BINDS]],
  ['a binding that is never applied', [marked(CLUSTER_BINDING, { 'config.kubernetes.io/local-config': 'true' })], []],
  [
    'a binding beside the agents is guarded by itself, its role is not',
    [binding('RoleBinding', 'logging', 'leases'), role('Role', 'leases', IN_LOGGING)],
    ['Role logging/leases is bound to the ServiceAccount of the agents'],
  ],
  [
    'a binding in another namespace, where a role of that name beside the agents is another one',
    [binding('RoleBinding', 'kube-system', 'leases'), role('Role', 'leases', IN_LOGGING)],
    ['RoleBinding kube-system/leases binds the ServiceAccount of the agents'],
  ],
  [
    'their classes, and no others',
    [
      plain('scheduling.k8s.io/v1', 'PriorityClass', 'agents'),
      plain('scheduling.k8s.io/v1', 'PriorityClass', 'other'),
      plain('node.k8s.io/v1', 'RuntimeClass', 'small'),
    ],
    ['PriorityClass agents is the PriorityClass of the agents', 'RuntimeClass small is the RuntimeClass of the agents'],
  ],
  [
    'bindings that are malformed',
    [
      { ...CLUSTER_BINDING, subjects: 'logger' },
      { ...CLUSTER_BINDING, metadata: { name: 'b' }, roleRef: null },
    ],
    ['ClusterRoleBinding b binds the ServiceAccount of the agents'],
  ],
]

suite('what the deletion guard cannot see', (test) => {
  for (const [name, objects, expected] of ROWS) test(name, () => assert.equal(named(run(objects)), expected))
  test('a binding beside agents of one namespace does not guard itself for those of another', () => {
    const inShop = { namespace: 'shop' }
    const other = [policy({}, 'agent', inShop), daemonSet({ ...POD, serviceAccountName: 'seller' }, inShop)]
    const own = binding('RoleBinding', 'shop', 'own', 'seller', 'shop')
    assert.equal(named(run([...other, own, binding('RoleBinding', 'shop', 'leases')])), [
      'RoleBinding shop/leases binds the ServiceAccount of the agents',
    ])
  })
  test('nothing is said where the guard is not in use', () => assert.equal(named(run([CLUSTER_BINDING], false)), []))
  test('the same is said when output is fed back', () =>
    assert.equal(named(rerender(run([CLUSTER_BINDING]), (object) => object)), [BINDS]))
  test('a pod without an account uses that of its namespace', () => {
    const objects = [
      NODES,
      policy({}, 'agent', IN_LOGGING),
      daemonSet({}, IN_LOGGING),
      config({ guards: { deletion: true } }),
    ]
    const bound = binding('ClusterRoleBinding', undefined, 'everybody', 'default')
    assert.equal(named(plan(listOf([...objects, bound]))), [
      'ClusterRoleBinding everybody binds the ServiceAccount of the agents',
    ])
  })
})
