/** What `nodefit diff` prints, from a plan and the objects that differ. */
import { applyPatch } from 'diff'
import * as assert from 'uvu/assert'
import { COMMENT_MARK, diffLines, diffMarkdown, type ObjectDiff, plain } from '../../src/face/index.ts'
import { manifestsOf } from '../../src/host/files/manifest.ts'
import { objectDiffs } from '../../src/host/files/object-diffs.ts'
import type { Finding } from '../../src/krm/finding.ts'
import { newItem } from '../../src/krm/item.ts'
import type { Item } from '../../src/krm/types.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const config = (name: string, data: Record<string, string>): Item =>
  newItem({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ops' }, data })
const planWith = (findings: Finding[], failed = false): Plan => ({ packages: [], findings, items: [], failed })
const warning = (sentence: string, lines?: string[]): Finding => ({
  code: 'Some',
  severity: 'warning',
  sentence,
  message: sentence,
  ...(lines === undefined ? {} : { lines }),
})
const [BEFORE, AFTER] = [config('a', { x: '1', y: '2' }), config('a', { x: '1', y: '3', z: '``` |' })]

suite('objectDiffs', (test) => {
  test('a patch turns the one into the other', () => {
    const [only] = objectDiffs([BEFORE], [AFTER])
    assert.is(applyPatch(writeYaml(BEFORE.object), only?.patch ?? ''), writeYaml(AFTER.object))
  })
  test('objects are matched by identity, not by order, and equal ones are left out', () => {
    const others = ['b', 'c', 'd'].map((name) => config(name, {}))
    const [b, c, d] = others as [Item, Item, Item]
    const found = objectDiffs([d, BEFORE, b], [b, c, AFTER])
    assert.equal(
      found.map(({ change, name }) => [change, name]),
      [
        ['added', 'c'],
        ['changed', 'a'],
        ['removed', 'd'],
      ],
    )
  })
  test('what the host writes about files is no difference', () => {
    const { object } = BEFORE
    const annotations = { 'config.kubernetes.io/index': '3', 'internal.config.kubernetes.io/path': 'other.yaml' }
    const moved = newItem({ ...object, metadata: { ...object.metadata, annotations } })
    assert.equal(objectDiffs([BEFORE], [moved]), [])
  })
})

suite('diffLines', (test) => {
  test('ends with the counts; a name cannot end its line or control the terminal', () => {
    const name = 'a\u001b[2J\u2028b'
    const lines = diffLines(planWith([]), objectDiffs([], [config(name, {})]), plain)
    assert.is(lines.at(-1), 'nodefit: 1 object added, 0 changed, 0 removed')
    assert.ok(!['\u001b', '\u2028'].some((control) => lines.join('\n').includes(control)))
  })
})

suite('diffMarkdown', (test) => {
  test('text cannot become Markdown, HTML, a cell or a mention', () => {
    const text = diffMarkdown(planWith([warning('<b>@team</b> a|b `c` [d](e) *f*')]), [])
    assert.match(text, '&#60;b&#62;&#64;team&#60;/b&#62; a&#124;b &#96;c&#96; &#91;d&#93;(e) &#42;f&#42;')
  })
  test('a fence is longer than any backquotes inside', () => {
    const text = diffMarkdown(planWith([warning('x', ['a: ````'])]), objectDiffs([BEFORE], [AFTER]))
    assert.match(text, '  `````\n  a: ````\n  `````\n')
    assert.match(text, /\n````diff\n--- ConfigMap ops\/a\n[\s\S]*``` \|[\s\S]*\n````\n/)
  })
  test('a comment stays within what GitHub takes, and says how much of the diff it leaves out', () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => `+ line ${index}`)
    const one: ObjectDiff = { change: 'added', apiVersion: 'v1', kind: 'ConfigMap', name: 'a', patch: lines.join('\n') }
    const text = diffMarkdown(planWith([]), [one])
    assert.ok(text.length < 65_536, `${text.length}`)
    const [, shown] = /These are the first (\d+) of 9000 lines: run `nodefit diff` for all\./.exec(text) ?? []
    assert.match(text, `+ line ${Number(shown) - 1}\n\`\`\``)
    assert.ok(text.startsWith(COMMENT_MARK))
    assert.ok(text.endsWith('</details>\n'))
  })
  test('groups and findings without end are cut at a row and at a finding, and some of the diff is always shown', () => {
    const shapes = Array.from({ length: 900 }, (_, index) => shape({ [TYPE]: `type-${index}` }, [`n${index}`]))
    const made = plan(
      listOf([inventory(shapes), policy(), daemonSet({ containers: [{ name: 'agent', image: 'agent:1' }] })]),
    )
    const long = warning(
      'x',
      Array.from({ length: 3_000 }, () => 'a line of what is to be pasted'),
    )
    const findings = [{ ...long, code: 'First', message: 'short', lines: [] }, long]
    const text = diffMarkdown({ ...made, findings, failed: false }, objectDiffs([], manifestsOf(made)))
    assert.ok(text.length < 65_536, `${text.length}`)
    const [, rows] = /\n\| .*\n\nThese are the first (\d+) of 903 rows: run `nodefit diff` for all\.\n/.exec(text) ?? []
    assert.is(text.split('\n').filter((line) => line.startsWith('| agent-')).length, Number(rows))
    assert.ok(Number(rows) > 100)
    assert.match(text, '- **warning** `First`: short\n\nThese are the first 1 of 2 findings: run')
    assert.ok(text.indexOf('```diff') > 0 && text.endsWith('</details>\n'))
  })
  test('no line of a patch turns the direction of what follows, in the terminal or in Markdown', () => {
    const patch = ['+ args: [a\u202eb]', '+\tc\u2066d'].join('\n')
    const one: ObjectDiff = { change: 'added', apiVersion: 'v1', kind: 'ConfigMap', name: 'a', patch }
    const empty = { packages: [], findings: [], items: [], failed: false }
    for (const text of [diffMarkdown(empty, [one]), diffLines(empty, [one], plain).join('\n')]) {
      assert.not.match(text, /[\u202a-\u202e\u2066-\u2069]/)
      assert.ok(text.includes('+ args: [a\\u{202e}b]') && text.includes('+\tc\\u{2066}d'), text)
    }
  })
  test('a line of nothing but backquotes does not make the comment too long', () => {
    const patch = ['+ first', `+ ${'`'.repeat(30_000)}`].join('\n')
    const text = diffMarkdown(planWith([]), [
      { change: 'added', apiVersion: 'v1', kind: 'ConfigMap', name: 'a', patch },
    ])
    assert.ok(text.length < 65_536, `${text.length}`)
  })
  test('without a difference there is no block', () => {
    assert.is(diffMarkdown(planWith([]), []), `${COMMENT_MARK}\n### nodefit: 0 objects added, 0 changed, 0 removed\n`)
  })
})
