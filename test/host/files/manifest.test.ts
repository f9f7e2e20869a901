/** Resources of nodefit as files: the rows of usage are a line each, and small. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { snapshotFromParts, type UsageRow } from '../../../src/facts/inventory/index.ts'
import { writeWithSchema } from '../../../src/host/files/manifest.ts'
import { readYaml } from '../../../src/krm/read-yaml.ts'
import { suite } from '../../support/suite.ts'

const AGENTS = ['fluent-bit', 'node-exporter', 'datadog-agent', 'cilium-agent', 'otel-collector', 'node-agent', 'falco']
const SERIES = 450
const MOST_BYTES = 160_000

/** Whatever is known of a container at once, of every tenth its kills. */
const rowOf = (index: number): UsageRow => {
  const name = AGENTS[index % AGENTS.length] ?? ''
  return {
    ...{ policy: `logging/${name}`, container: name, group: `value:m${index % 9}i.${1 + (index % 24)}xlarge` },
    node: { cpu: '1930m', memory: '7134856Ki', pods: '29' },
    ...{ days: 14, newest: '2026-11-19', pods: 120 },
    seen: { cpu: '63m', memory: '71Mi', peak: '188Mi', peakAt: '2026-11-12' },
    ...(index % 10 === 0 && { kills: { count: 3, pods: 1, limit: '256Mi', last: '2026-11-12T08:00:00Z' } }),
    settled: { cpu: '61m', memory: '71Mi', limitMemory: '512Mi', at: '2026-11-17T09:00:00Z', why: 'Regular' },
  }
}
const snapshotOf = (usage: readonly UsageRow[]) =>
  snapshotFromParts({ usage: [...usage] }, { name: 'prod', cluster: 'prod' })

suite('a snapshot as a file', (test) => {
  test('has a line for each row of usage', () => {
    const raisedAt = ['a', 'b']
    const raised: UsageRow = { ...rowOf(0), settled: { limitMemory: '1Gi', at: 'x', why: 'OOMKilled', raisedAt } }
    const [, ...lines] = writeWithSchema(snapshotOf([rowOf(1), raised])).split('  usage:\n')
    const [first = '', second = '', ...others] = (lines.at(-1) ?? '').split('\n')
    assert.is(
      first,
      '  - {policy: logging/node-exporter, container: node-exporter, group: "value:m1i.2xlarge", node: {cpu: 1930m, memory: 7134856Ki, pods: "29"}, days: 14, newest: "2026-11-19", pods: 120, seen: {cpu: 63m, memory: 71Mi, peak: 188Mi, peakAt: "2026-11-12"}, settled: {cpu: 61m, memory: 71Mi, limitMemory: 512Mi, at: "2026-11-17T09:00:00Z", why: Regular}}',
    )
    assert.match(
      second,
      /^ {2}- \{policy: .*settled: \{limitMemory: 1Gi, at: x, why: OOMKilled, raisedAt: \[a, b\]\}\}$/,
    )
    assert.equal(others, [''])
  })
  test('its other lists have a line for each field', () => {
    const nodes = [{ name: 'a', used: { pods: '3' } }]
    const text = writeWithSchema(snapshotFromParts({ nodes, usage: [] }, { name: 'prod', cluster: 'prod' }))
    assert.match(text, '  nodes:\n  - name: a\n    used:\n      pods: "3"\n  usage: []\n')
  })
  test('no other kind has a table', () => {
    const inventory = { apiVersion: 'x', kind: 'NodeInventory', metadata: { name: 'x' }, spec: { usage: [{ a: 1 }] } }
    assert.match(writeWithSchema(inventory), 'usage:\n  - a: 1\n')
  })
  test(`${SERIES} series take at most ${MOST_BYTES / 1000} KB`, () => {
    const { length } = Buffer.from(
      writeWithSchema(snapshotOf(Array.from({ length: SERIES }, (_, index) => rowOf(index)))),
    )
    assert.ok(length <= MOST_BYTES, `${length} bytes`)
  })
  test('reads back as it was, whatever names it has', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (policy, container, group) => {
        const snapshot = snapshotOf([{ ...rowOf(0), policy, container, group }, rowOf(1)])
        assert.equal(readYaml(writeWithSchema(snapshot)), snapshot)
      }),
    ))
})
