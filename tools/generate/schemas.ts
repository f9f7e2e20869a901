import { readFileSync } from 'node:fs'

/** A JSON Schema, as far as the generators look into it. */
export interface Schema {
  title?: string
  description?: string
  type?: string | string[]
  enum?: unknown[]
  default?: unknown
  pattern?: string
  examples?: unknown[]
  required?: string[]
  /** Alternatives of which exactly one holds; each requires a field of its own. */
  oneOf?: Array<{ required: string[] }>
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  definitions?: Record<string, Schema>
  $ref?: string
  'x-flat'?: string
  'x-not-built'?: boolean
  /** Why a field that is taken changes nothing. */
  'x-no-effect'?: string
  /** The default where the target is a ConfigMap, if it is another one. */
  'x-default-config-map'?: unknown
}

const FILES = {
  SizingPolicy: 'sizing-policy',
  NodeInventory: 'node-inventory',
  RenderConfig: 'render-config',
  WorkloadSnapshot: 'workload-snapshot',
  Order: 'order',
  NodeAction: 'node-action',
  ActionPolicy: 'action-policy',
  ActionKeyring: 'action-keyring',
  ActionRecord: 'action-record',
  ActionTrust: 'action-trust',
  PoolPolicy: 'pool-policy',
  NodeSmithPool: 'node-smith-pool',
} as const

/** What the controller alone reads: no render starts with it. */
const SYNC_FILES = { SyncConfig: 'sync-config' } as const

/** What `nodefit test` alone reads. */
const TEST_FILES = { NodefitTest: 'nodefit-test' } as const

/** The schemas of fn-config/ by kind, without what no render reads. */
export const schemas = () => read(FILES)

/** The schemas of what the controller alone reads, by kind. */
export const syncSchemas = () => read(SYNC_FILES)

/** The schemas of what `nodefit test` alone reads, by kind. */
export const testSchemas = () => read(TEST_FILES)

function read<Kind extends string>(files: Readonly<Record<Kind, string>>): Record<Kind, Schema> {
  const entries = Object.entries<string>(files).map(([kind, name]) => {
    const file = new URL(`../../fn-config/${name}.schema.json`, import.meta.url)
    return [kind, JSON.parse(readFileSync(file, 'utf8')) as Schema]
  })
  return Object.fromEntries(entries) as Record<Kind, Schema>
}

/** Keywords of ours, which no other reader of a schema knows. */
export const OWN_KEYWORDS = ['x-flat', 'x-not-built', 'x-no-effect', 'x-default-config-map']

/** The schema with its reference, if it is one, filled in. */
export function resolve(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace('#/definitions/', '')
  return name === undefined ? schema : { ...root.definitions?.[name], ...schema }
}

/** Visits every field below a schema with its dotted path; list items are `[]`. */
export function visitFields(root: Schema, visit: (path: string, field: Schema, required: boolean) => void): void {
  const walk = (schema: Schema, path: string): void => {
    for (const [name, raw] of Object.entries(schema.properties ?? {})) {
      const field = resolve(raw, root)
      const here = path === '' ? name : `${path}.${name}`
      visit(here, field, schema.required?.includes(name) ?? false)
      walk(field, here)
      if (field.items !== undefined) walk(resolve(field.items, root), `${here}[]`)
    }
  }
  walk(root, '')
}
