import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { OWN_KEYWORDS, type Schema, schemas, syncSchemas, testSchemas } from '../generate/schemas.ts'
import { ROOT } from './bundle.ts'

/** Keywords for readers, which say nothing about what is valid; ajv would carry them into its code. */
const NOTES = new Set(['title', 'description', 'default', 'examples', ...OWN_KEYWORDS])
/** Keywords whose members are named by fields, not by keywords. */
const MAPS = new Set(['properties', 'patternProperties', 'definitions'])

/**
 * Writes dist/validators.js, which the code imports as `#validators`: a compiled validator for each kind, so that none is
 * compiled when the function starts; dist/sync-validators.js, `#sync-validators`, of what the controller alone reads; and
 * dist/test-validators.js, `#test-validators`, of what `nodefit test` alone reads.
 * Must need none of src/, which cannot be loaded without it.
 */
export function writeValidators(): void {
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  writeFileSync(join(ROOT, 'dist/validators.js'), validatorsModule(schemas()))
  writeFileSync(join(ROOT, 'dist/sync-validators.js'), validatorsModule(syncSchemas()))
  writeFileSync(join(ROOT, 'dist/test-validators.js'), validatorsModule(testSchemas()))
}

function validatorsModule(schemas: Record<string, Schema>): string {
  const ajv = new Ajv({
    allErrors: true,
    verbose: false,
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  for (const [kind, schema] of Object.entries(schemas)) ajv.addSchema(withoutNotes(schema) as Schema, kind)
  const kinds = Object.keys(schemas)
  const names = Object.fromEntries(kinds.map((kind) => [`validate${kind}`, kind]))
  const generate = standalone as unknown as (ajv: Ajv, names: Record<string, string>) => string
  const code = generate(ajv, names)
  if (code.includes('require(')) throw new Error('a schema uses a keyword whose validator needs ajv at run time')
  const table = kinds.map((kind) => `${kind}: validate${kind}`).join(', ')
  return `${code}\nexport const VALIDATORS = { ${table} }\n`
}

function withoutNotes(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((member) => withoutNotes(member))
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([keyword]) => isMap || !NOTES.has(keyword))
  return Object.fromEntries(
    members.map(([keyword, member]) => [keyword, withoutNotes(member, !isMap && MAPS.has(keyword))]),
  )
}
