/** The function that is asked to check, as kpt runs it. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const TYPES = ['m5.large', 'm5.xlarge', 'r5.large']
const check = (file: string) => readFileSync(join(ROOT, 'testdata/check', file), 'utf8')
const BOTH = check('Kptfile')
const [MUTATOR = '', VALIDATOR = ''] = [
  BOTH.replace(/ {2}validators:[\s\S]*/, ''),
  BOTH.replace(/ {2}mutators:\n.*\n/, ''),
]

function render(folder: string, kptfile = MUTATOR) {
  writeFileSync(join(folder, 'package/Kptfile'), kptfile)
  return run('kpt', ['fn', 'render', '--allow-exec', '--truncate-output=false', join(folder, 'package')], {
    bin: functionsIn(folder),
  })
}

suite('a function that is asked to check', (test) => {
  if (!has('kpt')) return
  test('a package that kpt has rendered in place is current', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      render(folder)
      const current = run(process.execPath, [COMMAND, 'vet', 'package', '--current', 'package'], { cwd: folder })
      assert.is(current.status, 0, current.stdout)
    }))
  test('as a validator fails until the package was rendered, and holds what a mutator rendered before it', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      writeFileSync(join(folder, 'package/config.yaml'), check('config.yaml'))
      const stale = render(folder, VALIDATOR)
      assert.is(stale.status, 1)
      assert.match(stale.stderr, 'OutputStale: DaemonSet ops/agent-m5-large is missing from the package')
      // the same RenderConfig is in the package of the mutator, which renders all the same
      const both = render(folder, BOTH)
      assert.is(both.status, 0, both.stderr)
      const rendered = render(folder, VALIDATOR)
      assert.is(rendered.status, 0, rendered.stderr)
      const kept = join(folder, 'kept')
      cpSync(join(folder, 'package'), kept, { recursive: true })
      const groups = join(folder, 'package/agent-groups.yaml')
      writeFileSync(groups, readFileSync(groups, 'utf8').replace('cpu: 200m', 'cpu: 201m'))
      const edited = filesOf(join(folder, 'package'))
      const byHand = render(folder, VALIDATOR)
      assert.is(byHand.status, 1)
      assert.match(
        byHand.stderr,
        /OutputStale: DaemonSet ops\/agent-\S+ differs from what is rendered: \S+ 201m -> 200m/,
      )
      assert.equal(filesOf(join(folder, 'package')), edited)
    }))
})
