/** What Artifact Hub lists: the fields that its documentation of packages and of charts asks for. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { ROOT, run } from '../support/hosts.ts'
import { hasAlternative } from '../support/program.ts'

const CATEGORIES = [
  'ai-machine-learning',
  'database',
  'integration-delivery',
  'monitoring-logging',
  'networking',
  'security',
  'storage',
  'streaming-messaging',
  'skip-prediction',
]
const CHART = join(ROOT, 'deploy/charts/nodefit-sync')
const PACKAGES = join(ROOT, 'catalog/artifacthub')
const { version, license, keywords } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

suite('Artifact Hub', (test) => {
  test('the function has what a package must have, of this version', () => {
    const hub = parse(readFileSync(join(PACKAGES, 'nodefit/artifacthub-pkg.yml'), 'utf8'))
    assert.equal([hub.version, hub.appVersion, hub.license, hub.keywords], [version, version, license, keywords])
    assert.match(hub.name, /^[a-z0-9-]+$/)
    assert.match(hub.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.ok(Number.isFinite(Date.parse(hub.createdAt)))
    for (const field of ['displayName', 'description', 'readme', 'install']) assert.ok(hub[field].length > 5, field)
    assert.ok(CATEGORIES.includes(hub.category))
    for (const { image, platforms } of hub.containersImages) {
      assert.match(image, `:${version}`)
      assert.equal(platforms, ['linux/amd64', 'linux/arm64'])
    }
    for (const value of Object.values(hub.annotations)) assert.type(value, 'string')
  })
  test('the chart has a README and annotations as texts, of those that Artifact Hub knows', () => {
    const { annotations, ...chart } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
    assert.equal([chart.version, chart.appVersion], [version, version])
    const known = ['license', 'category', 'operator', 'prerelease'].map((name) => `artifacthub.io/${name}`)
    assert.equal(Object.keys(annotations), known)
    for (const value of Object.values(annotations)) assert.type(value, 'string')
    assert.ok(CATEGORIES.includes(annotations['artifacthub.io/category']))
    assert.ok(existsSync(join(CHART, 'README.md')))
  })
  // no module proxy has it: where somebody has built it, it is asked
  if (!hasAlternative('ah')) return
  test('its own linter accepts both', () => {
    // a kind that reads artifacthub-pkg.yml and asks for nothing beside
    for (const [kind, path] of [
      ['coredns', PACKAGES],
      ['helm', CHART],
    ] as const) {
      const { status, stdout, stderr } = run('ah', ['lint', '--kind', kind, '--path', path])
      assert.is(status, 0, stdout + stderr)
    }
  })
})
