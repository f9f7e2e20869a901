/** Sync waves of a real Argo CD that deletes by its defaults: which nodes lack their agent, and which syncs never end. */
import * as assert from 'uvu/assert'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, node, policy, shape, TYPE } from '../../test/support/objects.ts'
import { errorsOf } from '../../test/support/orders.ts'
import { rerender, said } from '../../test/support/rerender.ts'
import { suite } from '../../test/support/suite.ts'
import { type Span, watchAgents } from '../support/agent-watch.ts'
import { ARGOCD_WORLD, startWorld } from '../support/argocd-world.ts'
import { eventually } from '../support/eventually.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

await onLoopbackOnly()

const OPS = 'ops'
const TYPES = ['a', 'b', 'c']
const NAMES = TYPES.flatMap((type) => [`${type}-1`, `${type}-2`])
/** Its agents never start: what a node does that is not ready. */
const STUCK = 'a-2'
const WAVES = { maxNodes: 2, waves: true }
const metadata = { namespace: OPS }
const sized = (spec: object) => policy({ remainder: false, defaultNodeGroup: '', ...spec }, 'agent', metadata)
const nodes = inventory(TYPES.map((type) => shape({ [TYPE]: type }, [`${type}-1`, `${type}-2`])))
const template = (image: string, container: object = {}) =>
  daemonSet({ containers: [{ name: 'agent', image, ...container }] }, metadata)
const withPolicy =
  (spec: object, next?: KubernetesObject) =>
  (object: KubernetesObject): KubernetesObject => {
    if (object.kind === 'SizingPolicy') return { ...object, spec: sized(spec).spec }
    if (next === undefined || object.metadata.name !== 'agent' || object.kind !== 'DaemonSet') return object
    return { ...object, spec: next.spec }
  }

const PORT = { ports: [{ hostPort: 9100, containerPort: 9100 }] }

const isComplete = ARGOCD_WORLD.map(has).every((is) => is)
const world = isComplete ? await startWorld() : undefined

suite('sync waves of Argo CD', (test) => {
  test('what it needs is built, or said', () => assert.ok(isComplete || world === undefined))
  if (world === undefined) return
  const { cluster, applications, repository, stop } = world
  const { api } = applications

  const daemonSets = async (): Promise<Any[]> => (await api.get(`/apis/apps/v1/namespaces/${OPS}/daemonsets`)).items
  const pods = async (): Promise<Any[]> => (await api.get(`/api/v1/namespaces/${OPS}/pods`)).items
  const names = async () => (await daemonSets()).map(({ metadata: { name } }) => name).sort()
  /** Commits what a run renders and applies; gives the revision. */
  const push = (app: string, { items }: Plan | { items: readonly { object: KubernetesObject }[] }) => {
    const applied = items
      .map(({ object }) => object)
      .filter(
        ({ kind, metadata }) => kind === 'DaemonSet' && !metadata.annotations?.['config.kubernetes.io/local-config'],
      )
    repository.write(`${app}/agents.yaml`, applied.map((object) => writeYaml(object)).join('---\n'))
    return repository.push('a render')
  }
  const create = (app: string) =>
    applications.create(app, repository, app, ({ source: { plugin: _, ...source }, syncPolicy, ...spec }) => ({
      ...spec,
      source,
      destination: { ...spec.destination, namespace: OPS },
      syncPolicy: { ...syncPolicy, syncOptions: null },
    }))
  /** Agents of each node while something is done, from before until it is. */
  const watched = async (body: () => Promise<unknown>): Promise<Map<string, Span>> => {
    const watch = await watchAgents(cluster.folder, OPS)
    await body()
    return watch.stop()
  }
  const without = (spans: Map<string, Span>) => NAMES.filter((name) => spans.get(name)?.least === 0)
  const doubled = (spans: Map<string, Span>) => NAMES.filter((name) => (spans.get(name)?.most ?? 0) > 1)
  const follows = (app: string, result: Plan) => {
    assert.equal(errorsOf(result), [])
    return applications.followed(app, push(app, result))
  }
  const isWaiting = async (app: string) =>
    applications.refreshedUntil(app, 'sync that waits', ({ status }) =>
      /waiting for healthy/.test(status?.operationState?.message ?? ''),
    )
  const room = (pods: string) => api.patch(`/api/v1/nodes/${STUCK}/status`, { status: { allocatable: { pods } } })

  let result: Plan
  let ported: Plan
  test('a static DaemonSet runs everywhere', async () => {
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPS } })
    for (const name of NAMES) {
      const allocatable = { cpu: '4', memory: '16Gi', pods: '110' }
      await api.create(
        node(name, { [TYPE]: name.slice(0, 1) }, '', '', { status: { allocatable, capacity: allocatable } }),
      )
    }
    repository.write('agent/README.md', 'agents\n')
    const revision = push('agent', { items: [newItem(template('agent:1'))] })
    create('agent')
    await applications.followed('agent', revision)
    assert.equal(await names(), ['agent'])
  })
  test('why an adoption has no waves: one node that is not ready leaves those of later waves without an agent', async () => {
    const items = [nodes, sized({ rollout: WAVES }), template('agent:1')]
    assert.equal(errorsOf(plan(listOf(items))), ['AdoptionInWaves'])
    const allowed = plan(listOf([...items, config({ allow: ['AdoptionInWaves'] })]))
    const watch = await watchAgents(cluster.folder, OPS)
    await room('0')
    const revision = push('agent', allowed)
    await isWaiting('agent')
    await eventually(async () => (await names()).join() === 'agent-a')
    await eventually(() => [...watch.now().keys()].join() === 'a-1')
    await room('110')
    await applications.followed('agent', revision)
    // the first pod of the first wave may start before the watch sees the old one go
    const lacked = without(watch.stop())
    assert.equal(
      NAMES.filter((name) => name !== 'a-1' && !lacked.includes(name)),
      [],
    )
  })
  test('what to do first: the static one back, adopted without waves, which are set when the groups run', async () => {
    await applications.followed('agent', push('agent', { items: [newItem(template('agent:1'))] }))
    result = plan(listOf([nodes, sized({}), template('agent:1')]))
    await follows('agent', result)
    result = rerender(result, withPolicy({ rollout: WAVES }))
    const spans = await watched(() => follows('agent', result))
    assert.equal([without(spans), doubled(spans)], [[], []])
    assert.equal(await names(), ['agent-a', 'agent-b', 'agent-c'])
  })
  test('a group that goes, with a new image: its nodes have two agents for a while, and never none', async () => {
    result = rerender(result, withPolicy({ rollout: WAVES, names: { a: 'zz-a' } }, template('agent:2')))
    assert.equal(said(result, 'WavesWait'), [])
    const spans = await watched(() => follows('agent', result))
    assert.equal(
      without(spans).filter((name) => name.startsWith('a')),
      [],
    )
    assert.equal(doubled(spans), ['a-1', 'a-2'])
    assert.equal(await names(), ['agent-b', 'agent-c', 'zz-a'])
  })
  test('while a node is not ready nothing is deleted, which is said; when it is, the sync ends', async () => {
    const notReady = inventory(
      TYPES.map((type) =>
        shape({ [TYPE]: type }, [`${type}-1`, `${type}-2`], '4', '16Gi', type === 'a' ? { ready: 'False' } : {}),
      ),
    )
    result = rerender(result, (object) =>
      object.kind === 'NodeInventory'
        ? { ...notReady, metadata: object.metadata }
        : withPolicy({ rollout: WAVES, names: { a: 'yy-a' } })(object),
    )
    assert.match(said(result, 'WavesWait')[0] ?? '', 'the deletion of zz-a wait for their agents')
    const watch = await watchAgents(cluster.folder, OPS)
    await room('0')
    const revision = push('agent', result)
    await isWaiting('agent')
    await eventually(async () => (await names()).join() === 'agent-b,agent-c,yy-a,zz-a')
    await room('110')
    await applications.followed('agent', revision)
    const spans = watch.stop()
    assert.equal([without(spans), doubled(spans)], [[], ['a-1', 'a-2']])
  })
  test('pods with a host port: a group that goes makes a sync that never ends, so that it is refused', async () => {
    await applications.followed('agent', push('agent', { items: [newItem(template('agent:3', PORT))] }))
    const adopted = plan(listOf([nodes, sized({}), template('agent:3', PORT)]))
    await follows('agent', adopted)
    ported = rerender(adopted, withPolicy({ rollout: WAVES }))
    await follows('agent', ported)
    // waves are only counted when a group changes
    ported = rerender(ported, withPolicy({ rollout: WAVES }, template('agent:4', PORT)))
    await follows('agent', ported)
    const renamed = withPolicy({ rollout: WAVES, names: { c: 'aa-c' } })
    assert.equal(errorsOf(rerender(ported, renamed)), ['WavesDeadlock'])
    const allowed = rerender(ported, (object) =>
      object.kind === 'SizingPolicy' ? [renamed(object), config({ allow: ['WavesDeadlock'] })] : object,
    )
    const revision = push('agent', allowed)
    await isWaiting('agent')
    const pending = async () => (await pods()).filter(({ spec }) => spec.nodeName === undefined)
    await eventually(async () => (await pending()).length === 2)
    assert.equal(await names(), ['aa-c', 'agent-a', 'agent-b', 'agent-c'])
    // by hand it ends
    await api.delete(`/apis/apps/v1/namespaces/${OPS}/daemonsets/agent-c`)
    await applications.followed('agent', revision)
    ported = rerender(allowed, (object) => (object.kind === 'RenderConfig' ? undefined : object))
  })
  test('in two steps the sync ends, and each node lacks its agent for one pod start alone', async () => {
    const spec = { names: { c: 'aa-c' } }
    ported = rerender(ported, withPolicy(spec))
    await follows('agent', ported)
    ported = rerender(ported, withPolicy({ names: { c: 'zz-c' } }))
    const spans = await watched(() => follows('agent', ported))
    assert.equal([without(spans), doubled(spans)], [['c-1', 'c-2'], []])
    ported = rerender(ported, withPolicy({ rollout: WAVES, names: { c: 'zz-c' } }))
    await follows('agent', ported)
    assert.equal(await names(), ['agent-a', 'agent-b', 'zz-c'])
    // and the way back
    await follows('agent', rerender(ported, withPolicy({ enabled: false })))
    assert.equal(await names(), ['agent'])
  })
  test('what was started is stopped', () => stop())
})
