/** What is rendered, held against a real API server and its DaemonSet controller: stored as written, and one agent a node. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, listOf, policy } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { type Cluster, CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { asList, asNew, does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { notAsWritten } from '../support/stored.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const SETTLED_SECONDS = 60
const NODES = ['aks', 'eks', 'gke', 'k3s'].map((name) => join(ROOT, `testdata/nodes/${name}.yaml`))
const STATIC = join(ROOT, 'testdata/daemonsets/node-exporter.yaml')
const NAMESPACE = 'monitoring'

const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

suite('a real cluster', (test) => {
  test('the node lists and the DaemonSet it is held against are there', () => {
    assert.is(nodes().length, 35)
    assert.is(objectsOf(readFileSync(STATIC, 'utf8')).length, 1)
  })
  if (cluster === undefined) return
  const { kubectl, stop } = cluster

  test('every node list is taken by the API server', () => {
    does(kubectl(['create', '-f', '-'], asList(nodes())))
    does(kubectl(['create', 'namespace', NAMESPACE]))
  })
  test('the groups run one agent where the static DaemonSet ran one, on no other node, and none is ever without', async () => {
    const before = objectsOf(readFileSync(STATIC, 'utf8'))
    does(kubectl(['apply', '-f', '-'], asList(before.map(asNew))))
    const there = await settled(cluster)
    assert.ok(there.size > 30)
    for (const [node, pods] of there) assert.is(pods.length, 1, node)

    const { text, uncovered } = build(cluster)
    does(kubectl(['apply', '-f', '-'], text))
    const both = await settled(cluster)
    assert.equal([...both.keys()].sort(), [...there.keys()].sort())
    for (const [node, pods] of both) assert.is(pods.length, 2, node)

    does(kubectl(['delete', 'daemonset', 'node-exporter', '-n', NAMESPACE, '--cascade=foreground']))
    const after = await settled(cluster)
    assert.equal([...after.keys()].sort(), [...there.keys()].sort())
    for (const [node, pods] of after) {
      assert.is(pods.length, 1, node)
      assert.ok(both.get(node)?.includes(pods[0] ?? ''), `the pod of its group stayed on ${node}`)
    }
    const all = nodes().map(({ metadata }) => metadata.name as string)
    assert.equal(uncovered, all.filter((name) => !after.has(name)).sort())
  })
  test('kubectl diff of what was applied is empty, and it is stored as it was written', () => {
    const { text } = build(cluster)
    const { status, stdout } = kubectl(['diff', '-f', '-'], text)
    assert.is(stdout, '')
    assert.is(status, 0)
    storedAsWritten(cluster, objectsOf(text).map(inDefault))
  })
  test('a new type of node is served by the remainder, and by its own group after the next render', async () => {
    const [example] = nodes().filter(
      ({ metadata }) => metadata.labels['node.kubernetes.io/instance-type'] === 'm5.large',
    )
    const added = structuredClone(example)
    added.metadata.name = 'new-node'
    added.metadata.labels['node.kubernetes.io/instance-type'] = 'm7.large'
    added.metadata.labels['kubernetes.io/hostname'] = 'new-node'
    does(kubectl(['create', '-f', '-'], asList([added])))
    const first = await settled(cluster)
    assert.is(first.get('new-node')?.length, 1)

    const { text } = build(cluster, [...nodes(), added])
    does(kubectl(['apply', '-f', '-'], text))
    const second = await settled(cluster)
    assert.equal([...second.keys()].sort(), [...first.keys()].sort())
    for (const [node, pods] of second) assert.is(pods.length, 1, node)
    assert.match(podNames(cluster, 'new-node').join(), /^node-exporter-m7-large-/)
  })
  test('a pool that is scaled to zero keeps its DaemonSets, and each node that comes back has its agent before any render', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `gpu-${index}`)
    const pool = names.map((name) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { pool: 'gpu', 'node.kubernetes.io/instance-type': 'g5.xlarge' } },
      status: { allocatable: { cpu: '4', memory: '16Gi' } },
    }))
    const create = () => does(kubectl(['create', '-f', '-'], asList(pool)))
    const agents = async () => {
      const uids = [...(await settled(cluster)).values()].flat()
      const pods: Any[] = JSON.parse(
        does(kubectl(['get', 'pods', '-n', NAMESPACE, '-l', 'app=agent', '-o', 'json'])),
      ).items
      return pods
        .filter(({ metadata }) => uids.includes(metadata.uid))
        .map(nodeOf)
        .sort()
    }
    const render = (items: readonly Any[]) => {
      const made = plan(listOf([...items]))
      assert.is(made.failed, false, made.findings.map(({ message }) => message).join('\n'))
      const objects = made.items.map(({ object }) => object)
      const groups = objects.filter(({ metadata }) => metadata.annotations?.['nodefit.dev/owner'] !== undefined)
      does(kubectl(['apply', '--prune', '-l', 'app=agent', '-n', NAMESPACE, '-f', '-'], asList(groups)))
      return objects
    }
    const labels = { app: 'agent' }
    const containers = [{ name: 'agent', image: 'agent:1' }]
    const agent = daemonSet({ containers }, { namespace: NAMESPACE, labels })
    const sizing = policy({ nodeSelector: { pool: 'gpu' } })
    create()
    const first = render([...nodes(), ...pool, agent, sizing])
    assert.equal(await agents(), names)

    does(kubectl(['delete', 'node', ...names]))
    does(kubectl(['delete', 'pods', '-n', NAMESPACE, '-l', 'app=agent', '--force', '--grace-period=0']))
    const emptied = first.filter(({ kind, metadata }) => kind !== 'Node' || !names.includes(metadata.name))
    // also where a user has allowed what stopped the run before
    render([...emptied, config({ allow: ['NoGroups', 'GuardTripped'] })])
    render(emptied)
    create()
    assert.equal(await agents(), names, 'before any render')
  })
  test('what was started is stopped', async () => {
    await stop()
    assert.not(existsSync(cluster.folder))
  })
})

function nodes(): Any[] {
  return NODES.flatMap((file) => objectsOf(readFileSync(file, 'utf8')).flatMap(({ items }) => items)).map(asNew)
}

/** The DaemonSets of the groups of these nodes, and the nodes that nodefit says have none. */
function build({ folder }: Cluster, of = nodes()): { text: string; uncovered: string[] } {
  const file = join(folder, 'nodes.yaml')
  writeFileSync(file, stringify({ apiVersion: 'v1', kind: 'List', items: of }))
  const { status, stdout, stderr } = run(process.execPath, [
    COMMAND,
    'build',
    file,
    STATIC,
    '--set',
    'target=node-exporter',
    '--all',
  ])
  assert.is(status, 0, stderr)
  const named = /NodesWithoutAgent: .* does not match: (.*)/.exec(stderr)?.[1] ?? ''
  return { text: stdout, uncovered: named.split(', ').sort() }
}

/** The pods of each node, by uid, once the controller has done all it will. */
async function settled({ kubectl }: Cluster): Promise<Map<string, string[]>> {
  for (let attempt = 0; attempt < SETTLED_SECONDS * 2; attempt++) {
    const sets: Any[] = JSON.parse(does(kubectl(['get', 'daemonsets', '-n', NAMESPACE, '-o', 'json']))).items
    const pods: Any[] = JSON.parse(does(kubectl(['get', 'pods', '-n', NAMESPACE, '-o', 'json']))).items
    const wanted = sets.reduce((sum, { status }) => sum + status.desiredNumberScheduled, 0)
    const isDone = sets.every(
      ({ metadata, status }) =>
        status.observedGeneration === metadata.generation &&
        (status.updatedNumberScheduled ?? 0) === status.desiredNumberScheduled &&
        !status.numberMisscheduled,
    )
    if (isDone && pods.length === wanted) return podsByNode(pods)
    await pause(500)
  }
  throw new Error('the DaemonSets did not settle')
}

function podsByNode(pods: Any[]): Map<string, string[]> {
  const byNode = new Map<string, string[]>()
  for (const pod of pods) byNode.set(nodeOf(pod), [...(byNode.get(nodeOf(pod)) ?? []), pod.metadata.uid])
  return byNode
}

/** Without a scheduler a pod names its node in the affinity that the controller gave it. */
function nodeOf({ spec }: Any): string {
  const terms: Any[] =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return spec.nodeName ?? terms[0]?.matchFields?.[0]?.values?.[0] ?? ''
}

function podNames({ kubectl }: Cluster, node: string): string[] {
  const pods: Any[] = JSON.parse(does(kubectl(['get', 'pods', '-n', NAMESPACE, '-o', 'json']))).items
  return pods.filter((pod) => nodeOf(pod) === node).map(({ metadata }) => metadata.name)
}

function inDefault(object: Any): Any {
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } }
}

/** The API server's answer to each object as it would store it: all that was written is there and says the same. */
function storedAsWritten({ kubectl }: Cluster, written: readonly Any[]): void {
  const create = ['create', '--dry-run=server', '--validate=strict', '-o', 'yaml', '-f', '-']
  const stored = objectsOf(does(kubectl(create, asList(written))))
  assert.is(stored.length, written.length)
  for (const [index, object] of written.entries())
    assert.equal(notAsWritten(object, stored[index]), [], object.metadata.name)
}
