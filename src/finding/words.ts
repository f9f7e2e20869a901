/** Names for a message: the first few, and how many more; `all` where there are more than have a name. */
export function listNames(names: readonly string[], most = 3, all = names.length): string {
  const said = names.slice(0, most)
  const more = all - said.length
  return more > 0 ? `${said.join(', ')} and ${more} more` : said.join(', ')
}

/** A count with its noun: `1 node`, `3 nodes`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
