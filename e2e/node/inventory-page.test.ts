/** docs/reference/inventory.md: its commands as printed, on what kubectl prints, and what the two forms of an inventory give away. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'

const PAGE = readFileSync(join(ROOT, 'docs/reference/inventory.md'), 'utf8')
const [named = '', counted = '', ...others] = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const KUBECTL = '#!/bin/sh\ncat "$(dirname "$0")/nodes.json"\n'
const DAEMONSET = join(ROOT, 'testdata/daemonsets/fluent-bit.json')

interface NodeList {
  items: Array<{ metadata: { name: string; uid?: string }; status: { addresses?: Array<{ address: string }> } }>
}

suite('the page about inventories', (test) => {
  test('it has a command for each form', () => {
    assert.is(others.length, 0)
    assert.match(counted, '--counts')
  })
  for (const file of readdirSync(join(ROOT, 'testdata/nodes')))
    test(`${file}: both forms render the same, and one of them without names`, () =>
      inFolder((folder) => {
        const bin = join(folder, 'bin')
        mkdirSync(bin)
        const list = parse(readFileSync(join(ROOT, 'testdata/nodes', file), 'utf8')) as NodeList
        writeFileSync(join(bin, 'nodes.json'), JSON.stringify(list))
        writeFileSync(join(bin, 'kubectl'), KUBECTL)
        chmodSync(join(bin, 'kubectl'), 0o755)
        symlinkSync(COMMAND, join(bin, 'nodefit'))
        const written = (block: string) => {
          const { status, stderr } = run('sh', ['-eu', '-c', block], { bin, cwd: folder })
          assert.is(status, 0, stderr)
          return readFileSync(join(folder, 'inventory.yaml'), 'utf8')
        }
        const build = (input: string) => {
          const made = run(process.execPath, [COMMAND, 'build', '-', DAEMONSET, '--set', 'target=fluent-bit'], {
            input,
          })
          assert.is(made.status, 0, made.stderr)
          return made
        }
        const [names, counts] = [written(named), written(counted)]
        const [one, other] = [build(names), build(counts)]
        assert.ok(one.stdout.length > 1000)
        assert.is(other.stdout, one.stdout)
        for (const { metadata, status } of list.items) {
          assert.ok(names.includes(metadata.name))
          for (const secret of [metadata.name, metadata.uid, ...(status.addresses ?? []).map(({ address }) => address)])
            if (secret !== undefined) assert.not.ok((counts + other.stderr).includes(secret), secret)
        }
      }))
})
