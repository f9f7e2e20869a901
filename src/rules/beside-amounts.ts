import { indexBy } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import { listNames } from '../krm/finding.ts'
import type { KubernetesObject } from '../krm/types.ts'
import {
  type Container,
  changeTexts,
  type PodSpec,
  Quantity,
  type ResourceRequirements,
  unlessMalformed,
} from '../kube/index.ts'

/** An amount of a container in a rendered object and in the template; undefined where one of them does not set it. */
export interface AmountChange {
  readonly container: string
  readonly amount: AmountName
  /** The name of the rendered object. */
  readonly name: string
  readonly before?: Quantity
  readonly after?: Quantity
}

/** Returns the amounts that differ from the template's, by container; a missing request counts as its limit. */
export function amountChanges(pairs: readonly Pair[]): AmountChange[] {
  return pairs.flatMap(({ object, template, container }) =>
    AMOUNTS.flatMap((amount) => {
      const written = amountIn(template, amount)
      const before = written ?? amountIn(template, limitOf(amount))
      const after =
        amountIn(container, amount) ?? (written === undefined ? amountIn(container, limitOf(amount)) : undefined)
      const isSame = before === undefined || after === undefined ? before === after : before.compare(after) === 0
      return isSame ? [] : [{ container: container.name, amount, name: object.metadata.name, before, after }]
    }),
  )
}

/** Returns the limit that Kubernetes takes a missing request from (`SetDefaults_Pod`). */
export function limitOf(amount: AmountName): AmountName {
  return amount.endsWith('cpu') ? 'limits.cpu' : 'limits.memory'
}

/** How many amounts, and how many objects of each amount, a message names. */
const MOST = 3

/**
 * Formats changes by container and amount, the smallest amount first, each with the objects that have it; the amounts
 * of one line are in one unit.
 */
export function changesText(changes: readonly AmountChange[]): string {
  const byAmount = indexBy(changes, ({ container, amount, before }) => `${container} ${amount} ${before ?? 'none'}`)
  return [...byAmount.values()]
    .flatMap((all) => {
      const [first] = all
      if (first === undefined) return []
      const [before = '', ...after] = changeTexts(first.amount, [first.before, ...all.map((one) => one.after)])
      return [`${first.container} ${first.amount} ${before} -> ${afterTexts(all, after)}`]
    })
    .join('; ')
}

/** Formats the amounts after changes of one amount, the smallest first, each with the objects that have it. */
export function afterText(changes: readonly AmountChange[]): string {
  const resource = changes[0]?.amount ?? ''
  return afterTexts(
    changes,
    changeTexts(
      resource,
      changes.map(({ after }) => after),
    ),
  )
}

function afterTexts(changes: readonly AmountChange[], texts: readonly string[]): string {
  const sorted = changes
    .map((change, index) => ({ change, text: texts[index] ?? '' }))
    .sort((a, b) => compare(a.change.after, b.change.after))
  return listNames(
    [...indexBy(sorted, ({ text }) => text)].map(([text, all]) => {
      return `${text} (${listNames(all.map(({ change }) => change.name).sort(), MOST)})`
    }),
    MOST,
  )
}

function compare(left: Quantity | undefined, right: Quantity | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined)
  return left.compare(right)
}

/** A container of a rendered object and the container of the same name in the template. */
export interface Pair {
  /** The rendered object. */
  readonly object: KubernetesObject
  readonly template: Container
  readonly container: Container
}

/**
 * Returns every container that both template and rendered objects have, sidecars and other init containers included.
 */
export function pairsOf(template: PodSpec, objects: readonly KubernetesObject[]): Pair[] {
  const own = new Map(containersOf(template).map((container) => [container.name, container]))
  return objects.flatMap((object) =>
    containersOf(podSpecOf(object)).flatMap((container) => {
      const one = own.get(container.name)
      return one === undefined ? [] : [{ object, template: one, container }]
    }),
  )
}

export function containersOf({ containers, initContainers }: PodSpec): Container[] {
  return [...(containers ?? []), ...(initContainers ?? [])]
}

/** Returns an amount of a container, such as `limits.memory`; undefined where it is not set or cannot be parsed. */
export function amountIn({ resources }: Container, amount: AmountName): Quantity | undefined {
  const [list, resource] = amount.split('.') as [keyof ResourceRequirements, string]
  const text = resources?.[list]?.[resource]
  return text === undefined || text === null ? undefined : unlessMalformed(() => Quantity.parse(text))
}

/** The amounts that nodefit sizes. */
export const AMOUNTS = ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'] as const
export type AmountName = (typeof AMOUNTS)[number]
