/** ResourceLists as kpt writes them, of a given size. */
import { readFileSync } from 'node:fs'

const TYPES = [
  'm5.large',
  'm5.xlarge',
  'm5.2xlarge',
  'c5.large',
  'c5.xlarge',
  'r5.large',
  'r5.xlarge',
  'm6i.large',
  'm6i.xlarge',
  't3.large',
]
const SHAPES = 40
const SIZES = '  resourcePercentages: {requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5}\n'
const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'

let id = 0

/** The annotations kpt puts on every item. */
function wire(path: string): string {
  id++
  return [
    'config.kubernetes.io/local-config: "true"',
    "config.kubernetes.io/index: '0'",
    `config.kubernetes.io/path: '${path}'`,
    "internal.config.kubernetes.io/index: '0'",
    `internal.config.kubernetes.io/path: '${path}'`,
    "internal.config.kubernetes.io/seqindent: 'compact'",
    `internal.config.kubernetes.io/annotations-migration-resource-id: '${id}'`,
    `internal.config.kubernetes.io/id: '${id}'`,
    `config.k8s.io/id: '${id}'`,
  ]
    .map((line) => `      ${line}\n`)
    .join('')
}

/** The spec of an inventory of `count` nodes in 40 shapes; `indent` is the column of its fields. */
function inventorySpec(count: number, indent: number): string {
  const lines = [
    'cluster: prod',
    'labelKeys:',
    '- accelerator',
    '- kubernetes.io/os',
    '- node.kubernetes.io/instance-type',
    '- topology.kubernetes.io/zone',
    `nodeCount: ${count}`,
    'shapes:',
  ]
  for (let shape = 0; shape < Math.min(SHAPES, count); shape++) {
    lines.push(
      '- labels:',
      '    accelerator: nvidia-tesla-k80',
      '    kubernetes.io/os: linux',
      `    node.kubernetes.io/instance-type: ${TYPES[shape % TYPES.length]}`,
      `    topology.kubernetes.io/zone: eu-central-1${'abcd'[shape % 4]}`,
      '  ready: "True"',
      '  osImage: Amazon Linux 2023',
      `  capacity: {cpu: "${2 + (shape % 4)}", memory: ${8124288 + shape * 1000}Ki, pods: "29"}`,
      `  allocatable: {cpu: ${1930 + shape * 10}m, memory: ${7134856 + shape * 1000}Ki, pods: "29"}`,
      '  nodes:',
    )
    for (let node = shape; node < count; node += SHAPES)
      lines.push(`  - ip-10-${node >> 16}-${(node >> 8) & 255}-${node & 255}.eu-central-1.compute.internal`)
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('')
}

const INVENTORY = 'apiVersion: nodefit.dev/v1alpha1\nkind: NodeInventory\nmetadata:\n  name: prod\n'

/** A NodeInventory as a file of a package. */
export function inventoryFile(count: number, observedAt?: string): string {
  const time = observedAt === undefined ? '' : `  observedAt: "${observedAt}"\n`
  return `${INVENTORY}  annotations:\n    config.kubernetes.io/local-config: "true"\nspec:\n${time}${inventorySpec(count, 2)}`
}

/** A ResourceList with an inventory, a DaemonSet and a policy. */
export function inventoryList(count: number): string {
  const inventory = `- apiVersion: nodefit.dev/v1alpha1\n  kind: NodeInventory\n  metadata:\n    name: prod\n    annotations:\n${wire('inventory.yaml')}  spec:\n${inventorySpec(count, 4)}`
  return HEAD + inventory + policyAndTemplate()
}

/**
 * A ResourceList with the template of Kubescape's chart, or its static DaemonSet as the template, a policy, and nodes of as
 * many types as there are groups.
 */
export function kubescapeList(groups: number, kind: 'ConfigMap' | 'DaemonSet'): string {
  const read = (name: string) => readFileSync(`testdata/kubescape/${name}`, 'utf8')
  const item = (text: string, file: string) => {
    const lines = text
      .replace(/\n {2}annotations:\n+(?= {2}labels)/, '\n')
      .trimEnd()
      .split('\n')
    const wired = lines.flatMap((line) =>
      /^metadata:/.test(line) ? [line, `  annotations:\n${wire(file).trimEnd().replaceAll(/^ {2}/gm, '')}`] : [line],
    )
    return `- ${wired.join('\n').replaceAll('\n', '\n  ')}\n`
  }
  const shapes = Array.from({ length: groups }, (_, index) =>
    [
      '  - labels:',
      '      kubernetes.io/os: linux',
      `      node.kubernetes.io/instance-type: m${index}.large`,
      `    allocatable: {cpu: ${1930 + index * 100}m, memory: ${7134856 + index * 100000}Ki}`,
      `    nodes: [node-${index}-a, node-${index}-b]`,
    ].join('\n'),
  ).join('\n')
  const keys = '  labelKeys: [kubernetes.io/os, node.kubernetes.io/instance-type]'
  const inventory = `${INVENTORY}spec:\n  cluster: prod\n${keys}\n  nodeCount: ${groups * 2}\n  shapes:\n${shapes}\n`
  const isMap = kind === 'ConfigMap'
  const name = isMap ? 'node-agent-daemonset-template' : 'node-agent'
  const policy = `apiVersion: nodefit.dev/v1alpha1\nkind: SizingPolicy\nmetadata:\n  name: node-agent\n  namespace: kubescape\nspec:\n  targetRef:\n    kind: ${kind}\n    name: ${name}\n${isMap ? '' : SIZES}`
  const operator = read('quickstart/package/operator.yaml').split('---\n')[0] ?? ''
  const template = read(isMap ? 'quickstart/package/template.yaml' : 'from-static/back/daemonset.yaml')
  const files = { inventory, policy, operator, template }
  return (
    HEAD +
    Object.entries(files)
      .map(([name, text]) => item(text, `${name}.yaml`))
      .join('')
  )
}

/** A ResourceList with raw Nodes of about 12 KB each, a DaemonSet and a policy. */
export function nodesList(count: number): string {
  return HEAD + Array.from({ length: count }, (_, index) => rawNode(index)).join('') + policyAndTemplate()
}

function rawNode(index: number): string {
  const images = Array.from({ length: 50 }, (_, image) => {
    const digest = (index * 50 + image).toString(16).padStart(64, '0')
    return `    - names:\n      - registry.example.com/team-${image}/image-${image}@sha256:${digest}\n      - registry.example.com/team-${image}/image-${image}:v1.${image}\n      sizeBytes: ${1000000 + image}\n`
  }).join('')
  const conditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']
    .map(
      (type) =>
        `    - lastHeartbeatTime: "2026-11-20T12:00:00Z"\n      lastTransitionTime: "2026-11-20T12:00:00Z"\n      message: kubelet is posting its status\n      reason: Kubelet${type}\n      status: "${type === 'Ready' ? 'True' : 'False'}"\n      type: ${type}\n`,
    )
    .join('')
  return `- apiVersion: v1
  kind: Node
  metadata:
    name: ip-10-0-${index >> 8}-${index & 255}.eu-central-1.compute.internal
    annotations:
${wire(`nodes/${index}.yaml`)}    labels:
      kubernetes.io/os: linux
      node.kubernetes.io/instance-type: ${TYPES[index % TYPES.length]}
  spec:
    providerID: aws:///eu-central-1a/i-${index}
  status:
    addresses:
    - address: 10.0.${index >> 8}.${index & 255}
      type: InternalIP
    allocatable:
      cpu: 1930m
      memory: ${7134856 + (index % 10)}Ki
      pods: "29"
    capacity:
      cpu: "2"
      memory: 8124288Ki
      pods: "29"
    conditions:
${conditions}    images:
${images}    nodeInfo:
      osImage: Amazon Linux 2023
`
}

function policyAndTemplate(): string {
  return `- apiVersion: apps/v1
  kind: DaemonSet
  metadata:
    name: agent
    annotations:
${wire('daemonset.yaml')}      nodefit.dev/template: existing
  spec:
    selector:
      matchLabels:
        app: agent
    template:
      metadata:
        labels:
          app: agent
      spec:
        containers:
        - name: agent
          image: registry.example.com/agent:1
- apiVersion: nodefit.dev/v1alpha1
  kind: SizingPolicy
  metadata:
    name: agent
    annotations:
${wire('policy.yaml')}  spec:
    targetRef:
      name: agent
  ${SIZES}`
}
