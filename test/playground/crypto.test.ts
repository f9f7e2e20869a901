/** What the playground has instead of Node's cryptography. */
import { hash as nodeHash } from 'node:crypto'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { createHmac, hash, verify } from '../../playground/crypto.ts'
import { suite } from '../support/suite.ts'

suite('the digest in a browser', (test) => {
  test('is that of Node.js for any text, unpaired surrogates too', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => hash('sha256', text, 'hex') === nodeHash('sha256', text, 'hex'),
      ),
    ))
  test('is that of Node.js for texts around the size of a block', () => {
    for (const length of [0, 55, 56, 63, 64, 65, 1000, '\ud800'.length])
      assert.is(hash('sha256', 'a'.repeat(length), 'hex'), nodeHash('sha256', 'a'.repeat(length), 'hex'))
    assert.is(hash('sha256', '\ud800', 'hex'), nodeHash('sha256', '\ud800', 'hex'))
  })
  test('there is no other algorithm, and no signature', () => {
    assert.throws(() => hash('md5', '', 'hex'), 'no md5')
    for (const one of [createHmac, verify]) assert.throws(one, 'verifies no signatures')
  })
})
