import type { Finding } from '../finding/index.ts'
import type { Resource, SizingSettings } from '../policy/index.ts'
import type { Basis } from './allocatable.ts'
import { type Weighed, weighed } from './basis.ts'
import { HOSTNAME } from './choose-label.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'
import { growingLabels } from './growing-labels.ts'

const GOOD_RATIO = 2n

/**
 * A group whose largest node is more than `ratio` (without classes 2) times its smallest: what makes it a group says nothing about
 * the size of its nodes, as the instance type of k3s and of bare metal does not.
 */
export function spreadFindings(group: Group, settings: SizingSettings): Finding[] {
  const all = weighed(group)
  if (group.sizedLike !== undefined || all.length === 0) return []
  const [cpu, memory] = [spreadOf('cpu', all), spreadOf('memory', all)]
  const ratio = settings.classRatio ?? GOOD_RATIO
  if (![cpu, memory].some(({ least, most }) => most.nanoValue() > ratio * least.nanoValue())) return []
  const sizes = `allocatable cpu ${cpu.least} to ${cpu.most}, memory ${memory.least} to ${memory.most}`
  const proposal = proposalFor(group, all, settings)
  const place = { field: { path: settings.groupLabelPath, ...proposal?.field } }
  return [finding('GroupSpread', `${nameOfGroup(group)}: ${sizes}${proposal?.words ?? ''}`, place)]
}

function spreadOf(resource: Resource, all: ReadonlyArray<{ own: Basis }>) {
  const amounts = all.map(({ own }) => own[resource]).sort((a, b) => a.compare(b))
  const [least, most] = [amounts.at(0), amounts.at(-1)]
  if (least === undefined || most === undefined) throw new Error('there is an amount of each member')
  return { least, most }
}

/** What tells the nodes apart: ranges of a label that grows with their size, else the host name, put together by size. */
function proposalFor(
  { kind }: Group,
  all: readonly Weighed[],
  { groupLabels }: SizingSettings,
): { words: string; field: { proposedValue: string } } | undefined {
  if (kind === 'explicit' || kind === 'range' || groupLabels.includes(HOSTNAME)) return undefined
  const [growing] = growingLabels(all)
  if (growing !== undefined) {
    const { label, bounds } = growing
    return {
      words: `; ${label} grows with them: nodeGroupRanges: { label: ${label}, bounds: [${bounds.join(', ')}] }`,
      field: { proposedValue: label },
    }
  }
  const words = `; nodeGroupLabel: ${HOSTNAME} with classes: { ratio: ${GOOD_RATIO} } tells them apart (nodefit inventory --label ${HOSTNAME})`
  return { words, field: { proposedValue: HOSTNAME } }
}
