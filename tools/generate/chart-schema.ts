import { OWN_KEYWORDS, type Schema } from './schemas.ts'

/** Values that are not fields of the SyncConfig. */
const peers = { type: 'array', minItems: 1 }
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
      config: withRules(plain(syncConfig.properties?.spec) as Plain),
      image: texts('repository', 'tag', 'digest'),
      imagePullSecrets: { type: 'array' },
      kubescapeNamespace: { type: 'string' },
      secrets: texts('git', 'signing', 'hook', 'actions'),
      replicas: { type: ['integer', 'null'], minimum: 0 },
      env: { type: 'array' },
      heap: { type: 'integer', minimum: 32 },
      resources: { type: 'object' },
      nodeSelector: { type: 'object' },
      tolerations: { type: 'array' },
      serviceMonitor: switched,
      networkPolicy: { ...switched, properties: { ...switched.properties, from: peers, hookFrom: peers } },
      prometheusRule: switched,
      podDisruptionBudget: switched,
      global: { type: 'object' },
    },
    // two replicas without an election would both push
    if: {
      properties: {
        config: {
          required: ['leaderElection'],
          properties: { leaderElection: { required: ['enabled'], properties: { enabled: { const: false } } } },
        },
      },
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: {
        replicas: { maximum: 1 },
        podDisruptionBudget: { properties: { enabled: { const: false } } },
      },
    },
  }
  return `${JSON.stringify(values, null, 2)}\n`
}

interface Plain {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, Plain>>
  readonly default?: unknown
  readonly [keyword: string]: unknown
}

const DURATION = /^(?:[0-9]+(?:\.[0-9]*)?(?:ns|us|µs|ms|s|m|h))+$/
/** Durations without a default. */
const OTHER_DURATIONS = ['maxAge']

/** What the controller checks beyond its schema, as far as a schema can say it: durations, the URL, and the cluster. */
function withRules(spec: Plain): unknown {
  const { git } = spec.properties
  const url = { ...git?.properties.url, minLength: 1 }
  const ruled = withDurations(spec) as Plain
  return {
    ...ruled,
    required: [...(spec.required ?? []), 'cluster'],
    properties: {
      ...ruled.properties,
      cluster: { ...ruled.properties.cluster, minLength: 1 },
      git: { ...ruled.properties.git, properties: { ...ruled.properties.git?.properties, url } },
    },
  }
}

function withDurations(schema: Plain, name = ''): unknown {
  const isDuration =
    OTHER_DURATIONS.includes(name) || (typeof schema.default === 'string' && DURATION.test(schema.default))
  if (isDuration) return { ...schema, pattern: `${DURATION.source}|^0$` }
  if (schema.properties === undefined) return schema
  const members = Object.entries(schema.properties).map(([key, member]) => [key, withDurations(member, key)])
  return { ...schema, properties: Object.fromEntries(members) }
}

function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([keyword]) => !OWN_KEYWORDS.includes(keyword))
  return Object.fromEntries(members.map(([keyword, member]) => [keyword, plain(member)]))
}
