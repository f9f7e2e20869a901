import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as pages from '../page/index.ts'

/** Loads what writes pages: a separate file, since other commands do not need it. */
export function loadPages(): typeof pages {
  const load = createRequire(realpathSync(process.argv[1] ?? ''))
  return load('./page.cjs') as typeof pages
}
