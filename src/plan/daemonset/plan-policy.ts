import {
  type Constraints,
  demandOf,
  earlierOf,
  emptyPlanned,
  type Planned,
  type Rendered,
  type VariableStep,
  type World,
} from '../../core/index.ts'
import {
  canonicalizer,
  copyableAnnotations,
  copyableLabels,
  instanceLabelFindings,
  podSpecOf,
  SERVER_FIELDS,
} from '../../core/object/index.ts'
import { mergeNodes, namedNodes } from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, withSubject } from '../../krm/finding.ts'
import { withoutWireAnnotations } from '../../krm/identity.ts'
import { ABSENT_SINCE, markedGroup } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Container, PodSpec } from '../../kube/index.ts'
import {
  and,
  basisMark,
  type ContainerSize,
  type DerivedEnv,
  deriveEnv,
  type Group,
  type GroupContext,
  type GroupName,
  type GroupToRender,
  holesOf,
  nodesOfGroup,
  type Placement,
  planGroups,
  planSuspended,
  type RenderedGroups,
  requiredTerms,
  type Share,
  type SizedGroup,
  withRequired,
} from '../sizing/index.ts'
import { chooseContainers, containersLine, seLinuxOf, showsSizes, sizeContainer } from './containers.ts'
import { findTemplate } from './find-template.ts'
import { addedLabels, carriesSelector, keepSelector, withAddedLabels, withSelectorMark } from './selector.ts'
import type { DaemonSet, Template, Variable } from './template.ts'
import { rollOut, wayBackFindings } from './waves.ts'

/** The plan of a policy, with its template and groups, which checks across policies read. */
export interface PolicyPlan {
  readonly settings: SizingSettings
  readonly template?: Template
  readonly groups: readonly SizedGroup[]
  readonly planned: Planned
}

/** The template and the earlier objects of a policy. */
export interface PolicySource {
  readonly template?: Template
  readonly earlier: readonly Item[]
  readonly findings: readonly Finding[]
}

/** Finds the template and the earlier objects of a policy. */
export function sourceOf(settings: SizingSettings, world: World): PolicySource {
  const { value: template, findings } = findTemplate(world.named(settings.target), world.items, settings)
  return { template, earlier: earlierOf(settings, template?.daemonSet, world), findings }
}

/**
 * Plans one policy: template, nodes, groups, names, sizes, DaemonSets. `taken` are objects of other policies, whose
 * names and group labels are not used; `isAdopted` says whether anything was rendered from the template before. Codes
 * that the run allows are reported too, but do not stop it.
 */
export function planPolicy(
  { subject, settings }: { readonly subject: Item; readonly settings: SizingSettings },
  world: World,
  source: PolicySource & { readonly taken: readonly KubernetesObject[]; readonly isAdopted: boolean },
): PolicyPlan {
  if (settings.suspended)
    return { settings, groups: [], planned: planSuspended(subject, settings, world, kept(settings)) }
  const { template, earlier, taken, isAdopted, findings: templateFindings } = source
  const start = emptyPlanned({
    subject,
    constraints: template && constraintsOf(template, settings),
    isEnabled: settings.enabled,
    isPaced: settings.rollout !== undefined,
    source: template?.item,
    looksLikeOutput: (object: KubernetesObject) =>
      template !== undefined && carriesSelector(object, template.daemonSet),
    earlier,
  })
  const stop = (findings: readonly Finding[]) => ({ settings, template, groups: [], planned: { ...start, findings } })
  if (!settings.enabled) {
    // a DaemonSet used as a template is handed back, so its earlier output is kept if it is missing; a ConfigMap runs
    // no agent
    const back =
      template === undefined
        ? []
        : wayBackFindings(
            template.item,
            earlier.map(({ object }) => object),
            settings,
          )
    return stop(settings.target.kind === 'DaemonSet' && earlier.length > 0 ? [...templateFindings, ...back] : [])
  }
  if (template === undefined) {
    // problems of the nodes are reported next to the missing template
    const facts = { fleets: [world.fleet(settings.cluster ?? world.options.cluster)] }
    return { settings, template, groups: [], planned: { ...start, facts, findings: templateFindings } }
  }
  const { daemonSet, item, naming } = template
  const pod = daemonSet.spec.template.spec ?? {}
  const { shares, findings: containerFindings } = chooseContainers(template, settings)
  const labelPlace = { name: daemonSet.metadata.name, subject: item.object, path: 'metadata.labels' }
  const findings = [
    ...templateFindings,
    ...containerFindings,
    ...instanceLabelFindings(daemonSet.metadata.labels, labelPlace),
  ]
  const render = (context: GroupContext) =>
    renderGroups(context, { template, pod, shares, settings, world, earlier, isAdopted })
  const showsBasis = world.isSeen
  const { namespace } = daemonSet.metadata
  const plan = planGroups({
    settings,
    world,
    start,
    pod,
    findings,
    naming,
    shares,
    taken,
    showsBasis,
    namespace,
    render,
  })
  return { settings, template, ...plan }
}

/** The inputs that are the same for every group of a policy. */
interface PolicyContext {
  readonly template: Template
  readonly pod: PodSpec
  readonly shares: readonly Share[]
  readonly settings: SizingSettings
  readonly world: World
  readonly earlier: readonly Item[]
  readonly isAdopted: boolean
}

/** Returns the DaemonSets of all groups, changed as far as the policy's rollout permits. */
function renderGroups({ fleet, placement, groups, without }: GroupContext, policy: PolicyContext): RenderedGroups {
  const { template, pod, shares, settings, world } = policy
  const canonical = canonicalizer()
  const made = groups.map((group) => ({
    ...renderGroup(group, template, placement, settings, world, canonical),
    before: group.present,
  }))
  const earlier = policy.earlier.map(({ object }) => object)
  const { isAdopted } = policy
  const rollout = rollOut(made, { settings, world, earlier, isAdopted, template: template.item, shapes: fleet.shapes })
  // behind the rollout, which compares pod templates as they were rendered
  const present = new Map(groups.map(({ name, present: before }) => [name.name, before]))
  const objects = rollout.value.map((rendered) => {
    const before = present.get(rendered.object.metadata.name)
    if (before === undefined) return rendered
    return { ...rendered, object: withAddedLabels(rendered.object, addedLabels(before), before) }
  })
  return {
    objects,
    until: rollout.until,
    ...mergeNodes(groups.flatMap(({ group }) => group.members)),
    holes: holesOf(
      settings,
      groups.map(({ group }) => group),
    ),
    demand: objects.map(({ object }) => demandOf('pod', object.metadata.name, podSpecOf(object))),
    missed: { words: 'without an agent', without },
    variables: new Map(made.map(({ id, variables }) => [id, variables])),
    more: [containersLine(pod, shares, settings)],
    findings: [...made.flatMap((one) => one.findings), ...rollout.findings],
  }
}

/** Returns where pods may run, according to the template and the policy. */
function constraintsOf({ daemonSet }: Template, { nodeSelector, affinity, tolerations }: SizingSettings): Constraints {
  return { pod: daemonSet.spec.template.spec ?? {}, nodeSelector, affinity, tolerations }
}

/** Returns the DaemonSet of one group; an earlier one keeps its selector. */
function renderGroup(
  sized: GroupToRender,
  template: Template,
  placement: Placement,
  settings: SizingSettings,
  { isSeen }: World,
  canonical: ReturnType<typeof canonicalizer>,
): { id: string; rendered: Rendered; variables: readonly VariableStep[]; findings: Finding[] } {
  const { group, name, sizes, present } = sized
  const { env: derived, findings: envFindings } = deriveEnv(group.id, sizes, settings)
  const env = derived.filter((variable) => !template.ownVariables?.some((own) => isOf(variable, own)))
  const { findings: seLinuxFindings, ...seLinux } = seLinuxOf(
    group,
    settings,
    sized.before?.object,
    sizedContainers(template.daemonSet, sizes),
  )
  const absent: Record<string, string> = group.absentSince === undefined ? {} : { [ABSENT_SINCE]: group.absentSince }
  const memory = isSeen ? { ...basisMark(sized, (object) => showsSizes(object, sizes, env)), ...absent } : undefined
  const input = { group, name, placement, sizes, env, memory, seLinux, canonical }
  const made = renderDaemonSet(template, input, settings)
  const kept =
    present === undefined
      ? { daemonSet: made.daemonSet, findings: [] }
      : keepSelector(made.daemonSet, present as DaemonSet, settings.nodeGroupKey, name.label)
  const { id, kind } = group
  const added = present === undefined ? {} : addedLabels(present)
  return {
    id,
    variables: env.map(({ step }) => step),
    rendered: {
      object: isSeen ? withSelectorMark(kept.daemonSet, added) : kept.daemonSet,
      file: fileOf(settings),
      about: id,
      group: { id, kind },
      ...nodesOfGroup(group),
    },
    findings: withSubject(settings.subject, [...envFindings, ...seLinuxFindings, ...made.findings, ...kept.findings]),
  }
}

/** The containers of a template that are sized, as it has them. */
function sizedContainers({ spec }: DaemonSet, sizes: SizedGroup['sizes']) {
  const names = new Set(sizes.map(({ container }) => container))
  const { containers = [], initContainers } = spec.template.spec ?? {}
  return [...containers, ...(initContainers ?? [])].filter(({ name }) => names.has(name))
}

function isOf({ container, name }: DerivedEnv, own: Variable): boolean {
  return container === own.container && name === own.name
}

function fileOf({ baseName }: SizingSettings): string {
  return `${baseName}-groups.yaml`
}

/** Returns a function that renders an earlier DaemonSet of a suspended policy unchanged. */
function kept(settings: SizingSettings): (object: KubernetesObject) => Rendered {
  return (object) => ({
    object: withoutWireAnnotations(object),
    file: fileOf(settings),
    about: markedGroup(object) ?? String(object.metadata.name),
    ...namedNodes([]),
  })
}

/** The inputs of one group's DaemonSet. */
interface DaemonSetInput {
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
function renderDaemonSet(
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
