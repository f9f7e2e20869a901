/** Writes the playground to docs/playground/index.html. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build/bundle.ts'
import { playgroundPage } from './build/playground.ts'

const folder = join(ROOT, 'docs/playground')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'index.html'), await playgroundPage())
