import { isDeepEqual, memberOf } from '../krm/map.ts'
import { CHANGED, RENDERED } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { isTime } from '../kube/index.ts'
import { digestOf } from '../sizing/index.ts'

const TEMPLATE_DIGITS = 16
const PLACEMENT_DIGITS = 8
const MARK = /^([0-9a-f]{16})-([0-9a-f]{8})$/

/** What becomes of an object's pods by what is rendered now. */
export type Progress = 'new' | 'moved' | 'pending' | 'steady'

/**
 * What a pod template was when it was rendered: digests of the whole and of what chooses its nodes. A later function of
 * the pipeline may change every pod template; what it makes of one says nothing of what was rendered.
 */
export function renderedMark(object: KubernetesObject): string {
  const template = templateIn(object)
  return `${digest(template, TEMPLATE_DIGITS)}-${digest(placementIn(template), PLACEMENT_DIGITS)}`
}

/** Compares an object with the earlier one: by the earlier one's mark, else by the pod templates themselves. */
export function progressOf(object: KubernetesObject, before: KubernetesObject | undefined): Progress {
  if (before === undefined) return 'new'
  const [, template, placement] = MARK.exec(annotationOf(before, RENDERED) ?? '') ?? []
  const [, wanted, wantedPlacement] = MARK.exec(renderedMark(object)) ?? []
  if (template !== undefined) {
    if (template === wanted) return 'steady'
    return placement === wantedPlacement ? 'pending' : 'moved'
  }
  const [was, is] = [templateIn(before), templateIn(object)]
  if (isDeepEqual(was, is)) return 'steady'
  return isDeepEqual(placementIn(was), placementIn(is)) ? 'pending' : 'moved'
}

/** When an object's pods changed last; undefined where nothing says so, or a user wrote something else. */
export function changedAt(object: KubernetesObject | undefined): Date | undefined {
  const text = object && annotationOf(object, CHANGED)
  return text !== undefined && isTime(text) ? new Date(text) : undefined
}

/** An annotation as text; a user may have written anything there. */
export function annotationOf({ metadata }: KubernetesObject, key: string): string | undefined {
  const text: unknown = metadata.annotations?.[key]
  return typeof text === 'string' ? text : undefined
}

function digest(value: unknown, digits: number): string {
  const text = JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member))
  return digestOf(text ?? '', digits)
}

/** The pod template of an object, whatever a user made of it. */
export function templateIn({ spec }: KubernetesObject): unknown {
  return memberOf(spec, 'template')
}

/** What chooses the nodes of a pod template: the DaemonSet controller moves pods where any of it changes. */
export function placementIn(template: unknown): unknown[] {
  const pod = memberOf(template, 'spec')
  const nodeAffinity = memberOf(memberOf(pod, 'affinity'), 'nodeAffinity')
  return [
    memberOf(pod, 'nodeSelector'),
    memberOf(nodeAffinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
    memberOf(pod, 'tolerations'),
  ]
}
