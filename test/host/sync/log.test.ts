/** Lines of the log. */
import * as assert from 'uvu/assert'
import { jsonLog } from '../../../src/host/sync/log.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'

function logged(say: (log: ReturnType<typeof jsonLog>) => void, scrub?: (text: string) => string) {
  const lines: string[] = []
  say(jsonLog({ clock: new FakeClock(), write: (line) => lines.push(line), scrub }))
  for (const line of lines) assert.match(line, /^[^\n]+\n$/)
  return lines.map((line) => JSON.parse(line))
}

suite('the log', (test) => {
  test('has one object a line', () => {
    const lines = logged((log) => {
      log.info('a\nb', { nodes: 3, isNew: true, none: undefined })
      log.warn('c')
      log.error('d')
    })
    const time = '2026-11-20T12:00:00.000Z'
    assert.equal(lines, [
      { time, level: 'info', message: 'a\nb', nodes: 3, isNew: true },
      { time, level: 'warn', message: 'c' },
      { time, level: 'error', message: 'd' },
    ])
  })
  test('has the fields of its part, and the nearest of a name', () => {
    const [line] = logged((log) => log.with({ part: 'git', a: 1 }).with({ a: 2, b: 2 }).info('x', { b: 3 }))
    assert.equal([line.part, line.a, line.b], ['git', 2, 3])
  })
  test('keeps its own fields', () => {
    const [line] = logged((log) => log.info('x', { level: 'error', message: 'y', time: 1 }))
    assert.equal([line.level, line.message, line.level_, line.message_, line.time_], ['info', 'x', 'error', 'y', 1])
  })
  test('has no secret in any text', () => {
    const scrub = (text: string) => text.replaceAll('a"b\n', '***')
    const lines = logged((log) => log.with({ c: 'a"b\n' }).warn('to a"b\n', { url: 'x:a"b\n@y' }), scrub)
    assert.equal([lines[0].message, lines[0].url, lines[0].c], ['to ***', 'x:***@y', '***'])
  })
  test('cuts what a container runtime would break', () => {
    const [line] = logged((log) => log.info('x'.repeat(20_000)))
    assert.is(line.message.length, 4_001)
  })
})
