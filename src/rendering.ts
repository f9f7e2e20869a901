import type { Subject } from './finding/index.ts'
import type { Item, KubernetesObject } from './krm/types.ts'

/** An object that is rendered, the file it goes to when it is new, and what it is for. */
export interface Rendered {
  readonly object: KubernetesObject
  readonly file: string
  readonly about: string
}

/** What a policy or an Order renders, and what it rendered before. */
export interface Rendering {
  readonly subject: Subject
  readonly enabled: boolean
  /** What it rendered before, in the input or in the earlier output it was given. */
  readonly earlier: readonly Item[]
  readonly objects: readonly Rendered[]
  /** What it renders from, where that is an object of its own. */
  readonly template?: Item
}
