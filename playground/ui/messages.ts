import type { Texts } from '../engine/boxes.ts'
import type { Shortened } from '../engine/inventory.ts'
import type { Rendering, Request } from '../engine/render.ts'

/** What the page asks the worker. */
export type Question =
  | { readonly id: number; readonly about: 'render'; readonly request: Request }
  | { readonly id: number; readonly about: 'shorten'; readonly texts: Texts; readonly labels: readonly string[] }

/** What the worker answers. */
export type Answer =
  | { readonly id: number; readonly rendering: Rendering; readonly milliseconds: number }
  | { readonly id: number; readonly shortened: Shortened }
  | { readonly id: number; readonly fault: string }
