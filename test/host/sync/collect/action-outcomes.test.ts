/** What is told of signed actions from the Jobs and nodes of a cluster, over all the ways that they may go. */
import * as assert from 'uvu/assert'
import type { PlannedAction } from '../../../../src/core/index.ts'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import {
  drainBlocking,
  evictBlocking,
  type LiveJob,
  liveJob,
  mergeOutcomes,
  type Outcome,
  type OutcomeInput,
  outcomesOf,
} from '../../../../src/host/sync/collect/action-outcomes.ts'
import { planned } from '../../../support/action-package.ts'
import { vectorAction } from '../../../support/actions.ts'
import { suite } from '../../../support/suite.ts'

const NOW = Date.parse('2026-01-15T10:00:00Z')
const AT = '2026-01-15T10:00:00Z'
const BEFORE = '2026-01-15T09:50:00Z'
const DIGEST = '0123456789'
const row = (more: Partial<PlannedAction> = {}): PlannedAction => ({
  ...{
    id: 'a',
    digest: DIGEST,
    type: 'drainNode',
    target: { kind: 'Node', name: 'n' },
    state: 'in effect',
    sequence: 3,
  },
  ...{ fields: ['Node/n/drain'], jobs: [`drainnode-n-${DIGEST}`], expiresAt: new Date('2026-01-15T11:00:00Z') },
  ...{ keepUntil: new Date('2026-01-16T11:00:00Z'), ...more },
})
const lease = (more: Partial<PlannedAction> = {}) =>
  row({ type: 'cordonNode', fields: ['Node/n/unschedulable'], jobs: [], ...more })
const jobs = (state: LiveJob['state'], more: Partial<LiveJob> = {}): Map<string, LiveJob> =>
  new Map([[`drainnode-n-${DIGEST}`, { action: 'a', digest: DIGEST, state, isEnd: false, ...more }]])
const told = (input: Partial<OutcomeInput>) =>
  outcomesOf({ ...{ earlier: [], jobs: new Map(), marks: new Map(), blocking: new Map(), now: NOW }, ...input })
const was = (state: Outcome['state'], more: Partial<Outcome> = {}): Outcome => ({
  ...{ action: 'a', digest: DIGEST, sequence: 3, fields: ['Node/n/drain'], state, observedAt: BEFORE },
  ...{ keepUntil: '2026-01-16T11:00:00Z', ...more },
})
const MARKED = new Map([['n', ['other', 'a']]])
const BLOCKED = new Map([[`drainnode-n-${DIGEST}`, { left: 2, pods: [{ pod: 'shop/web', by: 'a budget' }] }]])

suite('outcomes', (test) => {
  const ROWS: Record<string, [input: Partial<OutcomeInput>, state: Outcome['state'] | undefined]> = {
    'a lease that no node shows': [{ planned: [lease()] }, 'Waiting'],
    'a lease that its node shows': [{ planned: [lease()], marks: MARKED }, 'Applied'],
    'a lease of another node': [{ planned: [lease()], marks: new Map([['m', ['a']]]) }, 'Waiting'],
    'a lease that its node shows no more': [{ planned: [lease()], earlier: [was('Applied')] }, 'Waiting'],
    'a superseded lease': [{ planned: [lease({ state: 'superseded' })] }, 'Ended'],
    'an edit that was made': [
      { planned: [lease({ target: { kind: 'Deployment', name: 'w' }, state: 'done' })] },
      'Applied',
    ],
    'a refused action': [{ planned: [row({ state: 'refused', why: 'BadSignature: no' })] }, 'Refused'],
    'an act without a Job': [{ planned: [row()] }, 'Waiting'],
    'an act whose Job runs': [{ planned: [row()], jobs: jobs('active') }, 'Running'],
    'an act whose Job is blocked': [{ planned: [row()], jobs: jobs('active'), blocking: BLOCKED }, 'Blocked'],
    'an act whose Job has succeeded': [{ planned: [row()], jobs: jobs('complete') }, 'Succeeded'],
    'an act whose Job has failed': [{ planned: [row()], jobs: jobs('failed') }, 'Failed'],
    'an act that runs after it was told to wait': [
      { planned: [row()], jobs: jobs('active'), earlier: [was('Waiting')] },
      'Running',
    ],
    'an act that succeeded, whose Job is gone': [
      { planned: [row({ state: 'done' })], earlier: [was('Succeeded')] },
      'Succeeded',
    ],
    'an act that is done, and was told nowhere': [{ planned: [row({ state: 'done' })] }, 'Succeeded'],
    'an act that ran, whose Job was taken away': [{ planned: [row()], earlier: [was('Running')] }, 'Ended'],
    'an act that has ended, whose Job is there again': [
      { planned: [row()], earlier: [was('Ended')], jobs: jobs('active') },
      'Running',
    ],
    'an act that failed, whose Job is gone': [{ planned: [row()], earlier: [was('Failed')] }, 'Failed'],
    'an act that is queued, and ran': [
      { planned: [row({ state: 'queued', jobs: [] })], earlier: [was('Running')] },
      'Ended',
    ],
    'an expired lease that its node still shows': [
      { planned: [lease({ state: 'expired' })], earlier: [was('Applied')], marks: MARKED },
      'Applied',
    ],
    'an expired lease that was given back': [{ planned: [], earlier: [was('Applied')] }, 'Ended'],
    'an expired act': [{ planned: [row({ state: 'expired' })], earlier: [was('Succeeded')] }, 'Succeeded'],
    'an expired act that ends when its Job is still there': [
      { planned: [], earlier: [was('Running')], jobs: jobs('complete') },
      'Succeeded',
    ],
    'one that fails then': [{ planned: [], earlier: [was('Blocked')], jobs: jobs('failed') }, 'Failed'],
    'one that still runs then': [{ planned: [], earlier: [was('Blocked')], jobs: jobs('active') }, 'Blocked'],
    'one that was cut off, and holds its node': [{ planned: [], earlier: [was('Running')], marks: MARKED }, 'Ended'],
    'an expired taint whose end runs': [
      { planned: [], earlier: [was('Succeeded')], jobs: jobs('active', { isEnd: true }) },
      'Ended',
    ],
    'an expired taint that has ended': [
      { planned: [], earlier: [was('Running')], jobs: jobs('complete', { isEnd: true }) },
      'Ended',
    ],
    'a refused action whose file is gone': [{ planned: [], earlier: [was('Refused')] }, undefined],
    'one that nothing earlier can replace any more': [
      { planned: [], earlier: [was('Ended')], now: Date.parse('2026-01-16T11:00:00Z') },
      undefined,
    ],
    'one that a node shows for longer than that': [
      { planned: [], earlier: [was('Applied')], marks: MARKED, now: Date.parse('2026-01-17T11:00:00Z') },
      'Applied',
    ],
    'a label whose file came back, after it had ended': [
      {
        planned: [lease({ type: 'labelNode', fields: ['Node/n/labels/team'] })],
        ...{ earlier: [was('Ended', { fields: ['Node/n/labels/team'] })], marks: MARKED },
      },
      'Applied',
    ],
    'a drain whose Job was taken away, and that holds its node': [
      { planned: [row()], earlier: [was('Ended')], marks: MARKED },
      'Ended',
    ],
    'what was told before, where no render has been': [{ earlier: [was('Succeeded')] }, 'Succeeded'],
  }
  for (const [name, [input, state]] of Object.entries(ROWS)) test(name, () => assert.is(told(input)[0]?.state, state))
  const HELD: Record<string, [input: Partial<OutcomeInput>, held: true | undefined]> = {
    'an act whose node is marked': [{ planned: [row()], jobs: jobs('complete'), marks: MARKED }, true],
    'an act whose node is not': [{ planned: [row()], jobs: jobs('complete') }, undefined],
    'a lease that is Applied, which says it': [{ planned: [lease()], marks: MARKED }, undefined],
    'an expired act whose node is marked': [{ earlier: [was('Succeeded')], marks: MARKED }, true],
    'an expired act whose node is not': [{ earlier: [was('Succeeded', { held: true })] }, undefined],
    'one that was cut off, and holds its node': [{ earlier: [was('Running')], marks: MARKED }, true],
    'a taint that is being taken away': [{ earlier: [was('Succeeded')], jobs: jobs('active', { isEnd: true }) }, true],
    'a taint that was taken away': [
      { earlier: [was('Succeeded')], jobs: jobs('complete', { isEnd: true }) },
      undefined,
    ],
    'a taint whose end failed': [{ earlier: [was('Succeeded')], jobs: jobs('failed', { isEnd: true }) }, undefined],
  }
  for (const [name, [input, held]] of Object.entries(HELD))
    test(`tell what the cluster still has: ${name}`, () => assert.is(told(input)[0]?.held, held))
  test('tell of an act that was cut off that it had not ended, also later', () => {
    const [cut] = told({ earlier: [was('Running')] })
    assert.is(cut?.message, 'its Job was taken away before it had ended')
    assert.is(told({ earlier: [cut as Outcome] })[0]?.message, cut?.message)
    for (const state of ['Applied', 'Ended'] as const) assert.is(told({ earlier: [was(state)] })[0]?.message, undefined)
  })
  test('tell since when, and of what blocks', () => {
    const [one] = told({ planned: [row()], jobs: jobs('active'), blocking: BLOCKED, earlier: [was('Blocked')] })
    assert.equal(one, {
      ...{ action: 'a', digest: DIGEST, sequence: 3, fields: ['Node/n/drain'], state: 'Blocked' },
      ...{ message: '2 pods left', blocking: [{ pod: 'shop/web', by: 'a budget' }], observedAt: BEFORE },
      keepUntil: '2026-01-16T11:00:00Z',
    })
    assert.is(told({ planned: [row()], jobs: jobs('active'), earlier: [was('Blocked')] })[0]?.observedAt, AT)
  })
  test('of an action that has decided nothing name no field', () => {
    for (const state of ['refused', 'queued', 'suspended', 'no target'] as const)
      assert.is(told({ planned: [lease({ state })] })[0]?.fields, undefined, state)
  })
  test('of Git and of the process are one: what is final, else what was seen later', () => {
    const later = was('Running', { observedAt: AT })
    assert.equal(mergeOutcomes([was('Waiting')], [later]), [later])
    assert.equal(mergeOutcomes([later], [was('Waiting')]), [later])
    assert.equal(mergeOutcomes([later], [was('Succeeded')]), [was('Succeeded')])
    assert.equal(mergeOutcomes([was('Succeeded')], [later]), [was('Succeeded')])
    assert.is(mergeOutcomes([later], [was('Running', { action: 'b' })]).length, 2)
  })
})

const pod = (name: string, more: { metadata?: object; spec?: object; status?: object } = {}): KubeObject => ({
  metadata: {
    ...{ name, namespace: 'shop', labels: { app: name } },
    ...{ ownerReferences: [{ kind: 'ReplicaSet', controller: true }], ...more.metadata },
  } as KubeObject['metadata'],
  spec: more.spec ?? {},
  status: more.status ?? { phase: 'Running' },
})
const budget = (name: string, disruptionsAllowed: number, namespace = 'shop'): KubeObject => ({
  metadata: { name, namespace },
  spec: { selector: { matchLabels: { app: name } } },
  status: { disruptionsAllowed },
})
const BARE = { metadata: { ownerReferences: [] } }
const LOCAL = { spec: { volumes: [{ name: 'v', emptyDir: {} }] } }

suite('what blocks an act', (test) => {
  const drain = { node: 'n', force: false, deleteEmptyDirData: false }
  const ROWS: Record<string, [pod: KubeObject, by: RegExp | undefined, options?: object, left?: number]> = {
    nothing: [pod('web'), undefined],
    'a budget': [pod('kept'), /^PodDisruptionBudget shop\/kept allows 0$/],
    'no budget of another namespace': [pod('kept', { metadata: { namespace: 'other' } }), undefined],
    'no budget that allows one': [pod('free'), undefined],
    'a pod without a controller': [pod('web', BARE), /no controller/],
    'no such pod with force': [pod('web', BARE), undefined, { force: true }],
    'no such pod that has ended': [pod('web', { ...BARE, status: { phase: 'Succeeded' } }), undefined],
    'local data': [pod('web', LOCAL), /local data/],
    'no local data that may go': [pod('web', LOCAL), undefined, { deleteEmptyDirData: true }],
    'no pod of a DaemonSet': [
      pod('kept', { metadata: { ownerReferences: [{ kind: 'DaemonSet', controller: true }] } }),
      undefined,
      {},
      0,
    ],
    'no mirror of a static pod': [
      pod('kept', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      undefined,
      {},
      0,
    ],
    'no pod that the drain leaves': [pod('kept'), undefined, { podSelector: 'app=web' }, 0],
  }
  for (const [name, [one, by, options = {}, left = 1]] of Object.entries(ROWS))
    test(name, () => {
      const blocking = drainBlocking([one], [budget('kept', 0), budget('free', 1)], { ...drain, ...options })
      assert.is(blocking.left, left)
      if (by === undefined) assert.equal(blocking.pods, [])
      else assert.match(blocking.pods[0]?.by ?? '', by)
    })
  test('an eviction is blocked by a budget alone', () => {
    assert.equal(evictBlocking(pod('kept', BARE), [budget('kept', 0)]).pods.length, 1)
    assert.equal(evictBlocking(pod('web', LOCAL), [budget('kept', 0)]).pods, [])
  })
})

suite('Jobs of actions', (test) => {
  const rendered = planned([vectorAction('V3')]).items.find(({ object }) => object.kind === 'Job')?.object as never
  const withStatus = (...conditions: object[]) => ({ ...(rendered as KubeObject), status: { conditions } })
  test('are read as nodefit renders them', () =>
    assert.equal(liveJob(rendered), {
      ...{ action: 'act-0003', digest: 'b88fd9826f', state: 'active', isEnd: false },
      drain: { node: 'small-000002', force: false, deleteEmptyDirData: true },
    }))
  test('have ended by a condition that is true', () => {
    assert.is(liveJob(withStatus({ type: 'Complete', status: 'True' }))?.state, 'complete')
    assert.is(liveJob(withStatus({ type: 'Complete', status: 'False' }))?.state, 'active')
    assert.is(liveJob(withStatus({ type: 'FailureTarget', status: 'True' }))?.state, 'active')
    const failed = liveJob(withStatus({ type: 'Failed', status: 'True', message: 'too long' }))
    assert.equal([failed?.state, failed?.message], ['failed', 'too long'])
  })
  test('of others are none', () => {
    assert.is(liveJob({ metadata: { name: 'backup-0123456789' } }), undefined)
    assert.is(
      liveJob({ ...(rendered as KubeObject), metadata: { ...(rendered as KubeObject).metadata, name: 'x' } }),
      undefined,
    )
  })
})
