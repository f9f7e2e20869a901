/** What a run says of its nodes, held against what is in the cluster. */
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { daemonEligibility, matchesNode } from '../../../src/kube/index.ts'
import type { Pods } from './controller.ts'
import { type Known, leftOut, mayStay } from './expected.ts'
import type { Rendering } from './faults.ts'
import type { FleetNode } from './nodes.ts'
import type { Policy } from './policy.ts'
import type { DaemonSet } from './template.ts'

/** What a render was made of, and what the controller made of it. */
export interface Outcome {
  readonly rendering: Rendering
  readonly nodes: readonly FleetNode[]
  readonly template: DaemonSet
  readonly policy: Policy
  readonly known: Known
  readonly pods: Pods
  /** The DaemonSets that are in the cluster. */
  readonly inCluster: readonly KubernetesObject[]
}

/** Where the summary, the groups' counts or the holes say something else than the cluster shows. */
export function differencesInWords(outcome: Outcome): string[] {
  return [...inSummary(outcome), ...inGroups(outcome), ...inHoles(outcome)]
}

function inSummary({ rendering, nodes, inCluster }: Outcome): string[] {
  const [text = ''] = messages(rendering, 'PolicySummary')
  const counts =
    /: (\d+) groups?, (\d+) nodes?, (\d+) objects? added, (\d+) changed, (\d+) removed, (\d+) unchanged/.exec(text)
  const without = /, (\d+) nodes? without an agent/.exec(text)
  if (counts === null || without === null) return [`the summary cannot be read: ${text}`]
  const [, , inGroup = 0, added = 0, changed = 0, , unchanged = 0] = counts.map(Number)
  const there = new Set(inCluster.map(({ metadata }) => metadata.name))
  const differences: string[] = []
  if (inGroup + Number(without[1]) !== nodes.length)
    differences.push(`the summary counts ${inGroup} and ${without[1]} nodes of ${nodes.length}`)
  if (added + changed + unchanged !== there.size)
    differences.push(`the summary counts ${added + changed + unchanged} objects, the cluster has ${there.size}`)
  return differences
}

/** Each group's count is that of the nodes where its DaemonSet's pods may stay; those without a pod take no new one. */
function inGroups({ rendering, nodes, pods, inCluster }: Outcome): string[] {
  const counts = new Map(
    messages(rendering, 'GroupSized').map((text) => {
      const [, name = '', , count = '0'] =
        /^GroupSized: (\S+) for (.*?) \((?:(\d+) nodes?|nodes with .*?)\)/.exec(text) ?? []
      return [name, Number(count)]
    }),
  )
  return inCluster.flatMap((object) => {
    const { name } = object.metadata
    const { template } = (object as DaemonSet).spec
    const own = nodes.filter((node) => mayStay(template, node))
    const said = counts.get(name)
    if (said !== own.length) return [`${name} is said to have ${said} nodes, in the cluster it has ${own.length}`]
    const served = own.filter((node) => pods.get(node.metadata.name)?.some(({ daemonSet }) => daemonSet === name))
    const open = own.filter((node) => daemonEligibility(template, node).shouldRun)
    const missing = open.filter((node) => !served.includes(node))
    return missing.map(({ metadata }) => `${metadata.name}: ${name} counts the node and has no pod there`)
  })
}

/** The nodes that a policy leaves out on purpose are counted, each once. */
function inHoles({ rendering, nodes, template, policy, known }: Outcome): string[] {
  const pod = template.spec.template.spec
  const holes = nodes.filter((node) => matchesNode(node.metadata, pod) && leftOut(node, policy, known) !== undefined)
  const said = messages(rendering, 'HoleOnPurpose').map((text) =>
    Number(/; (\d+) nodes? affected today/.exec(text)?.[1] ?? 0),
  )
  const sum = said.reduce((total, count) => total + count, 0)
  const names = holes.map(({ metadata }) => metadata.name).join(', ')
  return sum === holes.length
    ? []
    : [`HoleOnPurpose counts ${sum} nodes, the policy leaves out ${holes.length}: ${names}`]
}

function messages({ results }: Rendering, code: string): string[] {
  return results.filter(({ tags }) => tags?.code === code).map(({ message }) => message)
}
