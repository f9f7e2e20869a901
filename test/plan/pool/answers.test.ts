/** What is said of single pods and nodes: each pool's refusal with its amounts, and why a node stays or leaves. */
import * as assert from 'uvu/assert'
import { answersTo, plain, type Question, reportLines } from '../../../src/face/index.ts'
import { rowTables } from '../../../src/face/table.ts'
import { decide, type NodeScene, POOL_LABEL, type PodScene, type Scene } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const [ONE, TWO] = ['small-000001', 'small-000002'] as const
const ask = (scene: Scene, about: Question['about'], name: string) =>
  answersTo({ about, name }, decide(scene).plan).map(({ state, sentence }) => `${state}: ${sentence}`)
const pod = (more: Partial<PodScene> = {}): PodScene[] => [{ name: 'a', since: 300, ...more }]

suite('why a pod gets a machine or not', (test) => {
  const ROWS: Record<string, [scene: Scene, want: string | RegExp]> = {
    'a new machine': [{ pods: pod() }, 'placed: has room on the new machine small-000001 of pool small'],
    'a node that is there': [
      { pods: pod({ since: 180 }), nodes: [{ name: ONE }] },
      'placed: has room on node small-000001 of pool small',
    ],
    'too large, with both amounts': [
      { pods: pod({ cpu: '4' }) },
      'too large: gets no machine of pool small: too large: requests 4000m cpu, a new machine has 3800m cpu',
    ],
    'another pool, by its selector': [
      { pods: pod({ like: { nodeSelector: { [POOL_LABEL]: 'big' } } }) },
      `no match: may not run on nodes of pool small: nodeSelector ${POOL_LABEL}=big`,
    ],
    'too young': [{ pods: pod({ since: 10 }) }, 'young: gets no machine of pool small: pending for less than 120s'],
    gated: [
      { pods: pod({ like: { gates: ['example.com/quota'] } }) },
      'gated: opens no machine: scheduling gates hold it (example.com/quota)',
    ],
    'the number of nodes': [
      { pods: pod(), pools: [{ limits: { maxNodes: 1 } }], nodes: [{ name: ONE, used: 'full' }] },
      'held back: gets no machine of pool small: MaxNodes: maxNodes is 1, and it has 1 machine',
    ],
    'the number of nodes, with those that the run opens': [
      { pods: [...pod(), { name: 'b', cpu: '3500m', since: 300 }], pools: [{ limits: { maxNodes: 1 } }] },
      'held back: gets no machine of pool small: MaxNodes: maxNodes is 1, and it has 1 machine',
    ],
    'the memory, with what the provider adds': [
      { pods: pod(), pools: [{ limits: { memoryMiB: 20_000 } }], nodes: [{ name: ONE, used: 'full' }] },
      /^held back: .* MemoryCeiling: memoryMiB is 20000, its machines have 10240, and one more has 10240$/,
    ],
    'what is not planned with': [{ pods: pod({ like: { limits: ['spread'] } }) }, /; not planned with: spread$/],
  }
  for (const [name, [scene, want]] of Object.entries(ROWS))
    test(name, () => {
      const [answer = '', ...others] = ask(scene, 'pod', 'default/a')
      assert.equal(others, [])
      if (typeof want === 'string') assert.is(answer, want)
      else assert.match(answer, want)
    })
  test('each pool answers', () => {
    const pools = [{}, { name: 'big', policy: { machines: [{ cpuCores: 8, memoryMiB: 16_384 }] } }]
    const answers = ask({ pools, pods: pod({ cpu: '6' }) }, 'pod', 'default/a')
    assert.equal(answers.sort(), [
      'elsewhere: needs nothing of pool small: big-000001 of pool big serves it',
      'placed: has room on the new machine big-000001 of pool big',
    ])
  })
  test('a pod that does not wait is not known', () => assert.equal(ask({ pods: pod() }, 'pod', 'default/b'), []))
})

suite('why a node stays or leaves', (test) => {
  const idle = (name: string, seconds = 900, more: Partial<NodeScene> = {}): NodeScene => ({
    name,
    idle: seconds,
    ...more,
  })
  const ROWS: Record<string, [scene: Scene, want: RegExp]> = {
    'its pods': [
      { nodes: [{ name: ONE, blocking: 2 }] },
      /^staying: .*: has pods; 2 pods keep it; the pool waits for 5m0s$/,
    ],
    'not idle for long enough': [
      { nodes: [idle(ONE, 60)] },
      /^staying: .*: not idle for long enough; idle for 1m0s, since 2026-01-15T09:59:00Z; /,
    ],
    minNodes: [{ pools: [{ limits: { minNodes: 1 } }], nodes: [idle(ONE)] }, /^staying: .*: minNodes; idle for 15m0s/],
    'marked in this run': [{ nodes: [idle(ONE)] }, /^leaving: leaves pool small: cordoned at 2026-01-15T10:00:00Z; /],
    'empty, and its claim is dropped': [
      { nodes: [idle(ONE, 900, { marked: 60, cordoned: true }), { name: TWO, used: 'full' }] },
      /^dropped: .* claim small-000001 is dropped$/,
    ],
    'marked, with a pod': [
      { nodes: [{ name: ONE, marked: 60, cordoned: true, blocking: 1 }] },
      /^leaving: .*; its claim waits for 1 pod to end$/,
    ],
  }
  for (const [name, [scene, want]] of Object.entries(ROWS))
    test(name, () => assert.match(ask(scene, 'node', ONE)[0] ?? '', want))
  test('a claim without a node is known by its name', () =>
    assert.match(ask({ claims: [{ name: ONE, opened: 60 }] }, 'node', ONE)[0] ?? '', /^joining: /))
  test('another node is not known', () => assert.equal(ask({ nodes: [idle(ONE)] }, 'node', 'other'), []))
})

suite('what a pool reports', (test) => {
  const scene = { pods: [...pod(), { name: 'b', since: 300, cpu: '9' }, { name: 'c', since: 1 }] }
  test('begins with its counts, those of pods that are not served by reason', () => {
    const [first = ''] = ask(scene, 'pool', 'small')
    assert.match(
      first,
      /^PoolSummary: small: 0 nodes, .* 1 pending pod served, 2 pending pods not served \(1 too large, 1 too young\)$/,
    )
  })
  test('is a row of a table', () => {
    const [[row] = []] = rowTables(decide(scene).plan)
    assert.equal(row?.cells, [
      ...[
        ['POOL', 'small'],
        ['NODES', '0'],
        ['JOINING', '0'],
        ['ADDED', '1'],
        ['KEPT', '0'],
      ],
      ...[
        ['LEAVING', '0'],
        ['SERVED', '1'],
        ['NOT SERVED', '2'],
      ],
    ])
  })
  test('the row is a table of the report of a run, before the summary', () => {
    const lines = reportLines(decide(scene).plan, false, plain)
    const start = lines.findIndex((line) => line.startsWith('POOL '))
    assert.equal(
      lines.slice(start, start + 3).map((line) => line.split(/\s{2,}/)),
      [
        ['POOL', 'NODES', 'JOINING', 'ADDED', 'KEPT', 'LEAVING', 'SERVED', 'NOT SERVED'],
        ['small', '0', '0', '1', '0', '0', '1', '2'],
        [''],
      ],
    )
    assert.match(lines[start + 3] ?? '', 'PoolSummary: small: 0 nodes')
  })
})
