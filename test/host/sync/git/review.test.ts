import * as assert from 'uvu/assert'
import { parseTree } from '../../../../src/host/sync/git/repository.ts'
import { changesDigest, reviewBranch } from '../../../../src/host/sync/git/review.ts'
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
const REVIEW = { prefix: 'nodefit/', cluster: 'prod eu' }
const branchOf = (...of: Parameters<typeof changesDigest>) => reviewBranch(REVIEW, changesDigest(...of))

suite('the branch for the review of a change', (test) => {
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
