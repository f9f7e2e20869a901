/**
 * Many changes at once, on a clock that the test moves: 500 nodes of a new type in a few seconds are one commit; and whatever happens, in no
 * minute more than six pushes are begun or reach the remote, which counts them in a hook: a new type every few seconds, and a second writer
 * who pushes just before each push. The last test takes the limit away, and sees more.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { faultySync } from '../support/faulty-programs.ts'
import { has } from '../support/program.ts'
import { soakNode } from '../support/soak-api.ts'
import { Soaking } from '../support/soaking.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const MOST_A_MINUTE = 6

const folder = mkdtempSync(join(tmpdir(), 'nodefit-burst-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

function ownFolder(name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

/** What somebody else does just before two of three pushes: a commit on top of the branch. */
function secondWriter(soaking: Soaking): Promise<unknown> {
  const { folder: bare } = soaking.remote
  const git = `git --git-dir '${bare}' -c user.name=other -c user.email=other@example.com`
  return soaking.race(`
    echo >> '${bare}/tries'; [ $(($(wc -l < '${bare}/tries') % 3)) -ne 0 ] || exit 0; echo >> '${bare}/races'
    ${git} update-ref refs/heads/main $(${git} commit-tree -p main -m other main^{tree})`)
}

/** Lets time go by, with something to happen at each second. */
async function stormOf(soaking: Soaking, minutes: number, each: (second: number) => void): Promise<void> {
  for (let second = 1; second <= minutes * 60; second++) {
    each(second)
    await soaking.advance(SECOND)
  }
}

/** The most that any minute had of these times. */
function mostInAMinute(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + MINUTE).length))
}

interface Storm {
  /** When each push began. */
  readonly begun: readonly number[]
  /** Of those, how many found that somebody else was first, and how many came through. */
  readonly races: number
  readonly arrived: number
}

/** A new type of node every four seconds, and a second writer who is first again and again. */
function storm(name: string, minutes: number, command?: string): Promise<Storm> {
  const spec = { quietWindow: '1s', maxWindow: '2s', minPushInterval: '10s', guards: { maxGroupsAdded: 10_000 } }
  return Soaking.with(ownFolder(name), { nodes: 60, spec, command }, async (soaking) => {
    const { remote } = soaking
    const linesOf = (file: string) => readFileSync(join(remote.folder, file), 'utf8').length
    await soaking.advance(MINUTE)
    remote.hook('post-receive', `echo >> '${join(remote.folder, 'arrived')}'`)
    await secondWriter(soaking)
    let next = 1000
    await stormOf(soaking, minutes, (second) => {
      if (second % 4 === 0) soaking.api.put(soakNode(next, { type: `x${next++}.large` }))
    })
    const begun = (await soaking.pushes()).slice(1)
    const [arrived, races] = [linesOf('arrived'), linesOf('races')]
    process.stdout.write(
      `${name}, ${minutes} minutes: ${begun.length} pushes begun, ${races} of them raced, ${arrived} arrived, ${mostInAMinute(begun)} in a minute at most\n`,
    )
    return { begun, races, arrived }
  })
}

suite('many changes at once', (test) => {
  test('git is here', () => assert.ok(has('git')))
  test('500 nodes of a new type in a few seconds are one commit', () =>
    Soaking.with(ownFolder('burst'), { nodes: 500 }, async (soaking) => {
      await soaking.advance(MINUTE)
      assert.is(soaking.commits(), 1)
      const begin = soaking.now
      for (let second = 0; second < 5; second++) {
        for (let at = 0; at < 100; at++)
          soaking.api.put(soakNode(1000 + 100 * second + at, { type: 'x2.large', since: soaking.now }))
        await soaking.advance(SECOND)
      }
      await stormOf(soaking, 5, () => undefined)
      assert.is(soaking.commits(), 2, JSON.stringify(soaking.said()))
      const pushes = await soaking.pushes()
      assert.is(pushes.length, 2)
      const [, pushed = 0] = pushes
      process.stdout.write(`pushed ${(pushed - begin) / SECOND} s after the first of 500 nodes\n`)
    }))
  test('six pushes a minute, whatever happens', async () => {
    const { begun, races, arrived } = await storm('storm', 5)
    assert.is(mostInAMinute(begun), MOST_A_MINUTE, `${begun}`)
    assert.ok(races > 8 && arrived > 8, `${races} races, ${arrived} arrived`)
    assert.is(arrived, begun.length - races)
  })
})

suite('that it can fail', (test) => {
  test('a build without the limit begins more', async () => {
    const command = await faultySync(join(folder, 'faulty'), [
      { module: 'host/sync/round.ts', text: 'const MAX_PUSHES = 6', instead: 'const MAX_PUSHES = Infinity' },
    ])
    const { begun } = await storm('unlimited-storm', 3, command)
    assert.ok(mostInAMinute(begun) > MOST_A_MINUTE, `${begun}`)
  })
})
