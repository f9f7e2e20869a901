import type { Planned } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import { codesAbout, type Finding, findingOf, listNames } from '../krm/finding.ts'
import { apiGroup, describe } from '../krm/identity.ts'
import { listOf, memberOf } from '../krm/map.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Coverage and doubles', {
  SizedElsewhere: {
    severity: 'warning',
    meaning:
      'A VerticalPodAutoscaler, not Off, targets the template or a rendered DaemonSet: it changes requests that nodefit renders, and restarts pods for it.',
    mend: 'Set its updatePolicy.updateMode to "Off", or remove it; its recommendations can be imported by nodefit inventory --usage.',
  },
})
const finding = findingOf(CODES)

export const sizedElsewhere = {
  codes: CODES,
  check: ({ planned, items }) => sizedElsewhereFindings(planned, items),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  SizedElsewhere: `
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: { name: agent }
spec: { targetRef: { apiVersion: apps/v1, kind: DaemonSet, name: agent } }
`,
}

const AUTOSCALING = 'autoscaling.k8s.io'

/**
 * Reports VerticalPodAutoscalers of the package, and Namespaces of Goldilocks, that change requests of what nodefit
 * sizes: of the template, which is applied again once its policy is disabled, or of rendered DaemonSets. One whose
 * updateMode is Off only recommends, and so does one that is Off for each container.
 */
export function sizedElsewhereFindings(planned: readonly Planned[], items: readonly Item[]): Finding[] {
  const autoscalers = items
    .map(({ object }) => object)
    .filter(({ apiVersion, kind }) => kind === 'VerticalPodAutoscaler' && apiGroup(apiVersion) === AUTOSCALING)
  const namespaces = items.map(({ object }) => object).filter(isOfGoldilocks)
  if (autoscalers.length + namespaces.length === 0) return []
  return planned.flatMap(({ subject, source, objects, isEnabled }) => {
    const sized = [
      ...(source?.object.kind === 'DaemonSet' ? [source.object] : []),
      ...objects.map(({ object }) => object),
    ]
    const found = isEnabled
      ? [
          ...autoscalers.filter((one) => sized.some((object) => isTarget(one, object) && changesAny(one, object))),
          ...namespaces.filter(({ metadata }) => sized.some((object) => object.metadata.namespace === metadata.name)),
        ]
      : []
    if (found.length === 0) return []
    const sentence = `${subject.object.metadata.name}: ${listNames(found.map(describe))} ${found.length === 1 ? 'sizes' : 'size'} pods that nodefit sizes`
    return [finding('SizedElsewhere', sentence, { subject: subject.object })]
  })
}

/**
 * Whether a Namespace is managed by Goldilocks, which makes a VerticalPodAutoscaler for each workload of it, in a mode
 * that changes requests.
 */
function isOfGoldilocks({ apiVersion, kind, metadata: { labels, annotations } }: KubernetesObject): boolean {
  if (apiVersion !== 'v1' || kind !== 'Namespace') return false
  const settingOf = (name: string) => {
    const key = `goldilocks.fairwinds.com/${name}`
    const value = memberOf(labels, key) ?? memberOf(annotations, key)
    return typeof value === 'string' ? value.toLowerCase() : ''
  }
  return settingOf('enabled') === 'true' && !['', 'off'].includes(settingOf('vpa-update-mode'))
}

function isTarget({ metadata, spec }: KubernetesObject, object: KubernetesObject): boolean {
  const target = memberOf(spec, 'targetRef')
  const { namespace, name } = object.metadata
  const isNear = metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace
  return (
    isNear &&
    object.kind === 'DaemonSet' &&
    memberOf(target, 'kind') === 'DaemonSet' &&
    memberOf(target, 'name') === name
  )
}

const OFF = 'Off'
const ANY = '*'

/** Whether an autoscaler changes any container of an object's pods. */
function changesAny({ spec }: KubernetesObject, object: KubernetesObject): boolean {
  if (isOff(memberOf(memberOf(spec, 'updatePolicy'), 'updateMode'))) return false
  const policies = listOf(memberOf(memberOf(spec, 'resourcePolicy'), 'containerPolicies'))
  const policyOf = (name: unknown) => policies.find((one) => memberOf(one, 'containerName') === name)
  const containers = listOf(memberOf(podSpecOf(object), 'containers'))
  return containers.some((one) => !isOff(memberOf(policyOf(memberOf(one, 'name')) ?? policyOf(ANY), 'mode')))
}

/** A bare Off is a boolean in YAML. */
function isOff(mode: unknown): boolean {
  return mode === OFF || mode === false
}
