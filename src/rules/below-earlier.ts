import { indexBy } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import { nodeCountOf, nodesText, sortedNodes } from '../facts/inventory/index.ts'
import type { PlannedChanges, PodChange } from '../fate/index.ts'
import { codesAbout, type Finding, findingOf, plural } from '../krm/finding.ts'
import { type Container, changeTexts, type Quantity } from '../kube/index.ts'
import { AMOUNTS, type AmountName, amountIn, containersOf, limitOf } from './beside-amounts.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Beside the template', {
  BelowEarlier: {
    severity: 'warning',
    meaning:
      'Nodes get a lower request or limit than in the earlier output that serves them, in the same DaemonSet or another. It may still be more than the template’s.',
    mend: 'Compare with what the agent uses there. To keep what these nodes have, raise the percentage, minResources or an override of their group, or keep their grouping.',
  },
})
const finding = findingOf(CODES)

export const belowEarlier = {
  codes: CODES,
  check: ({ planned }) => planned.flatMap(belowEarlierFindings),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  BelowEarlier: `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent-m5-large
  annotations: { nodefit.dev/owner: SizingPolicy/agent, nodefit.dev/group: value:m5.large }
  labels: { nodefit.dev/node-group: m5.large }
spec:
  selector: { matchLabels: { app: agent, nodefit.dev/node-group: m5.large } }
  template:
    metadata: { labels: { app: agent, nodefit.dev/node-group: m5.large } }
    spec: { containers: [{ name: agent, image: a, resources: { requests: { cpu: '3' } } }] }
`,
}

/** An amount of which some nodes get less than they have; undefined for none. */
interface Loss {
  readonly container: string
  readonly amount: AmountName
  readonly before?: Quantity
  readonly after?: Quantity
  readonly pods: PodChange
}

/** How many amounts of nodes a message names for each amount of a container. */
const MOST = 3

/**
 * Reports what nodes lose against what they have, whichever DaemonSet gave it to them: `BelowTemplate` compares with
 * the template alone. Nodes count where a pod of earlier output runs and one runs after.
 */
export function belowEarlierFindings({ subject: { object }, pods }: PlannedChanges): Finding[] {
  const losses = pods.flatMap(lossesOn)
  if (losses.length === 0) return []
  const nodes = nodeCountOf([...new Set(losses.map((loss) => loss.pods))])
  const texts = [...indexBy(losses, ({ container, amount }) => `${amountWords(amount)} of ${container}`)].map(
    ([head, all]) => `${head} ${fallsText(all)}`,
  )
  const verb = nodes === 1 ? 'gets less than it has' : 'get less than they have'
  const sentence = `${object.metadata.name}: ${plural(nodes, 'node')} ${verb}: ${texts.join('; ')}`
  return [finding('BelowEarlier', sentence, { subject: object })]
}

function lossesOn(pods: PodChange): Loss[] {
  const { before, after, runsBefore, runsAfter } = pods
  if (before === undefined || before.isTemplate || after === undefined || !runsBefore || !runsAfter) return []
  const had = new Map(containersOf(before.pod).map((container) => [container.name, container]))
  return containersOf(podSpecOf(after.object)).flatMap((container) => {
    const was = had.get(container.name)
    if (was === undefined) return []
    return AMOUNTS.flatMap((amount): Loss[] => {
      const loss = {
        container: container.name,
        amount,
        before: usedAmount(was, amount),
        after: usedAmount(container, amount),
      }
      return isLess(amount, loss.before, loss.after) ? [{ ...loss, pods }] : []
    })
  })
}

/** Returns an amount as Kubernetes uses it: a missing request is the limit. */
function usedAmount(container: Container, amount: AmountName): Quantity | undefined {
  return amountIn(container, amount) ?? amountIn(container, limitOf(amount))
}

/** Whether an amount is less: no limit is more than any, no request less than any. */
function isLess(amount: AmountName, before: Quantity | undefined, after: Quantity | undefined): boolean {
  if (before === undefined || after === undefined)
    return amount.startsWith('limits')
      ? before === undefined && after !== undefined
      : before !== undefined && after === undefined
  return after.compare(before) < 0
}

function amountWords(amount: AmountName): string {
  const [place = '', resource = ''] = amount.split('.')
  return `${resource} ${place === 'limits' ? 'limit' : 'request'}`
}

/** Formats falls of one amount in one unit, most nodes first: `1635Mi -> 601Mi on 12 nodes (a, b and 10 more)`. */
function fallsText(losses: readonly Loss[]): string {
  const [resource = ''] = losses.map(({ amount }) => amount.split('.')[1] ?? '')
  const amounts = losses.flatMap(({ before, after }) => [before, after])
  const texts = new Map(changeTexts(resource, amounts).map((text, index) => [amounts[index], text]))
  const textOfAmount = (one: Quantity | undefined) => texts.get(one) ?? ''
  const falls = [...indexBy(losses, ({ before, after }) => `${textOfAmount(before)} -> ${textOfAmount(after)}`)].map(
    ([text, all]) => ({ text, nodes: sortedNodes(all.map(({ pods }) => pods)) }),
  )
  const sorted = falls.sort((a, b) => b.nodes.nodeCount - a.nodes.nodeCount || (a.text < b.text ? -1 : 1))
  const shown = sorted.slice(0, MOST).map(({ text, nodes }) => {
    const names = nodesText(nodes)
    const count = plural(nodes.nodeCount, 'node')
    return `${text} on ${count}${names === count ? '' : ` (${names})`}`
  })
  const more = nodeCountOf(sorted.slice(MOST).map(({ nodes }) => nodes))
  return [...shown, ...(more === 0 ? [] : [`less on ${more} more`])].join(', ')
}
