/**
 * An hour of a cluster of 5,000 nodes, on a clock that stands still while there is work: status updates of all nodes every five minutes, 500
 * nodes that are replaced by others of known types, watches that end, break and expire. nodefit sync runs as a process with the heap flags of
 * the Deployment and renders into an output folder: no commit, no growing heap, less than 200 MB resident. The last test switches off what it
 * rests on, and sees commits. With `--sample` it is a
 * quarter of an hour; `SOAK_MINUTES` says another length, ten or more.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { faultySync } from '../support/faulty-programs.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'
import { hourOf } from '../support/soak-hour.ts'
import { Soaking, shippedEnvironment } from '../support/soaking.ts'

const NODES = 5_000
const MINUTES = Number(process.env.SOAK_MINUTES ?? sampled(60, 15))
const MB = 1e6
const MOST_RESIDENT = 200 * MB
/** A heap may differ by so much from one look to another, though nothing is kept. */
const NOISE = 4 * MB

const folder = mkdtempSync(join(tmpdir(), 'nodefit-soak-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

function ownFolder(name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

suite('an hour in which nothing happens', (test) => {
  test('git is here', () => assert.ok(has('git')))
  test('the Deployment limits the heap', () => assert.match(shippedEnvironment().NODE_OPTIONS ?? '', 'max-old-space'))
  test('5,000 nodes: no commit, a flat heap, less than 200 MB', () =>
    Soaking.with(ownFolder('hour'), { nodes: NODES }, async (soaking) => {
      await soaking.advance(60_000)
      assert.is(soaking.commits(), 1, JSON.stringify(soaking.lines()))
      const first = soaking.peak()
      const before = { watches: soaking.api.watches, commands: await soaking.commands(), lines: soaking.lines().length }
      const { heaps, ...done } = await hourOf(soaking, MINUTES)
      const said = soaking.said()
      process.stdout.write(
        `${JSON.stringify({
          minutes: MINUTES,
          ...done,
          watchesBegunAnew: soaking.api.watches - before.watches,
          commandsOfGit: (await soaking.commands()) - before.commands,
          heapsMB: heaps.map((heap) => +(heap / MB).toFixed(1)),
          firstPeakMB: Math.round(first / MB),
          peakMB: Math.round(soaking.peak() / MB),
          said,
        })}\n`,
      )
      assert.is(soaking.commits(), 1, JSON.stringify(soaking.lines().slice(before.lines)))
      assert.ok(soaking.api.watches - before.watches >= done.cuts && done.cuts > 0)
      assert.ok((said['no change of what is rendered'] ?? 0) >= MINUTES / 5, 'it has looked')
      assert.ok((heaps.at(-1) ?? Infinity) - (heaps[0] ?? 0) < NOISE, `${heaps}`)
      assert.ok(soaking.peak() < MOST_RESIDENT, `${soaking.peak()}`)
    }))
})

suite('that it can fail', (test) => {
  test('a build that commits whatever has changed makes commits', async () => {
    const command = await faultySync(join(folder, 'eager'), [
      { module: 'host/sync/effect/decide.ts', text: '(projection.isOverdue ||', instead: '(true ||' },
    ])
    await Soaking.with(ownFolder('fault'), { nodes: 300, command }, async (soaking) => {
      await soaking.advance(60_000)
      await hourOf(soaking, 5)
      assert.ok(soaking.commits() > 1)
    })
  })
  test('a build that keeps all that it has heard has a growing heap', async () => {
    const command = await faultySync(join(folder, 'keeping'), [
      {
        module: 'host/sync/nodes/projected-node.ts',
        text: '    const node = object as Node\n',
        instead: '    const node = object as Node\n    ;((globalThis as any).kept ??= []).push(object)\n',
      },
    ])
    await Soaking.with(ownFolder('keeping-fault'), { nodes: 300, command }, async (soaking) => {
      await soaking.advance(60_000)
      const { heaps } = await hourOf(soaking, 20)
      assert.ok((heaps.at(-1) ?? 0) - (heaps[0] ?? 0) >= NOISE, `${heaps}`)
    })
  })
})
