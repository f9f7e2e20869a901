/** docs/deliver/README.md: what happens when a part breaks has tests in docs/reliability.md, and every difference between hosts is said. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const PAGE = read('docs/deliver/README.md')

/** The rows of the table about what breaks, each as its cells. */
function breaksIn(page: string): string[][] {
  const [, section = ''] = page.split(/^##+ When a part breaks$/m)
  const [body = ''] = section.split(/^##+ /m)
  return [...body.matchAll(/^\| (.+) \|$/gm)]
    .map(([, row = '']) => row.split(' | '))
    .filter(([first]) => first !== 'What breaks')
}

suite('the page of hosts', (test) => {
  const evidence = breaksIn(read('docs/reliability.md'))
  test('has what breaks, and each row has a test', () => {
    const names = breaksIn(PAGE).map(([name]) => name)
    assert.ok(names.length > 10, String(names.length))
    assert.equal([...new Set(evidence.map(([name]) => name))].sort(), names.toSorted())
  })
  for (const [name, cited = ''] of evidence) {
    test(`${name}: ${cited}`, () => {
      const [, file, title = ''] = /^`(e2e\/(?:[a-z]+\/)?[a-z-]+\.test\.ts)`: (.+)$/.exec(cited) ?? []
      assert.ok(file !== undefined, cited)
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
