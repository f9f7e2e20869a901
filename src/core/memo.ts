/** Returns a function that computes its value at the first call. */
export function once<Value>(work: () => Value): () => Value {
  let known: { readonly value: Value } | undefined
  return () => {
    known ??= { value: work() }
    return known.value
  }
}

/** Returns a function that computes its result once for each key. */
export function memo<Key, Value>(work: (key: Key) => Value): ((key: Key) => Value) & { all(): Value[] } {
  const known = new Map<Key, Value>()
  const ask = (key: Key): Value => {
    if (!known.has(key)) known.set(key, work(key))
    return known.get(key) as Value
  }
  return Object.assign(ask, { all: () => [...known.values()] })
}

/** Returns a function that keeps its last result: for keys that come many times in a row. */
export function memoLast<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: work(key) }
    return last.value
  }
}

/** Returns a function that computes its result once for each object, and keeps it as long as the object lives. */
export function memoOf<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const found = known.get(key) ?? { value: work(key) }
    known.set(key, found)
    return found.value
  }
}

/** Groups the members of a list by a key; omits members without one. */
export function indexBy<Member, Key>(
  members: readonly Member[],
  keyOf: (member: Member) => Key | undefined,
): ReadonlyMap<Key, readonly Member[]> {
  const index = new Map<Key, Member[]>()
  for (const member of members) {
    const key = keyOf(member)
    if (key === undefined) continue
    const entry = index.get(key)
    if (entry === undefined) index.set(key, [member])
    else entry.push(member)
  }
  return index
}
