import inventory from '../../fn-config/node-inventory.schema.json' with { type: 'json' }
import order from '../../fn-config/order.schema.json' with { type: 'json' }
import pool from '../../fn-config/pool-policy.schema.json' with { type: 'json' }
import config from '../../fn-config/render-config.schema.json' with { type: 'json' }
import policy from '../../fn-config/sizing-policy.schema.json' with { type: 'json' }

/** A JSON Schema, as far as completion reads it. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly definitions?: Readonly<Record<string, Schema>>
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** What may be written at a place. */
export interface Suggestion {
  readonly label: string
  /** What is written for it. */
  readonly text: string
  readonly detail: string
  readonly description: string
}

const SCHEMAS = {
  SizingPolicy: policy,
  RenderConfig: config,
  NodeInventory: inventory,
  PoolPolicy: pool,
  Order: order,
} as unknown as Readonly<Record<string, Schema>>

/** The keys that may stand below a path of an object of a kind. */
export function keysAt(kind: string, path: readonly string[], column: number): Suggestion[] {
  return nodesAt(kind, path).flatMap(({ node, root }) =>
    Object.entries(node.properties ?? {}).map(([key, one]) => {
      const resolved = variants(one, root)
      const isBlock = resolved.some(({ properties, additionalProperties }) => properties ?? additionalProperties)
      const isList = resolved.some(({ items }) => items !== undefined)
      const indent = `\n${' '.repeat(column + 2)}`
      const end = isBlock && !isList ? indent : isList ? `${indent}- ` : ' '
      return { label: key, text: `${key}:${end}`, detail: detailOf(resolved), description: descriptionOf(resolved) }
    }),
  )
}

/** The values that a field may have, or has in examples. */
export function valuesAt(kind: string, path: readonly string[]): Suggestion[] {
  const nodes = nodesAt(kind, path).map(({ node }) => node)
  const values = nodes.flatMap((node) => {
    const fixed = node.enum ?? (node.type === 'boolean' ? [true, false] : [])
    return [...fixed, ...(node.default === undefined ? [] : [node.default]), ...(node.examples ?? [])]
  })
  const texts = values.flatMap((one) => (typeof one === 'object' ? [] : [String(one)]))
  const usual = nodes.flatMap((node) => (node.default === undefined ? [] : [String(node.default)]))
  return [...new Set(texts)].map((text) => ({
    label: text,
    text,
    detail: usual.includes(text) ? 'default' : '',
    description: descriptionOf(nodes),
  }))
}

/** What a field is, in words; undefined for one that the schema does not know. */
export function aboutField(kind: string, path: readonly string[]): { title: string; text: string } | undefined {
  const nodes = nodesAt(kind, path).map(({ node }) => node)
  if (nodes.length === 0 || path.length === 0) return undefined
  const detail = detailOf(nodes)
  return { title: `${path.at(-1)}${detail === '' ? '' : ` (${detail})`}`, text: descriptionOf(nodes) }
}

interface Found {
  readonly node: Schema
  readonly root: Schema
}

function nodesAt(kind: string, path: readonly string[]): Found[] {
  if (!Object.hasOwn(SCHEMAS, kind)) return []
  const root = SCHEMAS[kind] ?? {}
  let nodes = variants(root, root)
  for (const key of path)
    nodes = nodes.flatMap((node) => {
      const next = key === '[]' ? node.items : memberOf(node, key)
      return next === undefined ? [] : variants(next, root)
    })
  return nodes.map((node) => ({ node, root }))
}

function memberOf({ properties, additionalProperties }: Schema, key: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** A schema with what it refers to, and each that it may be instead. */
function variants(schema: Schema, root: Schema): Schema[] {
  const { $ref, oneOf = [], anyOf = [], allOf = [] } = schema
  const target = $ref === undefined ? undefined : root.definitions?.[$ref.replace('#/definitions/', '')]
  const others = [...(target === undefined ? [] : [target]), ...oneOf, ...anyOf, ...allOf]
  return [schema, ...others.flatMap((one) => variants(one, root))]
}

function detailOf(nodes: readonly Schema[]): string {
  const types = [...new Set(nodes.flatMap(({ type }) => type ?? []))].filter((type) => type !== 'null')
  const usual = nodes.find((node) => node.default !== undefined && typeof node.default !== 'object')
  return [types.join(' or '), usual === undefined ? '' : `default ${String(usual.default)}`].filter(Boolean).join(', ')
}

function descriptionOf(nodes: readonly Schema[]): string {
  return nodes.find(({ description }) => description !== undefined)?.description ?? ''
}
