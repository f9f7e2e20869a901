/** When sizes from usage are worth a commit, what its message says, and what a broken row does. */
import * as assert from 'uvu/assert'
import { snapshotFromParts, type UsageRow } from '../../../../src/facts/inventory/index.ts'
import { usageInGit, usageKnown, usagePoliciesIn } from '../../../../src/host/sync/effect/usage-changes.ts'
import { readYaml } from '../../../../src/krm/read-yaml.ts'
import { timeText } from '../../../../src/kube/index.ts'
import { apiNode } from '../../../support/api-nodes.ts'
import { daemonSet, policy, TYPE } from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import { HOUR, Scene } from '../../../support/sync-repository.ts'

const WORKLOAD = 'clusters/prod/nodes/workload.yaml'
const SIZES = { requestMemory: 10, requestCPU: 2, limitCPU: null, limitMemory: null }
const ROW: UsageRow = {
  ...{ policy: 'logging/agent', container: 'agent', group: 'value:m5.large', days: 7, newest: '2026-11-19', pods: 3 },
  node: { cpu: '1930m', memory: '7Gi', pods: '29' },
  seen: { cpu: '63m', memory: '71Mi', peak: '188Mi', peakAt: '2026-11-12' },
}
const SETTLED = { cpu: '61m', memory: '71Mi', at: '2026-11-17T09:00:00Z', why: 'Regular' } as const

function scene(body: (scene: Scene) => void, settings: ConstructorParameters<typeof Scene>[0] = {}): void {
  const made = new Scene(settings, [policy({ nodeGroupLabel: TYPE, resourcePercentages: SIZES }), daemonSet()])
  made.add(apiNode('a1'), apiNode('a2'))
  try {
    made.turn(snapshot(made))
    made.now += HOUR
    body(made)
  } finally {
    made.end()
  }
}

const snapshot = ({ now }: Scene, ...usage: UsageRow[]) =>
  snapshotFromParts({ metricsAvailable: true, usage }, { name: 's', cluster: 'prod', observedAt: timeText(now) })
const messageOf = (made: Scene, ...rows: UsageRow[]) => {
  const evaluation = made.evaluate(snapshot(made, ...rows))
  return evaluation.kind === 'commit' ? evaluation.commit.message : evaluation.kind
}

suite('usage in an evaluation', (test) => {
  test('what was seen commits nothing', () =>
    scene((made) => {
      assert.is(made.after(0, snapshot(made, ROW)), 'unchanged')
      const kills = { count: 1, pods: 1, limit: '256Mi', last: '2026-11-20T11:00:00Z' }
      assert.is(made.after(HOUR, snapshot(made, { ...ROW, days: 8, kills })), 'unchanged')
    }))
  test('what is settled does, once', () =>
    scene((made) => {
      const row = { ...ROW, settled: SETTLED }
      assert.is(made.after(0, snapshot(made, row)), 'inventory')
      assert.match(made.read(WORKLOAD), 'cpu: 61m')
      assert.is(made.after(HOUR, snapshot(made, row)), 'unchanged')
      assert.is(made.after(HOUR, snapshot(made, { ...row, days: 9 })), 'unchanged')
      assert.is(made.after(HOUR, snapshot(made, { ...row, settled: { ...SETTLED, cpu: '80m' } })), 'inventory')
    }))
  test('what is not collected any more is no change of sizes', () =>
    scene((made) => {
      made.after(0, snapshot(made, { ...ROW, settled: SETTLED }))
      assert.is(made.after(HOUR), 'unchanged')
    }))
  test('the message says each group, and why', () =>
    scene((made) => {
      const message = messageOf(made, { ...ROW, settled: { ...SETTLED, limitMemory: '512Mi' } })
      assert.match(message, /^prod: sizes from usage for 1 node group\n/)
      assert.match(
        message,
        '\nSizes from usage\n  logging/agent agent value:m5.large: CPU 61m, memory 71Mi, limit of memory 512Mi (7 days, 3 pods)\n',
      )
    }))
  test('and a raise first, with its kills', () =>
    scene((made) => {
      const other = { ...ROW, group: 'value:c5.large', settled: SETTLED }
      made.after(0, snapshot(made, { ...ROW, settled: SETTLED }))
      const kills = { count: 3, pods: 2, limit: '256Mi', last: '2026-11-20T11:00:00Z' }
      const raised = { ...SETTLED, limitMemory: '512Mi', raisedAt: ['2026-11-20T11:00:00Z'] }
      const message = messageOf(made, other, { ...ROW, kills, settled: raised })
      assert.match(message, 'prod: agent on m5.large killed, limit settled at 512Mi, sizes from usage for 1 node')
      assert.match(
        message,
        'Sizes from usage\n  logging/agent agent value:m5.large: limit of memory 512Mi (killed 3 times in 2 pods at 256Mi)\n  logging/agent agent value:c5.large: CPU 61m',
      )
    }))
  test('a raise names the groups that borrow its limit, and no others', () =>
    scene((made) => {
      const group = (name: string, more: Partial<UsageRow> = {}) => ({ ...ROW, group: `value:${name}`, ...more })
      const kills = { count: 2, pods: 1, limit: '256Mi', last: '2026-11-20T11:00:00Z' }
      const at = '2026-11-20T11:00:00Z'
      const raised = (limitMemory: string) => ({ limitMemory, at, why: 'OOMKilled' as const, raisedAt: [at] })
      const message = messageOf(
        made,
        group('a', { settled: SETTLED }),
        group('b'),
        group('c', { container: 'other' }),
        group('d', { policy: 'logging/other' }),
        { ...ROW, kills, settled: raised('512Mi') },
      )
      assert.match(
        message,
        'limit of memory 512Mi (killed 2 times in 1 pod at 256Mi); of value:b nothing is settled yet: with updateMode Auto they borrow the largest limit, and restart where it grows\n',
      )
      assert.not.match(message, /value:a.*borrow/)
    }))
  test('a message of hundreds has a hundred lines', () =>
    scene((made) => {
      const rows = Array.from({ length: 120 }, (_, index) => ({ ...ROW, group: `value:t${index}`, settled: SETTLED }))
      const message = messageOf(made, ...rows)
      assert.match(message, '  and 20 more, which are in the snapshot\n')
      assert.match(message, 'sizes from usage for 120 node groups')
    }))
  test('a change that waits for a review is another one with other sizes', () =>
    scene((made) => {
      const digest = (row: UsageRow) => {
        const evaluation = made.evaluate(snapshot(made, row))
        return evaluation.kind === 'commit' ? evaluation.commit.digest : ''
      }
      const first = digest({ ...ROW, settled: SETTLED })
      made.now += HOUR
      assert.is(digest({ ...ROW, days: 9, settled: SETTLED }), first)
      assert.is.not(digest({ ...ROW, settled: { ...SETTLED, cpu: '62m' } }), first)
    }))
  const BROKEN: ReadonlyArray<readonly [string, RegExp | string, string, string]> = [
    ['an amount', /cpu: 61m/, 'cpu: much', 'much'],
    ['a time', /at: "2026-11-17/, 'at: "yesterday', 'yesterday'],
    ['a type', /days: 7/, 'days: many', 'days'],
    ['YAML', /days: 7/, 'days: [', WORKLOAD],
    ['a row that is there twice', /( {2}- \{? ?policy[\s\S]*why: Regular.*\n)/, '$1$1', 'twice'],
  ]
  for (const [name, from, to, said] of BROKEN)
    test(`a row with ${name} that somebody broke stops everything, and says which`, () =>
      scene((made) => {
        made.after(0, snapshot(made, { ...ROW, settled: SETTLED }))
        const text = made.read(WORKLOAD)
        made.write(WORKLOAD, text.replace(from, to))
        assert.is.not(made.read(WORKLOAD), text)
        const word = made.after(HOUR, snapshot(made, ROW))
        assert.match(word, /^stopped: clusters\/prod\/nodes\/workload.yaml was changed after nodefit sync wrote it/)
        assert.match(word, said)
        made.write(WORKLOAD, text)
        assert.is(made.after(HOUR, snapshot(made, { ...ROW, settled: SETTLED })), 'unchanged')
      }))
})

suite('rows of Git', (test) => {
  const read = (made: Scene) => [...usageInGit(made.path, made.settings, {}).rows.values()].map(({ row }) => row)
  const row = { ...ROW, settled: SETTLED }
  test('are read as they were written', () =>
    scene((made) => {
      made.after(0, snapshot(made, row))
      assert.equal(read(made), [row])
    }))
  const FORMS: ReadonlyArray<readonly [string, (text: string) => string]> = [
    ['with a comment and an empty line within', (text) => text.replace('days: 7', 'days: 7 # seven\n\n      ')],
    ['with other line ends', (text) => text.replaceAll('\n', '\r\n')],
    ['as JSON within', (text) => text.replace(/ {2}usage:\n[\s\S]*$/, `  usage: ${JSON.stringify([row])}\n`)],
    ['as JSON as a whole', (text) => `${text.split('\n')[0]}\n${JSON.stringify(readYaml(text, 'x'))}\n`],
  ]
  for (const [name, change] of FORMS)
    test(name, () =>
      scene((made) => {
        made.after(0, snapshot(made, row))
        made.write(WORKLOAD, change(made.read(WORKLOAD)))
        assert.equal(read(made), [row])
      }),
    )
  test('there are none without a snapshot, or without usage', () =>
    scene((made) => {
      assert.equal(read(made), [])
      made.remove(WORKLOAD)
      assert.equal(read(made), [])
    }))
})

suite('rows that are gone on from', (test) => {
  const IMPORT = 'policies/usage.yaml'
  const imported = { ...ROW, days: 14, settled: { ...SETTLED, why: 'Imported' as const } }
  const known = (made: Scene, isCollected = true) =>
    [...(usageKnown(made.path, made.settings, made.memory, isCollected)?.values() ?? [])].map(
      ({ row: { group, settled } }) => [group, settled?.why],
    )
  const imports = (made: Scene, cluster: string, ...rows: readonly object[]) =>
    made.write(
      IMPORT,
      JSON.stringify(
        snapshotFromParts({ usage: rows as never }, { name: 'usage', cluster, observedAt: '2026-11-19T12:00:00Z' }),
      ),
    )
  const both = [imported, { ...imported, group: 'value:r5.large' }]
  const IMPORTED = [
    ['value:m5.large', 'Imported'],
    ['value:r5.large', 'Imported'],
  ]
  const ROWS: ReadonlyArray<
    readonly [string, own: readonly UsageRow[], cluster: string, rows: readonly object[], want: unknown]
  > = [
    ['those of another snapshot in the packages, where there are none yet', [], 'prod', both, IMPORTED],
    ['and where nothing is settled yet', [ROW], 'prod', both, IMPORTED],
    [
      'not where something of the container is settled',
      [{ ...ROW, settled: SETTLED }],
      'prod',
      both,
      [['value:m5.large', 'Regular']],
    ],
    [
      'of another container beside it',
      [{ ...ROW, container: 'other', settled: SETTLED }],
      'prod',
      both,
      [['value:m5.large', 'Regular'], ...IMPORTED],
    ],
    ['not of another cluster', [ROW], 'other', both, [['value:m5.large', undefined]]],
    ['not of a snapshot that is refused', [ROW], 'prod', [{ ...imported, days: -1 }], [['value:m5.large', undefined]]],
    ['not where nothing is settled in it', [ROW], 'prod', [ROW], [['value:m5.large', undefined]]],
  ]
  for (const [name, own, cluster, rows, want] of ROWS)
    test(name, () =>
      scene((made) => {
        made.after(0, snapshot(made, ...own))
        made.write(WORKLOAD, `${made.read(WORKLOAD).split('\n')[0]}\n${JSON.stringify(snapshot(made, ...own))}\n`)
        imports(made, cluster, ...rows)
        made.after(HOUR, snapshot(made, ...own))
        assert.equal(known(made), want)
      }),
    )
  test('which are committed, and are then those of Git', () =>
    scene((made) => {
      imports(made, 'prod', ...both)
      made.after(HOUR, snapshot(made, ROW))
      const rows = usageKnown(made.path, made.settings, made.memory, true)
      assert.is(made.after(HOUR, snapshot(made, ...[...(rows ?? [])].map(([, { row }]) => row))), 'inventory')
      made.remove(IMPORT)
      made.after(HOUR, snapshot(made, ...both))
      assert.equal(known(made), IMPORTED)
    }))
  test('not those of the own snapshot, which somebody takes back', () =>
    scene((made) => {
      const before = made.read(WORKLOAD)
      made.after(0, snapshot(made, { ...ROW, settled: SETTLED }))
      made.write(WORKLOAD, before)
      assert.equal(known(made), [])
    }))
  test('not where usage is not collected', () =>
    scene((made) => {
      imports(made, 'prod', ...both)
      made.after(HOUR, snapshot(made, ROW))
      assert.equal(known(made, false), [])
    }))
  test('not in the place of rows that cannot be read', () =>
    scene((made) => {
      imports(made, 'prod', ...both)
      made.after(0, snapshot(made, { ...ROW, settled: SETTLED }))
      made.write(WORKLOAD, made.read(WORKLOAD).replace('days: 7', 'days: x'))
      assert.equal(known(made), [])
    }))
})

suite('policies, for what is measured', (test) => {
  test('say their former names, group label, containers and heaps', () => {
    const spec = {
      ...{ nodeGroupLabel: TYPE, resourcePercentages: SIZES, formerNames: ['old'] },
      labels: { nodeGroup: 'example.com/group' },
      containers: [
        { name: 'a', share: 60 },
        { name: 'b', share: 40 },
      ],
      env: [{ container: 'a', name: 'HEAP', from: 'limits.memory', fraction: 0.8, unit: 'MiB' }],
    }
    const items = [{ object: policy(spec as never) }, { object: daemonSet() }]
    const [[name, found] = []] = usagePoliciesIn({ kind: 'nothing', items, earlier: [] }) ?? []
    assert.is(name, 'default/agent')
    assert.equal(found, {
      ...{ formerNames: ['default/old'], groupLabel: 'example.com/group', containers: ['a', 'b'] },
      ...{ mainContainer: daemonSet().metadata.name, heaps: ['a'] },
    })
  })
  test('are of the namespace of their target, where they say none', () => {
    const inNamespace = (object: ReturnType<typeof policy>, namespace: string | undefined) => {
      const { namespace: _, ...metadata } = object.metadata
      return { object: { ...object, metadata: { ...metadata, ...(namespace && { namespace }) } } }
    }
    const of = (own: string | undefined, target: string | undefined) => {
      const items = [inNamespace(policy({ resourcePercentages: SIZES }), own), inNamespace(daemonSet(), target)]
      return [...(usagePoliciesIn({ kind: 'nothing', items, earlier: [] }) ?? [])].map(([name]) => name)
    }
    assert.equal(of(undefined, 'logging'), ['logging/agent'])
    assert.equal(of('a', 'a'), ['a/agent'])
    assert.equal(of(undefined, undefined), ['default/agent'])
  })
  test('are unknown where the files cannot be read', () =>
    assert.is(
      usagePoliciesIn({ kind: 'failed', items: [], earlier: [], findings: [], sentence: '', key: '' }),
      undefined,
    ))
})
