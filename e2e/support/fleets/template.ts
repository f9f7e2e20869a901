import type { KubernetesObject } from '../../../src/krm/types.ts'
import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PodTemplateSpec,
  Toleration,
} from '../../../src/kube/index.ts'
import { daemonEligibility } from '../../../src/kube/index.ts'
import type { Draw } from './draw.ts'
import { ARCH, GPU, KEYS, MEMORY, OS, POOL, TYPE, VALUES, valuesOf, ZONE } from './labels.ts'
import type { FleetNode } from './nodes.ts'

/** The name of the drawn DaemonSets, of their only container and of the policy. */
export const AGENT = 'agent'

export type DaemonSet = KubernetesObject & {
  spec: { selector: object; updateStrategy?: object; template: PodTemplateSpec & { spec: PodSpec } }
}

const TRIES = 20

/** A DaemonSet with a placement that fits some of the nodes, most often many. */
export function drawTemplate(draw: Draw, namespace: string, nodes: readonly FleetNode[]): DaemonSet {
  const least = draw.percent(15) ? 1 : nodes.length * 0.4
  for (let tried = 0; tried < TRIES; tried++) {
    const template = templateOf(namespace, drawPlacement(draw, nodes), drawStrategy(draw))
    const served = nodes.filter((node) => daemonEligibility(template.spec.template, node).shouldRun)
    if (served.length >= least) return template
  }
  return templateOf(namespace, { tolerations: [{ operator: 'Exists' }] }, drawStrategy(draw))
}

/** A DaemonSet as its user wrote it. */
export function templateOf(namespace: string, placement: Partial<PodSpec>, updateStrategy?: object): DaemonSet {
  const labels = { app: AGENT }
  const container = {
    name: AGENT,
    image: 'example.com/agent:1',
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: AGENT, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      ...(updateStrategy === undefined ? {} : { updateStrategy }),
      template: { metadata: { labels }, spec: { ...placement, containers: [container] } },
    },
  }
}

/** The template after its user changed it: another image always, where it runs sometimes. */
export function changedTemplate(draw: Draw, template: DaemonSet, nodes: readonly FleetNode[]): DaemonSet {
  const { namespace = '' } = template.metadata
  const placement = draw.percent(40)
    ? drawTemplate(draw, namespace, nodes).spec.template.spec
    : template.spec.template.spec
  const { nodeSelector, affinity, tolerations } = placement
  const made = templateOf(namespace, { nodeSelector, affinity, tolerations }, drawStrategy(draw))
  for (const container of made.spec.template.spec.containers ?? [])
    Object.assign(container, { image: 'example.com/agent:2' })
  return made
}

function drawStrategy(draw: Draw): object | undefined {
  const rollingUpdate = draw.one([{ maxUnavailable: 1 }, { maxUnavailable: '50%' }, { maxSurge: 1, maxUnavailable: 0 }])
  return draw.percent(50) ? { type: 'RollingUpdate', rollingUpdate } : undefined
}

function drawPlacement(draw: Draw, nodes: readonly FleetNode[]): Partial<PodSpec> {
  const affinity = drawAffinity(draw, nodes)
  const tolerations = draw.times(draw.integer(0, 3), () => drawToleration(draw))
  return {
    ...(draw.percent(30) ? { nodeSelector: drawSelector(draw) } : {}),
    ...(affinity === undefined ? {} : { affinity }),
    ...(tolerations.length > 0 ? { tolerations } : {}),
  }
}

function drawSelector(draw: Draw): Record<string, string> {
  const keys = draw.some([OS, ARCH, ZONE, POOL], draw.percent(80) ? 1 : 2)
  return Object.fromEntries(keys.map((key) => [key, draw.one(VALUES[key] ?? [])]))
}

/** None, or one to three terms with every operator, now and then with a node's name or an empty term. */
function drawAffinity(draw: Draw, nodes: readonly FleetNode[]): Affinity | undefined {
  const preferred = [{ weight: 1, preference: { matchExpressions: [drawRequirement(draw)] } }]
  const preference = draw.percent(15) ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : {}
  if (draw.percent(30)) return draw.percent(10) ? { nodeAffinity: preference } : undefined
  const nodeSelectorTerms = draw.times(draw.one([1, 1, 1, 2, 2, 3]), () => drawTerm(draw, nodes))
  if (draw.percent(5)) nodeSelectorTerms.push({})
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms }, ...preference } }
}

function drawTerm(draw: Draw, nodes: readonly FleetNode[]): NodeSelectorTerm {
  const matchExpressions = draw.times(draw.one([1, 1, 2, 3]), () => drawRequirement(draw))
  if (!draw.percent(12)) return { matchExpressions }
  const values = [draw.percent(85) ? draw.one(nodes).metadata.name : 'a-node-to-come']
  const matchFields = [{ key: 'metadata.name', operator: draw.percent(75) ? 'NotIn' : 'In', values }]
  return draw.percent(50) ? { matchExpressions, matchFields } : { matchFields }
}

/** A requirement such as the API server takes. */
export function drawRequirement(draw: Draw): NodeSelectorRequirement {
  const operator = draw.one(['In', 'NotIn', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'])
  if (operator === 'Gt' || operator === 'Lt') {
    const bound = draw.one(['0', '4096', '8191', '16384', '65535', '200000'])
    return { key: draw.percent(85) ? MEMORY : TYPE, operator, values: [bound] }
  }
  const key = operator === 'DoesNotExist' ? draw.one([GPU, POOL, MEMORY, 'example.com/none']) : draw.one(KEYS)
  if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator }
  return { key, operator, values: draw.some(valuesOf(key), draw.integer(1, operator === 'In' ? 5 : 3)) }
}

/** A toleration in any form that the API server takes. */
export function drawToleration(draw: Draw): Toleration {
  return draw.one<Toleration>([
    { operator: 'Exists' },
    { operator: 'Exists', effect: 'NoExecute' },
    { key: 'dedicated', operator: 'Exists' },
    { key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'dedicated', value: 'gpu' },
    { key: 'dedicated', operator: 'Equal', value: 'infra', effect: 'NoExecute' },
    { key: 'dedicated', value: 'infra', effect: 'NoExecute', tolerationSeconds: 300 },
    { key: 'example.com/spot', effect: 'NoSchedule' },
    { key: 'example.com/level', operator: 'Equal', value: '5' },
    { key: 'example.com/level', operator: 'Equal', value: '6' },
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' },
  ])
}
