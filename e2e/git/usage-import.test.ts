/** What docs/daemonset/usage.md says of imported usage: a nodefit sync that begins beside it goes on from it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { eventually } from '../support/eventually.ts'
import { ROOT } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { type SyncProcess, startSync } from '../support/sync-process.ts'
import { configure, rowsIn, START, TIMES, type UsageWorld, usageWorld } from '../support/usage-scripted.ts'

const folder = mkdtempSync(join(tmpdir(), 'nodefit-usage-import-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const IMPORT = 'agents/usage.yaml'
const SETTLED = { cpu: '61m', memory: '71Mi', limitMemory: '1Gi', at: '2026-11-16T00:00:00Z', why: 'Imported' }

suite('imported usage beside nodefit sync', (test) => {
  test('git is here', () => assert.ok(has('git')))
  let world: UsageWorld
  let sync: SyncProcess
  const begin = () => {
    Object.assign(world.clock, { began: Date.now(), start: START })
    const node = ['--require', join(ROOT, 'e2e/support/fast-clock.cjs')]
    sync = startSync(world.args, { node, env: { CLOCK_START: START, CLOCK_TIMES: String(TIMES) } })
  }
  const groups = () => rowsIn(world.remote).map(({ group, settled }) => [group, settled?.memory, settled?.why])
  const BOTH = ['value:m5.large', 'value:r5.large'].map((group) => [group, '71Mi', 'Imported'])
  const sizes = () => {
    const text = world.remote.git('show', 'main:clusters/prod/rendered/daemonset.apps_logging_fluent-bit-m5-large.yaml')
    const { requests, limits } = parse(text).spec.template.spec.containers[0].resources
    return [requests.cpu, requests.memory, limits.memory]
  }

  test('the first commit has its rows, those of groups that are not there too, and is rendered from them', async () => {
    world = await usageWorld(folder)
    configure(world)
    const usage = BOTH.map(([group = '']) => ({
      ...{ policy: 'logging/fluent-bit', container: 'fluent-bit', group, days: 14, pods: 3 },
      settled: SETTLED,
    }))
    const spec = { cluster: 'prod', observedAt: '2026-11-16T00:00:00Z', usage }
    const snapshot = { apiVersion: 'nodefit.dev/v1alpha1', kind: 'WorkloadSnapshot', metadata: { name: 'usage' }, spec }
    world.remote.commit({ [IMPORT]: JSON.stringify(snapshot) })
    begin()
    await eventually(() => rowsIn(world.remote).length > 0)
    assert.equal([groups(), sizes()], [BOTH, ['71m', '82Mi', '1Gi']])
  })
  test('without its file they stay', async () => {
    const before = sizes()
    world.remote.commit({ [IMPORT]: undefined, 'README.md': 'one more\n' })
    await sync.stop()
    begin()
    const { length } = world.remote.git('rev-list', 'main').split('\n')
    world.remote.commit({
      'agents/policy.yaml': world.remote
        .git('show', 'main:agents/policy.yaml')
        .replace('Auto', 'Auto\n    marginPercent: 20'),
    })
    await eventually(() => world.remote.git('rev-list', 'main').split('\n').length > length + 1)
    assert.equal([groups(), before, sizes()], [BOTH, ['71m', '82Mi', '1Gi'], ['74m', '86Mi', '1Gi']])
  })
  test('what was started is stopped', async () => {
    assert.is(await sync.stop(), 0, sync.stderr())
    await world.api.close()
  })
})
