import { isQualifiedName } from './label.ts'

const HUGEPAGES = 'hugepages-'
const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage'])
const NATIVE_DOMAIN = 'kubernetes.io/'

/** Whether the resource is huge pages of one size, such as `hugepages-2Mi`. */
export function isHugePages(name: string): boolean {
  return name.startsWith(HUGEPAGES)
}

/** Returns the page size in the name of a huge page resource, as text. */
export function pageSizeOf(name: string): string {
  return name.slice(HUGEPAGES.length)
}

/** Whether the resource is one of Kubernetes itself (`IsNativeResource`). */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes(NATIVE_DOMAIN)
}

/** Whether the resource comes from a device plugin (`IsExtendedResourceName`). */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`)
}

/**
 * Whether a limit may exceed its request, which huge pages and extended resources do not allow (`IsOvercommitAllowed`).
 */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name)
}

/** Whether the resource may be set at pod level (`IsSupportedPodLevelResource`). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name)
}

/** Whether a container may request the resource (`validateContainerResourceName`). */
export function isContainerResource(name: string): boolean {
  if (!isQualifiedName(name)) return false
  if (!name.includes('/')) return STANDARD.has(name) || isHugePages(name)
  return isNativeResource(name) || isExtendedResource(name)
}
