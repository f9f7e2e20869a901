/** The earliest of some instants; undefined where there is none. */
export function earliest(instants: ReadonlyArray<Date | undefined>): Date | undefined {
  const times = instants.flatMap((instant) => instant?.getTime() ?? [])
  return times.length === 0 ? undefined : new Date(times.reduce((least, time) => Math.min(least, time)))
}
