import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { matchesLabels, parseSelector } from '../../src/kube/index.ts'

/** What is measured of a pod. */
export interface Measured {
  readonly namespace: string
  readonly name: string
  readonly labels: Record<string, string>
  readonly timestamp: string
  readonly containers: Record<string, { cpu?: string; memory?: string }>
}

export const METRICS = '/apis/metrics.k8s.io/v1beta1'
const VERSION = 'metrics.k8s.io/v1beta1'

/** A stand-in for metrics-server: the resources of its API, and PodMetrics of a namespace by label selector. */
export class MetricsApi {
  pods: Measured[] = []
  /** The status that it refuses everything with; undefined where it works. */
  fault: number | undefined
  /** The paths that were asked for, with their selectors. */
  readonly asked: string[] = []

  /** Answers a request that begins with `METRICS`. */
  answer(address: string, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(address, 'http://metrics')
    const selector = searchParams.get('labelSelector') ?? ''
    this.asked.push(selector === '' ? pathname : `${pathname} ${selector}`)
    const namespace = new RegExp(`^${METRICS}/namespaces/([^/]+)/pods$`).exec(pathname)?.[1]
    const body = pathname === METRICS ? this.#resources() : namespace && this.#list(namespace, selector)
    const code = this.fault ?? (body ? 200 : 404)
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(code === 200 ? body : { kind: 'Status', code, message: `refused with ${code}` }))
  }

  /** Serves it by TLS on loopback, with a certificate and key of these files. */
  async serve(certificate: string, key: string): Promise<{ port: number; close: () => Promise<void> }> {
    const options = { cert: readFileSync(certificate), key: readFileSync(key) }
    const server: Server = createServer(options, (request, response) => this.answer(request.url ?? '/', response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    return { port: (server.address() as AddressInfo).port, close }
  }

  #resources(): unknown {
    const pods = { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] }
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: VERSION, resources: [pods] }
  }

  #list(namespace: string, selector: string): unknown {
    const wanted = parseSelector(selector)
    const items = this.pods
      .filter((pod) => pod.namespace === namespace && matchesLabels(wanted, pod.labels))
      .map(({ name, labels, timestamp, containers }) => ({
        metadata: { name, namespace, labels, creationTimestamp: timestamp },
        timestamp,
        window: '15s',
        containers: Object.entries(containers).map(([container, usage]) => ({ name: container, usage })),
      }))
    return { kind: 'PodMetricsList', apiVersion: VERSION, metadata: {}, items }
  }
}
