import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Trust } from '../../../core/index.ts'
import { plural } from '../../../krm/finding.ts'
import { isTime } from '../../../kube/index.ts'
import { type OutputFolder, readOutputFolder } from '../../files/output-folder.ts'
import { inputDigest, outputDigest } from './effect-of.ts'
import { readOwnedFolder, repositoryPath } from './owned-folder.ts'
import { type Rendered, renderWith } from './rendered.ts'
import type { Trailers } from './trailers.ts'

/** The files of a commit. */
export interface ReplayInput {
  readonly trailers: Trailers
  /** A folder with the files of the commit, and the output of its parent. */
  readonly inputs: string
  /** A folder with the output of the commit. */
  readonly outputs: string
  /** Says whom the controller trusted to act. */
  readonly trust?: () => Trust | undefined
  /** The version of nodefit that renders now. */
  readonly version: string
}

/** The result of rendering a commit again. */
export interface Replay {
  readonly isSame: boolean
  /** The result, or the differences, one a line. */
  readonly lines: readonly string[]
}

/**
 * Renders a commit of nodefit sync again, and compares the result byte for byte. Throws `UserError` for an invalid
 * repository.
 */
export function replay({ trailers, inputs, outputs, trust, version }: ReplayInput): Replay {
  const { cluster, folder, packages, output, allow } = trailers
  const source = {
    root: realpathSync(inputs),
    folder: repositoryPath(folder),
    packages: packages.map(repositoryPath),
    output: output === undefined ? undefined : repositoryPath(output),
    allow: allow ?? [],
    trust,
  }
  const owned = readOwnedFolder(source.root, { cluster, folder: source.folder, output: source.output })
  // before the trailer had it, the inventory was of the time of the commit
  const time = trailers.time ?? owned.observedAt
  const clock = isTime(String(time ?? '')) ? { clock: new Date(time ?? 0) } : {}
  const rendered = renderWith({ ...source, ...clock }, owned.files)
  const differences = [
    ...(inputDigest(rendered.items, rendered.earlier) === trailers.inputDigest
      ? []
      : ['the inputs differ from those that were rendered: the commit was amended or rebased']),
    ...outputDifferences(rendered, trailers),
    ...(source.output === undefined ? [] : fileDifferences(rendered, source.output, source.root, outputs)),
  ]
  if (differences.length === 0) return { isSame: true, lines: [sameResult(rendered, trailers)] }
  const versions =
    version === trailers.version
      ? []
      : [`nodefit ${trailers.version} made the commit, and this is nodefit ${version}: replay it with that version`]
  return { isSame: false, lines: [...differences, ...versions] }
}

function sameResult(rendered: Rendered, { cluster }: Trailers): string {
  if (rendered.kind === 'failed') return `${cluster}: the render fails now as it did then: ${rendered.sentence}`
  if (rendered.kind === 'nothing') return `${cluster}: there is no policy to render, now and then`
  return `${cluster}: the same ${plural(rendered.manifests.length, 'object')}, byte for byte`
}

function outputDifferences(rendered: Rendered, { outputDigest: committed }: Trailers): string[] {
  if (rendered.kind !== 'rendered') {
    const why = rendered.kind === 'failed' ? `the render fails: ${rendered.sentence}` : 'there is no policy to render'
    return committed === undefined ? [] : [`${why}; the commit has rendered output`]
  }
  if (committed === undefined) return ['manifests are rendered now, but not in the commit']
  return outputDigest(rendered.manifests) === committed
    ? []
    : ['the rendered manifests differ from those of the commit']
}

/** The files of the output that would be written differently now. */
function fileDifferences(rendered: Rendered, output: string, inputs: string, outputs: string): string[] {
  const earlier = readOutputFolder(join(inputs, output)).files
  const committed = readOutputFolder(join(outputs, output)).files
  const rerendered = withChange(earlier, rendered.kind === 'rendered' ? rendered.change : undefined)
  return [...new Set([...rerendered.keys(), ...committed.keys()])].sort().flatMap((name) => {
    const [now, then] = [rerendered.get(name), committed.get(name)]
    if (now === then) return []
    return [
      `${output}/${name} ${then === undefined ? 'is not in the commit' : now === undefined ? 'is not rendered now' : 'differs'}`,
    ]
  })
}

type Change = Extract<Rendered, { kind: 'rendered' }>['change']

function withChange(present: OutputFolder['files'], change: Change): Map<string, string> {
  const files = new Map([...present, ...(change?.write ?? [])])
  for (const name of change?.remove ?? []) files.delete(name)
  return files
}
