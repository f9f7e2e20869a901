import { daemonSet, policy, TYPE } from '../../../test/support/objects.ts'
import type { Scenario } from './judge.ts'
import {
  CAPACITIES,
  CAPACITY,
  FAMILY,
  GPU,
  MEMORY,
  POOL,
  type PoolSpec,
  type Requirement,
  TYPES,
  ZONE,
  ZONES,
} from './scenario.ts'

const ARCH = 'kubernetes.io/arch'
const TEAM = 'team'

/** Values that a template may ask for, some of which no node has. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  [TYPE]: [...TYPES.map(({ name }) => name), 't3.nano'],
  [ARCH]: ['amd64', 'arm64'],
  [ZONE]: ZONES,
  [CAPACITY]: CAPACITIES,
  [POOL]: ['one', 'two'],
  [FAMILY]: ['m5', 'c7g', 'g5'],
  [GPU]: ['a10g', 'h100'],
  [TEAM]: ['blue', 'red', 'green'],
}

/** A scenario that a number stands for: pools, a template and a policy drawn at random. */
export function draw(seed: number): Scenario {
  let state = seed * 2654435761
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const some = (list: readonly string[], most: number) => [
    ...new Set(Array.from({ length: 1 + below(most) }, () => pick(list))),
  ]
  const maybe = <T>(chance: number, make: () => T): T[] => (below(100) < chance ? [make()] : [])

  const ofPool = (key: string): Requirement => ({ key, operator: 'In', values: some(VALUES[key] ?? [], 3) })
  const pool = (name: string): PoolSpec => {
    const team = below(5)
    return {
      name,
      requirements: [
        ...maybe(40, () => (below(4) === 0 ? { key: ZONE, operator: 'NotIn', values: [pick(ZONES)] } : ofPool(ZONE))),
        ...maybe(30, () => ofPool(CAPACITY)),
        ...maybe(20, () => ofPool(ARCH)),
        ...maybe(20, () => ({ key: TYPE, operator: 'NotIn', values: [pick(VALUES[TYPE] ?? [])] })),
        ...(team === 0 ? [ofPool(TEAM)] : []),
      ],
      ...(team === 1 ? { labels: { [TEAM]: pick(VALUES[TEAM] ?? []) } } : {}),
      ...(team === 2 ? { later: { [TEAM]: pick(VALUES[TEAM] ?? []) } } : {}),
      ...(below(5) === 0 ? { taints: [{ key: 'own', value: 'a', effect: 'NoSchedule' }] } : {}),
      ...(below(5) === 0 ? { limits: { cpu: '8' } } : {}),
    }
  }
  const ofTemplate = (): Requirement => {
    const key = pick([...Object.keys(VALUES), MEMORY])
    if (key === MEMORY) return { key, operator: pick(['Gt', 'Lt']), values: [pick(['8191', '8192', '20000'])] }
    const operator = pick(['In', 'In', 'NotIn', 'NotIn', 'Exists', 'DoesNotExist'])
    return operator.endsWith('In') ? { key, operator, values: some(VALUES[key] ?? [], 3) } : { key, operator }
  }
  const named = () => ({ key: 'metadata.name', operator: pick(['In', 'NotIn']), values: ['one-m5.large-0'] })
  const term = () => ({
    matchExpressions: Array.from({ length: 1 + below(2) }, ofTemplate),
    matchFields: maybe(10, named),
  })
  const terms = Array.from({ length: pick([0, 0, 1, 1, 1, 2]) }, term)
  const labels = [TYPE, ZONE, CAPACITY, POOL, ARCH, FAMILY, GPU, TEAM]
  const grouping = pick([
    {},
    { nodeGroupLabel: pick(labels) },
    { nodeGroupLabels: [pick([TYPE, ARCH]), pick([ZONE, POOL, TEAM])] },
    { nodeGroupRanges: { label: MEMORY, bounds: [8193, 20000] } },
    {
      groups: [
        {
          name: 'own',
          nodeSelector: Object.fromEntries([labels, labels].map(pick).map((key) => [key, pick(VALUES[key] ?? [])])),
        },
      ],
    },
    { classes: { ratio: 2 } },
  ])
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  }
  const pod = {
    containers: [{ name: 'agent', image: 'agent:1', resources: { requests: { cpu: '10m', memory: '10Mi' } } }],
    ...(terms.length === 0 ? {} : { affinity }),
    ...(below(3) === 0 ? { tolerations: [{ key: 'own', operator: 'Exists' }] } : {}),
  }
  return {
    name: `number ${seed}`,
    pools: [pool('one'), pool('two')].slice(below(2)),
    objects: [policy(grouping), daemonSet(pod)],
  }
}
