import * as assert from 'uvu/assert'
import { GitFailure, type Reason } from '../../../../src/host/sync/git/failure.ts'
import { commitAndPush } from '../../../../src/host/sync/git/push.ts'
import type { Checkout, PushResult, Repository } from '../../../../src/host/sync/git/repository.ts'
import { engineContext, silentMeter } from '../../../support/engine-context.ts'
import { suite } from '../../../support/suite.ts'

const PUSHED: PushResult = { kind: 'pushed', commit: 'c', branch: 'main' }
const COMMIT = { changes: { write: new Map([['a', 'b']]), remove: [] }, message: 'm' }
const failed = (reason: Reason, retryAfter?: number) => new GitFailure(reason, reason, retryAfter)

/** Pushes to a remote that answers each fetch and each push with the next of these. */
async function pushes(
  answers: readonly (PushResult | GitFailure)[],
  {
    tries,
    fetches = [],
    signal,
  }: { tries?: number; fetches?: readonly (GitFailure | undefined)[]; signal?: AbortSignal } = {},
) {
  const [bases, made, pauses, counted]: [string[], string[], number[], string[]] = [[], [], [], []]
  let at = 0
  const repository: Repository = {
    async fetch(): Promise<Checkout> {
      const failure = fetches[bases.length]
      bases.push(`base ${bases.length}`)
      if (failure !== undefined) throw failure
      return { commit: bases.at(-1) ?? '', path: '/' }
    },
    async push() {
      const answer = answers[Math.min(at++, answers.length - 1)]
      if (answer instanceof GitFailure) return answer.toRejected()
      return answer ?? PUSHED
    },
    lastOwn: async () => undefined,
    size: async () => 0,
  }
  const make = ({ commit }: Checkout) => {
    made.push(commit)
    return COMMIT
  }
  const result = await commitAndPush(repository, make, {
    maxAttempts: tries,
    signal,
    context: engineContext({
      meter: {
        ...silentMeter,
        fetchFailed: (outcome, reason) => counted.push(`fetch ${outcome} ${reason}`),
        pushed: (outcome, reason) => counted.push(`${outcome} ${reason}`.trim()),
      },
      clock: { now: () => 0, sleep: async (milliseconds) => void pauses.push(milliseconds) },
    }),
    random: () => 0.5,
  })
  return { result, bases, made, pauses, counted }
}

suite('commitAndPush', (test) => {
  test('makes the commit anew for each fetched state, until it is in', async () => {
    const { result, made, pauses, counted } = await pushes([failed('fetch-first'), failed('ref-locked'), PUSHED])
    assert.is(result.kind, 'pushed')
    assert.equal(made, ['base 0', 'base 1', 'base 2'])
    assert.equal(pauses, [1125, 1688])
    assert.equal(counted, ['raced fetch-first', 'raced ref-locked', 'pushed'])
  })
  test('gives up after ten tries, with growing pauses up to 30 s', async () => {
    const { result, made, pauses } = await pushes([failed('stale-info')])
    assert.is(result.kind, 'raced')
    assert.is(made.length, 10)
    assert.equal(pauses, [1125, 1688, 2531, 3797, 5695, 8543, 12814, 19222, 22500])
  })
  test('tries what is refused or unreachable once', async () => {
    for (const reason of ['protected-branch', 'authentication', 'timeout', 'disconnected'] as const) {
      const { result, made } = await pushes([failed(reason)])
      assert.is(result.kind !== 'nothing' && result.kind !== 'pushed' && result.reason, reason)
      assert.is(made.length, 1)
    }
  })
  test('gives a failed fetch as a result, and makes nothing', async () => {
    const { result, made, counted } = await pushes([PUSHED], { fetches: [failed('connection')] })
    assert.is(result.kind, 'unreachable')
    assert.is(result.kind === 'unreachable' && result.isFetch, true)
    assert.equal(made, [])
    assert.equal(counted, ['fetch unreachable connection'])
  })
  test('waits as long as the other side asks', async () => {
    assert.equal((await pushes([failed('old-value', 7000), PUSHED])).pauses, [7000])
  })
  test('waits no longer than an hour, whatever the other side asks', async () => {
    assert.equal((await pushes([failed('old-value', 86_400_000), PUSHED])).pauses, [3_600_000])
  })
  test('makes no push where nothing is to be done', async () => {
    const repository: Repository = {
      fetch: async () => ({ commit: 'a', path: '/' }),
      push: async () => PUSHED,
      lastOwn: async () => undefined,
      size: async () => 0,
    }
    const clock = { now: () => 0, sleep: async () => {} }
    const result = await commitAndPush(repository, () => undefined, { context: engineContext({ clock }) })
    assert.equal(result, { kind: 'nothing' })
  })
  test('ends between two tries when it is stopped', async () => {
    const { result, made } = await pushes([failed('fetch-first')], { signal: AbortSignal.abort() })
    assert.is(result.kind === 'unreachable' && result.reason, 'stopped')
    assert.is(made.length, 1)
  })
  test('counts no push of what was there already', async () => {
    assert.equal((await pushes([{ ...PUSHED, existed: true }])).counted, [])
  })
})
