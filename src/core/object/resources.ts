import type { PercentageName } from '../../kinds/index.ts'
import { isMap, member } from '../../krm/map.ts'
import type { ResourceQuantities, ResourceRequirements } from '../../kube/index.ts'

type Printed = ReadonlyMap<PercentageName, string>

/** The field of each amount. */
const SIZES: ReadonlyArray<[part: 'requests' | 'limits', name: 'cpu' | 'memory', key: PercentageName]> = [
  ['requests', 'cpu', 'requestCPU'],
  ['requests', 'memory', 'requestMemory'],
  ['limits', 'cpu', 'limitCPU'],
  ['limits', 'memory', 'limitMemory'],
]

/** Sets the computed sizes in requests and limits, and removes what is empty then. */
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

/** Whether requests and limits, in any shape a user gave them, have exactly these sizes. */
export function hasSizes(resources: unknown, printed: Printed): boolean {
  const present = isMap(resources) ? resources : {}
  return SIZES.every(([part, name, key]) => {
    const amounts = present[part]
    return (isMap(amounts) ? member(amounts, name) : undefined) === printed.get(key)
  })
}

/** Sets cpu and memory, or removes one without a percentage. Other resources stay. */
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
