import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { KubeError, Quantity } from '../../kube/index.ts'
import { CPU_SCALE, MEMORY_SCALE, type Scale } from './scale.ts'

/** The resources of which usage is kept, and the scale of each. */
export const MEASURED: Readonly<Record<'cpu' | 'memory', Scale>> = { cpu: CPU_SCALE, memory: MEMORY_SCALE }

export type Measured = keyof typeof MEASURED

/** What a container used when its pod was measured, as steps of the scales. */
export interface Sample {
  readonly pod: string
  /** When it was measured, as text. */
  readonly at: string
  readonly container: string
  readonly steps: Partial<Record<Measured, number>>
}

/** The samples of a list of PodMetrics; what of it cannot be read is left out. */
export function samplesIn(answer: unknown): Sample[] {
  return listOf(memberOf(answer, 'items')).flatMap((item) => {
    const pod = memberOf(memberOf(item, 'metadata'), 'name')
    if (typeof pod !== 'string') return []
    const at = String(memberOf(item, 'timestamp') ?? '')
    return listOf(memberOf(item, 'containers')).flatMap((one) => {
      const container = memberOf(one, 'name')
      const usage = memberOf(one, 'usage')
      if (typeof container !== 'string' || !isMap(usage)) return []
      return [{ pod, at, container, steps: stepsOf(usage) }]
    })
  })
}

function stepsOf(usage: Record<string, unknown>): Sample['steps'] {
  return Object.fromEntries(
    Object.entries(MEASURED).flatMap(([name, scale]) => {
      const amount = quantityIn(memberOf(usage, name))
      return amount === undefined ? [] : [[name, scale.stepOf(amount)]]
    }),
  )
}

function quantityIn(text: unknown): Quantity | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}
