import { setFlagsFromString } from 'node:v8'

/** Characters of input below which a run ends before optimized code pays for its compilation (measured: docs/benchmarks.md). */
const SHORT_RUN = 1 << 20

/**
 * Tunes V8 for one render of the input. It allocates much once and keeps little, so that young generations that grow
 * only cost memory, up to a fifth of the peak; and a short run is spared the optimizing compiler, a sixth of its CPU time.
 */
export function tuneFor(text: string): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  if (text.length < SHORT_RUN) setFlagsFromString('--no-opt')
}
