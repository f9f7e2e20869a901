import { type canonicalizer, copyableAnnotations, copyableLabels, SERVER_FIELDS } from '../../core/object/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import type { Container } from '../../kube/index.ts'
import {
  and,
  type ContainerSize,
  type DerivedEnv,
  type Group,
  type GroupName,
  type Placement,
  requiredTerms,
  withRequired,
} from '../sizing/index.ts'
import type { seLinuxOf } from './container.ts'
import { sizeContainer } from './container.ts'
import type { DaemonSet, Template } from './template.ts'

/** The inputs of one group's DaemonSet. */
export interface DaemonSetInput {
  readonly group: Group
  readonly name: GroupName
  readonly placement: Placement
  readonly sizes: readonly ContainerSize[]
  readonly env: readonly DerivedEnv[]
  /** Annotations that the next run reads. */
  readonly memory?: Readonly<Record<string, string>>
  readonly seLinux: Pick<ReturnType<typeof seLinuxOf>, 'set' | 'fill'>
  /** One for all groups, so that parts copied from the template are the same object in each. */
  readonly canonical: ReturnType<typeof canonicalizer>
}

/**
 * Returns the DaemonSet of a group: the template with the group's name, labels, selector, scheduling and sizes. Does
 * not copy metadata that the API server or another tool sets.
 */
export function renderDaemonSet(
  template: Template,
  plan: DaemonSetInput,
  settings: SizingSettings,
): { daemonSet: DaemonSet; findings: Finding[] } {
  const { name, sizes, seLinux } = plan
  const [groupLabel, another] = settings.groupLabels
  const values = { name, sizes, seLinuxType: seLinux.fill, groupLabel: another === undefined ? groupLabel : undefined }
  const { daemonSet, findings } = template.complete(sizedDaemonSet(template, plan, settings), values)
  return { daemonSet: plan.canonical(daemonSet), findings }
}

function sizedDaemonSet({ daemonSet }: Template, plan: DaemonSetInput, settings: SizingSettings): DaemonSet {
  const { group, name, placement, memory } = plan
  const { metadata, spec } = daemonSet
  const groupLabel = { [settings.nodeGroupKey]: name.label }
  const kept = Object.entries(metadata).filter(([field]) => !SERVER_FIELDS.includes(field))
  const pod = spec.template.spec ?? {}
  const size = (container: Container) => sized(container, plan)
  const podMetadata = Object.fromEntries(
    Object.entries(spec.template.metadata ?? {}).filter(([field]) => !SERVER_FIELDS.includes(field)),
  )
  return {
    apiVersion: daemonSet.apiVersion,
    kind: daemonSet.kind,
    metadata: {
      ...Object.fromEntries(kept),
      name: name.name,
      labels: { ...copyableLabels(metadata.labels), [settings.managedBy.key]: settings.managedBy.value, ...groupLabel },
      annotations: { ...copyableAnnotations(metadata.annotations), ...memory },
    },
    spec: {
      ...spec,
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, ...groupLabel } },
      template: {
        metadata: { ...podMetadata, labels: { ...spec.template.metadata?.labels, ...groupLabel } },
        spec: {
          ...pod,
          nodeSelector: { ...placement.nodeSelector, ...group.nodeSelector },
          affinity: withRequired(placement.affinity, and(requiredTerms(placement.affinity), group.terms)),
          tolerations: placement.tolerations.length > 0 ? [...placement.tolerations] : undefined,
          containers: pod.containers?.map(size),
          initContainers: pod.initContainers?.map(size),
        },
      },
    },
  }
}

function sized(container: Container, { sizes, env, seLinux }: DaemonSetInput): Container {
  const size = sizes.find((one) => one.container === container.name)
  return size === undefined ? container : sizeContainer(container, size, env, seLinux.set)
}
