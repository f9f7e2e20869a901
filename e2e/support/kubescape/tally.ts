/** Nodes without an agent and nodes with two, at every instant and summed over time. */
export interface Count {
  /** The most nodes at once. */
  readonly most: number
  /** Their number times the seconds that it lasted. */
  readonly nodeSeconds: number
}

export interface Figures {
  readonly none: Count
  readonly two: Count
}

export class Tally {
  readonly #nodes: readonly string[]
  #none = new Sum()
  #two = new Sum()

  constructor(nodes: readonly string[]) {
    this.#nodes = nodes
  }

  /** Takes what each node has from now on. */
  note(agents: ReadonlyMap<string, number>): void {
    const counts = this.#nodes.map((node) => agents.get(node) ?? 0)
    this.#none.is(counts.filter((count) => count === 0).length)
    this.#two.is(counts.filter((count) => count > 1).length)
  }

  /** What was counted since the last call. */
  take(): Figures {
    return { none: this.#none.take(), two: this.#two.take() }
  }
}

class Sum {
  #now = 0
  #since = performance.now()
  #most = 0
  #total = 0

  is(count: number): void {
    const time = performance.now()
    this.#total += (this.#now * (time - this.#since)) / 1000
    this.#since = time
    this.#now = count
    this.#most = Math.max(this.#most, count)
  }

  take(): Count {
    this.is(this.#now)
    const taken = { most: this.#most, nodeSeconds: this.#total }
    this.#most = this.#now
    this.#total = 0
    return taken
  }
}
