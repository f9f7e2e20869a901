import { isLocalConfig, isWireAnnotation } from '../../krm/annotation.ts'
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
