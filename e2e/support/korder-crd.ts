import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './hosts.ts'

/** A JSON Schema, as far as it is turned into one that an API server takes. */
interface Schema {
  const?: unknown
  type?: string
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  [keyword: string]: unknown
}

const METADATA = { type: 'object' }
export const WITH_STATUS = { status: {} }
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/**
 * korder's resource definition of a kind, in the dialect of its schema in testdata/korder. Only korder's controllers need the status to be a
 * subresource: tests without them write it with the rest.
 */
export function korderCrd(
  kind: 'Order' | 'Ticket',
  dialect: 'duration' | 'window',
  subresources: object = {},
): unknown {
  const file = join(ROOT, `testdata/korder/${kind.toLowerCase()}-${dialect}.schema.json`)
  const { properties, ...schema } = structural(JSON.parse(readFileSync(file, 'utf8')) as Schema)
  return definition(
    kind,
    'Namespaced',
    {
      ...schema,
      properties: {
        ...properties,
        metadata: METADATA,
        ...(Object.keys(subresources).length > 0 ? { status: ANYTHING } : {}),
      },
    },
    subresources,
  )
}

/** The one of Quotas, which korder's manager watches, too; without a schema. */
export function quotaCrd(): unknown {
  return definition('Quota', 'Cluster', ANYTHING, WITH_STATUS)
}

function definition(kind: string, scope: 'Namespaced' | 'Cluster', schema: object, subresources: object): unknown {
  const plural = `${kind.toLowerCase()}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.core.korder.dev` },
    spec: {
      group: 'core.korder.dev',
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources,
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  }
}

/** The schema as the API server wants it: every field typed, unknown fields refused by strict validation instead. */
function structural(schema: Schema): Schema {
  const { $schema: _, title: _title, const: constant, additionalProperties, properties, items, ...rest } = schema
  if (constant !== undefined) return { type: typeof constant }
  if (rest.anyOf !== undefined) return { ...rest, 'x-kubernetes-int-or-string': true }
  if (items !== undefined) return { ...rest, items: structural(items) }
  if (typeof additionalProperties === 'object')
    return { ...rest, additionalProperties: structural(additionalProperties) }
  if (rest.enum !== undefined) return { ...rest, type: 'string' }
  if (properties === undefined)
    return rest.type === 'object' ? { ...rest, 'x-kubernetes-preserve-unknown-fields': true } : rest
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, structural(member)])),
  }
}
