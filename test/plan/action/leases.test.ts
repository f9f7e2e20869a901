/** What becomes of nodes over time: actions that end, come back, and meet what users and earlier runs wrote. */
import * as assert from 'uvu/assert'
import { emptyPlanned } from '../../../src/core/index.ts'
import { newItem } from '../../../src/krm/item.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { agentFindings } from '../../../src/plan/action/agents.ts'
import { readAction } from '../../../src/plan/action/read-action.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import {
  actionPolicy,
  after,
  codes,
  errors,
  nodeOf,
  nodesAt,
  planned,
  rendered,
  snapshot,
  UID,
} from '../../support/action-package.ts'
import { KEYRING, signedAction, T, VECTORS, vectorAction } from '../../support/actions.ts'
import { config, daemonSet, listOf, node, policy } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

/** Plans the output of a run again at another time; `change` may replace, add to or drop its objects. */
function later(
  made: Plan,
  time: string,
  change: (object: KubernetesObject) => KubernetesObject | undefined = (object) => object,
  more: readonly KubernetesObject[] = [],
): Plan {
  const isReplaced = ({ kind, metadata }: KubernetesObject) =>
    more.some((one) => one.kind === kind && one.metadata.name === metadata.name)
  const kept = after(made, (object) =>
    isReplaced(object) ? undefined : object.kind === 'NodeInventory' ? nodesAt(time) : change(object),
  )
  return plan(listOf([...kept, ...more]), { keyring: KEYRING })
}

const without = (kind: string) => (object: KubernetesObject) => (object.kind === kind ? undefined : object)
const shown = (annotations: object, time: string) => snapshot({ nodes: [{ name: 'small-000002', annotations }] }, time)
const ENDED = '2026-01-15T11:00:00Z'
const AFTER = '2026-01-15T11:10:00Z'

suite('leases', (test) => {
  test('the document of a node whose action is gone stays without the field', () => {
    const made = later(planned([vectorAction('V1')]), T, without('NodeAction'))
    assert.equal(errors(made), [])
    assert.is(nodeOf(made)?.spec, undefined)
    assert.is(nodeOf(made)?.metadata.annotations?.['nodefit.dev/actions'], undefined)
    assert.is(nodeOf(made)?.metadata.annotations?.['nodefit.dev/ended'], T)
  })
  test('it goes once a newer snapshot shows the node without the mark of an action', () => {
    const ended = later(planned([vectorAction('V1')]), ENDED)
    const marked = later(ended, AFTER, undefined, [shown({ 'nodefit.dev/actions': 'act-0001' }, AFTER)])
    assert.ok(nodeOf(marked))
    const early = later(ended, '2026-01-15T11:09:59Z', undefined, [shown({}, '2026-01-15T11:09:59Z')])
    assert.ok(nodeOf(early))
    const unknown = later(ended, AFTER, undefined, [snapshot({ nodes: [{ name: 'small-000002' }] }, AFTER)])
    assert.ok(nodeOf(unknown))
    const bare = snapshot({ nodes: [{ name: 'small-000002', uid: UID }] }, AFTER)
    assert.is(nodeOf(later(ended, AFTER, undefined, [bare])), undefined, 'what shows a uid shows annotations')
    const released = later(ended, AFTER, undefined, [shown({}, AFTER)])
    assert.equal(errors(released), [])
    assert.is(nodeOf(released), undefined)
  })
  test('a time of its end that is none, or was not yet, counts from now', () => {
    const ended = later(planned([vectorAction('V1')]), ENDED)
    const marked = (text: string) => (object: KubernetesObject) => {
      const { annotations } = object.metadata
      const changed = { ...annotations, 'nodefit.dev/ended': text }
      return object.kind === 'Node' ? { ...object, metadata: { ...object.metadata, annotations: changed } } : object
    }
    for (const text of ['2099-01-01T00:00:00Z', 'yesterday', '2026-01-15T11:10:01Z']) {
      const again = later(ended, AFTER, marked(text))
      assert.is(nodeOf(again)?.metadata.annotations?.['nodefit.dev/ended'], AFTER, text)
    }
    const kept = later(ended, AFTER, marked('2026-01-15T11:10:00Z'))
    assert.is(nodeOf(kept)?.metadata.annotations?.['nodefit.dev/ended'], AFTER)
  })
  test('it goes at once where the node is gone, since the API server refuses its uid', () => {
    const made = planned([vectorAction('V1')])
    const nodes = nodesAt()
    const spec = nodes.spec as { shapes: unknown[] }
    const left = { ...nodes, spec: { ...spec, nodeCount: 1, shapes: spec.shapes.slice(1) } }
    const gone = later(made, T, undefined, [left])
    assert.equal(errors(gone), [])
    assert.is(nodeOf(gone), undefined)
  })
  test('a node that is held again has its field again, and no mark of the end', () => {
    const ended = later(planned([vectorAction('V1')]), ENDED)
    const next = signedAction(
      { id: 'next', type: 'cordonNode', sequence: 20, issuedAt: ENDED, expiresAt: '2026-01-15T12:00:00Z' },
      'k1',
    )
    const held = later(ended, ENDED, undefined, [next])
    assert.equal(errors(held), [])
    assert.equal(nodeOf(held)?.spec, { unschedulable: true })
    assert.is(nodeOf(held)?.metadata.annotations?.['nodefit.dev/ended'], undefined)
  })
  test('labels of one action go, and the cordon of another stays', () => {
    const label = signedAction(
      {
        ...{ id: 'label', type: 'labelNode', sequence: 3, parameters: { labels: { team: 'a' } } },
        expiresAt: '2026-01-15T10:30:00Z',
      },
      'k1',
    )
    const made = later(planned([vectorAction('V1'), label]), '2026-01-15T10:30:00Z')
    assert.equal(nodeOf(made)?.spec, { unschedulable: true })
    assert.is(nodeOf(made)?.metadata.labels, undefined)
    assert.is(nodeOf(made)?.metadata.annotations?.['nodefit.dev/actions'], 'act-0001')
  })
  test('a suspended policy gives nodes back', () => {
    const made = planned([vectorAction('V1')])
    const suspended = later(made, T, undefined, [actionPolicy({ suspend: true })])
    assert.is(nodeOf(suspended)?.spec, undefined)
    assert.ok(nodeOf(suspended)?.metadata.annotations?.['nodefit.dev/ended'])
  })
  test('a policy that is gone leaves the documents as they are, and says what to do', () => {
    const made = planned([vectorAction('V1')])
    const objects = after(made, without('ActionPolicy'))
    const gone = plan(listOf(objects), { keyring: KEYRING })
    assert.ok(errors(gone).includes('OrphanedOutput'))
    assert.match(gone.findings.find(({ code }) => code === 'OrphanedOutput')?.message ?? '', /suspend: true first/)
    const allowed = plan(listOf([...objects, config({ allow: ['OrphanedOutput'] })]), { keyring: KEYRING })
    assert.equal(nodeOf(allowed)?.spec, { unschedulable: true })
  })
  test('a user’s own field of the document stays', () => {
    const made = planned([vectorAction('V1')])
    const ended = later(made, ENDED, (object) =>
      object.kind === 'Node' ? { ...object, spec: { ...(object.spec as object), podCIDR: '10.0.0.0/24' } } : object,
    )
    assert.equal(nodeOf(ended)?.spec, { podCIDR: '10.0.0.0/24' })
  })
  test('the order of the input changes nothing', () => {
    const actions = (['V1', 'V2', 'V3'] as const).map((name) => vectorAction(name))
    const printed = (made: Plan) =>
      ['Node', 'Job', 'ActionRecord'].map((kind) => JSON.stringify(rendered(made, kind).map((one) => ({ ...one }))))
    assert.equal(printed(planned(actions)), printed(planned([...actions].reverse())))
  })
})

suite('exported nodes', (test) => {
  test('a node that carries what was applied to it is still read as a node', () => {
    const applied = nodeOf(planned([vectorAction('V1')]))
    const label = { 'kubernetes.io/os': 'linux' }
    const exported = {
      ...node('small-000002', label),
      metadata: { ...node('small-000002', label).metadata, annotations: applied?.metadata.annotations },
    } as KubernetesObject
    const made = plan(
      listOf([exported, node('other', label), policy({ nodeGroupLabel: 'kubernetes.io/os' }), daemonSet()]),
    )
    assert.equal(errors(made), [])
    const [served] = made.packages.flatMap((one) => one.planned)
    assert.equal([...(served?.nodes ?? [])].sort(), ['other', 'small-000002'])
    assert.is(
      nodeOf(made)?.metadata.annotations?.['nodefit.dev/fields'],
      applied?.metadata.annotations?.['nodefit.dev/fields'],
    )
  })
})

suite('the record', (test) => {
  test('it keeps sequences, what is done, and when things expired', () => {
    const made = planned([vectorAction('V1')])
    const sequences = { 'Node/small-000002/unschedulable': 7 }
    const keepUntil = { 'Node/small-000002/unschedulable': '2026-01-16T11:00:00Z' }
    assert.equal(rendered(made, 'ActionRecord')[0]?.spec, { sequences, keepUntil })
    const [record] = rendered(later(made, AFTER), 'ActionRecord')
    assert.equal(record?.spec, { sequences, keepUntil, expiredUntil: ENDED })
    assert.is(record?.metadata.annotations?.['config.kubernetes.io/local-config'], 'true')
  })
  test('it forgets a sequence when no action that was issued before can be valid any more, and no time before', () => {
    const made = planned([vectorAction('V2')])
    const cordon = (id: string, issuedAt: string, expiresAt: string) =>
      signedAction({ id, type: 'cordonNode', sequence: 7, issuedAt, expiresAt }, 'k1')
    const [from, to] = ['2026-01-15T10:59:59Z', '2026-01-16T10:59:59Z']
    const kept = later(made, '2026-01-16T10:59:58Z', without('NodeAction'), [cordon('late', from, to)])
    assert.ok(codes(kept).includes('ActionSuperseded'), 'issued before the uncordon expired')
    const forgotten = later(kept, '2026-01-16T11:00:00Z', without('NodeAction'))
    assert.equal(rendered(forgotten, 'ActionRecord')[0]?.spec, { expiredUntil: '2026-01-16T11:00:00Z' })
    assert.equal(errors(later(forgotten, '2026-01-16T10:59:59Z')), ['TimeWentBack'])
  })
  test('a time before an expiry that a run has seen is refused', () => {
    const ended = later(planned([vectorAction('V1')]), ENDED)
    assert.equal(errors(later(ended, '2026-01-15T10:59:59Z')), ['TimeWentBack'])
    assert.equal(errors(later(ended, ENDED)), [])
  })
  test('an id that was done is not taken by another action', () => {
    const record = {
      ...{ apiVersion: 'nodefit.dev/v1alpha1', kind: 'ActionRecord' },
      metadata: { name: 'main', annotations: { 'nodefit.dev/owner': 'ActionPolicy/main' } },
      spec: { done: { 'act-0004': '0000000000' } },
    }
    assert.equal(errors(planned([record, vectorAction('V4')])), ['DuplicateId'])
  })
  test('an act that succeeded is done for ever, also when its outcome is gone', () => {
    const outcome = { action: 'act-0004', digest: VECTORS.V4.digest, sequence: 11, state: 'Succeeded' }
    const made = planned([vectorAction('V4')])
    assert.is(rendered(made, 'Job').length, 1)
    const done = later(made, T, undefined, [snapshot({ outcomes: [outcome] })])
    assert.equal(rendered(done, 'Job'), [])
    const without = later(done, T, undefined, [snapshot({})])
    assert.equal(rendered(without, 'Job'), [])
    assert.equal((rendered(without, 'ActionRecord')[0] as { spec?: { done?: object } }).spec?.done, {
      'act-0004': VECTORS.V4.digest,
    })
  })
  test('where the record is hidden, outcomes tell what was done and which sequence applied', () => {
    const outcomes = [
      {
        ...{ action: 'act-0002', digest: VECTORS.V2.digest, sequence: 9, state: 'Applied' },
        fields: ['Node/small-000002/unschedulable'],
      },
    ]
    const made = planned([snapshot({ outcomes }), vectorAction('V1')])
    assert.ok(codes(made).includes('ActionSuperseded'))
    assert.is(nodeOf(made)?.spec, undefined)
  })
  test('where earlier documents are hidden, outcomes tell which node to give back, until they say that it is', () => {
    const fields = ['Node/small-000002/unschedulable']
    const outcome = { action: 'act-0001', digest: VECTORS.V1.digest, sequence: 7, fields, state: 'Applied' }
    const expired = [nodesAt(ENDED), snapshot({ outcomes: [outcome] }, ENDED), vectorAction('V1')]
    const left = nodeOf(planned(expired))
    assert.is(left?.metadata.uid, '11111111-1111-4222-8333-000000000002')
    assert.is(left?.spec, undefined)
    assert.is(left?.metadata.annotations?.['nodefit.dev/actions'], undefined)
    const given = planned([nodesAt(ENDED), snapshot({ outcomes: [{ ...outcome, state: 'Ended' }] }, ENDED)])
    assert.is(nodeOf(given), undefined)
  })
  test('a document goes where outcomes say that its actions have ended, and no other does', () => {
    const ended = later(planned([vectorAction('V1')]), ENDED)
    const fields = ['Node/small-000002/unschedulable']
    const seen = (state: string, time = AFTER) => {
      const outcomes = [{ action: 'act-0001', digest: VECTORS.V1.digest, sequence: 7, fields, state }]
      return nodeOf(later(ended, time, undefined, [snapshot({ outcomes }, time)]))
    }
    assert.is(seen('Ended'), undefined)
    assert.ok(seen('Applied'))
    assert.ok(seen('Ended', '2026-01-15T11:09:59Z'), 'what applies the output has not seen it for long enough')
  })
  test('what an outcome shows as done is kept until the time that it has', () => {
    const keepUntil = '2026-01-15T10:30:00Z'
    const outcome = { action: 'act-0003', digest: VECTORS.V3.digest, sequence: 10, state: 'Succeeded', keepUntil }
    const made = planned([vectorAction('V1'), snapshot({ outcomes: [outcome] })])
    const specOf = (plan: Plan) => rendered(plan, 'ActionRecord')[0]?.spec as Record<string, Record<string, string>>
    assert.equal(specOf(made).done, { 'act-0003': VECTORS.V3.digest })
    assert.is(specOf(made).keepUntil?.['act-0003'], keepUntil)
    assert.is(specOf(later(made, keepUntil, without('WorkloadSnapshot'))).done, undefined)
  })
  test('an outcome of another action with the id does not count', () => {
    const outcome = { action: 'act-0004', digest: '0000000000', sequence: 11, state: 'Running' }
    assert.is(rendered(planned([snapshot({ outcomes: [outcome] }), vectorAction('V4')]), 'Job').length, 1)
  })
})

suite('Jobs', (test) => {
  const taint = signedAction(
    { id: 'taint', type: 'taintNode', sequence: 5, parameters: { key: 'dedicated', value: 'x', effect: 'NoSchedule' } },
    'k1',
  )
  const argsOf = (made: Plan) =>
    rendered(made, 'Job').map(({ spec }) => {
      const { template } = spec as { template: { spec: { containers: Array<{ args: string[] }> } } }
      return template.spec.containers[0]?.args.join(' ')
    })
  test('a taint ends by a second Job, until an outcome says that it has ended', () => {
    const made = planned([taint])
    assert.equal(argsOf(made), ['taint node small-000002 dedicated=x:NoSchedule --overwrite'])
    const ended = later(made, ENDED)
    assert.equal(argsOf(ended), ['taint node small-000002 dedicated:NoSchedule-'])
    const soon = '2026-01-15T11:05:00Z'
    assert.equal(argsOf(later(ended, soon)), ['taint node small-000002 dedicated:NoSchedule-'])
    const digest = rendered(made, 'Job')[0]?.metadata.name.slice(-10)
    const outcome = { action: 'taint', digest, state: 'Ended' }
    const shown = snapshot({ outcomes: [outcome] }, soon)
    assert.equal(argsOf(later(ended, soon, undefined, [shown])), [])
    // the Job that ended the taint is no act of its own, which could be done: here it goes with the node
    const nodes = nodesAt(soon)
    const { shapes, ...spec } = nodes.spec as { shapes: unknown[] }
    const left = { ...nodes, spec: { ...spec, nodeCount: 1, shapes: shapes.slice(1) } }
    const gone = later(ended, soon, without('ActionRecord'), [left])
    assert.equal(argsOf(gone), [])
    const [record] = rendered(gone, 'ActionRecord')
    assert.is((record?.spec as { done?: object } | undefined)?.done, undefined)
  })
  test('without outcomes it goes once nodes of ten minutes later do not have the taint', () => {
    const nodes = (time: string, taints: readonly object[] = []) => {
      const { spec, ...rest } = nodesAt(time)
      const { shapes, ...more } = spec as { shapes: object[] }
      return { ...rest, spec: { ...more, shapes: shapes.map((one, at) => (at === 0 ? { ...one, taints } : one)) } }
    }
    const ended = later(planned([taint]), ENDED)
    const again = (time: string, ...taints: object[]) => later(ended, time, undefined, [nodes(time, taints)])
    assert.is(argsOf(again('2026-01-15T11:09:59Z')).length, 1, 'its Job may not have run')
    assert.is(argsOf(again(AFTER, { key: 'dedicated', value: 'x', effect: 'NoSchedule' })).length, 1)
    assert.equal(argsOf(again(AFTER, { key: 'dedicated', value: 'x', effect: 'NoExecute' })), [])
    assert.equal(argsOf(again(AFTER)), [])
    const stale = later(ended, ENDED, undefined, [snapshot({ nodes: [] }, '2026-01-15T12:00:00Z')])
    assert.is(argsOf(stale).length, 1, 'the nodes are of before')
    const other = later(ended, '2026-01-15T11:05:00Z')
    assert.equal(rendered(other, 'Job'), rendered(ended, 'Job'), 'its time is written once')
  })
  test('a taint that its policy wants no more ends, and the drain that it belongs to goes on', () => {
    const made = planned([actionPolicy({ drain: { hold: 'taint' } }), vectorAction('V3')])
    const cordon = later(made, T, undefined, [actionPolicy()])
    const again = later(cordon, T, undefined, [actionPolicy()])
    const args = [
      'drain small-000002 --ignore-daemonsets --timeout=600s --delete-emptydir-data',
      'taint node small-000002 nodefit.dev/drain:NoSchedule-',
    ]
    for (const run of [cordon, again]) assert.equal(argsOf(run).sort(), args)
  })
  test('a taint that was set is ended all the same, when its action has expired', () => {
    const made = planned([taint])
    const digest = rendered(made, 'Job')[0]?.metadata.name.slice(-10)
    const outcome = { action: 'taint', digest, sequence: 5, state: 'Succeeded' }
    const done = later(made, T, undefined, [snapshot({ outcomes: [outcome] })])
    assert.is(argsOf(done).length, 1, 'its Job says what to end')
    assert.equal(argsOf(later(done, ENDED)), ['taint node small-000002 dedicated:NoSchedule-'])
  })
  test('an act that was taken away never runs again, whatever comes back', () => {
    const made = planned([vectorAction('V3')])
    const gone = later(made, T, without('NodeAction'))
    assert.equal(rendered(gone, 'Job'), [])
    const back = later(gone, T, undefined, [vectorAction('V3')])
    assert.equal(rendered(back, 'Job'), [])
    assert.equal(nodeOf(back)?.spec, { unschedulable: true }, 'the cordon is a lease')
    const outcome = { action: 'act-0003', digest: VECTORS.V3.digest, sequence: 10, state: 'Ended' }
    assert.equal(rendered(planned([vectorAction('V3'), snapshot({ outcomes: [outcome] })]), 'Job'), [])
  })
  test('a Job is tried three times more, a minute longer than its command may take, and never deleted by itself', () => {
    const [job] = rendered(planned([vectorAction('V3')]), 'Job')
    const { template: _, ...spec } = (job?.spec ?? {}) as Record<string, unknown>
    assert.equal(spec, { activeDeadlineSeconds: 660, backoffLimit: 3 })
  })
  test('another action with the id of one that has begun is refused at once, not by the next run alone', () => {
    const made = planned([vectorAction('V3')])
    const other = signedAction(
      { id: 'act-0003', type: 'drainNode', sequence: 10, parameters: { timeoutSeconds: 60 } },
      'k1',
      'v3',
    )
    const changed = later(made, T, undefined, [other])
    assert.equal(errors(changed), ['DuplicateId'])
    assert.match(changed.findings.find(({ code }) => code === 'DuplicateId')?.sentence ?? '', /act-0003 has begun$/)
  })
  test('a drain that its expiry cuts short is said: of its own time, and when it begins late', () => {
    const drain = (seconds: number | undefined, more: object = {}) =>
      signedAction(
        { id: 'd', type: 'drainNode', parameters: seconds === undefined ? {} : { timeoutSeconds: seconds }, ...more },
        'k1',
      )
    const cut = (...objects: KubernetesObject[]) =>
      planned(objects).findings.find(({ code }) => code === 'DrainCutShort')?.sentence
    assert.is(cut(drain(3600)), undefined)
    assert.is(cut(drain(3601)), 'd drains for up to 3601 s (timeoutSeconds), and expires after 3600 s')
    assert.is(cut(nodesAt('2026-01-15T10:50:00Z'), drain(undefined)), undefined)
    assert.match(cut(nodesAt('2026-01-15T10:50:01Z'), drain(undefined)) ?? '', /for up to 600 s .* after 599 s$/)
    assert.is(cut(drain(3600, { notBefore: '2026-01-15T09:58:00Z' })), undefined)
    const late = planned([drain(600)])
    assert.not(codes(later(late, '2026-01-15T10:55:00Z')).includes('DrainCutShort'), 'it began in time')
    const outcome = { action: 'd', digest: rendered(late, 'Job')[0]?.metadata.name.slice(-10), sequence: 1 }
    const told = (state: string) =>
      cut(nodesAt('2026-01-15T10:55:00Z'), drain(600), snapshot({ outcomes: [{ ...outcome, state }] }))
    assert.equal(
      [told('Waiting') === undefined, ...['Running', 'Blocked', 'Failed', 'Succeeded'].map(told)],
      [false, ...Array(4)],
    )
    const bare = (time: string) =>
      codes(
        plan(
          { ...listOf([]), items: [nodesAt(time), actionPolicy(), drain(600)].map((one) => newItem(one)) },
          { keyring: KEYRING },
        ),
      )
    assert.not(bare('2026-01-15T10:55:00Z').includes('DrainCutShort'), 'nothing tells when it began')
  })
  test('a drain that runs is not stopped by one of a lower sequence', () => {
    const made = planned([vectorAction('V3')])
    const earlier = signedAction(
      { id: 'd0', type: 'drainNode', sequence: 2, target: { kind: 'Node', name: 'small-000003' } },
      'k1',
    )
    const both = later(made, T, undefined, [earlier])
    assert.equal(rendered(both, 'Job'), rendered(made, 'Job'))
    assert.match(both.findings.find(({ code }) => code === 'ActionQueued')?.sentence ?? '', /^d0 /)
  })
  test('a taint that a later action wants is not taken away', () => {
    const made = planned([taint])
    const next = signedAction(
      {
        ...{ id: 'next', type: 'taintNode', sequence: 6, issuedAt: ENDED, expiresAt: '2026-01-15T12:00:00Z' },
        parameters: { key: 'dedicated', value: 'y', effect: 'NoSchedule' },
      },
      'k1',
    )
    assert.equal(argsOf(later(made, ENDED, undefined, [next])), [
      'taint node small-000002 dedicated=y:NoSchedule --overwrite',
    ])
  })
  test('a Job that was rendered stays as it is, whatever image the policy has now', () => {
    const made = planned([vectorAction('V3')])
    const image = `registry.example/kubectl:1.35@sha256:${'c'.repeat(64)}`
    const changed = later(made, T, undefined, [actionPolicy({ job: { image } })])
    assert.equal(errors(changed), [])
    assert.equal(rendered(changed, 'Job'), rendered(made, 'Job'))
  })
  test('a taint keeps out the agents that are there and do not tolerate it', () => {
    const { value: action } = readAction(taint)
    const agent = (name: string, more: object) => {
      const subject = newItem({ ...policy(), metadata: { name } })
      return emptyPlanned({ subject, constraints: { pod: {}, tolerations: [] } as never, ...more })
    }
    const agents = [
      agent('kept-out', {}),
      agent('disabled', { isEnabled: false }),
      agent('no-pods', { constraints: undefined }),
      agent('tolerant', { constraints: { pod: {}, tolerations: [{ operator: 'Exists' }] } }),
    ]
    const [found, ...more] = action === undefined ? [] : agentFindings([action], { hold: 'cordon' }, agents)
    assert.equal(more, [])
    assert.match(found?.sentence ?? '', /keeps agents off Node small-000002: kept-out$/)
  })
  test('a drain that holds by a taint ends it, too', () => {
    const made = planned([actionPolicy({ ...{ drain: { hold: 'taint' } } }), vectorAction('V3')])
    assert.equal(
      argsOf(made)
        .map((args) => args?.split(' ')[0])
        .sort(),
      ['drain', 'taint'],
    )
    assert.equal(argsOf(later(made, ENDED)), ['taint node small-000002 nodefit.dev/drain:NoSchedule-'])
  })
  test('a failed drain stays until it expires, and lets the next one begin', () => {
    const second = signedAction(
      { id: 'd2', type: 'drainNode', sequence: 11, target: { kind: 'Node', name: 'small-000003' } },
      'k1',
    )
    const outcome = { action: 'act-0003', digest: VECTORS.V3.digest, sequence: 10, state: 'Failed' }
    const made = planned([second, vectorAction('V3'), snapshot({ outcomes: [outcome] })])
    assert.is(rendered(made, 'Job').length, 2)
  })
  test('a name of 63 characters at most keeps its digest', () => {
    const name = `ip-10-0-0-1.${'x'.repeat(80)}.internal`
    const nodes = nodesAt()
    const [shape] = (nodes.spec as { shapes: Array<Record<string, unknown>> }).shapes
    Object.assign(shape ?? {}, { nodes: [name], uids: { [name]: 'u' } })
    const made = planned([nodes, signedAction({ id: 'l', type: 'drainNode', target: { kind: 'Node', name } }, 'k1')])
    const [job] = rendered(made, 'Job')
    assert.match(job?.metadata.name ?? '', /^drainnode-ip-10-0-0-1-x+-[0-9a-f]{10}$/)
    assert.ok((job?.metadata.name.length ?? 64) <= 63)
  })
})
