/** Drawn pools on a real control plane, from pending pods to idle nodes: what is said to be placed is bound by the scheduler. */
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { LEAVING } from '../../src/krm/remembered.ts'
import { POOL_LABEL } from '../../test/support/pools.ts'
import { suite } from '../../test/support/suite.ts'
import { SCHEDULED, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { eventually } from '../support/eventually.ts'
import { Api } from '../support/fleets/api.ts'
import { KUBENODESMITH_CRDS } from '../support/kubenodesmith-crd.ts'
import { asList, does } from '../support/objects.ts'
import { ClosedLoop, isAgent, isBound, type Turn } from '../support/pools/closed-loop.ts'
import { drawPoolFleet, STARTING } from '../support/pools/draw-fleet.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const FLEETS = sampled(60, 8)
/** Turns in which pods that the scheduler put elsewhere than planned find room. */
const MORE_TURNS = 4
const IDLE_TURNS = 30
/** Turns without a mark or a removal after which the pools are idle: each second one removes what the one before marked. */
const QUIET_TURNS = 3
const cluster = SCHEDULED.every(has) ? await startCluster({ scheduler: true }) : undefined

suite('pools on a real control plane', (test) => {
  test('the same number draws the same fleet', () => assert.equal(drawPoolFleet(7), drawPoolFleet(7)))
  if (cluster === undefined) return
  const { kubectl, folder, stop } = cluster
  const api = new Api(folder)
  const fleets = Array.from({ length: FLEETS }, (_, index) => drawPoolFleet(index + 1))
  const loop = new ClosedLoop(cluster, api, fleets)
  /** By pod, the machine that it was last said to be placed on. */
  const said = new Map<string, string>()
  const figures = { machines: 0, placed: 0, boundAtOnce: 0, taken: 0, asSaid: 0, renders: 0, held: 0, left: 0 }
  const decidedOf = ({ decided }: Turn) => decided ?? assert.unreachable('not rendered')
  const errors = () => loop.turns.flatMap((one) => decidedOf(one)?.errors ?? [])
  const added = () => loop.turns.flatMap((one) => decidedOf(one)?.added ?? [])
  const note = () => {
    for (const { fleet, decided } of loop.turns)
      for (const [{ id }, outcome] of decided?.run?.packing.outcomes ?? [])
        if (outcome.kind === 'placed') said.set(id.includes('/') ? id : `${fleet.name}/${id}`, outcome.bin.name)
  }
  const idOf = ({ metadata }: Any) => `${metadata.namespace}/${metadata.name}`
  const own = async () => (await loop.seen()).pods.filter((pod) => !isAgent(pod))
  const unbound = async () => (await own()).filter((pod) => said.has(idOf(pod)) && !isBound(pod)).map(idOf)
  /** Whether the scheduler has had its say: as many pods are bound for some seconds. */
  const settled = async () => {
    for (let before = -1, same = 0; same < 8; await pause(1000)) {
      const now = (await loop.seen()).pods.filter(isBound).length
      same = now === before ? same + 1 : 0
      before = now
      if ((await unbound()).length === 0) return
    }
  }

  test('pods wait, and machines are opened for them', async () => {
    does(kubectl(['create', '-f', '-'], asList(KUBENODESMITH_CRDS)))
    await established(kubectl)
    await loop.begin()
    figures.machines += await loop.turn()
    assert.equal(errors(), [])
    note()
    figures.placed = said.size
    assert.ok(figures.machines >= FLEETS && said.size > FLEETS, JSON.stringify(figures))
  })
  test('machines that still have startup taints take the pods: more are opened for those alone whose place others took', async () => {
    figures.machines += await loop.turn()
    assert.equal(errors(), [])
    const bound = (await own()).filter(isBound)
    const { nodes } = await loop.seen()
    const opened = loop.turns.flatMap(({ decided }) =>
      [...(decided?.run?.packing.outcomes ?? [])].flatMap(([{ id }, outcome]) =>
        outcome.kind === 'placed' && outcome.bin.kind === 'new' ? id : [],
      ),
    )
    for (const id of opened) {
      const machine = said.get(id)
      const node = nodes.find(({ metadata }) => metadata.name === machine)
      const others = bound.filter((pod) => pod.spec.nodeName === machine && said.get(idOf(pod)) !== machine)
      assert.ok(others.length > 0, `${id}: nobody took its place on ${machine}`)
      assert.not(isStarting(node), `${id}: ${machine} still starts`)
    }
    assert.ok(opened.length >= added().length)
    note()
  })
  test('each pod that was said to be placed is bound by the scheduler', async () => {
    await loop.started()
    await settled()
    const first = await own()
    // a pod that gets no machine is bound only where the scheduler places others otherwise than planned
    const asSaid = fleets.filter(({ name }) =>
      first.every(
        (pod) => pod.metadata.namespace !== name || !said.has(idOf(pod)) || said.get(idOf(pod)) === pod.spec.nodeName,
      ),
    )
    assert.equal(
      first
        .filter((pod) => isBound(pod) && !said.has(idOf(pod)))
        .filter(({ metadata }) => asSaid.some(({ name }) => name === metadata.namespace))
        .map(idOf),
      [],
    )
    figures.asSaid = asSaid.length
    figures.boundAtOnce = said.size - (await unbound()).length
    figures.taken = said.size - figures.boundAtOnce
    for (let turn = 0; turn < MORE_TURNS && (await unbound()).length > 0; turn++) {
      figures.renders++
      figures.machines += await loop.turn()
      assert.equal(errors(), [])
      note()
      await loop.started()
      await settled()
    }
    const held = new Set(
      loop.turns.flatMap(({ decided }) =>
        [...(decided?.run?.packing.outcomes ?? [])].flatMap(([{ id }, { kind }]) => (kind === 'held back' ? id : [])),
      ),
    )
    // the scheduler lets others pass, and a limit may leave no room for another machine
    assert.equal(
      (await unbound()).filter((id) => !held.has(id)),
      [],
    )
    figures.held = (await unbound()).length
    assert.ok(figures.boundAtOnce > said.size * 0.8, JSON.stringify(figures))
  })
  test('fed back, nothing more is opened', async () => {
    await loop.turn()
    assert.equal([errors(), added()], [[], []])
  })
  test('idle, each pool shrinks to minNodes, and no busy node goes', async () => {
    const { pods } = await loop.seen()
    const mine = pods.filter((pod) => !isAgent(pod))
    // in every other fleet one pod runs on
    const stays = new Set(fleets.flatMap(({ name }, index) => (index % 2 === 0 ? [] : firstBound(mine, name))))
    await loop.end(mine.filter((pod) => !stays.has(pod)))
    await eventually(async () => (await own()).length === stays.size)
    const where = [...stays].map((pod) => pod.spec.nodeName)
    let checked = false
    for (let turn = 0, quiet = 0; turn < IDLE_TURNS && quiet < QUIET_TURNS; turn++) {
      await loop.turn()
      assert.equal([errors(), added()], [[], []])
      const { nodes } = await loop.seen()
      for (const name of where)
        assert.ok(
          nodes.some(({ metadata }) => metadata.name === name),
          `${name} is busy`,
        )
      const marked = nodes.filter(({ metadata }) => metadata.annotations?.[LEAVING] !== undefined)
      if (!checked) checked = await comesBack(marked)
      loop.pass(6)
      const isBusy =
        marked.length > 0 || loop.turns.some(({ decided }) => decided !== undefined && decided.dropped.length > 0)
      quiet = isBusy || turn === 0 ? 0 : quiet + 1
    }
    assert.ok(checked, 'an agent was deleted on a cordoned node')
    const { nodes } = await loop.seen()
    for (const { fleet } of loop.turns)
      for (const { metadata, spec } of fleet.objects.filter(({ kind }) => kind === 'NodeSmithPool')) {
        const { minNodes } = (spec as Any).limits
        const names = nodes.filter(({ metadata: { labels } }) => labels[POOL_LABEL] === metadata.name)
        const busy = names.filter((node) => where.includes(node.metadata.name)).length
        figures.left += names.length
        const least = Math.max(busy, Math.min(minNodes, names.length))
        assert.is(names.length, least, `${metadata.name}: minNodes ${minNodes}, ${busy} busy`)
      }
  })
  test('figures', () => {
    process.stdout.write(`pools on a real control plane: ${FLEETS} fleets, ${JSON.stringify(figures)}\n`)
    assert.ok(figures.left < figures.machines)
  })
  test('what was started is stopped', async () => {
    api.close()
    await stop()
  })

  /** Deletes an agent on a cordoned node, and waits for the next one; false where no such node has an agent. */
  async function comesBack(marked: readonly Any[]): Promise<boolean> {
    const { pods } = await loop.seen()
    const names = marked.filter(({ spec }) => spec.unschedulable === true).map(({ metadata }) => metadata.name)
    const agent = pods.find((pod) => isAgent(pod) && names.includes(pod.spec.nodeName))
    if (agent === undefined) return false
    await loop.end([agent])
    const isNext = (pod: Any) =>
      isAgent(pod) && pod.spec.nodeName === agent.spec.nodeName && pod.metadata.uid !== agent.metadata.uid
    await eventually(async () => (await loop.seen()).pods.some(isNext))
    return true
  }
})

function isStarting(node: Any): boolean {
  return (node?.spec.taints ?? []).some(({ key }: Any) => key === STARTING)
}

function firstBound(pods: readonly Any[], namespace: string): Any[] {
  return pods.filter((pod) => pod.metadata.namespace === namespace && isBound(pod)).slice(0, 1)
}
