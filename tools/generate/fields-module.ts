import { type Schema, visitFields } from './schemas.ts'

/** Of what the controller alone reads: the known fields and the alternatives of each place, and the defaults. */
export function syncFieldsModule({ SyncConfig }: { SyncConfig: Schema }): string {
  const { known, oneOf } = placesOf(SyncConfig)
  const spec = SyncConfig.properties?.spec
  return [
    '/** Generated from fn-config/ by npm run generate. Do not edit. */\n',
    `export const SYNC_CONFIG_DEFAULTS = ${print(defaultsOf(spec, 'default'))} as const\n`,
    `export const SYNC_CONFIG_FIELDS: Record<string, readonly string[]> = ${print(known)}\n`,
    `export const SYNC_CONFIG_ONE_OF: Record<string, readonly string[]> = ${print(oneOf)}\n`,
  ].join('\n')
}

/** Of what `nodefit test` alone reads: the known fields and the alternatives of each place. */
export function testFieldsModule({ NodefitTest }: { NodefitTest: Schema }): string {
  const { known, oneOf } = placesOf(NodefitTest)
  return [
    '/** Generated from fn-config/ by npm run generate. Do not edit. */\n',
    `export const NODEFIT_TEST_FIELDS: Record<string, readonly string[]> = ${print(known)}\n`,
    `export const NODEFIT_TEST_ONE_OF: Record<string, readonly string[]> = ${print(oneOf)}\n`,
  ].join('\n')
}

/** Defaults, flat keys, unbuilt fields, and of each place the known fields and those of which one excludes the others, as data. */
export function fieldsModule(schemas: Record<string, Schema>): string {
  const parts = [
    '/** Generated from fn-config/ by npm run generate. Do not edit. */\n',
    `import type { Kind } from './types.ts'\n`,
  ]
  const flat: Record<string, { path: string; type: string }> = {}
  const unbuilt: Record<string, string[]> = {}
  const known: Record<string, Record<string, string[]>> = {}
  const alternatives: Record<string, Record<string, string[]>> = {}
  for (const [kind, root] of Object.entries(schemas)) {
    const notBuilt: string[] = []
    visitFields(root, (path, field) => {
      if (field['x-not-built']) notBuilt.push(path)
      if (field['x-flat'] !== undefined) flat[field['x-flat']] = { path, type: flatType(field) }
    })
    const places = placesOf(root)
    unbuilt[kind] = notBuilt
    known[kind] = places.known
    alternatives[kind] = places.oneOf
  }
  const specOf = (kind: string) => schemas[kind]?.properties?.spec
  const spec = specOf('SizingPolicy')
  parts.push(`export const SIZING_POLICY_DEFAULTS = ${print(defaultsOf(spec, 'default'))} as const\n`)
  parts.push(`export const CONFIG_MAP_DEFAULTS = ${print(defaultsOf(spec, 'x-default-config-map'))} as const\n`)
  parts.push(`export const RENDER_CONFIG_DEFAULTS = ${print(defaultsOf(specOf('RenderConfig'), 'default'))} as const\n`)
  parts.push(`export const ORDER_DEFAULTS = ${print(defaultsOf(specOf('Order'), 'default'))} as const\n`)
  parts.push(`export const POOL_POLICY_DEFAULTS = ${print(defaultsOf(specOf('PoolPolicy'), 'default'))} as const\n`)
  parts.push(
    `export const NODE_SMITH_POOL_DEFAULTS = ${print(defaultsOf(specOf('NodeSmithPool'), 'default'))} as const\n`,
  )
  parts.push(`export const ACTION_TRUST_DEFAULTS = ${print(defaultsOf(specOf('ActionTrust'), 'default'))} as const\n`)
  parts.push(`export const ACTION_POLICY_DEFAULTS = ${print(defaultsOf(specOf('ActionPolicy'), 'default'))} as const\n`)
  parts.push(`export const FLAT_KEYS: Record<string, { path: string; type: string }> = ${print(flat)}\n`)
  parts.push(`export const NOT_BUILT: Record<Kind, readonly string[]> = ${print(unbuilt)}\n`)
  parts.push(`export const NO_EFFECT: Record<string, string> = ${print(withoutEffect(spec))}\n`)
  parts.push(`export const KNOWN_FIELDS: Record<Kind, Record<string, readonly string[]>> = ${print(known)}\n`)
  parts.push(`export const OWN_KINDS: readonly Kind[] = ${print(ownKinds(schemas))}\n`)
  parts.push(`export const ONE_OF: Record<Kind, Record<string, readonly string[]>> = ${print(alternatives)}\n`)
  return parts.join('\n')
}

/** Of each place of a schema the fields it knows, and those of which exactly one is given. */
function placesOf(root: Schema): { known: Record<string, string[]>; oneOf: Record<string, string[]> } {
  const known: Record<string, string[]> = {}
  const oneOf: Record<string, string[]> = {}
  visitFields(root, (path, field) => {
    const dot = path.lastIndexOf('.')
    const parent = dot < 0 ? '' : path.slice(0, dot)
    known[parent] = [...(known[parent] ?? []), path.slice(dot + 1)]
    const choices = field.items?.oneOf
    if (choices !== undefined) oneOf[`${path}[]`] = choices.flatMap(({ required }) => required)
  })
  return { known, oneOf }
}

function flatType(field: Schema): string {
  if (field.$ref?.endsWith('percentage')) return 'percentage'
  if (field.items?.properties?.share !== undefined) return 'shares'
  return field.type === 'boolean' ? 'boolean' : 'string'
}

/** The defaults of built fields, nested as they are written; lists have none. Those of a map's fields fill its own default. */
function defaultsOf(schema: Schema | undefined, keyword: 'default' | 'x-default-config-map'): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    if (field['x-not-built']) continue
    const inner = defaultsOf(field, keyword)
    const own = field[keyword]
    if (own === undefined && Object.keys(inner).length === 0) continue
    result[name] = own === undefined || isMap(own) ? { ...inner, ...own } : own
  }
  return result
}

/** The kinds whose schema is of our own group. */
function ownKinds(schemas: Record<string, Schema>): string[] {
  const isOwn = ({ properties }: Schema) => String(properties?.apiVersion?.enum?.[0]).startsWith('nodefit.dev/')
  return Object.keys(schemas).filter((kind) => isOwn(schemas[kind] ?? {}))
}

/** The fields that change nothing, with the reason. */
function withoutEffect(spec: Schema | undefined): Record<string, string> {
  const entries = Object.entries(spec?.properties ?? {})
  return Object.fromEntries(
    entries.flatMap(([name, { 'x-no-effect': why }]) => (why === undefined ? [] : [[name, why]])),
  )
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As JSON, with a list of texts on one line: a field that is new is then one line of the diff. */
function print(value: unknown, indent = ''): string {
  const isList = Array.isArray(value)
  if (!isList && !isMap(value)) return JSON.stringify(value)
  if (isList && value.every((one) => typeof one === 'string')) return `[${value.map((one) => print(one)).join(', ')}]`
  const inner = `${indent}  `
  const lines = Object.entries(value).map(
    ([name, one]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${print(one, inner)}`,
  )
  const [open, close] = isList ? '[]' : '{}'
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${indent}${close}`
}
