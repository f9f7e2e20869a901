/** What docs/daemonset/usage.md says of undo and stop, done with git as a person does it, beside a nodefit sync that runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { nodeOf } from '../support/node-objects.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { type SyncProcess, startSync } from '../support/sync-process.ts'
import {
  configure,
  POLICY,
  putDays,
  putPods,
  rowsIn,
  START,
  TIMES,
  type UsageWorld,
  usageWorld,
} from '../support/usage-scripted.ts'

const folder = mkdtempSync(join(tmpdir(), 'nodefit-usage-undo-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const PRELOAD = join(ROOT, 'e2e/support/fast-clock.cjs')
const NEXT_TUESDAY = '2026-11-24T09:05:00Z'
const TUESDAY_AFTER = '2026-12-01T09:05:00Z'

suite('undo and stop beside nodefit sync', (test) => {
  test('git is here', () => assert.ok(has('git')))
  let world: UsageWorld
  let sync: SyncProcess
  let port = 0
  const begin = (start: string) => {
    Object.assign(world.clock, { began: Date.now(), start })
    const env = { CLOCK_START: start, CLOCK_TIMES: String(TIMES) }
    sync = startSync(world.args, { node: ['--require', PRELOAD], env })
  }
  const ends = async () => assert.is(await sync.stop(), 0, sync.stderr())
  const evaluations = async (): Promise<number> => {
    const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => '',
    )
    return [...text.matchAll(/^nodefit_evaluations_total\{.*\} (\d+)/gm)].reduce((sum, [, n]) => sum + Number(n), 0)
  }
  /** Waits until everything was looked at anew, some times. */
  const looked = async () => {
    await eventually(async () => (await evaluations()) > 0)
    const before = await evaluations()
    await eventually(async () => (await evaluations()) >= before + 4, 120)
  }
  const settled = () => rowsIn(world.remote)[0]?.settled
  /** What is rendered of the group that is measured. */
  const sizes = (commit = 'main') => {
    const path = `clusters/prod/rendered/daemonset.apps_logging_fluent-bit-m5-large.yaml`
    return parse(world.remote.git('show', `${commit}:${path}`)).spec.template.spec.containers[0].resources
  }
  const git = (...args: string[]) => {
    const who = ['-c', 'user.name=a person', '-c', 'user.email=person@example.com']
    const { status, stderr } = run('git', [...who, ...args], { cwd: world.at('work') })
    assert.is(status, 0, stderr)
  }
  const clone = () => {
    rmSync(world.at('work'), { recursive: true, force: true })
    assert.is(run('git', ['clone', '-q', world.remote.url, world.at('work')]).status, 0)
  }
  const reverts = (more?: () => void) => {
    clone()
    git('revert', '--no-edit', 'HEAD')
    git('push', '-q', 'origin', 'main')
    more?.()
  }
  const setMode = (mode: string) =>
    world.remote.commit({
      [POLICY]: world.remote.git('show', `main:${POLICY}`).replace(/updateMode: .*/, `updateMode: ${mode}`),
    })

  test('sizes are settled and rendered', async () => {
    world = await usageWorld(folder)
    ;[port = 0] = await freePorts(1)
    configure(world, { reconcileInterval: '30s', health: { address: `127.0.0.1:${port}` } })
    begin(START)
    await eventually(() => rowsIn(world.remote).length > 0)
    await ends()
    putDays(world)
    begin(START)
    await eventually(() => settled() !== undefined)
    assert.equal([settled()?.why, settled()?.at], ['Regular', '2026-11-17T09:00:00Z'])
    assert.not.equal(sizes(), sizes('main~1'))
  })
  test('a revert that is pushed stays, also for a process that begins later', async () => {
    const before = sizes('main~1')
    reverts()
    const head = world.remote.head()
    assert.equal([settled(), sizes()], [undefined, before])
    await looked()
    assert.is(world.remote.head(), head)
    await ends()
    begin('2026-11-18T10:05:00Z')
    await looked()
    assert.equal([world.remote.head(), sizes()], [head, before])
    await ends()
  })
  test('until the next regular time', async () => {
    begin(NEXT_TUESDAY)
    await eventually(() => settled() !== undefined)
    assert.is(settled()?.at, '2026-11-24T09:00:00Z')
  })
  test('a revert with updateMode "Off" beside it is longer than that: what is settled is not rendered', async () => {
    const before = sizes('main~1')
    reverts(() => setMode('"Off"'))
    await ends()
    putDays(world, TUESDAY_AFTER)
    begin(TUESDAY_AFTER)
    await eventually(() => settled() !== undefined)
    assert.equal([settled()?.at, sizes()], ['2026-12-01T09:00:00Z', before])
  })
  test('Auto takes the rows up again at once; Off stops, and keeps them', async () => {
    const before = sizes()
    setMode('Auto')
    await eventually(() => JSON.stringify(sizes()) !== JSON.stringify(before))
    const row = settled()
    setMode('"Off"')
    await eventually(() => JSON.stringify(sizes()) === JSON.stringify(before))
    assert.equal(settled(), row)
    setMode('Auto')
    await eventually(() => JSON.stringify(sizes()) !== JSON.stringify(before))
  })
  test('a raise that is reverted stays away until containers are killed again', async () => {
    const before = settled()
    const kill = (minute: number, restarts: number) =>
      putPods(world, [1, 2], { at: `2026-12-01T09:${String(minute).padStart(2, '0')}:00Z`, restarts })
    kill(1, 1)
    await eventually(() => settled()?.raisedAt !== undefined)
    assert.equal([before?.limitMemory, settled()?.limitMemory], ['148Mi', '512Mi'])
    reverts()
    const head = world.remote.head()
    await looked()
    assert.equal([world.remote.head(), settled()], [head, before])
    kill(4, 2)
    await eventually(() => settled()?.raisedAt !== undefined)
    assert.equal(settled()?.raisedAt, ['2026-12-01T09:04:00Z'])
    await ends()
  })
  test('without usage in collect sizes stay as the rows say', async () => {
    const [before, rows] = [sizes(), rowsIn(world.remote)]
    configure(world, { collect: ['nodes'], reconcileInterval: '30s', health: { address: `127.0.0.1:${port}` } })
    begin('2026-12-08T10:00:00Z')
    await looked()
    assert.equal([rowsIn(world.remote), sizes()], [rows, before])
    const head = world.remote.head()
    world.api.put('/api/v1/nodes', nodeOf('node-9', 'r5.large') as never)
    await eventually(() => world.remote.head() !== head)
    assert.equal([rowsIn(world.remote), sizes()], [rows, before])
    await ends()
    clone()
    const args = ['build', 'agents', 'clusters/prod/nodes', '--earlier', 'clusters/prod/rendered']
    const env = { CLOCK_START: '2026-12-08T10:30:00Z', CLOCK_TIMES: '1' }
    const built = run(process.execPath, ['--require', PRELOAD, COMMAND, ...args], { cwd: world.at('work'), env })
    assert.is(built.status, 0, built.stderr)
    assert.match(built.stderr, /warning: UsageStale: .*2026-11-30/)
  })
  test('what was started is stopped', () => world.api.close())
})
