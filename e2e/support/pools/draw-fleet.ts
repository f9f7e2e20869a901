/** Node pools, their agents and pending pods, drawn from a number, each fleet in a namespace and on nodes of its own. */
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { POOL_LABEL } from '../../../test/support/pools.ts'
import { Draw } from '../fleets/draw.ts'

const API = 'kubenodesmith.parawell.cloud/v1alpha1'
/** The label by which pods and agents stay on the nodes of their fleet. */
const FLEET = 'example.com/fleet'
const DEVICE = 'example.com/device'
const IMAGE = 'registry.k8s.io/pause:3.10'
const SIZES = [
  { cpuCores: 2, memoryMiB: 4096 },
  { cpuCores: 4, memoryMiB: 8192 },
  { cpuCores: 8, memoryMiB: 16_384, resources: { [DEVICE]: '2' } },
]
const TAINT = { key: 'dedicated', value: 'batch', effect: 'NoSchedule' }
/** The taint that an agent takes away once it runs. */
export const STARTING = 'example.com/starting'
const STARTUP = { key: STARTING, effect: 'NoSchedule' }

/** What is drawn; its name is that of its namespace. */
export interface PoolFleet {
  readonly name: string
  /** The package: pools, policies, the provider, and the agents. */
  readonly objects: readonly KubernetesObject[]
  readonly pods: readonly KubernetesObject[]
}

export function drawPoolFleet(seed: number): PoolFleet {
  const draw = new Draw(`pool fleet ${seed}`)
  const name = `fleet-${seed}`
  const pools = Array.from({ length: draw.integer(1, 2) }, (_, index) => `${name}-${'ab'[index]}`)
  const agents = Array.from({ length: draw.integer(0, 2) }, (_, index) => drawAgent(draw, name, index))
  const pods = Array.from({ length: draw.integer(4, 14) }, (_, index) => drawPod(draw, name, pools, index))
  const providerObject = {
    apiVersion: API,
    kind: 'NodeSmithProvider',
    metadata: { name: 'p', namespace: name },
    spec: {
      type: 'proxmox',
      proxmox: { endpoint: 'https://proxmox.example.com:8006', vmMemOverheadMiB: draw.one([0, 512]) },
    },
  }
  return { name, objects: [...pools.flatMap((pool) => drawPool(draw, name, pool)), providerObject, ...agents], pods }
}

function drawPool(draw: Draw, namespace: string, name: string): KubernetesObject[] {
  const minNodes = draw.integer(0, 2)
  const limits = {
    minNodes,
    maxNodes: draw.one([0, 3, 8]),
    cpuCores: draw.one([0, 0, 24]),
    memoryMiB: draw.one([0, 0, 40_960]),
  }
  const pool = {
    apiVersion: API,
    kind: 'NodeSmithPool',
    metadata: { name, namespace, annotations: { 'argocd.argoproj.io/sync-options': 'Prune=confirm' } },
    spec: {
      providerRef: 'p',
      limits,
      machineTemplate: { labels: { [FLEET]: namespace, 'node-role.kubernetes.io/worker': '' } },
      scaleDown: { stabilizationWindow: '5m' },
    },
  }
  const policy = {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'PoolPolicy',
    metadata: { name, namespace },
    spec: {
      poolRef: name,
      machines: draw.some(SIZES, draw.integer(1, 2)),
      sizing: draw.one(['Fixed', 'Elastic']),
      taints: draw.percent(25) ? [TAINT] : [],
      startupTaints: draw.percent(50) ? [STARTUP] : [],
      reserved: { cpu: draw.one(['0', '100m']), memory: draw.one(['0', '256Mi']) },
      priority: draw.integer(0, 1),
      scaleUp: { batchSize: 0 },
      scaleDown: { maxConcurrent: draw.integer(1, 3) },
    },
  }
  return [pool, policy]
}

function drawAgent(draw: Draw, namespace: string, index: number): KubernetesObject {
  const labels = { app: `agent-${index}` }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: `agent-${index}`, namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { [FLEET]: namespace },
          containers: [container(draw.one(['50m', '200m']), draw.one(['32Mi', '256Mi']))],
          // an agent is what takes the startup taint away
          tolerations: draw.percent(70) ? [{ operator: 'Exists' }] : [{ key: STARTUP.key, operator: 'Exists' }],
        },
      },
    },
  }
}

function drawPod(draw: Draw, namespace: string, pools: readonly string[], index: number): KubernetesObject {
  const selector = draw.percent(20) ? { [POOL_LABEL]: draw.one([...pools, 'nowhere']) } : {}
  const device: Record<string, string> = draw.percent(10) ? { [DEVICE]: '1' } : {}
  const without = { key: POOL_LABEL, operator: 'NotIn', values: [draw.one(pools)] }
  const initial = draw.percent(20) ? { initContainers: [{ ...container('1500m', '128Mi'), name: 'first' }] } : {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${index}`, namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      nodeSelector: { [FLEET]: namespace, ...selector },
      ...(draw.percent(15) && {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [without] }] },
          },
        },
      }),
      ...(draw.percent(40) && { tolerations: [{ key: TAINT.key, operator: 'Exists' }] }),
      ...initial,
      containers: [
        container(
          draw.one(['0', '100m', '500m', '1', '1500m', '3', '9']),
          draw.one(['0', '64Mi', '1Gi', '3Gi', '7Gi']),
          device,
        ),
      ],
    },
  }
}

function container(cpu: string, memory: string, more: Record<string, string> = {}) {
  return { name: 'main', image: IMAGE, resources: { requests: { cpu, memory, ...more }, limits: more } }
}

interface Policy {
  readonly taints: readonly object[]
  readonly startupTaints: readonly object[]
  readonly machines: ReadonlyArray<(typeof SIZES)[number]>
  readonly reserved: { readonly cpu: string; readonly memory: string }
}

/** The node that a machine of a claim becomes: as large as the claim says, with what the pool and its policy say. */
export function nodeOfClaim({ metadata, spec }: KubernetesObject, policy: Policy, readyAt: string): KubernetesObject {
  const { cpuCores, memoryMiB } = (spec as { requirements: { cpuCores: number; memoryMiB: number } }).requirements
  const alike = policy.machines.find((one) => one.cpuCores === cpuCores && one.memoryMiB === memoryMiB)
  const resources = (alike ?? policy.machines[0])?.resources ?? {}
  const capacity = { cpu: String(cpuCores), memory: `${memoryMiB}Mi`, pods: '110', ...resources }
  const reserved = (text: string) => Number.parseInt(text, 10)
  const { name, labels = {} } = metadata
  const os = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...labels, ...os } },
    spec: { taints: [...policy.taints, ...policy.startupTaints] },
    status: {
      capacity,
      allocatable: {
        ...capacity,
        cpu: `${cpuCores * 1000 - reserved(policy.reserved.cpu)}m`,
        memory: `${memoryMiB - reserved(policy.reserved.memory)}Mi`,
      },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: readyAt, lastTransitionTime: readyAt }],
    },
  }
}
