import { KrmError } from '../../../krm/error.ts'
import { plural } from '../../../krm/finding.ts'
import { describe, identityOf } from '../../../krm/identity.ts'
import { asObject } from '../../../krm/read-object.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { KUSTOMIZATION } from '../../files/manifest.ts'
import { objectsIn } from '../../files/objects-in.ts'
import { comparableFile } from './effect-of.ts'
import type { Rendered } from './rendered.ts'

/** Objects that are named; of more the others are counted by kind. */
const MAX_NAMED = 20
/** Objects that the subject of a commit names. */
const MAX_IN_SUBJECT = 2
/** Kinds that grant rights or hold secrets. */
const SENSITIVE = /Role|Secret|ServiceAccount|CertificateSigningRequest|Token/

type Verb = 'added' | 'changed' | 'removed'
type OutputChange = NonNullable<Extract<Rendered, { kind: 'rendered' }>['change']>

/** An object of the packages that enters the output folder, changes there, or leaves it. */
interface AppliedObject {
  readonly verb: Verb
  readonly object: KubernetesObject
}

/** What a commit changes of the applied folder besides rendered objects, as text. */
export interface AppliedChanges {
  /** A few words for the subject of a commit; empty where nothing changes. */
  readonly brief: string
  readonly lines: readonly string[]
}

/** Names the objects without an owner that a change adds, changes and removes, those of sensitive kinds first. */
export function appliedChanges(change: OutputChange | undefined): AppliedChanges {
  const objects = change === undefined ? [] : appliedObjects(change)
  if (objects.length === 0) return { brief: '', lines: [] }
  const sorted = [...objects].sort((left, right) => sortKey(left).localeCompare(sortKey(right), 'en'))
  const sensitive = sorted.filter(isSensitive)
  const isShort = sorted.length <= MAX_NAMED
  const named = isShort ? sorted : sensitive.slice(0, MAX_NAMED)
  const lines = [
    ...named.map(({ verb, object }) => `${verb} ${describe(object)}`),
    ...(isShort ? [] : countLines(sorted.filter((object) => !named.includes(object)))),
  ]
  return {
    brief: briefOf(sorted, sensitive),
    lines: ['Objects of the packages, copied to the output', ...lines.map((line) => `  ${line}`)],
  }
}

function appliedObjects({ write, remove, held }: OutputChange): AppliedObject[] {
  const names = [...write.keys(), ...remove].filter((name) => name !== KUSTOMIZATION)
  return names.flatMap((name) => {
    const [before, after] = [objectsOf(held.get(name), name), objectsOf(write.get(name), name)]
    const isSame = comparableFile(held.get(name) ?? '', name) === comparableFile(write.get(name) ?? '', name)
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((id): AppliedObject[] => {
      const [was, is] = [before.get(id), after.get(id)]
      const object = is ?? was
      if (object === undefined || ownerOf(object) !== undefined || (isSame && was !== undefined)) return []
      return [{ verb: is === undefined ? 'removed' : was === undefined ? 'added' : 'changed', object }]
    })
  })
}

/** The objects of a file by identity; none of a file that somebody broke. */
function objectsOf(text: string | undefined, name: string): Map<string, KubernetesObject> {
  if (text === undefined) return new Map()
  try {
    const objects = objectsIn(text, name).map(({ value }) => asObject(value, name))
    return new Map(objects.map((object) => [identityOf(object), object]))
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    return new Map()
  }
}

const isSensitive = ({ object }: AppliedObject): boolean => SENSITIVE.test(object.kind)

function sortKey(applied: AppliedObject): string {
  const { verb, object } = applied
  return [isSensitive(applied) ? 0 : 1, verb, object.kind, object.metadata.namespace ?? '', object.metadata.name].join(
    ' ',
  )
}

function briefOf(sorted: readonly AppliedObject[], sensitive: readonly AppliedObject[]): string {
  const all = sorted.length <= MAX_IN_SUBJECT ? sorted : sensitive.slice(0, MAX_IN_SUBJECT)
  const named = all.map(({ verb, object }) => `${describe(object)} ${verb}`)
  const rest = sorted.filter((object) => !all.includes(object))
  const counts = (['added', 'changed', 'removed'] as const)
    .map((verb) => [verb, rest.filter((object) => object.verb === verb).length] as const)
    .filter(([, count]) => count > 0)
    .map(([verb, count]) => `${plural(count, named.length > 0 ? 'other object' : 'object')} ${verb}`)
  return [...named, ...counts].join(', ')
}

function countLines(objects: readonly AppliedObject[]): string[] {
  const counts = new Map<string, number>()
  for (const { verb, object } of objects) {
    const key = `${verb} ${object.kind}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([key, count]) => `${key}: ${plural(count, 'object')}`)
}

/**
 * The files of the output folder that differ from what the inputs in Git render to: somebody edited or removed them,
 * given that no input has changed since the output was up to date.
 */
export function undoneEdits(rendered: Rendered): string[] {
  const change = rendered.kind === 'rendered' ? rendered.change : undefined
  if (change === undefined) return []
  const { write, remove, held } = change
  const isOther = (name: string, text: string) => {
    const present = held.get(name)
    return present !== undefined && comparableFile(present, name) !== comparableFile(text, name)
  }
  const isManifest = ([name]: readonly [string, string]) => name !== KUSTOMIZATION
  return [
    ...[...write]
      .filter(isManifest)
      .flatMap(([name, text]) =>
        !held.has(name) ? [`undoes the removal of ${name}`] : isOther(name, text) ? [`undoes an edit of ${name}`] : [],
      ),
    ...remove.map((name) => `undoes the addition of ${name}`),
  ].sort()
}
