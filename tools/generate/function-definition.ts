import { stringify } from 'yaml'
import { OWN_KEYWORDS, type Schema } from './schemas.ts'

/** The KRMFunctionDefinition (KRM Functions Specification): what the function takes as its functionConfig. */
export function functionDefinition(schemas: Record<string, Schema>): string {
  const versions = ['SizingPolicy', 'RenderConfig'].map((kind) => ({ kind, schema: openApi(schemas[kind] ?? {}) }))
  const documents = versions.map(({ kind, schema }) => ({
    apiVersion: 'config.kubernetes.io/v1alpha1',
    kind: 'KRMFunctionDefinition',
    metadata: { name: `${kind.toLowerCase()}.nodefit.dev` },
    spec: {
      group: 'nodefit.dev',
      names: { kind },
      description: schemas[kind]?.description ?? '',
      publisher: 'nodefit',
      versions: [
        {
          name: 'v1alpha1',
          idempotent: true,
          schema: { openAPIV3Schema: schema },
          usage: `docs/reference/${kind === 'SizingPolicy' ? 'sizing-policy' : 'render-config'}.md`,
          runtime: { exec: { platforms: [] } },
        },
      ],
    },
  }))
  const header = '# Generated from the schemas beside it by npm run generate. Do not edit.\n'
  return (
    header +
    documents.map((document) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n')
  )
}

/** OpenAPI v3 knows neither $ref to definitions nor several types nor extensions of ours. */
function openApi(root: Schema): unknown {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value !== 'object' || value === null) return value
    const schema = value as Schema & Record<string, unknown>
    if (typeof schema.$ref === 'string') {
      const { $ref, ...own } = schema
      return convert({ ...root.definitions?.[$ref.replace('#/definitions/', '')], ...own })
    }
    const result: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(schema)) {
      if (['$schema', '$id', 'definitions', 'examples', ...OWN_KEYWORDS].includes(key)) continue
      if (key === 'exclusiveMinimum') Object.assign(result, { minimum: member, exclusiveMinimum: true })
      else if (key === 'type' && Array.isArray(member)) Object.assign(result, severalTypes(member))
      else result[key] = convert(member)
    }
    return result
  }
  return convert(root)
}

function severalTypes(types: unknown[]): Record<string, unknown> {
  const [first, second, third] = types
  // a number with a fraction, or a word: no type of OpenAPI holds both
  if (third === 'null' && types.includes('number')) return { 'x-kubernetes-preserve-unknown-fields': true }
  return second === 'null' ? { type: first, nullable: true } : { 'x-kubernetes-int-or-string': true }
}
