import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { ROOT } from '../build/bundle.ts'
import { goldenPackages } from './golden-packages.ts'
import { type Rendered, renderText, resourceListText } from './rendered.ts'

const FOLDER = join(ROOT, 'testdata/released')
const ENDING = '.json.gz'

/** A package as a release rendered it, with its input: a later edit of testdata/golden hides nothing. */
export interface ReleasedPackage extends Rendered {
  readonly input: string
}

export type ReleasedPackages = Readonly<Record<string, ReleasedPackage>>

/** The golden packages as the last release rendered them, from the one file of testdata/released. */
export function readReleased(): { readonly version: string; readonly packages: ReleasedPackages } {
  const [file, ...others] = readdirSync(FOLDER).filter((name) => name.endsWith(ENDING))
  if (file === undefined || others.length > 0) throw new Error(`${FOLDER} must have the file of one release`)
  const packages = JSON.parse(gunzipSync(readFileSync(join(FOLDER, file))).toString('utf8'))
  return { version: file.slice(0, -ENDING.length), packages }
}

/** Replaces the file of testdata/released by what the sources render now. */
export function writeReleased(version: string): void {
  const packages: ReleasedPackages = Object.fromEntries(
    goldenPackages().map(({ name, files }) => {
      const input = resourceListText(files)
      return [name, { input, ...renderText(input) }]
    }),
  )
  for (const file of readdirSync(FOLDER)) rmSync(join(FOLDER, file))
  writeFileSync(join(FOLDER, `${version}${ENDING}`), gzipSync(JSON.stringify(packages), { level: 9 }))
}

/** A package that is rendered to other bytes than by the release, or stops at other errors. */
export interface Difference {
  readonly name: string
  /** What was rendered: the package as its user wrote it, or the output of the release, which a host that keeps files gives back. */
  readonly of: 'input' | 'output'
  readonly before: Rendered
  readonly now: Rendered
}

/** The first difference of each package. */
export function differences(packages: ReleasedPackages): Difference[] {
  return Object.entries(packages).flatMap(([name, { input, ...before }]): Difference[] => {
    const now = renderText(input)
    if (!isSame(before, now)) return [{ name, of: 'input', before, now }]
    if (now.errors.length > 0) return []
    const again = renderText(now.output)
    return isSame(before, again) ? [] : [{ name, of: 'output', before, now: again }]
  })
}

const isSame = (a: Rendered, b: Rendered) => a.output === b.output && a.errors.join() === b.errors.join()
