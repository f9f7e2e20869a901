import type { Shape } from '../../src/facts/inventory/index.ts'
import { readSizingPolicy, type SizingSettings } from '../../src/kinds/index.ts'
import type { Finding } from '../../src/krm/finding.ts'
import { newItem } from '../../src/krm/index.ts'
import { isMap } from '../../src/krm/map.ts'
import type { Item, KubernetesObject, ResourceList } from '../../src/krm/types.ts'

export const TYPE = 'node.kubernetes.io/instance-type'
export const OS = 'kubernetes.io/os'

/** A shape as an inventory writes it. */
export function shape(
  labels: Record<string, string>,
  nodes: string[],
  cpu = '4',
  memory = '16Gi',
  more: object = {},
): Record<string, unknown> {
  return { labels, ready: 'True', allocatable: { cpu, memory }, nodes, ...more }
}

/** A shape of which an inventory says only how many nodes there are. */
export function countedShape(
  labels: Record<string, string>,
  count: unknown,
  more: object = {},
): Record<string, unknown> {
  const { nodes: _, ...rest } = shape(labels, [])
  return { ...rest, count, ...more }
}

/** A shape as the fleet holds it. */
export function fleetShape(
  labels: Record<string, string>,
  nodes: string[],
  cpu = '4',
  memory = '16Gi',
  more: Partial<Omit<Shape, 'nodes' | 'nodeCount'>> = {},
): Shape {
  return {
    labels,
    taints: [],
    ready: 'True',
    unschedulable: false,
    osImage: '',
    capacity: {},
    allocatable: { cpu, memory },
    nodes,
    nodeCount: nodes.length,
    ...more,
  }
}

export function inventory(shapes: object[], more: Record<string, unknown> = {}): KubernetesObject {
  const countOf = ({ nodes, count }: { nodes?: string[]; count?: number }) => nodes?.length ?? count ?? 0
  const nodeCount = shapes.reduce((sum, one) => sum + countOf(one), 0)
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'NodeInventory',
    metadata: { name: 'prod' },
    spec: { cluster: 'prod', labelKeys: ['*'], nodeCount, shapes, ...more },
  }
}

export function node(
  name: string,
  labels: Record<string, string>,
  cpu = '4',
  memory = '16Gi',
  more: object = {},
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: {},
    status: { allocatable: { cpu, memory } },
    ...more,
  }
}

/** The sizes of a policy where a test is not about them. */
export const SIZES = {
  resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 },
  minResources: { cpu: '100m', memory: '180Mi' },
  maxResources: { cpu: '2000m', memory: '4Gi' },
}

/** The fields of a policy, with `SIZES` where they set no others; those of Kubescape's template have defaults. */
export function sizedSpec(spec: Record<string, unknown>): Record<string, unknown> {
  if ((spec.targetRef as { kind?: string } | undefined)?.kind === 'ConfigMap') return spec
  const sizes = Object.entries(SIZES).map(([name, values]) => {
    const given = spec[name]
    return [name, given === undefined || isMap(given) ? { ...values, ...given } : given]
  })
  return { ...spec, ...Object.fromEntries(sizes) }
}

export function policy(spec: Record<string, unknown> = {}, name = 'agent', metadata: object = {}): KubernetesObject {
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'SizingPolicy',
    metadata: { name, ...metadata },
    spec: sizedSpec({ targetRef: { name: 'agent' }, ...spec }),
  }
}

export function daemonSet(pod: Record<string, unknown> = {}, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', ...metadata },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'agent', image: 'agent:1' }], ...pod },
      },
    },
  }
}

/** Resources of a template that every size is more than: nothing of them is said. */
export const SMALL = { requests: { cpu: '1m', memory: '1Mi' }, limits: { cpu: '2m', memory: '2Mi' } }

export function config(spec: object): KubernetesObject {
  return { apiVersion: 'nodefit.dev/v1alpha1', kind: 'RenderConfig', metadata: { name: 'config' }, spec }
}

/** A ResourceList of objects, with the annotations a host with files would give them. */
export function listOf(objects: KubernetesObject[], functionConfig?: KubernetesObject): ResourceList {
  const items = objects.map((object, index): Item => {
    const place = {
      'internal.config.kubernetes.io/path': `file-${index}.yaml`,
      'internal.config.kubernetes.io/index': '0',
    }
    return newItem({
      ...object,
      metadata: { ...object.metadata, annotations: { ...place, ...object.metadata.annotations } },
    })
  })
  return {
    apiVersion: 'config.kubernetes.io/v1',
    items,
    results: [],
    ...(functionConfig ? { functionConfig: newItem(functionConfig) } : {}),
  }
}

/** Settings of a policy that is known to be valid. */
export function settings(spec: Record<string, unknown> = {}, name = 'agent'): SizingSettings {
  const read = readSizingPolicy(policy(spec, name))
  if (read.settings === undefined) throw new Error(read.findings.map(({ message }) => message).join('; '))
  return read.settings
}

export function codes(findings: readonly Finding[]): string[] {
  return findings.map(({ code }) => code)
}

/** The rendered DaemonSets of a list, by name. */
export function rendered(items: readonly Item[]): Map<string, KubernetesObject> {
  const own = items.filter(({ object }) => object.metadata.annotations?.['nodefit.dev/owner'] !== undefined)
  return new Map(own.map(({ object }) => [object.metadata.name, object]))
}
