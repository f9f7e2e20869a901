import { spawnSync } from 'node:child_process'
import * as assert from 'uvu/assert'
import { KrmError, readResourceList } from '../../src/krm/index.ts'
import { suite } from '../support/suite.ts'

const HEAD =
  'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n'
const within = (yaml: string) =>
  `${HEAD}  data:\n${yaml
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`
const levels = (count: number, width: number) =>
  Array.from(
    { length: count },
    (_, level) =>
      `b${level}: &b${level} [${Array(width)
        .fill(level === 0 ? 'x' : `*b${level - 1}`)
        .join(', ')}]`,
  ).join('\n')

const REFUSED: Record<string, readonly [text: string, code: string]> = {
  'ten levels of ten aliases': [within(levels(10, 10)), 'YamlSyntax'],
  'many levels of few aliases': [within(levels(20, 3)), 'YamlRefused'],
  'an alias to itself': [within('a: &a [*a]'), 'YamlRefused'],
  'depth 20,000': [within(`a: ${'['.repeat(20000)}`), 'YamlSyntax'],
  'depth 20,000 in blocks': [
    within(
      Array.from({ length: 20000 }, (_, depth) => `${' '.repeat(depth)}a:`)
        .slice(0, 3000)
        .join('\n'),
    ),
    'YamlSyntax',
  ],
  'a key of 1 MB': [within(`${'k'.repeat(1 << 20)}: v`), 'YamlSyntax'],
  'an explicit key of 1 MB': [within(`? ${'k'.repeat(1 << 20)}\n: v`), 'YamlSyntax'],
  'duplicate keys': [`${HEAD}  kind: Secret\n`, 'YamlSyntax'],
  'duplicate keys, deep': [within('a:\n  b:\n    c: 1\n    c: 2'), 'YamlSyntax'],
  'duplicate keys in flow style': [within('a: {b: 1, b: 2}'), 'YamlSyntax'],
  'a number and a string as the same key': [within('1: a\n"1": b'), 'YamlSyntax'],
  'a list as a key': [within('? [a, b]\n: c'), 'YamlSyntax'],
  'an unknown tag': [within('a: !foo b'), 'YamlSyntax'],
  'a language tag': [within('a: !!js/function "function () {}"'), 'YamlSyntax'],
  'a binary tag': [within('a: !!binary aGk='), 'YamlSyntax'],
  'a timestamp tag': [within('a: !!timestamp 2024-01-01'), 'YamlSyntax'],
  'a YAML directive': [`%YAML 1.1\n---\n${HEAD}`, 'YamlRefused'],
  'a directive behind the items': [
    `items:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n%YAML 1.2\n---\napiVersion: config.kubernetes.io/v1\nkind: ResourceList\n`,
    'YamlRefused',
  ],
  'a second document': [`${HEAD}---\n${HEAD}`, 'YamlSyntax'],
  'a second document that is empty': [`${HEAD}---\n`, 'YamlSyntax'],
  'a lone surrogate': [within('a: "\ud800"'), 'YamlRefused'],
  'an escaped surrogate': [within('a: "\\ud800"'), 'YamlRefused'],
  'an escaped surrogate behind an escaped backslash': [within('a: "\\\\\\ud83d\\ude00"'), 'YamlRefused'],
  'a long escape of a surrogate': [within('a: "\\U0000DC00"'), 'YamlRefused'],
  'U+0085': [within('a: "b\u0085c"'), 'YamlRefused'],
  'U+2028': [within('a: "b\u2028c"'), 'YamlRefused'],
  'U+2029': [within('a: b\u2029c'), 'YamlRefused'],
  'U+007F': [within('a: "b\u007fc"'), 'YamlRefused'],
  'a NUL': [within('a: "b\u0000c"'), 'YamlRefused'],
  'a tab for indentation': [`${HEAD}  data:\n\ta: b\n`, 'YamlSyntax'],
}

suite('hostile YAML', (test) => {
  for (const [name, [text, code]] of Object.entries(REFUSED)) {
    test(`${name} is refused`, () => {
      try {
        readResourceList(text)
      } catch (error) {
        if (!(error instanceof KrmError)) throw error
        assert.is(error.code, code, error.message)
        assert.ok(error.message.length < 400, 'the message is one to read')
        return
      }
      assert.unreachable('it was accepted')
    })
  }
  test('an escape that stands in other text is none', () => {
    const [item] = readResourceList(
      within('a: \'\\ud800\'\nb: "\\\\ud800"\nc: |\n  {"d": "\\ud83d\\ude00"}\nd: \\ud800'),
    ).items
    assert.equal(item?.object.data, { a: '\\ud800', b: '\\ud800', c: '{"d": "\\ud83d\\ude00"}\n', d: '\\ud800' })
  })
  test('what Unicode allows and YAML escapes is read', () => {
    const [item] = readResourceList(within('a: "b\\u2028\\x7f\\N c"\nb: é😀')).items
    assert.equal(item?.object.data, { a: 'b\u2028\x7f\u0085 c', b: 'é😀' })
  })
  test('invalid UTF-8 is refused by the function, with nothing on stdout', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/fn.cjs'], {
      input: Buffer.from([0x61, 0xff, 0xfe]),
    })
    assert.is(status, 1)
    assert.is(stdout.length, 0)
    assert.match(stderr.toString(), /^nodefit: NotText: .*\n$/)
  })
  test('the function has limits, and names what is beyond them', () => {
    const of = (data: string) =>
      `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: big, namespace: ns}\n  data: {a: "${data}"}\n`
    for (const [input, sentence] of [
      [of('y'.repeat(9 << 20)), 'nodefit: TooLarge: ConfigMap ns/big has 9 MiB, and an object may have 8 MiB\n'],
      [of('y'.repeat(65 << 20)), /^nodefit: TooLarge: the input has 681\d+ bytes, and may have 67108864\n$/],
    ] as const) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/fn.cjs'], { input })
      assert.is(status, 1)
      assert.is(stdout.length, 0)
      assert.match(stderr.toString(), sentence)
    }
  })
  test('the worst of it stays below 256 MB', () => {
    for (const name of [
      'ten levels of ten aliases',
      'many levels of few aliases',
      'depth 20,000',
      'an explicit key of 1 MB',
    ]) {
      const script = `process.on('exit', () => process.stderr.write(' ' + process.resourceUsage().maxRSS)); require('./dist/fn.cjs')`
      const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
        input: REFUSED[name]?.[0] ?? '',
        encoding: 'utf8',
      })
      assert.is(status, 1, name)
      assert.is(stdout, '')
      assert.ok(Number(stderr.trim().split(' ').at(-1)) < 256 * 1024, `${name}: ${stderr}`)
    }
  })
})
