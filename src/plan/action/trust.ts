import type { Trust, World } from '../../core/index.ts'
import { isActionKeyring, isActionTrust, isPoolPolicy } from '../../kinds/index.ts'
import { type Finding, listNames } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { formatDuration, type Labels, timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { ActionSettings } from './settings.ts'

/** The digest of an image, which is what it is. */
const DIGEST = /sha256:[0-9a-f]{64}$/

/** A limit of the trust that a policy may narrow: what it wrote, what the trust has, and whether that is beyond. */
type Limit = readonly [path: string, written: unknown, trusted: unknown, isBeyond: boolean]

/**
 * Returns the settings of a policy within a trust: what the policy leaves open follows the trust, and what it writes
 * may only narrow it. Without a trust the policy decides alone.
 */
export function underTrust(
  settings: ActionSettings,
  trust: Trust | undefined,
): { readonly settings: ActionSettings; readonly findings: readonly Finding[] } {
  if (trust === undefined) return { settings, findings: [] }
  const { object: subject } = settings.subject
  const has = (field: string) => memberOf(subject.spec, field) !== undefined
  const not = (wanted: readonly string[], allowed: readonly string[]) => wanted.some((one) => !allowed.includes(one))
  const { types, allowLabels, job } = settings
  const limits: Limit[] = [
    ['types', types, trust.types, trust.types !== undefined && not(types, trust.types)],
    ['requireSignature', settings.requireSignature, true, trust.requireSignature && !settings.requireSignature],
    ['maxLifetime', settings.maxLifetime, trust.maxLifetime, settings.maxLifetime > trust.maxLifetime],
    ['maxReplicas', settings.maxReplicas, trust.maxReplicas, settings.maxReplicas > trust.maxReplicas],
    ['maxConcurrent', settings.maxConcurrent, trust.maxConcurrent, settings.maxConcurrent > trust.maxConcurrent],
    ['allowControlPlane', true, false, settings.allowControlPlane && !trust.allowControlPlane],
    ['allowLabels', allowLabels, trust.allowLabels, not(allowLabels, trust.allowLabels)],
  ]
  const writesNamespace = memberOf(memberOf(subject.spec, 'job'), 'namespace') !== undefined
  const isElsewhere = trust.namespace !== undefined && writesNamespace && job.namespace !== trust.namespace
  const images = (['image', 'evictImage'] as const).map((name): Limit => {
    const image = job[name]
    return [`job.${name}`, image, trust.images, image !== undefined && !isTrustedImage(image, trust)]
  })
  const all: Limit[] = [
    ...limits.filter(([path]) => has(path)),
    ['job.namespace', job.namespace, trust.namespace, isElsewhere],
    ...images,
  ]
  const findings = all.flatMap(([path, written, trusted, isBeyond]) => {
    if (!isBeyond) return []
    const text = (value: unknown) => valueText(path, value)
    const sentence = `${describe(subject)}: spec.${path} is ${text(written)}, beyond the trust of the run, which has ${text(trusted)}`
    const mend = path.startsWith('job.') && path !== 'job.namespace' ? imageMend(String(written)) : undefined
    return [finding('PolicyBeyondTrust', sentence, { subject, field: { path: `spec.${path}` }, mend })]
  })
  const within: ActionSettings = {
    ...settings,
    requireSignature: has('requireSignature') ? settings.requireSignature : trust.requireSignature,
    maxLifetime: has('maxLifetime') ? settings.maxLifetime : trust.maxLifetime,
    maxReplicas: has('maxReplicas') ? settings.maxReplicas : trust.maxReplicas,
    maxConcurrent: has('maxConcurrent') ? settings.maxConcurrent : trust.maxConcurrent,
    allowControlPlane: has('allowControlPlane') ? settings.allowControlPlane : trust.allowControlPlane,
    allowLabels: has('allowLabels') ? allowLabels : trust.allowLabels,
    job: writesNamespace || trust.namespace === undefined ? job : { ...job, namespace: trust.namespace },
    ...(trust.nodeSelector === undefined ? {} : { nodeSelector: trust.nodeSelector }),
  }
  return { settings: within, findings }
}

/** Whether Jobs may run an image: one of the trust by its digest; any where the trust leaves that to the package. */
export function isTrustedImage(image: string, { images }: Pick<Trust, 'images'>): boolean {
  const digest = DIGEST.exec(image)?.[0]
  return images === undefined || images.some((one) => digest !== undefined && DIGEST.exec(one)?.[0] === digest)
}

/** Whether a node has the labels that the trust asks for. */
export function isTrustedNode(labels: Labels, nodeSelector: ActionSettings['nodeSelector']): boolean {
  return Object.entries(nodeSelector ?? {}).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
}

function imageMend(image: string): string {
  return `Name an image that the ActionTrust has, or add to its spec: images: [${DIGEST.exec(image)?.[0] ?? image}]`
}

function valueText(path: string, value: unknown): string {
  if (value === undefined) return 'none'
  if (path === 'maxLifetime') return formatDuration(BigInt(Number(value)) * 1_000_000n)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : listNames(value as string[])
  return String(value)
}

/** Reports what a package has that a trust, which is none of it, forbids. */
export function packageTrustFindings({ items, trust }: World): Finding[] {
  return items.flatMap(({ object: subject }) => {
    if (isActionTrust(subject)) {
      const sentence = `${describe(subject)} is in the package, which may not say itself who is trusted`
      return [finding('TrustInPackage', sentence, { subject })]
    }
    if (trust?.pools !== false || !isPoolPolicy(subject)) return []
    const sentence = `${describe(subject)} is in the package, but the trust of the run has pools: false`
    return [finding('PoolsNotTrusted', sentence, { subject })]
  })
}

/** Reports whom a run trusts: the operator, whose trust is named by its digest, or what the package itself decides. */
export function trustFindings(settings: ActionSettings, world: World, cluster: string, acts: boolean): Finding[] {
  const { trust, items } = world
  const { object: subject } = settings.subject
  const { name } = subject.metadata
  const keyrings = items.filter(({ object }) => isActionKeyring(object)).map(({ object }) => describe(object))
  if (trust !== undefined) {
    const beside = keyrings.length === 0 ? '' : `; ${listNames(keyrings)} of the package counts for nothing`
    const sentence = `${name}: the trust ${trust.digest} from outside the package says who may act${beside}`
    return [finding('TrustUsed', sentence, { subject }), ...clusterFindings(subject, trust, world, cluster)]
  }
  if (!acts) return []
  const signed = settings.requireSignature ? 'with a signature' : 'without a signature'
  const keys = keyrings.length === 0 ? 'no keyring' : `the keys of ${listNames(keyrings)}`
  const sentence = `${name}: the package itself decides who may act: ${keys}, ${signed}, ${listNames(settings.types)}`
  return [finding('TrustedByPackage', sentence, { subject })]
}

function clusterFindings(
  subject: ActionSettings['subject']['object'],
  trust: Trust,
  world: World,
  cluster: string,
): Finding[] {
  const uid = world.clusterUid(cluster)
  const isOther = trust.cluster !== undefined && trust.cluster !== cluster
  if (!isOther && (trust.clusterUid === undefined || uid === undefined || trust.clusterUid === uid)) return []
  const [wanted, is] = isOther ? [trust.cluster, cluster || 'a cluster without a name'] : [trust.clusterUid, uid]
  const sentence = `${subject.metadata.name}: the trust of the run is for the cluster ${wanted}, but the nodes are of ${is}`
  return [finding('TrustOfOtherCluster', sentence, { subject })]
}

/**
 * Reports a time that the package sets for the run before that of its newest snapshot: expired actions would be valid
 * again. Without a trust only; with one no time that a package sets counts for actions.
 */
export function setTimeFindings({ subject: { object: subject } }: ActionSettings, world: World): Finding[] {
  const { options, observedAt, trust } = world
  if (trust !== undefined || options.now === undefined || observedAt === undefined || options.now >= observedAt)
    return []
  const sentence = `${subject.metadata.name}: spec.now of a RenderConfig is ${timeText(options.now)}, before the nodes were read at ${timeText(observedAt)}: expired actions would begin again`
  return [finding('NowBeforeSnapshot', sentence, { subject })]
}
