import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from '../../support/suite.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = join(ROOT, 'testdata/actions')

/** The output of nodefit build over files of the package. */
const build = (...files: string[]) => {
  const args = [join(ROOT, 'dist/nodefit.cjs'), 'build', ...files.map((file) => join(FOLDER, file))]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}
const PARTS = ['package/actions.yaml', 'package/policy.yaml', 'package/keyring.yaml']

suite('the package of the page about actions', (test) => {
  test('it renders what is committed, with keys that the package may hold', () => {
    const { stdout, stderr, status } = build('package/nodes.yaml', ...PARTS)
    assert.is(status, 0, stderr)
    const file = join(FOLDER, 'expected.yaml')
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, stdout)
    assert.is(stdout, readFileSync(file, 'utf8'))
    assert.match(stderr, /act-0101 \(drainNode Node small-000002\) applies until 2026-01-15T11:00:00Z, for platform/)
  })
  test('the action of the page is valid with the keyring of the page', () => {
    const page = readFileSync(join(ROOT, 'docs/actions.md'), 'utf8')
    const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => text)
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-page-'))
    const fileOf = (kind: string) => {
      const file = join(folder, `${kind}.yaml`)
      writeFileSync(file, blocks.find((text) => text.includes(`kind: ${kind}\n`)) ?? '')
      return file
    }
    const args = ['verify', fileOf('NodeAction'), '--keyring', fileOf('ActionKeyring'), '--now', '2026-01-15T10:00:00Z']
    const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/nodefit.cjs'), ...args], {
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    assert.is(stdout, 'act-0101 drainNode Node small-000002: valid, until 2026-01-15T11:00:00Z\n', stderr)
  })
  test('an hour later its actions have expired, and nothing is rendered', () => {
    const { stderr, status } = build('later/nodes.yaml', ...PARTS)
    assert.is(status, 0, stderr)
    assert.match(stderr, /drain-small-2 expired at 2026-01-15T11:00:00Z/)
  })
})
