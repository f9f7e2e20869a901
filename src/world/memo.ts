/** A value that is worked out when somebody first asks for it. */
export function once<Value>(work: () => Value): () => Value {
  let known: { readonly value: Value } | undefined
  return () => {
    known ??= { value: work() }
    return known.value
  }
}

/** A function whose answer is worked out once for each key. */
export function memo<Value>(work: (key: string) => Value): ((key: string) => Value) & { all(): Value[] } {
  const known = new Map<string, Value>()
  const ask = (key: string): Value => {
    if (!known.has(key)) known.set(key, work(key))
    return known.get(key) as Value
  }
  return Object.assign(ask, { all: () => [...known.values()] })
}

/** The members of a list by a key; what has none is left out. */
export function indexBy<Member>(
  members: readonly Member[],
  keyOf: (member: Member) => string | undefined,
): ReadonlyMap<string, readonly Member[]> {
  const index = new Map<string, Member[]>()
  for (const member of members) {
    const key = keyOf(member)
    if (key === undefined) continue
    const entry = index.get(key)
    if (entry === undefined) index.set(key, [member])
    else entry.push(member)
  }
  return index
}
