import { KUBENODESMITH, NODE_SMITH_POOL_DEFAULTS, NODEFIT, nearest } from '../../kinds/index.ts'
import { LOCAL_CONFIG } from '../../krm/identity.ts'
import { isMap, type Mapping } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, KubeError, parseDuration } from '../../kube/index.ts'
import { SCALE_DOWN_WINDOW } from './settings.ts'

/** A provider of the single-file configuration of KubeNodeSmith. */
interface FileProvider {
  readonly type: string
  readonly credentialsRef?: { readonly name?: string; readonly namespace?: string }
  readonly options?: Readonly<Record<string, unknown>>
}

/** A pool of the single-file configuration of KubeNodeSmith. */
interface FilePool {
  readonly name: string
  readonly providerRef: string
  readonly poolLabelKey?: string
  readonly limits?: Readonly<Partial<Record<'minNodes' | 'maxNodes' | 'cpuCores' | 'memoryMiB', number>>>
  readonly machineTemplate?: {
    readonly kubeNodeNamePrefix?: string
    readonly architecture?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly scaleUp?: { readonly batchSize?: number; readonly stabilizationWindow?: string }
  readonly scaleDown?: { readonly maxConcurrent?: number; readonly drainTimeout?: string }
}

/** The configuration of KubeNodeSmith before it had resources: one document, which is no object of Kubernetes. */
export interface SingleFile {
  readonly schemaVersion: string
  readonly pollingInterval?: string
  readonly providers: Readonly<Record<string, FileProvider>>
  readonly nodePools: readonly FilePool[]
}

/** Tells what is wrong with a value, each problem behind the path of its field. */
type Check = (value: unknown, path: string) => string[]

const VERSION = 'v1alpha1'
const TYPES = ['proxmox', 'redfish']
/** A longer name leaves no room for the number of a machine in a label. */
const LONGEST_NAME = 56

const anything: Check = () => []
const text: Check = (value, path) => (typeof value === 'string' ? [] : [`${path} is not text`])
const whole: Check = (value, path) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? [] : [`${path} is not a whole number from 0`]
const duration: Check = (value, path) => {
  try {
    if (typeof value === 'string' && parseDuration(value) >= 0n) return []
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
  }
  return [`${path} is not a duration: write 90s, 5m or 1h30m`]
}
const oneOf =
  (...words: readonly string[]): Check =>
  (value, path) =>
    words.includes(value as string) ? [] : [`${path} is not ${words.join(' or ')}`]
const each =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((one, index) => check(one, `${path}[${index}]`)) : [`${path} is not a list`]
const byName =
  (check: Check): Check =>
  (value, path) =>
    isMap(value)
      ? Object.entries(value).flatMap(([name, one]) => check(one, `${path}.${name}`))
      : [`${path} is not a map`]
/** A map of these fields alone; one without a value is as if it were absent, as Go reads it. */
const fields =
  (checks: Readonly<Record<string, Check>>, ...required: readonly string[]): Check =>
  (value, path) => {
    const at = (name: string) => (path === '' ? name : `${path}.${name}`)
    if (!isMap(value)) return [`${path || 'the configuration'} is not a map`]
    const given = Object.entries(value)
    const unknown = given.filter(([name]) => !Object.hasOwn(checks, name))
    const missing = required.filter((name) => (value[name] ?? null) === null)
    return [
      ...unknown.map(([name]) => {
        const guess = nearest(name, Object.keys(checks))
        return `${at(name)} is not known${guess === undefined ? '' : `, did you mean ${guess}?`}`
      }),
      ...missing.map((name) => `${at(name)} is missing`),
      ...given.flatMap(([name, one]) => (one === null ? [] : (checks[name]?.(one, at(name)) ?? []))),
    ]
  }

const PROVIDER = fields(
  { type: oneOf(...TYPES), credentialsRef: fields({ name: text, namespace: text }), options: byName(anything) },
  'type',
)
const POOL = fields(
  {
    name: text,
    providerRef: text,
    poolLabelKey: text,
    limits: fields({ minNodes: whole, maxNodes: whole, cpuCores: whole, memoryMiB: whole }),
    machineTemplate: fields({ kubeNodeNamePrefix: text, architecture: text, labels: byName(text) }),
    scaleUp: fields({ batchSize: whole, stabilizationWindow: duration }),
    scaleDown: fields({ maxConcurrent: whole, drainTimeout: duration }),
  },
  ...['name', 'providerRef'],
)
const FILE = fields(
  { schemaVersion: oneOf(VERSION), pollingInterval: duration, providers: byName(PROVIDER), nodePools: each(POOL) },
  ...['schemaVersion', 'providers', 'nodePools'],
)

/**
 * Reads the single-file configuration of KubeNodeSmith, parsed as YAML. Returns it without fields that have no value,
 * or what is wrong with it: what its loader refuses, and names that no pool or machine can have.
 */
export function readSingleFile(
  value: unknown,
): { readonly file: SingleFile } | { readonly problems: readonly string[] } {
  const problems = FILE(value, '')
  if (problems.length > 0) return { problems }
  const file = withoutNulls(value) as SingleFile
  const names = file.nodePools.map(({ name }) => name)
  const found = [
    ...Object.keys(file.providers).flatMap((name) =>
      isDns1123Subdomain(name) ? [] : [`providers.${name}: "${name}" is no name of an object`],
    ),
    ...file.nodePools.flatMap((pool, index) =>
      poolProblems(pool, file, `nodePools[${index}]`, names.indexOf(pool.name) < index),
    ),
  ]
  return found.length > 0 ? { problems: found } : { file }
}

function poolProblems(pool: FilePool, { providers }: SingleFile, path: string, isTwice: boolean): string[] {
  const { name, providerRef, poolLabelKey = '', limits = {}, machineTemplate = {} } = pool
  const { minNodes = 0, maxNodes = 0 } = limits
  const prefix = machineTemplate.kubeNodeNamePrefix ?? ''
  const isName = (one: string) => isDns1123Label(one) && one.length <= LONGEST_NAME
  const rule = `is not a name of up to ${LONGEST_NAME} lower case letters, digits and -`
  return [
    ...(isName(name) ? [] : [`${path}.name "${name}" ${rule}`]),
    ...(isTwice ? [`${path}.name "${name}" is there twice`] : []),
    ...(Object.hasOwn(providers, providerRef)
      ? []
      : [`${path}.providerRef "${providerRef}" is none of providers: ${Object.keys(providers).join(', ')}`]),
    ...(poolLabelKey === '' || isQualifiedName(poolLabelKey)
      ? []
      : [`${path}.poolLabelKey "${poolLabelKey}" is not the key of a label`]),
    ...(prefix === '' || isName(prefix) ? [] : [`${path}.machineTemplate.kubeNodeNamePrefix "${prefix}" ${rule}`]),
    ...(maxNodes === 0 || maxNodes >= minNodes
      ? []
      : [`${path}.limits.maxNodes ${maxNodes} is below minNodes ${minNodes}; 0 is no limit`]),
  ]
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, withoutNulls(one)]])),
  )
}

/** Returns the text of a key of a ConfigMap, by default of its only one. `problem` says why there is none. */
export function dataKey(
  data: Mapping,
  key: string | undefined,
): { readonly key: string; readonly text: string } | { readonly problem: string } {
  const keys = Object.keys(data)
  const [only = '', another] = keys
  if (key === undefined && another !== undefined)
    return { problem: `the ConfigMap has several keys, and none is given: ${keys.join(', ')}` }
  const found = key ?? only
  const text = Object.hasOwn(data, found) ? data[found] : undefined
  if (typeof text === 'string') return { key: found, text }
  return {
    problem: keys.length === 0 ? 'the ConfigMap has no data' : `data.${found} is no text; keys: ${keys.join(', ')}`,
  }
}

/** What becomes of a single-file configuration. */
interface Converted {
  /** Each NodeSmithProvider, then each NodeSmithPool with its PoolPolicy. */
  readonly objects: readonly KubernetesObject[]
  /** What the objects cannot carry, a sentence each: the field, its value where that is short, and why. */
  readonly notCarried: readonly string[]
}

/** The cores of a machine, and its memory in MiB. */
export interface PoolMachine {
  readonly cpuCores: number
  readonly memoryMiB: number
}

/** The options of Proxmox that a NodeSmithProvider has. */
const PROXMOX = [
  ...['endpoint', 'nodeWhitelist', 'vmIDRange', 'managedNodeTag', 'vmMemOverheadMiB'],
  ...['networkInterfaces', 'vmOptions'],
]
/** Keeps Argo CD and Flux from deleting a pool, and with it all its machines. */
const PROTECTION = {
  'argocd.argoproj.io/sync-options': 'Prune=confirm',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
}

/**
 * Returns the resources that do what the single-file configuration of KubeNodeSmith does, in a namespace, with machines
 * of a size for each pool. A machine is enlarged to a pod that needs more, as KubeNodeSmith sizes machines by pods.
 */
export function objectsOfFile(
  file: SingleFile,
  namespace: string,
  machineOf: (pool: string) => PoolMachine,
): Converted {
  const providers = Object.entries(file.providers).map(([name, provider]) => providerOf(name, provider, namespace))
  const pools = file.nodePools.map((pool, index) => poolOf(pool, index, namespace, machineOf(pool.name)))
  const interval = file.pollingInterval
  return {
    objects: [...providers, ...pools].flatMap(({ objects }) => objects),
    notCarried: [
      ...(interval === undefined ? [] : [`pollingInterval ${interval}: a render has no interval`]),
      ...[...providers, ...pools].flatMap(({ notCarried }) => notCarried),
    ],
  }
}

function providerOf(name: string, { type, credentialsRef, options = {} }: FileProvider, namespace: string): Converted {
  const known = type === 'proxmox' ? PROXMOX : []
  const carried = known.filter((key) => options[key] !== undefined)
  const spec = {
    type,
    ...(credentialsRef === undefined ? {} : { credentialsSecretRef: credentialsRef }),
    ...(type === 'proxmox' ? { proxmox: Object.fromEntries(carried.map((key) => [key, options[key]])) } : {}),
  }
  return {
    objects: [{ apiVersion: KUBENODESMITH, kind: 'NodeSmithProvider', metadata: { name, namespace }, spec }],
    notCarried: Object.keys(options)
      .filter((key) => !carried.includes(key))
      .map((key) => `providers.${name}.options.${key}: a NodeSmithProvider of type ${type} has no such field`),
  }
}

function poolOf(pool: FilePool, index: number, namespace: string, machine: PoolMachine): Converted {
  const { name, providerRef, machineTemplate = {}, scaleUp = {}, scaleDown = {} } = pool
  const { kubeNodeNamePrefix: prefix, architecture, labels = {} } = machineTemplate
  const labelKey = pool.poolLabelKey || NODE_SMITH_POOL_DEFAULTS.poolLabelKey
  const { [labelKey]: label, ...others } = labels
  const limits = { minNodes: 0, maxNodes: 0, cpuCores: 0, memoryMiB: 0, ...pool.limits }
  const window = scaleUp.stabilizationWindow
  return {
    objects: [
      {
        ...{ apiVersion: KUBENODESMITH, kind: 'NodeSmithPool' },
        metadata: { name, namespace, annotations: PROTECTION },
        spec: {
          providerRef,
          ...(pool.poolLabelKey ? { poolLabelKey: pool.poolLabelKey } : {}),
          limits,
          machineTemplate: { labels: others },
          ...(window === undefined ? {} : { scaleUp: { stabilizationWindow: window } }),
          scaleDown: { stabilizationWindow: SCALE_DOWN_WINDOW },
        },
      },
      {
        ...{ apiVersion: NODEFIT, kind: 'PoolPolicy' },
        metadata: { name, namespace, annotations: { [LOCAL_CONFIG]: 'true' } },
        spec: {
          poolRef: name,
          machines: [machine],
          sizing: 'Elastic',
          ...(architecture ? { architecture } : {}),
          ...(scaleUp.batchSize === undefined ? {} : { scaleUp: { batchSize: scaleUp.batchSize } }),
          ...(Object.keys(scaleDown).length === 0 ? {} : { scaleDown }),
          ...(prefix ? { output: { namePrefix: prefix } } : {}),
        },
      },
    ],
    notCarried:
      label === undefined || label === name
        ? []
        : [
            `nodePools[${index}].machineTemplate.labels.${labelKey} "${label}": the label of a pool has the name of the pool, ${name}`,
          ],
  }
}
