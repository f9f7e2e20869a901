import type { GroupLine, NodesLine } from '../../core/index.ts'
import { describe } from '../../krm/identity.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { Plan } from '../../rules/plan.ts'

/** What a run decided for the policy of a test. */
export interface TestedPolicy {
  readonly groups: readonly GroupLine[]
  /** Nodes on which nothing starts, with the reason; those where a pod may stay are in their groups, too. */
  readonly left: readonly NodesLine[]
  /** The sized containers. */
  readonly sized: readonly string[]
  /** Returns what is rendered for a group, by the group's name. */
  readonly rendered: (name: string) => KubernetesObject | undefined
  /** Returns the name of what is rendered for a node; undefined where nothing is. */
  readonly servedBy: (node: string) => string | undefined
}

type Planned = Plan['packages'][number]['planned'][number]

/** Subjects that serve nodes: a test may be about one of them. */
const KINDS = ['SizingPolicy', 'Order']

/**
 * Returns what a run decided for the policy of this name, or for the only one; else the names of all, of which one has
 * to be chosen.
 */
export function testedPolicy(name: string | undefined, { packages }: Plan): TestedPolicy | readonly string[] {
  const all = packages.flatMap(({ planned }) => planned).filter(({ subject }) => KINDS.includes(subject.object.kind))
  const found = name === undefined ? all : all.filter((one) => namesOf(one).includes(name))
  const [only, another] = found
  if (only === undefined || another !== undefined) return all.map(({ subject }) => describe(subject.object))
  const { account, objects } = only
  const byName = new Map(objects.map((one) => [one.object.metadata.name, one.object]))
  const groups = account.filter((line) => line.kind === 'group')
  return {
    groups,
    left: account.filter((line) => line.kind === 'nodes'),
    sized: account.flatMap((line) => (line.kind === 'containers' ? line.sized : [])),
    rendered: (group) => byName.get(group),
    servedBy: (node) =>
      groups.find(({ nodes }) => nodes.includes(node))?.name ??
      objects.find((one) => one.node === node)?.object.metadata.name,
  }
}

function namesOf({ subject }: Planned): string[] {
  const { namespace, name } = subject.object.metadata
  return namespace === undefined ? [name] : [name, `${namespace}/${name}`]
}
