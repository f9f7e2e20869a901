/** Rows P34 to P45b and P47 to P49 of the specification: which machines leave, and when. */
import * as assert from 'uvu/assert'
import { ownerOf } from '../../../src/krm/remembered.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import {
  changeKinds,
  type Decided,
  decide,
  decideAgain,
  type NodeScene,
  POOL_LABEL,
  type Scene,
} from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const [ONE, TWO, THREE] = ['small-000001', 'small-000002', 'small-000003'] as const
const pool = (minNodes: number, maxConcurrent = 1, more: object = {}) => [
  { limits: { minNodes }, policy: { scaleDown: { maxConcurrent } }, ...more },
]
const idle = (name: string, seconds = 900, more: Partial<NodeScene> = {}): NodeScene => ({
  name,
  idle: seconds,
  ...more,
})
const waiting = (like: object = {}, since = 300) => [{ name: 'a', since, like }]

interface Row {
  readonly scene: Scene
  readonly marked?: readonly string[]
  readonly dropped?: readonly string[]
  readonly added?: readonly string[]
  readonly pods?: Readonly<Record<string, string>>
  readonly warnings?: readonly string[]
  readonly also?: (decided: Decided) => void
}

/** The partial Node of a node in the output. */
const documentOf = ({ plan }: Decided, name: string) =>
  plan.items.find(
    ({ object }) => object.kind === 'Node' && object.metadata.name === name && ownerOf(object) !== undefined,
  )?.object
const spec = (object: KubernetesObject | undefined) => object?.spec as { unschedulable?: boolean } | undefined

const ROWS: Readonly<Record<string, Row>> = {
  'P34 the node that is idle longest is marked and cordoned, and both claims stay': {
    scene: { pools: pool(1), nodes: [idle(ONE, 600), idle(TWO)] },
    marked: [TWO],
    also: (decided) => {
      const { metadata } = documentOf(decided, TWO) ?? {}
      assert.is(metadata?.annotations?.['nodefit.dev/leaving'], '2026-01-15T10:00:00Z')
      assert.is(metadata?.uid, `uid-${TWO}`)
      assert.match(metadata?.annotations?.['argocd.argoproj.io/sync-options'] ?? '', /ServerSideApply=true,Prune=false/)
    },
  },
  'P35 minNodes stay': { scene: { pools: pool(2), nodes: [idle(ONE, 600), idle(TWO)] } },
  'P36 minNodes is asked again for each node': {
    scene: { pools: pool(1, 5), nodes: [idle(ONE, 600), idle(TWO, 600), idle(THREE, 600)] },
    marked: [TWO, THREE],
  },
  'P37 the window is of each node, and one without a time is not idle': {
    scene: { pools: pool(0, 5), nodes: [idle(ONE, 299), idle(TWO, 300), { name: THREE }] },
    marked: [TWO],
  },
  'P38 a node with a blocking pod is not idle, whatever idleSince says': {
    scene: {
      pools: pool(0, 5),
      nodes: [
        idle(ONE, 900, { blocking: 1 }),
        idle(TWO, 900, { blocking: 2 }),
        idle(THREE, 900, { more: { blocking: undefined } }),
      ],
    },
  },
  'P39 pods that block nothing leave it idle': {
    scene: { nodes: [idle(ONE, 900, { used: { cpu: '200m', memory: '1Gi', pods: '2' }, blocking: 0 })] },
    marked: [ONE],
  },
  'P40 a claim is dropped once Git and the cluster show the mark and no pod is left': {
    scene: { nodes: [{ name: ONE, marked: 60, git: 60 }, { name: TWO }] },
    dropped: [ONE],
    also: (decided) => assert.is(documentOf(decided, ONE), undefined),
  },
  'P40b a claim stays where Git has no mark': {
    scene: { nodes: [{ name: ONE, marked: 60, git: null }, { name: TWO }] },
    also: (decided) => assert.is(spec(documentOf(decided, ONE))?.unschedulable, undefined),
  },
  'P41 a node that has pods after drainTimeout is opened again': {
    scene: { nodes: [{ name: ONE, marked: 600, git: 600, blocking: 1 }] },
    warnings: ['DrainTimeout'],
    also: (decided) => {
      // the document stays without the fields, so that whoever applied them takes them back
      assert.is(documentOf(decided, ONE)?.metadata.annotations?.['nodefit.dev/leaving'], undefined)
      assert.is(documentOf(decided, ONE)?.metadata.uid, `uid-${ONE}`)
      assert.is(spec(documentOf(decided, ONE))?.unschedulable, undefined)
    },
  },
  'P41b a second before it stays cordoned': {
    scene: { nodes: [{ name: ONE, marked: 599, git: 599, blocking: 1 }] },
    marked: [ONE],
  },
  'P42 a marked node that a pod fits is opened again': {
    scene: { nodes: [{ name: ONE, marked: 60, git: 60 }], pods: waiting({}, 200) },
    pods: { a: ONE },
    also: (decided) => assert.ok(documentOf(decided, ONE)),
  },
  'P43 control planes, nodes that opted out and nodes without a claim stay': {
    scene: {
      pools: pool(0, 5),
      nodes: [
        idle(ONE, 900, {
          labels: {
            [POOL_LABEL]: 'small',
            'node-role.kubernetes.io/control-plane': '',
            'node-role.kubernetes.io/worker': '',
          },
        }),
        idle(TWO, 900, { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } }),
        idle(THREE, 900, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
        idle('small-000004', 900, { claim: null }),
      ],
    },
  },
  'P44 a pod for another pool keeps no node of this one': {
    scene: { nodes: [idle(ONE)], pods: waiting({ nodeSelector: { [POOL_LABEL]: 'big' } }) },
    marked: [ONE],
  },
  'P45 while a pod waits that the pool serves, no node leaves': {
    scene: {
      pools: [{ spec: { scaleUp: { stabilizationWindow: '0s' } } }],
      nodes: [idle(ONE), idle(TWO)],
      pods: [{ name: 'a', since: 60, cpu: '500m', memory: '512Mi' }],
    },
    pods: { a: ONE },
  },
  'P45b a pod that is too large keeps none': {
    scene: { nodes: [idle(ONE)], pods: [{ name: 'a', cpu: '6' }] },
    marked: [ONE],
    pods: { a: 'too large' },
    warnings: ['PodsTooLarge'],
  },
  'P47 a node must be Ready for the window as well': { scene: { nodes: [idle(ONE, 900, { ready: 240 })] } },
  'P48 one that leaves counts against maxConcurrent': {
    scene: { nodes: [{ name: ONE, marked: 30, git: 30, blocking: 1 }, idle(TWO)] },
    marked: [ONE],
  },
  'P49 a pool that changed a moment ago keeps its nodes': {
    scene: {
      nodes: [idle(ONE)],
      live: [{ namespace: 'kubenodesmith', name: 'small', lastScaleActivity: '2026-01-15T09:56:00Z' }],
    },
  },
}

suite('pools: scale-down', (test) => {
  for (const [
    title,
    { scene, marked = [], dropped = [], added = [], pods = {}, warnings = [], also },
  ] of Object.entries(ROWS))
    test(title, () => {
      const decided = decide(scene)
      assert.equal(decided.errors, [])
      assert.equal(decided.marked, [...marked])
      assert.equal(decided.dropped, [...dropped])
      assert.equal(decided.added, [...added])
      if (Object.keys(pods).length > 0) assert.equal(decided.pods, pods)
      assert.equal(decided.warnings, [...warnings])
      also?.(decided)
      const again = decideAgain(decided)
      assert.equal(again.errors, [])
      assert.equal(
        changeKinds(again).filter((kind) => kind !== 'unchanged'),
        [],
      )
    })
  test('P40b a claim stays where the mark of Git is another one', () => {
    const decided = decide({ nodes: [{ name: ONE, marked: 60, git: 90 }] })
    assert.equal([decided.dropped, decided.marked, decided.errors], [[], [ONE], []])
  })
})
