/**
 * nodefit sync killed at every step while it settles sizes from usage: after the next run the remote has the same rows in the same number of
 * commits, and the ConfigMap the same days and kills. A lost ConfigMap loses the days, and no row. `--sample` tries some of the steps.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'
import { UsageKilling } from '../support/usage-killing.ts'

/** Of the sample: every so many steps, the push, and what is done to the ConfigMap. */
const EVERY = 50
const isWhole = sampled(true, false)

const folder = mkdtempSync(join(tmpdir(), 'nodefit-usage-kill-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

suite('nodefit sync killed at every step of usage', (test) => {
  test('git is here', () => assert.ok(has('git')))
  let killing: UsageKilling
  test('a run that nobody kills settles, raises, and writes the ConfigMap', async () => {
    killing = await UsageKilling.start(folder)
    assert.is(killing.steps.filter((name) => /^before PUT .*configmaps/.test(name)).length, 1)
    assert.ok(killing.steps.includes('before git push'))
  })
  test('a kill costs an hour of measurements, and no row, no day, no kill', async () => {
    const { steps } = killing
    const isTried = (name: string, at: number) =>
      isWhole || at % EVERY === 0 || name === 'before git push' || /(?:before|to) PUT .*configmaps/.test(name)
    const wrong: string[] = []
    let kills = 0
    for (const [at, name] of steps.entries()) {
      if (!isTried(name, at)) continue
      wrong.push(...(await killing.killedAt(at + 1)))
      kills++
    }
    process.stdout.write(`${steps.length} steps; killed ${kills} times\n`)
    assert.equal(wrong, [])
  })
  test('a lost ConfigMap changes nothing in Git', async () => assert.equal(await killing.withoutConfigMap(), []))
  test('what was started is stopped', () => killing.stop())
})
