/** The earliest of some instants after a time, all in milliseconds since 1970; rounded up, since an evaluation knows whole seconds only. */
export function nextOf(instants: ReadonlyArray<number | undefined>, time: number): Date | undefined {
  const next = instants.flatMap((one) => (one !== undefined && one > time ? [one] : []))
  return next.length === 0 ? undefined : new Date(Math.ceil(Math.min(...next) / 1000) * 1000)
}
