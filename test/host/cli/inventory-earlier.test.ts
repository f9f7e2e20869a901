/** An inventory that goes on from the one before it: shapes without nodes, and files that have nothing. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { node, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const NODEFIT = fileURLToPath(new URL('../../../dist/nodefit.cjs', import.meta.url))
const [UID, OTHER] = [1, 2].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`) as [string, string]

function inFolder(
  body: (write: (name: string, text: string) => void, run: (...args: string[]) => ReturnType<typeof nodefit>) => void,
): void {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-earlier-'))
  try {
    body(
      (name, text) => writeFileSync(join(folder, name), text),
      (...args) => nodefit(folder, args),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function nodefit(cwd: string, args: readonly string[]) {
  return spawnSync(process.execPath, [NODEFIT, 'inventory', ...args, '--cluster', 'prod'], { cwd, encoding: 'utf8' })
}

const listOf = (...types: string[]) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: types.map((type) => node(`${type}-1`, { [TYPE]: type })) })
const emptyIn = (text: string) =>
  (parse(text).spec.shapes as Array<{ labels: Record<string, string>; nodes: string[]; emptySince?: string }>).flatMap(
    ({ labels, emptySince }) => (emptySince === undefined ? [] : [`${labels[TYPE]} ${emptySince}`]),
  )

suite('nodefit inventory --earlier', (test) => {
  test('keeps the shape of a node that is gone, since then, and drops it after 336 hours', () =>
    inFolder((write, run) => {
      write('both.json', listOf('small', 'big'))
      write('one.json', listOf('small'))
      const at = (file: string, time: string, earlier?: string) => {
        const more = earlier === undefined ? [] : ['--earlier', earlier]
        const { status, stdout, stderr } = run(file, '--observed-at', time, ...more)
        assert.is(status, 0, stderr)
        return stdout
      }
      write('1.yaml', at('both.json', '2026-11-20T12:00:00Z'))
      const second = at('one.json', '2026-11-21T12:00:00Z', '1.yaml')
      assert.equal(emptyIn(second), ['big 2026-11-21T12:00:00Z'])
      assert.is(parse(second).spec.nodeCount, 1)
      write('2.yaml', second)
      assert.equal(emptyIn(at('one.json', '2026-12-05T11:59:59Z', '2.yaml')), ['big 2026-11-21T12:00:00Z'])
      assert.equal(emptyIn(at('one.json', '2026-12-05T12:00:00Z', '2.yaml')), [])
      assert.equal(emptyIn(at('both.json', '2026-11-22T12:00:00Z', '2.yaml')), [])
      assert.is(at('both.json', '2026-11-20T12:00:00Z', '1.yaml'), at('both.json', '2026-11-20T12:00:00Z'))
    }))
  test('refuses a file that has nothing, or of another cluster', () =>
    inFolder((write, run) => {
      write('nodes.json', listOf('small'))
      write('empty.yaml', '')
      write('pods.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }))
      const empty = run('nodes.json', '--earlier', 'empty.yaml')
      assert.is(empty.status, 1)
      assert.match(empty.stderr, /^nodefit: --earlier empty\.yaml has no NodeInventory: .*write to another one/)
      assert.is(empty.stdout, '')
      const pods = run('nodes.json', '--pods', 'pods.json', '--earlier', 'empty.yaml')
      assert.match(pods.stderr, /has no WorkloadSnapshot/)
      write('1.yaml', run('nodes.json', '--cluster-uid', UID, '--observed-at', '2026-11-20T12:00:00Z').stdout)
      const other = run('nodes.json', '--cluster-uid', OTHER, '--earlier', '1.yaml')
      assert.is(other.status, 1)
      assert.match(other.stderr, new RegExp(`WrongCluster: .* with the uid ${UID}, not of prod with ${OTHER}`))
      assert.is(run('nodes.json', '--cluster-uid', UID, '--earlier', '1.yaml').status, 0)
    }))
  test('says what is wrong with a uid or a time', () =>
    inFolder((write, run) => {
      write('nodes.json', listOf('small'))
      assert.match(run('nodes.json', '--cluster-uid', 'prod').stderr, /--cluster-uid "prod" is no uid, such as /)
      assert.match(
        run('nodes.json', '--observed-at', 'noon').stderr,
        /--observed-at "noon" is no RFC 3339 time, such as /,
      )
    }))
})
