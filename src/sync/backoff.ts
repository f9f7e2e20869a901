/** The first wait is shorter than this, and each doubles it. */
const FIRST = 1000
const LONGEST = 60_000
/** No wait is shorter, whatever is drawn. */
const SHORTEST = 100
/** What a server asks for is kept to, up to here. */
const MOST_ASKED = 300_000

/** How long to wait before trying again: full jitter, so that many who lost the same server do not return together. */
export class Backoff {
  #failures = 0
  readonly #random: () => number

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Milliseconds to wait after one more failure: drawn below 1 s, 2 s, 4 s up to a minute, and never less than the server asks for. */
  next(asked = 0): number {
    const most = Math.min(LONGEST, FIRST * 2 ** Math.min(this.#failures++, 16))
    return Math.max(SHORTEST, this.#random() * most, Math.min(asked, MOST_ASKED))
  }

  /** It went well for long enough. */
  reset(): void {
    this.#failures = 0
  }
}
