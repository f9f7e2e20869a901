/** deploy/guard on a real API server: what serves nodes is not deleted but on purpose. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../../test/support/objects.ts'
import { errorsOf, NOON } from '../../test/support/orders.ts'
import { rerender, said, withSpec } from '../../test/support/rerender.ts'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { Api } from '../support/fleets/api.ts'
import { nodeNamed } from '../support/fleets/nodes.ts'
import { ROOT, type Run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const NAMESPACE = 'logging'
const OWNER = 'nodefit.dev/owner'
const POLLS = 300
const nodes = (...types: string[]) =>
  inventory(
    types.map((type) => shape({ [TYPE]: type }, [`${type}-1`, `${type}-2`])),
    { observedAt: NOON },
  )
const guards = { deletion: true, maxGroupsRemoved: null, maxNodesLost: null }
const first = () =>
  plan(
    listOf([
      nodes('a', 'b'),
      policy({}, 'agent', { namespace: NAMESPACE }),
      daemonSet({}, { namespace: NAMESPACE }),
      config({ guards }),
    ]),
  )
const sized = (spec: object) => (object: KubernetesObject) =>
  object.kind === 'SizingPolicy' ? withSpec(object, spec) : object

const AT = { namespace: NAMESPACE }
const RBAC = 'rbac.authorization.k8s.io/v1'
const ACCOUNT = { kind: 'ServiceAccount', name: 'agent', namespace: NAMESPACE }
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'agent' }
const marked = { annotations: { 'nodefit.dev/guarded': 'true' } }
/** A pod that uses a ConfigMap and a Secret in every way there is. */
const POD = {
  serviceAccountName: 'agent',
  // the API server accepts a reference without a name
  imagePullSecrets: [{}, { name: 'pull' }],
  initContainers: [{ name: 'init', image: 'agent:1', envFrom: [{ configMapRef: { name: 'initial' } }] }],
  containers: [
    {
      name: 'agent',
      image: 'agent:1',
      envFrom: [{ secretRef: { name: 'all-keys' } }],
      env: [
        { name: 'PLAIN', value: '1' },
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'one-key', key: 'a' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'one-key', key: 'a' } } },
      ],
    },
  ],
  volumes: [
    { name: 'a', configMap: { name: 'mounted' } },
    { name: 'b', secret: { secretName: 'mounted' } },
    { name: 'c', projected: { sources: [{ configMap: { name: 'projected' } }, { secret: { name: 'projected' } }] } },
    { name: 'd', emptyDir: {} },
  ],
}
/** What only its name tells to be used, with its kind as kubectl writes it. */
const USED: ReadonlyArray<readonly [kind: string, name: string]> = [
  ...['mounted', 'projected', 'one-key', 'initial'].map((name) => ['configmap', name] as const),
  ...['mounted', 'projected', 'one-key', 'all-keys', 'pull'].map((name) => ['secret', name] as const),
  ['serviceaccount', 'agent'],
  ['rolebinding', 'agent'],
]
const MARKED: typeof USED = [
  ['role', 'agent'],
  ['clusterrole', 'agent'],
  ['clusterrolebinding', 'agent'],
  ['priorityclass', 'agent'],
  ['configmap', 'read-by-itself'],
]
const UNUSED: typeof USED = [
  ['configmap', 'other'],
  ['secret', 'initial'],
  ['serviceaccount', 'other'],
  ['rolebinding', 'other'],
  ['role', 'other'],
]
const DEPENDENTS = [
  ...[...USED, ...UNUSED].flatMap(([kind, name]) => {
    const metadata = { name, namespace: NAMESPACE }
    if (kind === 'configmap') return { apiVersion: 'v1', kind: 'ConfigMap', metadata }
    if (kind === 'secret') return { apiVersion: 'v1', kind: 'Secret', metadata }
    if (kind === 'serviceaccount') return { apiVersion: 'v1', kind: 'ServiceAccount', metadata }
    if (kind === 'role') return { apiVersion: RBAC, kind: 'Role', metadata }
    const subjects = [
      { ...ACCOUNT, name: name === 'agent' ? 'agent' : 'other' },
      { kind: 'User', name: 'agent', apiGroup: roleRef.apiGroup },
    ]
    return { apiVersion: RBAC, kind: 'RoleBinding', metadata, subjects, roleRef }
  }),
  { apiVersion: RBAC, kind: 'Role', metadata: { name: 'agent', namespace: NAMESPACE, ...marked } },
  { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'agent', ...marked } },
  {
    apiVersion: RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'agent', ...marked },
    subjects: [ACCOUNT],
    roleRef: { ...roleRef, kind: 'ClusterRole' },
  },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'agent', ...marked }, value: 1 },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'read-by-itself', namespace: NAMESPACE, ...marked } },
]

const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

suite('the deletion guard', (test) => {
  test('the page has the commands of its test', () =>
    assert.match(readFileSync(join(ROOT, 'docs/deliver/guard.md'), 'utf8'), 'kubectl apply -k deploy/guard'))
  if (cluster === undefined) return
  const { kubectl, stop, folder } = cluster
  const api = new Api(folder)
  const does = ({ status, stdout, stderr }: Run) => {
    assert.is(status, 0, stderr)
    return stdout
  }
  const rendered = ({ items }: Plan) =>
    items.map(({ object }) => object).filter(({ metadata }) => metadata.annotations?.[OWNER] !== undefined)
  const names = () =>
    does(kubectl(['-n', NAMESPACE, 'get', 'daemonsets', '-o', 'jsonpath={.items[*].metadata.name}']))
      .split(' ')
      .filter((name) => name !== '')
      .sort()
  const apply = (result: Plan) => {
    assert.equal(errorsOf(result), [])
    const items = rendered(result).map(({ metadata, ...rest }) => {
      const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith('nodefit.dev/'))
      return { ...rest, metadata: { ...metadata, annotations: Object.fromEntries(own) } }
    })
    does(kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items })))
  }
  /** What a host would prune: what is there and no longer rendered. */
  const prune = (result: Plan) => {
    const kept = new Set(rendered(result).map(({ metadata }) => metadata.name))
    return names()
      .filter((name) => !kept.has(name))
      .map((name) => ({ name, ...kubectl(['-n', NAMESPACE, 'delete', 'daemonset', name, '--cascade=foreground']) }))
  }
  /** Until every DaemonSet has counted its nodes. */
  const settled = async (counts: Record<string, number>) => {
    const wanted = Object.entries(counts).map(([name, count]) => `${name}=${count}`)
    const shown = ['-o', 'jsonpath={range .items[*]}{.metadata.name}={.status.desiredNumberScheduled} {end}']
    for (let poll = 0; poll < POLLS; poll++) {
      const seen = does(kubectl(['-n', NAMESPACE, 'get', 'daemonsets', ...shown]))
        .trim()
        .split(' ')
      if (wanted.every((one) => seen.includes(one))) return
      await pause(100)
    }
    throw new Error(`not ${wanted.join(', ')}`)
  }
  const clear = () => {
    does(kubectl(['-n', NAMESPACE, 'annotate', 'daemonsets', '--all', '--overwrite', 'nodefit.dev/allow-delete=true']))
    does(kubectl(['-n', NAMESPACE, 'delete', 'daemonsets', '--all', '--cascade=foreground']))
  }
  /** Every one that is refused, until its command is run as the run said it. */
  const lets = async (before: Plan, after: Plan, expected: string[]) => {
    clear()
    apply(before)
    if (rendered(after).length > 0) apply(after)
    const commands = said(after, 'RemovesServingGroup').map((text) => /kubectl (.*?--overwrite)/.exec(text)?.[1] ?? '')
    await settled(Object.fromEntries(expected.map((name) => [name, 2])))
    const refused = prune(after).filter(({ status }) => status !== 0)
    assert.equal(
      refused.map(({ name, status }) => `${name} ${status}`).sort(),
      expected.map((name) => `${name} 1`),
    )
    for (const { name, stderr } of refused)
      assert.match(
        stderr,
        `it runs on 2 nodes; to let it go: kubectl -n ${NAMESPACE} annotate daemonset ${name} nodefit.dev/allow-delete=true --overwrite`,
      )
    for (const name of expected) assert.ok(names().includes(name), `${name} is there`)
    assert.is(commands.length, expected.length)
    for (const command of commands) does(kubectl(command.split(' ')))
    for (const { status, stderr } of prune(after)) assert.is(status, 0, stderr)
    assert.equal(
      names(),
      rendered(after)
        .map(({ metadata }) => metadata.name)
        .sort(),
    )
  }

  test('it is taken by the API server, with the nodes that it guards', async () => {
    does(kubectl(['apply', '-k', join(ROOT, 'deploy/guard')]))
    does(kubectl(['create', 'namespace', NAMESPACE]))
    for (const name of ['a-1', 'a-2', 'b-1', 'b-2']) await api.create(nodeNamed(name, { [TYPE]: name.slice(0, 1) }))
    apply(first())
    await settled({ 'agent-a': 2, 'agent-b': 2 })
    // the policy takes a moment until it is in force
    for (let poll = 0; poll < POLLS; poll++) {
      const { status } = kubectl(['-n', NAMESPACE, 'delete', 'daemonset', 'agent-a', '--dry-run=server'])
      if (status !== 0) return
      await pause(100)
    }
    throw new Error('the guard is not in force')
  })
  test('not deleted by hand, nor with its pods orphaned; a group without nodes is', () => {
    for (const cascade of ['background', 'orphan'])
      assert.is(kubectl(['-n', NAMESPACE, 'delete', 'daemonset', 'agent-a', `--cascade=${cascade}`]).status, 1)
    does(kubectl(['-n', NAMESPACE, 'delete', 'daemonset', 'agent-default']))
  })
  test('a group that is called otherwise', () =>
    lets(first(), rerender(first(), sized({ names: { a: 'other' } })), ['agent-a']))
  test('groups that are made otherwise', () =>
    lets(first(), rerender(first(), sized({ classes: { ratio: 2 } })), ['agent-a', 'agent-b']))
  test('a policy that is disabled', () => {
    const disabled = rerender(first(), sized({ enabled: false }))
    return lets(first(), disabled, ['agent-a', 'agent-b'])
  })
  test('an annotation that lets a group go is taken back by the next render that has the group', async () => {
    clear()
    apply(first())
    await settled({ 'agent-a': 2 })
    does(kubectl(['-n', NAMESPACE, 'annotate', 'daemonset', 'agent-a', '--overwrite', 'nodefit.dev/allow-delete=true']))
    apply(rerender(first(), (object) => object))
    const { status, stderr } = kubectl(['-n', NAMESPACE, 'delete', 'daemonset', 'agent-a'])
    assert.is(status, 1)
    assert.match(stderr, 'it runs on 2 nodes')
  })
  test('what guarded DaemonSets use is deleted with them, or when its own command was run, and no earlier', async () => {
    clear()
    does(kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: DEPENDENTS })))
    const used = plan(listOf([nodes('a', 'b'), policy({}, 'agent', AT), daemonSet(POD, AT), config({ guards })]))
    apply(used)
    await settled({ 'agent-a': 2, 'agent-b': 2 })
    const remove = (kind: string, name: string) =>
      kubectl([...where(kind), 'delete', kind, name, '--wait=false', '--ignore-not-found'])
    const where = (kind: string) => (/^(cluster|priority)/.test(kind) ? [] : ['-n', NAMESPACE])
    // the guard learns of DaemonSets a moment after they are stored
    const until = async (status: number) => {
      const last = () => kubectl(['-n', NAMESPACE, 'delete', 'serviceaccount', 'agent', '--dry-run=server']).status
      for (let poll = 0; poll < POLLS && last() !== status; poll++) await pause(100)
    }
    await until(1)
    for (const [kind, name] of [...USED, ...MARKED]) {
      const { status, stderr } = remove(kind, name)
      assert.is(status, 1, `${kind} ${name} was deleted`)
      assert.match(stderr, `annotate ${kind} ${name} nodefit.dev/allow-delete=true --overwrite`)
    }
    for (const [kind, name] of UNUSED) assert.is(remove(kind, name).status, 0, `${kind} ${name}`)
    for (const [kind, name] of [['configmap', 'mounted'], ...MARKED] as const) {
      const [, command = ''] = /kubectl (.*--overwrite)/.exec(remove(kind, name).stderr) ?? []
      does(kubectl(command.split(' ')))
      assert.is(remove(kind, name).status, 0, `${kind} ${name}`)
    }
    does(kubectl(['-n', NAMESPACE, 'annotate', 'daemonsets', '--all', '--overwrite', 'nodefit.dev/allow-delete=true']))
    await until(0)
    for (const [kind, name] of USED) assert.is(remove(kind, name).status, 0, `${kind} ${name}`)
    clear()
  })
  test('what nodefit did not render is nobody’s business', async () => {
    does(kubectl(['apply', '-f', '-'], JSON.stringify(daemonSet({}, { namespace: NAMESPACE }))))
    await settled({ agent: 4 })
    does(kubectl(['-n', NAMESPACE, 'delete', 'daemonset', 'agent', '--cascade=foreground']))
  })
  test('a type whose last node is gone goes freely', async () => {
    apply(first())
    for (const name of ['a-1', 'a-2']) await api.delete(`/api/v1/nodes/${name}`)
    // as the pod garbage collector does
    does(kubectl(['-n', NAMESPACE, 'delete', 'pods', '-l', 'nodefit.dev/node-group=a']))
    await settled({ 'agent-a': 0 })
    const without = rerender(first(), (object) => {
      if (object.kind === 'SizingPolicy') return withSpec(object, { retainGroups: '0s' })
      return object.kind === 'NodeInventory' ? nodes('b') : object
    })
    assert.equal(said(without, 'RemovesServingGroup'), [])
    apply(without)
    assert.equal(
      prune(without).map(({ name, status }) => `${name} ${status}`),
      ['agent-a 0'],
    )
  })
  test('a namespace takes its DaemonSets along', async () => {
    await settled({ 'agent-b': 2 })
    does(kubectl(['delete', 'namespace', NAMESPACE, '--timeout=30s']))
  })
  test('what was started is stopped', async () => {
    api.close()
    await stop()
  })
})
