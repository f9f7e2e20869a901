import { listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { readAmount } from '../../kube/index.ts'
import { type Amounts, MOST_USED } from './amounts.ts'

/** A recommendation of a VerticalPodAutoscaler for one container of a DaemonSet. */
export interface Recommended {
  readonly namespace: string | undefined
  readonly daemonSet: string
  readonly container: string
  /** The label that its groups are of, and the value of this group; undefined for all pods of the DaemonSet. */
  readonly scope?: { readonly label: string; readonly value: string | undefined }
  readonly used: Amounts
  /** Whether all that is recommended is the least that a recommender says of any container. */
  readonly isFloor?: true
}

/** Recommendations have a safety margin of 15 % themselves. */
const [MARGIN_PERCENT, HUNDRED] = [115n, 100n]
const ABSENT = '__absent__'
const MEBIBYTE = 1n << 20n
/**
 * The least that a recommender says of any container, whatever it uses (`--pod-recommendation-min-cpu-millicores` and
 * `-min-memory-mb`, in thousandths of a core and bytes: 250 MiB or megabytes): no measurement.
 */
const FLOORS: Readonly<Record<keyof Amounts, readonly bigint[]>> = {
  cpu: [25n],
  memory: [262_144_000n, 250_000_000n, 250n * MEBIBYTE],
}

/** Reads what VerticalPodAutoscalers recommend for DaemonSets: the target less 15 %; of scoped ones for each group. */
export function readAutoscalers(objects: readonly KubernetesObject[]): readonly Recommended[] {
  return objects.flatMap((object) => {
    const { metadata, spec, status } = object
    const [kind, daemonSet] = ['kind', 'name'].map((key) => memberOf(memberOf(spec, 'targetRef'), key))
    if (kind !== 'DaemonSet' || typeof daemonSet !== 'string') return []
    const of = { namespace: metadata.namespace, daemonSet }
    const label = memberOf(spec, 'scope')
    if (typeof label !== 'string') return recommendedIn(memberOf(status, 'recommendation'), of)
    return listOf(memberOf(status, 'groups')).flatMap((group) => {
      const value = memberOf(group, 'scopeValue')
      const scope = { label, value: value === ABSENT ? undefined : String(value ?? '') }
      return recommendedIn(memberOf(group, 'recommendation') ?? group, { ...of, scope })
    })
  })
}

function recommendedIn(recommendation: unknown, of: Omit<Recommended, 'container' | 'used'>): Recommended[] {
  return listOf(memberOf(recommendation, 'containerRecommendations')).flatMap((one) => {
    const container = memberOf(one, 'containerName')
    const [cpu, memory] = ['cpu', 'memory'].map((name) => readAmount(memberOf(memberOf(one, 'target'), name)))
    const isFloor = (name: keyof Amounts, amount: bigint | undefined) =>
      amount !== undefined && FLOORS[name].includes(amount)
    const used = {
      ...(isFloor('cpu', cpu?.milliValue()) ? {} : amountOf('cpu', cpu?.milliValue())),
      ...(isFloor('memory', memory?.value())
        ? {}
        : amountOf('memory', memory && (memory.value() + MEBIBYTE - 1n) / MEBIBYTE)),
    }
    if (typeof container !== 'string') return []
    if (Object.keys(used).length > 0) return [{ ...of, container, used }]
    return isFloor('cpu', cpu?.milliValue()) || isFloor('memory', memory?.value())
      ? [{ ...of, container, used, isFloor: true as const }]
      : []
  })
}

/** An amount of which something is used; nothing of one that no machine has. */
function amountOf(name: keyof Amounts, units: bigint | undefined): Amounts {
  const used = withoutMargin(units ?? 0n)
  return used > 0 && used <= MOST_USED ? { [name]: used } : {}
}

function withoutMargin(units: bigint): number {
  return Number((units * HUNDRED + MARGIN_PERCENT - 1n) / MARGIN_PERCENT)
}
