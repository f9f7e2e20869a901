/** `nodefit explain` of policies, groups and nodes: what its page shows, the figures of the output, and what is not known. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })
const TYPES = ['m5.large', 'm5.xlarge']
/** A policy that leaves one of two nodes out. */
const LESS = { nodeSelector: { 'node.kubernetes.io/instance-type': 'm5.large' } }

suite('nodefit explain', (test) => {
  test('prints what its page shows', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES, spec: LESS })
      const { status, stdout, stderr } = nodefit(
        folder,
        'explain',
        'package',
        '--group',
        'm5.large',
        '--node',
        'node-1',
      )
      assert.is(status, 0, stderr)
      const page = readFileSync(join(ROOT, 'docs/deliver/explain.md'), 'utf8')
      assert.is(/^```\n(group[\s\S]*?)^```$/m.exec(page)?.[1], stdout)
    }))
  test('each amount that is written is the one in the output', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      const answered = JSON.parse(nodefit(folder, 'explain', 'package', '--json').stdout)
      const groups = answered.flatMap(({ answers }: { answers: { group?: object }[] }) =>
        answers.flatMap((one) => one.group ?? []),
      )
      const built = parseAllDocuments(nodefit(folder, 'build', 'package').stdout).map((one) => one.toJSON())
      const daemons = built.filter(({ kind }) => kind === 'DaemonSet')
      assert.equal(
        groups.map(({ name }: { name: string }) => name).sort(),
        daemons.map(({ metadata }) => metadata.name).sort(),
      )
      for (const { name, amounts } of groups) {
        const { resources } = daemons.find(({ metadata }) => metadata.name === name).spec.template.spec.containers[0]
        const written = Object.fromEntries(amounts.map((one: Record<string, string>) => [one.name, one.written]))
        assert.equal(written, {
          requestCPU: resources.requests.cpu,
          requestMemory: resources.requests.memory,
          limitCPU: resources.limits.cpu,
          limitMemory: resources.limits.memory,
        })
      }
    }))
  test('a node, a group by each of its names, and a policy', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      const [first, ...others] = ['agent-m5-large', 'value:m5.large', 'm5.large'].map((name) =>
        nodefit(folder, 'explain', 'package', '--group', name).stdout.split('\n').slice(1).join('\n'),
      )
      assert.match(first ?? '', /^ {2}SizingPolicy ops\/agent: agent-m5-large for value:m5\.large: 1 node \(node-0\)\n/)
      for (const other of others) assert.is(other, first)
      const node = nodefit(folder, 'explain', 'package', '--node', 'node-0').stdout
      assert.is(node.split('\n').slice(1).join('\n'), first)
      const policy = nodefit(folder, 'explain', 'package', '--policy', 'agent').stdout
      assert.is(nodefit(folder, 'explain', 'package').stdout, policy, 'without a question it explains all policies')
      assert.ok(policy.includes(first ?? ''))
    }))
  test('1 where something is not known', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      for (const [option, sentence] of [
        ['--policy', 'no policy of this name has node groups'],
        ['--group', 'no policy has a group of this name or for this label value'],
        ['--node', 'no policy, pool or action knows it'],
      ] as const) {
        const { status, stdout } = nodefit(folder, 'explain', 'package', option, 'nowhere')
        assert.is(status, 1, option)
        assert.match(stdout, sentence)
      }
    }))
})
