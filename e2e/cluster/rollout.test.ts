/** Rollouts on the real DaemonSet controller, with pods that take time to start: how many nodes are without an agent, at every instant. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../test/support/objects.ts'
import { errorsOf } from '../../test/support/orders.ts'
import { rerender, said, withSpec } from '../../test/support/rerender.ts'
import { suite } from '../../test/support/suite.ts'
import { Agents, type Seen } from '../support/agents.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { Api } from '../support/fleets/api.ts'
import { nodeNamed } from '../support/fleets/nodes.ts'
import { has } from '../support/program.ts'

const START_MILLISECONDS = 700
const MINUTE = 60_000
const BEGIN = Date.parse('2026-11-20T12:00:00Z')
const OWNER = 'nodefit.dev/owner'

/** Two nodes of each type, with so many cores. */
type Types = Readonly<Record<string, number>>
const SIX: Types = { a: 4, b: 4, c: 8, d: 8, e: 16, f: 16 }
const namesOf = (types: Types) => Object.keys(types).flatMap((type) => [`${type}-1`, `${type}-2`])
const nodes = (types: Types, minutes: number) =>
  inventory(
    Object.entries(types).map(([type, cores]) =>
      shape({ [TYPE]: type }, [`${type}-1`, `${type}-2`], String(cores), `${cores * 4}Gi`),
    ),
    { observedAt: new Date(BEGIN + minutes * MINUTE).toISOString().replace('.000Z', 'Z') },
  )
const template = (version: number) => daemonSet({ containers: [{ name: 'agent', image: `agent:${version}` }] })
const rolled = (spec: object) => policy({ rollout: { maxNodes: '20%', every: '10m' }, ...spec })

const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

suite('rollouts on a real cluster', (test) => {
  test('every type has two nodes', () => assert.is(namesOf(SIX).length, 12))
  if (cluster === undefined) return
  const api = new Api(cluster.folder)
  const agents = new Agents(api, START_MILLISECONDS)

  const joins = async (types: Types) => {
    for (const [type, cores] of Object.entries(types))
      for (const name of [`${type}-1`, `${type}-2`]) await api.create(nodeNamed(name, { [TYPE]: type }, cores))
  }
  const rendered = ({ items }: Plan) =>
    items.map(({ object }) => object).filter(({ metadata }) => metadata.annotations?.[OWNER] !== undefined)
  /** As `kubectl apply --prune` has it: what is there first, then what is gone. */
  const apply = async (result: Plan) => {
    assert.equal(errorsOf(result), [])
    const objects = rendered(result)
    for (const { metadata, ...rest } of objects) {
      const { 'nodefit.dev/owner': owner = '', 'nodefit.dev/group': group = '' } = metadata.annotations ?? {}
      const { name, labels } = metadata
      await api.apply({
        ...rest,
        metadata: { name, labels, annotations: { 'nodefit.dev/owner': owner, 'nodefit.dev/group': group } },
      } as KubernetesObject)
    }
    const names = new Set(objects.map(({ metadata }) => metadata.name))
    const { items } = await api.get('/apis/apps/v1/namespaces/default/daemonsets')
    for (const { metadata } of items)
      if (!names.has(metadata.name)) await api.delete(`/apis/apps/v1/namespaces/default/daemonsets/${metadata.name}`)
  }
  const settles = async (result: Plan) => {
    await apply(result)
    await agents.settled()
  }
  /** Renders and applies every ten minutes until nothing is kept back; gives the number of renders. */
  const rollsOut = async (
    start: Plan,
    types: Types,
    minutes: number,
    change: (object: KubernetesObject) => KubernetesObject,
  ) => {
    let result = start
    let renders = 0
    for (let time = minutes; renders === 0 || said(result, 'RolloutHeldBack').length > 0; time += 10) {
      const isFirst = renders === 0
      result = rerender(result, (object) => {
        const current = object.kind === 'NodeInventory' ? { ...nodes(types, time), metadata: object.metadata } : object
        return isFirst ? change(current) : current
      })
      await settles(result)
      renders += 1
    }
    return { result, renders }
  }
  const withImage = (version: number) => (object: KubernetesObject) =>
    object.kind === 'DaemonSet' && object.metadata.name === 'agent'
      ? withSpec(object, { template: (template(version).spec as { template: object }).template })
      : object

  let six: Plan
  test('without a rollout half of the agents are down at once', async () => {
    await joins(SIX)
    six = plan(listOf([nodes(SIX, 0), policy(), template(1)]))
    await settles(six)
    let worst = 0
    agents.observe((seen) => {
      worst = Math.max(worst, without(seen).length)
    })
    await settles(rerender(six, withImage(2)))
    assert.is(worst, 6)
  })
  test('a new image, a fifth of twelve nodes every ten minutes: never more than three without an agent, none with two', async () => {
    const start = plan(listOf([nodes(SIX, 0), rolled({}), template(2)]))
    await settles(start)
    let worst = 0
    agents.observe((seen) => {
      worst = Math.max(worst, without(seen).length)
      assert.equal(doubled(seen), [])
    })
    const { result, renders } = await rollsOut(start, SIX, 60, withImage(3))
    assert.ok(worst >= 1 && worst <= 3, `${worst} nodes without an agent`)
    assert.is(renders, 6)
    assert.is(rendered(result).filter((object) => JSON.stringify(object).includes('agent:3')).length, 8)
    six = result
  })
  test('with it a new type, one that goes and a class that grows: no node has two, and none lacks one but where it must change', async () => {
    const classes = { classes: { ratio: 2 } }
    const start = plan(listOf([nodes(SIX, 0), rolled(classes), template(3)]))
    await settles(start)
    const { f: _, ...five } = SIX
    const types: Types = { ...five, g: 8, h: 32 }
    for (const name of ['f-1', 'f-2']) await api.delete(`/api/v1/nodes/${name}`)
    await joins({ g: 8, h: 32 })
    await agents.settled()
    /** g joins the class of c and d, whose pods all change; h gets a class of its own from the remainder; e stays in that of f. */
    const mustChange = new Set(namesOf({ c: 8, d: 8, g: 8, h: 32 }))
    const lacking = new Set<string>()
    agents.observe((seen) => {
      assert.equal(doubled(seen), [])
      for (const name of without(seen)) lacking.add(name)
    })
    const first = rerender(start, (object) =>
      withImage(4)(object.kind === 'NodeInventory' ? { ...nodes(types, 60), metadata: object.metadata } : object),
    )
    assert.is(said(first, 'RolloutExceeded').length, 1)
    await settles(first)
    assert.equal(
      [...lacking].filter((name) => !mustChange.has(name)),
      [],
    )
    assert.ok(lacking.size > 0)
    lacking.clear()
    const { result } = await rollsOut(first, types, 70, (object) => object)
    assert.equal(
      [...lacking].filter((name) => !/^[abe]/.test(name)),
      [],
    )
    assert.equal(said(result, 'RolloutHeldBack'), [])
  })
  test('OnDelete to RollingUpdate after a new image: never more nodes without an agent than may change', async () => {
    const strategy = (updateStrategy: object) => (object: KubernetesObject) =>
      object.kind === 'DaemonSet' && object.metadata.name === 'agent' ? withSpec(object, { updateStrategy }) : object
    const onDelete = strategy({ type: 'OnDelete' })
    const all = strategy({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%' } })
    const types: Types = { a: 4, b: 4, c: 8, d: 8, e: 16, g: 8, h: 32 }
    const start = plan(listOf([nodes(types, 0), rolled({}), template(5)]))
    await settles(start)
    // the image reaches every group, but no pod
    let held = rerender(start, onDelete)
    for (let time = 60; time === 60 || said(held, 'RolloutHeldBack').length > 0; time += 10) {
      const change = time === 60 ? withImage(6) : (object: KubernetesObject) => object
      held = rerender(held, (object) =>
        object.kind === 'NodeInventory' ? { ...nodes(types, time), metadata: object.metadata } : change(object),
      )
      await settles(held)
    }
    let worst = 0
    agents.observe((seen) => {
      worst = Math.max(worst, without(seen).length)
    })
    const { renders } = await rollsOut(held, types, 300, all)
    // two nodes of fourteen, a group at a time
    assert.equal([worst, renders], [2, 7])
  })
  test('what was started is stopped', async () => {
    await agents.stop()
    api.close()
    await cluster.stop()
  })
})

function without(seen: Seen): string[] {
  return [...seen].filter(([, count]) => count === 0).map(([name]) => name)
}

function doubled(seen: Seen): string[] {
  return [...seen].filter(([, count]) => count > 1).map(([name]) => name)
}
