import * as assert from 'uvu/assert'
import type { Fields, Log } from '../../../src/host/sync/context.ts'
import type { Evaluation } from '../../../src/host/sync/effect/evaluation.ts'
import type { Checkout, Commit, PushResult, Repository } from '../../../src/host/sync/git/repository.ts'
import { type Notice, Report } from '../../../src/host/sync/report.ts'
import { PushLimit, runRound } from '../../../src/host/sync/round.ts'
import { silentLog, silentMeter } from '../../support/engine-context.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'

const COMMIT: Commit = { changes: { write: new Map([['a', 'b']]), remove: [] }, message: 'a message' }
const CHANGED: Evaluation = {
  kind: 'commit',
  commit: COMMIT,
  effect: 'rendered',
  summary: '3 nodes',
  usage: [],
  findings: [],
}
const UNCHANGED: Evaluation = {
  kind: 'unchanged',
  why: 'effect',
  findings: [],
  until: new Date('2026-11-20T13:00:00Z'),
}
const STOPPED: Evaluation = { kind: 'stopped', sentence: 'half of the groups go', findings: [] }
const ERROR = { code: 'NoTarget', severity: 'error', sentence: 'there is none', message: 'there is none' } as const
const FAILED: Evaluation = { ...CHANGED, effect: 'failed', findings: [ERROR] }
const PUSHED: PushResult = { kind: 'pushed', commit: 'c2', branch: 'main' }
const REFUSED = { kind: 'refused', reason: 'protected-branch', text: 'no', mend: 'allow it' } as unknown as PushResult
const AWAY = {
  kind: 'unreachable',
  reason: 'timeout',
  text: 'no',
  mend: 'wait',
  retryAfter: 7,
} as unknown as PushResult

/** A round over a repository that answers each push in turn, with all that was said and counted. */
async function round(
  evaluations: readonly (Evaluation | Error)[],
  pushes: readonly PushResult[],
  { suspend = false, dryRun = false, report: own = undefined as Report | undefined } = {},
) {
  const clock = new FakeClock()
  const counted: string[] = []
  const said: string[] = []
  const notices: Notice[] = []
  const made: Commit[] = []
  let fetches = 0
  const count =
    (name: string) =>
    (...values: unknown[]) =>
      counted.push([name, ...values].join(' '))
  const meter = {
    ...silentMeter,
    suppressed: count('suppressed'),
    committed: count('committed'),
    component: count('component'),
    reviewWaits: count('waits'),
    fetchFailed: count('fetch'),
  }
  const say = (message: string, _?: Fields) => said.push(message)
  const log: Log = { info: say, warn: say, error: say, with: () => log }
  const repository: Repository = {
    fetch: async (): Promise<Checkout> => ({ commit: `c${++fetches}`, path: '/nowhere' }),
    push: async (_, commit) => {
      made.push(commit)
      return pushes[made.length - 1] ?? PUSHED
    },
    lastOwn: async () => undefined,
    size: async () => 5,
  }
  const result = runRound(
    {
      repository,
      evaluate: () => {
        const evaluation = evaluations[Math.min(fetches, evaluations.length) - 1]
        if (evaluation === undefined || evaluation instanceof Error) throw evaluation
        return evaluation
      },
      limit: new PushLimit(clock),
      report: own ?? new Report({ log, meter }, (notice) => notices.push(notice)),
      context: { clock, meter, log },
      suspend,
      dryRun,
    },
    new AbortController().signal,
  )
  await clock.advance(600_000)
  return { result: await result, counted, said, notices, made, fetches }
}

suite('a round', (test) => {
  test('a branch that waits for a review is measured, until nothing is to be done', async () => {
    const { counted } = await round([CHANGED], [{ ...PUSHED, branch: 'nodefit/prod-1', isReview: true }])
    assert.ok(counted.includes('waits true'))
    assert.ok((await round([CHANGED], [PUSHED])).counted.includes('waits false'))
    assert.ok((await round([UNCHANGED], [])).counted.includes('waits false'))
  })
  test('the head is known after a push to the branch, not after one for a review', async () => {
    const { result } = await round([CHANGED], [{ ...PUSHED, branch: 'nodefit/prod-1', isReview: true }])
    assert.equal(result, { outcome: 'pushed', until: undefined })
  })
  test('what has to be committed is pushed', async () => {
    const { result, made, counted } = await round([CHANGED], [PUSHED])
    assert.equal(result, { outcome: 'pushed', until: undefined, head: 'c2' })
    assert.equal(made, [COMMIT])
    assert.ok(counted.includes('committed rendered'))
  })
  test('what changes nothing is not, and says until when', async () => {
    const { result, made, counted } = await round([UNCHANGED], [])
    assert.equal(result, { outcome: 'done', until: Date.parse('2026-11-20T13:00:00Z') })
    assert.equal(made, [])
    assert.ok(counted.includes('suppressed effect'))
  })
  test('a lost race is evaluated again on the new head, which may have it already', async () => {
    const raced = { kind: 'raced', reason: 'non-fast-forward', text: '', mend: '' } as unknown as PushResult
    const { result, made, fetches } = await round([CHANGED, UNCHANGED], [raced])
    assert.is(result.outcome, 'done')
    assert.is(made.length, 1)
    assert.is(fetches, 2)
  })
  test('races that are all lost are a busy branch, not a refusal', async () => {
    const raced = { kind: 'raced', reason: 'non-fast-forward', text: '', mend: '' } as unknown as PushResult
    const { result, made } = await round([CHANGED], Array(10).fill(raced))
    assert.is(result.outcome, 'unreachable')
    assert.is(made.length, 10)
  })
  test('suspended it fetches nothing', async () => {
    const { result, fetches, counted } = await round([CHANGED], [], { suspend: true })
    assert.is(result.outcome, 'done')
    assert.is(fetches, 0)
    assert.equal(counted, ['suppressed suspended'])
  })
  test('a dry run says the whole message and pushes nothing', async () => {
    const { result, made, said } = await round([CHANGED], [], { dryRun: true })
    assert.is(result.outcome, 'done')
    assert.equal(made, [])
    assert.equal(said, ['would commit: 3 nodes'])
  })
  test('what ended before its push began is evaluated again, and not pushed as it was', async () => {
    const clock = new FakeClock()
    const made: Commit[] = []
    const ends = clock.now() + 1000
    const times: number[] = []
    const evaluate = (_: Checkout, now: Date): Evaluation => {
      times.push(now.getTime())
      if (now.getTime() >= ends) return { ...CHANGED, commit: { ...COMMIT, message: 'without it' } }
      return { ...CHANGED, until: new Date(ends) }
    }
    const repository: Repository = {
      fetch: async () => ({ commit: 'c1', path: '/nowhere' }),
      push: async (_, commit) => {
        made.push(commit)
        return PUSHED
      },
      lastOwn: async () => undefined,
      size: async () => 5,
    }
    const limit = new PushLimit(clock)
    // six pushes a minute: the seventh waits
    for (let push = 0; push < 6; push++) await limit.acquire()
    const context = { clock, meter: silentMeter, log: silentLog }
    const report = new Report(context, () => {})
    const options = { repository, evaluate, limit, report, context, suspend: false, dryRun: false }
    const ran = runRound(options, new AbortController().signal)
    await clock.advance(120_000)
    await ran
    assert.equal(
      made.map(({ message }) => message),
      ['without it'],
    )
    assert.is(times.length, 2)
    assert.ok((times[1] ?? 0) >= ends)
  })
  test('a guard asks for a human', async () => {
    const { result, made, notices } = await round([STOPPED], [])
    assert.is(result.outcome, 'stopped')
    assert.equal(made, [])
    assert.equal(notices, [{ type: 'Warning', reason: 'GuardStopped', note: 'half of the groups go' }])
  })
  test('a render that fails is committed as what it is, and said', async () => {
    const { result, notices, counted } = await round([FAILED], [PUSHED])
    assert.is(result.outcome, 'pushed')
    assert.ok(counted.includes('component render false'))
    assert.equal(notices, [{ type: 'Warning', reason: 'RenderFailed', note: 'NoTarget: there is none' }])
  })
  test('a branch for review that is there already counts no commit, and calls nobody again', async () => {
    const { result, counted, notices, said } = await round([FAILED], [{ ...PUSHED, existed: true }])
    assert.is(result.outcome, 'pushed')
    assert.not(counted.some((line) => line.startsWith('committed')))
    assert.equal(notices, [])
    assert.match(said.join(), 'already pushed: 3 nodes')
  })
  test('as long as it fails, that is said at each look', async () => {
    const { result, said, counted } = await round([{ ...UNCHANGED, failure: 'there is none' } as Evaluation], [])
    // nothing is left to push, and Git is not as it should be: --once fails
    assert.equal([result.outcome, result.failure], ['done', 'there is none'])
    assert.ok(counted.includes('component render false'))
    assert.equal(said, ['the render still fails, and the output stays as it is: there is none'])
  })
  test('a refusal says what helps, once for all who look', async () => {
    const { result, notices, counted } = await round([CHANGED], [REFUSED])
    assert.is(result.outcome, 'refused')
    assert.ok(counted.includes('component git false'))
    assert.equal(notices, [{ type: 'Warning', reason: 'NotPushed', note: 'protected-branch: allow it' }])
  })
  test('what cannot be reached is tried again when the other side says; an Event comes only if it lasts', async () => {
    const { result, notices } = await round([CHANGED], [AWAY])
    assert.equal(result, { outcome: 'unreachable', until: undefined, failure: 'no', retryAfter: 7 })
    assert.equal(notices, [])
    const all: Notice[] = []
    const log: Log = { info() {}, warn() {}, error() {}, with: () => log }
    const report = new Report({ log, meter: silentMeter }, (notice) => all.push(notice))
    for (let time = 0; time < 5; time++) await round([CHANGED], [AWAY], { report })
    assert.equal(all, [{ type: 'Warning', reason: 'GitUnreachable', note: 'timeout: wait' }])
  })
  test('a defect ends a round and not the controller', async () => {
    const { result, notices, said } = await round([new Error('a defect')], [])
    assert.is(result.outcome, 'refused')
    assert.equal(notices, [{ type: 'Warning', reason: 'EvaluationFailed', note: 'a defect' }])
    assert.match(said.join(), 'a defect')
  })
  test('a limit that is held against kills is an Event and a line once, and again when it is held anew', () => {
    const [notices, lines]: [Notice[], string[]] = [[], []]
    const line = (message: string) => lines.push(message)
    const log: Log = { info: line, warn: line, error: line, with: () => log }
    const report = new Report({ log, meter: silentMeter }, (notice) => notices.push(notice))
    const until = Date.parse('2026-11-26T09:00:00Z')
    const held = (group: string, more = {}) => ({
      ...{ key: { policy: 'logging/agent', container: 'agent', group }, until },
      kills: { count: 3, pods: 2, limit: 2048, last: 5 },
      ...more,
    })
    for (const all of [[held('a')], [held('a'), held('b', { kills: { count: 1, pods: 1, last: 5 } })], [], [held('a')]])
      report.heldLimits(all)
    const rest = `and its limit was raised three times in fourteen days: it stays until 2026-11-26T09:00:00Z. Look for a leak, or raise minResources.limitMemory for the group`
    const [a, b] = [
      `logging/agent agent a: killed 3 times in 2 pods at 2Gi, ${rest}`,
      `logging/agent agent b: killed 1 time in 1 pod, ${rest}`,
    ]
    assert.equal(
      notices,
      [a, b, a].map((note) => ({ type: 'Warning', reason: 'OOMKilledAgain', note })),
    )
    assert.equal(
      lines,
      [a, b, a].map((note) => `a limit is not raised again: ${note}`),
    )
  })
  test('what the cluster has otherwise is an Event each time, a line once, and a metric until it is gone', () => {
    const [notices, lines, counted]: [Notice[], string[], string[]] = [[], [], []]
    const line = (message: string) => lines.push(message)
    const log: Log = { info: line, warn: line, error: line, with: () => log }
    const meter = { ...silentMeter, clusterDiffers: (codes?: readonly string[]) => counted.push(codes?.join() ?? '') }
    const report = new Report({ log, meter }, (notice) => notices.push(notice))
    const on = { code: 'LiveLoopOn', severity: 'error', sentence: 'on', message: 'it is on' } as const
    for (const found of [[on], [on], [], []]) report.clusterDiffers(found)
    const note = 'LiveLoopOn: it is on'
    assert.equal(
      notices,
      [1, 2].map(() => ({ type: 'Warning', reason: 'ClusterDiffers', note })),
    )
    assert.equal(lines, [`the cluster differs: ${note}`, 'the cluster has what was rendered again'])
    assert.equal(counted, ['LiveLoopOn', 'LiveLoopOn', '', ''])
  })
})
