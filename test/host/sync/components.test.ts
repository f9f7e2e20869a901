/** The parts of the controller: what is known of each, and what becomes of one that fails. */
import * as assert from 'uvu/assert'
import { Components, supervise } from '../../../src/host/sync/components.ts'
import { engineContext, silentLog, silentMeter } from '../../support/engine-context.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'

suite('components', (test) => {
  test('are remembered as they are measured, by name', () => {
    const measured: string[] = []
    const components = new Components()
    const meter = components.observing({
      ...silentMeter,
      component: (name, isUp) => void measured.push(`${name} ${isUp}`),
      componentRestarted: (name) => void measured.push(`${name} again`),
      forgetComponents: (...names) => void measured.push(`without ${names.join(' ')}`),
    })
    meter.component('watch-nodes', true)
    meter.component('git', true)
    meter.component('git', false)
    meter.componentRestarted('git')
    const git = { name: 'git', healthy: false, restarts: 1 }
    assert.equal(components.rows(), [git, { name: 'watch-nodes', healthy: true, restarts: 0 }])
    meter.forgetComponents('watch-nodes')
    assert.equal(components.rows(), [git])
    meter.forgetComponents()
    assert.equal(components.rows(), [])
    assert.equal(measured, [
      'watch-nodes true',
      'git true',
      'git false',
      'git again',
      'without watch-nodes',
      'without ',
    ])
  })
})

suite('a component that fails', (test) => {
  const world = () => {
    const clock = new FakeClock()
    const components = new Components()
    const lines: string[] = []
    const log = { ...silentLog, error: (line: string) => void lines.push(line) }
    const context = engineContext({ clock, log, meter: components.observing(silentMeter) })
    return { clock, components, lines, context }
  }
  const forever = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

  test('is restarted, with growing pauses, until it works; the others know nothing of it', async () => {
    const { clock, components, lines, context } = world()
    const ending = new AbortController()
    let starts = 0
    const running = supervise(
      'collect-usage',
      async (signal) => {
        starts++
        if (starts === 1) throw new Error('on purpose')
        if (starts > 2) await forever(signal)
      },
      context,
      ending.signal,
    )
    await clock.advance(0)
    assert.equal(components.rows(), [{ name: 'collect-usage', healthy: false, restarts: 1 }])
    await clock.advance(300_000)
    assert.is(starts, 3)
    assert.equal(components.rows(), [{ name: 'collect-usage', healthy: true, restarts: 2 }])
    assert.equal(lines, [
      'a component failed: restarting it: on purpose',
      'a component failed: restarting it: it ended',
    ])
    ending.abort()
    await running
    assert.is(starts, 3)
  })
  test('while the process is told to end, it is not', async () => {
    const { clock, components, lines, context } = world()
    for (const isThrown of [true, false]) {
      const ending = new AbortController()
      const running = supervise(
        'x',
        async (signal) => {
          await forever(signal)
          if (isThrown) throw new Error('aborted')
        },
        context,
        ending.signal,
      )
      ending.abort()
      await running
    }
    const ending = new AbortController()
    const running = supervise('x', () => Promise.reject(new Error('no')), context, ending.signal)
    await clock.advance(0)
    ending.abort()
    await running
    assert.equal([lines.length, components.rows()[0]?.restarts], [1, 1])
  })
})
