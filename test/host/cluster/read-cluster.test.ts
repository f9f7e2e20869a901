/** What `nodefit scan` asks of an API server, and what it keeps of the answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { json, refuse, ScriptedApi } from '../../../e2e/support/scripted-api.ts'
import type { KubeObject } from '../../../src/host/cluster/list.ts'
import { readCluster, trimsDaemonPods } from '../../../src/host/cluster/read-cluster.ts'
import { suite } from '../../support/suite.ts'

const [NODES, DAEMONSETS, PODS] = ['/api/v1/nodes', '/apis/apps/v1/daemonsets', '/api/v1/pods']
const METRICS = '/apis/metrics.k8s.io/v1beta1/pods'
const listOf = (...items: object[]) => ({ metadata: { resourceVersion: '1' }, items })
const podOf = (kind: string) => ({
  metadata: { name: 'p', namespace: 'ops', ownerReferences: [{ kind, name: 'agent', controller: true }] },
  spec: {
    nodeName: 'n',
    containers: [{ name: 'a', image: 'a:1', env: [{ name: 'TOKEN', value: 'secret' }], resources: {} }],
  },
  status: { phase: 'Running', podIP: '10.0.0.1' },
})
const ANSWERS: Record<string, object> = {
  [NODES]: listOf({ metadata: { name: 'n' }, status: { allocatable: { cpu: '2' }, images: [{ names: ['a:1'] }] } }),
  [DAEMONSETS]: listOf({ metadata: { name: 'agent', namespace: 'ops' } }),
  [PODS]: listOf(podOf('DaemonSet'), podOf('ReplicaSet')),
  [METRICS]: listOf({ metadata: { name: 'p', namespace: 'ops' }, containers: [] }),
}

/** Reads a cluster of which some paths are refused. */
async function read(refused: Record<string, number> = {}, namespace?: string) {
  const api = await ScriptedApi.start()
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-cluster-'))
  for (const [path, answer] of Object.entries(ANSWERS))
    api.next(
      (asked) => asked.path.replace('/namespaces/ops/', '/') === path,
      (_, response) =>
        refused[path] === undefined
          ? json(response, 200, answer)
          : refuse(response, refused[path], 'Forbidden', `no ${path}`),
    )
  const kubeconfig = join(folder, 'config')
  writeFileSync(kubeconfig, api.kubeconfig)
  const shown: string[] = []
  try {
    const cluster = await readCluster({ kubeconfig, namespace, onProgress: (text) => shown.push(text) }).catch(
      (error) => error as Error,
    )
    return { cluster, asked: api.asked, shown }
  } finally {
    rmSync(folder, { recursive: true })
    await api.close()
  }
}

suite('readCluster', (test) => {
  test('reads four lists as nodefit, says which, and writes nothing', async () => {
    const { asked, shown } = await read()
    assert.equal(
      asked.map(({ method, path }) => `${method} ${path}`),
      [NODES, DAEMONSETS, PODS, METRICS].map((path) => `GET ${path}`),
    )
    assert.ok(asked.every(({ headers }) => headers['user-agent'] === 'nodefit'))
    assert.is(asked[2]?.query.get('fieldSelector'), 'status.phase!=Succeeded,status.phase!=Failed')
    assert.is(shown.length, 4)
  })
  test('of a namespace reads its own lists, and all nodes', async () => {
    const { asked, cluster } = await read({}, 'ops')
    if (cluster instanceof Error) throw cluster
    assert.equal(
      asked.map(({ path }) => path),
      [
        NODES,
        '/apis/apps/v1/namespaces/ops/daemonsets',
        '/api/v1/namespaces/ops/pods',
        '/apis/metrics.k8s.io/v1beta1/namespaces/ops/pods',
      ],
    )
    assert.equal(cluster.leftOut, [])
  })
  test('keeps of pods those of DaemonSets, without what runs in them, and of nodes no images', async () => {
    const { cluster } = await read()
    if (cluster instanceof Error) throw cluster
    const text = JSON.stringify(cluster)
    for (const gone of ['secret', 'TOKEN', '10.0.0.1', 'a:1', 'ReplicaSet']) assert.not.match(text, gone)
    assert.equal(
      [...cluster.nodes, ...cluster.daemonSets, ...(cluster.pods ?? []), ...cluster.metrics].map(({ kind }) => kind),
      ['Node', 'DaemonSet', 'Pod', 'PodMetrics'],
    )
    assert.equal(cluster.leftOut, [])
  })
  test('keeps once what the pods of a DaemonSet have alike, and no time of theirs but of kills', async () => {
    const trim = trimsDaemonPods()
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]
    const waits = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/2: Insufficient memory',
    }
    const state = { running: { startedAt: '2026-01-01T00:00:00Z' } }
    const killed = { terminated: { reason: 'OOMKilled', finishedAt: '2026-01-01T00:00:00Z' } }
    const resize = { type: 'PodResizePending', status: 'True', reason: 'Infeasible' }
    const of = (status: object) => trim({ ...podOf('DaemonSet'), status } as KubeObject) as KubeObject
    const first = of({ conditions, containerStatuses: [{ name: 'a', state, lastState: killed }] })
    const second = of({ conditions: [...conditions, waits, resize] })
    assert.equal(first.status, {
      phase: undefined,
      conditions: [],
      containerStatuses: [{ name: 'a', state: {}, lastState: killed }],
      initContainerStatuses: undefined,
    })
    assert.equal((second.status as { conditions: unknown }).conditions, [waits, resize])
    const containers = (pod: KubeObject) => (pod.spec as { containers: unknown }).containers
    assert.is(containers(first), containers(second))
  })
  test('does without pods that it may not list, and without metrics that nobody serves', async () => {
    const { cluster } = await read({ [PODS]: 403, [METRICS]: 404 })
    if (cluster instanceof Error) throw cluster
    assert.is(cluster.pods, undefined)
    assert.equal(cluster.metrics, [])
    assert.equal(cluster.leftOut, [
      `pods are left out: no ${PODS}`,
      `usage is left out, the metrics API does not serve it: no ${METRICS}`,
    ])
  })
  for (const path of [NODES, DAEMONSETS])
    test(`does not do without ${path}`, async () => {
      const { cluster } = await read({ [path]: 403 })
      assert.is((cluster as Error).message, `no ${path}`)
    })
  test('an API server that fails at pods is no API server without pods', async () => {
    const { cluster } = await read({ [PODS]: 500 })
    assert.instance(cluster, Error)
  })
})
