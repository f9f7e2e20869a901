import { listNames } from '../finding/index.ts'
import { isMap, listOf, memberOf, scalarText } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { FieldChange } from './change.ts'

/**
 * What is no secret: amounts, images, how nodes are chosen, how pods are replaced, and what nodefit itself remembers.
 * Arguments, annotations and variables of others may hold a password, so these are named without their values.
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
/** What nodefit writes into a variable that it computes. */
const AMOUNT = /^[0-9]{1,20}(?:B|[KMG]iB?|m)?$/

/** How many characters of a value are shown. */
const LONG = 40

/**
 * A field that differs between two objects: with its old and new value where they are no secret, else its path alone.
 */
export function fieldText(
  { path, before, after }: FieldChange,
  objects: readonly KubernetesObject[],
  computed: ReadonlySet<string>,
): string {
  const isComputed = isAmount(before) && isAmount(after) && objects.every((object) => isOf(computed, path, object))
  const isShown = isComputed || OPEN.some((pattern) => pattern.test(path))
  return isShown ? `${path} ${valueText(before)} -> ${valueText(after)}` : path
}

/** Whether the path is the value of one of these variables; where others come or go, the same place is another's. */
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

/** Integers that are too long for a number are as they are written. */
function written(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

/** A value in a sentence: as it is written, what is not one word in quotes, `none` for none, shortened at its end. */
function valueText(value: unknown): string {
  if (value === undefined) return 'none'
  const text = typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value, written)
  const characters = [...text]
  return characters.length > LONG ? `${characters.slice(0, LONG - 3).join('')}...` : text
}

const VALUE = /^(spec\.template\.spec\.affinity\..+\.values)\.\d+$/

/** A list of label values that differs: where it is, and what went and came. */
export interface ListChange {
  readonly path: string
  readonly text: string
}

/**
 * The lists of label values by which nodes are chosen, each said once by what left and joined it. They are sorted, so
 * that one value more moves all behind it: place by place nearly all of them differ. The other fields are given back as
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

/** The texts of a list; a key that holds a dot is none of the way to it. */
function at(object: KubernetesObject | undefined, path: string): string[] {
  const list = path.split('.').reduce<unknown>((value, key) => {
    return Array.isArray(value) ? value[Number(key)] : memberOf(value, key)
  }, object)
  return listOf(list).map(scalarText)
}
