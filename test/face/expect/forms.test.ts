/** Outcomes for people, TAP, JUnit and JSON: each read back by a reader of that format. */
import { SaxesParser } from 'saxes'
import { Parser } from 'tap-parser'
import * as assert from 'uvu/assert'
import { plain } from '../../../src/face/columns.ts'
import { type PlacedOutcome, testJson, testJunit, testLines, testTap } from '../../../src/face/expect/index.ts'
import { suite } from '../../support/suite.ts'
import { readValid } from './support.ts'

const HOSTILE = 'a # TODO \\ <b>&"\'\u0007\u202e\ufffe\ud800 ]]> \u05e9\u05dc\u05d5\u05dd 漢字'
const held = (name: string, metadata: object = {}): PlacedOutcome => ({
  test: readValid({ expect: { groups: {} } }, name, metadata),
  mismatches: [],
  seconds: 0.1234,
})
const failed = (name: string, ...whats: string[]): PlacedOutcome => ({
  ...held(name),
  mismatches: whats.map((what) => ({ what, expected: '100m', got: '80m' })),
  file: 'package/tests.yaml',
  line: 3,
})
const of = (path: string) => ({ annotations: { 'internal.config.kubernetes.io/package-path': path } })
const OUTCOMES = [held('first'), failed('second', 'node a: requests.cpu', 'node b: requests.cpu')]

suite('outcomes for people', (test) => {
  test('have expected and got side by side', () => {
    assert.equal(testLines(OUTCOMES, plain), [
      'ok    first',
      'FAIL  second (package/tests.yaml:3)',
      '      WHAT                  EXPECTED  GOT',
      '      node a: requests.cpu  100m      80m',
      '      node b: requests.cpu  100m      80m',
      'nodefit: 1 of 2 tests fails',
    ])
  })
  const COUNTS: Array<[outcomes: PlacedOutcome[], line: string]> = [
    [[held('a')], 'nodefit: 1 test holds'],
    [[held('a'), held('b')], 'nodefit: 2 tests hold'],
    [[failed('a', 'x')], 'nodefit: 1 of 1 test fails'],
    [[failed('a', 'x'), failed('b', 'x')], 'nodefit: 2 of 2 tests fail'],
  ]
  for (const [outcomes, line] of COUNTS) test(line, () => assert.is(testLines(outcomes, plain).at(-1), line))
  test('keep a long finding on its line, from its beginning, and no control character', () => {
    const [, , row = ''] = testLines([failed(HOSTILE, `error Code: ${'x'.repeat(300)}`)], plain)
    assert.match(row, /^ {6}error Code: x+\.\.\. {2}100m/)
    assert.is(row.lastIndexOf('  100m') - 6, 72)
    const text = testLines([failed(HOSTILE, HOSTILE)], plain).join('\n')
    for (const control of ['\u0007', '\u202e']) assert.not.ok(text.includes(control))
  })
})

suite('TAP', (test) => {
  const read = (text: string) => Parser.parse(text)
  test('has a plan, a point for each test, and what differs', () => {
    const events = read(testTap(OUTCOMES))
    const points = events.flatMap(([kind, value]) => (kind === 'assert' ? [value] : []))
    assert.equal(
      points.map(({ ok, id, name }) => ({ ok, id, name })),
      [
        { ok: true, id: 1, name: 'first' },
        { ok: false, id: 2, name: 'second' },
      ],
    )
    assert.equal(points[1]?.diag, { severity: 'fail', mismatches: [...(OUTCOMES[1]?.mismatches ?? [])] })
    const [, summary] = events.findLast(([kind]) => kind === 'complete') ?? []
    assert.is((summary as { fail: number }).fail, 1)
    assert.ok(testTap(OUTCOMES).startsWith('TAP version 14\n1..2\n'))
  })
  test('keeps a name from being a directive, and any text in its block', () => {
    const events = read(testTap([failed(HOSTILE, HOSTILE, '...', '---')]))
    const [point] = events.flatMap(([kind, value]) => (kind === 'assert' ? [value] : []))
    assert.is(point?.ok, false)
    assert.is(point?.todo, false)
    assert.match(point?.name ?? '', '# TODO')
    const { mismatches } = (point?.diag ?? {}) as { mismatches: { what: string }[] }
    assert.equal(
      mismatches.slice(1).map(({ what }) => what),
      ['...', '---'],
    )
    assert.not.ok(events.some(([kind]) => kind === 'extra'))
  })
})

suite('JUnit', (test) => {
  interface Element {
    name: string
    attributes: Record<string, string>
    text: string
  }
  /** The elements of a document, in order; throws for one that is not well-formed. */
  const read = (text: string): Element[] => {
    const elements: Element[] = []
    const parser = new SaxesParser()
    parser.on('error', (error) => {
      throw error
    })
    parser.on('opentag', ({ name, attributes }) =>
      elements.push({ name, attributes: attributes as Record<string, string>, text: '' }),
    )
    parser.on('text', (piece) => {
      const last = elements.at(-1)
      if (last !== undefined) last.text += piece.trim()
    })
    parser.write(text).close()
    return elements
  }
  test('counts a test in which one thing differs as a failure', () => {
    const [all] = read(testJunit([held('a'), failed('b', 'x')]))
    assert.equal([all?.attributes.tests, all?.attributes.failures], ['2', '1'])
  })
  test('has a suite for each package, a case for each test, and what differs', () => {
    const elements = read(testJunit([...OUTCOMES, held('third', of('other'))]))
    assert.equal(
      elements.map(({ name: element, attributes }) => ({ element, ...attributes })),
      [
        { element: 'testsuites', name: 'nodefit', tests: '3', failures: '1', errors: '0', time: '0.370' },
        { element: 'testsuite', name: 'nodefit', tests: '2', failures: '1', errors: '0', time: '0.247' },
        { element: 'testcase', name: 'first', classname: 'nodefit', time: '0.123' },
        {
          element: 'testcase',
          name: 'second',
          classname: 'nodefit',
          file: 'package/tests.yaml',
          line: '3',
          time: '0.123',
        },
        { element: 'failure', message: 'node a: requests.cpu: expected 100m, got 80m', type: 'mismatch' },
        { element: 'testsuite', name: 'other', tests: '1', failures: '0', errors: '0', time: '0.123' },
        { element: 'testcase', name: 'third', classname: 'other', time: '0.123' },
      ],
    )
    const text = elements[4]?.text
    assert.is(text, 'node a: requests.cpu: expected 100m, got 80m\nnode b: requests.cpu: expected 100m, got 80m')
  })
  test('is well-formed, whatever names hold', () => {
    const elements = read(testJunit([failed(HOSTILE, HOSTILE)]))
    assert.match(elements[2]?.attributes.name ?? '', /<b>&"'.*漢字$/)
  })
})

suite('JSON', (test) => {
  test('has each test with its place and what differs', () => {
    assert.equal(testJson([...OUTCOMES, held('third', of('other'))]), {
      tests: [
        { name: 'first', holds: true, mismatches: [] },
        {
          name: 'second',
          file: 'package/tests.yaml',
          line: 3,
          holds: false,
          mismatches: OUTCOMES[1]?.mismatches,
        },
        { name: 'third', package: 'other', holds: true, mismatches: [] },
      ],
    })
  })
})
