import type { Shape, SnapshotParts } from '../../../facts/inventory/index.ts'
import { CPU_SCALE, MEMORY_SCALE } from '../../../facts/usage/index.ts'
import { isMap, listOf, memberOf } from '../../../krm/map.ts'
import { Quantity, readAmount } from '../../../kube/index.ts'
import type { EngineContext } from '../context.ts'
import type { ProjectedNode } from '../nodes/projected-node.ts'
import type { Collector, JsonClient } from './collector.ts'
import { METRICS_API, POLL_INTERVAL, TIMEOUT } from './metrics-poll.ts'

export interface CapacityOptions {
  readonly connection: JsonClient
  /** Gives the present nodes. */
  readonly nodes: () => Iterable<ProjectedNode>
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
  /** Called after each poll. */
  readonly onPoll: () => void
}

type Capacity = NonNullable<SnapshotParts['capacity']>
/** What all nodes use that were measured, in thousandths of a core and bytes. */
interface Usage {
  readonly measured: number
  readonly cpu: bigint
  readonly memory: bigint
}

/**
 * Collects what the nodes have together, and what of it they use: one request to the metrics API each minute. Without
 * that API the usage is absent, and the rest is there.
 */
export class CapacityCollector implements Collector {
  readonly name = 'capacity'
  readonly #options: CapacityOptions
  #hasPolled = false
  #usage: Usage | undefined

  constructor(options: CapacityOptions) {
    this.#options = options
  }

  get isSynced(): boolean {
    return this.#hasPolled
  }

  async start(signal: AbortSignal): Promise<void> {
    const { connection, context, onPoll } = this.#options
    while (!signal.aborted) {
      this.#usage = await connection
        .json({ path: `${METRICS_API}/nodes`, signal, timeout: TIMEOUT })
        .then(usageIn, () => undefined)
      if (!signal.aborted) {
        context.meter.component('metrics-nodes', this.#usage !== undefined)
        this.#hasPolled = true
        onPoll()
      }
      await context.clock.sleep(POLL_INTERVAL, signal)
    }
  }

  part(): SnapshotParts {
    if (!this.#hasPolled) return {}
    const usage = this.#usage
    const measuredUsage = usage && {
      measured: usage.measured,
      usage: {
        cpu: CPU_SCALE.quantityText(CPU_SCALE.stepOf(Quantity.ofMilli(usage.cpu))),
        memory: MEMORY_SCALE.quantityText(MEMORY_SCALE.stepOf(Quantity.of(usage.memory, 'BinarySI'))),
      },
    }
    return { capacity: { ...totals(this.#options.nodes()), ...measuredUsage } }
  }
}

/** The sums over nodes. */
function totals(nodes: Iterable<ProjectedNode>): Capacity {
  const present = [...nodes]
  return {
    nodes: present.length,
    ready: present.filter(({ ready }) => ready === 'True').length,
    unschedulable: present.filter(({ unschedulable }) => unschedulable).length,
    capacity: amountsTogether(present.map(({ capacity }) => capacity)),
    allocatable: amountsTogether(present.map(({ allocatable }) => allocatable)),
  }
}

const MEASURED = ['cpu', 'memory', 'pods']

function amountsTogether(list: ReadonlyArray<Shape['capacity']>): Record<string, string> {
  const sums = MEASURED.map((name) => {
    const amounts = list.flatMap((amounts) =>
      Object.hasOwn(amounts, name) ? [Quantity.parse(amounts[name] ?? '')] : [],
    )
    const sum = amounts.reduce((total, amount) => total + (name === 'cpu' ? amount.milliValue() : amount.value()), 0n)
    const text = name === 'cpu' ? Quantity.ofMilli(sum) : Quantity.of(sum, name === 'memory' ? 'BinarySI' : 'DecimalSI')
    return [name, text.toString()] as const
  })
  return Object.fromEntries(sums)
}

/** The sums of a NodeMetricsList; malformed entries are left out. */
function usageIn(response: unknown): Usage {
  let [measured, cpu, memory] = [0, 0n, 0n]
  for (const item of listOf(memberOf(response, 'items'))) {
    const usage = memberOf(item, 'usage')
    if (!isMap(usage)) continue
    measured++
    cpu += readAmount(usage.cpu)?.milliValue() ?? 0n
    memory += readAmount(usage.memory)?.value() ?? 0n
  }
  return { measured, cpu, memory }
}
