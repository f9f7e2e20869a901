import type * as pages from '../../face/page/index.ts'
import { loadPart } from './part.ts'

/** Loads what writes pages: a separate file, since other commands do not need it. */
export function loadPages(): typeof pages {
  return loadPart('page')
}
