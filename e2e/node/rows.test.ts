/** That a row of the specification whose test is gone is noticed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { excusedIn, ROWS, rowOf, rowProblems } from '../../tools/rows/rows.ts'
import { inFolder, ROOT, run } from '../support/hosts.ts'

const EXCUSED = excusedIn(readFileSync(join(ROOT, 'test/not-followed.md'), 'utf8'))
const TITLES = ROWS.filter((id) => !EXCUSED.includes(id)).map((id) => `${id} a title`)
const held = (...files: string[]) => {
  const { status, stdout } = run(process.execPath, ['--import', 'tsx', 'tools/rows.ts', ...files], { cwd: ROOT })
  return { status, lines: stdout.trimEnd().split('\n') }
}

const TITLED: Array<[title: string, row: string | undefined]> = [
  ['G1', 'G1'],
  ['G1 no label', 'G1'],
  ['G12 no label', 'G12'],
  ['as G1 has it', undefined],
  ['G1: no label', undefined],
  ['G1a', undefined],
  ['X1 no label', undefined],
]

suite('rows of the specification', (test) => {
  for (const [title, row] of TITLED) test(`of the title ${title}`, () => assert.is(rowOf(title), row))
  test('each has a test or a reason', () => {
    const { status, lines } = held()
    assert.equal([status, lines.length], [0, 1], lines.join('\n'))
  })
  test('each that has neither is noticed', () => {
    assert.equal(rowProblems(TITLES, EXCUSED), [])
    for (const id of ROWS)
      assert.equal(
        rowProblems(
          TITLES.filter((title) => rowOf(title) !== id),
          EXCUSED.filter((one) => one !== id),
        ),
        [`${id} has neither a test nor a reason`],
      )
  })
  test('one that has both is noticed, and a test of no row', () => {
    assert.equal(rowProblems([...TITLES, 'T20 a title'], EXCUSED), ['T20 has both a test and a reason'])
    assert.equal(rowProblems([...TITLES, 'G13 a title'], EXCUSED), ['G13 is no row'])
  })
  test('a row that is quoted is not tested by that', () =>
    inFolder((folder) => {
      const file = join(folder, 'rows.test.mts')
      const titled = TITLES.filter((title) => title !== 'G3 a title')
      writeFileSync(
        file,
        `import { suite } from ${JSON.stringify(pathToFileURL(join(ROOT, 'test/support/suite.ts')).href)}
const rows = ${JSON.stringify([...titled, 'not of "G3 a title"'])}
suite('G3 a title', (test) => {
  for (const row of rows) test(row, () => { throw new Error('G3 a title') })
})
`,
      )
      const { status, lines } = held(file)
      assert.equal(
        [status, lines],
        [
          1,
          [
            'G3 has neither a test nor a reason',
            `${ROWS.length} rows: ${ROWS.length - EXCUSED.length - 1} tested, ${EXCUSED.length} with a reason`,
          ],
        ],
      )
    }))
})
