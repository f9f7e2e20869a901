/**
 * nodefit sync killed at every step while it settles sizes from usage: after the next run the remote has the same rows in the same number of
 * commits, and the ConfigMap the same days and kills. A lost ConfigMap loses the days, and no row. `--sample` tries some of the steps. The
 * last tests switch off what it rests on, and see the suite find it.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { type Fault, faultySync } from '../support/faulty-programs.ts'
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
    // what was known when the schedule fired, and that Git has what was settled of it
    assert.ok(killing.steps.filter((name) => /^before PUT .*configmaps/.test(name)).length >= 2, killing.steps.join())
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
      // what an earlier process has written is read, and written again
      wrong.push(...(await killing.killedAt(at + 1, { isHour: /PUT .*configmaps/.test(name) })))
      kills++
    }
    process.stdout.write(`${steps.length} steps; killed ${kills} times\n`)
    assert.equal(wrong, [])
  })
  test('a lost ConfigMap changes nothing in Git', async () => assert.equal(await killing.withoutConfigMap(), []))
  test('what was started is stopped', () => killing.stop())
})

/** What a faulty nodefit sync does in a folder of its own. */
async function withFaults<T>(
  name: string,
  faults: readonly Fault[],
  body: (killing: UsageKilling) => Promise<T>,
): Promise<T> {
  const own = join(folder, name)
  mkdirSync(own)
  const killing = await UsageKilling.start(own, await faultySync(join(own, 'program'), faults))
  try {
    return await body(killing)
  } finally {
    await killing.stop()
  }
}

suite('that it can fail', (test) => {
  // by name: which number a step has depends on how busy the machine is
  const named = ({ steps }: UsageKilling, pattern: RegExp) => {
    const step = steps.find((name) => pattern.test(name))
    assert.ok(step, `no step ${pattern} in ${steps.join(', ')}`)
    return step ?? ''
  }
  test('kills that count again after a restart', () =>
    withFaults(
      'twice',
      [
        {
          module: 'facts/usage/history.ts',
          text: '  if (recent.some(({ pod, at }) => pod === kill.pod && at >= kill.at)) return { ...history, kills: recent }\n',
          instead: '',
        },
      ],
      async (killing) => {
        const written = named(killing, /^at the answer to PUT .*configmaps/)
        assert.match((await killing.killedAt(written, { isHour: true })).join('\n'), 'the ConfigMap is')
      },
    ))
  test('a time of the schedule that settles twice', () =>
    withFaults(
      'again',
      [
        { module: 'facts/usage/settle.ts', text: ', now) >= fire', instead: ', now) > fire' },
        // what Git was seen to have is settled no second time either
        { module: 'facts/usage/settle.ts', text: 'regular.isInGit !== true', instead: 'true' },
      ],
      async (killing) => {
        const pushed = named(killing, /^after git push$/)
        assert.match((await killing.killedAt(pushed)).join('\n'), 'workload.yaml is')
      },
    ))
  test('a row that is lost with the ConfigMap', () =>
    withFaults(
      'lost',
      [
        {
          module: 'facts/usage/settle.ts',
          text: 'let settled = atFire\n',
          instead: 'let settled = history.days.length === 0 ? undefined : atFire\n',
        },
      ],
      async (killing) => assert.match((await killing.withoutConfigMap()).join('\n'), 'workload.yaml is'),
    ))
})
