/** Changes of an object such as a slip of the hand, a broken tool or another program's file may hold. */

/** Where a value stands in an object: keys of maps and places in lists. */
export type Path = ReadonlyArray<string | number>

/** What becomes of a value, in the map or list that holds it; undefined where it cannot be done there. */
export type Change = (holder: Holder, key: string | number) => Holder | undefined

type Holder = Record<string, unknown> | unknown[]

const PLAIN: Record<string, unknown> = {
  null: null,
  'an empty list': [],
  'an empty map': {},
  zero: 0,
  'minus one': -1,
  'a huge number': 1e300,
  'a long integer': 9007199254740993n,
  true: true,
  'an empty text': '',
  'a long text': 'x'.repeat(10_000),
  'a list of null': [null],
  'a list of text': ['x'],
  'a map of null': { x: null },
  'a map that hides what every object has': {
    toString: 'x',
    valueOf: null,
    constructor: { prototype: 'x' },
    hasOwnProperty: 0,
    toJSON: [],
  },
  'a control character': '\u0000',
  'an emoji': '😀',
  'a letter that grows in lower case': 'İ',
  'a mark that turns text around': 'a\u202eb',
  'a word': 'Foo',
}

/** Every change by its name. */
export const CHANGES: Readonly<Record<string, Change>> = {
  ...Object.fromEntries(Object.entries(PLAIN).map(([name, value]) => [name, setTo(value)])),
  removed: (holder, key) =>
    Array.isArray(holder)
      ? holder.filter((_, index) => index !== key)
      : Object.fromEntries(Object.entries(holder).filter(([name]) => name !== key)),
  'there twice': (holder, key) => (Array.isArray(holder) ? [...holder, holder[Number(key)]] : undefined),
  'in a list': (holder, key) => put(holder, key, [valueAt(holder, key)]),
  'with __proto__': (holder, key) => withMember(holder, key, '__proto__'),
  'with toString': (holder, key) => withMember(holder, key, 'toString'),
  'with hasOwnProperty': (holder, key) => withMember(holder, key, 'hasOwnProperty'),
  'with constructor': (holder, key) => withMember(holder, key, 'constructor'),
}

/** Another value in the place of the one that is there. */
export function setTo(value: unknown): Change {
  return (holder, key) => put(holder, key, value)
}

/** The paths of everything in a value, the value itself left out. */
export function pathsOf(value: unknown): Path[] {
  if (!isHolder(value)) return []
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [...keys].flatMap((key) => [[key], ...pathsOf(valueAt(value, key)).map((path) => [key, ...path])])
}

/** A copy with one value changed; what is not on the way to it is shared. Undefined where the change cannot be made. */
export function mutate<T extends object>(value: T, path: Path, change: Change): T | undefined {
  const [key, ...rest] = path
  if (key === undefined || !isHolder(value) || !Object.hasOwn(value, key)) return undefined
  if (rest.length === 0) return change(value, key) as T | undefined
  const inner = valueAt(value, key)
  const changed = isHolder(inner) ? mutate(inner, rest, change) : undefined
  return changed === undefined ? undefined : (put(value, key, changed) as T)
}

function put(holder: Holder, key: string | number, value: unknown): Holder {
  if (Array.isArray(holder)) return holder.map((member, index) => (index === key ? value : member))
  return Object.fromEntries(Object.entries(holder).map(([name, member]) => [name, name === key ? value : member]))
}

/** A member of its own whose name means something to JavaScript. */
function withMember(holder: Holder, key: string | number, name: string): Holder | undefined {
  const inner = valueAt(holder, key)
  if (!isHolder(inner) || Array.isArray(inner)) return undefined
  return put(holder, key, Object.fromEntries([...Object.entries(inner), [name, 'x']]))
}

function valueAt(holder: Holder, key: string | number): unknown {
  return (holder as Record<string | number, unknown>)[key]
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null
}
