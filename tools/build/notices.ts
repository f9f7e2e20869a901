/** The licences of what the programs of dist/ are bundled with. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { ROOT } from './bundle.ts'

/** A package of which code stands in a program. */
export interface Bundled {
  readonly name: string
  readonly version: string
  /** Its SPDX expression. */
  readonly license: string
  /** Its folder, from the root. */
  readonly folder: string
  /** The text that its licence asks to be kept. */
  readonly text: string
}

/** What may be bundled into a program under Apache-2.0. */
const ALLOWED = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])
const TEXT = /^(?:licen[cs]e|copying|notice)/i

/** The packages that a bundle has code of, by name. Throws where one has no licence that allows it, or does not say it. */
export function bundledPackages(metafiles: readonly Metafile[]): readonly Bundled[] {
  const folders = new Set(
    metafiles.flatMap(({ outputs }) =>
      Object.values(outputs).flatMap(({ inputs }) =>
        Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
          const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]
          return folder === undefined || bytesInOutput === 0 ? [] : [folder]
        }),
      ),
    ),
  )
  return [...folders].map(readPackage).sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
}

function readPackage(folder: string): Bundled {
  const path = join(ROOT, folder)
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  if (name === undefined || version === undefined || license === undefined || !ALLOWED.has(license))
    throw new Error(`${folder} is bundled, and its licence is ${license}: ${[...ALLOWED].join(', ')} are allowed`)
  const texts = readdirSync(path)
    .filter((file) => TEXT.test(file))
    .sort()
  if (texts.length === 0 && !existsSync(join(path, 'README.md')))
    throw new Error(`${folder} is bundled without the text of its licence`)
  const text = texts.map((file) => readFileSync(join(path, file), 'utf8').trim()).join('\n\n')
  return { name, version, license, folder, text: text === '' ? `SPDX-License-Identifier: ${license}` : text }
}

/** The page of licences: one part for each package. */
export function noticesText(packages: readonly Bundled[]): string {
  const line = '-'.repeat(80)
  const parts = packages.map(
    ({ name, version, license, text }) => `${line}\n${name} ${version} (${license})\n${line}\n\n${text}\n`,
  )
  return `The programs of nodefit, and its playground, contain code of these packages, under their licences.\n\n${parts.join('\n')}`
}
