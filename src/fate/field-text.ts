import type { FieldChange } from '../krm/difference.ts'
import { listNames } from '../krm/finding/index.ts'
import { isMap, listOf, memberOf, scalarText } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'

/**
 * Fields that hold no secret: amounts, images, node selection, update strategy, and nodefit's own annotations.
 * Arguments and other annotations and variables may hold a password, so they are named without their values.
 */
const OPEN = [
  /^metadata\.annotations\.nodefit\.dev\//,
  /^metadata\.labels\.nodefit\.dev\//,
  /^spec\.(?:replicas|minReadySeconds|revisionHistoryLimit)$/,
  /^spec\.updateStrategy(?:\.|$)/,
  /^spec\.template\.spec\.(?:affinity|nodeSelector|tolerations|resources|overhead|priorityClassName)(?:\.|$)/,
  /^spec\.template\.spec\.(?:containers|initContainers)\.\d+\.(?:image$|resources(?:\.|$))/,
]
const VARIABLE = /^spec\.template\.spec\.(containers|initContainers)\.(\d+)\.env\.(\d+)\.value$/
/** The values that nodefit writes into a variable that it computes. */
const AMOUNT = /^[0-9]{1,20}(?:B|[KMG]iB?|m)?$/

/** How many characters of a value are shown, and how many of them before the first that differs. */
const LONG = 40
const CONTEXT = 14
const ELLIPSIS = '...'

/**
 * Formats a field that differs between two objects: with its old and new value where they are no secret, else only its
 * path.
 */
export function fieldText(
  { path, before, after }: FieldChange,
  objects: readonly KubernetesObject[],
  computed: ReadonlySet<string>,
): string {
  const isComputed = isAmount(before) && isAmount(after) && objects.every((object) => isOf(computed, path, object))
  const isShown = isComputed || OPEN.some((pattern) => pattern.test(path))
  return isShown ? `${path} ${valuesText(valueText(before), valueText(after))}` : path
}

/**
 * Whether the path is the value of one of these variables; where variables are added or removed, an index may be that
 * of another.
 */
function isOf(names: ReadonlySet<string>, path: string, { spec }: KubernetesObject): boolean {
  const [, list = '', container = '', variable = ''] = VARIABLE.exec(path) ?? []
  if (variable === '') return false
  const way = ['template', 'spec', list, container, 'env', variable, 'name']
  const name = way.reduce<unknown>((value, key) => (isContainer(value) ? value[key] : undefined), spec)
  return names.has(String(name))
}

function isAmount(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && AMOUNT.test(value))
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return isMap(value) || Array.isArray(value)
}

/** Returns integers that are too long for a number as they are written. */
function written(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

/** Formats a value for a sentence: as written, in quotes if it is not one word, `none` for undefined. */
function valueText(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value, written)
}

/** Formats two different values, long ones shortened so that both show where they begin to differ. */
function valuesText(before: string, after: string): string {
  const [left, right] = [[...before], [...after]]
  if (left.length <= LONG && right.length <= LONG) return `${before} -> ${after}`
  const first = left.findIndex((character, index) => character !== right[index])
  const same = first === -1 ? left.length : first
  const from = same > LONG - ELLIPSIS.length - CONTEXT ? same - CONTEXT : 0
  return `${excerpt(left, from)} -> ${excerpt(right, from)}`
}

/** Returns at most `LONG` characters from an index on, with an ellipsis in place of what is left out. */
function excerpt(characters: readonly string[], from: number): string {
  if (from === 0 && characters.length <= LONG) return characters.join('')
  const start = from === 0 ? '' : ELLIPSIS
  const room = LONG - start.length
  const rest = characters.slice(from)
  return `${start}${rest.length <= room ? rest.join('') : `${rest.slice(0, room - ELLIPSIS.length).join('')}${ELLIPSIS}`}`
}

const VALUE = /^(spec\.template\.spec\.affinity\..+\.values)\.\d+$/

/** A list of label values that differs: its path, and the values that were removed and added. */
export interface ListChange {
  readonly path: string
  readonly text: string
}

/**
 * Combines the lists of label values in node selections into one change each, by the values removed and added. The
 * lists are sorted, so one more value moves all after it, and most indexes would differ. Returns the other fields as
 * they are.
 */
export function takeValueLists(
  fields: readonly FieldChange[],
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): { lists: ListChange[]; others: FieldChange[] } {
  const listed = (field: FieldChange) => VALUE.exec(field.path)?.[1]
  const paths = new Set(fields.flatMap((field) => listed(field) ?? []))
  const lists = [...paths].map((path) => ({ path, text: `${path} ${changeText(at(before, path), at(after, path))}` }))
  return { lists, others: fields.filter((field) => listed(field) === undefined) }
}

function changeText(before: readonly string[], after: readonly string[]): string {
  const lost = before.filter((value) => !after.includes(value))
  const gained = after.filter((value) => !before.includes(value))
  const said = [
    ...(lost.length === 0 ? [] : [`without ${listNames(lost)}`]),
    ...(gained.length === 0 ? [] : [`with ${listNames(gained)}`]),
  ]
  return said.length === 0 ? 'in another order' : said.join(', ')
}

/** Returns the strings of a list; a path through a key that contains a dot finds none. */
function at(object: KubernetesObject | undefined, path: string): string[] {
  const list = path.split('.').reduce<unknown>((value, key) => {
    return Array.isArray(value) ? value[Number(key)] : memberOf(value, key)
  }, object)
  return listOf(list).map(scalarText)
}
