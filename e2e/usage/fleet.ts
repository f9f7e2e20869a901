/**
 * A fleet of 333 nodes in nine groups for 60 days, in steps of five minutes: how busy each node is, and when it is made anew.
 * Amounts are thousandths of a core and MiB.
 */
export const STEPS_PER_HOUR = 12
export const STEPS_PER_DAY = 24 * STEPS_PER_HOUR
export const DAYS = 60
const STEPS = DAYS * STEPS_PER_DAY

/** A node group: its nodes' amounts, how many there are, and the day on which they join. */
export interface Group {
  readonly name: string
  readonly cpu: number
  readonly memory: number
  readonly pods: number
  readonly nodes: number
  readonly joins: number
}

export const GROUPS: readonly Group[] = (
  [
    ['m5.large', 1930, 6967, 29, 120, 0],
    ['m5.xlarge', 3920, 14800, 58, 80, 0],
    ['m5.4xlarge', 15890, 58500, 234, 60, 0],
    ['c6g.xlarge', 3920, 6600, 58, 30, 0],
    ['r5.2xlarge', 7910, 60000, 58, 12, 0],
    ['g5.xlarge', 3920, 14500, 58, 4, 0],
    ['metal', 63770, 500000, 250, 1, 0],
    // between the sizes that are known
    ['m7i.2xlarge', 7910, 30000, 58, 20, 30],
    // larger than nearly all
    ['m7i.16xlarge', 63770, 250000, 250, 6, 40],
  ] as const
).map(([name, cpu, memory, pods, nodes, joins]) => ({ name, cpu, memory, pods, nodes, joins }))

/** The index of each node's group. */
export const GROUP_OF = GROUPS.flatMap(({ nodes }, index) => Array<number>(nodes).fill(index))
export const NODES = GROUP_OF.length

/** Draws from distributions, the same for the same seed. */
export class Draw {
  #state: number
  #spare: number | undefined

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to 1, without 1. */
  uniform(low = 0, high = 1): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return low + (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (high - low)
  }

  normal(): number {
    const spare = this.#spare
    this.#spare = undefined
    if (spare !== undefined) return spare
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()))
    const angle = 2 * Math.PI * this.uniform()
    this.#spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }

  /** Of median 1. */
  lognormal(sigma: number): number {
    return Math.exp(sigma * this.normal())
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform())
  }

  /** How many events there are where so many are expected. */
  poisson(mean: number): number {
    let [count, time] = [0, this.exponential(1)]
    for (; time < mean; time += this.exponential(1)) count++
    return count
  }
}

/** A node's life from one step to another: its load, of median 1, and the share of its pods that it has. */
interface Life {
  readonly from: number
  readonly load: number
  readonly fill: number
}

/** How busy each node is at each step of an hour; a node anew is another life. */
export class Fleet {
  readonly draw: Draw
  readonly #lives: readonly (readonly Life[])[]

  constructor(seed: number) {
    this.draw = new Draw(seed)
    this.#lives = GROUP_OF.map((group) => {
      const lives: Life[] = []
      const first = (GROUPS[group]?.joins ?? 0) * STEPS_PER_DAY
      for (let at = first; at < STEPS; ) {
        lives.push({ from: at, load: this.draw.lognormal(0.45), fill: this.draw.uniform(0.25, 0.95) })
        at += Math.max(STEPS_PER_HOUR, Math.floor(this.draw.exponential(20) * STEPS_PER_DAY))
      }
      return lives
    })
  }

  /** The life of a node at a step; undefined before it joins. */
  lifeAt(node: number, step: number): Life | undefined {
    return this.#lives[node]?.findLast(({ from }) => from <= step)
  }

  /** Whether the node is made anew within an hour. */
  isBorn(node: number, hour: number): boolean {
    const [first, end] = [hour * STEPS_PER_HOUR, (hour + 1) * STEPS_PER_HOUR]
    return this.#lives[node]?.some(({ from }) => from >= first && from < end) === true
  }
}
