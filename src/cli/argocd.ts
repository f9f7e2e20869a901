import { manifestTexts } from '../files/manifest.ts'
import { confinement, requireBelow } from '../files/paths.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { isPlanned, manifestsOf, planItems } from '../files/rendering.ts'
import { writeOutput } from '../files/stdio.ts'
import { say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { isMap, type Mapping } from '../krm/map.ts'
import { nearest } from '../policy/unknown-fields.ts'
import { briefLines } from '../view/index.ts'

/** What an Application of Argo CD may say to its plugin. */
export interface ArgocdParameters {
  /** Files and folders; the Application's own folder where none is named. */
  readonly paths: readonly string[]
  /** What was rendered before. */
  readonly earlier?: string
  /** Flat keys as KEY=VALUE. */
  readonly set?: readonly string[]
}

/** The type of each parameter: the member of its announcement that holds the value. */
const TYPES = { paths: 'array', earlier: 'string', set: 'map' } as const
const WORDS = { array: 'a list', string: 'a text', map: 'a map' } as const
const VALUES = Object.keys(WORDS) as (keyof typeof WORDS)[]

type Name = keyof typeof TYPES

/**
 * The parameters as Argo CD hands them to a plugin in ARGOCD_APP_PARAMETERS: a JSON list of names, each with a string, an array or a map; absent
 * or `null` where there are none. Argo CD does not send the defaults that a plugin announces. Throws `UserError` for what is
 * no such list, an unknown parameter, and one that is given twice or with a value of another type.
 */
export function argocdParameters(text: string | undefined): ArgocdParameters {
  const values = new Map<Name, unknown>()
  for (const entry of listOf(text)) {
    const name = nameOf(entry)
    if (values.has(name)) throw new UserError(`the parameter ${name} is given twice`)
    values.set(name, valueFrom(name, entry))
  }
  const set = Object.entries((values.get('set') ?? {}) as Record<string, string>)
  const strange = set.find(([key]) => key === '' || key.includes('='))
  if (strange !== undefined) throw new UserError(`the parameter set has a key "${strange[0]}", which is none`)
  return {
    paths: (values.get('paths') ?? ['.']) as string[],
    // the default that is announced, should somebody send it back
    earlier: values.get('earlier') === '' ? undefined : (values.get('earlier') as string | undefined),
    set: set.length === 0 ? undefined : set.map(([key, value]) => `${key}=${value}`),
  }
}

function listOf(text = 'null'): Mapping[] {
  const value = parsed(text)
  if (value === null) return []
  if (!Array.isArray(value)) throw new UserError('ARGOCD_APP_PARAMETERS is no list of parameters')
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

function nameOf({ name }: Mapping): Name {
  if (Object.hasOwn(TYPES, name as string)) return name as Name
  const best = nearest(name as string, Object.keys(TYPES))
  throw new UserError(
    `there is no parameter "${name}"${best === undefined ? '' : `: ${best} is the nearest`}; a plugin of Argo CD takes ${Object.keys(TYPES).join(', ')}`,
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
    throw new UserError(`the parameter ${name} needs ${WORDS[type]}${type === 'string' ? '' : ' of texts'} (${type})`)
  if (type === 'array' && (value as string[]).length === 0)
    throw new UserError(`the parameter ${name} is an empty list: name files or folders, or leave it out`)
  return value
}

function nounOf(key: string): string {
  return VALUES.some((type) => type === key) ? `${WORDS[key as keyof typeof WORDS]} (${key})` : `"${key}"`
}

function isOfType(value: unknown, type: keyof typeof WORDS): boolean {
  const isText = (one: unknown) => typeof one === 'string'
  if (type === 'string') return isText(value)
  if (type === 'array') return Array.isArray(value) && value.every(isText)
  return isMap(value) && Object.values(value).every(isText)
}

/** What a plugin of Argo CD renders, and the folder it stays in. */
interface ArgocdRequest extends ArgocdParameters {
  readonly within: string
}

/**
 * What Argo CD asks of its plugin. Nothing but ARGOCD_APP_PARAMETERS counts, neither what else is in the environment nor other
 * arguments. Throws `UserError` for those, for parameters that are wrong and for paths that lead out of the repository.
 */
function argocdRequest(options: Readonly<Record<string, unknown>>, positionals: readonly string[]): ArgocdRequest {
  const [other] = Object.keys(options).filter((name) => name !== 'argocd')
  if (other !== undefined || positionals.length > 0)
    throw new UserError(
      `--argocd takes everything from the Application's parameters, so that ${other === undefined ? positionals[0] : `--${other}`} cannot be given beside it`,
    )
  const parameters = argocdParameters(process.env.ARGOCD_APP_PARAMETERS)
  const within = confinement()
  const { paths, earlier } = parameters
  for (const path of earlier === undefined ? paths : [...paths, earlier]) requireBelow(within, path)
  return { ...parameters, within }
}

/**
 * Renders as a plugin of Argo CD: manifests alone on stdout, and on stderr what Argo CD shows of a run that failed, and its sidecar logs of
 * any other. Throws `UserError` where nothing would be printed: of an empty answer Argo CD makes an application without objects.
 */
export function renderForArgocd(options: Readonly<Record<string, unknown>>, positionals: readonly string[]): void {
  const { within, paths, set, earlier: folder } = argocdRequest(options, positionals)
  const items = readObjects(paths, { within })
  const earlier = folder === undefined ? undefined : readEarlier(folder, within)
  const plan = planItems(items, { set, earlier, keepsFiles: false })
  const told = briefLines(plan)
    .map((line) => `${line}\n`)
    .join('')
  if (plan.failed) {
    process.exitCode = 1
    say(told)
    return
  }
  if (!isPlanned(plan)) say(told)
  const manifests = manifestsOf(plan)
  if (manifests.length === 0)
    throw new UserError(
      'no object is rendered, and Argo CD would delete everything for an empty answer: to remove an application, delete it in Argo CD',
    )
  writeOutput(manifestTexts(manifests).join('---\n'))
  say(told)
}
