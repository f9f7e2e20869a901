import * as assert from 'uvu/assert'
import { KubeError, type LabelSelector, matchesLabels, parseSelector } from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

const PARSED: Array<[text: string, want: LabelSelector]> = [
  ['', {}],
  ['a=b', { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
  [
    'a == b, c!=d',
    {
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'c', operator: 'NotIn', values: ['d'] },
      ],
    },
  ],
  ['a in (z, b)', { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'z'] }] }],
  [
    'a,!b',
    {
      matchExpressions: [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'DoesNotExist' },
      ],
    },
  ],
  [
    'a>1,a<9',
    {
      matchExpressions: [
        { key: 'a', operator: 'Gt', values: ['1'] },
        { key: 'a', operator: 'Lt', values: ['9'] },
      ],
    },
  ],
]

const REFUSED: Array<[text: string, code: string]> = [
  ['a in b', 'SelectorSyntax'],
  ['a,,b', 'SelectorSyntax'],
  ['=a', 'SelectorSyntax'],
  ['!a=b', 'SelectorSyntax'],
  ['a in (b', 'SelectorSyntax'],
  ['-a=b', 'SelectorKey'],
  ['a=b!', 'SelectorSyntax'],
  ['a=-b', 'SelectorValues'],
  ['a>b', 'SelectorValues'],
  ['a>1.5', 'SelectorValues'],
]

const MANY = 200_000
const LONG: Record<string, string> = {
  'exclamation marks': '!'.repeat(MANY),
  commas: ','.repeat(MANY),
  'opening parentheses': `a in ${'('.repeat(MANY)}`,
  'closing parentheses': ')'.repeat(MANY),
  'equals signs': `a${'='.repeat(MANY)}`,
  'symbols in turn': 'a!=!'.repeat(MANY),
  'words without an operator': 'a '.repeat(MANY),
}

suite('selectors', (test) => {
  for (const [name, text] of Object.entries(LONG)) {
    test(`${MANY} ${name} are an error to read`, () =>
      assert.throws(
        () => parseSelector(text),
        (error: unknown) => error instanceof KubeError && error.code === 'SelectorSyntax' && error.message.length < 500,
      ))
  }
  test('a list of any length is read', () => {
    assert.equal(parseSelector(`a in (${'b,'.repeat(MANY)}c)`), {
      matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }],
    })
    assert.is(parseSelector(Array(MANY).fill('!a').join(',')).matchExpressions?.length, MANY)
  })
  for (const [text, want] of PARSED) test(`"${text}" is read`, () => assert.equal(parseSelector(text), want))
  for (const [text, code] of REFUSED) {
    test(`"${text}" is ${code}`, () => {
      assert.throws(
        () => parseSelector(text),
        (error: unknown) => error instanceof KubeError && error.code === code,
      )
    })
  }
  test('null selects nothing, an empty selector everything', () => {
    assert.is(matchesLabels(null, { a: 'b' }), false)
    assert.is(matchesLabels(undefined, {}), false)
    assert.is(matchesLabels({}, {}), true)
    assert.is(matchesLabels({ matchLabels: {}, matchExpressions: [] }, { a: 'b' }), true)
  })
  test('a key that only the prototype has is absent', () => {
    assert.is(matchesLabels({ matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, {}), false)
    assert.is(matchesLabels({ matchExpressions: [{ key: 'constructor', operator: 'DoesNotExist' }] }, {}), true)
  })
})
