import * as assert from 'uvu/assert'
import { Cache } from '../../../../src/host/sync/api/cache.ts'
import { suite } from '../../../support/suite.ts'

const BEFORE: readonly (readonly [string, { v: number }])[] = [
  ['a', { v: 1 }],
  ['b', { v: 2 }],
]

/** What a whole list makes of what was kept before. */
const LISTS: readonly [name: string, list: typeof BEFORE, isChanged: boolean][] = [
  ['the same', BEFORE, false],
  ['one less', BEFORE.slice(1), true],
  ['one more', [...BEFORE, ['c', { v: 3 }]], true],
  ['one otherwise', [['a', { v: 9 }], ...BEFORE.slice(1)], true],
  ['one instead of another', [['c', { v: 3 }], ...BEFORE.slice(1)], true],
  ['nothing', [], true],
]

suite('what is kept', (test) => {
  for (const [name, list, isChanged] of LISTS)
    test(`of a list with ${name}`, () => {
      const cache = new Cache<{ v: number }>()
      cache.replace(BEFORE)
      const entries = list.map(([key, { v }]) => [key, cache.canonical(key, { v })] as const)
      assert.is(cache.replace(entries), isChanged)
      assert.equal([...cache.items], list)
      for (const [key, value] of BEFORE) {
        const kept = cache.items.get(key)
        if (kept?.v === value.v) assert.ok(kept === value, 'an equal value replaced the one before it')
      }
    })
})
