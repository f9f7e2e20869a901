import * as assert from 'uvu/assert'
import { configText } from '../../../../src/host/sync/git/session.ts'
import { suite } from '../../../support/suite.ts'

suite('configuration of git', (test) => {
  test('quotes what it holds', () => {
    const text = configText([
      ['http.https://h/.extraHeader', 'A: "b\\c'],
      ['user.signingKey', '/a b'],
    ])
    assert.match(text, '[http "https://h/"]\n\textraHeader = "A: \\"b\\\\c"\n')
    assert.match(text, '[user]\n\tsigningKey = "/a b"\n')
  })
})
