/** How much of a long suite is run: all of it, or with `--sample` the part that CI runs. */
export function sampled<T>(all: T, part: T): T {
  return process.env.SAMPLE === 'true' ? part : all
}
