/** Chance that can be had again: the same seed draws the same things in the same order. */
export class Draw {
  #state: number

  constructor(seed: string) {
    this.#state = 2166136261
    for (const character of seed) this.#state = Math.imul(this.#state ^ character.charCodeAt(0), 16777619)
  }

  /** A number from 0 up to but not 1 (mulberry32). */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  /** An integer between both bounds, each included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.number() * (most - least + 1))
  }

  /** True in this many of a hundred cases. */
  percent(share: number): boolean {
    return this.number() * 100 < share
  }

  /** One of a list that is not empty. */
  one<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T
  }

  /** So many different members of a list, as far as it has them. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list]
    return Array.from({ length: Math.min(count, left.length) }, () =>
      left.splice(this.integer(0, left.length - 1), 1),
    ).flat()
  }

  /** So many drawn things, each by itself. */
  times<T>(count: number, draw: () => T): T[] {
    return Array.from({ length: count }, draw)
  }
}
