import { isQualifiedName } from './label.ts'

const HUGEPAGES = 'hugepages-'
const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage'])
const NATIVE_DOMAIN = 'kubernetes.io/'

/** Whether it is memory in pages of one size: `hugepages-2Mi`. */
export function isHugePages(name: string): boolean {
  return name.startsWith(HUGEPAGES)
}

/** The page size that the name says, as text. */
export function pageSizeOf(name: string): string {
  return name.slice(HUGEPAGES.length)
}

/** Whether it is a resource of Kubernetes itself (`IsNativeResource`). */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes(NATIVE_DOMAIN)
}

/** Whether it is a resource that a device plugin brings (`IsExtendedResourceName`). */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`)
}

/** Whether a limit may be above its request: of hugepages and of devices it may not (`IsOvercommitAllowed`). */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name)
}

/** The resources that may be requested for a pod as a whole (`IsSupportedPodLevelResource`). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name)
}

/** Whether a container may ask for it (`validateContainerResourceName`). */
export function isContainerResource(name: string): boolean {
  if (!isQualifiedName(name)) return false
  if (!name.includes('/')) return STANDARD.has(name) || isHugePages(name)
  return isNativeResource(name) || isExtendedResource(name)
}
