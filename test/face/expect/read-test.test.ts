/** What a NodefitTest has to be, and what is said of one that is not. */
import * as assert from 'uvu/assert'
import { readTest, runTest } from '../../../src/face/expect/index.ts'
import { newItem } from '../../../src/krm/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { listOf } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { nodefitTest, readValid } from './support.ts'

const size = (more: object) => ({ expect: { sizes: [{ node: 'a', requests: { cpu: 1 }, ...more }] } })

const REFUSED: Array<[what: string, spec: object, sentence: string]> = [
  ['nothing is expected', {}, 'NodefitTest t: spec.expect is missing'],
  [
    'an empty expectation',
    { expect: {} },
    'NodefitTest t: spec.expect expects nothing: add sizes, groups, without or findings',
  ],
  [
    'a misspelt field',
    { expect: { group: {} } },
    'NodefitTest t: spec.expect.group is not a field (did you mean groups?)',
  ],
  [
    'nodes beside an inventory',
    { nodes: [], inventory: 'prod', expect: { groups: {} } },
    'NodefitTest t: spec.inventory cannot be set together with nodes',
  ],
  [
    'a time without nodes',
    { now: '2026-11-20T12:00:00Z', expect: { groups: {} } },
    'NodefitTest t: spec.now is the time of spec.nodes, which is missing: the inventory of the package has its own',
  ],
  [
    'a time in words',
    { nodes: [], now: 'noon', expect: { groups: {} } },
    'NodefitTest t: spec.now must be a time as RFC 3339 has it, but is "noon"',
  ],
  [
    'neither node nor group',
    { expect: { sizes: [{ requests: { cpu: 1 } }] } },
    'NodefitTest t: spec.expect.sizes.0 must have exactly one of node and group',
  ],
  [
    'node and group',
    size({ group: 'b' }),
    'NodefitTest t: spec.expect.sizes.0 must have exactly one of node and group',
  ],
  [
    'a size of nothing',
    { expect: { sizes: [{ node: 'a' }] } },
    'NodefitTest t: spec.expect.sizes.0 expects nothing: add requests, limits or env',
  ],
  [
    'empty amounts',
    { expect: { sizes: [{ node: 'a', requests: {}, limits: {}, env: {} }] } },
    'NodefitTest t: spec.expect.sizes.0 expects nothing: add requests, limits or env',
  ],
  [
    'no quantity',
    size({ limits: { memory: '1 GB' } }),
    'NodefitTest t: spec.expect.sizes.0.limits.memory must be a quantity, but is "1 GB"',
  ],
  [
    'an unknown effect',
    { nodes: [{ name: 'a', taints: [{ key: 'b', effect: 'Never' }] }], expect: { groups: {} } },
    'NodefitTest t: spec.nodes.0.taints.0.effect must be equal to one of the allowed values: NoSchedule, PreferNoSchedule, NoExecute, but is "Never"',
  ],
  [
    'a resource that is not compared',
    size({ requests: { pods: 1 } }),
    'NodefitTest t: spec.expect.sizes.0.requests.pods is not a field (known here: cpu, memory)',
  ],
]

suite('a NodefitTest', (test) => {
  for (const [what, spec, sentence] of REFUSED)
    test(`is refused: ${what}`, () => {
      const { value, findings } = readTest(newItem(nodefitTest(spec)))
      assert.is(value, undefined)
      assert.is(findings[0]?.sentence, sentence)
    })
  test('of another version is refused', () => {
    const { findings } = readTest(newItem({ ...nodefitTest({ expect: { groups: {} } }), apiVersion: 'nodefit.dev/v2' }))
    assert.match(findings[0]?.sentence ?? '', 'apiVersion must be equal to one of the allowed values')
  })
  test('says all that is wrong with it at once', () => {
    const { findings } = readTest(newItem(nodefitTest({ now: 'noon', expect: { sizes: [{ node: 'a' }] } })))
    assert.equal(
      findings.map(({ code, field }) => `${code} ${field?.path}`),
      ['InvalidField spec.now', 'InvalidField spec.now', 'InvalidField spec.expect.sizes.0'],
    )
  })
  test('is named by its namespace, too', () => {
    const spec = { expect: { groups: {} } }
    assert.is(readValid(spec, 'sizes', { namespace: 'logging' }).name, 'logging/sizes')
    assert.is(readValid(spec, 'sizes').name, 'sizes')
  })
  for (const earlier of [true, false])
    test(`is a first run, unless it takes what was rendered as earlier output: ${earlier}`, () => {
      const runs: boolean[] = []
      runTest(readValid({ earlier, expect: { groups: {} } }), [], (_, isFirst) => {
        runs.push(isFirst)
        return plan(listOf([]))
      })
      assert.equal(runs, [!earlier])
    })
  test('may expect that an amount is not set, and amounts as numbers', () => {
    const sizes = [{ group: 'a', requests: { cpu: null }, limits: { cpu: 2, memory: '1e9' } }]
    assert.equal(readValid({ expect: { sizes } }).spec.expect.sizes, sizes)
  })
})
