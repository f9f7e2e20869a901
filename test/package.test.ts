/** What the package holds. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { CODES } from '../src/rules/all-codes.ts'
import { suite } from './support/suite.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }

suite('the package', (test) => {
  const cited = Object.values(CODES).flatMap(({ meaning, mend }) => {
    return [...`${meaning} ${mend}`.matchAll(/\b([a-z-]+\/[\w./-]+\.(?:md|yaml|json))\b/g)].map(
      ([, path]) => path ?? '',
    )
  })
  test('holds the files that the README starts with', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const [, first = '', second = ''] = /^nodefit build (examples\/\S+) (examples\/\S+)/m.exec(readme) ?? []
    for (const path of [first, second]) assert.ok(existsSync(join(ROOT, path)), path)
    assert.ok(files.includes('examples'))
  })
  test('holds the pages that findings send their reader to', () => {
    assert.ok(cited.length > 0)
    for (const path of cited) {
      assert.ok(existsSync(join(ROOT, path)), `${path} is not there`)
      assert.ok(files.includes(path.split('/')[0] ?? ''), `${path} is not in the package`)
    }
  })
})
