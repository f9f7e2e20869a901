import { isMap, member } from '../krm/map.ts'
import type { ResourceQuantities, ResourceRequirements } from '../kube/index.ts'
import type { PercentageName } from '../policy/index.ts'

type Printed = ReadonlyMap<PercentageName, string>

/** Where each amount stands. */
const SIZES: ReadonlyArray<[part: 'requests' | 'limits', name: 'cpu' | 'memory', key: PercentageName]> = [
  ['requests', 'cpu', 'requestCPU'],
  ['requests', 'memory', 'requestMemory'],
  ['limits', 'cpu', 'limitCPU'],
  ['limits', 'memory', 'limitMemory'],
]

/** Requests and limits with the sizes in them, as they are printed; what is empty then is left out. */
export function sizedResources(
  resources: ResourceRequirements | null | undefined,
  printed: Printed,
): ResourceRequirements {
  return withoutEmpty({
    ...resources,
    requests: amounts(resources?.requests, printed, 'requestCPU', 'requestMemory'),
    limits: amounts(resources?.limits, printed, 'limitCPU', 'limitMemory'),
  })
}

/** Whether requests and limits, whatever a user made of them, show these sizes and no other. */
export function hasSizes(resources: unknown, printed: Printed): boolean {
  const present = isMap(resources) ? resources : {}
  return SIZES.every(([part, name, key]) => {
    const amounts = present[part]
    return (isMap(amounts) ? member(amounts, name) : undefined) === printed.get(key)
  })
}

/** cpu and memory as computed, absent where no percentage is set; other resources stay. */
function amounts(
  template: ResourceQuantities | undefined,
  printed: Printed,
  cpu: PercentageName,
  memory: PercentageName,
): ResourceQuantities {
  const result = { ...template }
  for (const [name, key] of [
    ['cpu', cpu],
    ['memory', memory],
  ] as const) {
    const text = printed.get(key)
    if (text === undefined) delete result[name]
    else result[name] = text
  }
  return result
}

function withoutEmpty<T extends object>(resources: T): T {
  return Object.fromEntries(Object.entries(resources).filter(([, value]) => !isEmptyMap(value))) as T
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
