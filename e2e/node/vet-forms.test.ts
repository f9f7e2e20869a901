/** `nodefit vet` for programs: JSON, SARIF and annotations of GitHub Actions. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })
const TYPO = { nodeGroupLabel: 'example.com/typo' }

suite('nodefit vet for programs', (test) => {
  test('a finding has the file and line of its object, from the folder of the call', () =>
    inFolder((folder) => {
      writePackage(folder, { types: ['m5.large'], spec: TYPO })
      const good = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ops' } }
      const policy = nodefit(folder, 'vet', 'package', '--github').stdout
      assert.match(policy, /^::error file=package\/policy\.yaml,line=1,title=nodefit%3A Label\w+::\S/)
      // the policy as the second document of a file, below a comment
      const text = readFileSync(join(folder, 'package/policy.yaml'), 'utf8')
      writeFileSync(join(folder, 'package/policy.yaml'), `${stringify(good)}---\n# sizes\n${text}`)
      const lines = stringify(good).split('\n').length - 1
      assert.match(nodefit(folder, 'vet', 'package', '--github').stdout, `policy.yaml,line=${lines + 3},`)
      assert.match(nodefit(join(folder, 'package'), 'vet', '.', '--github').stdout, 'file=policy.yaml,')
      const [run1] = JSON.parse(nodefit(folder, 'vet', 'package', '--sarif').stdout).runs
      const { physicalLocation } = run1.results[0].locations[0]
      assert.equal(physicalLocation, {
        artifactLocation: { uri: 'package/policy.yaml' },
        region: { startLine: lines + 3 },
      })
      assert.is(run1.results[0].level, 'error')
      assert.is(run1.tool.driver.rules[run1.results[0].ruleIndex].id, run1.results[0].ruleId)
    }))
  test('what is stale is a finding with the command that updates it; the exit code is that of vet', () =>
    inFolder((folder) => {
      writePackage(folder, { types: ['m5.large'] })
      const vet = (...form: string[]) => nodefit(folder, 'vet', 'package', '--current', 'out', ...form)
      nodefit(folder, 'build', 'package', '--output-dir', 'out')
      assert.is(vet('--json').status, 0)
      assert.is(vet('--github').status, 0)
      writePackage(folder, { types: ['m5.large', 'm5.xlarge'] })
      for (const form of ['--json', '--sarif', '--github']) assert.is(vet(form).status, 1, form)
      const { findings } = JSON.parse(vet('--json').stdout)
      const stale = findings.filter(({ code }: { code: string }) => code === 'OutputStale')
      assert.ok(stale.length >= 2)
      for (const { message } of stale) assert.match(message, 'To update it, run nodefit build package --output-dir out')
      assert.match(vet('--github').stdout, /^::error title=nodefit%3A OutputStale::DaemonSet ops\/agent-m5-/)
    }))
  test('a message cannot begin another command of the runner', () =>
    inFolder((folder) => {
      writePackage(folder, { types: ['m5.large'], spec: { nodeGroupLabel: 'a\n::error::b%0A::set-output' } })
      const lines = nodefit(folder, 'vet', 'package', '--github').stdout.trimEnd().split('\n')
      for (const line of lines) assert.match(line, /^::(error|warning|notice) (file=|title=)/)
      assert.not.match(lines.join('\n'), 'b%0A::', 'a percent sign of the text is escaped')
    }))
  test('two forms exclude each other', () =>
    inFolder((folder) => {
      writePackage(folder, { types: ['m5.large'] })
      for (const forms of [
        ['--json', '--sarif'],
        ['--github', '--all'],
      ]) {
        const { status, stdout, stderr } = nodefit(folder, 'vet', 'package', ...forms)
        assert.is(status, 2)
        assert.is(stdout, '')
        assert.match(stderr, `${forms[0]} and ${forms[1]} exclude each other: give one`)
      }
    }))
})
