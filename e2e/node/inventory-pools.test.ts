/** What `nodefit inventory` writes of a cluster with node pools, from files as kubectl writes them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'

const NAMES = ['nodes', 'pods', 'claims', 'pools']

suite('nodefit inventory, of node pools', (test) => {
  test('which nodes are idle since when is carried over from the snapshot that was written before', () =>
    inFolder((folder) => {
      const [nodes, pods, claims, pools] = NAMES.map((name) => join(folder, `${name}.json`)) as [
        string,
        string,
        string,
        string,
      ]
      const list = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      const node = (lastHeartbeatTime: string) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'small-000001', uid: 'u', labels: { 'topology.kubenodesmith.io/pool': 'small', team: 'a' } },
        status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] },
      })
      const pool = {
        apiVersion: 'kubenodesmith.parawell.cloud/v1alpha1',
        kind: 'NodeSmithPool',
        metadata: { name: 'small' },
      }
      writeFileSync(pods, list({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-0' }, spec: {} }))
      writeFileSync(claims, list())
      writeFileSync(pools, list({ ...pool, spec: { machineTemplate: { labels: { team: 'a' } } } }))
      const write = (time: string, ...more: string[]) => {
        writeFileSync(nodes, list(node(time)))
        const args = ['inventory', nodes, '--cluster', 'c', '--pods', pods, '--claims', claims, '--pools', pools]
        const { status, stdout, stderr } = run(process.execPath, [COMMAND, ...args, ...more])
        assert.is(status, 0, stderr)
        return stdout
      }
      const first = write('2026-11-20T12:00:00Z')
      writeFileSync(join(folder, 'first.yaml'), first)
      const both = write('2026-11-20T12:10:00Z', '--earlier', join(folder, 'first.yaml'))
      const [inventory, snapshot] = parseAllDocuments(both).map((document) => document.toJS())
      assert.equal(inventory.spec.shapes[0].labels, { team: 'a', 'topology.kubenodesmith.io/pool': 'small' })
      const {
        observedAt,
        nodes: [idle],
        pending,
        claims: none,
        pools: [small],
      } = snapshot.spec
      assert.equal([observedAt, idle.idleSince], ['2026-11-20T12:10:00Z', '2026-11-20T12:00:00Z'])
      assert.equal([pending[0].pods, none, small], [[{ name: 'web-0' }], [], { name: 'small' }])
    }))
})
