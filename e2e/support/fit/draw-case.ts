import type { KubernetesObject } from '../../../src/krm/types.ts'
import {
  type Container,
  KubeError,
  type PodSpec,
  podRequests,
  type ResourceQuantities,
  units,
} from '../../../src/kube/index.ts'
import { Draw } from '../fleets/draw.ts'

export const TYPE = 'node.kubernetes.io/instance-type'
/** A PriorityClass that changes nothing but its name. */
export const PRIORITY = 'fit'

/** A pod, the node it must go to, what other pods take there, and what limits pods in its namespace. */
export interface Case {
  readonly name: string
  readonly pod: PodSpec
  readonly node: KubernetesObject
  readonly others: readonly KubernetesObject[]
  readonly limits: readonly KubernetesObject[]
  /** How a policy sizes the container `agent`. */
  readonly policy: Record<string, unknown>
}

const CPU = ['1m', '10m', '0.0505', '100m', '250m', '0.5', '1', '1500m', '2', 1]
const MEMORY = ['16Mi', '64Mi', '100M', '128Mi', '256Mi', '0.5Gi', '1Gi', '123456789', '1e9', '2Gi']
const STORAGE = ['1Gi', '5Gi', '50Gi']

/** The case of a seed. */
export function drawCase(seed: number): Case {
  const draw = new Draw(`fit ${seed}`)
  const name = `fit-${seed}`
  const runtimeClass = draw.percent(25) ? drawRuntimeClass(draw, name) : undefined
  const pod = drawPod(draw, runtimeClass)
  const limits = [
    ...draw
      .times(draw.one([0, 0, 1, 1, 1, 2, 3]), () => 0)
      .map((_, index) => drawLimitRange(draw, name, `limits-${index}`)),
    ...(draw.percent(45) ? [drawQuota(draw, name)] : []),
    ...(runtimeClass === undefined ? [] : [runtimeClass]),
  ]
  const others = draw.times(draw.integer(0, 3), () => 0).map((_, index) => drawOther(draw, name, index))
  return { name, pod, node: drawNode(draw, name, pod), others, limits, policy: drawPolicy(draw) }
}

function drawPod(draw: Draw, runtimeClass: KubernetesObject | undefined): PodSpec {
  const containers = ['agent', 'side', 'third'].slice(0, draw.integer(1, 3)).map((name) => drawContainer(draw, name))
  const initContainers = ['init-a', 'init-b', 'init-c'].slice(0, draw.one([0, 0, 1, 2, 3])).map((name) => {
    const container = drawContainer(draw, name)
    return draw.percent(50) ? { ...container, restartPolicy: 'Always' } : container
  })
  const { podFixed } = (runtimeClass?.overhead ?? {}) as { podFixed?: ResourceQuantities }
  return {
    containers,
    ...(initContainers.length > 0 ? { initContainers } : {}),
    ...(draw.percent(25) ? { resources: drawPodLevel(draw) } : {}),
    ...(runtimeClass === undefined ? {} : { runtimeClassName: runtimeClass.metadata.name }),
    ...(draw.percent(3) ? { overhead: { cpu: '10m' } } : {}),
    ...(podFixed !== undefined && draw.percent(30) ? { overhead: podFixed } : {}),
    ...(draw.percent(20) ? { priorityClassName: PRIORITY } : {}),
  }
}

function drawContainer(draw: Draw, name: string): Container & { image: string } {
  return { name, image: `${name}:1`, ...(draw.percent(85) ? { resources: drawResources(draw, 12) } : {}) }
}

/** Requests and limits; `oddity` is the chance in a hundred of each of hugepages and a device. */
function drawResources(draw: Draw, oddity: number): { requests?: ResourceQuantities; limits?: ResourceQuantities } {
  const requests: ResourceQuantities = {}
  const limits: ResourceQuantities = {}
  for (const [resource, amounts, share] of [
    ['cpu', CPU, 65],
    ['memory', MEMORY, 65],
    ['ephemeral-storage', STORAGE, 6],
  ] as const) {
    if (draw.percent(share)) requests[resource] = draw.one(amounts)
    const request = requests[resource]
    if (!draw.percent(share)) continue
    // mostly a limit that is not below the request
    const larger = request === undefined || draw.percent(8) ? amounts : amounts.slice(amounts.indexOf(request as never))
    limits[resource] = draw.one(larger)
  }
  if (draw.percent(oddity)) {
    const name = draw.one(['hugepages-2Mi', 'hugepages-1Gi', 'example.com/gpu'])
    const amount = name === 'example.com/gpu' ? draw.one(['1', '2', 1]) : draw.one(['2Mi', '2Mi', '4Mi', '1Gi', '3Mi'])
    if (draw.percent(90)) limits[name] = amount
    if (draw.percent(50)) requests[name] = draw.percent(85) ? amount : '2Mi'
  }
  return { ...(draw.percent(90) ? { requests } : {}), ...(draw.percent(80) ? { limits } : {}) }
}

/** Resources of the pod as a whole, mostly more than its containers ask for. */
function drawPodLevel(draw: Draw): ReturnType<typeof drawResources> {
  if (draw.percent(40)) return drawResources(draw, 30)
  const limits = { ...(draw.percent(80) ? { cpu: '8' } : {}), ...(draw.percent(80) ? { memory: '8Gi' } : {}) }
  const pages = { 'hugepages-2Mi': draw.one(['2Mi', '4Mi']) }
  const requests = draw.percent(50) ? limits : {}
  return draw.percent(40) ? { requests, limits: { ...limits, ...pages } } : { requests, limits }
}

function drawRuntimeClass(draw: Draw, name: string): KubernetesObject {
  const podFixed = {
    cpu: draw.one(['10m', '250m', '2']),
    ...(draw.percent(70) ? { memory: draw.one(['32Mi', '120Mi', '4Gi']) } : {}),
  }
  return {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name },
    handler: 'runc',
    ...(draw.percent(85) ? { overhead: { podFixed } } : {}),
  }
}

function drawLimitRange(draw: Draw, namespace: string, name: string): KubernetesObject {
  const item = () => {
    const type = draw.one(['Container', 'Container', 'Pod'])
    const bounds = type === 'Pod' ? ['min', 'max'] : ['min', 'max', 'default', 'defaultRequest']
    const drawn: Record<string, unknown> = { type }
    // in ascending order, so that most are valid
    const cpu = draw.some(CPU, 4).sort((a, b) => parts(a) - parts(b))
    const memory = draw.some(MEMORY, 4).sort((a, b) => parts(a) - parts(b))
    for (const [bound, index] of [
      ['min', 0],
      ['defaultRequest', 1],
      ['default', 2],
      ['max', 3],
    ] as const) {
      if (!bounds.includes(bound) || !draw.percent(bound === 'min' || bound === 'max' ? 30 : 50)) continue
      const amounts = {
        ...(draw.percent(65) ? { cpu: cpu[index] } : {}),
        ...(draw.percent(65) ? { memory: memory[index] } : {}),
      }
      if (Object.keys(amounts).length > 0) drawn[bound] = amounts
    }
    if (draw.percent(15))
      drawn.maxLimitRequestRatio = { [draw.one(['cpu', 'memory'])]: draw.one(['1', '2', '1500m', '10', '40']) }
    return drawn
  }
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name, namespace },
    spec: { limits: draw.times(draw.one([1, 1, 2]), item) },
  }
}

/** A rough size, for sorting alone. */
function parts(amount: string | number): number {
  const requests = podRequests({ containers: [{ name: 'a', resources: { requests: { cpu: amount } } }] })
  return Number(requests.cpu?.milliValue() ?? 0n)
}

function drawQuota(draw: Draw, namespace: string): KubernetesObject {
  const hard = draw.some(
    [
      ['requests.cpu', draw.one(['500m', '2', '8'])],
      ['cpu', draw.one(['1', '4'])],
      ['requests.memory', draw.one(['256Mi', '2Gi', '16Gi'])],
      ['limits.cpu', draw.one(['1', '4', '16'])],
      ['limits.memory', draw.one(['512Mi', '8Gi'])],
      ['pods', draw.one(['0', '5'])],
      ['count/pods', '7'],
      ['requests.ephemeral-storage', '10Gi'],
      ['requests.example.com/gpu', '1'],
      ['hugepages-2Mi', '2Mi'],
      ['configmaps', '10'],
    ] as const,
    draw.integer(1, 3),
  )
  const { hard: limited, ...scope } = draw.one<Record<string, unknown>>([
    {},
    {},
    { scopes: ['NotTerminating'] },
    { scopes: ['Terminating'] },
    { scopes: ['BestEffort'], hard: { pods: draw.one(['0', '5']) } },
    { scopes: ['NotBestEffort'] },
    {
      scopeSelector: {
        matchExpressions: [
          draw.one([
            { scopeName: 'PriorityClass', operator: 'Exists' },
            { scopeName: 'PriorityClass', operator: 'DoesNotExist' },
            { scopeName: 'PriorityClass', operator: 'In', values: [PRIORITY] },
            { scopeName: 'PriorityClass', operator: 'NotIn', values: [PRIORITY] },
          ]),
        ],
      },
    },
  ])
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'quota', namespace },
    spec: { ...scope, hard: limited ?? Object.fromEntries(hard) },
  }
}

/** A node that is often exactly large enough, or too small by the least amount there is. */
function drawNode(draw: Draw, name: string, pod: PodSpec): KubernetesObject {
  const allocatable: Record<string, string> = {
    cpu: draw.one(['2', '4', '3920m', '16', '32']),
    memory: draw.one(['2Gi', '7134856Ki', '16Gi', '64Gi']),
    pods: draw.one(['2', '5', '29', '110']),
    // a node that does not say is not known to have none, here alone
    'ephemeral-storage': draw.one(['4Gi', '100Gi', '500Gi']),
    ...(draw.percent(60) ? { 'hugepages-2Mi': draw.one(['0', '2Mi', '64Mi']) } : {}),
    ...(draw.percent(60) ? { 'example.com/gpu': draw.one(['0', '1', '8']) } : {}),
  }
  if (draw.percent(40)) {
    const resource = draw.one(['cpu', 'memory'])
    const exact = requestOf(pod, resource) - BigInt(draw.one([0, 0, 1, -1]))
    if (exact > 0n) allocatable[resource] = resource === 'cpu' ? `${exact}m` : String(exact)
  }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [TYPE]: name, 'kubernetes.io/os': 'linux' } },
    status: { allocatable, capacity: allocatable, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

function requestOf(pod: PodSpec, resource: string): bigint {
  try {
    const amount = podRequests(pod)[resource]
    return amount === undefined ? 0n : units(resource, amount)
  } catch (error) {
    if (error instanceof KubeError) return 0n
    throw error
  }
}

/** A pod that is on the node already; some have ended. */
function drawOther(draw: Draw, name: string, index: number): KubernetesObject {
  const requests = {
    ...(draw.percent(80) ? { cpu: draw.one(['10m', '0.1', '500m']) } : {}),
    ...(draw.percent(80) ? { memory: draw.one(['50M', '100Mi', '512Mi']) } : {}),
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-${index}`, namespace: 'others', annotations: draw.percent(25) ? { ended: 'true' } : {} },
    spec: { nodeName: name, containers: [{ name: 'other', image: 'other:1', resources: { requests } }] },
  }
}

function drawPolicy(draw: Draw): Record<string, unknown> {
  const percentage = () => draw.one([null, 2, 10, 40, 90, 100])
  const request = { cpu: percentage(), memory: percentage() }
  const limit = (side: 'cpu' | 'memory') =>
    draw.one([null, Math.max(Number(request[side] ?? 5), draw.one([5, 50, 100]))])
  return {
    nodeGroupLabel: TYPE,
    remainder: false,
    defaultNodeGroup: '',
    resourcePercentages: {
      requestCPU: request.cpu,
      requestMemory: request.memory,
      limitCPU: limit('cpu'),
      limitMemory: limit('memory'),
    },
    minResources: { cpu: draw.one(['1m', '100m', '1']), memory: draw.one(['1Mi', '180Mi', '1Gi']) },
    maxResources: { cpu: '8', memory: '64Gi' },
    containers: [{ name: 'agent', share: 100 }],
  }
}
