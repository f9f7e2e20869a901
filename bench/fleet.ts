import { stringify } from 'yaml'

const SIZES = {
  resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 },
  minResources: { cpu: '50m', memory: '64Mi' },
  maxResources: { cpu: '2', memory: '4Gi' },
}

/** A stream of manifests: nodes of many types in one inventory, and agents, each with a policy that groups by the type. */
export function fleetFile(nodes: number, types: number, agents: number): string {
  const names = Array.from(
    { length: nodes },
    (_, at) => `ip-10-${at >> 16}-${(at >> 8) & 255}-${at & 255}.eu-central-1.compute.internal`,
  )
  const shapes = Array.from({ length: types }, (_, type) => {
    const amounts = { cpu: `${1930 + 37 * type}m`, memory: `${7134856 + 251_000 * type}Ki`, pods: '110' }
    return {
      labels: { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': `m${type % 9}.${type}xlarge` },
      ready: 'True',
      allocatable: amounts,
      capacity: amounts,
      nodes: names.filter((_, at) => at % types === type),
    }
  })
  const inventory = {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'NodeInventory',
    metadata: { name: 'prod' },
    spec: {
      cluster: 'prod',
      labelKeys: ['kubernetes.io/os', 'node.kubernetes.io/instance-type'],
      nodeCount: nodes,
      shapes,
    },
  }
  const policies = Array.from({ length: agents }, (_, index) => {
    const name = `agent-${index}`
    const labels = { app: name }
    const resources = { requests: { cpu: '100m', memory: '200Mi' } }
    const pod = { containers: [{ name: 'agent', image: `example.com/${name}:1`, resources }] }
    return [
      {
        apiVersion: 'nodefit.dev/v1alpha1',
        kind: 'SizingPolicy',
        metadata: { name, namespace: 'ops' },
        spec: { targetRef: { name }, nodeGroupLabel: 'node.kubernetes.io/instance-type', ...SIZES },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name, namespace: 'ops' },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
      },
    ]
  })
  return [inventory, ...policies.flat()].map((one) => stringify(one, { aliasDuplicateObjects: false })).join('---\n')
}
