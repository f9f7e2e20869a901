import type { Finding } from '../finding/index.ts'
import { parseInt64 } from '../kube/integer.ts'
import type { Resource, SizingSettings } from '../policy/index.ts'
import type { Basis } from './allocatable.ts'
import { weighed } from './basis.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'
import { ownValue } from './label-value.ts'
import type { Member } from './membership.ts'

const HOSTNAME = 'kubernetes.io/hostname'
const GOOD_RATIO = 2n
const RESOURCES: readonly Resource[] = ['memory', 'cpu']

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
  all: ReadonlyArray<{ member: Member; own: Basis }>,
  { groupLabels }: SizingSettings,
): { words: string; field: { proposedValue: string } } | undefined {
  if (kind === 'explicit' || kind === 'range' || groupLabels.includes(HOSTNAME)) return undefined
  const [label] = growingLabels(all)
  if (label !== undefined)
    return {
      words: `; ${label} grows with them: nodeGroupRanges: { label: ${label}, bounds: [...] }`,
      field: { proposedValue: label },
    }
  const words = `; nodeGroupLabel: ${HOSTNAME} with classes: { ratio: ${GOOD_RATIO} } tells them apart (nodefit inventory --label ${HOSTNAME})`
  return { words, field: { proposedValue: HOSTNAME } }
}

/** Labels that are an integer on every node, not the same on all, and never smaller on a node with more memory or cpu. */
function growingLabels(all: ReadonlyArray<{ member: Member; own: Basis }>): string[] {
  const [first] = all
  return Object.keys(first?.member.shape.labels ?? {})
    .filter((label) => {
      const read = all.flatMap(({ member, own }) => {
        const number = parseInt64(ownValue(member.shape.labels, label) ?? '')
        return number === undefined ? [] : [{ own, number }]
      })
      if (read.length < all.length || new Set(read.map(({ number }) => number)).size < 2) return false
      return RESOURCES.some((resource) => {
        const sorted = [...read].sort((a, b) => compare(a.number, b.number) || a.own[resource].compare(b.own[resource]))
        return sorted.every(
          ({ own }, index) => own[resource].compare(sorted[index - 1]?.own[resource] ?? own[resource]) >= 0,
        )
      })
    })
    .sort()
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
