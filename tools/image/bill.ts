import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import type { DebianPackage } from './debian.ts'

/**
 * A CycloneDX bill of what an image has of Debian, and its Node.js, as JSON. It has no time and no serial number: the
 * same packages give the same bytes.
 */
export function imageBill(packages: readonly DebianPackage[], node: string, arch: string): string {
  const bom = new Models.Bom()
  bom.metadata.component = new Models.Component(Enums.ComponentType.OperatingSystem, 'debian', { bomRef: 'debian' })
  for (const { name, version, arch: built } of packages) {
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${built}`
    bom.components.add(new Models.Component(Enums.ComponentType.Library, name, { version, purl, bomRef: purl }))
  }
  const purl = `pkg:generic/nodejs@${node}`
  bom.components.add(
    new Models.Component(Enums.ComponentType.Platform, 'nodejs', { version: node, purl, bomRef: purl }),
  )
  bom.metadata.properties.add(new Models.Property('nodefit:arch', arch))
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}
