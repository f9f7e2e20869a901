/** Kills, as the statuses of pods tell of them: each once, however the watch shows it. */
import * as assert from 'uvu/assert'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import { agentPod, containersOf } from '../../../../src/host/sync/collect/agent-pods.ts'
import { Terminations } from '../../../../src/host/sync/collect/kills-seen.ts'
import { suite } from '../../../support/suite.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString().replace('.000', '')
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
/** A pod that was created in this minute. */
const bornIn = (minute: number, status: object): KubeObject =>
  ({
    metadata: { name: 'p', uid: 'u', creationTimestamp: at(minute) },
    status: { containerStatuses: [status] },
  }) as never

suite('kills of init containers', (test) => {
  const killed = [status(1, RUNNING, ended(1))]
  const rows: ReadonlyArray<readonly [string, initContainers: object[] | undefined, kills: number]> = [
    ['count of a sidecar', [{ name: 'c', restartPolicy: 'Always' }], 1],
    ['count for nothing of one that ends', [{ name: 'c' }], 0],
    ['count for nothing of another than the sidecar', [{ name: 'c' }, { name: 'd', restartPolicy: 'Always' }], 0],
    ['count for nothing of one that the pod has not', undefined, 0],
  ]
  for (const [name, initContainers, kills] of rows)
    test(name, () => {
      const shown = {
        metadata: { name: 'p', uid: 'u' },
        spec: { initContainers },
        status: { initContainerStatuses: killed },
      }
      assert.is(new Terminations().see(shown, false).length, kills)
    })
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
      'once, of one that waits and ends once more',
      [
        [status(0, WAITING, ended(1)), [[1, 1]]],
        [status(2, RUNNING, ended(9)), [[9, 1]]],
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
          terminations.see(pod(shown), false).map((kill) => [(kill.at - Date.parse(at(0))) / 60_000, kill.count]),
          want,
        )
    })
  /** What a pod tells at first, that this process has looked at before or not. */
  const FIRST: ReadonlyArray<readonly [string, KubeObject, isSeen: boolean, ReadonlyArray<readonly [number, number]>]> =
    [
      ['as often as it restarted since it was seen without an end', pod(status(3, RUNNING, ended(5))), true, [[5, 3]]],
      [
        'once, of one that nobody has seen and nobody knows the age of',
        pod(status(3, RUNNING, ended(5))),
        false,
        [[5, 1]],
      ],
      [
        'as often as it restarted in its first hour, the untold ones at its creation',
        bornIn(1, status(3, RUNNING, ended(59))),
        false,
        [
          [1, 2],
          [59, 1],
        ],
      ],
      [
        'with both that it tells of',
        bornIn(1, status(2, ended(9), ended(5))),
        false,
        [
          [1, 1],
          [5, 1],
          [9, 1],
        ],
      ],
      ['once each, where it tells of all', bornIn(1, status(1, RUNNING, ended(5))), false, [[5, 1]]],
      ['once, of one that is an hour old', bornIn(1, status(3, RUNNING, ended(61))), false, [[61, 1]]],
      ['once, of one that has ended otherwise too', bornIn(1, status(2, ended(9), ended(5, 'Error'))), false, [[9, 1]]],
      ['none of one that was not killed', bornIn(1, status(3, RUNNING, ended(5, 'Error'))), false, []],
      [
        'before the kill, whatever the clock of its node says',
        bornIn(9, status(2, RUNNING, ended(5))),
        false,
        [
          [5 - 1 / 60_000, 1],
          [5, 1],
        ],
      ],
    ]
  for (const [name, shown, wasSeen, want] of FIRST)
    test(name, () =>
      assert.equal(
        new Terminations().see(shown, wasSeen).map((kill) => [(kill.at - Date.parse(at(0))) / 60_000, kill.count]),
        want,
      ),
    )
  test('of each container, and of a pod that is another one again', () => {
    const terminations = new Terminations()
    const both = pod(status(1, RUNNING, ended(1)), { ...status(1, RUNNING, ended(1)), name: 'd' })
    assert.equal(
      terminations.see(both, false).map(({ container }) => container),
      ['c', 'd'],
    )
    assert.equal(terminations.see(both, false), [])
    terminations.keep(new Set(['other']))
    assert.is(terminations.size, 0)
    assert.is(terminations.see(both, false).length, 2)
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
  test('sidecars, and not init containers that end', () => {
    const [limits, startedAt] = [{ memory: '64Mi' }, at(3)]
    const pod = {
      ...object({ name: 'c' }),
      spec: {
        containers: [{ name: 'c' }],
        initContainers: [{ name: 'setup' }, { name: 's', restartPolicy: 'Always', resources: { limits } }],
      },
      status: {
        containerStatuses: [{ name: 'c', state: { running: { startedAt } } }],
        initContainerStatuses: [{ name: 'setup' }, { name: 's', state: { running: { startedAt: at(2) } } }],
      },
    } as KubeObject
    const kept = agentPod(pod, new Map())
    assert.equal(containersOf(kept?.containers ?? '[]', new Map()), [
      { name: 'c', hasHeapByLimit: false, limits: {} },
      { name: 's', isSidecar: true, hasHeapByLimit: false, limits: { memory: 64 } },
    ])
    assert.equal(kept?.startedAt, [Date.parse(at(3)), Date.parse(at(2))])
    const statuses = {
      containerStatuses: [status(1, RUNNING, ended(1))],
      initContainerStatuses: [{ ...status(1, RUNNING, ended(2)), name: 's' }],
    }
    const kills = new Terminations().see({ ...pod, status: statuses } as KubeObject, false)
    assert.equal(
      kills.map(({ container }) => container),
      ['c', 's'],
    )
  })
  test('nothing of kills, where nothing has ended', () => {
    const terminations = new Terminations()
    terminations.see(pod(status(0, RUNNING)), false)
    assert.is(terminations.size, 0)
  })
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
