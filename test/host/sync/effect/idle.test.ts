/** When Git is told which nodes of pools are idle, and what a restart reads of it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { inFolder } from '../../../../e2e/support/hosts.ts'
import { snapshotFromParts } from '../../../../src/facts/inventory/index.ts'
import { nodesInGit, unwrittenIdle } from '../../../../src/host/sync/effect/idle.ts'
import { ownedFileText } from '../../../../src/host/sync/effect/owned-folder.ts'
import { timeText } from '../../../../src/kube/index.ts'
import { suite } from '../../../support/suite.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const ago = (seconds: number) => timeText(NOW - seconds * 1000)
const snapshot = (...nodes: object[]) =>
  snapshotFromParts({ nodes: nodes as never }, { name: 's', cluster: 'c', observedAt: ago(0) })
const inGit = (...nodes: object[]) => ownedFileText('c', snapshot(...nodes))
const node = (seconds?: number, name = 'small-1') => ({
  ...{ name, claim: name, blocking: 0, used: { pods: '0' } },
  ...(seconds === undefined ? {} : { idleSince: ago(seconds) }),
})

suite('idle nodes that Git does not know', (test) => {
  const ROWS: Record<string, [nodes: object[], git: string | undefined, isOverdue: boolean, until?: number]> = {
    'for a minute': [[node(60)], inGit(node()), true],
    'for less than a minute': [[node(59)], inGit(node()), false, NOW + 1000],
    'and none is idle': [[node()], inGit(node()), false],
    'but it does': [[node(600)], inGit(node(600)), false],
    'to be idle anew': [[node(60)], inGit(node(600)), true],
    'since there is no snapshot': [[node(60)], undefined, true],
    'of no pool': [[{ ...node(60), claim: undefined }], inGit(), false],
    'of a machine': [[{ ...node(60), claim: undefined, machine: 'm' }], inGit(), true],
    'beside one that it knows, whose name is a number': [
      [node(600, '123'), node(30, 'small-2')],
      inGit(node(600, '123')),
      false,
      NOW + 30_000,
    ],
  }
  for (const [name, [nodes, git, isOverdue, until]] of Object.entries(ROWS))
    test(name, () => assert.equal(unwrittenIdle(snapshot(...nodes), git, NOW), { isOverdue, until }))
  test('are none without a snapshot', () => assert.is(unwrittenIdle(undefined, inGit(), NOW).isOverdue, false))
})

suite('the nodes in Git', (test) => {
  const settings = { cluster: 'c', folder: 'nodes' }
  const read = (text: string | undefined, given = settings) =>
    inFolder((root) => {
      mkdirSync(join(root, 'nodes'))
      if (text !== undefined) writeFileSync(join(root, 'nodes/workload.yaml'), text)
      return [...nodesInGit(root, given).values()]
    })
  test('are those of the snapshot', () => assert.equal(read(inGit(node(600))), [node(600)]))
  test('are none where there is no snapshot', () => assert.equal(read(undefined), []))
  test('are none where it cannot be read', () => assert.equal(read('a: [b'), []))
  test('are none where it is of another cluster', () =>
    assert.equal(read(inGit(node(600)), { ...settings, cluster: 'd' }), []))
})
