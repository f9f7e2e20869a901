import { type Finding, withSubject } from '../finding/index.ts'
import { mergeNodes, namedNodes } from '../inventory/index.ts'
import { withoutWire } from '../krm/annotation.ts'
import { GROUP } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { canonicalIn, instanceLabelFindings, type Remembered, rememberedAnnotations } from '../object/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import {
  basisMark,
  choiceByName,
  type DerivedEnv,
  deriveEnv,
  groupLines,
  holesOf,
  hysteresisFindings,
  keysOfPolicy,
  missedLines,
  nodesOfGroup,
  notExportedFindings,
  notNamedFindings,
  type Placement,
  placementFindings,
  placementOf,
  planSuspended,
  type SizedGroup,
  sizeGroups,
} from '../sizing/index.ts'
import {
  type Constraints,
  clusterOf,
  earlierOf,
  indexBy,
  type Planned,
  type Rendered,
  type World,
} from '../world/index.ts'
import { chooseContainers, containersLine } from './containers.ts'
import { findTemplate } from './find-template.ts'
import { renderDaemonSet } from './render.ts'
import { rollOut } from './rollout/roll-out.ts'
import { carriesSelector, keepSelector } from './selector.ts'
import { seLinuxOf } from './selinux.ts'
import { showsSizes } from './shows-sizes.ts'
import type { DaemonSet, Template, Variable } from './template.ts'

/** What a policy comes to, and the template it was made of, for those who look at what stands beside it. */
export interface PolicyPlan {
  readonly settings: SizingSettings
  readonly template?: Template
  readonly groups: readonly SizedGroup[]
  readonly planned: Planned
}

/** What a policy renders from, and what it rendered before. */
export interface PolicySource {
  readonly template?: Template
  readonly earlier: readonly Item[]
  readonly findings: readonly Finding[]
}

/** Finds what a policy renders from and what it rendered before. */
export function sourceOf(settings: SizingSettings, world: World): PolicySource {
  const { value: template, findings } = findTemplate(world.named(settings.target), world.items, settings)
  return { template, earlier: earlierOf(settings, template?.daemonSet, world), findings }
}

/**
 * Plans one policy: template, nodes, groups, names, sizes, DaemonSets. `taken` are those of others, whose names and group labels it
 * keeps out of. What the run allows does not stop it.
 */
export function planPolicy(
  { subject, settings }: { readonly subject: Item; readonly settings: SizingSettings },
  world: World,
  source: PolicySource & { readonly taken: readonly KubernetesObject[] },
): PolicyPlan {
  if (settings.suspended)
    return { settings, groups: [], planned: planSuspended(subject, settings, world, kept(settings)) }
  const { template, earlier, taken, findings: templateFindings } = source
  const constraints = template === undefined ? undefined : constraintsOf(template, settings)
  const start = {
    subject,
    constraints,
    isEnabled: settings.enabled,
    isPaced: settings.rollout !== undefined,
    source: template?.item,
    looksLikeOutput: (object: KubernetesObject) =>
      template !== undefined && carriesSelector(object, template.daemonSet),
    earlier,
    objects: [],
    ...namedNodes([]),
    summary: 'PolicySummary' as const,
    account: [],
  }
  const stop = (findings: readonly Finding[]) => ({ settings, template, groups: [], planned: { ...start, findings } })
  if (!settings.enabled) {
    // a DaemonSet that was rendered from is handed back, so without it nothing is removed; a ConfigMap runs no agent
    return stop(settings.target.kind === 'DaemonSet' && earlier.length > 0 ? templateFindings : [])
  }
  const { value: fleet, findings: fleetFindings } = world.fleet(settings.cluster ?? world.options.cluster)
  if (template === undefined || fleet === undefined) return stop(templateFindings)
  const pod = template.daemonSet.spec.template.spec ?? {}
  const { shares, findings: containerFindings } = chooseContainers(template, settings)
  const placement = placementOf(pod, settings)
  const before = [
    ...templateFindings,
    ...containerFindings,
    ...instanceLabelFindings(template.daemonSet.metadata.labels, {
      name: template.daemonSet.metadata.name,
      subject: template.item.object,
      path: 'metadata.labels',
    }),
    ...placementFindings(pod, placement, settings, world.options.cluster),
    ...notExportedFindings(fleet, keysOfPolicy(placement, settings), settings.subject),
    ...hysteresisFindings(settings, world.isSeen),
    ...notNamedFindings(fleet, choiceByName(pod, placement), settings.subject),
  ]
  if (world.stops([...before, ...fleetFindings])) return stop(before)
  const { naming } = template
  const sized = sizeGroups({ fleet, placement, settings, shares, earlier, taken, naming })
  const present = indexBy(earlier, ({ object }) => object.metadata.name)
  const cluster = clusterOf(fleet, settings, world)
  const canonical = canonicalIn()
  const made = sized.groups.map((group) => {
    const before = present.get(group.name.name)?.[0]?.object
    return {
      ...renderGroup(group, template, placement, settings, world.isSeen ? { cluster } : undefined, before, canonical),
      before,
    }
  })
  const {
    value: objects,
    findings: rolloutFindings,
    until,
  } = rollOut(made, {
    settings,
    world,
    earlier: earlier.map(({ object }) => object),
    shapes: fleet.shapes,
  })
  const planned = {
    ...start,
    cluster,
    holes: holesOf(
      settings,
      sized.groups.map(({ group }) => group),
    ),
    objects,
    ...mergeNodes(sized.groups.flatMap(({ group }) => group.members)),
    account: [
      ...groupLines(sized.groups),
      ...missedLines(sized.without, 'without an agent'),
      containersLine(pod, shares, settings),
    ],
    until,
    findings: [...before, ...sized.findings, ...made.flatMap(({ findings }) => findings), ...rolloutFindings],
  }
  return { settings, template, groups: sized.groups, planned }
}

/** Where the pods may run, as the template itself and the policy itself say it. */
function constraintsOf({ daemonSet }: Template, { nodeSelector, affinity, tolerations }: SizingSettings): Constraints {
  return { pod: daemonSet.spec.template.spec ?? {}, nodeSelector, affinity, tolerations }
}

/** The DaemonSet of one group; one that was rendered before keeps its selector. */
function renderGroup(
  sized: SizedGroup,
  template: Template,
  placement: Placement,
  settings: SizingSettings,
  memory: Pick<Remembered, 'cluster'> | undefined,
  before: KubernetesObject | undefined,
  canonical: ReturnType<typeof canonicalIn>,
): { rendered: Rendered; findings: Finding[] } {
  const { group, name, sizes } = sized
  const { env: derived, findings: envFindings } = deriveEnv(group.id, sizes, settings)
  const env = derived.filter((variable) => !template.ownVariables?.some((own) => isOf(variable, own)))
  const { findings: seLinuxFindings, ...seLinux } = seLinuxOf(group, settings)
  const nodes = nodesOfGroup(group)
  const remembered = memory && {
    ...rememberedAnnotations({ nodes: nodes.nodeCount, ...memory }, before),
    ...basisMark(sized, (object) => showsSizes(object, sizes, env)),
  }
  const made = renderDaemonSet(
    template,
    { group, name, placement, sizes, env, memory: remembered, seLinux, canonical },
    settings,
  )
  const kept =
    before === undefined
      ? { daemonSet: made.daemonSet, findings: [] }
      : keepSelector(made.daemonSet, before as DaemonSet, settings.nodeGroupKey, name.label)
  return {
    rendered: { object: kept.daemonSet, file: fileOf(settings), about: group.id, group: group.kind, ...nodes },
    findings: withSubject(settings.subject, [...envFindings, ...seLinuxFindings, ...made.findings, ...kept.findings]),
  }
}

function isOf({ container, name }: DerivedEnv, own: Variable): boolean {
  return container === own.container && name === own.name
}

function fileOf({ baseName }: SizingSettings): string {
  return `${baseName}-groups.yaml`
}

/** A DaemonSet of a suspended policy, as it was rendered before. */
function kept(settings: SizingSettings): (object: KubernetesObject) => Rendered {
  return (object) => ({
    object: withoutWire(object),
    file: fileOf(settings),
    about: object.metadata.annotations?.[GROUP] ?? String(object.metadata.name),
    ...namedNodes([]),
  })
}
