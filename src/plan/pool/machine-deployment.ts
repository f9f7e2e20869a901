import { keepingAnnotations, type Share, type World } from '../../core/index.ts'
import type { Live, LiveMachine } from '../../facts/inventory/index.ts'
import { type Finding, plural } from '../../krm/finding.ts'
import { apiGroup, describe, identityOf } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { FIELDS, isFieldsDocument, LEAVING } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import type { MachineClaim } from './machines.ts'
import { type ClaimInput, missingClaims, type Output } from './output.ts'
import type { PoolSettings } from './settings.ts'

const GROUP = 'cluster.x-k8s.io'
/** Cluster API removes Machines with it first, whatever the delete policy. */
const DELETE = `${GROUP}/delete-machine`
/** cluster-autoscaler owns the replicas of what has them. */
const AUTOSCALED = /^cluster\.x-k8s\.io\/cluster-api-autoscaler-node-group-(min|max)-size$/
const FILE = 'machines.yaml'

/** The replicas of a user's MachineDeployment, and a mark on each Machine that is to go: Cluster API drains it. */
export const machineDeploymentOutput: Output = {
  picks: false,
  takesSizes: false,
  remembersPods: false,
  problems: (settings, world) => {
    const [item, another] = deploymentsOf(settings, world)
    const { object: subject } = settings.subject
    const where = `MachineDeployment ${placeOf(settings)}`
    const invalid = (problem: string) =>
      finding('OutputInvalid', `${subject.metadata.name}: ${where} ${problem}`, { subject })
    if (item === undefined) return [invalid('is not in the package')]
    if (another !== undefined) return [invalid('is twice in the package')]
    const key = Object.keys(item.object.metadata.annotations ?? {}).find((one) => AUTOSCALED.test(one))
    return key === undefined
      ? []
      : [finding('ReplicasOwnedElsewhere', `${where} has ${key}, so cluster-autoscaler sets its replicas`, { subject })]
  },
  liveProblems: differingReplicas,
  claims: claimsOf,
  render: (pool, run, world) => {
    const { settings, machines } = pool
    const leaving = run.leaving.get(pool)
    const [item] = deploymentsOf(settings, world)
    if (item === undefined || leaving === undefined) return { objects: [], shares: [], findings: [] }
    const opened = run.packing.opened.get(pool)?.length ?? 0
    const replicas = replicasOf(settings, world, run.live) + opened - leaving.dropped.size
    const { apiVersion, kind, metadata } = item.object
    const target = { apiVersion, kind, name: metadata.name, ...placed(metadata.namespace) }
    const marks = machines.flatMap(({ node, claim, state }): Share[] => {
      if (claim?.mark === undefined || node === undefined) return []
      const isGoing = state === 'deleting' || leaving.dropped.has(claim.name)
      const mark = isGoing ? claim.mark.git : leaving.marks.get(node.name)
      const isReopening = leaving.reopened.has(node.name) && claim.mark.isShown && claim.mark.git !== undefined
      if (mark === undefined && !isReopening) return []
      return machineShares({ apiVersion, name: claim.name, ...placed(metadata.namespace) }, mark)
    })
    return { objects: [], shares: [{ target, path: ['spec', 'replicas'], value: replicas }, ...marks], findings: [] }
  },
}

function machineShares(machine: { apiVersion: string; name: string; namespace?: string }, mark?: string): Share[] {
  const target = { kind: 'Machine', ...machine }
  const annotations = {
    ...keepingAnnotations,
    ...(mark === undefined ? {} : { 'argocd.argoproj.io/sync-wave': '-1', [DELETE]: 'true', [LEAVING]: mark }),
  }
  return Object.entries(annotations).map(([key, value]) => {
    return { target, path: ['metadata', 'annotations', key], value, file: FILE }
  })
}

/**
 * Returns the Machines of the cluster, and those that replicas ask for beyond them. Where there are more than replicas,
 * Cluster API removes some, marked ones first: until it has, as many are not counted on.
 */
function claimsOf(input: ClaimInput): Map<string, MachineClaim> {
  const { settings, live, world } = input
  const replicas = replicasOf(settings, world, live)
  const own = (live.machines ?? []).filter((one) => isOf(one, settings))
  const alive = own.filter(({ isDeleting }) => !isDeleting)
  const marked = (one: LiveMachine) => Number(one.marked === true)
  const victims = [...alive].sort((a, b) => marked(b) - marked(a) || (a.name < b.name ? 1 : -1))
  const going = new Set(victims.slice(0, Math.max(0, alive.length - replicas)))
  const documents = machineDocuments(settings, world)
  const [size] = settings.machines
  const claims = own.map((one): [string, MachineClaim] => {
    const created = one.createdAt?.getTime()
    const git = documents.get(one.name)?.metadata.annotations?.[LEAVING]
    const claim: MachineClaim = {
      ...{ name: one.name, isOurs: true, requirements: size, openedFor: [], openedAt: created, createdAt: created },
      ...{ isDeleting: one.isDeleting || going.has(one), nodeName: one.nodeName },
      mark: { git: typeof git === 'string' ? git : undefined, isShown: one.marked === true },
    }
    return [one.name, claim]
  })
  return new Map([...claims, ...missingClaims(input, replicas - alive.length)])
}

/** What is known of how many Machines there are to be. */
interface KnownReplicas {
  /** Undefined where the document does not say. */
  readonly inGit: number | undefined
  /** Whether a run wrote it, and not the user. */
  readonly isWritten: boolean
  /** Those of the MachineDeployment in the cluster; undefined where the snapshot does not have it. */
  readonly inCluster: number | undefined
  /** The Machines that nobody deletes. */
  readonly alive: number
}

/** Returns what Git, in output that was given apart where a run wrote it, and the snapshot say of the replicas. */
function knownReplicas(item: Item, settings: PoolSettings, world: World, { machines = [] }: Live): KnownReplicas {
  const identity = identityOf(item.object)
  const isWritten = ({ object }: Item) => object.metadata.annotations?.[FIELDS] !== undefined
  const written = world.earlierOutput.find((one) => identityOf(one.object) === identity && isWritten(one))
  const { object } = written ?? item
  const live = machines.find(
    ({ kind, name, namespace }) =>
      kind === 'MachineDeployment' && name === nameIn(settings) && isAt(namespace, settings),
  )
  return {
    inGit: countOf(memberOf(object.spec, 'replicas')),
    isWritten: written !== undefined || isWritten(item),
    inCluster: countOf(live?.replicas),
    alive: machines.filter((one) => isOf(one, settings) && !one.isDeleting).length,
  }
}

const countOf = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined

/**
 * Returns how many Machines there are to be as things stand. The cluster has what was applied; without the earlier
 * output Git has what its user wrote. Where neither says it, as many as there are: the 1 that the API server takes for
 * an absent number would remove the others.
 */
function replicasOf(settings: PoolSettings, world: World, live: Live): number {
  const [item] = deploymentsOf(settings, world)
  if (item === undefined) return 0
  const { inGit, inCluster, alive } = knownReplicas(item, settings, world, live)
  return (world.isSeen ? (inGit ?? inCluster) : (inCluster ?? inGit)) ?? alive
}

/**
 * Reports replicas that a user wrote, and that are other than those of the cluster: to apply them would remove busy
 * Machines, or open some, which no run has decided.
 */
function differingReplicas(settings: PoolSettings, world: World, live: Live): Finding[] {
  const [item] = deploymentsOf(settings, world)
  if (item === undefined) return []
  const { inGit, isWritten, inCluster, alive } = knownReplicas(item, settings, world, live)
  if (isWritten || inGit === undefined || (!world.isSeen && inCluster !== undefined)) return []
  const isOther = inCluster === undefined ? alive > inGit : inCluster !== inGit
  if (!isOther) return []
  const { object: subject } = item
  const has = inCluster === undefined ? plural(alive, 'Machine') : `${inCluster}, with ${plural(alive, 'Machine')}`
  const sentence = `${describe(subject)}: spec.replicas is ${inGit}, which no run has written, and the cluster has ${has}`
  const proposedValue = String(inCluster ?? alive)
  return [
    finding('ReplicasDiffer', sentence, {
      subject,
      field: { path: 'spec.replicas', currentValue: inGit, proposedValue },
    }),
  ]
}

function deploymentsOf(settings: PoolSettings, { items }: World): readonly Item[] {
  return items.filter(
    ({ object: { apiVersion, kind, metadata } }) =>
      kind === 'MachineDeployment' &&
      apiGroup(apiVersion) === GROUP &&
      metadata.name === nameIn(settings) &&
      isAt(metadata.namespace ?? '', settings),
  )
}

function machineDocuments(settings: PoolSettings, { items, earlierOutput }: World): Map<string, KubernetesObject> {
  const documents = [...earlierOutput, ...items].filter(
    ({ object }) =>
      object.kind === 'Machine' && isFieldsDocument(object) && isAt(object.metadata.namespace ?? '', settings),
  )
  return new Map(documents.map(({ object }) => [object.metadata.name, object]))
}

const nameIn = ({ output, name }: PoolSettings) => output.name ?? name
const isAt = (namespace: string, { output, namespace: own = '' }: PoolSettings) =>
  namespace === (output.namespace ?? own)
const isOf = ({ kind = 'Machine', owner, namespace }: LiveMachine, settings: PoolSettings) =>
  kind === 'Machine' && owner === nameIn(settings) && isAt(namespace, settings)
const placed = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace })
const placeOf = (settings: PoolSettings) =>
  [settings.output.namespace ?? settings.namespace, nameIn(settings)].filter(Boolean).join('/')
