/**
 * nodefit sync killed at every step: whatever a run was doing when it was killed, after the next run the remote is as it would have been
 * without: the same files in the same number of commits on the same branches, no lock left, nobody's files changed; the Job of a signed
 * action that has run is rendered no more. A step is a command of
 * git before, while and after it runs, a change of a file, or a request to the API server. `--sample` tries
 * some of the steps. The last tests switch off what it rests on, and see the suite find it.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { faultySync } from '../support/faulty-programs.ts'
import { Killing, TASKS, type Task } from '../support/killing.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

/** Of the sample: the first and last step of each task, those of its push, and every so many of the others. */
const EVERY = 9
const isWhole = sampled(true, false)

const folder = mkdtempSync(join(tmpdir(), 'nodefit-kill-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let folders = 0

async function withTask<T>(
  task: Task,
  command: string | undefined,
  body: (killing: Killing) => Promise<T>,
): Promise<T> {
  const own = join(folder, String(++folders))
  mkdirSync(own)
  const killing = await Killing.start(own, task, command)
  try {
    return await body(killing)
  } finally {
    await killing.stop()
  }
}

/** The steps that are tried, from 1 on; the tasks begin at different ones. */
function tried(steps: readonly string[], offset: number): number[] {
  const isTried = (name: string, at: number) =>
    isWhole || at === 0 || at === steps.length - 1 || name.endsWith('git push') || (at + 2 * offset) % EVERY === 0
  return steps.flatMap((name, at) => (isTried(name, at) ? [at + 1] : []))
}

/** What a git that is killed within a command can leave in the clone. */
const LEFTOVERS: ReadonlyArray<readonly [path: string, text: string]> = [
  ...['index', 'HEAD', 'shallow', 'config', 'packed-refs', 'refs/nodefit/base', 'refs/nodefit/made'].map(
    (name) => [`git/${name}.lock`, ''] as const,
  ),
  ['git/index', 'DIRC'],
  ['git/HEAD', ''],
  ['git/config', '[core'],
  ['git/refs/nodefit/base', ''],
  ['git/refs/nodefit/base', `${'1'.repeat(40)}\n`],
  ['git/refs/nodefit/made', 'x'],
  ['git/shallow', `${'1'.repeat(40)}\n`],
  ['git/nodefit', ''],
  ['files/agents/policy.yaml', 'kind: Half'],
  ['files/agents/other.yaml', 'kind: Other'],
]

suite('nodefit sync killed at every step', (test) => {
  test('git is here', () => assert.ok(has('git')))
  let kills = 0
  for (const [offset, task] of TASKS.entries())
    test(task.name, () =>
      withTask(task, undefined, async (killing) => {
        const wrong: string[] = []
        for (const step of tried(killing.steps, offset)) {
          wrong.push(...(await killing.killedAt(step)))
          kills++
        }
        process.stdout.write(`${task.name}: ${killing.steps.length} steps; killed ${kills} times so far\n`)
        assert.equal(wrong, [])
      }),
    )
  test('what a git that was killed has left in the clone is no hindrance', () =>
    withTask(TASKS[1] as Task, undefined, async (killing) => {
      const wrong: string[] = []
      for (const leftover of LEFTOVERS) wrong.push(...(await killing.withLeftover(...leftover)))
      assert.equal(wrong, [])
    }))
})

suite('that it can fail', (test) => {
  const [first, change] = TASKS as [Task, Task]
  test('a clone that counts as whole before it is', async () => {
    const command = await faultySync(join(folder, 'half'), [
      {
        module: 'host/sync/git/clone.ts',
        text: "    await git.run(['init', '--quiet', '--template=', ...format], { env: this.env })",
        instead:
          "    await mkdir(this.gitFolder, { recursive: true }); await writeFile(file, identity)\n    await git.run(['init', '--quiet', '--template=', ...format], { env: this.env })",
      },
      { module: 'host/sync/git/git-repository.ts', text: 'await this.#clone.wipe()', instead: '' },
    ])
    await withTask(first, command, async (killing) => {
      // the fault has two steps of its own before it
      const step = killing.steps.indexOf('before git init') + 1 + 2
      assert.match((await killing.killedAt(step)).join('\n'), 'the next run ended with 1')
    })
  })
  test('a clone that is believed without asking the remote', async () => {
    const command = await faultySync(join(folder, 'believed'), [
      {
        module: 'host/sync/git/clone.ts',
        text: '    const { address } = this.#remote\n',
        instead:
          "    const { address } = this.#remote\n    const kept = await git.line(['rev-parse', '--verify', BASE_REF], { env: this.env }).catch(() => '')\n    if (kept !== '') return { commit: kept, received: 0 }\n",
      },
      // it pushes what it has made, whatever is there
      {
        module: 'host/sync/git/push.ts',
        text: "'--porcelain'",
        instead: "'--porcelain', '--force'",
      },
    ])
    await withTask(change, command, async (killing) => {
      const step = killing.steps.indexOf('before git push') + 1
      assert.match((await killing.killedAt(step)).join('\n'), 'main is')
    })
  })
  test('an act that is forgotten once its Job is gone', async () => {
    const command = await faultySync(join(folder, 'forgotten'), [
      {
        module: 'plan/action/memory.ts',
        text: "const FINISHED = ['Succeeded', 'Ended']",
        instead: 'const FINISHED = [""]',
      },
    ])
    await withTask(TASKS[6] as Task, command, async (killing) =>
      assert.match((await killing.killedAt(1)).join('\n'), 'drainnode-node-1'),
    )
  })
  test('a branch for review that is named by the time as well', async () => {
    const command = await faultySync(join(folder, 'named'), [
      {
        module: 'host/sync/effect/effect-of.ts',
        text: "output ?? '', held",
        instead: "output ?? '', Date.now(), held",
      },
    ])
    await withTask(TASKS[3] as Task, command, async (killing) =>
      assert.match((await killing.killedAt(killing.steps.length - 1)).join('\n'), 'sync/prod-'),
    )
  })
})
