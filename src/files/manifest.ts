import { isWireAnnotation } from '../krm/annotation.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { writeYaml, yamlWriter } from '../krm/write-yaml.ts'

/** Objects as manifests, without what only the wire needs; those that nobody changed as their files have them. */
export function manifestTexts(items: readonly Item[]): string[] {
  const written = items.map(({ object, text }) => text ?? withoutWire(object))
  const write = yamlWriter(written.filter((one) => typeof one !== 'string'))
  return written.map((one) => {
    if (typeof one !== 'string') return write(one)
    return one.endsWith('\n') ? one : `${one}\n`
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

/** Where the schemas of the published package are served from. */
const PACKAGES = 'https://unpkg.com/nodefit'
const FILES: Record<string, string> = {
  SizingPolicy: 'sizing-policy',
  NodeInventory: 'node-inventory',
  WorkloadSnapshot: 'workload-snapshot',
}

/** One of our resources as YAML, with the line by which an editor's YAML server finds its schema: that of this version. */
export function writeWithSchema(resource: Record<string, unknown>): string {
  const file = FILES[String(resource.kind)]
  if (file === undefined) throw new Error(`there is no schema of ${resource.kind}`)
  // only a build has a version
  const version = typeof NODEFIT_VERSION === 'undefined' ? 'latest' : NODEFIT_VERSION
  const address = `${PACKAGES}@${version}/fn-config/${file}.schema.json`
  return `# yaml-language-server: $schema=${address}\n${writeYaml(resource)}`
}
