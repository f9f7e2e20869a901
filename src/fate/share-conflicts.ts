import type { Planned, Share } from '../core/index.ts'
import { isNodeSource } from '../facts/inventory/index.ts'
import type { Finding } from '../krm/finding/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { isDeepEqual } from '../krm/map.ts'
import { FIELDS_OWNER, ownerOf, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'
import { isShareable, overlaps, setProblem, valueAt } from './field-owners.ts'

/** A share with the subject that requests it, and the owner under which it is listed. */
export interface Asked extends Share {
  readonly by: Planned
  readonly owner: string
}

/** A field that an object lists, whose owner's value this run keeps. */
export interface Kept {
  readonly path: readonly string[]
  readonly owner: string
}

/** What else a run makes of the objects whose fields are shared. */
export interface Makers {
  /** By the identity of a rendered object, whom it is rendered for. */
  readonly rendering: ReadonlyMap<string, Planned>
  /** By template or Order, who renders from it. */
  readonly using: ReadonlyMap<Item, Planned>
}

/** Returns who renders, or renders from, which objects; of several the first. */
export function makersOf(planned: readonly Planned[]): Makers {
  const rendering = new Map<string, Planned>()
  const using = new Map<Item, Planned>()
  for (const one of planned.toReversed()) {
    for (const { object } of one.objects) rendering.set(identityOf(object), one)
    if (one.source !== undefined && one.source !== one.subject) using.set(one.source, one)
  }
  return { rendering, using }
}

/** Explains why the shares of an object cannot be written; undefined where they can be. */
export function shareProblem(
  shares: readonly Asked[],
  kept: readonly Kept[],
  items: readonly Item[],
  makers: Makers,
): Finding | undefined {
  const [first] = shares
  if (first === undefined) return undefined
  const [item, another] = items
  const name = `${first.target.kind} ${first.target.namespace === undefined ? '' : `${first.target.namespace}/`}${first.target.name}`
  const refuse = ({ by, path }: Asked, problem: string) => {
    const subject = by.subject.object
    const sentence = `${subject.metadata.name} cannot write ${path.join('.')} of ${name}: ${problem}`
    return finding('FieldConflict', sentence, { subject, field: { path: path.join('.') } })
  }
  if (another !== undefined) return refuse(first, 'the package holds it twice')
  const object = problemOfObject(first.target, item, makers)
  if (object !== undefined) return refuse(first, object)
  const seen: Asked[] = []
  for (const share of shares) {
    if (!isShareable(share.path)) return refuse(share, 'it says which object it is, or holds what says so')
    const other = seen.find((one) => meets(one, share))
    if (other !== undefined)
      return refuse(share, `${other.by.subject.object.metadata.name} writes another value to ${other.path.join('.')}`)
    const mine = kept.find((one) => meets({ ...one, value: item && valueAt(item.object, one.path) }, share))
    if (mine !== undefined) return refuse(share, `${mine.owner} keeps another value in ${mine.path.join('.')}`)
    const way = item && setProblem(item.object, share.path)
    if (way !== undefined) return refuse(share, way)
    seen.push(share)
  }
  return undefined
}

/** Explains why no field of an object can be shared; undefined where fields can be. */
function problemOfObject(
  target: Share['target'],
  item: Item | undefined,
  { rendering, using }: Makers,
): string | undefined {
  const { apiVersion, kind, name, namespace } = target
  const identity = identityOf({
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  })
  const maker = rendering.get(identity)
  if (maker !== undefined) return `it is rendered for ${describe(maker.subject.object)}`
  if (item === undefined) return undefined
  const owner = ownerOf(item.object)
  if (owner !== undefined && owner !== FIELDS_OWNER) return `it is rendered for ${owner}`
  if (item.opaque !== undefined) return 'it holds YAML that nodefit does not read'
  const user = using.get(item)
  if (user !== undefined) return `${describe(user.subject.object)} renders from it`
  return isNode(item.object) ? 'it is read as a node of the inventory' : undefined
}

/** Whether an object is a v1 Node of the input, not one that was rendered, be it released since. */
function isNode(object: KubernetesObject): boolean {
  return object.kind === 'Node' && rendererOf(object) === undefined && isNodeSource(object)
}

/** Whether two fields cannot both be written: the same field with two values, or one inside the other. */
function meets(left: Pick<Share, 'path' | 'value'>, right: Pick<Share, 'path' | 'value'>): boolean {
  if (!overlaps(left.path, right.path)) return false
  return left.path.length !== right.path.length || !isDeepEqual(left.value, right.value)
}
