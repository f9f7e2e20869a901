import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { OWN_KEYWORDS, type Schema } from './schemas.ts'

/** Keywords for readers, which say nothing about what is valid; ajv would carry them into its code. */
const NOTES = new Set(['title', 'description', 'default', 'examples', ...OWN_KEYWORDS])
/** Keywords whose members are named by fields, not by keywords. */
const MAPS = new Set(['properties', 'patternProperties', 'definitions'])

/** Compiled validators, so that none is compiled when the function starts. */
export function validatorsModule(schemas: Record<string, Schema>): string {
  const ajv = new Ajv({
    allErrors: true,
    verbose: false,
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  for (const [kind, schema] of Object.entries(schemas)) ajv.addSchema(withoutNotes(schema) as Schema, kind)
  const names = Object.fromEntries(Object.keys(schemas).map((kind) => [`validate${kind}`, kind]))
  const generate = standalone as unknown as (ajv: Ajv, names: Record<string, string>) => string
  const code = generate(ajv, names)
  if (code.includes('require(')) throw new Error('a schema uses a keyword whose validator needs ajv at run time')
  return `// @ts-nocheck\n/** Generated from fn-config/ by npm run generate. Do not edit. */\n${code}\n`
}

function withoutNotes(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((member) => withoutNotes(member))
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([keyword]) => isMap || !NOTES.has(keyword))
  return Object.fromEntries(
    members.map(([keyword, member]) => [keyword, withoutNotes(member, !isMap && MAPS.has(keyword))]),
  )
}
