import * as assert from 'uvu/assert'
import { signedOff } from '../../../../src/host/sync/git/make-commit.ts'
import { suite } from '../../../support/suite.ts'

suite('sign-off', (test) => {
  const person = { name: 'n', email: 'e@x' }
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'after a headline': ['a: headline', 'a: headline\n\nSigned-off-by: n <e@x>\n'],
    'after a text': ['headline\n\ntext here\n', 'headline\n\ntext here\n\nSigned-off-by: n <e@x>\n'],
    'beside trailers': [
      'headline\n\ntext\n\nA-B: c\nD: e\n',
      'headline\n\ntext\n\nA-B: c\nD: e\nSigned-off-by: n <e@x>\n',
    ],
    'once only': ['headline\n\nSigned-off-by: n <e@x>', 'headline\n\nSigned-off-by: n <e@x>\n'],
  }
  for (const [name, [before, after]] of Object.entries(cases))
    test(name, () => assert.is(signedOff(before, person), after))
})
