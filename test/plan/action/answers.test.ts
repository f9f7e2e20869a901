/** What people see of actions: a row each, and answers about one action or node. */
import * as assert from 'uvu/assert'
import { answersTo, diffMarkdown, groupRows } from '../../../src/face/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { actionPolicy, nodesAt, planned, snapshot } from '../../support/action-package.ts'
import { digestOfAction, proofOf, signedAction, VECTORS, vectorAction } from '../../support/actions.ts'
import { suite } from '../../support/suite.ts'

const rows = ({ packages }: Plan) =>
  packages.flatMap((one) =>
    one.planned.flatMap(({ account }) =>
      account.flatMap((line) => (line.kind === 'row' ? [line.cells.map(([, text]) => text)] : [])),
    ),
  )
const asked = (plan: Plan, about: 'action' | 'node', name: string) => answersTo({ about, name }, plan)[0]
const OUTCOME = { action: 'act-0003', digest: VECTORS.V3.digest, sequence: 10, state: 'Blocked' }
const BLOCKED = {
  ...{ ...OUTCOME, message: '1 pod left', observedAt: '2026-01-15T09:58:00Z' },
  blocking: [{ pod: 'shop/web-0', by: 'PodDisruptionBudget shop/web allows 0' }],
}

const JOB_LINE = `rendered: fields of Node small-000002; Job nodefit-actions/drainnode-small-000002-b88fd9826f: drain small-000002 --ignore-daemonsets --timeout=600s --delete-emptydir-data, as nodefit-drain, in registry.example/kubectl:1.34@sha256:${'a'.repeat(64)}`

suite('rows of actions', (test) => {
  test('each has id, type, target, requester, state and end', () => {
    const label = { type: 'labelNode', parameters: { labels: { team: 'a' } }, requester: 'platform' }
    const made = planned([
      signedAction({ ...label, id: 'l1' }, 'k1'),
      vectorAction('V3'),
      signedAction({ ...label, id: 'old', expiresAt: '2026-01-15T09:59:00Z' }, 'k1'),
      snapshot({ outcomes: [BLOCKED] }),
    ])
    assert.equal(rows(made).slice(0, 3), [
      ['l1', 'labelNode', 'Node small-000002', 'platform', 'in effect', '2026-01-15T11:00:00Z'],
      ['act-0003', 'drainNode', 'Node small-000002', '-', 'in effect, Blocked', '2026-01-15T11:00:00Z'],
      ['old', 'labelNode', 'Node small-000002', '-', 'expired', '2026-01-15T09:59:00Z'],
    ])
    assert.equal(rows(made).slice(3), [
      [
        `drainnode-small-000002-${VECTORS.V3.digest}`,
        'drain small-000002 --ignore-daemonsets --timeout=600s --delete-emptydir-data',
        'nodefit-drain',
        `registry.example/kubectl:1.34@sha256:${'a'.repeat(64)}`,
      ],
    ])
    assert.match(diffMarkdown(made, []), 'drain small-000002 --ignore-daemonsets')
  })
  test('a Job is no group of nodes', () => {
    const [subject] = planned([vectorAction('V3')]).packages.flatMap((one) => one.planned)
    assert.equal(subject === undefined ? undefined : groupRows(subject), [])
  })
  test('a copy has no row of its own, and a refused one says why', () => {
    const bad = vectorAction('V2', { signature: { keyId: 'k9' } })
    const { packages } = planned([vectorAction('V1'), { ...vectorAction('V1'), metadata: { name: 'copy' } }, bad])
    const actions = packages.flatMap((one) => one.planned.flatMap((each) => each.actions ?? []))
    assert.equal(
      actions.map(({ id, state }) => [id, state]),
      [
        ['act-0001', 'in effect'],
        ['act-0002', 'refused'],
      ],
    )
    assert.match(actions[1]?.why ?? '', /^UnknownKey: .*k9/)
  })
  for (const [name, objects, state] of [
    ['superseded', [vectorAction('V1'), vectorAction('V2')], 'superseded'],
    ['suspended', [vectorAction('V1'), actionPolicy({ suspend: true })], 'suspended'],
    ['of a later time', [nodesAt('2026-01-15T09:53:00Z'), vectorAction('V1')], 'not yet valid'],
    ['done', [vectorAction('V1'), vectorAction('V3'), snapshot({ outcomes: [{ ...OUTCOME, state: 'Succeeded' }] })]],
  ] as const)
    test(`one that is ${name}`, () => {
      const [first, second] = rows(planned(objects))
      assert.is(name === 'done' ? second?.[4] : first?.[4], state ?? 'done, Succeeded')
    })
})

suite('the summary of actions', (test) => {
  const summary = (objects: readonly KubernetesObject[]) =>
    planned(objects).findings.find(({ code }) => code === 'ActionSummary')?.sentence
  const other = { kind: 'Node', name: 'small-000003' }
  const ROWS: Record<string, [objects: readonly KubernetesObject[], words: string]> = {
    none: [[], 'main: 0 actions, 0 objects added, 0 changed, 0 removed, 0 unchanged'],
    'a node that is held, and one that is kept uncordoned': [
      [
        vectorAction('V3'),
        signedAction(
          { id: 'u', type: 'uncordonNode', sequence: 2, target: other, expiresAt: '2026-01-15T10:30:00Z' },
          'k1',
        ),
      ],
      'main: 2 actions, 1 Job, 4 objects added, 0 changed, 0 removed, 0 unchanged, 2 actions in effect, 1 node held, 1 node kept uncordoned, next expiry 2026-01-15T10:30:00Z',
    ],
    'a node that is kept uncordoned and has a label is held': [
      [
        vectorAction('V2'),
        signedAction({ id: 'l', type: 'labelNode', sequence: 2, parameters: { labels: { team: 'a' } } }, 'k1'),
      ],
      'main: 2 actions, 2 objects added, 0 changed, 0 removed, 0 unchanged, 2 actions in effect, 1 node held, next expiry 2026-01-15T11:00:00Z',
    ],
    'nothing that holds, and nothing that expires next': [
      [actionPolicy({ suspend: true }), vectorAction('V1')],
      'main: 1 action, 0 objects added, 0 changed, 0 removed, 0 unchanged, 1 action suspended',
    ],
  }
  for (const [name, [objects, words]] of Object.entries(ROWS)) test(name, () => assert.is(summary(objects), words))
})

suite('answers about actions', (test) => {
  test('of an action each check, what is rendered, its outcome and what blocks it', () => {
    const answer = asked(planned([vectorAction('V3'), snapshot({ outcomes: [BLOCKED] })]), 'action', 'act-0003')
    assert.is(answer?.state, 'in effect')
    const lines = answer?.lines ?? []
    assert.is(lines.filter((line) => line.endsWith(': passed')).length, 13)
    assert.equal(lines.slice(-3), [
      JOB_LINE,
      'outcome: Blocked since 2026-01-15T09:58:00Z: 1 pod left',
      'blocked by pod shop/web-0: PodDisruptionBudget shop/web allows 0',
    ])
  })
  test('of an action that ended whether the cluster still has something of it', () => {
    const lines = (held?: boolean) => {
      const outcome = { ...BLOCKED, state: 'Ended', blocking: undefined, message: undefined, held }
      return asked(planned([vectorAction('V3'), snapshot({ outcomes: [outcome] })]), 'action', 'act-0003')?.lines ?? []
    }
    assert.is(lines(true).at(-1), 'held: the cluster still has something of it')
    assert.match(lines().at(-1) ?? '', /^outcome: Ended/)
  })
  test('of an action its own Job, and not that of another', () => {
    const target = { kind: 'Node', name: 'small-000003' }
    const other = signedAction({ id: 'd2', type: 'drainNode', sequence: 11, target }, 'k1')
    const both = planned([actionPolicy({ maxConcurrent: 2 }), vectorAction('V3'), other])
    assert.is(asked(both, 'action', 'act-0003')?.lines?.at(-2), JOB_LINE)
  })
  test('of a refused one the check that fails, and which are not reached', () => {
    const answer = asked(planned([vectorAction('V1', { spec: { sequence: 8 } })]), 'action', 'act-0001')
    assert.is(answer?.state, 'refused')
    assert.equal(answer?.lines?.slice(0, 4), [
      'form: passed',
      'algorithm and key: passed',
      'signature: BadSignature: v1: the signature with key k1 does not fit',
      'cluster: not reached',
    ])
    assert.is(answer?.lines?.at(-2), 'rendered: nothing')
  })
  test('of an expired one that nothing but its time was checked', () => {
    const forged = vectorAction('V1', { spec: { expiresAt: '2026-01-15T09:59:59Z' } })
    const lines = asked(planned([forged]), 'action', 'act-0001')?.lines ?? []
    assert.ok(lines.includes('time: ActionExpired: v1 expired at 2026-01-15T09:59:59Z'))
    assert.is(lines.filter((line) => line.endsWith(': passed')).length, 0)
    assert.is(lines.filter((line) => line.endsWith(': not reached')).length, 12)
  })
  test('of a node who holds it and until when; of one that is given back, that it is', () => {
    const words = { requester: 'platform', reason: 'kernel update' }
    const made = planned([signedAction({ id: 'c1', type: 'cordonNode', ...words }, 'k1')])
    assert.is(
      asked(made, 'node', 'small-000002')?.sentence,
      'is held by c1 (cordonNode) for platform: kernel update, until 2026-01-15T11:00:00Z',
    )
    const free = { target: { kind: 'Node', name: 'small-000003' }, type: 'uncordonNode' }
    const kept = (...more: object[]) =>
      asked(
        planned([signedAction({ ...free, id: 'u1' }, 'k1'), ...more.map((one) => signedAction(one as never, 'k1'))]),
        'node',
        'small-000003',
      )
    assert.is(kept()?.state, 'uncordoned')
    assert.is(kept()?.sentence, 'is kept uncordoned by u1 (uncordonNode), until 2026-01-15T11:00:00Z')
    const label = { ...free, id: 'l1', type: 'labelNode', sequence: 2, parameters: { labels: { team: 'a' } } }
    assert.is(kept(label)?.state, 'held')
    assert.is(asked(made, 'node', 'small-000003'), undefined)
    assert.is(asked(made, 'action', 'c2'), undefined)
    const gone = signedAction({ ...free, id: 'c0', type: 'labelNode', parameters: { labels: { a: 'b' } } }, 'k1')
    const applied = {
      ...{ action: 'c0', digest: digestOfAction(gone), state: 'Applied', proof: proofOf(gone) },
      fields: ['Node/small-000003/labels/a'],
    }
    const ending = planned([vectorAction('V1'), snapshot({ outcomes: [applied] })])
    assert.is(asked(ending, 'node', 'small-000003')?.state, 'ending')
  })
})
