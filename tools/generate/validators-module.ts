import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { OWN_KEYWORDS, type Schema } from './schemas.ts'

/** Compiled validators, so that none is compiled when the function starts. */
export function validatorsModule(schemas: Record<string, Schema>): string {
  const ajv = new Ajv({
    allErrors: true,
    verbose: false,
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  for (const keyword of OWN_KEYWORDS) ajv.addKeyword(keyword)
  for (const [kind, schema] of Object.entries(schemas)) ajv.addSchema(schema, kind)
  const names = Object.fromEntries(Object.keys(schemas).map((kind) => [`validate${kind}`, kind]))
  const generate = standalone as unknown as (ajv: Ajv, names: Record<string, string>) => string
  const code = generate(ajv, names)
  if (code.includes('require(')) throw new Error('a schema uses a keyword whose validator needs ajv at run time')
  return `// @ts-nocheck\n/** Generated from fn-config/ by npm run generate. Do not edit. */\n${code}\n`
}
