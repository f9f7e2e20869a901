import type { Rendered, World } from '../../core/index.ts'
import { type Fleet, namedNodes } from '../../facts/inventory/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding.ts'
import { isDeepEqual, memberOf } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { missingClaims, type Output } from './output.ts'
import type { PoolSettings } from './settings.ts'

const API = 'karpenter.sh/v1'
const HEAVIEST = 100
/** The expireAfter that Karpenter's definition fills in. */
const DEFAULT_EXPIRY = '720h'

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
      ...timeFindings(settings, world),
      ...versionFindings(settings, world),
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
  render: (pool, run, world) => {
    const opened = run.packing.opened.get(pool)?.length ?? 0
    const machines = pool.machines.filter(({ state }) => state !== 'deleting').length
    return { objects: [nodePoolRendered(pool.settings, world, machines + opened)], shares: [], findings: [] }
  },
}

/** Whether Karpenter decides how many nodes there are, so that nothing of the pool is planned. */
export function isLeftToKarpenter({ output }: Pick<PoolSettings, 'output'>): boolean {
  return output.kind === 'NodePool' && output.mode !== 'static'
}

export function nodePoolRendered(settings: PoolSettings, world: World, replicas?: number): Rendered {
  const name = nodePoolName(settings)
  return {
    object: nodePool(settings, world, replicas),
    file: `${name}-nodepool.yaml`,
    about: 'node pool',
    ...namedNodes([]),
  }
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
function nodePool(settings: PoolSettings, world: World, replicas: number | undefined): KubernetesObject {
  const { limits, labelKey, templateLabels, taints, startupTaints, architecture, priority, output } = settings
  const { grace } = graceOf(settings, world)
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
          ...(settings.expireAfter === undefined ? {} : { expireAfter: settings.expireAfter }),
          ...(grace === undefined ? {} : { terminationGracePeriod: grace }),
        },
      },
    },
  }
}

/** When Karpenter deletes what a node still has, and why the NodePool says so where the policy does not. */
interface Grace {
  readonly grace?: string
  readonly why?: string
}

/**
 * Returns the terminationGracePeriod of a NodePool. Karpenter deletes the pods of a node at its end, past budgets, so
 * only the policy asks for it; but a change of the template drifts every node, so one that an earlier run has written
 * stays until the policy says another, and is written where nobody sees whether one has.
 */
function graceOf(settings: PoolSettings, world: World): Grace {
  const { drainText, drainTimeout, output } = settings
  const { forceDrainAfter } = output
  if (forceDrainAfter !== undefined) return forceDrainAfter === 'none' ? {} : { grace: forceDrainAfter }
  const known = earlierPool(settings, world)
  const written = memberOf(templateSpec(known?.object), 'terminationGracePeriod')
  if (typeof written === 'string') return { grace: written, why: 'which an earlier run has written' }
  return world.isSeen || known !== undefined
    ? {}
    : {
        grace: karpenterDuration(drainText, drainTimeout),
        why: 'since this host hides whether an earlier run wrote it',
      }
}

/** Reports what Karpenter does at times that the policy does not name, and what drifts all nodes. */
function timeFindings(settings: PoolSettings, world: World): Finding[] {
  const { object: subject } = settings.subject
  const { name } = subject.metadata
  const { grace, why } = graceOf(settings, world)
  const isNew = world.isSeen && earlierPool(settings, world) === undefined
  const pool = `NodePool ${nodePoolName(settings)}`
  const forced =
    why === undefined
      ? []
      : [
          finding(
            'NodePoolForcesDrain',
            `${name}: ${pool} has terminationGracePeriod ${grace}, ${why}: Karpenter deletes the pods of a node that leaves after that time, past their budgets`,
            { subject, field: { path: 'spec.output.forceDrainAfter', proposedValue: grace } },
          ),
        ]
  const expires =
    settings.expireAfter === undefined
      ? [
          finding(
            'NodePoolExpires',
            `${name}: ${pool} names no expireAfter, and Karpenter replaces each node after ${DEFAULT_EXPIRY}`,
            {
              subject,
              // another value than the default of one that is there would drift its nodes
              field: { path: 'spec.expireAfter', proposedValue: isNew ? 'Never' : DEFAULT_EXPIRY },
            },
          ),
        ]
      : []
  return [...forced, ...expires, ...driftFindings(settings, world)]
}

/** The minor version of Karpenter 1 from which a label below kubernetes.io may stand in the template of a NodePool. */
const LABELS_SINCE = 10
/** The one from which limits.nodes holds for a NodePool that Karpenter scales. */
const NODES_SINCE = 11
const FREE_LABELS = ['kubernetes.io/arch', 'kubernetes.io/os']

/**
 * Reports what the NodePool has and the Karpenter of the RenderConfig's spec.autoscaler does not do: nothing where no
 * version is given.
 */
function versionFindings(settings: PoolSettings, world: World): Finding[] {
  const { autoscaler } = world.options
  const [major, minor = 0] = (autoscaler?.version ?? '').replace('v', '').split('.').map(Number)
  if (autoscaler?.version === undefined || major === undefined || major > 1) return []
  const isBefore = (since: number) => major < 1 || minor < since
  const { object: subject } = settings.subject
  const pool = nodePool(settings, world, isStatic(settings) ? 0 : undefined)
  const labels = Object.keys(memberOf(memberOf(memberOf(pool.spec, 'template'), 'metadata'), 'labels') ?? {})
  const [label] = labels.filter((key) => /(^|\.)kubernetes\.io\//.test(key) && !FREE_LABELS.includes(key))
  const needs = [
    ...(isBefore(LABELS_SINCE) && label !== undefined
      ? [`the label ${label}, which it refuses before 1.${LABELS_SINCE}`]
      : []),
    ...(isBefore(NODES_SINCE) && !isStatic(settings) && settings.limits.maxNodes > 0
      ? [`limits.nodes, which it does not enforce before 1.${NODES_SINCE}`]
      : []),
  ]
  if (needs.length === 0) return []
  const name = `NodePool ${nodePoolName(settings)}`
  const sentence = `${subject.metadata.name}: Karpenter is ${autoscaler.version}, and ${name} has ${needs.join(', and ')}`
  return [finding('KarpenterTooOld', sentence, { subject })]
}

/** Reports a template that is another one: Karpenter hashes it, its requirements aside, and replaces every node. */
function driftFindings(settings: PoolSettings, world: World): Finding[] {
  const known = earlierPool(settings, world)
  if (known === undefined) return []
  const hashed = (object: KubernetesObject) => {
    const template = memberOf(object.spec, 'template')
    const { requirements: _, ...spec } = (templateSpec(object) ?? {}) as Record<string, unknown>
    const { labels = {}, annotations = {} } = (memberOf(template, 'metadata') ?? {}) as Record<string, object>
    return { labels, annotations, spec: { expireAfter: DEFAULT_EXPIRY, ...spec } as Record<string, unknown> }
  }
  const [was, is] = [hashed(known.object), hashed(nodePool(settings, world, isStatic(settings) ? 0 : undefined))]
  if (isDeepEqual(was, is)) return []
  const parts = [...Object.keys({ ...was.spec, ...is.spec })].filter(
    (key) => !isDeepEqual(memberOf(was.spec, key), memberOf(is.spec, key)),
  )
  const changed = [...parts, ...(isDeepEqual(was.labels, is.labels) ? [] : ['labels'])].sort()
  const { value: fleet } = world.fleet(settings.cluster ?? world.options.cluster)
  const nodes = fleet === undefined ? 'every node' : `every node, ${plural(nodesOf(settings, fleet), 'node')} now`
  const grace = memberOf(was.spec, 'terminationGracePeriod')
  const end = typeof grace === 'string' ? `, whose pods are deleted after ${grace}, past their budgets` : ''
  const { object: subject } = settings.subject
  const sentence = `${subject.metadata.name}: NodePool ${nodePoolName(settings)} has another template (${listNames(changed)}): Karpenter replaces ${nodes}${end}`
  return [finding('NodePoolDrifts', sentence, { subject })]
}

const nodesOf = ({ labelKey, name }: PoolSettings, { shapes }: Fleet) =>
  shapes.reduce((sum, { labels, nodeCount }) => sum + (memberOf(labels, labelKey) === name ? nodeCount : 0), 0)

function earlierPool(settings: PoolSettings, { items, earlierOutput }: World): Item | undefined {
  return [...earlierOutput, ...items].find((item) => isNodePool(item, settings))
}

const templateSpec = (object: KubernetesObject | undefined) => memberOf(memberOf(object?.spec, 'template'), 'spec')

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
