import { parse } from 'yaml'
import { render } from '../../../src/face/render.ts'
import { shapeOfNode, toInventory } from '../../../src/facts/inventory/index.ts'
import type { CodeDefinition } from '../../../src/krm/finding.ts'
import { newItem, readResourceList, writeResourceList } from '../../../src/krm/index.ts'
import type { KubernetesObject, ResourceList } from '../../../src/krm/types.ts'
import { CODES } from '../../../src/rules/all-codes.ts'
import { faulty, type Rendering } from './faults.ts'
import type { FleetNode } from './nodes.ts'
import type { Policy } from './policy.ts'
import type { DaemonSet } from './template.ts'

/** The files of a user's package, and how the host brings what was rendered before. */
export interface Package {
  readonly nodes: readonly FleetNode[]
  readonly template: DaemonSet
  readonly policy: Policy
  /** Whether the nodes are a NodeInventory, or as kubectl prints them. */
  readonly hasInventory: boolean
  readonly earlier: readonly KubernetesObject[]
  /** In the package, as with kpt; apart, as with `nodefit build --earlier`; or not at all. */
  readonly earlierIs: 'in the package' | 'apart' | 'not seen'
}

/** What a change of the policy brings with it, and labels that no node has or that are no number, as far as they can be allowed. */
const ALLOWED = ['GuardTripped', 'LabelOnNoNode', 'RangeNotInteger'].filter(
  (code) => (CODES as Readonly<Record<string, CodeDefinition>>)[code]?.allowable === true,
)
const PLACE = 'internal.config.kubernetes.io/'
const LOCAL = 'config.kubernetes.io/local-config'

/** Renders a package the way a host does: objects to text, text to the function, its text to objects. */
export function renderPackage(input: Package): Rendering {
  const { earlier, earlierIs } = input
  const list = readResourceList(writeResourceList(listOf(objectsOf(input))))
  const options = earlierIs === 'apart' ? { earlier: readResourceList(writeResourceList(listOf(earlier))) } : {}
  const rendered = render(list, { ...options, keepsFiles: earlierIs === 'in the package' })
  const { results } = rendered
  const refusedFor = results.filter(({ severity }) => severity === 'error').map(({ tags }) => tags?.code ?? 'no code')
  if (refusedFor.length > 0) return { objects: [], results, refusedFor }
  const { items } = parse(writeResourceList(rendered), { maxAliasCount: -1 }) as { items: KubernetesObject[] }
  const objects = items
    .filter(({ metadata }) => (metadata.annotations?.[LOCAL] ?? 'false') === 'false')
    .map(withoutPlace)
  return faulty({ objects, results, refusedFor })
}

function objectsOf({ nodes, template, policy, hasInventory, earlier, earlierIs }: Package): KubernetesObject[] {
  const config = {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'RenderConfig',
    metadata: { name: 'config' },
    // one result for each group, which is one for all otherwise
    spec: { allow: ALLOWED, severity: [{ code: 'GroupSized', as: 'info' }] },
  }
  const inventory = () =>
    toInventory(
      nodes.map((node) => shapeOfNode(node)),
      { name: 'fleet', cluster: 'fleet', labelKeys: ['*'] },
    ) as unknown as KubernetesObject
  const source = hasInventory ? [inventory()] : nodes.map(asExported)
  return [config, policy, template, ...source, ...(earlierIs === 'in the package' ? earlier : [])]
}

/** A node as kubectl prints it. */
function asExported({ metadata, ...node }: FleetNode): KubernetesObject {
  const { managedFields: _, ...shown } = metadata as KubernetesObject['metadata']
  return { ...node, metadata: shown }
}

function listOf(objects: readonly KubernetesObject[]): ResourceList {
  const items = objects.map(({ metadata, ...object }, index) => {
    const path = { [`${PLACE}path`]: `${object.kind.toLowerCase()}.yaml`, [`${PLACE}index`]: String(index) }
    const annotations = { ...metadata.annotations, ...path }
    return newItem({ ...object, metadata: { ...metadata, annotations } } as KubernetesObject)
  })
  return { apiVersion: 'config.kubernetes.io/v1', items, results: [] }
}

function withoutPlace({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => !/^(internal\.)?config\.k/.test(key))
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(own) } } as KubernetesObject
}
