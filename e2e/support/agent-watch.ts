import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'

// biome-ignore lint/suspicious/noExplicitAny: what an API server answers
type Any = any

/** How few and how many agents ran on a node at once. */
export interface Span {
  least: number
  most: number
}

/** What ran on each node from one moment to another. */
export interface Watch {
  /** Agents that run now, by node. */
  readonly now: () => Map<string, number>
  /** Ends it, and gives the spans. */
  readonly stop: () => Map<string, Span>
}

/**
 * Watches the running pods of a namespace: every change that the API server has stored is seen, in its order, so that no gap is too short to be
 * counted. A pod counts while it is ready, until it is gone. `onChange` is told after each how many each node has.
 */
export async function watchAgents(
  folder: string,
  namespace: string,
  onChange: (agents: ReadonlyMap<string, number>) => void = () => undefined,
): Promise<Watch> {
  const { clusters, users } = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
  const server: string = clusters[0].cluster.server
  const headers = { authorization: `Bearer ${users[0].user.token}` }
  const path = `${server}/api/v1/namespaces/${namespace}/pods`
  // the certificate is one that this very server made a moment ago
  const open = (url: string, onData: (chunk: string) => void) =>
    new Promise<{ end: Promise<void>; close: () => void }>((resolve, reject) => {
      const sent = request(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
        response.setEncoding('utf8')
        response.on('data', onData)
        const end = new Promise<void>((done) => response.once('close', done))
        resolve({ end, close: () => sent.destroy() })
      })
      sent.on('error', reject)
      sent.end()
    })
  let text = ''
  const list = await open(path, (chunk) => {
    text += chunk
  })
  await list.end
  const listed = JSON.parse(text)
  const running = new Map<string, string>()
  const spans = new Map<string, Span>()
  const count = () => {
    const byNode = new Map<string, number>()
    for (const node of running.values()) byNode.set(node, (byNode.get(node) ?? 0) + 1)
    return byNode
  }
  const note = () => {
    const byNode = count()
    for (const node of new Set([...byNode.keys(), ...spans.keys()])) {
      const is = byNode.get(node) ?? 0
      const span = spans.get(node)
      spans.set(node, { least: Math.min(span?.least ?? is, is), most: Math.max(span?.most ?? is, is) })
    }
    onChange(byNode)
  }
  const take = (pod: Any, isGone = false) => {
    if (!isGone && isRunning(pod)) running.set(pod.metadata.uid, pod.spec.nodeName)
    else running.delete(pod.metadata.uid)
  }
  for (const pod of listed.items) take(pod)
  note()
  let rest = ''
  const version = listed.metadata.resourceVersion
  const stream = await open(`${path}?watch=1&resourceVersion=${version}`, (chunk) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { type, object } = JSON.parse(line)
      if (object.kind === 'Pod') take(object, type === 'DELETED')
      note()
    }
  })
  return {
    now: count,
    stop: () => {
      stream.close()
      return spans
    },
  }
}

function isRunning({ spec, status }: Any): boolean {
  const conditions: Any[] = status?.conditions ?? []
  return spec.nodeName !== undefined && conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')
}
