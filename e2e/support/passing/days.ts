/** Drawn days in which things pass: taints of the start, labels that flap, nodes that are replaced, pools at zero, a clock ahead. */
import { Draw } from '../fleets/draw.ts'
import { type FleetNode, nodeNamed } from '../fleets/nodes.ts'

/** A label that a discovery writes, by which the policy groups. */
export const MODEL = 'feature.node.kubernetes.io/model'
/** How long a group stays that has no node; the longest event of a day is longer. */
export const RETAINED_HOURS = 6
/** Start-up taints of the default list, one by a prefix, and one that no list has. */
const TAINTS = [
  'node.cilium.io/agent-not-ready',
  'ebs.csi.aws.com/agent-not-ready',
  'efs.csi.aws.com/agent-not-ready',
  'startup-taint.cluster-autoscaler.kubernetes.io/disk',
  'example.com/hold',
]
const POOLS = { small: [4, 3], large: [8, 2], big: [16, 2] } as const
type Pool = keyof typeof POOLS
const QUIET_RENDERS = 20

/** What happens to the nodes before a render. */
export interface Step {
  readonly minute: number
  readonly what: string
  /** Changes the nodes, by name. */
  readonly change: (nodes: Map<string, Live>) => void
}

/** A node, and by how many minutes its clock is ahead. */
export interface Live {
  readonly node: FleetNode
  readonly ahead: number
}

/** The nodes with which each day begins. */
export function firstNodes(): Map<string, Live> {
  return new Map(
    (Object.keys(POOLS) as Pool[]).flatMap((pool) =>
      Array.from({ length: POOLS[pool][1] }, (_, index) => entry(`${pool}-${index}`, pool)),
    ),
  )
}

function entry(name: string, pool: Pool, taints: string[] = []): [string, Live] {
  const [cpu] = POOLS[pool]
  const node = nodeNamed(name, { [MODEL]: pool }, cpu, cpu * 4 - 2)
  return [name, { node: { ...node, spec: taintsOf(taints) }, ahead: 0 }]
}

const taintsOf = (keys: readonly string[]) =>
  keys.length === 0 ? {} : { taints: keys.map((key) => ({ key, effect: 'NoExecute' as const })) }

/** The nodes of a pool, whether they have its label or not. */
const ofPool = (nodes: ReadonlyMap<string, Live>, pool: Pool) =>
  [...nodes.keys()].filter((name) => name.startsWith(`${pool}-`))

function edit(nodes: Map<string, Live>, names: readonly string[], change: (live: Live) => Live): void {
  for (const name of names) {
    const live = nodes.get(name)
    if (live !== undefined) nodes.set(name, change(live))
  }
}

const tainted =
  (keys: readonly string[]) =>
  (live: Live): Live => ({ ...live, node: { ...live.node, spec: taintsOf(keys) } })

/** The steps of a day, with quiet renders between them. The same number draws the same day. */
export function drawDay(number: number): readonly Step[] {
  const draw = new Draw(`day ${number}`)
  let minute = 0
  let count = 0
  const steps: Step[] = []
  const then = (minutes: number, what: string, change: Step['change']) => {
    minute += minutes
    steps.push({ minute, what, change })
  }
  const pool = () => draw.one(Object.keys(POOLS) as Pool[])
  const some = () => draw.percent(50)
  const events: Array<() => void> = [
    () => {
      const [own, isAll, key] = [pool(), some(), draw.one(TAINTS)]
      const names = (nodes: ReadonlyMap<string, Live>) => ofPool(nodes, own).slice(0, isAll ? undefined : 1)
      then(draw.integer(5, 30), `taint ${key} on ${own}`, (nodes) => edit(nodes, names(nodes), tainted([key])))
      then(draw.integer(1, 40), `no taint on ${own}`, (nodes) => edit(nodes, names(nodes), tainted([])))
    },
    () => {
      const own = pool()
      then(draw.integer(5, 30), `no label on ${own}`, (nodes) => edit(nodes, ofPool(nodes, own), withLabel(undefined)))
      then(draw.integer(1, 90), `label on ${own}`, (nodes) => edit(nodes, ofPool(nodes, own), withLabel(own)))
    },
    () => {
      const [own, key] = [pool(), draw.one(TAINTS)]
      for (let index = 0; index < POOLS[own][1]; index++) {
        then(draw.integer(5, 20), `a node of ${own} goes`, (nodes) => nodes.delete(ofPool(nodes, own)[0] ?? ''))
        const name = `${own}-${draw.integer(100, 999)}-${count++}`
        then(draw.integer(1, 10), `a new node of ${own}`, (nodes) => nodes.set(...entry(name, own, [key])))
        then(draw.integer(1, 10), `${name} is up`, (nodes) => edit(nodes, [name], tainted([])))
      }
    },
    ...[55, RETAINED_HOURS * 60 + 30].map((minutes) => () => {
      const own = pool()
      const names = Array.from({ length: POOLS[own][1] }, () => `${own}-${count++}`)
      then(draw.integer(5, 30), `${own} at zero`, (nodes) => {
        for (const name of ofPool(nodes, own)) nodes.delete(name)
      })
      then(minutes, `${own} for ${minutes} minutes`, () => undefined)
      then(1, `${own} is back`, (nodes) => {
        for (const name of names) nodes.set(...entry(name, own))
      })
    }),
    () => {
      const [own, days] = [pool(), draw.integer(1, 40)]
      const first = (nodes: ReadonlyMap<string, Live>) => ofPool(nodes, own).slice(0, 1)
      then(draw.integer(5, 30), `a clock of ${own} ahead by ${days} days`, (nodes) =>
        edit(nodes, first(nodes), (live) => ({ ...live, ahead: days * 24 * 60 })),
      )
      then(draw.integer(5, 30), `the clock of ${own} is right`, (nodes) =>
        edit(nodes, [...nodes.keys()], (live) => ({ ...live, ahead: 0 })),
      )
    },
  ]
  for (const event of draw.some(events, events.length)) event()
  const quiet = draw.times(QUIET_RENDERS, () => draw.integer(1, Math.max(minute, 1380)))
  for (const at of quiet) steps.push({ minute: at, what: 'quiet', change: () => undefined })
  return steps.sort((a, b) => a.minute - b.minute)
}

function withLabel(value: string | undefined): (live: Live) => Live {
  return (live) => {
    const { [MODEL]: _, ...labels } = live.node.metadata.labels
    const own = value === undefined ? labels : { ...labels, [MODEL]: value }
    return { ...live, node: { ...live.node, metadata: { ...live.node.metadata, labels: own } } }
  }
}
