/** A CycloneDX bill of what the programs of dist/ and the playground are made of. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import type { NodePackage } from '../executables/targets.ts'
import { ROOT } from './bundle.ts'
import type { Bundled } from './notices.ts'

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string } | undefined>>
}

/**
 * Returns the bill as JSON: the package itself, and each package of which code stands in a program, with its licence
 * and the hash that the lock file holds it to. It has no time and no serial number: the same source gives the same
 * bytes.
 */
export function billText(packages: readonly Bundled[]): string {
  const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
  const { name, version, license, description } = read('package.json') as Record<
    'name' | 'version' | 'license' | 'description',
    string
  >
  const { packages: locked } = read('package-lock.json') as Lock
  const bom = new Models.Bom()
  const own = component({ name, version, license }, Enums.ComponentType.Application)
  own.description = description
  bom.metadata.component = own
  for (const one of packages) {
    const part = component(one, Enums.ComponentType.Library)
    const integrity = /^sha512-(.+)$/.exec(locked[one.folder]?.integrity ?? '')?.[1]
    if (integrity === undefined) throw new Error(`${one.folder} is bundled, and package-lock.json has no hash of it`)
    part.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(integrity, 'base64').toString('hex'))
    bom.components.add(part)
    own.dependencies.add(part.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}

/** A bill with the Node.js of a single executable beside the packages: what else is in that file. */
export function withNode(bill: string, node: NodePackage): string {
  const { dependencies, components, ...rest } = JSON.parse(bill)
  const purl = `pkg:npm/${node.name}@${node.version}`
  const digest = Buffer.from(node.integrity.replace('sha512-', ''), 'base64').toString('hex')
  const hashes = [{ alg: 'SHA-512', content: digest }]
  const part = { type: 'platform', name: 'nodejs', version: node.version, hashes, 'bom-ref': purl, purl }
  const root: string = rest.metadata.component['bom-ref']
  const linked = (dependencies as { ref: string; dependsOn?: string[] }[]).map((one) =>
    one.ref === root ? { ...one, dependsOn: [...(one.dependsOn ?? []), purl].sort() } : one,
  )
  const all = { ...rest, components: [...components, part], dependencies: [...linked, { ref: purl }] }
  return `${JSON.stringify(all, null, 2)}\n`
}

function component(
  { name, version, license }: Pick<Bundled, 'name' | 'version' | 'license'>,
  type: Enums.ComponentType,
): Models.Component {
  const [, group, base = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  const purl = `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${base}@${version}`
  const made = new Models.Component(type, base, { version, purl, bomRef: purl, ...(group !== undefined && { group }) })
  made.licenses.add(new Models.SpdxLicense(license))
  return made
}
