import * as assert from 'uvu/assert'
import { Unreadable } from '../../../src/sync/api/errors.ts'
import { linesOf } from '../../../src/sync/api/watch.ts'
import { Backoff } from '../../../src/sync/backoff.ts'
import { suite } from '../../support/suite.ts'

async function read(parts: Iterable<Buffer>): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOf(
    (async function* () {
      yield* parts
    })(),
  ))
    lines.push(line)
  return lines
}

suite('lines of a body', (test) => {
  const text = Buffer.from('{"a":"é€😀"}\n\n{"b":1}\n{"half')
  for (const size of [1, 2, 3, 7, 100])
    test(`are whole, whatever the pieces of ${size} bytes cut`, async () => {
      const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.subarray(index * size, (index + 1) * size),
      )
      assert.equal(await read(parts), ['{"a":"é€😀"}', '', '{"b":1}'])
    })
  test('that do not end are refused before they fill the memory', async () => {
    const megabyte = Buffer.alloc(1 << 20, 'a')
    let parts = 0
    const endless = function* () {
      for (; parts < 64; parts++) yield megabyte
    }
    const error = await read(endless()).catch((one) => one)
    assert.instance(error, Unreadable)
    assert.ok(parts < 20)
  })
})

suite('the wait before another try', (test) => {
  const waits = (random: number, asked?: number) => {
    const backoff = new Backoff(() => random)
    return Array.from({ length: 9 }, () => backoff.next(asked))
  }
  test('doubles up to a minute, and is drawn below that', () => {
    assert.equal(waits(1), [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    assert.equal(waits(0.5).slice(-2), [30_000, 30_000])
  })
  test('is never nothing, whatever is drawn', () => assert.equal(waits(0), Array(9).fill(100)))
  test('is what the server asks for, within reason', () => {
    assert.equal(waits(0, 7000).slice(0, 2), [7000, 7000])
    assert.equal(waits(0, 1e9).slice(0, 2), [300_000, 300_000])
  })
  test('begins anew after it went well', () => {
    const backoff = new Backoff(() => 1)
    backoff.next()
    backoff.next()
    backoff.reset()
    assert.is(backoff.next(), 1000)
  })
})
