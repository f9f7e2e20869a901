/** How the controller ends when it is asked to. */
import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { stopSignal } from '../../../src/host/sync/stop-signal.ts'
import { suite } from '../../support/suite.ts'

/** A process that records what it logs and how it ends. */
class Recorded extends EventEmitter {
  readonly codes: number[] = []
  readonly logged: string[] = []
  readonly log = {
    info: (message: string) => void this.logged.push(message),
    error: (message: string, fields?: object) => void this.logged.push(`${message} ${JSON.stringify(fields)}`),
  }
  exit = (code: number) => void this.codes.push(code)
  getActiveResourcesInfo = () => ['TCPSocketWrap', 'TCPSocketWrap', 'Timeout']
}

suite('a signal to stop', (test) => {
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    test(`${name} aborts at once`, () => {
      const stopped = new Recorded()
      const signal = stopSignal(stopped.log, stopped)
      assert.not(signal.aborted)
      stopped.emit(name)
      assert.ok(signal.aborted)
      assert.equal([stopped.logged, stopped.codes], [[`received ${name}: shutting down`], []])
    })
  test('a process that does not end says what keeps it, and ends', async () => {
    const stopped = new Recorded()
    stopSignal(stopped.log, stopped, 1)
    stopped.emit('SIGTERM')
    for (let time = 0; time < 500 && stopped.codes.length === 0; time++) await pause(10)
    assert.equal(stopped.codes, [1])
    assert.is(
      stopped.logged[1],
      'not ended 0.001 s after SIGTERM: ending without release of the Lease {"waiting":"TCPSocketWrap, Timeout"}',
    )
  })
})
