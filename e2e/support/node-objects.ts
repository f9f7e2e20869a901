/** Node objects as kubelets have registered them. */

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const CPU: Readonly<Record<string, string>> = {
  large: '2',
  xlarge: '4',
  '2xlarge': '8',
  '4xlarge': '16',
  '8xlarge': '32',
}
const READY_SINCE = '2026-11-20T12:00:00Z'

/** A Node of an instance type, ready since long. */
export function nodeOf(name: string, type: string): Any {
  const amounts = { cpu: CPU[type.split('.')[1] ?? ''] ?? '4', memory: '16Gi', pods: '58' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: READY_SINCE,
      labels: {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'node.kubernetes.io/instance-type': type,
      },
    },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: READY_SINCE }],
      nodeInfo: {
        osImage: 'Amazon Linux 2023',
        kubeletVersion: 'v1.34.0',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  }
}
