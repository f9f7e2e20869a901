/** The SARIF of `nodefit vet`, by the schema of OASIS as a Go module carries it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const MODULE = 'github.com/owenrumney/go-sarif/v3@v3.3.1'

/** Returns the function that says whether a value is valid; the schema is of draft 4, whose keywords ajv reads but for its identity. */
function validator() {
  const { status, stdout, stderr } = run('go', ['mod', 'download', '-json', MODULE])
  assert.is(status, 0, stderr)
  const { Dir } = JSON.parse(stdout) as { Dir: string }
  const source = readFileSync(join(Dir, 'pkg/report/v210/sarif/schema.go'), 'utf8')
  const { $schema: _, id, ...schema } = JSON.parse(source.slice(source.indexOf('`') + 1, source.lastIndexOf('`')))
  assert.match(id, 'sarif-schema-2.1.0.json')
  return new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
}

suite('SARIF', (test) => {
  if (!has('go')) return
  test('is valid: without findings, with errors, and with stale output', () => {
    const isValid = validator()
    assert.not.ok(isValid({ version: '2.1.0' }), 'the schema refuses what has no runs')
    inFolder((folder) => {
      const log = (...args: string[]) => {
        const { stdout } = run(process.execPath, [COMMAND, 'vet', 'package', '--sarif', ...args], { cwd: folder })
        const value = JSON.parse(stdout) as { runs: [{ results: unknown[] }] }
        assert.ok(isValid(value as unknown), JSON.stringify(isValid.errors))
        return value.runs[0].results.length
      }
      writePackage(folder, { types: ['m5.large'] })
      assert.ok(log() >= 1, 'the summary')
      assert.ok(log('--current', 'out') >= 4)
      writePackage(folder, { types: ['m5.large'], spec: { nodeGroupLabel: 'example.com/typo' } })
      assert.ok(log() >= 1)
    })
  })
})
