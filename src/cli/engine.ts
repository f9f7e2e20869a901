import { setFlagsFromString } from 'node:v8'

/**
 * Characters of input below which a run ends before optimized code pays for its compilation. Raw Nodes break even at about
 * twice this length, lists of names far beyond it.
 */
const SHORT_RUN = 1 << 19
/** An Order may render a Ticket for every node: then the length of the input says nothing about that of the run. */
const ORDER = /\bkind"?: *["']?Order\b/

/**
 * Tunes V8 for one render of the input. It allocates much once and keeps little, so that young generations that grow
 * only cost memory, up to a fifth of the peak; and a short run is spared the optimizing compiler, a quarter of its CPU time.
 */
export function tuneFor(text: string): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  if (text.length < SHORT_RUN && !ORDER.test(text)) setFlagsFromString('--no-opt')
}
