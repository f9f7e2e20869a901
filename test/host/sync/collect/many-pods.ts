/** Collects the pods of many nodes in a process of its own, and prints what that costs as JSON. */

import type { Connection, Response } from '../../../../src/host/cluster/connection.ts'
import { startCollectors } from '../../../../src/host/sync/collect/start.ts'
import { engineContext } from '../../../support/engine-context.ts'

const NODES = Number(process.argv[2])
const PODS = Number(process.argv[3])
const DAEMON_SETS = 8
const KINDS = 2000
/** What an API server says of a pod beside what is kept of it. */
const REST = {
  volumes: Array.from({ length: 4 }, (_, index) => ({
    name: `volume-${index}`,
    configMap: { name: `config-${index}` },
  })),
  tolerations: Array.from({ length: 6 }, (_, index) => ({ key: `key-${index}`, operator: 'Exists' })),
}
const STATUS = {
  phase: 'Running',
  conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True' })),
}

const nodeName = (index: number) => `ip-10-${index >> 8}-${index & 255}-17.eu-central-1.compute.internal`

/** The text of a pod; a new one each time, as it comes from a socket. */
function podText(index: number): string {
  const [node, slot] = [Math.floor(index / PODS), index % PODS]
  const isDaemon = slot < DAEMON_SETS
  const kind = isDaemon ? slot : (index * 7919) % KINDS
  const owner = { kind: isDaemon ? 'DaemonSet' : 'ReplicaSet', name: `workload-${kind}`, controller: true }
  const resources = { requests: { cpu: `${10 + kind}m`, memory: `${64 + kind}Mi` } }
  const env = Array.from({ length: 12 }, (_, number) => ({
    name: `NAME_${number}`,
    value: `value ${number} of ${index}`,
  }))
  return JSON.stringify({
    metadata: {
      name: `workload-${kind}-${index}`,
      namespace: `team-${kind % 40}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      ownerReferences: [owner],
    },
    spec: { nodeName: nodeName(node), containers: [{ name: 'main', resources, env }, { name: 'sidecar' }], ...REST },
    status: STATUS,
  })
}

/** Answers lists page by page, and watches that stay silent. */
const connection: Connection = {
  namespace: undefined,
  async json<T>({ query }: { query?: Record<string, unknown> }): Promise<T> {
    const from = Number(query?.continue ?? 0)
    const end = Math.min(from + Number(query?.limit), NODES * PODS)
    const items = Array.from({ length: end - from }, (_, index) => podText(from + index))
    const metadata = JSON.stringify({ resourceVersion: '1', continue: end < NODES * PODS ? String(end) : '' })
    return JSON.parse(`{"kind":"PodList","metadata":${metadata},"items":[${items.join()}]}`) as T
  },
  request: () => new Promise<Response>(() => {}),
}

const names = Array.from({ length: NODES }, (_, index) => nodeName(index))
const used = () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 }
}

const before = used()
const began = performance.now()
let told: () => void = () => {}
const synced = new Promise<void>((resolve) => {
  told = resolve
})
const { parts } = startCollectors(
  {
    ...{ collect: ['pods'], connection, nodes: () => names, onChange: () => told() },
    context: engineContext(),
  },
  new AbortController().signal,
)
await synced
const listed = performance.now()
const after = used()
const asked = performance.now()
const [part] = parts(0)
const ended = performance.now()
process.stdout.write(
  JSON.stringify({
    kept: after.heap - before.heap,
    rss: after.rss,
    list: listed - began,
    part: ended - asked,
    nodes: part?.nodes?.length,
    pods: part?.nodes?.reduce((sum, node) => sum + Number(node.used?.pods), 0),
    sets: part?.daemonSets?.length,
  }),
)
process.exit(0)
