/** How many pods of a namespace each node has, at every instant, as the API server reports their coming and going. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Cluster } from './cluster.ts'
import { PATH } from './program.ts'

/** The least and the most pods that a node had at once since the last `reset`. */
export interface Span {
  readonly least: number
  readonly most: number
  readonly now: number
}

export interface PodCount {
  readonly reset: () => void
  readonly spans: () => ReadonlyMap<string, Span>
  readonly stop: () => void
}

/** Follows the pods of a namespace. A pod that nobody has bound names its node in the affinity that the DaemonSet controller gave it. */
export function countPods({ folder }: Cluster, namespace: string): PodCount {
  const nodeOfPod = new Map<string, string>()
  const spans = new Map<string, Span>()
  const watch = spawn(
    'kubectl',
    [`--kubeconfig=${join(folder, 'kubeconfig')}`, 'get', '--raw', `/api/v1/namespaces/${namespace}/pods?watch=1`],
    { env: { ...process.env, PATH }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  createInterface({ input: watch.stdout }).on('line', (line) => {
    const { type, object } = JSON.parse(line)
    const { uid } = object.metadata
    if (type === 'DELETED') nodeOfPod.delete(uid)
    else nodeOfPod.set(uid, nodeOf(object.spec))
    const node = nodeOf(object.spec)
    const now = [...nodeOfPod.values()].filter((one) => one === node).length
    const span = spans.get(node)
    spans.set(node, { least: Math.min(span?.least ?? now, now), most: Math.max(span?.most ?? now, now), now })
  })
  const reset = () => {
    for (const [node, { now }] of spans) spans.set(node, { least: now, most: now, now })
  }
  return { reset, spans: () => spans, stop: () => void watch.kill('SIGKILL') }
}

/** The node that a pod of a DaemonSet runs on, or was made for. */
export function nodeOf({ nodeName, affinity }: { nodeName?: string; affinity?: unknown }): string {
  const [, name = ''] =
    /"matchFields":\[\{"key":"metadata.name","operator":"In","values":\["([^"]+)"/.exec(
      JSON.stringify(affinity ?? {}),
    ) ?? []
  return nodeName ?? name
}
