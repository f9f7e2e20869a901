/** What agents use and how they are killed, as rows of a snapshot: measured, kept, and settled. */
import * as assert from 'uvu/assert'
import type { UsageRow } from '../../../../src/facts/inventory/index.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, MINUTE, type PodSpec, refusal, UsageWorld } from '../../../support/usage-world.ts'

const STEADY: PodSpec['use'] = () => ({ cpu: 63, memory: 71 })
/** A Tuesday, an hour before the schedule fires. */
const BEFORE_FIRE = '2026-11-10T08:00:30Z'

interface Options {
  readonly use?: PodSpec['use']
  readonly pods?: number
  readonly start?: string
  readonly schedule?: string
  /** Days that an earlier process has kept. */
  readonly days?: number
}

/** A world with one group, whose DaemonSet wants these pods. */
async function world(
  body: (world: UsageWorld) => Promise<void>,
  { use = STEADY, pods = 3, days = 0, ...options }: Options = {},
): Promise<void> {
  const made = new UsageWorld(options)
  if (days > 0) made.keep('value:m5.large', days, { cpu: 63, memory: 71, pods })
  made.node('n1', { cpu: '1930m', memory: '7134856Ki', pods: '29' })
  made.node('n2', { cpu: '1920m', memory: '7134860Ki', pods: '29' })
  made.daemonSet('large', 'value:m5.large', pods)
  for (let index = 0; index < pods; index++)
    made.pod({ name: `large-${index}`, daemonSet: 'large', node: index === 0 ? 'n1' : 'n2', use })
  await made.begin()
  try {
    await body(made)
  } finally {
    await made.stop()
  }
}

const settledOf = (rows: readonly UsageRow[]) => rows.map(({ settled }) => settled)
const limitsOf = (rows: readonly UsageRow[]) => rows.map(({ settled }) => settled?.limitMemory)

suite('what is measured', (test) => {
  test('one request for each namespace and group label, one watch for each label', () =>
    world(async (cluster) => {
      cluster.daemonSet('xlarge')
      cluster.daemonSet('other', 'value:other', 1, { label: 'example.com/group', policy: 'custom' })
      cluster.policies = new Map([
        ['logging/custom', { formerNames: [], groupLabel: 'example.com/group', mainContainer: '', heaps: [] }],
      ])
      await cluster.pass(MINUTE)
      cluster.asked.length = 0
      await cluster.pass(MINUTE)
      const list = '/apis/metrics.k8s.io/v1beta1/namespaces/logging/pods'
      assert.equal(cluster.asked, [
        '/apis/metrics.k8s.io/v1beta1',
        `${list} example.com/group`,
        `${list} nodefit.dev/node-group`,
      ])
      assert.equal(cluster.watched, ['/api/v1/pods nodefit.dev/node-group', '/api/v1/pods example.com/group'])
    }))
  test('a DaemonSet whose label is unknown has a request of its own, until its policy is read', () =>
    world(async (cluster) => {
      cluster.daemonSet('other', 'value:other', 1, { label: 'example.com/group' })
      await cluster.pass(MINUTE)
      assert.ok(cluster.watched.includes('/api/v1/namespaces/logging/pods app=fluent-bit,example.com/group=other'))
    }))
  test('rows are there from the start, with the smallest node and no day', () =>
    world(async (cluster) => {
      assert.equal(cluster.rows(), [
        {
          ...{ policy: 'logging/fluent-bit', container: 'fluent-bit', group: 'value:m5.large' },
          node: { cpu: '1920m', memory: '7134856Ki', pods: '29' },
          ...{ days: 0, pods: 0 },
        },
      ])
    }))
  test('a day counts when it has ended', () =>
    world(async (cluster) => {
      await cluster.pass(DAY - MINUTE)
      assert.is(cluster.rows()[0]?.days, 0)
      await cluster.pass(2 * MINUTE)
      const [{ days, newest, pods, seen } = {} as UsageRow] = cluster.rows()
      assert.equal([days, newest, pods], [1, '2026-11-03', 3])
      assert.equal(seen, { cpu: '66m', memory: '74Mi', peak: '74Mi', peakAt: '2026-11-03' })
    }))
  const BLIND: ReadonlyArray<readonly [string, (cluster: UsageWorld) => void]> = [
    ['of which most pods are not measured', (cluster) => cluster.daemonSet('large', 'value:m5.large', 7)],
    ['without a metrics API', (cluster) => cluster.fails(refusal(404))],
    ['in which it refuses', (cluster) => cluster.fails(refusal(403))],
    [
      'in which a namespace fails',
      (cluster) => cluster.fails((path) => (path.endsWith('/pods') ? refusal(500)(path) : undefined)),
    ],
    ['in which it says nothing', (cluster) => cluster.fails(() => ({ items: [] }))],
    ['in which it says 0', (cluster) => cluster.zero()],
    ['in which it repeats one measurement', (cluster) => cluster.repeat()],
    ['in which it is an hour behind', (cluster) => cluster.skews(-HOUR)],
  ]
  for (const [name, make] of BLIND)
    test(`a day ${name} does not count, and takes nothing away`, () =>
      world(
        async (cluster) => {
          make(cluster)
          await cluster.pass(DAY + MINUTE)
          assert.is(cluster.rows()[0]?.days, 7)
          assert.is(cluster.rows()[0]?.newest, '2026-11-09')
        },
        { days: 7, start: '2026-11-10T00:00:30Z' },
      ))
  test('that the metrics API does not work is a part, a component and one line, and it is taken up again', () =>
    world(async (cluster) => {
      cluster.fault = refusal(503)
      await cluster.pass(3 * MINUTE)
      assert.is(cluster.collector.part(cluster.clock.now()).metricsAvailable, false)
      assert.is(cluster.counted.components.get('metricsAvailable'), false)
      assert.is(cluster.recorded.lines.filter((line) => line.includes('refused with 503')).length, 1)
      cluster.fault = undefined
      await cluster.pass(MINUTE)
      assert.is(cluster.collector.part(cluster.clock.now()).metricsAvailable, true)
    }))
  test('CPU of the first five minutes does not count, memory does', () =>
    world(
      async (cluster) => {
        const began = cluster.clock.now()
        const use = (at: number) => (at < began + 5 * MINUTE ? { cpu: 400, memory: 200 } : { cpu: 20, memory: 50 })
        for (const name of ['large-0', 'large-1', 'large-2'])
          cluster.pod({ name, daemonSet: 'large', startedAt: began, use })
        await cluster.pass(HOUR)
        const [seen] = cluster.collector.seen(cluster.clock.now())
        assert.equal([seen?.seen?.cpu, seen?.seen?.peak], ['21m', '201Mi'])
      },
      { start: '2026-11-03T00:00:30Z' },
    ))
  test('a clock that was set back counts no hour twice', () =>
    world(async (cluster) => {
      await cluster.pass(13 * HOUR)
      const kept = cluster.hours()
      cluster.clock.set('2026-11-03T05:00:30Z')
      await cluster.pass(6 * HOUR)
      assert.is(cluster.hours(), kept)
      await cluster.pass(4 * HOUR)
      assert.is(cluster.hours(), kept + 2)
    }))
  test('only the containers that a policy sizes have rows', () =>
    world(async (cluster) => {
      cluster.policies = new Map([
        [
          'logging/fluent-bit',
          { formerNames: [], groupLabel: '', containers: ['agent'], mainContainer: 'x', heaps: [] },
        ],
      ])
      await cluster.pass(MINUTE)
      assert.equal(cluster.rows(), [])
    }))
})

suite('sidecars', (test) => {
  const named = (containers?: readonly string[], mainContainer = 'fluent-bit') => {
    const policy = { formerNames: [], groupLabel: '', mainContainer, heaps: [], ...(containers && { containers }) }
    return new Map([['logging/fluent-bit', policy]])
  }
  const inPods = async (cluster: UsageWorld, as: 'sidecar' | 'init') => {
    for (const name of ['large-0', 'large-1', 'large-2']) cluster.pod({ name, daemonSet: 'large', as, use: STEADY })
    await cluster.pass(10 * MINUTE)
  }
  test('that a policy names are measured, and their kills raise their limits', () =>
    world(
      async (cluster) => {
        cluster.policies = named(['app', 'fluent-bit'])
        await inPods(cluster, 'sidecar')
        await cluster.pass(HOUR)
        const [seen, ...others] = cluster.collector.seen(cluster.clock.now())
        assert.equal([seen?.container, seen?.seen?.memory, others], ['fluent-bit', '74Mi', []])
        for (const name of ['large-0', 'large-1']) cluster.kill(name)
        await cluster.pass(2000)
        assert.ok(cluster.commit())
        assert.equal(
          cluster.inGit.map(({ container, settled }) => [container, settled?.limitMemory]),
          [
            ['app', undefined],
            ['fluent-bit', '512Mi'],
          ],
        )
      },
      { start: '2026-11-03T00:00:30Z' },
    ))
  test('beside an only container have no row of their own, even with the name of the target', () =>
    world(async (cluster) => {
      cluster.policies = named()
      await inPods(cluster, 'sidecar')
      for (const name of ['large-0', 'large-1']) cluster.kill(name)
      await cluster.pass(2000)
      assert.equal(
        cluster.rows().map(({ container, kills }) => [container, kills]),
        [['app', undefined]],
      )
    }))
  test('are no init containers that end, which have no size', () =>
    world(async (cluster) => {
      cluster.policies = named(['app', 'fluent-bit'])
      await inPods(cluster, 'init')
      for (const name of ['large-0', 'large-1']) cluster.kill(name)
      await cluster.pass(2000)
      assert.equal(
        cluster.rows().map(({ container, kills }) => [container, kills]),
        [['app', undefined]],
      )
    }))
})

suite('what the schedule settles', (test) => {
  test('sizes of seven days, at its time and not before', () =>
    world(
      async (cluster) => {
        await cluster.pass(59 * MINUTE)
        assert.not(cluster.commit())
        await cluster.pass(2 * MINUTE)
        assert.is(cluster.changes, 1)
        assert.ok(cluster.commit())
        assert.equal(settledOf(cluster.inGit), [
          { cpu: '66m', memory: '74Mi', limitMemory: '148Mi', at: '2026-11-10T09:00:00Z', why: 'Regular' },
        ])
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('nothing of six days, though the seventh comes the day after', () =>
    world(
      async (cluster) => {
        await cluster.pass(3 * DAY)
        assert.not(cluster.commit())
        assert.is(cluster.inGit.length, 0)
      },
      { start: BEFORE_FIRE, days: 6 },
    ))
  test('the same of the same evidence, however late, and however often it is asked', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        const settled = settledOf(cluster.rows())
        for (const name of ['large-0', 'large-1', 'large-2'])
          cluster.pod({ name, daemonSet: 'large', use: () => ({ cpu: 400, memory: 200 }) })
        await cluster.pass(2 * DAY)
        assert.equal(settledOf(cluster.rows()), settled)
        assert.ok(cluster.commit())
        await cluster.pass(DAY)
        assert.not(cluster.commit())
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('at the time of a time zone', () =>
    world(
      async (cluster) => {
        await cluster.pass(30 * MINUTE)
        assert.not(cluster.commit())
      },
      { start: '2026-11-10T08:40:30Z', days: 7, schedule: '0 10 * * 2' },
    ))
  test('a quiet week commits nothing', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        assert.ok(cluster.commit())
        const committed = cluster.inGit
        await cluster.pass(7 * DAY)
        assert.not(cluster.commit())
        assert.equal(settledOf(cluster.rows()), settledOf(committed))
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('the node of a row changes with its sizes alone, since others borrow by it', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        cluster.commit()
        cluster.node('n1', { cpu: '1000m', memory: '1Gi', pods: '10' })
        await cluster.pass(HOUR)
        assert.equal(cluster.rows()[0]?.node, { cpu: '1920m', memory: '7134856Ki', pods: '29' })
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('memory near its limit has a request that follows it, and keeps its limit, which is said', () =>
    world(
      async (cluster) => {
        for (const name of ['large-0', 'large-1', 'large-2'])
          cluster.pod({ name, daemonSet: 'large', use: STEADY, limits: { memory: '80Mi' } })
        await cluster.pass(2 * HOUR)
        const [row] = cluster.rows()
        assert.equal(row?.settled, { cpu: '66m', memory: '74Mi', at: '2026-11-10T09:00:00Z', why: 'Regular' })
        assert.equal(row?.follows, { median: '71Mi', limit: '80Mi' })
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
})

suite('what somebody has taken back from Git', (test) => {
  const reverted = (cluster: UsageWorld, rows: readonly UsageRow[]) => {
    cluster.inGit = rows
    return cluster.commit()
  }
  const kill = async (cluster: UsageWorld) => {
    cluster.kill('large-0')
    cluster.kill('large-1')
    await cluster.pass(2000)
  }
  test('sizes of the schedule stay away until it fires again, whatever restarts', () =>
    world(
      async (cluster) => {
        const before = cluster.inGit
        await cluster.pass(2 * HOUR)
        assert.ok(cluster.commit())
        cluster.rows()
        await cluster.pass(2 * MINUTE)
        await cluster.restart()
        await cluster.pass(MINUTE)
        assert.not(reverted(cluster, before))
        await cluster.pass(2 * DAY)
        assert.not(cluster.commit())
        await cluster.pass(5 * DAY)
        assert.ok(cluster.commit())
        assert.is(settledOf(cluster.inGit)[0]?.at, '2026-11-17T09:00:00Z')
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('sizes stay away from a process that is killed before it measures again', () =>
    world(
      async (cluster) => {
        const before = cluster.inGit
        await cluster.pass(2 * HOUR)
        assert.ok(cluster.commit())
        cluster.rows()
        await cluster.pass(0)
        await cluster.restart()
        await cluster.pass(MINUTE)
        assert.not(reverted(cluster, before))
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('sizes stay away where they came to Git while the history of the hour was written', () =>
    world(
      async (cluster) => {
        const before = cluster.inGit
        await cluster.pass(90 * MINUTE)
        assert.ok(cluster.commit())
        cluster.onWrite = () => {
          cluster.onWrite = undefined
          cluster.rows()
        }
        await cluster.pass(HOUR)
        assert.is(cluster.onWrite, undefined)
        await cluster.restart()
        await cluster.pass(MINUTE)
        assert.not(reverted(cluster, before))
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('sizes that Git never had are settled, however often others push before', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        const settled = settledOf(cluster.rows())
        assert.is(settled.length, 1)
        await cluster.pass(HOUR)
        assert.equal(settledOf(cluster.rows()), settled)
        await cluster.restart()
        await cluster.pass(HOUR)
        assert.equal(settledOf(cluster.rows()), settled)
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('a raise stays away until containers are killed again, whatever restarts', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      const before = cluster.inGit
      await kill(cluster)
      assert.ok(cluster.commit())
      cluster.rows()
      await cluster.pass(MINUTE)
      assert.not(reverted(cluster, before))
      await cluster.pass(DAY)
      await cluster.restart()
      await cluster.pass(8 * DAY)
      assert.equal(
        limitsOf(cluster.rows()).filter((limit) => limit === '512Mi'),
        [],
      )
      cluster.commit()
      await kill(cluster)
      assert.ok(cluster.commit())
      assert.equal(limitsOf(cluster.inGit), ['512Mi'])
    }))
  test('a limit that is taken out of its row begins anew', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      await kill(cluster)
      assert.ok(cluster.commit())
      cluster.rows()
      const anew = cluster.inGit.map(({ settled, ...row }) => {
        const { limitMemory: _, raisedAt: __, ...others } = settled as NonNullable<UsageRow['settled']>
        return { ...row, settled: others }
      })
      assert.not(reverted(cluster, anew))
      await cluster.pass(DAY)
      assert.not(cluster.commit())
    }))
  test('a raise of a time that has not come is none', () =>
    world(async (cluster) => {
      const [policy, container, group] = ['logging/fluent-bit', 'fluent-bit', 'value:m5.large']
      const [at, raisedAt] = ['2026-11-01T00:00:00Z', ['2030-01-01T00:00:00Z']]
      const row = { policy, container, group, settled: { memory: '71Mi', at, why: 'Imported' as const, raisedAt } }
      await cluster.pass(10 * MINUTE)
      reverted(cluster, [row])
      reverted(cluster, [])
      await kill(cluster)
      assert.ok(cluster.commit())
    }))
})

suite('kills', (test) => {
  test('two within an hour double the limit, and ask for an evaluation at once', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      cluster.kill('large-0')
      await cluster.pass(20 * MINUTE)
      assert.equal([cluster.changes, cluster.commit()], [0, false])
      cluster.kill('large-0')
      await cluster.pass(2000)
      assert.is(cluster.changes, 1)
      assert.ok(cluster.commit())
      const [row] = cluster.inGit
      assert.equal(row?.kills, { count: 2, pods: 1, limit: '256Mi', last: '2026-11-03T00:30:30Z' })
      const at = '2026-11-03T00:30:30Z'
      assert.equal(row?.settled, { limitMemory: '512Mi', at, why: 'OOMKilled', raisedAt: [at] })
    }))
  test('are told once, and those at the older limit raise nothing more', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      cluster.kill('large-0')
      await cluster.pass(MINUTE)
      assert.equal([cluster.changes, cluster.commit()], [0, false])
      cluster.kill('large-0', { times: 2 })
      await cluster.pass(MINUTE)
      assert.equal([cluster.changes, cluster.commit()], [1, true])
      cluster.kill('large-1')
      cluster.kill('large-2', { times: 4 })
      await cluster.pass(HOUR)
      assert.equal([cluster.changes, cluster.commit()], [1, false])
    }))
  test('that the watch shows as one count together', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      cluster.kill('large-0', { times: 2 })
      await cluster.pass(2000)
      assert.ok(cluster.commit())
      assert.is(cluster.inGit[0]?.kills?.count, 2)
    }))
  test('of the first minute of a pod count, though nobody watched it yet, and once after a restart', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      await cluster.stop()
      const createdAt = cluster.clock.now()
      cluster.pod({ name: 'large-0', daemonSet: 'large', createdAt, use: STEADY })
      for (const at of [createdAt + 15_000, createdAt + 45_000]) cluster.kill('large-0', { at })
      await cluster.pass(MINUTE)
      await cluster.restart()
      await cluster.pass(2 * MINUTE)
      assert.ok(cluster.commit())
      const row = () => cluster.rows()[0]
      assert.equal([row()?.settled?.limitMemory, row()?.kills?.count], ['512Mi', 2])
      await cluster.pass(HOUR)
      await cluster.restart()
      await cluster.pass(HOUR)
      assert.not(cluster.commit())
      assert.is(row()?.kills?.count, 2)
    }))
  test('of two pods of three within a day are an outage, of pods that are shown together', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      cluster.kill('large-0')
      cluster.kill('large-1')
      await cluster.pass(2000)
      assert.ok(cluster.commit())
      assert.equal(limitsOf(cluster.inGit), ['512Mi'])
    }))
  test('a raise that waits for a review stays the same, with more kills and after a day', () =>
    world(async (cluster) => {
      await cluster.pass(10 * MINUTE)
      cluster.kill('large-0')
      cluster.kill('large-1')
      await cluster.pass(2000)
      const settled = settledOf(cluster.rows())
      assert.equal(limitsOf(cluster.rows()), ['512Mi'])
      cluster.kill('large-2')
      await cluster.pass(3 * HOUR)
      cluster.kill('large-2')
      await cluster.pass(2 * DAY)
      assert.equal(settledOf(cluster.rows()), settled)
    }))
  test('three raises within fourteen days are enough', () =>
    world(async (cluster) => {
      const limits = [256, 512, 1024, 2048]
      for (const limit of limits) {
        for (const name of ['large-0', 'large-1', 'large-2'])
          cluster.pod({ name, daemonSet: 'large', use: STEADY, limits: { memory: `${limit}Mi` } })
        await cluster.pass(10 * MINUTE)
        cluster.kill('large-0')
        cluster.kill('large-1', { at: cluster.clock.now() - 1 })
        await cluster.pass(10 * MINUTE)
        cluster.commit()
      }
      assert.equal(limitsOf(cluster.rows()), ['2Gi'])
      assert.is(settledOf(cluster.rows())[0]?.raisedAt?.length, 3)
    }))
  test('that raise nothing any more ask for an evaluation once, and are held until the first raise is old', () =>
    world(async (cluster) => {
      for (const limit of [256, 512, 1024, 2048]) {
        for (const name of ['large-0', 'large-1', 'large-2'])
          cluster.pod({ name, daemonSet: 'large', use: STEADY, limits: { memory: `${limit}Mi` } })
        await cluster.pass(10 * MINUTE)
        assert.equal(cluster.held(), [])
        for (const name of ['large-0', 'large-1']) cluster.kill(name)
        await cluster.pass(10 * MINUTE)
        cluster.commit()
      }
      const first = Date.parse(settledOf(cluster.rows())[0]?.raisedAt?.[0] ?? '')
      const key = { policy: 'logging/fluent-bit', container: 'fluent-bit', group: 'value:m5.large' }
      const [held, ...others] = cluster.held()
      assert.equal([held?.key, held?.until, held?.kills.limit, held?.kills.count], [key, first + 14 * DAY, 2048, 8])
      assert.equal([others, cluster.changes], [[], 4])
      cluster.kill('large-2')
      await cluster.pass(10 * MINUTE)
      assert.equal([cluster.held()[0]?.kills.count, cluster.changes], [9, 4])
      await cluster.pass(14 * DAY)
      assert.equal(cluster.held(), [])
    }))
  test('that ended more than a day before they were first seen raise nothing', () =>
    world(async (cluster) => {
      for (const name of ['large-0', 'large-1']) cluster.kill(name, { at: cluster.clock.now() - DAY - MINUTE })
      await cluster.pass(10 * MINUTE)
      assert.not(cluster.commit())
    }))
  test('of a pod without a limit raise nothing', () =>
    world(async (cluster) => {
      for (const name of ['large-0', 'large-1', 'large-2'])
        cluster.pod({ name, daemonSet: 'large', use: STEADY, limits: {} })
      await cluster.pass(10 * MINUTE)
      for (const name of ['large-0', 'large-1']) cluster.kill(name)
      await cluster.pass(10 * MINUTE)
      assert.not(cluster.commit())
      assert.equal(cluster.rows()[0]?.kills?.limit, undefined)
    }))
  test('act without a metrics API, and where the history cannot be read', () =>
    world(async (cluster) => {
      cluster.fault = refusal(503)
      cluster.configMapFault = 403
      await cluster.restart()
      await cluster.pass(10 * MINUTE)
      for (const name of ['large-0', 'large-1']) cluster.kill(name)
      await cluster.pass(2000)
      assert.ok(cluster.commit())
    }))
})

suite('what outlives a process', (test) => {
  test('days and hours, written once an hour', () =>
    world(async (cluster) => {
      await cluster.pass(30 * HOUR)
      assert.ok(cluster.writes.length <= 31, String(cluster.writes.length))
      const hours = cluster.hours()
      await cluster.restart()
      assert.equal([cluster.rows()[0]?.days, cluster.hours()], [1, hours])
    }))
  test('restarts 28 times a day cost no day', () =>
    world(
      async (cluster) => {
        for (let count = 0; count < 28; count++) {
          await cluster.pass(DAY / 28)
          await cluster.restart()
        }
        await cluster.pass(MINUTE)
        assert.is(cluster.rows()[0]?.days, 1)
      },
      { start: '2026-11-03T00:00:30Z' },
    ))
  test('a lost history changes no size and no row', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        cluster.commit()
        const [before] = cluster.inGit
        cluster.configMap = undefined
        await cluster.restart()
        const [{ days, seen, settled } = {} as UsageRow] = cluster.rows()
        assert.equal([days, seen, settled], [before?.days, before?.seen, before?.settled])
        await cluster.pass(8 * DAY)
        assert.not(cluster.commit())
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('a lost history before the time of the schedule settles nothing', () =>
    world(
      async (cluster) => {
        cluster.configMap = undefined
        await cluster.restart()
        await cluster.pass(2 * DAY)
        assert.not(cluster.commit())
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  const BROKEN: ReadonlyArray<readonly [string, object]> = [
    ['no gzip', { 'histories.json.gz': 'abc' }],
    ['no JSON', { 'histories.json.gz': 'H4sIAAAAAAAAA0vOyM9JBQBB6lQ4BQAAAA==' }],
    ['nothing', {}],
  ]
  for (const [name, binaryData] of BROKEN)
    test(`a history that is ${name} is said, and begun anew`, () =>
      world(
        async (cluster) => {
          cluster.configMap = { ...cluster.configMap, binaryData } as never
          await cluster.restart()
          assert.is(cluster.rows()[0]?.days, 0)
          assert.ok(cluster.recorded.lines.some((line) => line.startsWith('the history of usage cannot be read')))
          await cluster.pass(HOUR)
          await cluster.restart()
          assert.is(cluster.hours(), 1)
        },
        { days: 3, start: '2026-11-10T00:00:30Z' },
      ))
  test('a history that may not be read is said, and settles nothing until it may', () =>
    world(
      async (cluster) => {
        cluster.configMapFault = 403
        await cluster.restart()
        await cluster.pass(3 * HOUR)
        assert.not(cluster.commit())
        assert.is(cluster.counted.components.get('usage-history'), false)
        assert.ok(cluster.recorded.lines.some((line) => line.startsWith('cannot read the history of usage')))
        cluster.configMapFault = undefined
        await cluster.pass(2 * MINUTE)
        assert.is(cluster.counted.components.get('usage-history'), true)
        assert.is(cluster.rows()[0]?.days, 7)
        assert.ok(cluster.commit())
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('one that somebody has changed is written again', () =>
    world(async (cluster) => {
      await cluster.pass(HOUR)
      cluster.touch()
      await cluster.pass(2 * HOUR)
      const written = cluster.writes.length
      cluster.configMap = undefined
      await cluster.pass(HOUR + 2 * MINUTE)
      assert.ok(cluster.writes.length > written)
      assert.ok(cluster.configMap !== undefined)
    }))
  test('only the leader measures and writes, and takes over what another has kept', () =>
    world(
      async (cluster) => {
        cluster.isLeader = false
        await cluster.restart()
        cluster.asked.length = 0
        const { length } = cluster.writes
        cluster.kill('large-0')
        cluster.kill('large-1')
        await cluster.pass(2 * HOUR)
        assert.equal([cluster.asked.length, cluster.writes.length, cluster.changes], [0, length, 0])
        assert.ok(cluster.collector.isSynced)
        cluster.isLeader = true
        assert.not(cluster.collector.isSynced)
        await cluster.pass(2000)
        assert.ok(cluster.collector.isSynced)
        assert.is(cluster.rows()[0]?.days, 5)
        assert.equal(limitsOf(cluster.rows()), ['512Mi'])
      },
      { days: 5, start: '2026-11-10T00:00:30Z' },
    ))
  test('a process that may not write does not', () =>
    world(async (cluster) => {
      cluster.isWriter = false
      await cluster.restart()
      const { length } = cluster.writes
      await cluster.pass(3 * HOUR)
      assert.is(cluster.writes.length, length)
    }))
})

suite('groups that come and go', (test) => {
  test('a row stays while its group is gone, for as long as shapes do, and goes when the schedule fires', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        cluster.commit()
        cluster.removeDaemonSet('large')
        await cluster.pass(HOUR)
        const [row] = cluster.rows()
        assert.equal([row?.emptySince, row?.settled?.cpu], ['2026-11-10T11:00:30Z', '66m'])
        cluster.inGit = cluster.rows()
        await cluster.pass(14 * DAY)
        assert.is(cluster.rows().length, 1)
        await cluster.pass(7 * DAY)
        assert.equal(cluster.rows(), [])
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('a group that has a DaemonSet and no pod is not gone, and one that comes back neither', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        cluster.commit()
        for (const name of ['large-0', 'large-1', 'large-2']) cluster.removePod(name)
        await cluster.pass(HOUR)
        assert.equal(cluster.rows(), cluster.inGit)
        cluster.removeDaemonSet('large')
        cluster.inGit = cluster.rows()
        assert.ok(cluster.inGit[0]?.emptySince)
        cluster.daemonSet('large', 'value:m5.large')
        cluster.pod({ name: 'large-9', daemonSet: 'large', use: STEADY })
        await cluster.pass(MINUTE)
        assert.equal([cluster.rows()[0]?.emptySince, cluster.rows()[0]?.settled?.cpu], [undefined, '66m'])
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
  test('a renamed policy keeps its rows and its days', () =>
    world(
      async (cluster) => {
        await cluster.pass(2 * HOUR)
        cluster.commit()
        const former = {
          formerNames: ['logging/fluent-bit'],
          groupLabel: 'nodefit.dev/node-group',
          mainContainer: '',
          heaps: [],
        }
        cluster.policies = new Map([['logging/agents', former]])
        cluster.daemonSet('large', 'value:m5.large', 3, { policy: 'agents' })
        await cluster.pass(2 * MINUTE)
        assert.equal(
          cluster.rows().map(({ policy, days, settled }) => [policy, days, settled?.cpu]),
          [['logging/agents', 7, '66m']],
        )
      },
      { start: BEFORE_FIRE, days: 7 },
    ))
})
