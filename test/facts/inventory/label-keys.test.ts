/** Which label keys a pattern covers. */
import * as assert from 'uvu/assert'
import { labelKeyMatcher } from '../../../src/facts/inventory/shapes.ts'
import { suite } from '../../support/suite.ts'

const ROWS: Array<[pattern: string, covered: string[], others: string[]]> = [
  ['a', ['a'], ['ab', '']],
  ['a*', ['a', 'ab'], ['ba']],
  ['*a', ['a', 'ba'], ['ab']],
  ['*a*', ['a', 'ab', 'ba', 'bab'], ['b']],
  ['a*b*c', ['abc', 'axbxc'], ['ac', 'abx', 'acb']],
  ['ab*ba', ['abba', 'abxba'], ['aba', 'ab']],
  ['*', ['', 'a'], []],
]

suite('label keys', (test) => {
  for (const [pattern, covered, others] of ROWS)
    test(pattern, () => {
      assert.equal([...covered, ...others].filter(labelKeyMatcher([pattern])), covered)
    })
})
