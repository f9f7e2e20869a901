import { nodeSums, type PlacedPod, type PodObject, type PodShare, placedPod } from '../../inventory/index.ts'
import type { KubeObject } from '../api/list.ts'
import type { Collector, Watch } from './collector.ts'

/** A pod, as it is kept: two texts that it shares with others of its node, and with others that are alike. */
export interface KeptPod {
  readonly node: string
  readonly share: string
}

/** Pods that count on no node are not even sent. */
const COUNTED = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed'

/**
 * What the pods on each of the nodes request, which gives `nodes` and `daemonSets`. Pods come and go all the time, and change no size
 * by themselves, so they ask for no evaluation: the next one sees them.
 */
export function podsCollector(watch: Watch, nodes: () => Iterable<string>): Collector {
  const texts = new Map<string, string>()
  const pods = watch<KeptPod>({
    path: '/api/v1/pods',
    resource: 'pods',
    query: { fieldSelector: COUNTED },
    keyOf: ({ metadata: { uid, namespace, name } }) => uid ?? `${namespace}/${name}`,
    trim: (object) => keptPod(object, texts),
    onChange: () => {},
  })
  return {
    name: 'pods',
    start: (signal) => pods.start(signal),
    get isSynced() {
      return pods.isSynced
    },
    part() {
      if (!pods.isSynced) return {}
      texts.clear()
      return nodeSums(placed(pods.items().values(), texts), nodes())
    },
  }
}

/** What is kept of a pod: texts that are kept already are taken from `texts`. Throws `KubeError` on a malformed quantity. */
export function keptPod(object: KubeObject, texts: Map<string, string>): KeptPod | undefined {
  const pod = placedPod(object as unknown as PodObject)
  return pod && { node: interned(pod.node, texts), share: interned(textOfShare(pod.share), texts) }
}

/** Pods as they were before they were kept; their texts are put into `texts`. */
function* placed(pods: Iterable<KeptPod>, texts: Map<string, string>): Iterable<PlacedPod> {
  const shares = new Map<string, PodShare>()
  for (const { node, share: text } of pods) {
    let share = shares.get(text)
    if (share === undefined) {
      share = shareOf(text)
      shares.set(text, share)
      texts.set(text, text)
    }
    texts.set(node, node)
    yield { node, share }
  }
}

function interned(text: string, texts: Map<string, string>): string {
  const kept = texts.get(text)
  if (kept !== undefined) return kept
  texts.set(text, text)
  return text
}

function textOfShare({ daemonSet, requests }: PodShare): string {
  const amounts = requests
    .map(([name, amount]) => [name, String(amount)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return JSON.stringify({ daemonSet, amounts })
}

function shareOf(text: string): PodShare {
  const { daemonSet, amounts } = JSON.parse(text) as {
    daemonSet?: PodShare['daemonSet']
    amounts: Array<[string, string]>
  }
  return { daemonSet, requests: amounts.map(([name, amount]) => [name, BigInt(amount)] as const) }
}
