import { createHash } from 'node:crypto'
import { apiGroup, describe, identityOf } from '../krm/identity.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { manifestTexts } from './manifest.ts'
import { UserError } from './user-error.ts'

/** The first line of every file that nodefit writes into an output folder; by it nodefit knows its own. */
export const MARK = '# Written by nodefit build --output-dir, which rewrites and removes this file: do not edit it.'

export const KUSTOMIZATION = 'kustomization.yaml'

const HEAD = `${MARK}
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
`
const ENTRY = '- '

/** What an output folder holds: a file for each manifest, and the kustomization.yaml that lists them. Throws `UserError` for two of one object. */
export function outputFiles(manifests: readonly Item[]): Map<string, string> {
  const files = new Map<string, string>()
  const texts = manifestTexts(manifests)
  for (const [index, item] of manifests.entries()) {
    const name = fileNameOf(item.object)
    if (files.has(name))
      throw new UserError(
        `${describe(item.object)} comes out twice, and an output folder holds what one cluster gets: build each cluster into a folder of its own`,
      )
    files.set(name, `${MARK}\n${texts[index]}`)
  }
  return files.set(KUSTOMIZATION, kustomizationOf([...files.keys()]))
}

/** The files that a kustomization.yaml lists, if it is as nodefit wrote it. */
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
/** What file systems take is 255 bytes. */
const LONGEST = 200
const HASH_DIGITS = 10

/**
 * The file of an object in an output folder: resource, namespace and name, as in `daemonset.apps_logging_fluent-bit-m5-large.yaml`.
 * It depends on the object alone. None of the three can hold an underscore; what a file system may not keep apart (RBAC names
 * with colons or capitals) or is too long is told apart by a hash behind two of them.
 */
export function fileNameOf(object: KubernetesObject): string {
  const { namespace = '', name } = object.metadata
  const group = apiGroup(object.apiVersion)
  const kind = object.kind.toLowerCase()
  const parts = [group === '' ? kind : `${kind}.${group}`, namespace, name].filter((part) => part !== '')
  const whole = parts.map((part) => part.toLowerCase().replaceAll(OTHER, '-')).join('_')
  const isPlain = whole.length <= LONGEST && whole === [parts[0]?.toLowerCase(), ...parts.slice(1)].join('_')
  return isPlain ? `${whole}.yaml` : `${whole.slice(0, LONGEST)}__${hashOf(identityOf(object))}.yaml`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}
