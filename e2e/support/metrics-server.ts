import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { run } from './hosts.ts'
import { startKwok } from './kwok.ts'
import { asList, does } from './objects.ts'
import { freePorts } from './ports.ts'
import { PATH } from './program.ts'
import type { Servers } from './servers.ts'

/** The metrics API as a server of its own behind the API server: a Service without pods, and the APIService. */
export function aggregatedMetrics(port: number, namespace: string): object[] {
  const group = 'metrics.k8s.io'
  const metadata = { name: 'metrics', namespace }
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'ExternalName', externalName: 'localhost' } },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1beta1.${group}` },
      spec: {
        ...{ group, version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true },
        service: { ...metadata, port },
      },
    },
  ]
}

/** Starts kwok with the kubelets' metrics, and the real metrics-server behind the API server, which reads them. */
export async function startMetricsServer(cluster: Cluster, servers: Servers, namespace: string): Promise<void> {
  const at = (name: string) => join(cluster.folder, name)
  const kubeconfig = at('kubeconfig')
  const [certificate, key] = [at('kubelet.crt'), at('kubelet.key')]
  const names = ['-subj', '/CN=kubelet', '-addext', 'subjectAltName=IP:127.0.0.1']
  does(
    run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-days',
      '2',
      ...names,
    ]),
  )
  await startKwok(servers, kubeconfig, { certificate, key })
  const [port = 0] = await freePorts(1)
  does(cluster.kubectl(['create', '-f', '-'], asList(aggregatedMetrics(port, namespace))))
  const flags = [
    ...['', 'authentication-', 'authorization-'].map((name) => `--${name}kubeconfig=${kubeconfig}`),
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${at('metrics-certs')}`,
    '--kubelet-insecure-tls',
    '--kubelet-preferred-address-types=InternalIP',
    '--kubelet-use-node-status-port',
    '--metric-resolution=15s',
  ]
  await servers.start('metrics-server', ['metrics-server', ...flags], {
    env: { PATH, HOME: process.env.HOME },
    isReady: () => readFileSync(at('metrics-server.log'), 'utf8').includes('Serving securely'),
  })
}

/** A node whose kubelet kwok plays, and where its metrics are. */
export function measuredNode(name: string, type: string): object {
  const amounts = { cpu: '2', memory: '8Gi', pods: '29' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': type },
      annotations: { 'metrics.k8s.io/resource-metrics-path': `/metrics/nodes/${name}/metrics/resource` },
    },
    status: { capacity: amounts, allocatable: { ...amounts, cpu: '1930m', memory: '7Gi' } },
  }
}
