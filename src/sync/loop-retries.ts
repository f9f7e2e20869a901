/** What cannot mend itself is tried now and then, what can soon, and later each time. */
const WAITS = {
  // a human has to do something: a rule of the forge, a wrong password
  refused: { first: 60_000, longest: 600_000 },
  unreachable: { first: 2_000, longest: 60_000 },
} as const
/** What the other side asks for counts up to this: its clock may be wrong, or its answer a mistake. */
const LONGEST_ASKED_MILLISECONDS = 3_600_000

/** How long to wait before the next try, in milliseconds: doubled each time, half of it by chance, and never given up. */
export class Retries {
  readonly #random: () => number
  #failures = 0

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  next(failure: keyof typeof WAITS, asked = 0): number {
    const { first, longest } = WAITS[failure]
    const wait = Math.min(longest, first * 2 ** Math.min(this.#failures++, 30))
    return Math.max(Math.min(asked, LONGEST_ASKED_MILLISECONDS), wait / 2 + (wait / 2) * this.#random())
  }

  reset(): void {
    this.#failures = 0
  }
}
