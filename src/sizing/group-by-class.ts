import { type Finding, listNames, plural } from '../finding/index.ts'
import type { Item } from '../krm/types.ts'
import type { SizingSettings } from '../policy/index.ts'
import { basisOf } from './basis.ts'
import { cellOf, cellOfName, isNear, nameOfCell } from './class-cell.ts'
import { finding } from './codes.ts'
import { CLASS, earlierClasses } from './earlier-groups.ts'
import type { Draft } from './explicit-groups.ts'
import { nodesOfGroup } from './group.ts'
import { illegalValues, type Labelled } from './group-by-label.ts'

/** What decides which values are one class, beside their sizes. */
export interface ClassInput {
  readonly ratio: bigint
  /** What was rendered before: a value stays in its class while it is near. */
  readonly earlier: readonly Item[]
}

/** The classes, the values that are in one, and those that report nothing to be sized by and are in none. */
export interface Classes {
  readonly groups: readonly Draft[]
  readonly known: readonly Labelled[]
  readonly unsized: readonly Labelled[]
  readonly findings: readonly Finding[]
}

/**
 * A group for the values whose smallest allocatable falls into the same cell, by one `In` with the values sorted bytewise. The cell
 * of a value depends on its own nodes, and on the class it was in before (DESIGN, "Classes").
 */
export function groupsByClass(labelled: readonly Labelled[], settings: SizingSettings, input: ClassInput): Classes {
  const [label = ''] = settings.groupLabels
  const earlier = earlierClasses(input.earlier, label)
  const placed = labelled.map((one) => ({ one, name: classOf(one, earlier, settings, input.ratio) }))
  const known = placed.flatMap(({ one, name }) => (name === undefined ? [] : [one]))
  const names = [...new Set(placed.flatMap(({ name }) => name ?? []))].sort()
  const groups = names.map((name): Draft => {
    const own = placed.filter((each) => each.name === name).map(({ one }) => one)
    const values = own.map(({ values: [value = ''] }) => value).sort()
    return {
      kind: 'class',
      id: `${CLASS}${name}`,
      namePart: name,
      aliases: [name],
      nodeSelector: {},
      requirements: [{ key: label, operator: 'In', values }],
      members: own.flatMap(({ members }) => members),
    }
  })
  return {
    groups,
    known,
    unsized: placed.flatMap(({ one, name }) => (name === undefined ? [one] : [])),
    findings: [
      ...labelled.flatMap(({ values }) => illegalValues(values, settings)),
      ...groups.flatMap((group) => changeFindings(group, earlier.get(group.id), settings)),
    ],
  }
}

/** The name of a value's class; undefined where nothing is known of its size. */
function classOf(
  { values: [value = ''], members }: Labelled,
  earlier: ReadonlyMap<string, ReadonlySet<string>>,
  { hysteresis }: SizingSettings,
  ratio: bigint,
): string | undefined {
  const before = [...earlier].filter(([, values]) => values.has(value)).map(([id]) => id.slice(CLASS.length))
  const { value: basis } = basisOf({ id: `value:${value}`, members })
  if (basis === undefined) return before[0]
  const near = before.find((name) => {
    const cell = cellOfName(name, ratio)
    return cell !== undefined && isNear(basis, cell, ratio, hysteresis)
  })
  return near ?? nameOfCell(cellOf(basis, ratio), ratio)
}

/** Another list of values is another affinity, which restarts every pod of the class. */
function changeFindings(group: Draft, before: ReadonlySet<string> | undefined, { subject }: SizingSettings): Finding[] {
  const values = group.requirements.flatMap((one) => one.values ?? [])
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
