import { namedNodes } from '../inventory/index.ts'
import { memberOf } from '../krm/map.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Rendered } from '../world/index.ts'
import { finding } from './codes.ts'
import { missingClaims } from './counted.ts'
import type { Output } from './output.ts'
import type { PoolSettings } from './settings.ts'

const API = 'karpenter.sh/v1'
const HEAVIEST = 100

/** A NodePool of Karpenter with replicas. Which node goes where they shrink is Karpenter's, so they only grow. */
export const nodePoolOutput: Output = {
  picks: true,
  takesSizes: true,
  remembersPods: false,
  problems: (settings, world) => {
    const { object: subject } = settings.subject
    const { name } = subject.metadata
    const { output, priority } = settings
    const earlier = [...world.items, ...world.earlierOutput].filter((item) => isNodePool(item, settings))
    const isOther = earlier.some(
      ({ object }) => (memberOf(object.spec, 'replicas') !== undefined) !== isStatic(settings),
    )
    const problems = [
      ...(output.nodeClassRef === undefined ? [`${name}: spec.output.nodeClassRef is missing`] : []),
      ...(isOther ? [`${name}: NodePool ${nodePoolName(settings)} has the other mode, which cannot be changed`] : []),
      ...(isStatic(settings) || (priority >= 0 && priority <= HEAVIEST)
        ? []
        : [`${name}: spec.priority ${priority} is no weight: write 0 to ${HEAVIEST}`]),
    ]
    return [
      ...problems.map((sentence) => finding('OutputInvalid', sentence, { subject })),
      ...(isStatic(settings)
        ? [finding('StaticCapacityOff', `${name}: NodePool ${nodePoolName(settings)} has replicas`, { subject })]
        : []),
      ...(isStatic(settings) && priority !== 0
        ? [finding('WeightDropped', `${name}: a NodePool with replicas has no weight ${priority}`, { subject })]
        : []),
      ...withoutEffect(settings).map(([path, currentValue]) =>
        finding('NotInNodePool', `${name}: a NodePool that Karpenter scales has nothing for ${path}`, {
          subject,
          field: { path, currentValue },
        }),
      ),
    ]
  },
  claims: (input) => {
    const known = [...input.own].find((item) => isNodePool(item, input.settings))
    const replicas: unknown = known === undefined ? undefined : memberOf(known.object.spec, 'replicas')
    return missingClaims(input, (Number.isSafeInteger(replicas) ? (replicas as number) : 0) - input.nodes.length)
  },
  render: (pool, run) => {
    const opened = run.packing.opened.get(pool)?.length ?? 0
    const machines = pool.machines.filter(({ state }) => state !== 'deleting').length
    return { objects: [nodePoolRendered(pool.settings, machines + opened)], shares: [], findings: [] }
  },
}

/** Whether Karpenter decides how many nodes there are, so that nothing of the pool is planned. */
export function isLeftToKarpenter({ output }: Pick<PoolSettings, 'output'>): boolean {
  return output.kind === 'NodePool' && output.mode !== 'static'
}

export function nodePoolRendered(settings: PoolSettings, replicas?: number): Rendered {
  const name = nodePoolName(settings)
  return { object: nodePool(settings, replicas), file: `${name}-nodepool.yaml`, about: 'node pool', ...namedNodes([]) }
}

/** Returns the fields of a pool or policy that are set, and decide nothing where Karpenter scales the pool. */
function withoutEffect(settings: PoolSettings): ReadonlyArray<readonly [path: string, value: unknown]> {
  if (isStatic(settings)) return []
  const { limits, scaleUp, headroom, requiresTargeting, isElastic } = settings
  const fields: ReadonlyArray<readonly [path: string, isSet: boolean, value: unknown]> = [
    ['spec.limits.minNodes', limits.minNodes > 0, limits.minNodes],
    ['spec.scaleUp.batchSize', scaleUp.batchSize > 0, scaleUp.batchSize],
    ['spec.headroom', headroom.pods > 0, headroom.pods],
    ['spec.requireTargeting', requiresTargeting, true],
    ['spec.sizing', isElastic, 'Elastic'],
  ]
  return fields.flatMap(([path, isSet, value]) => (isSet ? [[path, value] as const] : []))
}

const isStatic = ({ output }: PoolSettings) => output.mode === 'static'
const nodePoolName = ({ output, name }: PoolSettings) => output.name ?? name
const isNodePool = ({ object: { apiVersion, kind, metadata } }: Item, settings: PoolSettings) =>
  apiVersion === API && kind === 'NodePool' && metadata.name === nodePoolName(settings)

/** A limit of 0 is none; to Karpenter it would be no capacity. */
function nodePool(settings: PoolSettings, replicas: number | undefined): KubernetesObject {
  const { limits, labelKey, templateLabels, taints, startupTaints, architecture, priority, output } = settings
  const { drainText, drainTimeout } = settings
  const most = {
    ...(limits.maxNodes > 0 ? { nodes: String(limits.maxNodes) } : {}),
    ...(replicas !== undefined || limits.cpuCores === 0 ? {} : { cpu: String(limits.cpuCores) }),
    ...(replicas !== undefined || limits.memoryMiB === 0 ? {} : { memory: `${limits.memoryMiB}Mi` }),
  }
  const labels = Object.entries({ ...templateLabels, [labelKey]: settings.name }).sort(([a], [b]) => (a < b ? -1 : 1))
  const only = (key: string, value: string) => ({ key, operator: 'In', values: [value] })
  return {
    apiVersion: API,
    kind: 'NodePool',
    metadata: { name: nodePoolName(settings) },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      ...(replicas === undefined && priority > 0 ? { weight: priority } : {}),
      ...(Object.keys(most).length === 0 ? {} : { limits: most }),
      ...(replicas === undefined ? { disruption: disruptionOf(settings) } : {}),
      template: {
        metadata: { labels: Object.fromEntries(labels) },
        spec: {
          ...(taints.length === 0 ? {} : { taints: [...taints] }),
          ...(startupTaints.length === 0 ? {} : { startupTaints: [...startupTaints] }),
          requirements: [
            only('kubernetes.io/arch', architecture),
            only('kubernetes.io/os', 'linux'),
            ...(output.requirements ?? []),
          ],
          nodeClassRef: { ...output.nodeClassRef },
          terminationGracePeriod: karpenterDuration(drainText, drainTimeout),
        },
      },
    },
  }
}

function disruptionOf({ scaleDown, scaleDownText }: PoolSettings): object {
  return {
    consolidationPolicy: 'WhenEmpty',
    consolidateAfter: scaleDown === undefined ? 'Never' : karpenterDuration(scaleDownText, scaleDown.window),
    ...(scaleDown === undefined ? {} : { budgets: [{ nodes: String(scaleDown.maxConcurrent) }] }),
  }
}

/** Returns a duration as Karpenter's definition takes it: as written, or in whole seconds, rounded up. */
function karpenterDuration(text: string, milliseconds: number): string {
  return /^([0-9]+[smh])+$/.test(text) ? text : `${Math.ceil(milliseconds / 1000)}s`
}
