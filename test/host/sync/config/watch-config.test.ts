/** A configuration that is read again while the controller runs. */

import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { watchConfig } from '../../../../src/host/sync/config/watch-config.ts'
import { silentMeter } from '../../../support/engine-context.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'
import { syncConfig, syncConfigText } from '../../../support/sync-config.ts'

interface Watched {
  readonly file: string
  readonly folder: string
  /** What was told since it was asked last: the quiet window of what is taken, or the first sentence. */
  readonly told: () => Array<number | string>
  /** What was counted: taken or not. */
  readonly counted: boolean[]
  readonly look: () => Promise<void>
}

async function watched(body: (watched: Watched) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-config-'))
  const file = join(folder, 'sync.yaml')
  writeFileSync(file, syncConfigText())
  const clock = new FakeClock()
  const abort = new AbortController()
  let told: Array<number | string> = []
  const counted: boolean[] = []
  const end = watchConfig({
    file,
    current: syncConfig(),
    context: { clock, meter: { ...silentMeter, configured: (isAccepted) => counted.push(isAccepted) } },
    signal: abort.signal,
    onChange: (config) => told.push(config.quietWindow),
    onInvalid: ([sentence = '']) => told.push(sentence),
  })
  const look = () => clock.advance(5_000)
  await look()
  try {
    await body({
      file,
      folder,
      told: () => {
        const all = told
        told = []
        return all
      },
      counted,
      look,
    })
  } finally {
    abort.abort()
    await end
    rmSync(folder, { recursive: true })
  }
}

suite('the configuration while it runs', (test) => {
  test('is taken once when it changes', () =>
    watched(async ({ file, told, look, counted }) => {
      assert.equal(told(), [])
      writeFileSync(file, syncConfigText({ quietWindow: '5s' }))
      await look()
      await look()
      assert.equal(told(), [5_000])
      assert.equal(counted, [true])
    }))
  test('goes on where a bad one comes, which is said once', () =>
    watched(async ({ file, told, look, counted }) => {
      writeFileSync(file, syncConfigText({ quietWindow: 'x' }))
      await look()
      await look()
      const said = told()
      assert.is(said.length, 1)
      assert.match(String(said[0]), 'spec.quietWindow is invalid: "')
      writeFileSync(file, syncConfigText({ quietWindow: '7s' }))
      await look()
      assert.equal(told(), [7_000])
      assert.equal(counted, [false, true])
    }))
  test('is the same with other comments', () =>
    watched(async ({ file, told, look }) => {
      writeFileSync(file, `# of the platform team\n${syncConfigText()}`)
      await look()
      assert.equal(told(), [])
    }))
  test('is the one before again when it is put back', () =>
    watched(async ({ file, told, look }) => {
      writeFileSync(file, syncConfigText({ quietWindow: '5s' }))
      await look()
      writeFileSync(file, syncConfigText())
      await look()
      assert.equal(told(), [5_000, 15_000])
    }))
  test('is found when links are swapped, as a mounted ConfigMap does it', () =>
    watched(async ({ file, folder, told, look }) => {
      const publish = (name: string, text: string) => {
        mkdirSync(join(folder, name))
        writeFileSync(join(folder, name, 'sync.yaml'), text)
        symlinkSync(name, join(folder, '..data_tmp'))
        renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
      }
      publish('..1', syncConfigText())
      unlinkSync(file)
      symlinkSync('..data/sync.yaml', file)
      await look()
      publish('..2', syncConfigText({ quietWindow: '9s' }))
      await look()
      assert.equal(told(), [9_000])
    }))
  test('is missed only when it stays away', () =>
    watched(async ({ file, told, look }) => {
      unlinkSync(file)
      await look()
      assert.equal(told(), [])
      await look()
      await look()
      const said = told()
      assert.is(said.length, 1)
      assert.match(String(said[0]), 'cannot read ')
      writeFileSync(file, syncConfigText({ quietWindow: '3s' }))
      await look()
      assert.equal(told(), [3_000])
    }))
})
