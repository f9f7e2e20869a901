import { compile } from 'json-schema-to-typescript'
import { OWN_KEYWORDS, type Schema } from './schemas.ts'

/** TypeScript types of the resources. */
export async function typesModule(schemas: Record<string, Schema>): Promise<string> {
  const kinds = Object.keys(schemas)
  const parts = [
    '/** Generated from fn-config/ by npm run generate. Do not edit. */\n',
    `/** The kinds that have a schema. */\nexport type Kind = ${kinds.map((kind) => `'${kind}'`).join(' | ')}\n`,
  ]
  for (const [kind, schema] of Object.entries(schemas)) {
    const bare = withoutTitles(schema, true) as Parameters<typeof compile>[0]
    parts.push(
      await compile(bare, kind, {
        bannerComment: '',
        additionalProperties: false,
        format: true,
        style: { semi: false, singleQuote: true },
      }),
    )
  }
  return parts
    .join('\n')
    .replaceAll(new RegExp(`^export (interface|type) (?!(?:Kind|${kinds.join('|')})\\b)`, 'gm'), '$1 ')
}

/** Titles would become names of types of their own; the types here are one nested shape per kind. */
function withoutTitles(value: unknown, isRoot = false): unknown {
  if (Array.isArray(value)) return value.map((member) => withoutTitles(member))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key, member]) => isRoot || key !== 'title' || typeof member !== 'string')
    .filter(([key]) => !['examples', 'minItems', 'maxItems', 'oneOf', ...OWN_KEYWORDS].includes(key))
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutTitles(member)]))
}
