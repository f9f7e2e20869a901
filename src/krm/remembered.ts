import { scalarText } from './map.ts'
import type { KubernetesObject } from './types.ts'

/**
 * The owner of an object: kind and name of the policy that it is rendered for. It survives a change of namespace or
 * file.
 */
export const OWNER = 'nodefit.dev/owner'

/** The node group that an object is rendered for, by its identity. */
export const GROUP = 'nodefit.dev/group'

/**
 * The namespace that an object was rendered for, that of its policy or source; empty for none. A later function of the
 * pipeline, such as set-namespace, may have moved the object from there. Not on an object that is for one node.
 */
export const NAMESPACE = 'nodefit.dev/namespace'

/** The labels of an object's selector as it was rendered, before a later function such as set-labels adds to them. */
export const SELECTOR = 'nodefit.dev/selector'

/** The node amounts from which an object's sizes were computed. */
export const BASIS = 'nodefit.dev/basis'

/** The digest of an object's pod template as it was rendered, before later functions change it. */
export const RENDERED = 'nodefit.dev/rendered'

/** The time of the run that last changed an object's pod template. */
export const CHANGED = 'nodefit.dev/changed'

/** Since when the label values of a group have no node: each value with its time, RFC 3339. */
export const ABSENT_SINCE = 'nodefit.dev/absent-since'

/** The label by which a person tells the class of a node that nothing else tells. */
export const SIZE_LABEL = 'nodefit.dev/size'

/** The name of the one node that an object is for. */
export const NODE = 'nodefit.dev/node'

/** The time at which a Ticket's generation was first rendered, RFC 3339. Written once, never changed. */
export const BEGUN = 'nodefit.dev/begun'

/** The fire time of an Order's schedule for which a Ticket was rendered. */
export const GENERATION = 'nodefit.dev/generation'

/** The time of the run that opened a claim, RFC 3339: claims are filled in this order. Written once, never changed. */
export const OPENED = 'nodefit.dev/opened-at'

/** The pods for which a claim was opened, as `namespace/name`, sorted. Written once, never changed. */
export const OPENED_FOR = 'nodefit.dev/opened-for'

/** On an object for a machine that is not a claim: cores and MiB, as `4/8192`. Written once, never changed. */
export const REQUIREMENTS = 'nodefit.dev/requirements'

/** On a Node: when it was cordoned so that its claim can be dropped, RFC 3339. */
export const LEAVING = 'nodefit.dev/leaving'

/** On a partial Node: the time of the snapshot by which its mark was withdrawn, RFC 3339. */
export const REOPENED = 'nodefit.dev/reopened'

/** On a PoolPolicy: the number of its next claim, so that no name is ever used twice. */
export const NEXT_CLAIM = 'nodefit.dev/next-claim'

/** The hash of the pod spec of a Ticket's guardian pod. */
export const SPEC_HASH = 'nodefit.dev/spec-hash'

/** On a DaemonSet in a cluster with the deletion guard (deploy/guard): "true" allows its deletion. */
export const ALLOW_DELETE = 'nodefit.dev/allow-delete'

/** On what agents need in a cluster with the deletion guard: "true" refuses its deletion. Set by its user. */
export const GUARDED = 'nodefit.dev/guarded'

/** On a template: "true" if nodefit made it local configuration, "existing" if its user had. */
export const TEMPLATE = 'nodefit.dev/template'

/**
 * On an object that must not reach the cluster beside what is rendered from it, where kubectl may apply it with the
 * whole folder: no valid key, so that every API server refuses the object, and the refusal says why.
 */
export const NOT_APPLIED = 'nodefit.dev/not-applied/rendered-objects-replace-it'

/** On a template: who else applies it, recorded when the marks of that owner were removed. Read, never copied. */
export const OWNED_BY = 'nodefit.dev/owned-by'

/** On a configuration of which only some settings are kept: the digest of all of them when they were read. */
export const CONFIG_DIGEST = 'nodefit.dev/config-digest'

/** The former owner of a released object, which is no longer ours. Only this owner may adopt it again. */
export const RELEASED_BY = 'nodefit.dev/released-by'

/** On an object of which nodefit writes single fields: each field and its owners. */
export const FIELDS = 'nodefit.dev/fields'

/** On what signed actions render: the ids of the actions, their reasons and who asked for them. */
export const ACTIONS = 'nodefit.dev/actions'
export const REASON = 'nodefit.dev/reason'
export const REQUESTER = 'nodefit.dev/requester'

/** On what signed actions render: the whole actions with their signatures, as JSON. */
export const PROOF = 'nodefit.dev/signed-action'

/**
 * On a partial Node that no action holds any more: the time of the run that gave its fields back. On a Job that takes a
 * taint away: that of the run that first rendered it.
 */
export const ENDED = 'nodefit.dev/ended'

/** The key of the taint that holds a node for a drain. */
export const DRAIN_TAINT = 'nodefit.dev/drain'

/** Returns the group that an object is rendered for; undefined if it has no group, or a user wrote no text there. */
export function markedGroup(object: KubernetesObject): string | undefined {
  return textAt(object, GROUP)
}

/** Returns the node that an object is rendered for; undefined if it is for several, or a user wrote no text there. */
export function markedNode(object: KubernetesObject): string | undefined {
  return textAt(object, NODE)
}

/** Returns the namespace that an object was rendered for; undefined where that is not recorded. */
export function renderedNamespace(object: KubernetesObject): string | undefined {
  return textAt(object, NAMESPACE)
}

/** Returns the owner mark for the objects of a policy. */
export function ownerName(kind: string, name: string): string {
  return `${kind}/${name}`
}

/**
 * Whether an object is a node of a cluster and no partial document: what is applied to a node leaves our annotations on
 * it, and an export of it is an input all the same.
 */
export function isLiveNode({ apiVersion, kind, status }: KubernetesObject): boolean {
  return kind === 'Node' && apiVersion === 'v1' && status !== undefined
}

/** Returns the owner mark of an object; undefined if nodefit did not render it. A user may have written any value. */
export function ownerOf(object: KubernetesObject): string | undefined {
  if (isLiveNode(object)) return undefined
  const owner: unknown = object.metadata.annotations?.[OWNER]
  return owner === undefined || owner === null ? undefined : scalarText(owner)
}

/** Returns who rendered an object, even if it was released since; undefined if nodefit never rendered it. */
export function rendererOf(object: KubernetesObject): string | undefined {
  return ownerOf(object) ?? releaserOf(object)
}

/** Returns who released an object; undefined if it is still ours, or never was. A user may have written any value. */
export function releaserOf(object: KubernetesObject): string | undefined {
  if (isLiveNode(object)) return undefined
  const owner: unknown = object.metadata.annotations?.[RELEASED_BY]
  return typeof owner === 'string' && ownerOf(object) === undefined ? owner : undefined
}

/** The owner mark of a document that consists of fields of several subjects, which `FIELDS` lists. */
export const FIELDS_OWNER = 'nodefit/fields'

/** Whether an object is a document of shared fields. */
export function isFieldsDocument(object: KubernetesObject): boolean {
  return ownerOf(object) === FIELDS_OWNER
}

/** Whether an object is a document of shared fields, or was until its last field was released. */
export function isOrWasFieldsDocument(object: KubernetesObject): boolean {
  return rendererOf(object) === FIELDS_OWNER
}

/** The node count of a group when it was last written; guards compare with it. */
export const NODES = 'nodefit.dev/nodes'
/** The cluster that the nodes belong to, and its uid where the inventory has it. */
const CLUSTER = 'nodefit.dev/cluster'
const CLUSTER_UID = 'nodefit.dev/cluster-uid'

/** What a rendered object records for the next run, outside its pod template. */
export interface Remembered {
  /** Undefined if each node has its own object. */
  readonly nodes?: number
  /** Undefined if the inventory does not name the cluster. */
  readonly cluster?: string
  /** Undefined if the inventory does not have it. */
  readonly clusterUid?: string
}

/**
 * Returns the annotations that record an object's nodes. A count close to that of the earlier object is not rewritten,
 * so that one node more or less changes no file; the uid of the cluster stays where this run does not know it.
 */
export function rememberedAnnotations(
  { nodes, cluster, clusterUid }: Remembered,
  before: KubernetesObject | undefined,
): Record<string, string> {
  const known = before === undefined ? undefined : rememberedNodes(before)
  const count = known !== undefined && nodes !== undefined && isNear(known, nodes) ? known : nodes
  const isOfCluster = before !== undefined && rememberedCluster(before) === cluster
  const uid = clusterUid ?? (isOfCluster ? rememberedClusterUid(before) : undefined)
  return {
    ...(cluster === undefined ? {} : { [CLUSTER]: cluster }),
    ...(cluster === undefined || uid === undefined ? {} : { [CLUSTER_UID]: uid }),
    ...(count === undefined ? {} : { [NODES]: String(count) }),
  }
}

/** Returns the recorded node count of an object; undefined if it has none, or a user changed it to something else. */
export function rememberedNodes({ metadata }: KubernetesObject): number | undefined {
  const text: unknown = metadata.annotations?.[NODES]
  return typeof text === 'string' && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined
}

/** Returns the recorded cluster of an object. */
export function rememberedCluster(object: KubernetesObject): string | undefined {
  return textAt(object, CLUSTER)
}

/** Returns the recorded uid of an object's cluster. */
export function rememberedClusterUid(object: KubernetesObject): string | undefined {
  return textAt(object, CLUSTER_UID)
}

/** Whether two counts differ by less than a quarter; below four, only equal counts are near. */
function isNear(known: number, now: number): boolean {
  const difference = Math.abs(known - now)
  return difference === 0 || (known >= 4 && now >= 4 && difference * 4 < known)
}

function textAt({ metadata }: KubernetesObject, key: string): string | undefined {
  const text: unknown = metadata.annotations?.[key]
  return typeof text === 'string' ? text : undefined
}
