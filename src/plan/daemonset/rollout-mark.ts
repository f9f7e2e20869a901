import { replacementOf, updateStrategyOf } from '../../core/object/index.ts'
import { isDeepEqual, memberOf } from '../../krm/map.ts'
import { CHANGED, RENDERED } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isTime } from '../../kube/index.ts'
import { digestOf } from '../sizing/index.ts'

const TEMPLATE_DIGITS = 16
const PLACEMENT_DIGITS = 8
const STRATEGY_DIGITS = 8
/** The last part is missing in output of versions that did not record it. */
const MARK = /^([0-9a-f]{16})-([0-9a-f]{8})(?:-([0-9a-f]{8}))?$/

/** How an object compares with its earlier version: new, on other nodes, with another pod template, or unchanged. */
export type Progress = 'new' | 'moved' | 'pending' | 'steady'

/**
 * Returns digests of a rendered object: of its pod template, of the placement in it, and of its update strategy.
 * Digests are kept because a later function of the pipeline may change these fields, so the object in the input does
 * not show how it was rendered.
 */
export function renderedMark(object: KubernetesObject): string {
  const template = templateIn(object)
  const digests = [digest(template, TEMPLATE_DIGITS), digest(placementIn(template), PLACEMENT_DIGITS)]
  return [...digests, digest(updateStrategyOf(object), STRATEGY_DIGITS)].join('-')
}

/**
 * Whether an object's update strategy replaces pods on more of its nodes at once than the earlier one, or stops them
 * where that started new ones first. With OnDelete pods may be of any earlier template, so that any other strategy
 * replaces them.
 */
export function raisesStrategy(object: KubernetesObject, before: KubernetesObject, nodeCount: number): boolean {
  const [, , , was] = MARK.exec(annotationOf(before, RENDERED) ?? '') ?? []
  const [, , , wanted] = MARK.exec(renderedMark(object)) ?? []
  if (was === wanted) return false
  const [then, now] = [replacementOf(before, nodeCount), replacementOf(object, nodeCount)]
  return now.atOnce > then.atOnce || now.down > then.down
}

/**
 * Compares an object with its earlier version by the digests in that version's annotation; without them, by the pod
 * templates.
 */
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

/** Returns when an object's pods last changed; undefined if the annotation is missing or not a time. */
export function changedAt(object: KubernetesObject | undefined): Date | undefined {
  const text = object && annotationOf(object, CHANGED)
  return text !== undefined && isTime(text) ? new Date(text) : undefined
}

/** Returns an annotation; undefined if it is missing or not a string, since a user may have edited it. */
export function annotationOf({ metadata }: KubernetesObject, key: string): string | undefined {
  const text: unknown = metadata.annotations?.[key]
  return typeof text === 'string' ? text : undefined
}

function digest(value: unknown, digits: number): string {
  const text = JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member))
  return digestOf(text ?? '', digits)
}

/** Returns the pod template of an object as it is, unvalidated. */
export function templateIn({ spec }: KubernetesObject): unknown {
  return memberOf(spec, 'template')
}

/**
 * Returns the fields of a pod template that select nodes; the DaemonSet controller moves pods when one of them changes.
 */
export function placementIn(template: unknown): unknown[] {
  const pod = memberOf(template, 'spec')
  const nodeAffinity = memberOf(memberOf(pod, 'affinity'), 'nodeAffinity')
  return [
    memberOf(pod, 'nodeSelector'),
    memberOf(nodeAffinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
    memberOf(pod, 'tolerations'),
  ]
}
