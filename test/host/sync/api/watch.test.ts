import * as assert from 'uvu/assert'
import { MalformedResponseError } from '../../../../src/host/cluster/errors.ts'
import { linesOf } from '../../../../src/host/sync/api/reflector.ts'
import { suite } from '../../../support/suite.ts'

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
    assert.instance(error, MalformedResponseError)
    assert.ok(parts < 20)
  })
})
