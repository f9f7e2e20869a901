/**
 * korder's own controllers, of the last version whose Orders have `daemonSet`, on a control plane with a scheduler; its webhooks are off, as
 * they need certificates. `korder` is the manager of github.com/monshunter/korder at b08d1d4, among the hosts.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { type Cluster, SCHEDULED, startCluster } from './cluster.ts'
import { established } from './established.ts'
import { eventually } from './eventually.ts'
import { COMMAND, run } from './hosts.ts'
import { korderCrd, quotaCrd, WITH_STATUS } from './korder-crd.ts'
import { nodeOf } from './node-objects.ts'
import { asList, does, objectsOf } from './objects.ts'
import { has, hasAlternative, PATH } from './program.ts'
import { Servers } from './servers.ts'

/** Whether everything that `startKorder` starts is there. */
export const hasKorder = () => SCHEDULED.every(has) && hasAlternative('korder')

/** A Ticket as korder has left it. */
export interface KorderTicket extends KubernetesObject {
  readonly status?: { phase?: string; reason?: string; message?: string; nodeName?: string; expirationTime?: string }
}

export interface Korder {
  readonly cluster: Cluster
  /** Applies objects or a text of YAML as kubectl does without options; refused gives what it prints of those that the API server refuses. */
  readonly apply: (objects: readonly unknown[]) => void
  readonly tickets: (namespace?: string) => KorderTicket[]
  readonly kubectl: (...args: string[]) => string
  /** An inventory and a snapshot as the command of the page writes them. Its nodes have no heartbeat that would tell the time. */
  readonly exported: (observedAt: string) => KubernetesObject[]
  /** Lets korder look at all Tickets of a namespace: it sees that one has ended when it is told of it. */
  readonly touch: (namespace: string) => void
  /** Waits until every Ticket is in the phase. */
  readonly allAre: (phase: string) => Promise<void>
  /** Waits until korder has worked off all that was written before: Orders are taken in turn, and one more has its Ticket. */
  readonly settled: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A node that is ready; its nodeInfo would have to be whole. */
function node(name: string): unknown {
  const { status, ...rest } = nodeOf(name, 'm5.large')
  const { nodeInfo: _, ...known } = status
  return { ...rest, status: known }
}

/** Starts a control plane with the nodes and korder's manager in it. */
export async function startKorder(...nodes: string[]): Promise<Korder> {
  const cluster = await startCluster({ scheduler: true })
  const servers = new Servers(cluster.folder)
  const kubectl = (...args: string[]) => does(cluster.kubectl(args))
  const apply = (objects: readonly unknown[]) => {
    does(cluster.kubectl(['apply', '-f', '-'], objects.map((one) => stringify(one)).join('---\n')))
  }
  apply([korderCrd('Order', 'duration', WITH_STATUS), korderCrd('Ticket', 'duration', WITH_STATUS), quotaCrd()])
  await established(cluster.kubectl)
  does(cluster.kubectl(['apply', '--server-side', '-f', '-'], asList(nodes.map(node))))
  apply(['infra', 'probe'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })))
  const flags = ['--health-probe-bind-address=0', '--metrics-bind-address=0']
  await servers.start('korder', ['korder', `--kubeconfig=${cluster.folder}/kubeconfig`, ...flags], {
    env: { PATH, ENABLE_WEBHOOKS: 'false' },
    isReady: () => Promise.resolve(true),
  })
  const tickets = (namespace = 'infra') =>
    JSON.parse(kubectl('get', 'tickets', '-n', namespace, '-o', 'json')).items as KorderTicket[]
  const allAre = (phase: string) => eventually(() => tickets().every(({ status }) => status?.phase === phase))
  let probes = 0
  const settled = async () => {
    const name = `probe-${probes++}`
    const strategy = { type: 'OneTime' }
    const spec = { strategy, replicas: 1, template: { spec: { duration: '24h' } } }
    apply([{ apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', metadata: { name, namespace: 'probe' }, spec }])
    await eventually(() => tickets('probe').some(({ metadata, status }) => metadata.name === `${name}-0` && !!status))
  }
  const exported = (observedAt: string) => {
    const at = (name: string) => join(cluster.folder, name)
    writeFileSync(at('nodes.json'), kubectl('get', 'nodes', '-o', 'json'))
    writeFileSync(at('tickets.json'), kubectl('get', 'tickets', '-A', '-o', 'json'))
    const labels = ['--cluster', 'prod', '--label', 'accelerator']
    const command = [COMMAND, 'inventory', at('nodes.json'), ...labels, '--tickets', at('tickets.json')]
    const objects = objectsOf(does(run('node', command))) as KubernetesObject[]
    return objects.map((one) => ({ ...one, spec: { ...(one.spec as object), observedAt } }))
  }
  let touches = 0
  const touch = (namespace: string) => {
    kubectl('annotate', 'tickets', '--all', '-n', namespace, '--overwrite', `look=${touches++}`)
  }
  const stop = async () => {
    await servers.stop()
    await cluster.stop()
  }
  return { cluster, apply, tickets, kubectl, exported, touch, allAre, settled, stop }
}
