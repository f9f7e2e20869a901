/** What a run says of nodes that lose their agent: in the warning, the summary and the table. */
import * as assert from 'uvu/assert'
import { plain, reportLines } from '../../src/face/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { usage } from '../support/fit.ts'
import { config, countedShape, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null, maxShrinkPercent: null } })
const TAINTS = [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }]
const NODES = [shape({ [TYPE]: 'x', pool: 'p' }, ['a', 'b', 'c', 'd', 'e'])]
/** The same nodes, four of which are tainted. */
const LATER = [
  shape({ [TYPE]: 'x', pool: 'p' }, ['a', 'b', 'c', 'd'], '4', '16Gi', { taints: TAINTS }),
  shape({ [TYPE]: 'x', pool: 'p' }, ['e']),
]
const AGENT = daemonSet()
const first = (shapes: object[] = NODES, ...more: KubernetesObject[]) =>
  plan(listOf([FREE, inventory(shapes), ...(more.length > 0 ? more : [policy()]), AGENT]))
/** The adoption of a DaemonSet with these annotations, on the nodes that are tainted. */
const adopted = (annotations: Record<string, string>, ...more: KubernetesObject[]) =>
  plan(listOf([FREE, inventory(LATER), policy(), daemonSet({}, { annotations }), ...more]))
/** What runs on some nodes; a node that is not named is not in the snapshot. */
const snapshot = (nodes: Record<string, string[]>) => {
  const names = [...new Set(Object.values(nodes).flat())]
  const on = (name: string) => Object.keys(nodes).filter((node) => nodes[node]?.includes(name))
  const daemonSets = names.map((name) => ({ name, requests: {}, nodes: on(name) }))
  return usage(
    Object.keys(nodes).map((name) => ({ name })),
    daemonSets,
    { observedAt: '2026-11-20T12:00:00Z' },
  )
}
const IMAGE = daemonSet({ containers: [{ name: 'agent', image: 'agent:2' }] }).spec as object

const onDelete = () =>
  plan(listOf([FREE, inventory(NODES), policy(), withSpec(AGENT, { updateStrategy: { type: 'OnDelete' } })]))

interface Next {
  readonly shapes?: object[]
  readonly spec?: object
  readonly template?: object
  readonly live?: KubernetesObject
}

/** The package of a plan with other nodes, another policy or another template. */
const again = (result: Plan, { shapes = LATER, spec = {}, template = {}, live }: Next = {}) =>
  rerender(result, (object) => {
    if (object.kind === 'RenderConfig' && live !== undefined) return [object, live]
    if (object.kind === 'NodeInventory') return { ...inventory(shapes), metadata: object.metadata }
    if (object.kind === 'SizingPolicy') return withSpec(object, spec)
    const isTemplate = object.kind === 'DaemonSet' && object.metadata.name === 'agent'
    return isTemplate ? withSpec(object, template) : object
  })
const warning = (result: Plan) => {
  assert.equal(
    result.findings.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    [],
  )
  return said(result, 'LosesAgent').map((text) => text.split('. ')[0])
}

const HELD = 'where the taint dedicated=gpu:NoSchedule keeps new pods away'
const ROWS: Array<[name: string, result: () => Plan, want: string[]]> = [
  ['nothing but taints', () => again(first()), []],
  [
    'a new image: the names, and how many more',
    () => again(first(), { template: IMAGE }),
    [`agent: 4 nodes lose their agent if one runs there: 4 for good, ${HELD} (4 by a restart): a, b, c and 1 more`],
  ],
  [
    'nodes that are only counted',
    () =>
      again(first([countedShape({ [TYPE]: 'x' }, 7)]), {
        shapes: [countedShape({ [TYPE]: 'x' }, 7, { taints: TAINTS })],
        template: IMAGE,
      }),
    [`agent: 7 nodes lose their agent if one runs there: 7 for good, ${HELD} (7 by a restart)`],
  ],
  [
    'adoption of a DaemonSet that stays beside its groups takes nothing away',
    () => adopted({ 'argocd.argoproj.io/sync-options': 'Prune=false' }),
    [],
  ],
  [
    'adoption of one that is local already takes nothing away',
    () => adopted({ 'config.kubernetes.io/local-config': 'true' }),
    [],
  ],
  [
    'nodes that another policy takes over are not lost, but where a taint keeps its pods away',
    () => {
      const pools = (taints: object[]) => [
        shape({ [TYPE]: 'x', pool: 'p' }, ['a', 'b'], '4', '16Gi', { taints }),
        shape({ [TYPE]: 'x', pool: 'q' }, ['c', 'd']),
      ]
      const of = (pool: string, name: string) =>
        policy(
          {
            nodeSelector: { pool },
            names: { x: `${name}-x`, default: `${name}-default`, remainder: `${name}-remainder` },
            labels: { nodeGroup: `nodefit.dev/${name}` },
          },
          name,
        )
      const swapped: Record<string, KubernetesObject> = { agent: of('q', 'agent'), other: of('p', 'other') }
      return rerender(first(pools([]), of('p', 'agent'), of('q', 'other')), (object) => {
        if (object.kind === 'NodeInventory') return { ...inventory(pools(TAINTS)), metadata: object.metadata }
        const spec = object.kind === 'SizingPolicy' ? swapped[object.metadata.name]?.spec : undefined
        return spec === undefined ? object : { ...object, spec }
      })
    },
    [`other: 2 nodes lose their agent if one runs there: 2 for good, ${HELD} (2 by a move): a, b`],
  ],
  ['adoption where nothing shows that a pod ever ran', () => adopted({}), []],
  [
    'adoption where a snapshot shows two pods',
    () => adopted({}, snapshot({ a: ['agent'], b: ['agent'] })),
    [
      `agent: 3 nodes lose their agent: 2 for good, ${HELD} (2 by adoption): a, b; 1 for one pod start at most (1 by adoption): e`,
    ],
  ],
  [
    'a snapshot that shows two of four pods, and one that it does not have',
    () => again(first(), { template: IMAGE, live: snapshot({ a: ['agent-x'], b: ['agent-x'], c: [] }) }),
    [
      `agent: 3 nodes lose their agent: 2 for good, ${HELD} (2 by a restart): a, b; 1 for one pod start at most (1 by a restart): e; 1 more if one runs there: 1 for good, ${HELD} (1 by a restart): d`,
    ],
  ],
  ['with OnDelete nothing stops', () => again(onDelete(), { template: IMAGE }), []],
  [
    'after OnDelete a rolling update replaces what may be old',
    () => again(again(onDelete(), { shapes: NODES, template: IMAGE }), { template: { updateStrategy: null } }),
    [`agent: 4 nodes lose their agent if one runs there: 4 for good, ${HELD} (4 by a restart): a, b, c and 1 more`],
  ],
]

suite('agents that a run takes away', (test) => {
  for (const [name, result, want] of ROWS) test(name, () => assert.equal(warning(result()), want))
  test('a run for one of two policies names the other, and counts what that has rendered', () => {
    const nodes = inventory(['p', 'q'].map((pool) => shape({ [TYPE]: 'x', pool }, [`${pool}-1`, `${pool}-2`])))
    const of = (pool: string, enabled = true) =>
      policy(
        {
          enabled,
          nodeSelector: { pool },
          names: { x: `${pool}-x`, default: `${pool}-d`, remainder: `${pool}-r` },
          labels: { nodeGroup: `nodefit.dev/${pool}` },
        },
        pool,
      )
    const only = (subject: KubernetesObject, ...others: KubernetesObject[]) =>
      plan(listOf([FREE, nodes, AGENT, subject, ...others], subject))
    const first = only(of('p'), of('q'))
    assert.match(
      warning(first)[0] ?? '',
      /: 2 for good, where no DaemonSet selects them any more in this run, which leaves out q: q-1, q-2;/,
    )
    assert.match(said(first, 'LosesAgent')[0] ?? '', 'Render all policies of the DaemonSet together')
    const alone = said(only(of('p'), of('q', false)), 'LosesAgent')[0] ?? ''
    assert.match(alone, 'no DaemonSet selects them any more: q-1, q-2;')
    assert.match(alone, 'Widen the policy')
    assert.equal(warning(plan(listOf([FREE, nodes, AGENT, of('p'), of('q')]))), [], 'both together serve all nodes')
    // what p rendered ran everywhere before
    const wide = (object: KubernetesObject) => {
      const copy = structuredClone(object)
      const { template } = (copy.spec ?? {}) as { template?: { spec: { nodeSelector?: Record<string, string> } } }
      if (object.kind === 'DaemonSet' && object.metadata.name.startsWith('p-')) delete template?.spec.nodeSelector?.pool
      return copy
    }
    const both = plan(listOf([FREE, nodes, AGENT, of('p'), of('q')])).items.map(({ object }) => object)
    const narrowed = (objects: readonly KubernetesObject[]) => warning(plan(listOf(objects.map(wide), of('p')))).join()
    assert.not.match(narrowed(both), 'for good')
    assert.match(
      narrowed(both.filter(({ metadata }) => !metadata.name.startsWith('q-'))),
      /2 for good, .* leaves out q/,
    )
  })
  test('the summary counts them, and so does the table, in the row that takes the nodes over and in the total', () => {
    const result = again(first(), { template: IMAGE })
    assert.match(said(result, 'PolicySummary')[0] ?? '', '; 4 nodes lose their agent if one runs there: 4 for good')
    const lines = reportLines(result, false, plain)
    assert.match(lines.find((line) => line.startsWith('agent-x ')) ?? '', / 1, 0 \(\+4\) lost$/)
    assert.match(lines.find((line) => line.startsWith('total ')) ?? '', / 1, 0 \(\+4\) lost$/)
  })
  test('nodes move only where a pod may start', () => {
    const result = again(first(), { spec: { nodeGroupLabel: 'pool' } })
    assert.match(said(result, 'NodesMove')[0] ?? '', 'agent: 1 node moves to another DaemonSet: agent-p (1)')
    assert.match(warning(result)[0] ?? '', '4 for good')
  })
})
