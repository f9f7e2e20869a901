/** Hosts that hide what earlier runs rendered: what a snapshot tells is all that gives nodes and taints back. */
import * as assert from 'uvu/assert'
import type { Outcome } from '../../../src/host/sync/collect/action-outcomes.ts'
import { newItem } from '../../../src/krm/item.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import {
  actionPolicy,
  codes,
  errors,
  nodeOf,
  nodesAt,
  planned,
  rendered,
  snapshot,
  UID,
} from '../../support/action-package.ts'
import {
  digestOfAction,
  KEYRING,
  proofOf,
  signedAction,
  T,
  trustOf,
  VECTORS,
  vectorAction,
} from '../../support/actions.ts'
import { listOf } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const ENDED = '2026-01-15T11:00:00Z'
const PROOF = proofOf(vectorAction('V3'))
const MARK = { 'nodefit.dev/actions': 'act-0003', 'nodefit.dev/signed-action': PROOF }
const DRAIN: Outcome = {
  ...{ action: 'act-0003', digest: VECTORS.V3.digest, sequence: 10, state: 'Succeeded' },
  fields: ['Node/small-000002/drain', 'Node/small-000002/unschedulable'],
  proof: PROOF,
}
/** What is rendered an hour later, of an action that has expired. */
const hidden = (spec: object, more: readonly KubernetesObject[] = [vectorAction('V3')], at = ENDED) =>
  planned([nodesAt(ENDED), snapshot(spec, at), ...more])
const shown = (annotations: object) => ({ nodes: [{ name: 'small-000002', annotations }] })

suite('nodes of a host that hides earlier output', (test) => {
  for (const state of ['Running', 'Blocked', 'Succeeded', 'Failed', 'Ended'] as const)
    test(`a drain that has expired gives its node back while an outcome says that it is held: ${state}`, () => {
      const left = nodeOf(hidden({ outcomes: [{ ...DRAIN, state, held: true }] }))
      assert.is(left?.metadata.uid, UID)
      assert.is(left?.spec, undefined)
      assert.is(left?.metadata.annotations?.['nodefit.dev/actions'], undefined)
      assert.is(nodeOf(hidden({ outcomes: [{ ...DRAIN, state }] })), undefined, 'not held')
    })
  test('the mark that a node shows is enough, also of an action whose file is gone', () => {
    for (const more of [[vectorAction('V3')], []]) assert.ok(nodeOf(hidden(shown(MARK), more)))
    assert.is(nodeOf(hidden(shown({ 'nodefit.dev/owner': 'x' }))), undefined)
  })
  test('the newer of mark and outcome counts, and of one time the mark', () => {
    const older = snapshot(shown(MARK), T)
    const told = { ...snapshot({ outcomes: [DRAIN] }, ENDED), metadata: { name: 'told' } }
    assert.is(nodeOf(planned([nodesAt(ENDED), older, told])), undefined, 'an old mark')
    assert.is(nodeOf(hidden({ ...shown({ a: 'b' }), outcomes: [{ ...DRAIN, held: true }] })), undefined, 'no mark')
    assert.ok(nodeOf(hidden({ ...shown(MARK), outcomes: [DRAIN] })), 'a mark')
  })
  test('of two snapshots with marks the newer counts', () => {
    const named = (name: string, spec: object, at: string) => ({ ...snapshot(spec, at), metadata: { name } })
    for (const [first, second] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const free = named(second, shown({ a: 'b' }), ENDED)
      assert.is(nodeOf(planned([nodesAt(ENDED), named(first, shown(MARK), T), free])), undefined)
      assert.ok(
        nodeOf(planned([nodesAt(ENDED), named(first, shown({ a: 'b' }), T), named(second, shown(MARK), ENDED)])),
      )
    }
  })
  test('a node that another package of the run writes to is left to it', () => {
    const at = (object: KubernetesObject, path: string): KubernetesObject => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: {
          ...object.metadata.annotations,
          'internal.config.kubernetes.io/package-path': path,
          'internal.config.kubernetes.io/path': `${path}/${object.kind}-${object.metadata.name}.yaml`,
        },
      },
    })
    const mark = { 'nodefit.dev/actions': 'act-0001', 'nodefit.dev/signed-action': proofOf(vectorAction('V1')) }
    const one = [nodesAt(), actionPolicy(), snapshot(shown(mark))]
    const other = [nodesAt(), actionPolicy(), vectorAction('V1')]
    const made = plan(listOf([...one.map((each) => at(each, 'one')), ...other.map((each) => at(each, 'other'))]), {
      keyring: KEYRING,
    })
    assert.equal(errors(made), [])
    assert.equal(
      rendered(made, 'Node').map(({ spec }) => spec),
      [{ unschedulable: true }],
    )
  })
  test('where nothing will show what is held, that is said', () => {
    const bare = (...more: KubernetesObject[]) => {
      const items = [nodesAt(), actionPolicy(), vectorAction('V1'), ...more].map((object) => newItem(object))
      return codes(plan({ ...listOf([]), items }, { keyring: KEYRING }))
    }
    assert.ok(bare().includes('NodesStayHeld'))
    assert.not(bare(snapshot({ outcomes: [] })).includes('NodesStayHeld'))
    assert.not(bare(snapshot(shown({}))).includes('NodesStayHeld'))
    const name = 'small-000002'
    assert.not(bare(snapshot({ nodes: [{ name }] })).includes('NodesStayHeld'), 'nothing is marked before it is held')
    assert.ok(bare(snapshot({ nodes: [{ name }], cluster: 'prod-us1' })).includes('NodesStayHeld'), 'another cluster')
    assert.not(codes(planned([vectorAction('V1')])).includes('NodesStayHeld'), 'a host that keeps files')
    assert.not(codes(hidden({})).includes('NodesStayHeld'), 'nothing is held')
  })
})

suite('taints of a host that hides earlier output', (test) => {
  const TAINT = { key: 'dedicated', value: 'x', effect: 'NoSchedule' }
  const taint = signedAction({ id: 'taint', type: 'taintNode', sequence: 5, parameters: TAINT }, 'k1')
  const digest = digestOfAction(taint)
  const outcome: Outcome = {
    ...{ action: 'taint', digest, sequence: 5, state: 'Succeeded', proof: proofOf(taint) },
    fields: ['Node/small-000002/taints/dedicated:NoSchedule'],
  }
  const tainted = (taints: readonly object[]) => {
    const nodes = nodesAt(ENDED)
    const { shapes, ...spec } = nodes.spec as { shapes: object[] }
    return { ...nodes, spec: { ...spec, shapes: shapes.map((one, at) => (at === 0 ? { ...one, taints } : one)) } }
  }
  const args = (made: Plan) =>
    rendered(made, 'Job').map(({ metadata, spec }) => {
      const { template } = spec as { template: { spec: { containers: Array<{ args: string[] }> } } }
      return `${metadata.name}: ${template.spec.containers[0]?.args.join(' ')}`
    })
  const run = (told: Outcome, taints: readonly object[], ...more: KubernetesObject[]) =>
    planned([tainted(taints), snapshot({ outcomes: [told] }, ENDED), ...more])
  const END = [`untaintnode-small-000002-${digest}: taint node small-000002 dedicated:NoSchedule-`]
  test('a taint that its node still has is taken away once its action has expired', () => {
    assert.equal(args(run(outcome, [TAINT], taint)), END)
    assert.equal(args(run({ ...outcome, state: 'Ended', held: true }, [TAINT])), END, 'while that runs')
  })
  test('an action that is gone from the package is proved by the outcome alone, and one in it by itself', () => {
    assert.equal(args(run(outcome, [TAINT])), END)
    const { proof: _, ...bare } = outcome
    assert.equal(args(run(bare as Outcome, [TAINT], taint)), END)
  })
  const KEPT: Record<string, [Outcome, object[]]> = {
    'one that the node has no more': [outcome, []],
    'one of another effect': [outcome, [{ ...TAINT, effect: 'NoExecute' }]],
    'one that somebody set after it had ended': [{ ...outcome, state: 'Ended' }, [TAINT]],
    'one of an action that had not begun': [{ ...outcome, state: 'Waiting' }, [TAINT]],
  }
  for (const [name, [told, taints]] of Object.entries(KEPT))
    test(`${name} is not`, () => assert.equal(args(run(told, taints)), []))
  test('that of a drain has the name of its action', () => {
    const held = { key: 'nodefit.dev/drain', value: 'act-0003', effect: 'NoSchedule' }
    const end = 'taint node small-000002 nodefit.dev/drain:NoSchedule-'
    assert.equal(args(run(DRAIN, [held])), [`untaintnode-small-000002-${VECTORS.V3.digest}: ${end}`])
    assert.equal(args(run(DRAIN, [{ ...held, value: 'act-0009' }])), [])
  })
  const OTHER = signedAction(
    { id: 'taint', type: 'taintNode', sequence: 5, parameters: { ...TAINT, key: 'other' } },
    'k1',
  )
  const UNPROVED: Record<string, Partial<Outcome>> = {
    'without its action': { proof: undefined },
    'with what is no action': { proof: '[[[{}]]]' },
    'with an action that somebody changed': { proof: proofOf(taint).replace('"sequence":5', '"sequence":6') },
    'with an action that nobody signed': { proof: JSON.stringify({ spec: taint.spec }) },
    'with the action of another taint': { proof: proofOf(OTHER) },
    'with the action of another taint, by its digest': { proof: proofOf(OTHER), digest: digestOfAction(OTHER) },
  }
  for (const [name, change] of Object.entries(UNPROVED))
    test(`a made-up outcome takes no taint away: ${name}`, () => {
      const made = run({ ...outcome, ...change }, [TAINT])
      assert.equal(args(made), [])
      assert.equal(errors(made), [])
      assert.match(stays(made), 'no signed action that verifies explains it')
    })
  const stays = (made: Plan) => made.findings.find(({ code }) => code === 'EndUnproved')?.sentence ?? ''
  test('a taint ends though the policy lets no action set one any more', () => {
    assert.equal(args(run(outcome, [TAINT], actionPolicy({ types: ['cordonNode'] }))), END)
  })
  test('a taint that the trust lets no action set stays, and is named', () => {
    const objects = [
      tainted([TAINT]),
      snapshot({ outcomes: [outcome] }, ENDED),
      actionPolicy({ types: ['cordonNode'] }),
    ]
    const made = planned(objects, { trust: trustOf({ types: ['cordonNode'], byClock: false }) })
    assert.equal(args(made), [])
    assert.is(
      stays(made),
      'main: the taint dedicated:NoSchedule of Node small-000002 is said to be of action taint, and stays: the trust of the run has no taintNode',
    )
  })
  test('that of the control plane stays, unless its nodes may be acted on', () => {
    const key = 'node-role.kubernetes.io/control-plane'
    const master = signedAction({ id: 'taint', type: 'taintNode', parameters: { key, effect: 'NoSchedule' } }, 'k1')
    const proved = { proof: proofOf(master), digest: digestOfAction(master) }
    const told = { ...outcome, ...proved, fields: [`Node/small-000002/taints/${key}:NoSchedule`] }
    const made = run(told, [{ key, effect: 'NoSchedule' }])
    assert.equal(args(made), [])
    assert.match(stays(made), 'and stays: it is of the control plane')
  })
  test('that of a node outside the trust stays', () => {
    const objects = [tainted([TAINT]), snapshot({ outcomes: [outcome] }, ENDED)]
    const made = planned(objects, { trust: trustOf({ nodeSelector: { pool: 'batch' } }) })
    assert.equal(args(made), [])
    assert.match(stays(made), 'none of the nodeSelector of the trust')
  })
  test('without an image for its Job that is an error, and no taint is forgotten', () => {
    assert.equal(errors(run(outcome, [TAINT], actionPolicy({ job: {} }))), ['JobImageMissing'])
    assert.equal(errors(run(outcome, [], actionPolicy({ job: {} }))), [])
  })
})
