/** Returns a text as the one string that is kept of all that are equal. */
export function interned(text: string, strings: Map<string, string>): string {
  const present = strings.get(text)
  if (present !== undefined) return present
  strings.set(text, text)
  return text
}
