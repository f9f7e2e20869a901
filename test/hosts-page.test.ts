/** docs/hosts.md: what happens when a part breaks comes from tests that are there, and every difference between hosts is said. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const PAGE = read('docs/hosts.md')

suite('the page of hosts', (test) => {
  const [, broken = ''] = PAGE.split('## When a part breaks')
  const rows = broken.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| What breaks'))
  test('has what breaks', () => assert.ok(rows.length > 15, String(rows.length)))
  for (const row of rows) {
    const cited = row.split(' | ').at(-1)?.replace(/ \|$/, '') ?? ''
    test(cited, () => {
      const [, file, title = ''] = /^`(e2e\/(?:[a-z]+\/)?[a-z-]+\.test\.ts)`: (.+)$/.exec(cited) ?? []
      assert.ok(file !== undefined, row)
      assert.ok(read(file).includes(title), `${file} has no test "${title}"`)
    })
  }
  const differences = JSON.parse(read('e2e/differences.json')) as { what: string }[]
  for (const { what } of differences)
    test(`says that there differs: ${what}`, () => {
      const words = what.startsWith('annotation ') ? `\`${what.slice('annotation '.length)}\`` : `| the ${what} `
      assert.ok(PAGE.includes(words), words)
    })
})
