/** Times that a clock wrote that was ahead: they mend themselves, and free nothing. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import {
  actionPolicy,
  codes,
  deployment,
  errors,
  nodeOf,
  nodesAt,
  planned,
  rendered,
  snapshot,
} from '../../support/action-package.ts'
import { signedAction, T } from '../../support/actions.ts'
import { suite } from '../../support/suite.ts'

const CLOCK = { clock: new Date('2026-01-15T10:00:30Z') }
const LATE = '2026-01-15T12:00:00Z'
const record = (spec: object): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'ActionRecord',
  metadata: { name: 'main', annotations: { 'nodefit.dev/owner': 'ActionPolicy/main' } },
  spec,
})
const specOf = (made: ReturnType<typeof planned>) => rendered(made, 'ActionRecord')[0]?.spec as Record<string, unknown>
const NODE = { kind: 'Node', name: 'small-000002' }
const POD = { kind: 'Pod', namespace: 'default', name: 'web-0', uid: '7f0c2f5e-1111-4222-8333-944455556666' }
const WEB = { kind: 'Deployment', namespace: 'shop', name: 'web' }
const action = (type: string, target: object, parameters: object = {}, more: object = {}) =>
  signedAction({ id: `a-${type}`, type, sequence: 7, target, parameters, ...more }, 'k1')
const TYPES: ReadonlyArray<readonly [type: string, target: object, parameters: object]> = [
  ['drainNode', NODE, { timeoutSeconds: 600 }],
  ['taintNode', NODE, { key: 'example.com/hold', value: 'yes', effect: 'NoSchedule' }],
  ['evictPod', POD, {}],
  ['scaleDeployment', WEB, { replicas: 5 }],
  ['setImage', WEB, { container: 'web', image: `registry.example/web@sha256:${'c'.repeat(64)}` }],
  ['labelDeployment', WEB, { labels: { team: 'a' } }],
]
const bytesOf = (made: ReturnType<typeof planned>) =>
  JSON.stringify([...rendered(made, 'Job'), ...rendered(made, 'Deployment'), nodeOf(made)])

suite('a record that was written by a clock ahead', (test) => {
  for (const [type, target, parameters] of TYPES)
    test(`${type} that may have been done and forgotten is not begun, now or in the next run`, () => {
      const objects = (spec: object) => [
        actionPolicy(),
        nodesAt(),
        deployment(),
        snapshot({ targets: [{ ...POD, node: 'small-000002' }] }),
        record(spec),
        action(type, target, parameters),
      ]
      const fresh = planned(objects({}), CLOCK)
      assert.equal(errors(fresh), [])
      const none = planned(objects({}).slice(0, 5), CLOCK)
      assert.is.not(bytesOf(fresh), bytesOf(none), 'without the record it is done')
      const late = planned(objects({ expiredUntil: LATE }), CLOCK)
      assert.equal(errors(late), [])
      assert.ok(codes(late).includes('TimeSetBack') && codes(late).includes('ActionSpent'))
      assert.is(bytesOf(late), bytesOf(none))
      const setBackAt = '2026-01-15T10:00:30Z'
      assert.equal(specOf(late), { expiredUntil: T, spentUntil: LATE, setBackAt })
      const next = planned(objects(specOf(late)), CLOCK)
      assert.is(bytesOf(next), bytesOf(none))
      assert.not(codes(next).includes('TimeSetBack'))
      assert.equal(specOf(next), { expiredUntil: T, spentUntil: LATE, setBackAt })
      const again = planned(
        [
          ...objects(specOf(late)),
          action(type, target, parameters, { id: 'new', sequence: 8, issuedAt: '2026-01-15T10:00:31Z' }),
        ],
        CLOCK,
      )
      const { setBackAt: _, ...untold } = specOf(late)
      assert.is(bytesOf(planned([...objects(untold)], CLOCK)), bytesOf(none), 'without its time all are held')
      assert.is.not(bytesOf(again), bytesOf(none), 'one that is signed again is done')
    })
  for (const type of ['cordonNode', 'uncordonNode', 'labelNode'])
    test(`${type} holds again for as long as it is valid`, () => {
      const parameters = type === 'labelNode' ? { labels: { team: 'a' } } : {}
      const objects = (spec: object) => [
        actionPolicy(),
        nodesAt(T, { team: 'a' }),
        record(spec),
        action(type, NODE, parameters),
      ]
      const late = planned(objects({ expiredUntil: LATE }), CLOCK)
      assert.equal(errors(late), [])
      assert.is(JSON.stringify(nodeOf(late)), JSON.stringify(nodeOf(planned(objects({}), CLOCK))))
    })
  test('done and sequences stay, and a Job that has begun goes on', () => {
    const drain = action('drainNode', NODE, { timeoutSeconds: 600 })
    const first = planned([actionPolicy(), nodesAt(), drain], CLOCK)
    const [job] = rendered(first, 'Job')
    const kept = {
      expiredUntil: LATE,
      sequences: { 'Node/x/unschedulable': 9 },
      done: { other: '0123456789' },
      keepUntil: { other: '2026-01-16T10:00:00Z', 'Node/x/unschedulable': '2026-01-16T10:00:00Z' },
    }
    const late = planned([actionPolicy(), nodesAt(), record(kept), job as KubernetesObject, drain], CLOCK)
    assert.equal(errors(late), [])
    assert.is(rendered(late, 'Job').length, 1)
    const { sequences, done } = specOf(late) as { sequences: object; done: object }
    assert.ok('Node/x/unschedulable' in sequences)
    assert.equal(done, { other: '0123456789' })
  })
  test('is an error without a clock, which says by how much', () => {
    const made = planned([actionPolicy(), nodesAt(), record({ expiredUntil: LATE }), action('cordonNode', NODE)])
    assert.equal(errors(made), ['TimeWentBack'])
    assert.match(made.findings.find(({ code }) => code === 'TimeWentBack')?.message ?? '', /12:00:00Z, 2h0m0s later/)
  })
})

suite('a snapshot of a later time than the clock', (test) => {
  const ofTomorrow = nodesAt('2026-01-16T10:00:00Z')
  test('ends no action and forgets nothing', () => {
    const cordon = action('cordonNode', NODE)
    const kept = { done: { other: '0123456789' }, keepUntil: { other: '2026-01-15T11:00:00Z' } }
    const made = planned([actionPolicy(), ofTomorrow, record(kept), cordon], CLOCK)
    assert.equal(errors(made), [])
    assert.ok(codes(made).includes('TimeSetBack'))
    assert.equal(nodeOf(made)?.spec as object, { unschedulable: true })
    assert.equal(specOf(made).done, { other: '0123456789' })
    assert.is(specOf(made).expiredUntil, undefined)
    const believed = planned([actionPolicy(), ofTomorrow, record(kept), cordon])
    assert.is(specOf(believed).done, undefined, 'without a clock it is believed')
  })
  test('of less than a minute is set back without a word', () => {
    const made = planned([actionPolicy(), nodesAt('2026-01-15T10:01:20Z'), action('cordonNode', NODE)], CLOCK)
    assert.not(codes(made).includes('TimeSetBack'))
  })
})
