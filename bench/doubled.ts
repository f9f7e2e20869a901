/** ResourceLists of a given size, for rows that hold one against the other of half the size. */
const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
const TYPE = 'node.kubernetes.io/instance-type'

interface Shape {
  labels: Record<string, string>
  nodes: string[]
  ready: 'True' | 'False'
}

const POLICY = { apiVersion: 'nodefit.dev/v1alpha1', kind: 'SizingPolicy' }
const SIZES = { resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 } }
const ORDER = { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order' }

/** An Order under which all nodes but one are left out, since they are not ready. */
export function notReadyNodes(count: number): string {
  const shapes = [shapeOf('m5', ['up']), { ...shapeOf('m5', names('down', count)), ready: 'False' as const }]
  return listOf([inventory(shapes), { ...ORDER, ...named('buffer'), spec: orderSpec() }])
}

/** A policy that sizes an Order in DaemonSet mode for as many groups, on 4,000 nodes in all. */
export function sizedOrderGroups(count: number): string {
  const shapes = Array.from({ length: count }, (_, index) => shapeOf(`m${index}`, names(`n${index}`, 4000 / count)))
  const spec = { ...SIZES, targetRef: { kind: 'Order', name: 'buffer' } }
  return listOf([
    inventory(shapes),
    { ...ORDER, ...named('buffer'), spec: orderSpec() },
    { ...POLICY, ...named('sized'), spec },
  ])
}

/** As many policies, each with a template of its own. */
export function policiesWithTemplates(count: number): string {
  const policies = names('agent', count).flatMap((name) => [
    { ...POLICY, ...named(name), spec: { ...SIZES, targetRef: { name } } },
    daemonSet(name),
  ])
  return listOf([inventory([shapeOf('m5', ['a']), shapeOf('c5', ['b'])]), ...policies])
}

/** As many policies on one template, each for a pool of its own. */
export function policiesOnOneTemplate(count: number): string {
  const pools = names('pool', count)
  const shapes = pools.map((pool) => ({ ...shapeOf('m5', [`${pool}-1`]), labels: { [TYPE]: 'm5', pool } }))
  const policies = pools.map((pool) => {
    const spec = {
      ...SIZES,
      targetRef: { name: 'agent' },
      // pods of two policies must not be selected by each other
      labels: { nodeGroup: `example.com/group-of-${pool}` },
      nodeSelector: { pool },
      names: { m5: `agent-${pool}`, default: `default-${pool}`, remainder: `rest-${pool}` },
    }
    return { ...POLICY, ...named(`size-${pool}`), spec }
  })
  return listOf([inventory(shapes), daemonSet('agent'), ...policies])
}

/** As many Orders, each for a pool of its own. */
export function ordersForPools(count: number): string {
  const pools = names('pool', count)
  const shapes = pools.map((pool) => ({ ...shapeOf('m5', [`${pool}-1`]), labels: { [TYPE]: 'm5', pool } }))
  const orders = pools.map((pool) => {
    const template = { spec: { duration: '24h', nodeSelector: { pool } } }
    return { ...ORDER, ...named(`buffer-${pool}`), spec: { daemonSet: true, template } }
  })
  return listOf([inventory(shapes), ...orders])
}

function listOf(objects: ReadonlyArray<{ metadata: object; [field: string]: unknown }>): string {
  return (
    HEAD +
    objects
      .map((object, index) => {
        const annotations = { 'internal.config.kubernetes.io/path': `file-${index}.yaml` }
        return `- ${JSON.stringify({ ...object, metadata: { ...object.metadata, annotations } })}\n`
      })
      .join('')
  )
}

function inventory(shapes: readonly Shape[]) {
  const allocatable = { cpu: '3920m', memory: '15338540Ki' }
  const nodeCount = shapes.reduce((sum, { nodes }) => sum + nodes.length, 0)
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'NodeInventory',
    metadata: { name: 'prod' },
    spec: { cluster: 'prod', labelKeys: ['*'], nodeCount, shapes: shapes.map((shape) => ({ ...shape, allocatable })) },
  }
}

function shapeOf(type: string, nodes: string[]): Shape {
  return { labels: { [TYPE]: type }, nodes, ready: 'True' }
}

function named(name: string) {
  return { metadata: { name, namespace: 'infra' } }
}

function orderSpec() {
  return { daemonSet: true, template: { spec: { duration: '24h' } } }
}

function daemonSet(name: string) {
  const labels = { app: name }
  const spec = { containers: [{ name, image: 'registry.example.com/agent:1' }] }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    ...named(name),
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
}
