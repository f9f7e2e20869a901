/** A count falls below by so many standard deviations once in 30,000 times. */
const DEVIATIONS = 4

/**
 * The fewest cases of a kind among `runs` cases that are drawn, where at least the part `share` of all are of that
 * kind. 0 where so few are drawn that there may be none, as when a property is cut to its first cases.
 */
export function leastCount(runs: number, share: number): number {
  return Math.max(0, Math.floor(runs * share - DEVIATIONS * Math.sqrt(runs * share * (1 - share))))
}
