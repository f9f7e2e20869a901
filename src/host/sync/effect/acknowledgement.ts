import { isTime } from '../../../kube/index.ts'

/** What a person accepts for a cluster now, by the message of a commit. */
export interface Acknowledgement {
  /** Until when what guards hold is accepted, in milliseconds since 1970; undefined where it is not. */
  readonly guardsUntil?: number
  /** The uids of the clusters whose place this one may take; guards hold all the same. */
  readonly replaces: readonly string[]
}

/** The trailer of an acknowledgement: the cluster, the end, and the uids of the cluster and of the one before it. */
export interface AckTrailer {
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
