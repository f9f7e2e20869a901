import { plural } from '../../../krm/finding.ts'
import { isTime } from '../../../kube/index.ts'
import type { OwnedFolder } from './owned-folder.ts'

/** What is known of the cluster that writes, and of the one that has written. */
interface FolderClaim {
  readonly cluster: string
  readonly folder: string
  /** The uid of the cluster that writes; undefined where it may not be read. */
  readonly clusterUid?: string
  readonly owned: OwnedFolder
  /** The uid in the trailers of the newest commit of nodefit sync to the folder, where the folder has none. */
  readonly committedUid?: string
  /** The names of the cluster's nodes. */
  readonly present: ReadonlySet<string>
  readonly ack: Acknowledgement
}

/** Why a cluster may not write a folder, and whether it is another cluster's. */
export interface Refusal {
  readonly sentence: string
  /** The uid that would have to be replaced; undefined where none is known. */
  readonly replaces?: string
}

/**
 * Returns why a cluster may not write its folder: what Git has there is of another cluster of the same name, by its uid
 * or, where Git has none yet, by its nodes. Undefined where it may, and where its own uid is not known.
 */
export function refusalOf(claim: FolderClaim): Refusal | undefined {
  const { cluster, folder, clusterUid, owned, committedUid, present, ack } = claim
  if (clusterUid === undefined) return undefined
  // a squashed merge may leave the trailers of the cluster before as the newest ones
  const other = owned.clusterUid ?? committedUid
  if (other !== undefined && other !== clusterUid && !ack.replaces.includes(other)) {
    const command = ackCommand({ cluster, clusterUid, replaces: other })
    const sentence = `ClusterReplaced: ${folder} is of a cluster ${cluster} with the uid ${other}, and this one has ${clusterUid}. Set cluster and git.folder to those of this cluster; if it takes the place of the other, stop nodefit sync there and push ${command}`
    return { sentence, replaces: other }
  }
  const names = owned.known.shapes.flatMap(({ nodes }) => nodes)
  const shared = names.filter((name) => present.has(name)).length
  if (other !== undefined || ack.guardsUntil !== undefined || names.length === 0 || shared * 2 > names.length)
    return undefined
  const command = ackCommand({ cluster, clusterUid })
  return {
    sentence: `ClusterNotProved: ${folder} has no clusterUid yet, and this cluster has ${shared} of its ${plural(names.length, 'node')}: it may be of another cluster. If it is of this one, push ${command}`,
  }
}

/** The command that pushes an acknowledgement. */
export function ackCommand(uids: {
  readonly cluster: string
  readonly clusterUid?: string
  readonly replaces?: string
}): string {
  const { cluster, clusterUid, replaces } = uids
  const options = [
    `--cluster ${cluster}`,
    ...(clusterUid === undefined ? [] : [`--cluster-uid ${clusterUid}`]),
    ...(replaces === undefined ? [] : [`--replaces ${replaces}`]),
  ]
  return `git commit --allow-empty -m "$(nodefit sync ack ${options.join(' ')})"`
}

/** What a person accepts for a cluster now, by the message of a commit. */
export interface Acknowledgement {
  /** Until when what guards hold is accepted, in milliseconds since 1970; undefined where it is not. */
  readonly guardsUntil?: number
  /** The uids of the clusters whose place this one may take; guards hold all the same. */
  readonly replaces: readonly string[]
}

/** The trailer of an acknowledgement: the cluster, the end, and the uids of the cluster and of the one before it. */
interface AckTrailer {
  readonly cluster: string
  /** RFC 3339. */
  readonly until: string
  /** The uid of the cluster that it is for; without it that which Git has counts. */
  readonly clusterUid?: string
  readonly replaces?: string
}

const ACK = /^Nodefit-Ack: (\S+) (\S+)(?: uid=(\S+))?(?: replaces=(\S+))?$/gm

/** The trailer of a commit that accepts what guards of a cluster hold, until a time. */
export function ackText({ cluster, until, clusterUid, replaces }: AckTrailer): string {
  const more = [
    ...(clusterUid === undefined ? [] : [` uid=${clusterUid}`]),
    ...(replaces === undefined ? [] : [` replaces=${replaces}`]),
  ]
  return `Nodefit-Ack: ${cluster} ${until}${more.join('')}\n`
}

/**
 * Returns what a commit accepts for a cluster of a name and a uid, undefined where the uid is not known; `time` in
 * milliseconds since 1970. An acknowledgement for another uid does not count, nor one that replaces this very cluster.
 */
export function acknowledged(
  message: string,
  { cluster, clusterUid, time }: { readonly cluster: string; readonly clusterUid?: string; readonly time: number },
): Acknowledgement {
  const all = [...message.matchAll(ACK)].filter(([, name, until = '', uid]) => {
    const isForThis = uid === undefined || clusterUid === undefined || uid === clusterUid
    return name === cluster && isForThis && isTime(until) && Date.parse(until) > time
  })
  const untils = all.flatMap(([, , until = '', , replaces]) => (replaces === undefined ? [Date.parse(until)] : []))
  const replaces = all.flatMap(([, , , , uid]) => (uid === undefined || uid === clusterUid ? [] : [uid]))
  return { ...(untils.length === 0 ? {} : { guardsUntil: Math.max(...untils) }), replaces }
}
