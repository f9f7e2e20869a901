/** The package that examples of codes change, and what a change makes of it. */
import { loadAll } from 'js-yaml'
import { isMap, type Mapping } from '../../src/krm/map.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { EXAMPLES as AUTOSCALER } from '../../src/rules/autoscaler/autoscaler.ts'
import { EXAMPLES as BELOW_EARLIER } from '../../src/rules/below-earlier.ts'
import { EXAMPLES as BESIDE_TEMPLATE } from '../../src/rules/beside-template.ts'
import { EXAMPLES as COVERAGE } from '../../src/rules/coverage.ts'
import { EXAMPLES as HOLES } from '../../src/rules/coverage-holes.ts'
import { EXAMPLES as DELETION } from '../../src/rules/deletion.ts'
import { EXAMPLES as DUPLICATE_AGENTS } from '../../src/rules/duplicate-agents.ts'
import { EXAMPLES as LIMITS } from '../../src/rules/fit/agents.ts'
import { EXAMPLES as REFUSALS } from '../../src/rules/fit/refusals.ts'
import { EXAMPLES as ROOM } from '../../src/rules/fit/too-large.ts'
import { EXAMPLES as GUARDS } from '../../src/rules/guards.ts'
import { EXAMPLES as OVERLAP } from '../../src/rules/overlap.ts'
import { EXAMPLES as ROLLOUT } from '../../src/rules/rollout.ts'
import { EXAMPLES as SECRETS } from '../../src/rules/secrets.ts'
import { EXAMPLES as SELECTORS_MEET } from '../../src/rules/selectors-meet.ts'
import { EXAMPLES as SIZED_ELSEWHERE } from '../../src/rules/sized-elsewhere.ts'
import { EXAMPLES as SUBSTITUTION } from '../../src/rules/substitution.ts'

/** The examples of all rules. */
export const RULE_EXAMPLES = {
  ...AUTOSCALER,
  ...BELOW_EARLIER,
  ...BESIDE_TEMPLATE,
  ...COVERAGE,
  ...HOLES,
  ...DELETION,
  ...DUPLICATE_AGENTS,
  ...LIMITS,
  ...REFUSALS,
  ...ROOM,
  ...GUARDS,
  ...OVERLAP,
  ...ROLLOUT,
  ...SECRETS,
  ...SELECTORS_MEET,
  ...SIZED_ELSEWHERE,
  ...SUBSTITUTION,
}

/** What `nodefit vet` says nothing of but what it renders. */
export const BASE = `apiVersion: nodefit.dev/v1alpha1
kind: NodeInventory
metadata: { name: prod }
spec:
  cluster: prod
  labelKeys: ["*"]
  nodeCount: 1
  shapes:
    - labels: { node.kubernetes.io/instance-type: m5.large }
      ready: "True"
      allocatable: { cpu: "4", memory: 16Gi }
      nodes: [a]
---
apiVersion: nodefit.dev/v1alpha1
kind: SizingPolicy
metadata: { name: agent }
spec:
  targetRef: { name: agent }
  resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 }
  minResources: { cpu: 100m, memory: 180Mi }
  maxResources: { cpu: 2000m, memory: 4Gi }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: agent, image: "agent:1" }] }
`

/**
 * Returns the objects of the base package with a change: a document of a kind that the base has, and of no other name,
 * is merged into that object, where null removes a field and lists are replaced; one whose metadata is null removes
 * the object; another is added.
 */
export function packageWith(change: string): KubernetesObject[] {
  const changes = loadAll(change).filter(isMap)
  const isOf =
    ({ kind, metadata }: KubernetesObject) =>
    (doc: Mapping) => {
      const { name = metadata.name } = (doc.metadata ?? {}) as { name?: string }
      return doc.kind === kind && name === metadata.name
    }
  const base = loadAll(BASE) as KubernetesObject[]
  const kept = base.flatMap((object) => {
    const own = changes.filter(isOf(object))
    if (own.some(({ metadata }) => metadata === null)) return []
    return [own.reduce<Mapping>(merged, object as unknown as Mapping) as unknown as KubernetesObject]
  })
  const added = changes.filter((doc) => !base.some((object) => isOf(object)(doc)))
  return [...kept, ...(added as unknown as KubernetesObject[])]
}

/** As RFC 7386 merges. */
function merged(into: Mapping, change: Mapping): Mapping {
  const entries = Object.entries(change).map(([key, value]) => {
    const present = into[key]
    return [key, isMap(value) ? merged(isMap(present) ? present : {}, value) : value] as const
  })
  const all: Array<readonly [string, unknown]> = Object.entries({ ...into, ...Object.fromEntries(entries) })
  return Object.fromEntries(all.filter(([, value]) => value !== null))
}

/** Returns the change that makes other objects of the base package. */
export function changeTo(objects: readonly KubernetesObject[]): Mapping[] {
  const left = loadAll(BASE) as KubernetesObject[]
  const changes = objects.flatMap((object) => {
    const at = left.findIndex(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name)
    const [present] = at === -1 ? [] : left.splice(at, 1)
    if (present === undefined) return [object as unknown as Mapping]
    const change = difference(present as unknown as Mapping, object as unknown as Mapping)
    return change === undefined ? [] : [{ kind: object.kind, ...change }]
  })
  return [...changes, ...left.map(({ kind }) => ({ kind, metadata: null }))]
}

function difference(before: Mapping, after: Mapping): Mapping | undefined {
  const entries = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [was, is] = [before[key], after[key]]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    const change = is === undefined ? null : isMap(was) && isMap(is) ? difference(was, is) : is
    return change === undefined ? [] : [[key, change] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
