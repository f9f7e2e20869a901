import { OWN_KEYWORDS, type Schema } from './schemas.ts'

/** Values that are not fields of the SyncConfig. */
const switched = { type: 'object', additionalProperties: false, properties: { enabled: { type: 'boolean' } } }
const texts = (...names: string[]) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})

/** The schema of the chart's values: `config` is held against that of the SyncConfig, so that helm refuses what the controller would. */
export function chartSchema(syncConfig: Schema): string {
  const values = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart nodefit-sync',
    type: 'object',
    required: ['config'],
    additionalProperties: false,
    properties: {
      config: plain(syncConfig.properties?.spec),
      image: texts('repository', 'tag', 'digest'),
      imagePullSecrets: { type: 'array' },
      secrets: texts('git', 'signing'),
      replicas: { type: ['integer', 'null'], minimum: 0 },
      env: { type: 'array' },
      heap: { type: 'integer', minimum: 32 },
      resources: { type: 'object' },
      nodeSelector: { type: 'object' },
      tolerations: { type: 'array' },
      serviceMonitor: switched,
      networkPolicy: switched,
      podDisruptionBudget: switched,
      global: { type: 'object' },
    },
  }
  return `${JSON.stringify(values, null, 2)}\n`
}

function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([keyword]) => !OWN_KEYWORDS.includes(keyword))
  return Object.fromEntries(members.map(([keyword, member]) => [keyword, plain(member)]))
}
