/** What git is given and what it says, as texts. */
import * as assert from 'uvu/assert'
import { readableOutput, transferredBytes } from '../../../src/sync/git/git.ts'
import { signedOff } from '../../../src/sync/git/make-commit.ts'
import { changesDigest, reviewBranch } from '../../../src/sync/git/review.ts'
import { configText } from '../../../src/sync/git/session-files.ts'
import {
  effectiveChanges,
  InvalidPathError,
  parseTree,
  requireDisjointPaths,
  requireWritablePath,
} from '../../../src/sync/git/tree.ts'
import { suite } from '../../support/suite.ts'

const HELLO = 'ce013625030ba8dba906f756967f9e9ca394464a'
const tree = (files: Readonly<Record<string, string>>) =>
  parseTree(
    Buffer.from(
      Object.entries(files)
        .map(([path, entry]) => `${entry}\t${path}\0`)
        .join(''),
    ),
  )
const changes = (write: Readonly<Record<string, string>>, remove: readonly string[] = []) => ({
  write: new Map(Object.entries(write)),
  remove,
})
const REVIEW = { prefix: 'nodefit/', cluster: 'prod eu' }

suite('what is said', (test) => {
  test('holds no progress, no empty lines and nothing that steers a terminal', () => {
    const text =
      'Enumerating objects: 5, done.\rCounting objects:  20% (1/5)\rCounting objects: 100% (5/5), done.\nremote: Resolving deltas: 100% (2/2), done.\nremote: \nremote: \x1b[31mno\x07\x1b[0m \nTotal 3 (delta 0), reused 0 (delta 0)\nfatal: it\n'
    assert.is(readableOutput(text), 'remote: no\nfatal: it')
  })
  test('is cut where it is long', () => {
    assert.is(readableOutput('x'.repeat(5000)).length, 2002)
  })
  test('tells the bytes', () => {
    assert.is(transferredBytes('Writing objects: 100% (5/5), 432 bytes | 432.00 KiB/s, done.'), 432)
    assert.is(
      transferredBytes(
        'Receiving objects:  50% (1/2), 9.00 MiB | 1 MiB/s\rReceiving objects: 100% (2/2), 1.50 KiB | 1.00 MiB/s, done.\n',
      ),
      1536,
    )
    assert.is(transferredBytes('Everything up-to-date'), 0)
  })
})

suite('configuration of git', (test) => {
  test('quotes what it holds', () => {
    const text = configText([
      ['http.https://h/.extraHeader', 'A: "b\\c'],
      ['user.signingKey', '/a b'],
    ])
    assert.match(text, '[http "https://h/"]\n\textraHeader = "A: \\"b\\\\c"\n')
    assert.match(text, '[user]\n\tsigningKey = "/a b"\n')
  })
})

suite('sign-off', (test) => {
  const person = { name: 'n', email: 'e@x' }
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'after a headline': ['a: headline', 'a: headline\n\nSigned-off-by: n <e@x>\n'],
    'after a text': ['headline\n\ntext here\n', 'headline\n\ntext here\n\nSigned-off-by: n <e@x>\n'],
    'beside trailers': [
      'headline\n\ntext\n\nA-B: c\nD: e\n',
      'headline\n\ntext\n\nA-B: c\nD: e\nSigned-off-by: n <e@x>\n',
    ],
    'once only': ['headline\n\nSigned-off-by: n <e@x>', 'headline\n\nSigned-off-by: n <e@x>\n'],
  }
  for (const [name, [before, after]] of Object.entries(cases))
    test(name, () => assert.is(signedOff(before, person), after))
})

suite('paths', (test) => {
  const there = tree({
    'a/file': `100644 blob ${HELLO}`,
    'a/run': `100755 blob ${HELLO}`,
    link: `120000 blob ${HELLO}`,
    sub: `160000 commit ${HELLO}`,
  })
  for (const path of ['a/new', 'a/file', 'a/run', 'b', '.github/x', 'gitx', '.gitignore', '..a'])
    test(`${path} may be written`, () => requireWritablePath(path, there))
  for (const path of [
    'a',
    '..',
    '../x',
    '/x',
    'x/',
    'x//y',
    '.git',
    'x/.git/y',
    '.GIT/x',
    '.git. /x',
    'git~1/x',
    'GIT~2',
    'x\\y',
    'x\u200cy',
    'link',
    'link/x',
    'sub',
    'sub/x',
    'a/file/x',
    'x\0y',
  ])
    test(`${JSON.stringify(path)} may not`, () => {
      assert.throws(
        () => requireWritablePath(path, there),
        (error: unknown) => error instanceof InvalidPathError,
      )
    })
  test('a file and a folder of one name are refused', () => {
    assert.throws(() => requireDisjointPaths(['a/b/c', 'a/b']))
    requireDisjointPaths(['a/b/c', 'a/bc', 'a/b.d'])
  })
})

const branchOf = (...of: Parameters<typeof changesDigest>) => reviewBranch(REVIEW, changesDigest(...of))

suite('changes', (test) => {
  test('that are so already are left out', () => {
    const there = tree({ same: `100644 blob ${HELLO}`, other: `100644 blob ${HELLO}`, gone: `100644 blob ${HELLO}` })
    const { write, remove } = effectiveChanges(
      changes({ same: 'hello\n', other: 'new\n', added: 'hello\n' }, ['gone', 'absent', 'other']),
      there,
      HELLO,
    )
    assert.equal([...write.keys()], ['other', 'added'])
    assert.equal(remove, ['gone'])
  })
  test('have one branch for review whatever their order, and another when anything of them is other', () => {
    const there = tree({ a: `100644 blob ${HELLO}` })
    const name = branchOf(changes({ a: '1', b: '2' }, ['c']), there)
    assert.match(name, /^nodefit\/prod-eu-[0-9a-f]{12}$/)
    assert.is(branchOf(changes({ b: '2', a: '1' }, ['c']), there), name)
    const others = [
      branchOf(changes({ a: '1', b: '3' }, ['c']), there),
      branchOf(changes({ a: '1', c: '2' }, ['c']), there),
      branchOf(changes({ a: '1', b: '2' }), there),
      branchOf(changes({ a: '1', b: '2' }, ['c']), tree({})),
    ]
    assert.is(new Set([name, ...others]).size, 5)
  })
  test('have one branch for review whenever the same was seen', () => {
    const seen = (time: string) =>
      changes({ a: `spec:\n  observedAt: "${time}"\n  shapes:\n  - nodeCount: 0\n    emptySince: "${time}"\n` })
    assert.is(branchOf(seen('2026-11-20T12:00:00Z'), tree({})), branchOf(seen('2026-11-20T12:05:00Z'), tree({})))
  })
})
