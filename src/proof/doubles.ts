import type { Finding } from '../finding/index.ts'
import { isLocalConfig } from '../krm/annotation.ts'
import { describe } from '../krm/identity.ts'
import { ownerOf } from '../krm/ownership.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { indexBy, type Planned } from '../world/index.ts'
import { finding } from './codes.ts'
import { placeOf } from './place.ts'

/**
 * DaemonSets of the package that nodefit did not render and that run the same images, tags and digests aside, on nodes of what is
 * rendered: a static copy, a template that came back, a group that lost its owner's mark. `after` are the items as they leave. One that
 * stands where a rendered object would go is ForeignObject, not this.
 */
export function doubleFindings(planned: readonly Planned[], after: readonly Item[]): Finding[] {
  const foreign = after.filter((item) => isForeignDaemonSet(item.object))
  if (foreign.length === 0) return []
  const rendered = new Set(planned.flatMap(({ objects }) => objects.map(({ object }) => describe(object))))
  const byImages = indexBy(
    foreign.filter(({ object }) => !rendered.has(describe(object))),
    ({ object }) => imagesOf(object),
  )
  return planned.flatMap(({ objects, subject }) => {
    const [first] = objects.filter(({ object }) => isDaemonSet(object))
    const images = first === undefined ? undefined : imagesOf(first.object)
    const twins = images === undefined ? [] : (byImages.get(images) ?? [])
    return twins.flatMap(({ object: twin }) => {
      const met = objects.find(({ object }) => meet(object, twin))
      if (met === undefined) return []
      const sentence = `${subject.object.metadata.name}: ${describe(twin)} runs the same agent beside ${describe(met.object)}`
      return [finding('AgentTwice', sentence, { subject: twin })]
    })
  })
}

function meet(one: KubernetesObject, other: KubernetesObject): boolean {
  const [left, right] = [placeOf(one), placeOf(other)]
  return left !== undefined && right !== undefined && left.meets(right)
}

function isForeignDaemonSet(object: KubernetesObject): boolean {
  return isDaemonSet(object) && ownerOf(object) === undefined && !isLocalConfig(object.metadata.annotations)
}

function isDaemonSet({ apiVersion, kind }: KubernetesObject): boolean {
  return apiVersion === 'apps/v1' && kind === 'DaemonSet'
}

/** The repositories of its containers' images, as one text; undefined where one has none. */
function imagesOf({ spec }: KubernetesObject): string | undefined {
  const { template } = (spec ?? {}) as { template?: { spec?: { containers?: unknown } | null } | null }
  const containers = template?.spec?.containers
  if (!Array.isArray(containers) || containers.length === 0) return undefined
  const images = containers.map((container) => (container as { image?: unknown } | null)?.image)
  if (!images.every((image) => typeof image === 'string')) return undefined
  return [...new Set(images.map(repositoryOf))].sort().join(' ')
}

/** An image without digest and tag; a colon before the last slash is a port. */
function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^:/]*$/, '')
}
