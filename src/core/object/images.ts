import type { KubernetesObject } from '../../krm/types.ts'
import { podSpecOf } from './served.ts'

/** Returns the repositories of the containers' images as one text; undefined where a container has no image. */
export function imagesOf(object: KubernetesObject): string | undefined {
  const containers: unknown = podSpecOf(object).containers
  if (!Array.isArray(containers) || containers.length === 0) return undefined
  const images = containers.map((container) => (container as { image?: unknown } | null)?.image)
  if (!images.every((image) => typeof image === 'string')) return undefined
  return [...new Set(images.map(repositoryOf))].sort().join(' ')
}

/** Returns an image without digest and tag; a colon before the last slash begins a port. */
function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^:/]*$/, '')
}
