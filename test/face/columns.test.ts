import * as assert from 'uvu/assert'
import { alignedLines, arrowed, plain } from '../../src/face/columns.ts'
import { suite } from '../support/suite.ts'

const COLUMNS = [{ heading: 'GROUP' }, { heading: 'NODES', isCount: true }, { heading: 'NOTE' }]
const cells = (...texts: string[]) => texts.map((text) => ({ text }))

const TABLES: Array<[name: string, rows: string[][], lines: string[]]> = [
  ['no rows are a heading without columns', [], ['']],
  [
    'text begins below its heading, counts end below it',
    [
      ['a', '1', 'x'],
      ['long-name', '12345678', 'y'],
    ],
    ['GROUP         NODES  NOTE', 'a                 1  x', 'long-name  12345678  y'],
  ],
  [
    'wide characters take two columns',
    [
      ['日本', '1', 'x'],
      ['abcdef', '2', 'y'],
    ],
    ['GROUP   NODES  NOTE', '日本        1  x', 'abcdef      2  y'],
  ],
  [
    'nothing stands behind the last cell of a line',
    [
      ['a', '1', ''],
      ['b', '', 'x'],
      ['c', '', ''],
    ],
    ['GROUP  NODES  NOTE', 'a          1', 'b             x', 'c'],
  ],
  [
    'a column that says nothing is left out',
    [
      ['a', '-', '-'],
      ['b', '', 'x'],
    ],
    ['GROUP  NOTE', 'a      -', 'b      x'],
  ],
]

const ARROWS: Array<[name: string, pairs: Array<{ before?: string; after: string }>, texts: string[]]> = [
  ['no before, no arrow', [{ after: '1' }, { after: '20' }], ['1', '20']],
  [
    'arrows stand one below the other',
    [{ before: '100m', after: '78m' }, { before: '-', after: '1' }, { after: '2' }],
    ['100m -> 78m', '   - -> 1', '        2'],
  ],
  ['no amounts at all', [], []],
]

suite('columns', (test) => {
  for (const [name, rows, lines] of TABLES)
    test(name, () =>
      assert.equal(
        alignedLines(
          COLUMNS,
          rows.map((row) => cells(...row)),
          plain,
        ),
        lines,
      ),
    )
  for (const [name, pairs, texts] of ARROWS) test(name, () => assert.equal(arrowed(pairs), texts))
  test('paint takes no room', () => {
    const rows = [[{ text: 'a', role: 'less' as const }, { text: '1' }, { text: 'x', role: 'quiet' as const }]]
    assert.equal(
      alignedLines(COLUMNS, rows, (role, text) => `<${role}>${text}</>`),
      ['<heading>GROUP</>  <heading>NODES</>  <heading>NOTE</>', '<less>a</>          1  <quiet>x</>'],
    )
  })
})
