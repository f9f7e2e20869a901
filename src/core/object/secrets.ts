import type { Finding } from '../../krm/finding.ts'
import { isMap, setMember } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isQualifiedName } from '../../kube/index.ts'
import { finding } from './codes.ts'

/** The last words of a key or variable that holds a secret: apiToken, DB_PASSWORD, access-key. */
const SECRET_WORDS =
  /(?:^|_)(?:password|passwd|passphrase|token|secret|credentials?|authorization|(?:api|access|secret|private|auth|license)_?key)$/
/** The same words without what stands before them: most keys end in none. */
const SECRET_END = /(?:password|passwd|passphrase|token|secret|credentials?|authorization|key)$/i
/** A URL with a user whose password, if any, is not a reference; the user of ssh is no credential. */
const URL_WITH_USER =
  /(?<![a-z0-9+.-])(?!(?:git\+)?ssh:\/\/[^\s/@:]*@)[a-z][a-z0-9+.-]*:\/\/[^\s/@"':$?]+(?::(?!\$)[^\s/@"']*)?@[^\s@]/i
/** A header with credentials; behind Bearer alone, words without a digit are prose. */
const HEADER =
  /\b(?:bearer|basic)\s+(?=\S*\d|\S{16})[a-z0-9._~+/=-]{6,}|\bauthorization["']?\s*[:=]\s*["']?(?!(?:bearer|basic)\s+\$|\$)[^\s"']/i
/** An argument such as `--api-token=x`. */
const ARGUMENT = /^--?([\w.-]+)=(.+)$/s
/** Values that hold no secret: nothing, a reference to a variable, a template's action, a path, a boolean. */
const HARMLESS =
  /^\s*$|^(?:(?:bearer|basic)\s+)?(?:\$[({A-Z_]|\{\{)|^(?:file:)?\.{0,2}\/|^(?:true|false|yes|no|on|off|none|null)$/i

/** Where each map and list was searched before: thousands of rendered objects share what they have in common. */
export type Searched = Map<object, string>

/**
 * Returns the paths of an object at which a credential stands; a list entry with a name is named by it. What was
 * `searched` at the same path is not searched again.
 */
export function secretPaths(object: KubernetesObject, searched?: Searched): string[] {
  return pathsIn(object, '', searched)
}

function pathsIn(root: unknown, prefix: string, searched?: Searched): string[] {
  const found: string[] = []
  collectPaths(root, prefix, '', found, searched)
  return found
}

/** Nothing is put together but the paths, for the same reason. */
function collectPaths(value: unknown, path: string, key: string, found: string[], searched?: Searched): void {
  if (typeof value === 'string') {
    if (isSecret(key, value)) found.push(path)
    return
  }
  if (typeof value !== 'object' || value === null || searched?.get(value) === path) return
  searched?.set(value, path)
  if (Array.isArray(value)) {
    value.forEach((entry, index) => {
      const name = isMap(entry) && typeof entry.name === 'string' ? entry.name : String(index)
      collectPaths(entry, `${path}[${name}]`, key, found, searched)
    })
  } else if (isMap(value)) {
    for (const name of Object.keys(value)) {
      // a checksum of a Secret is none
      if (name.startsWith('checksum/')) continue
      // the value of a variable belongs to its name
      const variable = name === 'value' && typeof value.name === 'string' ? value.name : name
      // the same list may be the value of another variable elsewhere
      const known = variable === name ? searched : undefined
      collectPaths(value[name], path === '' ? name : `${path}.${name}`, variable, found, known)
    }
  }
}

/** Returns a JSON value with sorted keys, and with an empty text in place of each credential. */
export function withoutSecrets(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return isSecret(key, value) ? '' : value
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, key))
  if (!isMap(value)) return value
  const result = {}
  for (const name of Object.keys(value).sort()) setMember(result, name, withoutSecrets(value[name], name))
  return result
}

/** A line of a configuration: a key, and its value behind a colon, an equals sign or blanks. */
const LINE = /^\s*(?:-\s+)?["']?([\w.-]+)["']?(?:\s*[:=]\s*|\s+)["']?([^\s"']+)["']?[,;]?\s*$/
const COMMENT = /^\s*(?:#|;|\/\/)/
/** Keys that, alone, rather name a Secret than hold one. */
const NAMES_OF_SECRETS = /^(?:secret|credentials?)$/i

/**
 * Returns where credentials stand in the texts of a ConfigMap that are configuration: the path of the key, and the line
 * in it.
 */
export function secretLines({ data }: KubernetesObject): string[] {
  if (!isMap(data)) return []
  return Object.entries(data).flatMap(([key, text]) => {
    if (typeof text !== 'string') return []
    const json = jsonIn(text)
    if (json !== undefined) return pathsIn(json, `data.${key}`)
    if (!text.includes('\n') && isSecret(key, text)) return [`data.${key}`]
    return text.split('\n').flatMap((line, index) => (isSecretLine(line) ? [`data.${key} line ${index + 1}`] : []))
  })
}

/** Returns the map or list that a text of JSON holds; undefined for any other text. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSecretLine(line: string): boolean {
  if (COMMENT.test(line)) return false
  const [, key, value] = LINE.exec(line) ?? []
  if (key === undefined || value === undefined) return URL_WITH_USER.test(line) || HEADER.test(line)
  const isCount = /token$/i.test(key) && /^\d+$/.test(value)
  return !NAMES_OF_SECRETS.test(key) && !isCount && isSecret(key, value)
}

function isSecret(key: string, text: string): boolean {
  if ((text.includes('@') && URL_WITH_USER.test(text)) || HEADER.test(text)) return true
  const [, option, given] = (text.startsWith('-') && ARGUMENT.exec(text)) || []
  if (option !== undefined && given !== undefined) return namesSecret(option) && !HARMLESS.test(given)
  return namesSecret(key) && !HARMLESS.test(text)
}

/** Whether the words at the end of a key, in any spelling, say that its value is a secret. */
function namesSecret(key: string): boolean {
  if (!SECRET_END.test(key)) return false
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_')
  return SECRET_WORDS.test(words.toLowerCase())
}

/** A problem of a label or annotation: its path, its value, and the words that follow the path in a message. */
export interface TextProblem {
  readonly path: string
  readonly value: unknown
  readonly sentence: string
}

/**
 * Returns the first label or annotation of an object or its pod template that the API server would refuse there and in
 * every copy: an invalid key, or a value that is not text (`ValidateAnnotations`).
 */
export function textProblem(object: KubernetesObject): TextProblem | undefined {
  const { template } = (isMap(object.spec) ? object.spec : {}) as { template?: unknown }
  const pod = isMap(template) && isMap(template.metadata) ? template.metadata : {}
  const maps: Array<readonly [path: string, map: unknown]> = [
    ['metadata.labels', object.metadata.labels],
    ['metadata.annotations', object.metadata.annotations],
    ['spec.template.metadata.labels', pod.labels],
    ['spec.template.metadata.annotations', pod.annotations],
  ]
  for (const [path, map] of maps) {
    if (!isMap(map ?? {})) return { path, value: map, sentence: 'is not a map' }
    for (const [key, value] of Object.entries(map ?? {})) {
      const sentence = entryProblem(key, value)
      if (sentence !== undefined) return { path: `${path}.${key}`, value, sentence }
    }
  }
  return undefined
}

function entryProblem(key: string, value: unknown): string | undefined {
  // the API server compares annotation keys in lower case
  if (!isQualifiedName(key.toLowerCase())) return 'is not a valid key of a label or annotation'
  return notText(value)
}

/** Returns the first value of a map that is not text. */
export function valueProblem(path: string, map: unknown): TextProblem | undefined {
  const [entry] = Object.entries(isMap(map) ? map : {}).filter(([, value]) => notText(value) !== undefined)
  if (entry === undefined) return undefined
  const [key, value] = entry
  return { path: `${path}.${key}`, value, sentence: notText(value) ?? '' }
}

function notText(value: unknown): string | undefined {
  if (typeof value === 'string' || value === null || value === undefined) return undefined
  return typeof value === 'object' ? 'is not text' : `is ${String(value)}, not text: write it in quotes`
}

const INSTANCE = 'app.kubernetes.io/instance'

/**
 * Finds an instance label that a copy has from its template. `labels` are those of the copy, `subject` is the object
 * that holds them, `path` is their place. Another finding reports values that are not text.
 */
export function instanceLabelFindings(
  labels: KubernetesObject['metadata']['labels'],
  { name, subject, path }: { name: string; subject: KubernetesObject; path: string },
): Finding[] {
  const instance: unknown = labels?.[INSTANCE]
  if (typeof instance !== 'string') return []
  const where = path === 'metadata.labels' ? '' : ` in ${path}`
  const field = { path, currentValue: instance }
  return [finding('InstanceLabelCopied', `${name} has the label ${INSTANCE}=${instance}${where}`, { subject, field })]
}

/** Whether an object carries an instance label. */
export function hasInstanceLabel({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[INSTANCE] !== undefined
}
