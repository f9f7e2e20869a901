import { isOrder, isTicket, KORDER } from '../../../kinds/index.ts'
import type { Finding, Subject } from '../../../krm/finding.ts'
import { isLocalConfig } from '../../../krm/identity.ts'
import { isMap, type Mapping, scalarText } from '../../../krm/map.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import {
  amountTexts,
  KubeError,
  type LabelSelector,
  matchesLabels,
  parseDuration,
  Quantity,
  readQuantity,
  unlessMalformed,
} from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import { isDaemonOrder } from '../order/read-order.ts'
import { requestsOf, total } from './capacity.ts'

const NANO = 1_000_000_000n

interface QuotaSpec {
  scope?: { type?: string; namespaces?: string[]; namespaceSelector?: LabelSelector; objectSelector?: LabelSelector }
  hard?: Record<string, string | number>
  timeWindows?: unknown[]
  allocation?: Array<{ namespace?: string; limits?: Record<string, string | number> }>
}

/** Whether an object is one of korder's Quotas. */
export function isQuota({ apiVersion, kind }: Subject): boolean {
  return apiVersion === KORDER && kind === 'Quota'
}

/**
 * Compares the Orders and Tickets that a package applies with each of its Quotas. korder itself never limits the sum of
 * Tickets (research: korder section 2.9). `namespaces` are the labels of the known Namespaces.
 */
export function checkQuotas(
  quotas: readonly Subject[],
  applied: readonly KubernetesObject[],
  namespaces: ReadonlyMap<string, Record<string, string>>,
): Finding[] {
  return quotas.flatMap((quota) => {
    const spec = mapOf((quota as Subject & { spec?: unknown }).spec) as QuotaSpec
    const { counted, findings } = inScope(quota, spec, applied, namespaces)
    if (listOf(spec.timeWindows).length > 0) findings.push(notEvaluated(quota, 'spec.timeWindows'))
    findings.push(...exceeded(quota, mapOf(spec.hard), counted, 'spec.hard'))
    for (const [index, entry] of listOf(spec.allocation).entries()) {
      const { namespace, limits } = mapOf(entry) as { namespace?: string; limits?: unknown }
      const inNamespace = counted.filter(({ metadata }) => metadata.namespace === namespace)
      findings.push(...exceeded(quota, mapOf(limits), inNamespace, `spec.allocation.${index}.limits`))
    }
    return findings
  })
}

function inScope(
  quota: Subject,
  { scope }: QuotaSpec,
  applied: readonly KubernetesObject[],
  known: ReadonlyMap<string, Record<string, string>>,
): { counted: readonly KubernetesObject[]; findings: Finding[] } {
  const {
    type = 'Cluster',
    namespaceSelector,
    objectSelector,
    ...rest
  } = mapOf(scope) as NonNullable<QuotaSpec['scope']>
  const namespaces = listOf(rest.namespaces)
  try {
    if (type === 'NamespaceList') {
      return { counted: applied.filter(({ metadata }) => namespaces.includes(metadata.namespace ?? '')), findings: [] }
    }
    if (type === 'ObjectSelector') {
      return {
        counted: applied.filter(({ metadata }) => matchesLabels(objectSelector, metadata.labels ?? {})),
        findings: [],
      }
    }
    if (type === 'NamespaceSelector') {
      const unknown = applied.some(({ metadata }) => !known.has(metadata.namespace ?? ''))
      const counted = applied.filter(({ metadata }) =>
        matchesLabels(namespaceSelector, known.get(metadata.namespace ?? '') ?? {}),
      )
      return { counted, findings: unknown ? [notEvaluated(quota, 'spec.scope.namespaceSelector')] : [] }
    }
    return { counted: applied, findings: type === 'Cluster' ? [] : [notEvaluated(quota, 'spec.scope.type')] }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return { counted: [], findings: [notEvaluated(quota, 'spec.scope')] }
  }
}

function exceeded(
  quota: Subject,
  hard: Record<string, unknown>,
  counted: readonly KubernetesObject[],
  at: string,
): Finding[] {
  const tickets = counted.filter(({ kind }) => kind === 'Ticket')
  const reserved = total(tickets.map(requestsOf))
  return Object.entries(hard).flatMap(([name, limit]) => {
    const path = `${at}.${name}`
    const bound = readQuantity(limit)
    if (bound === undefined) return [notEvaluated(quota, path)]
    const used = usedOf(name, counted, tickets, reserved)
    if (used === undefined) return [notEvaluated(quota, path)]
    if (used.compare(bound) <= 0) return []
    const [is, most] = amountTexts(name, [used, bound])
    const sentence = `Quota ${quota.metadata.name}: ${name} is ${is}, above its limit ${most}`
    return [
      finding('QuotaExceeded', sentence, {
        subject: quota,
        field: { path, currentValue: limit, proposedValue: used.toString() },
      }),
    ]
  })
}

function usedOf(
  name: string,
  counted: readonly KubernetesObject[],
  tickets: readonly KubernetesObject[],
  reserved: ReadonlyMap<string, Quantity>,
): Quantity | undefined {
  const count = (objects: readonly unknown[]) => Quantity.of(BigInt(objects.length), 'DecimalSI')
  if (name === 'tickets') return count(tickets)
  if (name === 'orders') return count(counted.filter(({ kind }) => kind === 'Order'))
  if (name === 'max-duration') {
    const [longest = 0n] = tickets.map(secondsOf).sort((a, b) => (a > b ? -1 : 1))
    return Quantity.of(longest, 'DecimalSI')
  }
  return name.startsWith('reserved.') ? (reserved.get(name.slice('reserved.'.length)) ?? Quantity.parse(0)) : undefined
}

function secondsOf({ spec }: KubernetesObject): bigint {
  const { duration, window } = (spec ?? {}) as { duration?: string; window?: { duration?: string } }
  return unlessMalformed(() => parseDuration(scalarText(duration ?? window?.duration ?? '0')) / NANO) ?? 0n
}

/** The value if it is a map, else an empty one: nodefit does not validate Quotas. */
function mapOf(value: unknown): Mapping {
  return isMap(value) ? value : {}
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : []
}

function notEvaluated(subject: Subject, path: string): Finding {
  return finding('QuotaNotEvaluated', `Quota ${subject.metadata.name}: ${path} is not evaluated`, {
    subject,
    field: { path },
  })
}

/** Reports Quotas that the applied Orders and Tickets of a package exceed, rendered or written by hand. */
export function quotaFindings(items: readonly Item[]): Finding[] {
  const objects = items.map(({ object }) => object)
  const quotas = objects.filter(isQuota)
  if (quotas.length === 0) return []
  return checkQuotas(quotas, objects.filter(isCounted), namespaceLabels(objects))
}

function namespaceLabels(objects: readonly KubernetesObject[]): Map<string, Record<string, string>> {
  const namespaces = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
  return new Map(
    namespaces.map(({ metadata: { name, labels } }) => [name, { 'kubernetes.io/metadata.name': name, ...labels }]),
  )
}

/** Orders and Tickets that are applied and count against a Quota. */
function isCounted(object: KubernetesObject): boolean {
  if (isLocalConfig(object.metadata.annotations)) return false
  return isTicket(object) || (isOrder(object) && !isDaemonOrder(object))
}
