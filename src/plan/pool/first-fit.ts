import { isFitting, type Vector } from './resources.ts'

/**
 * Finds the first of many things that has room for a request: a tree whose nodes know the most of each resource that is
 * left below them. Room may shrink at any time, and never grows.
 */
export class FirstFit<T> {
  readonly #items: T[]
  readonly #roomOf: (item: T) => number[]
  /** The children of the node at n are at 2n and 2n + 1, the leaves from `#leaves` on; the first node is at 1. */
  #most: Array<number[] | undefined> = []
  #leaves = 1

  /** `roomOf` returns what is left, in an array that is changed in place. */
  constructor(items: Iterable<T>, roomOf: (item: T) => number[]) {
    this.#roomOf = roomOf
    this.#items = [...items]
    this.#build()
  }

  /** Adds a thing behind all others. */
  add(item: T): void {
    this.#items.push(item)
    if (this.#items.length > this.#leaves) {
      this.#build()
      return
    }
    let at = this.#leaves + this.#items.length - 1
    this.#most[at] = this.#roomOf(item)
    while (at > 1) {
      at >>= 1
      this.#refresh(at)
    }
  }

  /** Returns the first thing that has room for a request and is wanted. */
  find(request: Vector, isWanted: (item: T) => boolean = () => true): T | undefined {
    return this.#search(1, request, isWanted)
  }

  #search(at: number, request: Vector, isWanted: (item: T) => boolean): T | undefined {
    const most = this.#most[at]
    if (most === undefined || !isFitting(request, most)) return undefined
    if (at >= this.#leaves) {
      const item = this.#items[at - this.#leaves]
      return item !== undefined && isWanted(item) ? item : undefined
    }
    const found = this.#search(2 * at, request, isWanted) ?? this.#search(2 * at + 1, request, isWanted)
    // room may have shrunk since
    if (found === undefined) this.#refresh(at)
    return found
  }

  #build(): void {
    while (this.#leaves < this.#items.length) this.#leaves *= 2
    this.#most = new Array(2 * this.#leaves)
    for (const [index, item] of this.#items.entries()) this.#most[this.#leaves + index] = this.#roomOf(item)
    for (let at = this.#leaves - 1; at > 0; at--) this.#refresh(at)
  }

  #refresh(at: number): void {
    const left = this.#most[2 * at]
    if (left === undefined) return
    const right = this.#most[2 * at + 1] ?? left
    const most = this.#most[at] ?? []
    this.#most[at] = most
    for (let axis = 0; axis < left.length; axis++) most[axis] = Math.max(left[axis] ?? 0, right[axis] ?? 0)
  }
}
