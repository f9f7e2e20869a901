import * as assert from 'uvu/assert'
import { readableOutput, transferredBytes } from '../../../../src/host/sync/git/git.ts'
import { suite } from '../../../support/suite.ts'

suite('output of git', (test) => {
  test('holds no progress, no empty lines and nothing that steers a terminal', () => {
    const text =
      'Enumerating objects: 5, done.\rCounting objects:  20% (1/5)\rCounting objects: 100% (5/5), done.\nremote: Resolving deltas: 100% (2/2), done.\nremote: \nremote: \x1b[31mno\x07\x1b[0m \nTotal 3 (delta 0), reused 0 (delta 0)\nfatal: it\n'
    assert.is(readableOutput(text), 'remote: no\nfatal: it')
  })
  test('is cut where it is long', () => {
    assert.is(readableOutput('x'.repeat(5000)).length, 2002)
  })
  test('tells the bytes', () => {
    assert.is(transferredBytes('Writing objects: 100% (5/5), 432 bytes | 432.00 KiB/s, done.'), 432)
    assert.is(
      transferredBytes(
        'Receiving objects:  50% (1/2), 9.00 MiB | 1 MiB/s\rReceiving objects: 100% (2/2), 1.50 KiB | 1.00 MiB/s, done.\n',
      ),
      1536,
    )
    assert.is(transferredBytes('Everything up-to-date'), 0)
  })
})
