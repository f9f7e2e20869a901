import { briefLines } from '../../face/index.ts'
import { nearest } from '../../kinds/validate.ts'
import { isMap, type Mapping } from '../../krm/map.ts'
import { FOR_NOW, isPlanned, manifestsOf, manifestTexts } from '../files/manifest.ts'
import { confinement, requireBelow } from '../files/paths.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { planItems } from '../files/rendering.ts'
import { writeOutput } from '../files/stdio.ts'
import { say } from '../files/terminal.ts'
import { givenTrust } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'

/** The parameters that an Application of Argo CD gives its plugin. */
export interface ArgocdParameters {
  /** Files and folders; the folder of the Application by default. */
  readonly paths: readonly string[]
  /** The file or folder of the earlier output. */
  readonly earlier?: string
  /** Flat keys as KEY=VALUE. */
  readonly set?: readonly string[]
  /** The cluster that the Application is for. */
  readonly cluster?: string
  /** The names of all SizingPolicies. */
  readonly policies?: readonly string[]
}

/** The type of each parameter, which is also the field of an entry that holds its value. */
const TYPES = { cluster: 'string', policies: 'array', paths: 'array', earlier: 'string', set: 'map' } as const
const WORDS = { array: 'a list', string: 'a string', map: 'a map' } as const
const LIST_MENDS = { paths: 'name files or folders', policies: 'name every SizingPolicy' } as Record<string, string>
const VALUES = Object.keys(WORDS) as (keyof typeof WORDS)[]

type Name = keyof typeof TYPES

/**
 * Reads ARGOCD_APP_PARAMETERS, in which Argo CD gives parameters to a plugin: a JSON list of entries with a name and a
 * string, an array or a map; absent or `null` without parameters. Argo CD does not send the defaults that a plugin
 * announces. Throws `UserError` for invalid JSON, an unknown or repeated parameter, and a value of the wrong type.
 */
export function argocdParameters(text: string | undefined): ArgocdParameters {
  const values = new Map<Name, unknown>()
  for (const entry of listOf(text)) {
    const name = parameterName(entry)
    if (values.has(name)) throw new UserError(`the parameter ${name} is given twice`)
    values.set(name, valueFrom(name, entry))
  }
  const set = Object.entries((values.get('set') ?? {}) as Record<string, string>)
  const invalid = set.find(([key]) => key === '' || key.includes('='))
  if (invalid !== undefined) throw new UserError(`the parameter set has the invalid key "${invalid[0]}"`)
  return {
    paths: (values.get('paths') ?? ['.']) as string[],
    // the announced default is empty, and an Application may repeat it
    earlier: values.get('earlier') === '' ? undefined : (values.get('earlier') as string | undefined),
    set: set.length === 0 ? undefined : set.map(([key, value]) => `${key}=${value}`),
    cluster: values.get('cluster') as string | undefined,
    policies: values.get('policies') as string[] | undefined,
  }
}

function listOf(text = 'null'): Mapping[] {
  const value = parsed(text)
  if (value === null) return []
  if (!Array.isArray(value)) throw new UserError('ARGOCD_APP_PARAMETERS is not a list of parameters')
  return value.map((entry: unknown) => {
    if (isMap(entry) && typeof entry.name === 'string') return entry
    throw new UserError('ARGOCD_APP_PARAMETERS holds an entry without a name')
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UserError('ARGOCD_APP_PARAMETERS is not JSON')
  }
}

function parameterName({ name }: Mapping): Name {
  if (Object.hasOwn(TYPES, name as string)) return name as Name
  const best = nearest(name as string, Object.keys(TYPES))
  throw new UserError(
    `unknown parameter "${name}"${best === undefined ? '' : `, did you mean ${best}?`}; the plugin takes ${Object.keys(TYPES).join(', ')}`,
  )
}

function valueFrom(name: Name, entry: Mapping): unknown {
  const type = TYPES[name]
  const other = [...VALUES, ...Object.keys(entry)].find(
    (key) => key !== 'name' && key !== type && entry[key] !== undefined && entry[key] !== null,
  )
  if (other !== undefined)
    throw new UserError(`the parameter ${name} is ${WORDS[type]} (${type}), not ${nounOf(other)}`)
  const value = entry[type]
  if (!isOfType(value, type))
    throw new UserError(`the parameter ${name} needs ${WORDS[type]}${type === 'string' ? '' : ' of strings'} (${type})`)
  if (type === 'array' && (value as string[]).length === 0)
    throw new UserError(`the parameter ${name} is an empty list: ${LIST_MENDS[name] ?? 'fill it'}, or leave it out`)
  // what was meant to be filled in must not be taken for what was left out
  if (name === 'cluster' && value === '')
    throw new UserError('the parameter cluster is empty: name the cluster of the inventory, or leave it out')
  return value
}

function nounOf(key: string): string {
  return VALUES.some((type) => type === key) ? `${WORDS[key as keyof typeof WORDS]} (${key})` : `"${key}"`
}

function isOfType(value: unknown, type: keyof typeof WORDS): boolean {
  const isText = (text: unknown) => typeof text === 'string'
  if (type === 'string') return isText(value)
  if (type === 'array') return Array.isArray(value) && value.every(isText)
  return isMap(value) && Object.values(value).every(isText)
}

/** The parameters, and the folder that all paths stay in. */
interface ArgocdRequest extends ArgocdParameters {
  readonly within: string
}

/**
 * The request of Argo CD. It comes from ARGOCD_APP_PARAMETERS alone, not from other variables or arguments. Throws
 * `UserError` for other arguments, invalid parameters and paths outside the repository.
 */
function argocdRequest(options: Readonly<Record<string, unknown>>, positionals: readonly string[]): ArgocdRequest {
  const [other] = Object.keys(options).filter((name) => name !== 'argocd')
  if (other !== undefined || positionals.length > 0)
    throw new UserError(
      `--argocd reads everything from the parameters of the Application: leave out ${other === undefined ? positionals[0] : `--${other}`}`,
    )
  const parameters = argocdParameters(process.env.ARGOCD_APP_PARAMETERS)
  const within = confinement()
  const { paths, earlier } = parameters
  for (const path of earlier === undefined ? paths : [...paths, earlier]) requireBelow(within, path)
  return { ...parameters, within }
}

/**
 * Renders as a plugin of Argo CD: manifests on stdout, findings on stderr. Argo CD shows the stderr of a failed run;
 * the sidecar logs that of others. Throws `UserError` where there is no manifest: Argo CD would delete all objects of
 * the application.
 */
export function renderForArgocd(options: Readonly<Record<string, unknown>>, positionals: readonly string[]): void {
  const { within, paths, set, earlier: folder, cluster, policies } = argocdRequest(options, positionals)
  const items = readObjects(paths, { within, kustomizations: true })
  const earlier = folder === undefined ? undefined : readEarlier(folder, within)
  const trust = givenTrust({}, process.env)
  const expect = policies === undefined ? undefined : { policyNames: policies }
  const plan = planItems(items, {
    clock: new Date(),
    set,
    flat: 'config',
    earlier,
    keepsFiles: false,
    expect,
    cluster,
    trust,
  })
  const report = briefLines(plan)
    .map((line) => `${line}\n`)
    .join('')
  if (plan.failed) {
    process.exitCode = 1
    say(report)
    return
  }
  if (!isPlanned(plan)) say(report)
  const manifests = manifestsOf(plan)
  if (manifests.length === 0)
    throw new UserError(
      `no object is rendered, and Argo CD would delete everything for an empty answer: to remove an application, delete it in Argo CD; ${FOR_NOW}`,
    )
  writeOutput(manifestTexts(manifests).join('---\n'))
  say(report)
}
