/** Signed actions on a real API server: what becomes of nodes by server-side apply, and what Jobs run with their accounts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { actionPolicy, snapshot } from '../../test/support/action-package.ts'
import { keyringItem, signedAction } from '../../test/support/actions.ts'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { asList, does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const MANAGER = 'argocd-controller'
const NOW = '2026-01-15T10:00:00Z'
const LATER = '2026-01-15T11:00:00Z'
const JOBS = 'nodefit-actions'
const cluster = CONTROL_PLANE.every(has) ? await startCluster({ controllers: ['disruption-controller'] }) : undefined

suite('signed actions on a real API server', (test) => {
  test('there is a manifest of their accounts', () =>
    assert.ok(objectsOf(readFileSync(join(ROOT, 'deploy/actions/actions.yaml'), 'utf8')).length > 10))
  if (cluster === undefined) return
  const { kubectl, stop, folder } = cluster
  const create = (...objects: Any[]) => does(kubectl(['create', '-f', '-'], asList(objects)))
  const apply = (objects: Any[]) =>
    does(
      kubectl(
        ['apply', '--server-side', '--force-conflicts', `--field-manager=${MANAGER}`, '-f', '-'],
        asList(objects),
      ),
    )
  const live = (name: string): Any => JSON.parse(does(kubectl(['get', 'node', name, '-o', 'json'])))
  const newNode = (name: string, labels: object = {}) =>
    create({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/os': 'linux', ...labels } } })
  /** What nodefit renders for a node of the cluster; `earlier` is what it rendered before. */
  const render = (
    name: string,
    actions: Any[],
    time = NOW,
    earlier?: string,
    policy: object = {},
  ): { text: string; objects: Any[] } => {
    const { metadata } = live(name)
    const inventory = {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'NodeInventory',
      metadata: { name: 'prod' },
      spec: {
        ...{ cluster: 'prod-eu1', observedAt: time, labelKeys: ['*'], nodeCount: 1 },
        shapes: [{ labels: metadata.labels, ready: 'True', nodes: [name], uids: { [name]: metadata.uid } }],
      },
    }
    const input = [inventory, actionPolicy(policy), keyringItem(), ...actions]
      .map((one) => stringify(one))
      .join('---\n')
    const before = join(folder, 'earlier')
    if (earlier !== undefined) {
      does(run('mkdir', ['-p', before]))
      writeFileSync(join(before, 'all.yaml'), earlier)
    }
    const args = [COMMAND, 'build', '-', ...(earlier === undefined ? [] : ['--earlier', before])]
    const text = does(run(process.execPath, args, { input }))
    return { text, objects: objectsOf(text) }
  }
  const ofKind = (objects: Any[], kind: string) => objects.filter((object) => object.kind === kind)
  const onNode = (name: string, type: string, more: Record<string, unknown> = {}) =>
    signedAction({ id: `${type}-${name}`, type, target: { kind: 'Node', name }, ...more })
  /** kubectl with the token of an account, as its Job has it. */
  const as = (account: string, args: readonly string[]) =>
    kubectl(['--as', `system:serviceaccount:${JOBS}:${account}`, ...args])
  const argsOf = (job: Any): string[] => job.spec.template.spec.containers[0].args
  const newPod = (name: string, node: string, labels: object = {}) => {
    create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels, ownerReferences: [owner] },
      spec: { nodeName: node, containers: [{ name: 'a', image: 'a' }], terminationGracePeriodSeconds: 0 },
    })
    const status = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }
    does(kubectl(['patch', 'pod', name, '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]))
    return does(kubectl(['get', 'pod', name, '-o', 'jsonpath={.metadata.uid}']))
  }
  const statusOf = (daemonSet: string): Any =>
    JSON.parse(does(kubectl(['get', 'daemonset', daemonSet, '-o', 'jsonpath={.status}'])))
  let owner: Any

  test('their accounts and the owner of pods are there', () => {
    does(kubectl(['apply', '-f', join(ROOT, 'deploy/actions/actions.yaml')]))
    const spec = {
      replicas: 0,
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    }
    create({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', namespace: 'default' }, spec })
    const uid = does(kubectl(['get', 'replicaset', 'web', '-o', 'jsonpath={.metadata.uid}']))
    owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller: true }
  })
  test('a cordon and a label hold while they are valid, and are given back by the next output', () => {
    newNode('held')
    const actions = [
      onNode('held', 'cordonNode'),
      onNode('held', 'labelNode', { parameters: { labels: { team: 'a' } } }),
    ]
    const first = render('held', actions)
    apply(first.objects)
    assert.is(live('held').spec.unschedulable, true)
    assert.is(live('held').metadata.labels.team, 'a')
    const ended = render('held', actions, LATER, first.text)
    assert.is(ofKind(ended.objects, 'Node').length, 1)
    apply(ended.objects)
    assert.is(live('held').spec.unschedulable, undefined)
    assert.is(live('held').metadata.labels.team, undefined)
    assert.is(live('held').metadata.annotations['nodefit.dev/actions'], undefined)
  })
  test('a cordon of a person outlives that of an action', () => {
    newNode('shared')
    does(kubectl(['cordon', 'shared']))
    const first = render('shared', [onNode('shared', 'cordonNode')])
    apply(first.objects)
    apply(render('shared', [], LATER, first.text).objects)
    assert.is(live('shared').spec.unschedulable, true)
  })
  test('a cordon by hand of a node that an action holds ends with it, unless the node was uncordoned first', () => {
    const course = (name: string, ...byHand: string[]) => {
      newNode(name)
      const first = render(name, [onNode(name, 'cordonNode')])
      apply(first.objects)
      for (const verb of byHand) does(kubectl([verb, name]))
      apply(first.objects)
      apply(render(name, [], LATER, first.text).objects)
      return live(name).spec.unschedulable
    }
    assert.is(course('cordoned-again', 'cordon'), undefined)
    assert.is(course('taken-over', 'uncordon', 'cordon'), true)
  })
  test('an uncordon takes the cordon of a person away, and leaves nothing behind', () => {
    newNode('freed')
    does(kubectl(['cordon', 'freed']))
    const first = render('freed', [onNode('freed', 'uncordonNode')])
    apply(first.objects)
    assert.is(live('freed').spec.unschedulable, undefined)
    apply(render('freed', [], LATER, first.text).objects)
    does(kubectl(['cordon', 'freed']))
    assert.is(live('freed').spec.unschedulable, true)
  })
  test('a node that is gone or was replaced is refused, and no phantom is made', () => {
    newNode('gone')
    const { objects } = render('gone', [onNode('gone', 'cordonNode')])
    does(kubectl(['delete', 'node', 'gone']))
    const refused = kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], asList(objects))
    assert.match(refused.stderr, /uid mismatch/)
    assert.is(kubectl(['get', 'node', 'gone']).status, 1)
    newNode('gone')
    const replaced = kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], asList(objects))
    assert.match(replaced.stderr, /field is immutable/)
    assert.is(live('gone').spec.unschedulable, undefined)
  })
  test('a drain with its account waits for the cordon, evicts, and leaves the cordon to the action', () => {
    newNode('drained')
    newPod('web-0', 'drained')
    const { objects, text } = render('drained', [
      onNode('drained', 'drainNode', { parameters: { timeoutSeconds: 30 } }),
    ])
    const [job] = ofKind(objects, 'Job')
    const [wait] = job.spec.template.spec.initContainers
    const early = as('nodefit-drain', [...wait.args.slice(0, -1), '--timeout=1s'])
    assert.is(early.status, 1, 'it is not cordoned yet')
    apply(ofKind(objects, 'Node'))
    does(as('nodefit-drain', wait.args))
    does(as('nodefit-drain', argsOf(job)))
    assert.is(kubectl(['get', 'pod', 'web-0']).status, 1)
    apply(render('drained', [], LATER, text).objects)
    assert.is(live('drained').spec.unschedulable, undefined, 'kubectl drain does not own the cordon')
  })
  test('a budget keeps a drain from going on, and it says which pod', () => {
    newNode('blocked')
    newPod('kept', 'blocked', { app: 'kept' })
    create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'kept', namespace: 'default' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'kept' } } },
    })
    const { objects } = render('blocked', [onNode('blocked', 'drainNode', { parameters: { timeoutSeconds: 7 } })])
    apply(ofKind(objects, 'Node'))
    const drained = as('nodefit-drain', argsOf(ofKind(objects, 'Job')[0]))
    assert.is(drained.status, 1)
    assert.match(drained.stderr, /pods\/"?kept|"kept"/)
  })
  test('a taint and its end, and a label of others, with their accounts', () => {
    newNode('tainted', { workload: 'old' })
    const taint = onNode('tainted', 'taintNode', { parameters: { key: 'a', value: 'b', effect: 'NoSchedule' } })
    const label = onNode('tainted', 'labelNode', { sequence: 2, parameters: { labels: { workload: 'new' } } })
    const first = render('tainted', [taint, label])
    for (const job of ofKind(first.objects, 'Job')) does(as(job.spec.template.spec.serviceAccountName, argsOf(job)))
    assert.is(live('tainted').metadata.labels.workload, 'new')
    assert.ok(live('tainted').spec.taints.some(({ key, value }: Any) => key === 'a' && value === 'b'))
    const ended = render('tainted', [taint], LATER, first.text)
    const [end] = ofKind(ended.objects, 'Job')
    does(as('nodefit-taint', argsOf(end)))
    assert.not((live('tainted').spec.taints ?? []).some(({ key }: Any) => key === 'a'))
  })
  test('on a held node agents come back: on a cordoned one all, on a tainted one those that tolerate the taint', async () => {
    newNode('agents', { agents: 'here' })
    const AGENTS = ['plain', 'tolerant']
    const daemonSet = (name: string) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: 'default' },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            nodeSelector: { agents: 'here' },
            tolerations: name === 'tolerant' ? [{ operator: 'Exists' }] : [],
            containers: [{ name: 'a', image: 'a' }],
          },
        },
      },
    })
    create(...AGENTS.map(daemonSet))
    const uids = (name: string) =>
      does(kubectl(['get', 'pods', '-l', `app=${name}`, '-o', 'jsonpath={.items[*].metadata.uid}']))
    const isThere = (name: string) => uids(name) !== ''
    const isBack = (name: string, before: string) => isThere(name) && uids(name) !== before
    const remove = () =>
      does(kubectl(['delete', 'pods', '-l', 'app in (plain,tolerant)', '--force', '--grace-period=0']))
    await eventually(() => AGENTS.every(isThere), 60)
    const cordoned = render('agents', [onNode('agents', 'cordonNode')])
    apply(cordoned.objects)
    const [plain = '', tolerant = ''] = AGENTS.map(uids)
    remove()
    await eventually(() => isBack('plain', plain) && isBack('tolerant', tolerant), 60)
    const drain = onNode('agents', 'drainNode', { sequence: 2, parameters: { timeoutSeconds: 30 } })
    const hold = { drain: { hold: 'taint' } }
    const drained = render('agents', [drain], NOW, cordoned.text, hold)
    apply(ofKind(drained.objects, 'Node'))
    const taints = ofKind(drained.objects, 'Job').filter(({ metadata }) => metadata.name.startsWith('taintnode-'))
    for (const job of taints) does(as('nodefit-taint', argsOf(job)))
    assert.ok(
      live('agents').spec.taints.some(
        ({ key, effect }: Any) => key.startsWith('nodefit.dev/') && effect === 'NoSchedule',
      ),
    )
    const before = uids('tolerant')
    remove()
    await eventually(() => isBack('tolerant', before), 60)
    // the controller has looked at both after the deletion, and starts no pod that the node does not take
    does(kubectl(['annotate', 'node', 'agents', 'looked=at']))
    await eventually(() => statusOf('plain').desiredNumberScheduled === 0, 60)
    assert.not(isThere('plain'))
    const ended = render('agents', [drain], LATER, drained.text, hold)
    apply(ofKind(ended.objects, 'Node'))
    const [end] = ofKind(ended.objects, 'Job')
    does(as('nodefit-taint', argsOf(end)))
    await eventually(() => isThere('plain'), 60)
    assert.is(live('agents').spec.unschedulable, undefined)
  })
  test('the recipe to uninstall leaves no node held, and nothing to remove', () => {
    newNode('leaving')
    const actions = [
      onNode('leaving', 'cordonNode'),
      onNode('leaving', 'taintNode', { sequence: 2, parameters: { key: 'a', effect: 'NoSchedule' } }),
    ]
    const first = render('leaving', actions)
    apply(ofKind(first.objects, 'Node'))
    for (const job of ofKind(first.objects, 'Job')) does(as('nodefit-taint', argsOf(job)))
    assert.is(live('leaving').spec.unschedulable, true)
    const suspended = render('leaving', actions, '2026-01-15T10:05:00Z', first.text, { suspend: true })
    apply(ofKind(suspended.objects, 'Node'))
    const [end] = ofKind(suspended.objects, 'Job')
    assert.match(end.metadata.name, /^untaintnode-/)
    does(as('nodefit-taint', argsOf(end)))
    assert.is(live('leaving').spec.unschedulable, undefined)
    assert.not((live('leaving').spec.taints ?? []).some(({ key }: Any) => key === 'a'))
    const marks = does(
      kubectl(['get', 'node', 'leaving', '-o', 'jsonpath={.metadata.annotations.nodefit\\.dev/actions}']),
    )
    assert.is(marks, '')
    const time = '2026-01-15T10:20:00Z'
    const shown = snapshot({ nodes: [{ name: 'leaving', annotations: { shown: '' } }] }, time)
    const settled = render('leaving', [...actions, shown], time, suspended.text, { suspend: true })
    assert.is(ofKind(settled.objects, 'Node').length, 0)
    assert.is(ofKind(settled.objects, 'Job').length, 0)
  })
  test('an eviction is of that pod and no other, and a budget is asked again', () => {
    newNode('evicting')
    const uid = newPod('db-0', 'evicting')
    const kubeconfig = `--kubeconfig=${join(folder, 'kubeconfig')}`
    const evict = (pod: string, of: string, timeout = '5s') => {
      const args = [
        'act',
        'evict',
        '--namespace=default',
        `--pod=${pod}`,
        `--uid=${of}`,
        `--timeout=${timeout}`,
        kubeconfig,
      ]
      return run(process.execPath, [COMMAND, ...args])
    }
    assert.match(does(evict('db-0', '11111111-1111-4222-8333-000000000000')), /was replaced/)
    does(kubectl(['get', 'pod', 'db-0']))
    assert.match(does(evict('db-0', uid)), /is evicted/)
    assert.match(does(evict('db-0', uid)), /is gone/)
    const kept = does(kubectl(['get', 'pod', 'kept', '-o', 'jsonpath={.metadata.uid}']))
    const refused = evict('kept', kept)
    assert.is(refused.status, 1)
    assert.match(refused.stdout, /is kept by a disruption budget/)
  })
  test('the Jobs are taken, and no account may more than its commands need', () => {
    const { objects } = render('held', [
      onNode('held', 'drainNode'),
      onNode('held', 'taintNode', { sequence: 2, parameters: { key: 'a', effect: 'NoSchedule' } }),
    ])
    does(kubectl(['create', '--dry-run=server', '-f', '-'], asList(ofKind(objects, 'Job'))))
    const may = (account: string, verb: string, resource: string) =>
      as(account, ['auth', 'can-i', verb, resource, '--all-namespaces']).stdout.trim() === 'yes'
    assert.not(may('nodefit-drain', 'patch', 'nodes'))
    assert.not(may('nodefit-drain', 'delete', 'pods'))
    assert.not(may('nodefit-taint', 'list', 'pods'))
    assert.not(may('nodefit-evict', 'get', 'nodes'))
    for (const account of ['drain', 'evict', 'taint', 'label'])
      assert.not(may(`nodefit-${account}`, 'get', 'secrets'), account)
  })
  test('with deploy/guard/actions each account changes what its command needs, and nothing else', async () => {
    does(kubectl(['apply', '-k', join(ROOT, 'deploy/guard/actions')]))
    newNode('guarded', { team: 'a' })
    await eventually(() => {
      const { status, stderr } = as('nodefit-taint', ['label', 'node', 'guarded', 'team=b', '--overwrite'])
      if (status === 0) does(kubectl(['label', 'node', 'guarded', 'team=a', '--overwrite']))
      return status !== 0 && /changes taints of a node, and nothing else/.test(stderr)
    })
    const patch = (account: string, body: object) =>
      as(account, ['patch', 'node', 'guarded', '--type=merge', '-p', JSON.stringify(body)])
    does(as('nodefit-taint', ['taint', 'node', 'guarded', 'dedicated=x:NoSchedule']))
    does(as('nodefit-taint', ['taint', 'node', 'guarded', 'dedicated:NoSchedule-']))
    does(as('nodefit-label', ['label', 'node', 'guarded', 'team=c', '--overwrite']))
    const taints = [{ key: 'a', effect: 'NoExecute' }]
    const refused: ReadonlyArray<readonly [account: string, body: object]> = [
      ['nodefit-taint', { metadata: { labels: { team: 'd' } } }],
      ['nodefit-taint', { spec: { unschedulable: true } }],
      ['nodefit-taint', { metadata: { annotations: { a: 'b' } } }],
      ['nodefit-taint', { metadata: { finalizers: ['example.com/a'] } }],
      ['nodefit-label', { spec: { taints } }],
      ['nodefit-label', { spec: { unschedulable: true } }],
      ['nodefit-label', { spec: { providerID: 'x' } }],
    ]
    for (const [account, body] of refused) {
      const { status, stderr } = patch(account, body)
      assert.is(status, 1, JSON.stringify(body))
      assert.match(stderr, /of a node, and nothing else/)
    }
    for (const account of ['drain', 'evict']) {
      const { status, stderr } = patch(`nodefit-${account}`, { metadata: { labels: { team: 'd' } } })
      assert.is(status, 1)
      assert.match(stderr, /is forbidden|nothing of a node/)
    }
    // what others do is no affair of it
    does(kubectl(['patch', 'node', 'guarded', '--type=merge', '-p', '{"spec":{"unschedulable":true}}']))
  })
  test('with deploy/guard/actions a Job runs what the ConfigMap lists, and nothing without one', async () => {
    const { objects } = render('held', [onNode('held', 'drainNode')])
    const [job] = ofKind(objects, 'Job')
    const tried = (change: (job: Any) => void = () => {}) => {
      const copy = structuredClone(job)
      change(copy.spec.template.spec)
      return kubectl(['create', '--dry-run=server', '-f', '-'], asList([copy]))
    }
    await eventually(() => tried().status !== 0)
    const images = [...new Set(job.spec.template.spec.containers.map(({ image }: Any) => image))].join('\n')
    const accounts = ['nodefit-drain', 'nodefit-evict', 'nodefit-taint', 'nodefit-label'].join('\n')
    const metadata = { name: 'nodefit-actions-images', namespace: JOBS }
    create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { images, accounts } })
    await eventually(() => tried().status === 0)
    for (const [change, said] of [
      [(pod: Any) => (pod.containers[0].image = 'registry.example/other'), /does not list the image .*other/],
      [(pod: Any) => (pod.initContainers[0].image = 'registry.example/other'), /does not list the image .*other/],
      [(pod: Any) => (pod.serviceAccountName = 'default'), /does not list the account default/],
    ] as const) {
      const { status, stderr } = tried(change)
      assert.is(status, 1)
      assert.match(stderr, said)
    }
  })
  test('the control plane is stopped', () => stop())
})
