/** A cluster for Kubescape's chart: a real control plane with a scheduler, 12 nodes that can have an agent and one of Windows, and kwok for their kubelets. */
import { join } from 'node:path'
import { type Cluster, startCluster } from '../cluster.ts'
import { startKwok } from '../kwok.ts'
import { asList, does } from '../objects.ts'
import { Servers } from '../servers.ts'
import { POOLS } from './charts.ts'

/** How long an agent takes to be ready. */
const START_MILLISECONDS = 1500
const TYPE = 'node.kubernetes.io/instance-type'
const BOTTLEROCKET = 'Bottlerocket OS 1.20.0 (aws-k8s-1.34)'

/** What a Node has to say of its machine. */
const MACHINE = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
]

interface Nodes {
  readonly type?: string
  readonly count: number
  readonly cpu: string
  readonly memory: string
  readonly image?: string
  readonly os?: string
}
const NODES: Readonly<Record<string, Nodes>> = {
  large: { type: 'm5.large', count: 4, cpu: '1930m', memory: '7134856Ki' },
  huge: { type: 'm5.4xlarge', count: 3, cpu: '15890m', memory: '64283572Ki' },
  rocket: { type: 'c6g.xlarge', count: 3, cpu: '3920m', memory: '7134856Ki', image: BOTTLEROCKET },
  bare: { count: 2, cpu: '3920m', memory: '15338540Ki' },
  windows: { type: 'm4.large', count: 1, cpu: '1930m', memory: '7134856Ki', os: 'windows' },
}
const namesOf = (kind: string) => Array.from({ length: NODES[kind]?.count ?? 0 }, (_, number) => `${kind}-${number}`)

/** The nodes that can have an agent, by their kind. */
export const AGENT_NODES = Object.keys(NODES).filter((kind) => kind !== 'windows')
export const nodesOf = (kinds: readonly string[]): string[] => kinds.flatMap(namesOf)

export interface World {
  readonly cluster: Cluster
  readonly stop: () => Promise<void>
}

export async function startWorld(): Promise<World> {
  const cluster = await startCluster({ scheduler: true })
  const servers = new Servers(cluster.folder)
  await startKwok(servers, join(cluster.folder, 'kubeconfig'), undefined, START_MILLISECONDS)
  const nodes = Object.keys(NODES).flatMap((kind) => namesOf(kind).map((name, number) => node(kind, name, number)))
  does(cluster.kubectl(['create', '-f', '-'], asList(nodes)))
  const stop = async () => {
    await servers.stop()
    await cluster.stop()
  }
  return { cluster, stop }
}

function node(kind: string, name: string, number: number): object {
  const { type, cpu, memory, image = 'Amazon Linux 2023', os = 'linux' } = NODES[kind] as Nodes
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': os,
    pool: POOLS[number % POOLS.length],
    ...(type === undefined ? {} : { [TYPE]: type }),
  }
  const amounts = { cpu, memory, pods: '58' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      allocatable: amounts,
      capacity: amounts,
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: {
        ...Object.fromEntries(MACHINE.map((field) => [field, ''])),
        architecture: 'amd64',
        osImage: image,
        operatingSystem: os,
      },
    },
  }
}
