import { setFlagsFromString } from 'node:v8'

/**
 * Characters of input below which a run ends before optimized code pays for its compilation. Raw Nodes break even at about
 * twice this length, lists of names far beyond it.
 */
const SHORT_RUN = 1 << 19
/** An Order may render a Ticket for every node: then the length of the input says nothing about that of the run. */
const ORDER = /\bkind"?: *["']?Order\b/
/** So many policies make a long run that keeps much, however short they are. */
const MANY_POLICIES = 100

/**
 * Tunes V8 for one render of the input. Most allocate much once and keep little, so that young generations that grow
 * only cost memory, up to a fifth of the peak; and a short run is spared the optimizing compiler, a third of its CPU time. With
 * many policies both would cost more than they give.
 */
export function tuneFor(text: string): void {
  if (hasManyPolicies(text)) return
  setFlagsFromString('--semi-space-growth-factor=1')
  if (text.length < SHORT_RUN && !ORDER.test(text)) setFlagsFromString('--no-opt')
}

/** What is rendered names its policy, too: only kinds count. */
function hasManyPolicies(text: string): boolean {
  const word = 'SizingPolicy'
  let count = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (text.slice(Math.max(at - 8, 0), at).includes('kind') && ++count >= MANY_POLICIES) return true
  }
  return false
}
