/** docs/reservations.md: the job that moves schedules, as a cron job in CI would run it, twice. */
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../test/support/suite.ts'
import { COMMAND, functionsIn, inFolder, ROOT, run } from './support/hosts.ts'
import { has } from './support/program.ts'

const PAGE = readFileSync(join(ROOT, 'docs/reservations.md'), 'utf8')
const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const KUBECTL = '#!/bin/sh\ncat "$(dirname "$0")/nodes.json"\n'

suite('the page about reservations', (test) => {
  test('it has one job', () => assert.is(blocks.length, 1))
  if (!has('kpt')) return
  test('the job renders and commits, and commits nothing where nothing changes', () =>
    inFolder((folder) => {
      const bin = functionsIn(folder)
      writeFileSync(
        join(bin, 'nodes.json'),
        JSON.stringify(parse(readFileSync(join(ROOT, 'testdata/nodes/eks.yaml'), 'utf8'))),
      )
      writeFileSync(join(bin, 'kubectl'), KUBECTL)
      chmodSync(join(bin, 'kubectl'), 0o755)
      symlinkSync(COMMAND, join(bin, 'nodefit'))
      const work = join(folder, 'work')
      mkdirSync(join(work, 'infra'), { recursive: true })
      for (const file of ['Kptfile', 'order.yaml'])
        cpSync(join(ROOT, 'testdata/reservation/system-overhead/package', file), join(work, 'infra', file))
      const git = (...args: string[]) =>
        run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: work })
      assert.is(git('init', '-q').status, 0)
      for (const [key, value] of [
        ['user.name', 'a'],
        ['user.email', 'a@b.example'],
      ])
        git('config', key ?? '', value ?? '')
      const job = () => {
        const { status, stderr } = run('sh', ['-eu', '-c', blocks[0] ?? ''], { bin, cwd: work })
        assert.is(status, 0, stderr)
        return git('log', '--oneline').stdout.trim().split('\n').length
      }
      assert.is(job(), 1)
      assert.match(git('ls-files').stdout, /infra\/tickets-infrastructure-reservation-[0-9a-f]\.yaml/)
      assert.is(job(), 1, 'nothing new to commit')
    }))
})
