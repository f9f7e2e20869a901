import { sha256 } from '../../core/object/index.ts'
import { apiGroup, describe, identityOf } from '../../krm/identity.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { manifestTexts } from './manifest.ts'
import { UserError } from './user-error.ts'

/** The first line of every file that nodefit writes into an output folder; marks the file as nodefit's. */
export const MARK = '# Written by nodefit build --output-dir, which rewrites and removes this file: do not edit it.'

export const KUSTOMIZATION = 'kustomization.yaml'

const HEAD = `${MARK}
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
`
const ENTRY = '- '

/**
 * The files of an output folder: one per manifest, and the kustomization.yaml that lists them. Throws `UserError` for
 * duplicates.
 */
export function outputFiles(manifests: readonly Item[]): Map<string, string> {
  const files = new Map<string, string>()
  const texts = manifestTexts(manifests)
  for (const [index, item] of manifests.entries()) {
    const name = fileNameOf(item.object)
    if (files.has(name))
      throw new UserError(
        `${describe(item.object)} is rendered twice, but an output folder holds the objects of one cluster: build each cluster into its own folder`,
      )
    files.set(name, `${MARK}\n${texts[index]}`)
  }
  return files.set(KUSTOMIZATION, kustomizationOf([...files.keys()]))
}

/** The files that a kustomization.yaml lists; undefined unless it is as nodefit writes it. */
export function listedIn(text: string): string[] | undefined {
  const names = text
    .split('\n')
    .filter((line) => line.startsWith(ENTRY))
    .map((line) => line.slice(ENTRY.length))
  return text === kustomizationOf(names) ? names : undefined
}

function kustomizationOf(names: readonly string[]): string {
  return `${HEAD}${[...names]
    .sort()
    .map((name) => `${ENTRY}${name}\n`)
    .join('')}`
}

const OTHER = /[^a-z0-9.-]/g
/** File systems accept names of up to 255 bytes. */
const MOST_CHARACTERS = 200
const HASH_DIGITS = 10

/**
 * The file name of an object in an output folder: resource, namespace and name, as in
 * `daemonset.apps_logging_fluent-bit-m5-large.yaml`. It depends on the object alone. None of the three has an
 * underscore. A name that is too long, or that file systems may not distinguish (RBAC names with colons or capitals),
 * ends with two underscores and a hash.
 */
export function fileNameOf(object: KubernetesObject): string {
  const { namespace = '', name } = object.metadata
  const group = apiGroup(object.apiVersion)
  const kind = object.kind.toLowerCase()
  const parts = [group === '' ? kind : `${kind}.${group}`, namespace, name].filter((part) => part !== '')
  const whole = parts.map((part) => part.toLowerCase().replaceAll(OTHER, '-')).join('_')
  const isPlain = whole.length <= MOST_CHARACTERS && whole === [parts[0]?.toLowerCase(), ...parts.slice(1)].join('_')
  return isPlain ? `${whole}.yaml` : `${whole.slice(0, MOST_CHARACTERS)}__${hashOf(identityOf(object))}.yaml`
}

function hashOf(text: string): string {
  return sha256(text).slice(0, HASH_DIGITS)
}
