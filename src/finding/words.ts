/** Names for a message: the first few, and how many more. */
export function listNames(names: readonly string[], most = 3): string {
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}

/** A count with its noun: `1 node`, `3 nodes`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
