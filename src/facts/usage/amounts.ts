/**
 * Usage is counted in whole units, since it is measured: CPU in thousandths of a core, memory in MiB. Kubernetes'
 * quantities, which are exact, are made of them where sizes are rendered.
 */
export type Amounts<Unit = number> = {
  readonly [resource in Resource]?: Unit
}

export type Resource = 'cpu' | 'memory'

export const RESOURCES: readonly Resource[] = ['cpu', 'memory']

/** The largest amount that counts, 100,000 cores or 10^8 MiB: a larger one is a mistake of who measured it. */
export const MOST_USED = 10 ** 8

/**
 * The value of the nearest rank: the smallest that a share of the values does not exceed. Undefined without values; the
 * share is more than 0 and at most 1.
 */
export function nearestRank(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

/** The value that `rank - 1` values exceed, at most; the smallest where there are fewer. Undefined without values. */
export function largest(values: readonly number[], rank: number): number | undefined {
  const sorted = values.toSorted((a, b) => b - a)
  return sorted[Math.min(rank, sorted.length) - 1]
}
