/** Sizes from usage: what is rendered of settled rows, of neighbours' and of none, and within which bounds. */
import * as assert from 'uvu/assert'
import type { UsageRow } from '../../../src/facts/inventory/index.ts'
import { memberOf } from '../../../src/krm/map.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, config, daemonSet, listOf, policy, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import {
  AGENT,
  LARGE_NODES,
  MIDDLE_NODES,
  type NodeType,
  nodeTypes,
  SMALL_NODES,
  settledRow,
  usagePolicy,
  usageSnapshot,
} from '../../support/usage.ts'

interface Scene {
  readonly types?: readonly NodeType[]
  readonly rows?: readonly UsageRow[]
  readonly usage?: object
  readonly spec?: Record<string, unknown>
  readonly policy?: KubernetesObject
  readonly template?: KubernetesObject
  readonly more?: readonly KubernetesObject[]
}

function planned({ types = [SMALL_NODES], rows, usage, spec, template = AGENT, more = [], ...scene }: Scene) {
  const subject = scene.policy ?? usagePolicy(usage, { maxResources: { cpu: '64', memory: '64Gi' }, ...spec })
  return plan(listOf([nodeTypes(types), subject, template, usageSnapshot(rows), ...more]))
}

/** `request/limit` of CPU and of memory of each container in the DaemonSet of a group. */
function sizesOf(scene: Scene, group = 'value:small'): string {
  const result = planned(scene)
  assert.not(result.failed, result.findings.map(({ code, message }) => `${code}: ${message}`).join('\n'))
  const rendered = result.packages.flatMap(({ planned }) => planned.flatMap(({ objects }) => objects))
  const object = rendered.find(({ about }) => about === group)?.object
  const pod = memberOf(memberOf(memberOf(object?.spec, 'template'), 'spec'), 'containers') as unknown[]
  return pod
    .map((container) => {
      const at = (part: string, name: string) => memberOf(memberOf(memberOf(container, 'resources'), part), name) ?? '-'
      return `${at('requests', 'cpu')}/${at('limits', 'cpu')} ${at('requests', 'memory')}/${at('limits', 'memory')}`
    })
    .join(' + ')
}

const settled = { cpu: '50m', memory: '100Mi' }
const row = (more: object = {}, of = SMALL_NODES) => settledRow(of, { ...settled, ...more })
const said = (scene: Scene, code: string) =>
  planned(scene)
    .findings.filter((one) => one.code === code)
    .map(({ sentence }) => sentence)

suite('a group with a settled row', (test) => {
  // percentages of the small node: 40m and 163Mi, limits 100m and 409Mi; the template has 100m and 128Mi, limits 500m and 256Mi
  const ROWS: ReadonlyArray<readonly [name: string, scene: Scene, want: string]> = [
    ['requests with the margin, limits the largest', { rows: [row()] }, '58m/500m 115Mi/409Mi'],
    ['up to 1m and 1Mi', { rows: [row({ cpu: '61m', memory: '71Mi' })] }, '71m/500m 82Mi/409Mi'],
    ['no margin', { rows: [row()], usage: { marginPercent: 0 } }, '50m/500m 100Mi/409Mi'],
    ['a margin with a fraction', { rows: [row()], usage: { marginPercent: 0.5 } }, '51m/500m 101Mi/409Mi'],
    ['four times as much', { rows: [row()], usage: { marginPercent: 300 } }, '200m/500m 400Mi/409Mi'],
    ['up to the step', { rows: [row()], spec: { step: { cpu: '25m', memory: '64Mi' } } }, '75m/500m 128Mi/384Mi'],
    ['a decimal step', { rows: [row()], spec: { step: { memory: '50M' } } }, '58m/500m 150M/400M'],
    ['a settled limit', { rows: [row({ limitMemory: '512Mi' })] }, '58m/500m 115Mi/512Mi'],
    ['a settled limit of CPU', { rows: [row({ limitCPU: '2' })] }, '58m/2 115Mi/409Mi'],
    ['a settled limit below the others', { rows: [row({ limitMemory: '300Mi' })] }, '58m/500m 115Mi/409Mi'],
    [
      'the template’s limit above the others',
      { rows: [row({ limitMemory: '300Mi' })], spec: { resourcePercentages: { limitMemory: 3 } } },
      '58m/500m 115Mi/300Mi',
    ],
    [
      'never below the template’s limit',
      { rows: [row()], spec: { resourcePercentages: { limitMemory: 2.1 } } },
      '58m/500m 115Mi/256Mi',
    ],
    [
      'no limit stays no limit',
      {
        rows: [row({ limitMemory: '512Mi', limitCPU: '4' })],
        spec: { resourcePercentages: { limitCPU: 'none', limitMemory: null } },
      },
      '58m/- 115Mi/-',
    ],
    [
      'a request where percentages give none',
      { rows: [row()], spec: { resourcePercentages: { requestCPU: 'none', limitCPU: 'none' } } },
      '58m/- 115Mi/409Mi',
    ],
    [
      'CPU alone',
      { rows: [row({ limitMemory: '1Gi' })], usage: { controlledResources: ['cpu'] } },
      '58m/500m 163Mi/409Mi',
    ],
    ['memory alone', { rows: [row()], usage: { controlledResources: ['memory'] } }, '40m/100m 115Mi/409Mi'],
    [
      'requests only: limits are the percentages’',
      { rows: [row({ limitMemory: '1Gi', limitCPU: '2' })], usage: { controlledValues: 'RequestsOnly' } },
      '58m/100m 115Mi/409Mi',
    ],
    [
      'requests only: no request above its limit',
      { rows: [row({ cpu: '200m', memory: '600Mi' })], usage: { controlledValues: 'RequestsOnly' } },
      '100m/100m 409Mi/409Mi',
    ],
    ['a limit below its request is raised to it', { rows: [row({ memory: '600Mi' })] }, '58m/500m 690Mi/690Mi'],
    [
      'the minimum of the pod',
      { rows: [row()], spec: { minResources: { cpu: '0.1', memory: '128M' } } },
      '100m/500m 128M/409Mi',
    ],
    ['the maximum of the pod', { rows: [row()], spec: { maxResources: { memory: '110Mi' } } }, '58m/500m 110Mi/110Mi'],
    [
      'the maximum of limits, below the template’s',
      { rows: [row({ limitMemory: '1Gi' })], spec: { maxResources: { limitMemory: '200M' } } },
      '58m/500m 115Mi/200M',
    ],
    ['only says', { rows: [row({ limitMemory: '1Gi' })], usage: { updateMode: 'Off' } }, '40m/100m 163Mi/409Mi'],
    ['in any notation', { rows: [row({ cpu: 0.05, memory: 104_857_600 })] }, '58m/500m 115Mi/409Mi'],
    [
      'a row that is killed for before anything is settled raises the limit alone',
      { rows: [settledRow(SMALL_NODES, { limitMemory: '512Mi', why: 'OOMKilled' })] },
      '40m/500m 163Mi/512Mi',
    ],
    [
      'memory that follows its limit is the percentages’',
      { rows: [settledRow(SMALL_NODES, { cpu: '50m' }, { follows: { median: '250Mi', limit: '256Mi' } })] },
      '58m/500m 163Mi/409Mi',
    ],
    [
      'a little, rounded up',
      { rows: [row({ cpu: '1n', memory: '1' })], usage: { marginPercent: 0 } },
      '1m/500m 1Mi/409Mi',
    ],
  ]
  for (const [name, scene, want] of ROWS) test(name, () => assert.is(sizesOf(scene), want))
  test('hysteresis is for percentages only', () => {
    const scene = { rows: [row()], spec: { hysteresisPercent: 50 }, types: [SMALL_NODES] }
    assert.is(sizesOf(scene), '58m/500m 115Mi/409Mi')
  })
  test('variables and GOMEMLIMIT follow the limit', () => {
    const env = [{ name: 'HEAP', from: 'limits.memory', fraction: 0.5 }]
    const result = planned({ rows: [row({ limitMemory: '512Mi' })], spec: { env, goMemLimitPercentage: 0.75 } })
    const text = JSON.stringify(result.packages.flatMap(({ planned }) => planned.flatMap(({ objects }) => objects)))
    assert.match(text, /"GOMEMLIMIT","value":"384MiB"/)
    assert.match(text, /"HEAP","value":"256MiB"/)
  })
})

suite('a group without a settled row', (test) => {
  const types = [SMALL_NODES, MIDDLE_NODES, LARGE_NODES]
  const rows = [row(), row({ cpu: '200m', memory: '400Mi', limitMemory: '2Gi' }, LARGE_NODES)]
  test('gets the larger of the nearest two', () =>
    assert.is(sizesOf({ types, rows }, 'value:middle'), '230m/500m 460Mi/1638Mi'))
  test('of a smaller node at most a tenth', () => {
    const tiny = { ...SMALL_NODES, cpu: '1', memory: '1Gi' }
    assert.is(sizesOf({ types: [tiny, LARGE_NODES], rows: rows.slice(1) }), '115m/500m 118Mi/256Mi')
  })
  test('of one that has nearly nothing at least 1m and 1Mi', () => {
    const none = { ...SMALL_NODES, cpu: '5m', memory: '5Mi' }
    const spec = { resourcePercentages: { limitCPU: null, limitMemory: null } }
    assert.is(sizesOf({ types: [none, LARGE_NODES], rows: rows.slice(1), spec }), '1m/- 1Mi/-')
  })
  test('so do the remainder and the default group, which are sized by the smallest node', () => {
    for (const group of ['remainder', 'default']) assert.is(sizesOf({ types, rows }, group), '58m/500m 115Mi/819Mi')
  })
  test('is sized by percentages where no row is settled', () =>
    assert.is(sizesOf({ rows: [settledRow(SMALL_NODES, undefined)] }), '40m/500m 163Mi/409Mi'))
  test('borrows CPU alone where its memory follows the limit', () => {
    const follows = settledRow(MIDDLE_NODES, undefined, { follows: { median: '1Gi', limit: '1Gi' } })
    assert.is(sizesOf({ types, rows: [...rows, follows] }, 'value:middle'), '230m/500m 327Mi/1638Mi')
  })
  test('borrows from rows of another grouping', () => {
    const old = { ...row(), group: 'class:2cpu-8gi' }
    assert.is(sizesOf({ rows: [old] }), '58m/500m 115Mi/409Mi')
  })
  test('ranges, classes and explicit groups are groups as any other', () => {
    const of = (group: string) => ({ ...row({ cpu: '80m' }), group })
    const CASES: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
      ['range:8-15', { nodeGroupRanges: { label: 'mem', bounds: [8, 16] } }],
      ['class:2cpu-8gi', { classes: { ratio: 2 } }],
      ['group:own', { groups: [{ name: 'own', nodeSelector: { [TYPE]: 'small' } }] }],
    ]
    for (const [group, spec] of CASES) {
      const nodes = nodeTypes([SMALL_NODES])
      const shapes = (nodes.spec as { shapes: Array<{ labels: object }> }).shapes
      for (const shape of shapes) Object.assign(shape.labels, { mem: '8' })
      const subject = usagePolicy({}, { maxResources: { cpu: '64', memory: '64Gi' }, ...spec })
      const result = plan(listOf([nodes, subject, AGENT, usageSnapshot([of(group), row()])]))
      const object = result.packages[0]?.planned[0]?.objects.find(({ about }) => about === group)?.object
      assert.match(JSON.stringify(object), '"cpu":"92m"', group)
    }
  })
})

suite('whose rows count', (test) => {
  const other = { ...row({ cpu: '400m' }), policy: 'other' }
  test('not those of another policy', () => assert.is(sizesOf({ rows: [other] }), '40m/500m 163Mi/409Mi'))
  test('nor of another container', () =>
    assert.is(
      sizesOf({ rows: ['side', 'proxy'].map((container) => ({ ...row(), container })) }),
      '40m/500m 163Mi/409Mi',
    ))
  test('those of a former name, after its own', () => {
    const former = { ...row({ cpu: '400m' }), policy: 'old' }
    const spec = { formerNames: ['old'] }
    assert.is(sizesOf({ rows: [former], spec }), '460m/500m 115Mi/409Mi')
    for (const rows of [
      [former, row()],
      [row(), former],
    ])
      assert.is(sizesOf({ rows, spec }), '58m/500m 115Mi/409Mi')
  })
  test('in the namespace of what is rendered', () => {
    const template = { ...AGENT, metadata: { name: 'agent', namespace: 'ns' } }
    const rows = [
      { ...row({ cpu: '400m' }), policy: 'elsewhere/agent' },
      { ...row(), policy: 'ns/agent' },
    ]
    assert.is(sizesOf({ rows, template }), '58m/500m 115Mi/409Mi')
    assert.is(sizesOf({ rows: rows.slice(0, 1), template }), '40m/500m 163Mi/409Mi')
  })
  test('without a namespace those of the only one, of several none', () => {
    const [one, two] = ['a', 'b'].map((namespace) => ({ ...row(), policy: `${namespace}/agent` }))
    assert.is(sizesOf({ rows: [one as UsageRow] }), '58m/500m 115Mi/409Mi')
    assert.is(sizesOf({ rows: [one as UsageRow, two as UsageRow] }), '40m/500m 163Mi/409Mi')
  })
  test('of another cluster none, which is an error', () => {
    const elsewhere = usageSnapshot([row()], { cluster: 'other' })
    const result = plan(listOf([nodeTypes([SMALL_NODES]), usagePolicy(), AGENT, elsewhere]))
    assert.ok(result.failed)
    assert.ok(codes(result.findings).includes('WrongCluster'))
  })
  test('of the newest snapshot, in whatever order', () => {
    const older = {
      ...usageSnapshot([row({ cpu: '400m' })], { observedAt: '2026-11-19T12:00:00Z' }),
      metadata: { name: 'z' },
    }
    assert.is(sizesOf({ rows: [row()], more: [older] }), '58m/500m 115Mi/409Mi')
  })
})

suite('several containers', (test) => {
  const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { memory } })
  const template = daemonSet({
    containers: [
      { name: 'agent', resources: resources('100m', '128Mi') },
      { name: 'side', resources: resources('10m', '32Mi') },
    ],
  })
  const containers = [
    { name: 'agent', share: 75 },
    { name: 'side', share: 25 },
  ]
  const scene = (rows: UsageRow[], spec: Record<string, unknown> = {}): Scene => ({
    rows,
    template,
    spec: { containers, ...spec },
  })
  const side = (more: object = {}) => ({ ...row({ cpu: '10m', memory: '30Mi', ...more }), container: 'side' })
  test('each by its own row', () =>
    assert.is(sizesOf(scene([row(), side()])), '58m/75m 115Mi/307Mi + 12m/25m 35Mi/102Mi'))
  test('one by its row, the other by its share', () =>
    assert.is(sizesOf(scene([row()])), '58m/75m 115Mi/307Mi + 10m/25m 40Mi/102Mi'))
  test('in proportion where the maximum decides, the last takes the rest', () =>
    assert.is(
      sizesOf(
        scene([row(), side()], { maxResources: { cpu: '50m', memory: '100Mi', limitCPU: '1', limitMemory: '1Gi' } }),
      ),
      '41m/75m 76Mi/307Mi + 9m/25m 24Mi/102Mi',
    ))
  test('in proportion where the minimum decides', () =>
    assert.is(
      sizesOf(
        scene([row(), side()], { minResources: { cpu: '141m', memory: '301Mi', limitCPU: '1m', limitMemory: '1Mi' } }),
      ),
      '116m/116m 230Mi/307Mi + 25m/25m 71Mi/102Mi',
    ))
})

suite('a policy without percentages', (test) => {
  const without = (usage: object = {}, spec: object = {}) => ({
    ...policy(),
    spec: { targetRef: { name: 'agent' }, usage: { updateMode: 'Auto', ...usage }, ...spec },
  })
  const ROWS: ReadonlyArray<readonly [name: string, scene: Scene, want: string]> = [
    ['keeps what the template has', { policy: without(), rows: [] }, '100m/500m 128Mi/256Mi'],
    ['also where it only says', { policy: without({ updateMode: 'Off' }), rows: [row()] }, '100m/500m 128Mi/256Mi'],
    ['and is sized by usage', { policy: without(), rows: [row({ limitMemory: '300Mi' })] }, '58m/500m 115Mi/300Mi'],
    [
      'with the percentages that it has',
      { policy: without({}, { resourcePercentages: { requestCPU: 10 } }), rows: [] },
      '200m/500m 128Mi/256Mi',
    ],
    [
      'within its bounds',
      { policy: without({}, { maxResources: { memory: '200Mi' } }), rows: [] },
      '100m/500m 128Mi/200Mi',
    ],
    [
      'without limits where the template has none',
      {
        policy: without(),
        rows: [row({ limitMemory: '1Gi', limitCPU: '1' })],
        template: daemonSet({ containers: [{ name: 'agent', resources: { requests: { cpu: '0' } } }] }),
      },
      '58m/- 115Mi/-',
    ],
    [
      'a request of 0 stays 0',
      {
        policy: without(),
        rows: [],
        template: daemonSet({ containers: [{ name: 'agent', resources: { requests: { cpu: '0' } } }] }),
      },
      '0/- -/-',
    ],
  ]
  for (const [name, scene, want] of ROWS) test(name, () => assert.is(sizesOf(scene), want))
})

suite('what sizes groups', (test) => {
  const types = [SMALL_NODES, MIDDLE_NODES]
  const byTemplate = { ...policy(), spec: { targetRef: { name: 'agent' }, usage: { updateMode: 'Auto' } } }
  const ROWS: ReadonlyArray<readonly [name: string, scene: Scene, want: string]> = [
    ['rows and neighbours', { rows: [row()] }, '1 group is sized by usage (14 days), 3 like neighbours'],
    ['percentages', { rows: [] }, '0 groups are sized by usage, 4 by percentages'],
    ['the template', { rows: [], policy: byTemplate }, '0 groups are sized by usage, 4 by the template'],
    [
      'not usage of what the policy leaves out',
      { rows: [row({ limitMemory: '1Gi' })], usage: { controlledResources: [] } },
      '0 groups are sized by usage, 4 by percentages',
    ],
    [
      'nor limits that it leaves out',
      {
        rows: [settledRow(SMALL_NODES, { limitMemory: '1Gi' })],
        usage: { controlledValues: 'RequestsOnly' },
      },
      '0 groups are sized by usage, 4 by percentages',
    ],
    [
      'nor another resource',
      { rows: [settledRow(SMALL_NODES, { cpu: '50m' })], usage: { controlledResources: ['memory'] } },
      '0 groups are sized by usage, 4 by percentages',
    ],
  ]
  for (const [name, scene, want] of ROWS)
    test(name, () => assert.match(said({ types, ...scene }, 'SizedByUsage').join(), `: ${want};`))
})

suite('what is said of kills', (test) => {
  const kills = { count: 3, pods: 2, limit: '256Mi', last: '2026-11-19T10:00:00Z' }
  const killed = (more: object = {}, at: object = kills) =>
    settledRow(SMALL_NODES, { ...settled, ...more }, { kills: at })
  const max = (limitMemory: string) => ({ maxResources: { cpu: '64', memory: '64Gi', limitMemory } })
  const { limit: _, ...unlimited } = kills
  const ROWS: ReadonlyArray<readonly [name: string, scene: Scene, want: string]> = [
    [
      'a limit that is raised',
      { rows: [killed({ limitMemory: '512Mi' })] },
      'at 256Mi, last 2026-11-19T10:00:00Z; its limit becomes 512Mi',
    ],
    ['one that stays', { rows: [killed()], spec: max('256Mi') }, 'its limit stays 256Mi'],
    ['one that somebody lowers', { rows: [killed()], spec: max('200Mi') }, 'its limit becomes 200Mi'],
    [
      'one that it had not',
      { rows: [killed({}, unlimited)] },
      '3 times in 2 pods without a limit, last 2026-11-19T10:00:00Z; its limit becomes 409Mi',
    ],
    [
      'one that it has not',
      { rows: [killed()], spec: { resourcePercentages: { limitMemory: null } } },
      'it has no limit',
    ],
  ]
  for (const [name, scene, want] of ROWS) test(name, () => assert.ok(said(scene, 'OOMKilled').join().endsWith(want)))
})

suite('usage of some groups', (test) => {
  const types = [SMALL_NODES, MIDDLE_NODES]
  const rows = [row(), row({}, MIDDLE_NODES)]
  test('an override switches it off', () => {
    const spec = { overrides: [{ groups: ['small'], usage: { updateMode: 'Off' } }] }
    assert.is(sizesOf({ types, rows, spec }), '40m/100m 163Mi/409Mi')
    assert.is(sizesOf({ types, rows, spec }, 'value:middle'), '58m/500m 115Mi/819Mi')
    assert.match(said({ types, rows, spec }, 'UsageSays').join(), 'Auto would size 1 group by usage')
  })
  test('an override alone switches it on', () => {
    const subject = policy({
      maxResources: { memory: '64Gi' },
      minResources: { cpu: '1m', memory: '1Mi' },
      overrides: [{ groups: ['small'], usage: { updateMode: 'Auto', marginPercent: 100 } }],
    })
    assert.is(sizesOf({ types, rows, policy: subject }), '100m/500m 200Mi/409Mi')
    assert.is(sizesOf({ types, rows, policy: subject }, 'value:middle'), '80m/200m 327Mi/819Mi')
  })
  test('an explicit group has its own', () => {
    const groups = [{ name: 'own', nodeSelector: { [TYPE]: 'small' }, usage: { marginPercent: 0 } }]
    assert.is(
      sizesOf({ types, rows: [{ ...row(), group: 'group:own' }], spec: { groups } }, 'group:own'),
      '50m/500m 100Mi/409Mi',
    )
  })
})

suite('requests below the template’s', (test) => {
  const rows = [row()]
  const ROWS: ReadonlyArray<readonly [name: string, scene: Scene, ...said: string[]]> = [
    ['of usage: as asked', { rows }],
    ['borrowed: as asked', { rows, types: [SMALL_NODES, MIDDLE_NODES] }],
    ['of a minimum that decides: as asked', { rows, spec: { minResources: { cpu: '70m' } } }],
    [
      'of a maximum that decides',
      { rows, spec: { maxResources: { cpu: '20m' } } },
      ...['requests.cpu 100m -> 20m', 'limits.cpu 500m -> 20m'],
    ],
    [
      'of a limit that decides',
      {
        rows,
        usage: { controlledValues: 'RequestsOnly' },
        spec: { resourcePercentages: { requestCPU: 1, limitCPU: 1 } },
      },
      ...['requests.cpu 100m -> 20m', 'limits.cpu 500m -> 20m'],
    ],
    [
      'of percentages while usage is only said',
      { rows, usage: { updateMode: 'Off' } },
      ...['requests.cpu 100m -> 40m', 'limits.cpu 500m -> 100m'],
    ],
    [
      'of percentages beside usage',
      { rows, usage: { controlledResources: ['memory'] } },
      ...['requests.cpu 100m -> 40m', 'limits.cpu 500m -> 100m'],
    ],
  ]
  for (const [name, scene, ...want] of ROWS)
    test(name, () => {
      const texts = said(scene, 'BelowTemplate').flatMap((text) => text.match(/\w+\.\w+ \w+ -> \w+/g) ?? [])
      assert.equal(texts, want)
    })
})

suite('no usage was collected', (test) => {
  test('is an error, which can be allowed', () => {
    assert.ok(planned({}).failed)
    const allowed = planned({ more: [config({ allow: ['UsageNotCollected'] })] })
    assert.not(allowed.failed)
    assert.ok(codes(allowed.findings).includes('UsageNotCollected'))
  })
  test('is none where it is collected and empty', () => assert.not(planned({ rows: [] }).failed))
  test('is none where it is only said', () => assert.not(planned({ usage: { updateMode: 'Off' } }).failed))
  test('a malformed row is one error, and nothing changes', () => {
    const result = planned({ rows: [row({ cpu: 'much' })] })
    assert.ok(result.failed)
    assert.equal(codes(result.findings.filter(({ severity }) => severity === 'error')), ['InvalidField'])
  })
})

suite('sizes of one look', (test) => {
  const AGES: ReadonlyArray<readonly [name: string, settled: object, stale: RegExp | undefined]> = [
    ['are good for fourteen days', { at: '2026-11-06T12:00:00Z', evidence: 'Sample' }, undefined],
    ['are stale after them', { at: '2026-11-05T12:00:00Z', evidence: 'Sample' }, /since 2026-11-05, from one look$/],
    ['of days are stale after three', { at: '2026-11-16T12:00:00Z', evidence: 'Days' }, /since 2026-11-16$/],
    ['of unknown evidence are stale after three', { at: '2026-11-16T12:00:00Z' }, /since 2026-11-16$/],
  ]
  for (const [name, more, stale] of AGES)
    test(name, () => {
      const rows = [settledRow(SMALL_NODES, { ...settled, why: 'Imported', ...more }, { days: 0, newest: undefined })]
      const [text] = said({ rows }, 'UsageStale')
      if (stale === undefined) assert.is(text, undefined)
      else assert.match(text ?? '', stale)
    })
  test('say so where a size is explained', () => {
    const rows = [settledRow(SMALL_NODES, { ...settled, why: 'Imported', evidence: 'Sample' }, { days: 0 })]
    const texts = planned({ rows }).findings.map(({ sentence }) => sentence)
    assert.ok(
      texts.some((text) => text.includes('imported 2026-11-17T09:00:00Z from one look')),
      texts.join('\n'),
    )
  })
})
