interface Slice {
  readonly start: number
  /** How often each step was seen. */
  readonly counts: Map<number, number>
}

/**
 * Counts samples of the time just past: steps of a scale, in slices of which the oldest goes as a whole when its end leaves the window. What
 * it costs depends on how many steps and slices there are, and not on how many samples.
 */
export class SlidingWindow {
  readonly #length: number
  readonly #slice: number
  #slices: Slice[] = []
  #since: number | undefined

  /** Both in milliseconds. */
  constructor(length: number, slice: number) {
    this.#length = length
    this.#slice = slice
  }

  add(step: number, now: number): void {
    this.#forget(now)
    let slice = this.#slices.at(-1)
    if (slice === undefined || now >= slice.start + this.#slice) {
      slice = { start: now, counts: new Map() }
      this.#slices.push(slice)
    }
    this.#since ??= now
    slice.counts.set(step, (slice.counts.get(step) ?? 0) + 1)
  }

  /** Since when there are samples, without a gap as long as the window; undefined where there are none. */
  since(now: number): number | undefined {
    this.#forget(now)
    return this.#since
  }

  /**
   * The smallest step that so many of 100 samples stay within (the nearest rank), for each of the percentages; undefined without any
   * sample. The percentages are whole numbers from 1 to 100.
   */
  percentiles(percentages: readonly number[], now: number): number[] | undefined {
    this.#forget(now)
    const counts = new Map<number, number>()
    let total = 0
    for (const slice of this.#slices)
      for (const [step, count] of slice.counts) {
        counts.set(step, (counts.get(step) ?? 0) + count)
        total += count
      }
    if (total === 0) return undefined
    const steps = [...counts].sort(([a], [b]) => a - b)
    return percentages.map((percentage) => stepAt(steps, Math.ceil((percentage * total) / 100)))
  }

  #forget(now: number): void {
    this.#slices = this.#slices.filter(({ start }) => start + this.#slice > now - this.#length)
    if (this.#slices.length === 0) this.#since = undefined
  }
}

/** The step of the sample of this rank, the lowest being the first. */
function stepAt(steps: ReadonlyArray<readonly [step: number, count: number]>, rank: number): number {
  let left = rank
  for (const [step, count] of steps) {
    left -= count
    if (left <= 0) return step
  }
  return steps.at(-1)?.[0] ?? 0
}
