/** Faults that nobody could see, each with the reason: what the edit gives is what was there. */
export const UNSEEN: ReadonlyArray<readonly [key: string, reason: string]> = []
