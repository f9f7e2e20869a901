import * as assert from 'uvu/assert'
import {
  effectiveChanges,
  InvalidPathError,
  parseTree,
  requireDisjointPaths,
  requireWritablePath,
} from '../../../../src/host/sync/git/repository.ts'
import { suite } from '../../../support/suite.ts'

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

const outside = (path: string) => [path, `"${path}" must be a path within the repository`] as const

const REFUSED: ReadonlyArray<readonly [path: string, problem: string]> = [
  ...[
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
    'x\0y',
  ].map(outside),
  ['a', 'cannot write "a": it is a folder'],
  ['link', 'cannot write "link": it is a symbolic link'],
  ['link/x', 'cannot write "link/x": link is a symbolic link, not a folder'],
  ['sub', 'cannot write "sub": it is a submodule'],
  ['sub/x', 'cannot write "sub/x": sub is a submodule, not a folder'],
  ['a/file/x', 'cannot write "a/file/x": a/file is a file, not a folder'],
]

suite('paths', (test) => {
  const there = tree({
    'a/file': `100644 blob ${HELLO}`,
    'a/run': `100755 blob ${HELLO}`,
    link: `120000 blob ${HELLO}`,
    sub: `160000 commit ${HELLO}`,
  })
  for (const path of ['a/new', 'a/file', 'a/run', 'b', '.github/x', 'gitx', '.gitignore', '..a'])
    test(`${path} may be written`, () => requireWritablePath(path, there))
  for (const [path, problem] of REFUSED)
    test(`${JSON.stringify(path)} is refused with the reason`, () => {
      assert.throws(
        () => requireWritablePath(path, there),
        (error: unknown) => error instanceof InvalidPathError && error.message === problem,
      )
    })
  test('a file and a folder of one name are refused', () => {
    assert.throws(
      () => requireDisjointPaths(['a/b/c', 'a/b']),
      (error: Error) => error.message === 'cannot write "a/b": other files are in a folder of that name',
    )
    requireDisjointPaths(['a/b/c', 'a/bc', 'a/b.d'])
  })
})

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
})
