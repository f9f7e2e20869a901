import { indexBy, type Planned } from '../core/index.ts'
import { codesAbout, type Finding, findingOf, listNames } from '../krm/finding.ts'
import { describe, identityOf, isLocalConfig } from '../krm/identity.ts'
import { isMap } from '../krm/map.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { type LabelSelector, matchesLabels, unlessMalformed } from '../kube/index.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Coverage and doubles', {
  SelectorsMeet: {
    severity: 'error',
    allowable: true,
    meaning: 'Two DaemonSets in a namespace select each other’s pods, which confuses their controllers.',
    mend: 'Give each template a distinct pod label and selector, such as app.kubernetes.io/name; policies of one template distinct spec.labels.nodeGroup keys.',
  },
})
const finding = findingOf(CODES)

export const selectorsMeet = {
  codes: CODES,
  check: ({ planned, items }) => selectorFindings(planned, items),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  SelectorsMeet: `
kind: NodeInventory
spec:
  nodeCount: 2
  shapes:
    - labels: { node.kubernetes.io/instance-type: m5.large, p: '1' }
      ready: 'True'
      allocatable: { cpu: '4', memory: 16Gi }
      nodes: [a]
    - labels: { node.kubernetes.io/instance-type: m5.large, p: '2' }
      ready: 'True'
      allocatable: { cpu: '4', memory: 16Gi }
      nodes: [b]
---
kind: SizingPolicy
spec: { nodeSelector: { p: '1' } }
---
apiVersion: nodefit.dev/v1alpha1
kind: SizingPolicy
metadata: { name: second }
spec:
  targetRef: { name: agent }
  nodeSelector: { p: '2' }
  names: { m5.large: x, default: 'y', remainder: z }
  resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 }
  minResources: { cpu: 100m, memory: 180Mi }
  maxResources: { cpu: 2000m, memory: 4Gi }
`,
}

/** A DaemonSet with the selector and labels that other DaemonSets of its namespace are compared with. */
interface Selecting {
  readonly object: KubernetesObject
  readonly namespace: string
  readonly selector: LabelSelector
  readonly labels: Record<string, string>
}

/**
 * Reports DaemonSets of one namespace, at least one of them rendered, whose selectors select each other's pods. Only
 * warns where both existed before: selectors cannot change, and owner references keep their pods apart.
 */
export function selectorFindings(planned: readonly Planned[], after: readonly Item[]): Finding[] {
  const all = after.flatMap(({ object }) => selecting(object) ?? [])
  if (all.length < 2) return []
  const uses = countPairs(all)
  const index = indexBy(all, ({ namespace, selector }) => `${namespace} ${tellingPair(selector, uses)}`)
  const known = indexBy(all, ({ object }) => identityOf(object))
  const makers = new Map(planned.flatMap((one) => one.objects.map(({ object }) => [identityOf(object), one] as const)))
  return planned.flatMap(({ objects, subject, earlier, source }) => {
    const before = new Set(earlier.map(({ object }) => object.metadata.name))
    const own = objects.flatMap(({ object }) => known.get(identityOf(object)) ?? [])
    const meetings = own.flatMap((one) => {
      const near = Object.entries(one.labels).flatMap(
        ([key, value]) => index.get(`${one.namespace} ${key}=${value}`) ?? [],
      )
      const other = near.find(
        (another) =>
          identityOf(another.object) !== identityOf(one.object) && selects(one, another) && selects(another, one),
      )
      return other === undefined ? [] : [{ one, other }]
    })
    const [first] = meetings
    if (first === undefined) return []
    const isOld = meetings.every(({ one }) => before.has(one.object.metadata.name))
    const isSameSource = source !== undefined && makers.get(identityOf(first.other.object))?.source === source
    const names = listNames(meetings.map(({ one }) => one.object.metadata.name))
    const sentence = `${subject.object.metadata.name}: ${names} and ${describe(first.other.object)} select each other’s pods${isOld ? WAY_OUT : isSameSource ? labelApart(subject.object) : ''}`
    const found = finding('SelectorsMeet', sentence, { subject: subject.object })
    return [isOld ? { ...found, severity: 'warning' as const } : found]
  })
}

const WAY_OUT =
  '; they were rendered before, and selectors are immutable: first add a label to the pods of one template, then select that label and set new names in spec.names'

/**
 * Returns the mend that keeps the selectors of policies apart: a group label for each, since policies of one template
 * cannot have templates of their own.
 */
function labelApart({ metadata }: KubernetesObject): string {
  return `; both are rendered from one template: set spec.labels.nodeGroup of ${metadata.name} to a key that no other policy uses, such as nodefit.dev/${metadata.name}-node-group`
}

function selecting(object: KubernetesObject): Selecting | undefined {
  if (object.apiVersion !== 'apps/v1' || object.kind !== 'DaemonSet' || isLocalConfig(object.metadata.annotations))
    return undefined
  const { selector, template } = (isMap(object.spec) ? object.spec : {}) as {
    selector?: LabelSelector
    template?: { metadata?: { labels?: Record<string, string> | null } | null } | null
  }
  if (!isMap(selector)) return undefined
  return { object, namespace: object.metadata.namespace ?? '', selector, labels: template?.metadata?.labels ?? {} }
}

/** Counts how many selectors have each pair. */
function countPairs(all: readonly Selecting[]): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { selector } of all) for (const pair of pairsOf(selector)) uses.set(pair, (uses.get(pair) ?? 0) + 1)
  return uses
}

/** Returns the rarest pair of a selector; selectors are looked up by it, since every pod that they select has it. */
function tellingPair(selector: LabelSelector, uses: ReadonlyMap<string, number>): string {
  const rarity = (pair: string) => uses.get(pair) ?? 0
  const [pair = ''] = pairsOf(selector).sort((a, b) => rarity(a) - rarity(b) || (a < b ? -1 : 1))
  return pair
}

function pairsOf({ matchLabels }: LabelSelector): string[] {
  return Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
}

function selects({ selector }: Selecting, { labels }: Selecting): boolean {
  return unlessMalformed(() => matchesLabels(selector, labels)) ?? false
}
