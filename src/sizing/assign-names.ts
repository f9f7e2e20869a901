import { type Finding, finding, listNames } from '../finding/index.ts'
import { isDns1123Label, isLabelValue } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { aliasesOf, type Group } from './group.ts'
import { freeHashedName, type Naming, plainName } from './name.ts'

/** What a group's DaemonSet is called, and the value of its group label. */
export interface GroupName {
  readonly name: string
  readonly label: string
}

/**
 * Names every group. An explicit name wins, then the name the group was rendered under before; a newcomer that would
 * take one of those gets a hash, also where the group that had it is gone: its DaemonSet has another selector. Newcomers
 * that come to the same name among themselves are an error.
 */
export function assignNames(
  groups: readonly Group[],
  settings: SizingSettings,
  earlier: ReadonlyMap<string, GroupName>,
  naming: Naming,
): { names: Map<string, GroupName>; findings: Finding[] } {
  const findings: Finding[] = []
  const names = new Map<string, string>()
  for (const group of groups) {
    const fixed = explicitName(group, groups, settings) ?? earlier.get(group.id)?.name
    if (fixed !== undefined) names.set(group.id, fixed)
  }
  const newcomers = groups.filter(({ id }) => !names.has(id))
  const before = [...earlier.values()].map(({ name }) => name)
  const wanted = new Map<string, Group[]>()
  for (const group of newcomers) {
    const name = plainName(naming, group.namePart)
    wanted.set(name, [...(wanted.get(name) ?? []), group])
  }
  for (const [name, rivals] of wanted) {
    const taken = new Set([...before, ...names.values()])
    if (rivals.length > 1 && !taken.has(name)) {
      const who = listNames(
        rivals.map(({ id }) => id),
        5,
      )
      findings.push(
        finding('NameCollision', `${settings.subject.metadata.name}: ${who} all come to ${name}`, {
          subject: settings.subject,
          field: { path: 'spec.names' },
        }),
      )
    }
    for (const group of rivals)
      names.set(
        group.id,
        taken.has(name) || rivals.length > 1
          ? freeHashedName(naming, group.namePart, group.value ?? group.id, new Set([...before, ...names.values()]))
          : name,
      )
  }
  findings.push(...checkNames(groups, names, settings))
  return { names: withLabels(groups, names, naming.target, earlier), findings }
}

/** A key of `names` is a label value first, and a name part where no group has that value. */
function explicitName(group: Group, groups: readonly Group[], { names }: SizingSettings): string | undefined {
  const key = aliasesOf(group, groups).find((alias) => Object.hasOwn(names, alias))
  return key === undefined ? undefined : names[key]
}

function checkNames(
  groups: readonly Group[],
  names: ReadonlyMap<string, string>,
  { subject }: SizingSettings,
): Finding[] {
  const owners = new Map<string, string>()
  return groups.flatMap(({ id }) => {
    const name = names.get(id) ?? ''
    const other = owners.get(name)
    owners.set(name, id)
    const place = { subject, field: { path: 'spec.names', currentValue: name } }
    if (other !== undefined)
      return [finding('NameInvalid', `${subject.metadata.name}: ${other} and ${id} are both called ${name}`, place)]
    return isDns1123Label(name)
      ? []
      : [finding('NameInvalid', `${subject.metadata.name}: ${id} cannot be called "${name}"`, place)]
  })
}

/** The raw value where it is valid and no other group has it; a label once given stays, since selectors are immutable. */
function withLabels(
  groups: readonly Group[],
  names: ReadonlyMap<string, string>,
  target: string,
  earlier: ReadonlyMap<string, GroupName>,
): Map<string, GroupName> {
  const kept = new Set([...earlier.values()].map(({ label }) => label))
  const used = new Set<string>(kept)
  const result = new Map<string, GroupName>()
  const valuesFirst = [...groups].sort((a, b) => Number(b.value !== undefined) - Number(a.value !== undefined))
  for (const group of valuesFirst) {
    const name = names.get(group.id) ?? ''
    const own = name.startsWith(`${target}-`) ? name.slice(target.length + 1) : name
    const candidates = [group.value || undefined, group.namePart, own, name].filter((text) => text !== undefined)
    const label =
      (earlier.get(group.id)?.label || candidates.find((text) => isLabelValue(text) && !used.has(text))) ?? own
    used.add(label)
    result.set(group.id, { name, label })
  }
  return result
}
