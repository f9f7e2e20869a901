/** Kills, as the statuses of pods tell of them: each once, however the watch shows it. */
import * as assert from 'uvu/assert'
import type { KubeObject } from '../../../src/api/list.ts'
import { agentPod, containersOf } from '../../../src/sync/collect/agent-pods.ts'
import { Terminations } from '../../../src/sync/collect/terminations.ts'
import { suite } from '../../support/suite.ts'

const at = (minute: number) => `2026-11-20T12:${String(minute).padStart(2, '0')}:00Z`
const ended = (minute: number, reason = 'OOMKilled') => ({
  terminated: { reason, exitCode: 137, finishedAt: at(minute) },
})
const RUNNING = { running: { startedAt: at(0) } }
const WAITING = { waiting: { reason: 'CrashLoopBackOff' } }
const status = (restartCount: number, state: object, lastState: object = {}) => ({
  name: 'c',
  restartCount,
  state,
  lastState,
})
const pod = (...containerStatuses: object[]): KubeObject => ({
  metadata: { name: 'p', uid: 'u' },
  status: { containerStatuses },
})

suite('kills of a container', (test) => {
  /** What each status in turn tells: minutes and counts. */
  const ROWS: ReadonlyArray<
    readonly [string, ReadonlyArray<readonly [object, ReadonlyArray<readonly [number, number]>]>]
  > = [
    ['none of one that runs', [[status(0, RUNNING), []]]],
    ['none of another reason', [[status(1, RUNNING, ended(1, 'Error')), []]]],
    ['one of one that is found restarted', [[status(7, RUNNING, ended(1)), [[1, 1]]]]],
    [
      'one of one that ends, waits and runs again',
      [
        [status(0, RUNNING), []],
        [status(0, ended(1)), [[1, 1]]],
        [status(0, WAITING, ended(1)), []],
        [status(1, RUNNING, ended(1)), []],
        [status(1, RUNNING, ended(1)), []],
      ],
    ],
    [
      'two of one that ends twice',
      [
        [status(0, ended(1)), [[1, 1]]],
        [status(1, ended(2), ended(1)), [[2, 1]]],
        [status(2, RUNNING, ended(2)), []],
      ],
    ],
    [
      'as many as it has restarted between two looks',
      [
        [status(1, RUNNING, ended(1)), [[1, 1]]],
        [status(4, RUNNING, ended(9)), [[9, 3]]],
      ],
    ],
    [
      'as many, the last of them one that is down',
      [
        [status(1, RUNNING, ended(1)), [[1, 1]]],
        [
          status(3, ended(9), ended(7)),
          [
            [7, 2],
            [9, 1],
          ],
        ],
      ],
    ],
    [
      'that a list shows late',
      [
        [status(2, RUNNING, ended(5)), [[5, 1]]],
        [status(1, RUNNING, ended(3)), []],
        [status(3, RUNNING, ended(6)), [[6, 1]]],
      ],
    ],
    [
      'none with a time that is none',
      [[status(1, RUNNING, { terminated: { reason: 'OOMKilled', finishedAt: 'x' } }), []]],
    ],
    ['none of a status that is none', [[{ name: 'c', restartCount: 'x', state: null }, []]]],
  ]
  for (const [name, looks] of ROWS)
    test(name, () => {
      const terminations = new Terminations()
      for (const [shown, want] of looks)
        assert.equal(
          terminations.see(pod(shown)).map((kill) => [(kill.at - Date.parse(at(0))) / 60_000, kill.count]),
          want,
        )
    })
  test('of each container, and of a pod that is another one again', () => {
    const terminations = new Terminations()
    const both = pod(status(1, RUNNING, ended(1)), { ...status(1, RUNNING, ended(1)), name: 'd' })
    assert.equal(
      terminations.see(both).map(({ container }) => container),
      ['c', 'd'],
    )
    assert.equal(terminations.see(both), [])
    terminations.keep(new Set(['other']))
    assert.is(terminations.size, 0)
    assert.is(terminations.see(both).length, 2)
  })
})

suite('what is kept of a pod', (test) => {
  const owner = { kind: 'DaemonSet', name: 'd', uid: 'set', controller: true }
  const object = (spec: object, more: object = {}): KubeObject =>
    ({
      metadata: { name: 'p', uid: 'u', ownerReferences: [owner] },
      spec: { nodeName: 'n', containers: [spec] },
      ...more,
    }) as KubeObject
  const containers = (spec: object, more: object = {}) =>
    containersOf(agentPod(object({ name: 'c', ...spec }, more), new Map())?.containers ?? '[]', new Map())
  const ROWS: ReadonlyArray<readonly [string, object, object, object]> = [
    [
      'limits in whole units',
      { resources: { limits: { cpu: '1500u', memory: '500M' } } },
      {},
      { limits: { cpu: 2, memory: 476 } },
    ],
    ['no limits', {}, {}, { limits: {} }],
    ['a limit that is none', { resources: { limits: { memory: 'much' } } }, {}, { limits: {} }],
    [
      'limits that were changed in place',
      { resources: { limits: { memory: '256Mi' } } },
      { status: { containerStatuses: [{ name: 'c', resources: { limits: { memory: '512Mi' } } }] } },
      { limits: { memory: 512 } },
    ],
    ['GOMEMLIMIT', { env: [{ name: 'GOMEMLIMIT', value: '1' }] }, {}, { limits: {}, hasHeapByLimit: true }],
    [
      'a variable that is the limit',
      { env: [{ name: 'X', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } }] },
      {},
      { limits: {}, hasHeapByLimit: true },
    ],
    ['a variable that is another', { env: [{ name: 'X', value: 'y' }] }, {}, { limits: {} }],
  ]
  for (const [name, spec, more, want] of ROWS)
    test(name, () => assert.equal(containers(spec, more), [{ name: 'c', hasHeapByLimit: false, ...want }]))
  test('only of a DaemonSet', () => {
    const foreign = {
      ...object({ name: 'c' }),
      metadata: { name: 'p', ownerReferences: [{ ...owner, kind: 'ReplicaSet' }] },
    }
    assert.is(agentPod(foreign as KubeObject, new Map()), undefined)
    assert.is(agentPod({ metadata: { name: 'p' } }, new Map()), undefined)
  })
  test('when containers started, and 0 of those that do not run', () => {
    const running = { status: { containerStatuses: [{ name: 'c', state: { running: { startedAt: at(3) } } }] } }
    assert.equal(agentPod(object({ name: 'c' }, running), new Map())?.startedAt, [Date.parse(at(3))])
    assert.equal(agentPod(object({ name: 'c' }), new Map())?.startedAt, [0])
  })
  test('one string of all pods of a template', () => {
    const strings = new Map<string, string>()
    for (let index = 0; index < 10; index++) agentPod(object({ name: 'c' }), strings)
    assert.is(strings.size, 3)
  })
})
