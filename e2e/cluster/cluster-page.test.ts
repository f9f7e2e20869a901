/** docs/daemonset/moving-over.md: what is around the agents when one DaemonSet becomes one for each group, on a real control plane. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { around, binding, POLICY, quota, SELECTOR } from '../support/around.ts'
import { SCHEDULED, startCluster } from '../support/cluster.ts'
import { Api } from '../support/fleets/api.ts'
import { COMMAND, ROOT, type Run, run } from '../support/hosts.ts'
import { isReady, Kubelets } from '../support/kubelets.ts'
import { asList, asNew, does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const PAGE = readFileSync(join(ROOT, 'docs/daemonset/moving-over.md'), 'utf8')
const COMMANDS = [...PAGE.matchAll(/^\| `(kubectl -n logging .*?)` \| (?:`(kubectl .*?)`)?/gm)].map(
  ([, before = '', now]) => ({
    before,
    now,
  }),
)
const RESTART = COMMANDS.find(({ before }) => before.includes(' restart '))
const NODES = join(ROOT, 'testdata/nodes/eks.yaml')
const STATIC = join(ROOT, 'testdata/daemonsets/fluent-bit.json')
const NAMESPACE = 'logging'
const TIGHT = 'tight'
/** Nodes of the agent, and groups with nodes. */
const AGENTS = 9
const GROUPS = 5
/** The node that has room for one pod. */
const FULL = 'fargate-ip-10-0-6-30.eu-central-1.compute.internal'
const MIDDLE = 'ip-10-0-3-8.eu-central-1.compute.internal'

const cluster = SCHEDULED.every(has)
  ? await startCluster({
      scheduler: true,
      controllers: ['endpointslice-controller', 'disruption-controller', 'resourcequota-controller'],
    })
  : undefined

suite('the page about the cluster', (test) => {
  test('it has commands for before and now', () => assert.is(COMMANDS.length, 7))
  if (cluster === undefined) return
  const { kubectl, stop, folder } = cluster
  const api = new Api(folder)
  const kubelets = new Kubelets(api)
  const agent = asNew(JSON.parse(readFileSync(STATIC, 'utf8')))
  agent.spec.template.spec.priorityClassName = 'agents'
  const file = join(folder, 'daemonset.json')
  writeFileSync(file, JSON.stringify(agent))
  const groups = objectsOf(does(run(process.execPath, [COMMAND, 'build', NODES, file, '--set', 'target=fluent-bit'])))
  const read = (...args: string[]): Any => JSON.parse(does(kubectl([...args, '-o', 'json'])))
  const sets = (): Any[] => read('get', 'ds', '-n', NAMESPACE).items
  const settled = (count: number, namespace = NAMESPACE) =>
    kubelets.until(`${count} agents are ready in ${namespace}`, (pods) => {
      const own = pods.filter(
        ({ metadata }) => metadata.namespace === namespace && metadata.deletionTimestamp === undefined,
      )
      return own.filter(isReady).length === count
    })
  const endpoints = (): string[] =>
    read('get', 'endpointslices', '-n', NAMESPACE)
      .items.flatMap(({ endpoints: all }: Any) => all ?? [])
      .filter(({ conditions }: Any) => conditions.ready)
      .map(({ nodeName }: Any) => nodeName)
      .sort()
  const budget = (): Any => read('get', 'pdb', 'agents', '-n', NAMESPACE).status
  const evict = (namespace: string, name: string): Run => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
    return kubectl(['create', '--raw', `${path}?dryRun=All`, '-f', '-'], JSON.stringify(eviction))
  }
  const refusesByShare = async (name: string) => {
    for (const share of [{ maxUnavailable: '10%' }, { maxUnavailable: 1 }, { minAvailable: '50%' }]) {
      does(kubectl(['delete', 'pdb', 'agents', '-n', NAMESPACE]))
      does(kubectl(['create', '-f', '-'], JSON.stringify(around(NAMESPACE, share)[1])))
      await kubelets.until('it is looked at', () => budget().conditions?.[0]?.reason === 'SyncFailed')
      assert.match(budget().conditions[0].message, 'daemonsets.apps does not implement the scale subresource')
      assert.match(evict(NAMESPACE, name).stderr, 'disruption budget')
    }
  }
  let nodesBefore: string[] = []

  test('before: an endpoint on each node', async () => {
    does(
      kubectl(
        ['create', '-f', '-'],
        asList(
          objectsOf(readFileSync(NODES, 'utf8'))
            .flatMap((list) => list.items)
            .map(asNew),
        ),
      ),
    )
    does(kubectl(['create', 'namespace', NAMESPACE]))
    does(kubectl(['apply', '-f', '-'], asList([...around(NAMESPACE), agent])))
    await settled(AGENTS)
    await kubelets.until('the Service has its endpoints', () => endpoints().length === AGENTS)
    await kubelets.until('the budget has counted', () => budget().currentHealthy === AGENTS)
    nodesBefore = endpoints()
    assert.is(new Set(nodesBefore).size, AGENTS)
    for (const { before } of COMMANDS) if (!/…| logs | undo | restart /.test(before)) does(shell(kubectl, before))
  })
  test('before: a budget of a share allows no eviction', async () => {
    await refusesByShare(podNames(read('get', 'pods', '-n', NAMESPACE))[0] ?? '')
    does(kubectl(['apply', '-f', '-'], asList(around(NAMESPACE))))
  })
  test('before: one agent at a time is changed', async () => {
    does(shell(kubectl, RESTART?.before))
    assert.is((await kubelets.untilStill()).filter((pod) => !isReady(pod)).length, 1)
    await settled(AGENTS)
    await kubelets.until('all are changed', () => sets()[0].status.updatedNumberScheduled === AGENTS)
  })
  test('both: the static DaemonSet leaves the groups’ pods alone, and Services, budgets and logs see both', async () => {
    const own = read('get', 'pods', '-n', NAMESPACE).items.map(({ metadata }: Any) => metadata.uid)
    does(kubectl(['apply', '-f', '-'], asList(groups)))
    await settled(2 * AGENTS - 1)
    await kubelets.until('the Service has all endpoints', () => endpoints().length === 2 * AGENTS - 1)
    await kubelets.until('the budget has counted all', () => budget().currentHealthy === 2 * AGENTS - 1)
    const both = read('get', 'pods', '-n', NAMESPACE).items
    assert.equal(
      both
        .filter(({ metadata }: Any) => metadata.ownerReferences[0].name === 'fluent-bit')
        .map(({ metadata }: Any) => metadata.uid)
        .sort(),
      own.sort(),
    )
    const [one] = sets().filter(({ metadata }) => metadata.name === 'fluent-bit')
    assert.is(one.status.currentNumberScheduled, AGENTS)
    assert.is(budget().disruptionsAllowed, 2 * AGENTS - 1 - (AGENTS - 1))
    assert.match(kubectl(['logs', '-n', NAMESPACE, 'ds/fluent-bit']).stderr, `Found ${2 * AGENTS} pods`)
  })
  test('both: on a node without room for two the new pod waits', () => {
    const [waiting, ...others] = read('get', 'pods', '-n', NAMESPACE, '--field-selector=status.phase=Pending').items
    assert.is(others.length, 0)
    assert.match(JSON.stringify(waiting.spec.affinity), FULL)
    assert.match(waiting.metadata.name, /^fluent-bit-default-/)
  })
  test('after: the Service has one endpoint on each of the same nodes, and the budget counts the same pods', async () => {
    does(kubectl(['delete', 'ds', 'fluent-bit', '-n', NAMESPACE, '--wait=false']))
    await settled(AGENTS)
    await kubelets.until('the Service has its endpoints', () => endpoints().length === AGENTS)
    assert.equal(endpoints(), nodesBefore)
    await kubelets.until('the budget has counted', () => budget().currentHealthy === AGENTS)
    assert.equal([budget().expectedPods, budget().disruptionsAllowed], [AGENTS, 1])
  })
  test('after: pods have all that the static ones had, and one label more', () => {
    const { metadata, spec } = agent.spec.template
    const hashes = new Set<string>()
    for (const pod of read('get', 'pods', '-n', NAMESPACE).items) {
      const { 'controller-revision-hash': hash, 'pod-template-generation': _, ...labels } = pod.metadata.labels
      const { 'nodefit.dev/node-group': group, ...others } = labels
      hashes.add(hash)
      assert.ok(group)
      assert.equal(others, metadata.labels)
      assert.equal(pod.metadata.annotations, metadata.annotations)
      assert.equal(
        [pod.spec.serviceAccountName, pod.spec.priorityClassName, pod.spec.containers[0].name],
        [spec.serviceAccountName, 'agents', 'fluent-bit'],
      )
    }
    assert.is(hashes.size, GROUPS, 'each group has a hash of its own')
    const owners = read('get', 'controllerrevisions', '-n', NAMESPACE).items.map(
      ({ metadata: of }: Any) => of.ownerReferences[0].name,
    )
    assert.is(new Set(owners).size, groups.length)
  })
  test('after: what goes by the name finds nothing, and the commands that go by labels all', () => {
    for (const { before, now } of COMMANDS) {
      const old = shell(kubectl, before.replace('…', 'fluent-bit=other'))
      assert.not.equal(old.status, 0, before)
      assert.match(old.stderr, /not ?found/i, before)
      if (now === undefined || now === RESTART?.now) continue
      const made = shell(kubectl, now)
      if (/ logs /.test(now)) assert.match(made.stderr, /containerLogs/, 'only the kubelet is missing')
      else for (const { metadata } of groups) assert.match(does(made), metadata.name)
    }
  })
  test('after: a drain that ignores DaemonSets ignores them; one that does not is refused', () => {
    const drain = (...more: string[]) => kubectl(['drain', MIDDLE, '--dry-run=server', ...more])
    assert.match(drain('--ignore-daemonsets').stderr, 'ignoring DaemonSet-managed Pods: logging/fluent-bit-m5-xlarge-')
    does(drain('--ignore-daemonsets'))
    assert.is(drain().status, 1)
  })
  test('after: the budget of a number allows an eviction, one of a share does not', async () => {
    const [name = ''] = podNames(read('get', 'pods', '-n', NAMESPACE))
    assert.is(evict(NAMESPACE, name).status, 0)
    await refusesByShare(name)
  })
  test('a Role and a policy that name the DaemonSet are not about the groups', async () => {
    const may = (name: string) => kubectl(['auth', 'can-i', 'patch', `ds/${name}`, '-n', NAMESPACE, '--as=ci']).stdout
    assert.equal([may('fluent-bit'), may('fluent-bit-m5-large')], ['yes\n', 'no\n'])
    const tried = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-']
    const refused = (object: Any) => kubectl(tried, JSON.stringify(object)).stderr
    does(kubectl(['apply', '-f', '-'], asList([POLICY, binding(['fluent-bit'])])))
    await kubelets.until('the policy holds', () => /no agents/.test(refused(agent)))
    for (const group of groups) assert.is(refused(group), '')
    does(kubectl(['apply', '-f', '-'], asList([binding(undefined, SELECTOR)])))
    await kubelets.until('it is about labels', () => /no agents/.test(refused(groups[0])))
    for (const one of [agent, ...groups]) assert.match(refused(one), 'no agents')
    does(kubectl(['delete', 'validatingadmissionpolicy', POLICY.metadata.name]))
    await kubelets.until('it is gone', () => !/no agents/.test(refused(agent)))
  })
  test('a restart takes an agent of each group down at once', async () => {
    does(shell(kubectl, RESTART?.now))
    const down = (await kubelets.untilStill()).filter((pod) => !isReady(pod))
    assert.is(down.length, GROUPS)
    assert.is(new Set(down.map(({ metadata }) => metadata.ownerReferences[0].name)).size, GROUPS)
    await settled(AGENTS)
  })
  test('a percentage of maxUnavailable is rounded up in each group, and one group can be applied by itself', async () => {
    await kubelets.until('all are changed', () =>
      sets().every(({ status }) => (status.updatedNumberScheduled ?? 0) === status.desiredNumberScheduled),
    )
    const text = asList(groups)
      .replaceAll('"maxUnavailable":1', '"maxUnavailable":"10%"')
      .replaceAll(':4.1.1', ':4.1.2')
    does(kubectl(['apply', '-f', '-', '-l', 'nodefit.dev/node-group=m5.large'], text))
    const down = (await kubelets.untilStill()).filter((pod) => !isReady(pod))
    assert.equal(
      down.map(({ metadata }) => metadata.labels['nodefit.dev/node-group']),
      ['m5.large'],
    )
    await settled(AGENTS)
  })
  test('pods that lose their owner: a group’s are taken by the static DaemonSet, and its own by nobody', async () => {
    const ownerOf = ({ metadata }: Any) => metadata.ownerReferences?.[0]?.name
    const inSpace = (pods: readonly Any[]) => pods.filter(({ metadata }) => metadata.namespace === NAMESPACE)
    const [orphan] = read('get', 'pods', '-n', NAMESPACE, '-l', 'nodefit.dev/node-group=m5.xlarge').items
    does(kubectl(['apply', '-f', '-'], JSON.stringify(agent)))
    await kubelets.until(
      'it has its pods',
      (pods) => pods.filter((pod) => ownerOf(pod) === 'fluent-bit').length === AGENTS,
    )
    does(kubectl(['delete', 'ds', 'fluent-bit-m5-xlarge', '-n', NAMESPACE, '--cascade=orphan']))
    await kubelets.until('the static DaemonSet has taken it', (pods) =>
      pods.some((pod) => pod.metadata.uid === orphan.metadata.uid && ownerOf(pod) === 'fluent-bit'),
    )
    does(kubectl(['delete', 'ds', 'fluent-bit', '-n', NAMESPACE, '--cascade=orphan']))
    const left = inSpace(await kubelets.untilStill()).filter(
      (pod) => ownerOf(pod) === undefined && pod.metadata.labels['nodefit.dev/node-group'] === undefined,
    )
    assert.ok(left.length >= AGENTS - 1, String(left.length))
    does(kubectl(['apply', '-f', '-'], asList(groups)))
    const after = inSpace(await kubelets.untilStill())
    for (const { metadata } of left) {
      const [same] = after.filter((pod) => pod.metadata.uid === metadata.uid)
      assert.ok(same !== undefined && ownerOf(same) === undefined, metadata.name)
    }
    does(kubectl(['delete', 'pods', '--all', '-n', NAMESPACE, '--wait=false']))
  })
  test('a quota counts groups, and holds back the new pods until the old are gone', async () => {
    const inTight = (object: Any) => ({ ...object, metadata: { ...object.metadata, namespace: TIGHT } })
    does(kubectl(['delete', 'ds', '--all', '-n', NAMESPACE, '--wait=false']))
    await settled(0)
    does(kubectl(['create', 'namespace', TIGHT]))
    does(kubectl(['apply', '-f', '-'], JSON.stringify(quota(TIGHT, { pods: '9', 'count/daemonsets.apps': '6' }))))
    await kubelets.until('the quota holds', () => read('get', 'quota', '-n', TIGHT).items[0].status.hard !== undefined)
    does(kubectl(['apply', '-f', '-'], JSON.stringify(inTight(agent))))
    await settled(AGENTS, TIGHT)
    const { status, stderr } = kubectl(['apply', '-f', '-'], asList(groups.map(inTight)))
    assert.is(status, 1)
    assert.match(
      stderr,
      'exceeded quota: tight, requested: count/daemonsets.apps=1, used: count/daemonsets.apps=6, limited: count/daemonsets.apps=6',
    )
    does(kubectl(['apply', '-f', '-'], JSON.stringify(quota(TIGHT, { pods: '9', 'count/daemonsets.apps': '7' }))))
    does(kubectl(['apply', '-f', '-'], asList(groups.map(inTight))))
    await kubelets.until('it is said in events', () =>
      /exceeded quota: tight, requested: pods=1/.test(kubectl(['get', 'events', '-n', TIGHT]).stdout),
    )
    assert.is((await kubelets.untilStill()).filter(({ metadata }) => metadata.namespace === TIGHT).length, AGENTS)
    does(kubectl(['delete', 'ds', 'fluent-bit', '-n', TIGHT, '--wait=false']))
    await kubelets.until('the groups have all pods', (pods) => {
      const own = pods.filter(({ metadata, ...pod }) => metadata.namespace === TIGHT && isReady(pod))
      return own.filter(({ metadata }) => /^fluent-bit-(c6g|m5|default)-/.test(metadata.name)).length === AGENTS
    })
  })
  test('what was started is stopped', async () => {
    api.close()
    await stop()
  })
})

/** A command of the page, by the kubectl of this cluster. */
function shell(kubectl: (args: readonly string[]) => Run, command = ''): Run {
  const [, ...args] = command.trim().split(/\s+/)
  return kubectl(args)
}

function podNames({ items }: Any): string[] {
  return items.map(({ metadata }: Any) => metadata.name)
}
