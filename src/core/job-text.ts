import { listOf, memberOf } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'

/** What a Job does, for people. */
export interface JobText {
  /** Its command with the arguments of all containers, in their order. */
  readonly command: string
  /** Its ServiceAccount. */
  readonly account: string
  /** The images of its containers. */
  readonly image: string
}

/** Returns what a Job does; undefined for another object. */
export function jobText({ apiVersion, kind, spec }: KubernetesObject): JobText | undefined {
  if (apiVersion !== 'batch/v1' || kind !== 'Job') return undefined
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  const containers = listOf(memberOf(pod, 'containers'))
  const words = containers.map((one) =>
    [...listOf(memberOf(one, 'command')), ...listOf(memberOf(one, 'args'))].join(' '),
  )
  const images = [...listOf(memberOf(pod, 'initContainers')), ...containers].map((one) =>
    String(memberOf(one, 'image')),
  )
  return {
    command: words.join('; '),
    account: String(memberOf(pod, 'serviceAccountName') ?? 'default'),
    image: [...new Set(images)].join(', '),
  }
}
