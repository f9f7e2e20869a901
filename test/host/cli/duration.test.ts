/** Durations that options give. */
import * as assert from 'uvu/assert'
import { millisecondsOf } from '../../../src/host/cli/command.ts'
import { suite } from '../../support/suite.ts'

suite('a duration of an option', (test) => {
  for (const [text, milliseconds] of [
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['1ms', 1],
  ] as const)
    test(`${text} is ${milliseconds} ms`, () => assert.is(millisecondsOf('--valid', text, '1h'), milliseconds))
  for (const text of ['', '5', '1 day', '0s', '-5m', '999us'])
    test(`"${text}" is none`, () =>
      assert.throws(
        () => millisecondsOf('--valid', text, '1h'),
        `--valid ${text} is not a duration above 0 such as 1h`,
      ))
})
