import { nodeSums, type PlacedPod, type PodObject, type PodShare, placedPod } from '../../../facts/inventory/index.ts'
import type { KubeObject } from '../../cluster/list.ts'
import { interned } from './agent-pods.ts'
import type { Collector, MakeInformer } from './collector.ts'

/** A cached pod: two strings, shared with the other pods of its node and with those of equal requests. */
export interface KeptPod {
  readonly node: string
  readonly share: string
}

/** Collects pods, and knows which there are. */
export interface PodsCollector extends Collector {
  /** Whether a pod, as namespace and name, is on a node and has not ended; undefined if that is not known yet. */
  has(pod: string): boolean | undefined
}

/** Selects the pods that use resources of a node. */
const FIELD_SELECTOR = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed'

/**
 * Collects what the pods on each node request: `nodes`, `daemonSets` and `namespaces` of a snapshot. A pod starts no
 * evaluation, since pods come and go all the time and change no size by themselves: the next one sees it.
 */
export function podsCollector(makeInformer: MakeInformer, nodes: () => Iterable<string>): PodsCollector {
  const strings = new Map<string, string>()
  const pods = makeInformer<KeptPod>({
    path: '/api/v1/pods',
    resource: 'pods',
    query: { fieldSelector: FIELD_SELECTOR },
    // joined, for a template keeps both parts besides: 20 bytes a pod
    keyOf: ({ metadata: { namespace, name } }) => [namespace, name].join('/'),
    trim: (object) => keptPod(object, strings),
    onChange: () => {},
  })
  return {
    name: 'pods',
    start: (signal) => pods.start(signal),
    get isSynced() {
      return pods.isSynced
    },
    has: (pod) => (pods.isSynced ? pods.items().has(pod) : undefined),
    part() {
      if (!pods.isSynced) return {}
      strings.clear()
      return nodeSums(placedPods(pods.items().values(), strings), nodes())
    },
  }
}

/** The cached part of a pod; takes equal strings from `strings`. Throws `KubeError` for a malformed quantity. */
export function keptPod(object: KubeObject, strings: Map<string, string>): KeptPod | undefined {
  const pod = placedPod(object as unknown as PodObject)
  return pod && { node: interned(pod.node, strings), share: interned(shareText(pod.share), strings) }
}

/** The pods parsed again; fills `strings` with the strings that are still in use. */
export function* placedPods(pods: Iterable<KeptPod>, strings: Map<string, string>): Iterable<PlacedPod> {
  const shares = new Map<string, PodShare>()
  for (const { node, share: text } of pods) {
    let share = shares.get(text)
    if (share === undefined) {
      share = parseShare(text)
      shares.set(text, share)
      strings.set(text, text)
    }
    strings.set(node, node)
    yield { node, share }
  }
}

function shareText({ daemonSet, namespace, requests }: PodShare): string {
  const amounts = requests
    .map(([name, amount]) => [name, String(amount)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return JSON.stringify({ daemonSet, namespace, amounts })
}

function parseShare(text: string): PodShare {
  const { amounts, ...whose } = JSON.parse(text) as {
    daemonSet?: PodShare['daemonSet']
    namespace?: string
    amounts: Array<[string, string]>
  }
  return { ...whose, requests: amounts.map(([name, amount]) => [name, BigInt(amount)] as const) }
}
