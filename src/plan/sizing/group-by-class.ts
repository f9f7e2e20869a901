import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding/index.ts'
import type { Item } from '../../krm/types.ts'
import { basisOf } from './basis.ts'
import { cellFromName, cellName, cellOf, isNear } from './class-cell.ts'
import { finding } from './codes.ts'
import { CLASS, earlierClasses } from './earlier-groups.ts'
import type { Draft } from './explicit-groups.ts'
import { nodesOfGroup } from './group.ts'
import { illegalValues, type Labelled } from './group-by-label.ts'

/** What classes depend on besides node sizes. */
export interface ClassInput {
  readonly ratio: bigint
  /** The earlier output: a value stays in its class while its size is near that class. */
  readonly earlier: readonly Item[]
}

/** The classes, the label values in them, and the values without a class because no node reports. */
export interface Classes {
  readonly groups: readonly Draft[]
  readonly known: readonly Labelled[]
  readonly unsized: readonly Labelled[]
  readonly findings: readonly Finding[]
}

/**
 * A group for all label values whose smallest allocatable amounts are in the same cell: one `In` with the values sorted
 * bytewise. The cell of a value depends on its nodes and on its earlier class (DESIGN, "Classes").
 */
export function groupsByClass(labelled: readonly Labelled[], settings: SizingSettings, input: ClassInput): Classes {
  const [label = ''] = settings.groupLabels
  const earlier = earlierClasses(input.earlier, label)
  const placed = labelled.map((entry) => ({ entry, name: classNameOf(entry, earlier, settings, input.ratio) }))
  const known = placed.flatMap(({ entry, name }) => (name === undefined ? [] : [entry]))
  const names = [...new Set(placed.flatMap(({ name }) => name ?? []))].sort()
  const groups = names.map((name): Draft => {
    const inClass = placed.filter((each) => each.name === name).map(({ entry }) => entry)
    const values = inClass.map(({ values: [value = ''] }) => value).sort()
    return {
      kind: 'class',
      id: `${CLASS}${name}`,
      namePart: name,
      aliases: [name],
      nodeSelector: {},
      requirements: [{ key: label, operator: 'In', values }],
      members: inClass.flatMap(({ members }) => members),
    }
  })
  return {
    groups,
    known,
    unsized: placed.flatMap(({ entry, name }) => (name === undefined ? [entry] : [])),
    findings: [
      ...labelled.flatMap(({ values }) => illegalValues(values, settings)),
      ...groups.flatMap((group) => changeFindings(group, earlier.get(group.id), settings)),
    ],
  }
}

/** The class name of a value; undefined where its size is unknown. */
function classNameOf(
  { values: [value = ''], members }: Labelled,
  earlier: ReadonlyMap<string, ReadonlySet<string>>,
  { hysteresis }: SizingSettings,
  ratio: bigint,
): string | undefined {
  const before = [...earlier].filter(([, values]) => values.has(value)).map(([id]) => id.slice(CLASS.length))
  const { value: basis } = basisOf({ id: `value:${value}`, members })
  if (basis === undefined) return before[0]
  const near = before.find((name) => {
    const cell = cellFromName(name, ratio)
    return cell !== undefined && isNear(basis, cell, ratio, hysteresis)
  })
  return near ?? cellName(cellOf(basis, ratio), ratio)
}

/** `ClassChanged` where the list of values changes: that changes the affinity and restarts every pod of the class. */
function changeFindings(group: Draft, before: ReadonlySet<string> | undefined, { subject }: SizingSettings): Finding[] {
  const values = group.requirements.flatMap((requirement) => requirement.values ?? [])
  const joined = values.filter((value) => !before?.has(value))
  const left = [...(before ?? [])].filter((value) => !values.includes(value)).sort()
  if (before === undefined || before.size === 0 || joined.length + left.length === 0) return []
  const changes = [
    ...(joined.length > 0 ? [`${listNames(joined)} joined`] : []),
    ...(left.length > 0 ? [`${listNames(left)} left`] : []),
  ]
  const nodes = plural(nodesOfGroup(group).nodeCount, 'node')
  const sentence = `${subject.metadata.name}: ${changes.join(', ')} ${group.id}; its pods on ${nodes} restart`
  return [finding('ClassChanged', sentence, { subject })]
}
