/** CHANGELOG.md has an entry for each change of rendered bytes since the last release; what cuts a release. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { entriesOfBytes, isNamed, unreleased, withRelease } from '../tools/release/changelog.ts'
import { goldenPackages } from '../tools/release/golden-packages.ts'
import { refusal } from '../tools/release/refusal.ts'
import { differences, readReleased } from '../tools/release/released.ts'
import { renderText } from '../tools/release/rendered.ts'
import { currentVersion, withVersion } from '../tools/release/versions.ts'
import { suite } from './support/suite.ts'

const changelog = readFileSync(fileURLToPath(new URL('../CHANGELOG.md', import.meta.url)), 'utf8')

suite('rendered bytes since the last release', (test) => {
  const { version, packages } = readReleased()
  const named = entriesOfBytes(unreleased(changelog)).flat()
  const changed = differences(packages)
  test('are held on as many packages as there were', () => {
    assert.ok(Object.keys(packages).length >= 150)
    const stopped = Object.values(packages).filter(({ errors }) => errors.length > 0)
    assert.ok(stopped.length > 10 && stopped.length < 30, 'some stop at an error, most do not')
  })
  for (const { name, of, before, now } of changed)
    test(`${name} differs, and CHANGELOG.md says so`, () => {
      const whose =
        of === 'input' ? 'is rendered otherwise than' : `, once rendered by ${version}, changes, which it did not`
      const advice = `if that is meant, end an entry of "### Rendered bytes" below Unreleased in CHANGELOG.md with (${name})`
      assert.ok(isNamed(name, named), `${name} ${whose} by ${version} (${firstDifference(before, now)}): ${advice}`)
    })
  test('no entry names a package that is as it was', () => {
    const differing = changed.map(({ name }) => name)
    assert.equal(
      named.filter((one) => !differing.some((name) => isNamed(name, [one]))),
      [],
    )
  })
  test('a changed byte, a new error and an output that does not last are seen', () => {
    const [name = '', { input = '' } = {}] =
      Object.entries(packages).find(([, { errors }]) => errors.length === 0) ?? []
    // as of today, since a change that has its entry is in the release's
    const one = { input, ...renderText(input) }
    assert.equal(one.errors, [])
    const of = (other: object) => differences({ [name]: { ...one, ...other } }).map(({ of }) => of)
    assert.equal(of({}), [])
    assert.equal(of({ output: one.output.replace('1', '2') }), ['input'])
    assert.equal(of({ errors: ['NoNodes'] }), ['input'])
  })
})

function firstDifference(before: ReturnType<typeof renderText>, now: ReturnType<typeof renderText>): string {
  if (before.errors.join() !== now.errors.join())
    return `errors ${before.errors.join() || 'none'} -> ${now.errors.join() || 'none'}`
  const lines = before.output.split('\n')
  const others = now.output.split('\n')
  const at = others.findIndex((line, index) => line !== lines[index])
  return `line ${at + 1}: ${lines[at]?.trim()} -> ${others[at]?.trim()}`
}

suite('entries of the changelog', (test) => {
  const section =
    '### Rendered bytes\n\n- One (a step), and\n  more. (golden/a, pools/*)\n- Two.\n- Three (in words).\n\n### Fixed\n\n- Three (golden/b)'
  test('packages are named at their ends', () =>
    assert.equal(entriesOfBytes(section), [['golden/a', 'pools/*'], [], []]))
  test('a section without changes of bytes names none', () =>
    assert.equal(entriesOfBytes('### Fixed\n\n- Three (golden/b)'), []))
  for (const [name, expected] of [
    ['golden/a', true],
    ['golden/a#2', true],
    ['golden/ab', false],
    ['pools/small#2', true],
    ['kubescape/a', false],
  ] as const)
    test(`${name} is ${expected ? '' : 'not '}meant`, () =>
      assert.is(isNamed(name, entriesOfBytes(section).flat()), expected))
  test('of a release stand below its version and day', () => {
    const after = withRelease(
      '# C\n\n## [Unreleased]\n\n### Added\n\n- A\n\n## [0.1.0] - 2026-01-01\n',
      '0.2.0',
      '2026-02-01',
    )
    assert.is(
      after,
      '# C\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- A\n\n## [0.1.0] - 2026-01-01\n',
    )
    assert.is(unreleased(after), '')
  })
})

suite('versions', (test) => {
  for (const [version, last, changes, expected] of [
    ['0.1.0', '0.0.0', '### Added\n\n- A', undefined],
    ['0.1.1', '0.1.0', '### Fixed\n\n- A', undefined],
    ['1.0.0', '0.9.4', '### Rendered bytes\n\n- A (golden/a)', undefined],
    ['0.2.0', '0.1.7', '### Rendered bytes\n\n- A (golden/a)', undefined],
    ['0.1.1', '0.1.0', '### Rendered bytes\n\n- A (golden/a)', /patch, which may not change/],
    ['0.1.0', '0.1.0', '### Fixed\n\n- A', /does not follow/],
    ['0.1.9', '0.2.0', '### Fixed\n\n- A', /does not follow/],
    ['v0.2.0', '0.1.0', '### Fixed\n\n- A', /no version/],
    ['0.2.0', '0.1.0', '', /nothing below Unreleased/],
  ] as const)
    test(`${version} after ${last}: ${expected?.source ?? 'follows'}`, () => {
      const refused = refusal(version, last, changes)
      if (expected === undefined) assert.is(refused, undefined)
      else assert.match(refused ?? '', expected)
    })
  test('the current one is named alike everywhere, and each place is rewritten', () => {
    const files = withVersion('9.8.7')
    for (const file of [
      'package.json',
      'package-lock.json',
      'README.md',
      'Dockerfile',
      'deploy/charts/nodefit-sync/Chart.yaml',
    ])
      assert.ok(files.has(file), file)
    for (const [file, text] of files) {
      assert.match(text, '9.8.7')
      const named = [...text.matchAll(/\bnodefit[:@-](\d+\.\d+\.\d+)/g)].map(([, version]) => version)
      assert.not.ok(named.includes(currentVersion()), file)
    }
    assert.is(JSON.parse(files.get('package-lock.json') ?? '').packages[''].version, '9.8.7')
  })
  test('the last release is no later than package.json', () => {
    const last = readReleased().version
    assert.ok(last === currentVersion() || refusal(currentVersion(), last, '### Added\n\n- A') === undefined)
  })
  test('each golden package that is rendered without flat keys is one of those', () => {
    const names = goldenPackages().map(({ name }) => name)
    assert.ok(
      names.includes('golden/rollout-paced#2') && names.includes('actions/held') && !names.includes('golden/eval-flat'),
    )
  })
})
