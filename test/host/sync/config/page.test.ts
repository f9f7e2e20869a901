/** What docs/sync.md and the page about the agent say of metrics, log lines, reasons and variables is what the code has. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { PART_NAMES } from '../../../../src/host/sync/collect/collector.ts'
import { environmentNotes, SYNC_CODES } from '../../../../src/host/sync/config/read-config.ts'
import { REASONS } from '../../../../src/host/sync/git/failure.ts'
import { prometheusMetrics } from '../../../../src/host/sync/metrics.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/sync.md'), 'utf8')
const AGENT = readFileSync(join(ROOT, 'docs/deliver/kubernetes-agent.md'), 'utf8')
const SOURCES = readdirSync(join(ROOT, 'src/host/sync'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(ROOT, 'src/host/sync', file), 'utf8'))
const ROWS = (PAGE.split('## Troubleshooting')[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) =>
    line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim()),
  )
const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

suite('docs/sync.md', (test) => {
  test('names the metrics that there are, and each of them', async () => {
    const text = await prometheusMetrics({ clock: new FakeClock(), version: '1' }).text()
    const made = new Set([...text.matchAll(/^# TYPE (nodefit_\w+) /gm)].map(([, name = '']) => name))
    const named = new Set([...PAGE.matchAll(/\bnodefit_[a-z_]+/g)].map(([name]) => name))
    assert.equal([...named].sort(), [...made].sort())
  })
  test('has log lines that are said', () => {
    const lines = ROWS.flatMap(([, , line = '']) => spans(line))
    assert.ok(lines.length > 10)
    assert.equal(
      lines.filter((line) => !SOURCES.some((source) => source.includes(line))),
      [],
    )
  })
  test('has reasons that are rows of the table of refusals', () => {
    const reasons = ROWS.flatMap(([symptom = '']) => (symptom.includes('reason') ? spans(symptom) : []))
    assert.ok(reasons.length > 5)
    assert.equal(
      reasons.filter((reason) => !Object.hasOwn(REASONS, reason)),
      [],
    )
  })
})

suite('the page about the Kubernetes Agent', (test) => {
  test('names the replacement of each variable of the agent, and each code', () => {
    const [, section = ''] = AGENT.split('## Configuration')
    const rows =
      section
        .split('\n## ')[0]
        ?.split('\n')
        .filter((line) => line.startsWith('| `')) ?? []
    const first = rows.flatMap((row) => spans(row.split(' | ')[0] ?? ''))
    const named = first.filter((name) => name === name.toUpperCase())
    assert.equal(
      first.filter((name) => !named.includes(name)),
      Object.keys(SYNC_CODES),
    )
    const notes = environmentNotes(Object.fromEntries(named.map((name) => [name, '60'])))
    assert.equal(notes.map(({ variable }) => variable).sort(), named.sort())
    assert.ok(named.length >= 16)
  })
  test('names each variable that the log names', () => {
    const all =
      readFileSync(join(ROOT, 'src/host/sync/config/read-config.ts'), 'utf8').match(/^ {2}[A-Z_]+(?=: ')/gm) ?? []
    assert.ok(all.length >= 16)
    for (const name of all) assert.ok(AGENT.includes(`\`${name.trim()}\``), name)
  })
  test('names what is collected in the place of the agent', () => {
    for (const name of ['pods', 'usage', 'events', 'workloads', 'capacity', 'components'])
      assert.ok((PART_NAMES as readonly string[]).includes(name) && AGENT.includes(`\`${name}\``), name)
  })
  test('names metrics that there are', async () => {
    const text = await prometheusMetrics({ clock: new FakeClock(), version: '1' }).text()
    for (const [name] of AGENT.matchAll(/\bnodefit_[a-z_]+/g)) assert.ok(text.includes(`# TYPE ${name} `), name)
  })
})
