import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type OutputFolder, readOutputFolder } from '../../files/output-folder.ts'
import { plural } from '../../finding/index.ts'
import { inputDigest, outputDigest } from './digests.ts'
import { readOwned, repositoryPath } from './owned-folder.ts'
import { type Rendered, renderedWith } from './rendered.ts'
import type { Trailers } from './trailers.ts'

/** A commit as folders. */
export interface ReplayInput {
  readonly trailers: Trailers
  /** A folder with the files of the commit, but for the output: that is the parent's. */
  readonly inputs: string
  /** A folder with the output of the commit. */
  readonly outputs: string
  /** The version of nodefit that renders now. */
  readonly version: string
}

/** What came of rendering a commit again. */
export interface Replay {
  readonly isSame: boolean
  /** What was found, and where it is another than the commit has it. */
  readonly lines: readonly string[]
}

/** Renders a commit of nodefit sync again, and holds the result against what it has, byte for byte. Throws `UserError` where that cannot be done. */
export function replay({ trailers, inputs, outputs, version }: ReplayInput): Replay {
  const { cluster, folder, packages, output } = trailers
  const source = {
    root: realpathSync(inputs),
    folder: repositoryPath(folder),
    packages: packages.map(repositoryPath),
    output: output === undefined ? undefined : repositoryPath(output),
  }
  const { files } = readOwned(source.root, { cluster, folder: source.folder, output: source.output })
  const rendered = renderedWith(source, files)
  const differences = [
    ...(inputDigest(rendered.items, rendered.earlier) === trailers.inputDigest
      ? []
      : [
          'the inputs are not those that were rendered: the commit was changed, or is not on top of the one it was made for',
        ]),
    ...outcomeDifferences(rendered, trailers),
    ...(source.output === undefined ? [] : fileDifferences(rendered, source.output, source.root, outputs)),
  ]
  if (differences.length === 0) return { isSame: true, lines: [sameText(rendered, trailers)] }
  const other =
    version === trailers.version ? [] : [`it was made by nodefit ${trailers.version}, and this is ${version}`]
  return { isSame: false, lines: [...differences, ...other] }
}

function sameText(rendered: Rendered, { cluster }: Trailers): string {
  if (rendered.kind === 'failed') return `${cluster}: rendering fails now as it did then: ${rendered.sentence}`
  if (rendered.kind === 'nothing') return `${cluster}: there is nothing to render, as there was not then`
  return `${cluster}: the same ${plural(rendered.manifests.length, 'object')}, byte for byte`
}

function outcomeDifferences(rendered: Rendered, { outputDigest: wanted }: Trailers): string[] {
  if (rendered.kind !== 'rendered') {
    const why = rendered.kind === 'failed' ? `rendering fails: ${rendered.sentence}` : 'there is nothing to render'
    return wanted === undefined ? [] : [`${why}, and it did not then`]
  }
  if (wanted === undefined) return ['something is rendered now, and nothing was then']
  return outputDigest(rendered.manifests) === wanted ? [] : ['what is rendered is not what was']
}

/** The files of the output that are not as they would be written now. */
function fileDifferences(rendered: Rendered, output: string, inputs: string, outputs: string): string[] {
  const earlier = readOutputFolder(join(inputs, output)).files
  const committed = readOutputFolder(join(outputs, output)).files
  const made = withChange(earlier, rendered.kind === 'rendered' ? rendered.change : undefined)
  return [...new Set([...made.keys(), ...committed.keys()])].sort().flatMap((name) => {
    const [is, was] = [made.get(name), committed.get(name)]
    if (is === was) return []
    return [
      `${output}/${name} ${was === undefined ? 'is not in the commit' : is === undefined ? 'is not rendered now' : 'differs'}`,
    ]
  })
}

type Change = Extract<Rendered, { kind: 'rendered' }>['change']

function withChange(present: OutputFolder['files'], change: Change): Map<string, string> {
  const files = new Map([...present, ...(change?.write ?? [])])
  for (const name of change?.remove ?? []) files.delete(name)
  return files
}
