import { sha256 } from '../../core/object/index.ts'
import { apiGroup, describe, identityOf, isLocalConfig, isWireAnnotation } from '../../krm/identity.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { writeYaml, yamlWriter } from '../../krm/write-yaml.ts'
import type { Plan } from '../../rules/plan.ts'
import { UserError } from './user-error.ts'

/**
 * What to do where nothing is rendered for a time, as of an Order whose window is closed. No Namespace: a tool that
 * prunes it one day deletes all that is in it.
 */
export const FOR_NOW =
  'if nothing is to be applied for now, add an object that always stays to the package, such as an empty ConfigMap'

/** Whether the input has a policy, or output of a removed policy. */
export function isPlanned({ packages }: Plan): boolean {
  return packages.some(({ planned, changes }) => planned.length + changes.length > 0)
}

/** The items of a successful plan to apply, in its order. Throws `UserError` for an input without a policy. */
export function manifestsOf(plan: Plan): Item[] {
  if (!isPlanned(plan)) {
    throw new UserError(
      'there is no policy in the input: add a SizingPolicy or an Order in DaemonSet mode, or size one DaemonSet with --set target=NAME',
    )
  }
  return plan.items.filter(({ object }) => !isLocalConfig(object.metadata.annotations))
}

/** Objects as YAML manifests without the host's annotations; unchanged objects keep the text of their file. */
export function manifestTexts(items: readonly Item[]): string[] {
  const written = items.map(({ object, text }) => text ?? withoutWire(object))
  const write = yamlWriter(written.filter((entry) => typeof entry !== 'string'))
  return written.map((entry) => {
    if (typeof entry !== 'string') return write(entry)
    return entry.endsWith('\n') ? entry : `${entry}\n`
  })
}

function withoutWire(object: KubernetesObject): object {
  const annotations = Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !isWireAnnotation(key)),
  )
  const metadata: Record<string, unknown> = { ...object.metadata, annotations }
  if (Object.keys(annotations).length === 0) delete metadata.annotations
  return { ...object, metadata }
}

declare const NODEFIT_VERSION: string

/** The address that serves the files of the published package. */
const PACKAGES = 'https://unpkg.com/nodefit'
const FILES: Record<string, string> = {
  SizingPolicy: 'sizing-policy',
  NodeInventory: 'node-inventory',
  RenderConfig: 'render-config',
  WorkloadSnapshot: 'workload-snapshot',
}

/** The lists with an entry a line, like a table: usage of a large cluster has hundreds of rows. */
const ROWS: Record<string, readonly string[]> = { WorkloadSnapshot: ['spec', 'usage'] }

/** A nodefit resource as YAML, with the comment that tells a YAML language server the schema of this version. */
export function writeWithSchema(resource: Record<string, unknown>): string {
  const kind = String(resource.kind)
  const file = FILES[kind]
  if (file === undefined) throw new Error(`there is no schema of ${kind}`)
  // only a build has a version
  const version = typeof NODEFIT_VERSION === 'undefined' ? 'latest' : NODEFIT_VERSION
  const address = `${PACKAGES}@${version}/fn-config/${file}.schema.json`
  return `# yaml-language-server: $schema=${address}\n${writeYaml(resource, ROWS[kind])}`
}

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
