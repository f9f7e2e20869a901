import { writeYaml } from '../krm/write-yaml.ts'

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
