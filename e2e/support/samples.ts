import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { filesOf, ROOT } from './hosts.ts'
import { objectsOf } from './objects.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any
export type Files = Readonly<Record<string, string>>

/** The inputs of one render, and what must come of it on every host. */
export interface SampleStep {
  readonly source: Files
  /** What kpt leaves in the package. */
  readonly expected: Files
  /** What of that is applied, in the order of the files. */
  readonly applied: readonly Any[]
  /** Codes of the errors where the render must fail. */
  readonly errors: readonly string[]
}

/** A golden package that every host can render, with the steps in which only its inputs change. */
export interface Sample {
  readonly name: string
  /** Flat keys, where there is no policy. */
  readonly flat: readonly string[]
  readonly steps: readonly SampleStep[]
}

const AREAS = ['golden', 'kubescape', 'reservation']
const OWNER = 'nodefit.dev/owner'
const LOCAL = 'config.kubernetes.io/local-config'

/**
 * The golden packages that are no affair of kpt alone: one package, whose pipeline is the function and nothing else. Their steps end
 * where one changes or removes a file that was rendered, since not every host has such a file.
 */
export function samples(): Sample[] {
  return all().filter(isForAll)
}

/** The names of the others. */
export function leftOut(): string[] {
  return all()
    .filter((sample) => !isForAll(sample))
    .map(({ name }) => name)
}

function all(): Sample[] {
  const names = AREAS.flatMap((area) =>
    readdirSync(join(ROOT, 'testdata', area))
      .sort()
      .map((name) => `${area}/${name}`),
  )
  return names.map(sampleOf)
}

const isForAll = ({ steps: [first] }: Sample) => first !== undefined && isPlain(first.source)

function sampleOf(name: string): Sample {
  const golden = join(ROOT, 'testdata', name)
  const { package: folder = 'package', steps = [{}] } = JSON.parse(readFileSync(join(golden, 'case.json'), 'utf8'))
  const [{ args = [] }] = steps
  let source: Files = filesOf(join(golden, folder))
  const read: SampleStep[] = []
  for (const [index, { overlay, remove = [], exit, args: own = args }] of (steps as Any[]).entries()) {
    const over = overlay === undefined ? {} : filesOf(join(golden, overlay))
    const isOfInputs =
      remove.every((path: string) => path in source) && !Object.values(over).some((text) => text.includes(OWNER))
    if (!isOfInputs || own !== args) break
    source = Object.fromEntries(Object.entries({ ...source, ...over }).filter(([path]) => !remove.includes(path)))
    const expected = filesOf(join(golden, `expected-${index + 1}`))
    const results = readFileSync(join(golden, `results-${index + 1}.txt`), 'utf8')
    const errors = [...results.matchAll(/^error (\w+):/gm)].map(([, code]) => code ?? '')
    if (Boolean(exit) !== errors.length > 0) throw new Error(`${name}: step ${index + 1} fails without an error`)
    read.push({ source, expected, applied: exit ? [] : appliedOf(expected), errors })
  }
  return { name, flat: args.filter((arg: string) => arg !== '--'), steps: read }
}

/** What a tool applies of a package's files: not the inputs, and not what is the host's own. */
export function appliedOf(files: Files): Any[] {
  return Object.entries(files)
    .filter(([path]) => !/(^|\/)(Kptfile|kustomization\.yaml)$/.test(path))
    .flatMap(([, text]) => objectsOf(text, '1.1'))
    .filter(({ metadata }) => metadata.annotations?.[LOCAL] !== 'true')
}

function isPlain(source: Files): boolean {
  const kptfiles = Object.keys(source).filter((path) => /(^|\/)Kptfile$/.test(path))
  if (kptfiles.length > 1) return false
  const [path] = kptfiles
  if (path === undefined) return true
  const { mutators = [] } = parse(source[path] ?? '').pipeline ?? {}
  return JSON.stringify(mutators) === JSON.stringify([{ exec: 'nodefit-fn' }])
}
