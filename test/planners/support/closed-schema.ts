import { Ajv } from 'ajv'
import type { validateAs } from '../../../src/kinds/index.ts'

type Held = Parameters<typeof validateAs>[0]

/** What a toy's resources are held against: a spec with these fields and no others. */
export function closedSchema(
  kind: string,
  fields: Readonly<Record<string, string>>,
  required: readonly string[] = [],
): Held {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }]))
  const spec = { type: 'object', properties, required: [...required], additionalProperties: false }
  const validator = new Ajv({ allErrors: true }).compile({ type: 'object', properties: { spec }, required: ['spec'] })
  return { kind, validator: validator as Held['validator'], known: { spec: Object.keys(fields) }, oneOf: {} }
}
