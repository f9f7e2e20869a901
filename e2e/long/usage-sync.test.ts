/**
 * Sixty days of agents through the code of nodefit sync, with kills, restarts of the controller and of agents: commits are few, requests
 * change when the schedule fires and at no other time, limits never fall. The sample has a quarter of the days.
 */
import * as assert from 'uvu/assert'
import type { UsageRow } from '../../src/facts/inventory/index.ts'
import { Quantity } from '../../src/kube/index.ts'
import { suite } from '../../test/support/suite.ts'
import { DAY, HOUR, MINUTE, UsageWorld } from '../../test/support/usage-world.ts'
import { sampled } from '../support/sampled.ts'
import { type AgentName, agentOf } from '../usage/agents.ts'
import { Draw, Fleet, GROUP_OF, GROUPS } from '../usage/fleet.ts'

const SEED = 1
const DAYS = sampled(60, 15)
const STEP = 5 * MINUTE
/** A Tuesday at midnight. */
const FIRST = Date.UTC(2026, 0, 6)
/** Nodes of each of three groups. */
const NODES = 4
const USED = [0, 1, 2]
const AGENTS: readonly AgentName[] = ['shipper', 'security', 'cache']

interface Course {
  readonly regular: number
  readonly urgent: number
  readonly kills: number
  /** What is not as it must be. */
  readonly wrong: readonly string[]
}

async function courseOf(name: AgentName): Promise<Course> {
  const fleet = new Fleet(SEED)
  const agent = agentOf(name, new Draw(1000 * SEED))
  const world = new UsageWorld({ start: new Date(FIRST + 30_000).toISOString(), schedule: '0 9 * * 2' })
  const limits = new Map(USED.map((group) => [group, agent.template.limits.memory]))
  const wrong: string[] = []
  let [regular, urgent, kills] = [0, 0, 0]
  const memory = (group: number) => limits.get(group) ?? 0
  const nodes = USED.flatMap((group) => GROUP_OF.flatMap((of, node) => (of === group ? [node] : [])).slice(0, NODES))
  const useAt = (node: number, at: number) => {
    const step = Math.floor((at - FIRST) / STEP)
    const { load = 1, fill = 0 } = fleet.lifeAt(node, step) ?? {}
    return agent.use({ step, node, load, pods: (GROUPS[GROUP_OF[node] ?? 0]?.pods ?? 0) * fill })
  }
  const put = (node: number) => {
    const group = GROUP_OF[node] ?? 0
    const limit = memory(group)
    const cache = agent.cache ?? 0
    world.pod({
      ...{ name: `p${node}`, daemonSet: `g${group}`, node: `n${node}`, startedAt: world.clock.now() },
      limits: { memory: `${limit}Mi` },
      use: (at) => {
        const { cpu, seen } = useAt(node, at)
        return { cpu, memory: Math.min(limit, cache > 0 ? Math.min(seen + cache, Math.max(seen, 0.95 * limit)) : seen) }
      },
    })
  }
  for (const group of USED) world.daemonSet(`g${group}`, `value:${GROUPS[group]?.name}`, NODES)
  for (const node of nodes) put(node)
  await world.begin()
  const turn = () => {
    const before = new Map(world.inGit.map((row) => [row.group, row]))
    if (!world.commit()) return
    const now = world.clock.now()
    const isFire = world.inGit.some(
      (row) => row.settled?.at !== before.get(row.group)?.settled?.at && row.settled?.why === 'Regular',
    )
    if (isFire) regular++
    else urgent++
    for (const row of world.inGit) wrong.push(...wrongChange(row, before.get(row.group), isFire, now))
    for (const group of USED) {
      const row = world.inGit.find((one) => one.group === `value:${GROUPS[group]?.name}`)
      const limit = row?.settled?.limitMemory
      if (limit === undefined || mebi(limit) <= memory(group)) continue
      limits.set(group, mebi(limit))
      for (const node of nodes) if (GROUP_OF[node] === group) put(node)
    }
  }
  for (let hour = 0; hour < DAYS * 24; hour++) {
    for (const node of nodes) {
      const [at, limit] = [world.clock.now(), memory(GROUP_OF[node] ?? 0)]
      const needs = Array.from({ length: 12 }, (_, index) => useAt(node, at + index * STEP).memory)
      if (!needs.some((need) => need > limit)) continue
      kills++
      world.kill(`p${node}`)
    }
    await world.pass(HOUR / 2)
    turn()
    await world.pass(HOUR / 2)
    turn()
    // now and then it is killed, at whatever minute
    if (hour % 29 === 7) await world.restart()
  }
  await world.stop()
  return { regular, urgent, kills, wrong }
}

const mebi = (text: string | number) => Number(Quantity.parse(text).value() >> 20n)

function wrongChange(
  { group, settled }: UsageRow,
  before: UsageRow | undefined,
  isFire: boolean,
  now: number,
): string[] {
  const was = before?.settled
  const isOther = settled?.cpu !== was?.cpu || settled?.memory !== was?.memory
  const [limit, earlier] = [mebi(settled?.limitMemory ?? 0), mebi(was?.limitMemory ?? 0)]
  const time = new Date(now).toISOString()
  return [
    ...(isOther && !isFire ? [`${group}: requests changed at ${time}, when nothing fired`] : []),
    ...(isFire && Math.abs(((now - FIRST) % (7 * DAY)) - 9 * HOUR) > HOUR ? [`settled regularly at ${time}`] : []),
    ...(limit < earlier ? [`${group}: the limit fell at ${time}`] : []),
  ]
}

suite('sixty days through nodefit sync', (test) => {
  for (const name of AGENTS)
    test(name, async () => {
      const { regular, urgent, kills, wrong } = await courseOf(name)
      process.stdout.write(`${name}: ${regular} regular commits, ${urgent} urgent, ${kills} kills\n`)
      assert.equal(wrong, [])
      assert.ok(regular >= 1 && regular <= Math.floor(DAYS / 7), `${regular} regular commits`)
      assert.ok(urgent <= 3 * USED.length, `${urgent} urgent commits`)
    })
})
