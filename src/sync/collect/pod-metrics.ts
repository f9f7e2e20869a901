import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { KubeError, Quantity } from '../../kube/index.ts'
import { CPU_SCALE, MEMORY_SCALE, type Scale } from '../../usage/index.ts'

/** The resources whose usage is collected, with the scale of each. */
export const MEASURED: Readonly<Record<'cpu' | 'memory', Scale>> = { cpu: CPU_SCALE, memory: MEMORY_SCALE }

export type Measured = keyof typeof MEASURED

/** The usage of one container in one measurement, as steps of the scales. */
export interface Sample {
  readonly pod: string
  /** The time of the measurement, as the metrics API writes it. */
  readonly at: string
  readonly container: string
  readonly steps: Partial<Record<Measured, number>>
}

/** The samples of a PodMetricsList; malformed entries are left out. */
export function samplesIn(response: unknown): Sample[] {
  return listOf(memberOf(response, 'items')).flatMap((item) => {
    const pod = memberOf(memberOf(item, 'metadata'), 'name')
    if (typeof pod !== 'string') return []
    const at = String(memberOf(item, 'timestamp') ?? '')
    return listOf(memberOf(item, 'containers')).flatMap((entry) => {
      const container = memberOf(entry, 'name')
      const usage = memberOf(entry, 'usage')
      if (typeof container !== 'string' || !isMap(usage)) return []
      return [{ pod, at, container, steps: stepsOf(usage) }]
    })
  })
}

function stepsOf(usage: Record<string, unknown>): Sample['steps'] {
  return Object.fromEntries(
    Object.entries(MEASURED).flatMap(([name, scale]) => {
      const amount = parseQuantity(memberOf(usage, name))
      return amount === undefined ? [] : [[name, scale.stepOf(amount)]]
    }),
  )
}

/** A quantity of the metrics API; undefined for a malformed one. */
export function parseQuantity(text: unknown): Quantity | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}
