/**
 * A rollout of Tickets under korder's controllers, as fast as its clock goes: a render every few seconds, applied and pruned as a GitOps
 * tool does. Beside it stands the same Order without a rollout.
 */
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, listOf } from '../../test/support/objects.ts'
import { order } from '../../test/support/orders.ts'
import { suite } from '../../test/support/suite.ts'
import { hasKorder, startKorder } from '../support/korder.ts'

const NODES = ['a', 'b', 'c', 'd', 'e', 'f']
const korder = hasKorder() ? await startKorder(...NODES) : undefined

/** All Tickets are renewed in three intervals, and have two more before they end. */
const MOST = 2
const EVERY_SECONDS = 40
const DURATION_SECONDS = 200

/** A package that is rendered again and again, and what was seen in its namespace. */
interface Rendered {
  readonly namespace: string
  readonly inputs: readonly KubernetesObject[]
  tickets: readonly KubernetesObject[]
  /** Every Ticket that was rendered, by its name. */
  readonly all: Map<string, KubernetesObject>
  readonly expired: Set<string>
  /** The nodes that were once seen without a Ticket that has not ended. */
  readonly bare: Set<string>
}

interface Snapshot {
  readonly tickets: ReadonlyArray<{ readonly namespace: string; readonly name: string; readonly phase?: string }>
}

suite('a rollout of Tickets under korder’s controllers', (test) => {
  if (korder === undefined) return
  const { apply, kubectl, exported, touch } = korder
  const made = (namespace: string, ...more: KubernetesObject[]): Rendered => ({
    namespace,
    inputs: [order({}, { duration: `${DURATION_SECONDS}s` }, { namespace }), ...more],
    tickets: [],
    all: new Map(),
    expired: new Set(),
    bare: new Set(),
  })
  const ROLLOUT = { maxNodes: MOST, every: `${EVERY_SECONDS}s` }
  const paced = made('infra', config({ korder: { rollout: ROLLOUT } }))
  const unpaced = made('probe')
  const mark = (ticket: KubernetesObject | undefined, key: string) =>
    ticket?.metadata.annotations?.[`nodefit.dev/${key}`] ?? ''

  /** Notes what an export shows of the Tickets. */
  const look = (one: Rendered, now: readonly KubernetesObject[]) => {
    const snapshot = now.find(({ kind }) => kind === 'WorkloadSnapshot')?.spec as Snapshot
    const live = snapshot.tickets.filter(({ namespace, name }) => namespace === one.namespace && one.all.has(name))
    for (const { name } of live.filter(({ phase }) => phase === 'Expired')) one.expired.add(name)
    const held = live.filter(({ phase }) => phase !== 'Expired').map(({ name }) => mark(one.all.get(name), 'node'))
    if (one.all.size > 0) for (const node of NODES.filter((name) => !held.includes(name))) one.bare.add(node)
  }
  /** Renders, applies what was rendered, and prunes what is no longer. */
  const render = (one: Rendered, now: readonly KubernetesObject[]) => {
    const { items, findings } = plan(listOf([...now, ...one.inputs, ...one.tickets]))
    const errors = findings.filter(({ severity }) => severity === 'error')
    assert.equal(errors, [])
    const next = items.map(({ object }) => object).filter(({ kind }) => kind === 'Ticket')
    const names = next.map(({ metadata }) => metadata.name)
    if (names.some((name) => !one.all.has(name))) apply(next)
    for (const ticket of next) one.all.set(ticket.metadata.name, ticket)
    const gone = one.tickets.flatMap(({ metadata }) => (names.includes(metadata.name) ? [] : [metadata.name]))
    if (gone.length > 0) kubectl('delete', 'tickets', '-n', one.namespace, '--wait=false', ...gone)
    one.tickets = next
  }
  const renewed = ({ all }: Rendered) => [...all.values()].slice(NODES.length)
  const isDone = (one: Rendered) => new Set(renewed(one).map((ticket) => mark(ticket, 'node'))).size === NODES.length

  test('every Ticket is renewed before it ends', async () => {
    for (const end = Date.now() + 3 * DURATION_SECONDS * 1000; Date.now() < end; await pause(1000)) {
      const now = exported(new Date().toISOString().replace(/\.\d+Z$/, 'Z'))
      for (const one of [paced, unpaced]) {
        look(one, now)
        render(one, now)
        touch(one.namespace)
      }
      if (isDone(paced) && isDone(unpaced)) break
    }
    const left = (one: Rendered) => NODES.length - new Set(renewed(one).map((ticket) => mark(ticket, 'node'))).size
    assert.equal([left(paced), left(unpaced)], [0, 0], 'nodes whose Ticket was not renewed, with a rollout and without')
    assert.equal([[...paced.expired], [...paced.bare]], [[], []], 'none ended, and no node was without one')
  })
  test('never more within an interval than the rollout permits', () => {
    const begun = renewed(paced).map((ticket) => Date.parse(mark(ticket, 'begun')))
    for (const first of begun) {
      const within = begun.filter((other) => other >= first && other < first + EVERY_SECONDS * 1000)
      assert.ok(within.length <= MOST, `${within.length} within ${EVERY_SECONDS} seconds`)
    }
  })
  test('without a rollout each had ended before it was renewed, more at once', () => {
    const [first = ''] = [...unpaced.all.values()].map((ticket) => mark(ticket, 'begun'))
    const lasted = (one: Rendered) =>
      renewed(one).map((ticket) => (Date.parse(mark(ticket, 'begun')) - Date.parse(first)) / 1000)
    assert.ok(Math.min(...lasted(unpaced)) >= DURATION_SECONDS, lasted(unpaced).join())
    assert.ok(Math.max(...lasted(paced).slice(0, NODES.length)) < DURATION_SECONDS, lasted(paced).join())
    assert.ok(lasted(unpaced).filter((seconds) => seconds < DURATION_SECONDS + EVERY_SECONDS).length > MOST)
  })
  test('what was started is stopped', korder.stop)
})
