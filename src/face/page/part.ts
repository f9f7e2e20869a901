/** A value of a JSON document, with its path in it as a JSON pointer (RFC 6901). */
export class Part<T> {
  readonly value: T
  readonly path: string

  constructor(value: T, path: string) {
    this.value = value
    this.path = path
  }

  /** Returns a member of an object; undefined where it is absent. */
  at<K extends keyof T & string>(key: K): Part<NonNullable<T[K]>> | undefined {
    const member = this.value[key]
    return member === undefined || member === null ? undefined : new Part(member, `${this.path}/${key}`)
  }

  /** Returns the entries of a member that is a list. */
  all<K extends keyof T & string>(key: K): Array<Part<Entry<T[K]>>> {
    const list: unknown = this.value[key]
    if (!Array.isArray(list)) return []
    return list.map((one, index) => new Part(one as Entry<T[K]>, `${this.path}/${key}/${index}`))
  }
}

type Entry<List> = NonNullable<List> extends ReadonlyArray<infer One> ? One : never
