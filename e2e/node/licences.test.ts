/** What the programs are made of: the licences of the packages in them, and the bill that names these packages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import type { Metafile } from 'esbuild'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { billText } from '../../tools/build/bill-of-materials.ts'
import { ROOT } from '../../tools/build/bundle.ts'
import { bundledPackages } from '../../tools/build/notices.ts'
import { playgroundPackages } from '../../tools/build/playground.ts'

const read = (file: string) => readFileSync(join(ROOT, 'dist', file), 'utf8')
const bill = read('nodefit.cdx.json')
const notices = read('third-party-licenses.txt')
const named = [...notices.matchAll(/^-{80}\n(\S+) (\S+) \((\S+)\)\n-{80}\n\n(?=\S)/gm)].map(
  ([, name, version, license]) => {
    return { name: `${name}@${version}`, license }
  },
)
interface Part {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly licenses: ReadonlyArray<{ readonly license: { readonly id: string } }>
}
const parts = (JSON.parse(bill) as { components: Part[] }).components.map(({ group, name, version, licenses }) => {
  return { name: `${group === undefined ? '' : `${group}/`}${name}@${version}`, license: licenses[0]?.license.id }
})
const sorted = (all: ReadonlyArray<{ name: string }>) => all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
const bundleOf = (inputs: Readonly<Record<string, number>>): Metafile => {
  const read = Object.fromEntries(Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }]))
  return { inputs: {}, outputs: { 'out.cjs': { bytes: 1, inputs: read, imports: [], exports: [] } } }
}

suite('what the programs are made of', (test) => {
  test('the bill follows the schema of CycloneDX, strictly', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    assert.is(await validator.validate(bill), null)
    assert.is.not(await validator.validate(bill.replace('"library"', '"libary"')), null)
  })
  test('bill and licences name the same packages', () => {
    assert.ok(parts.length > 10)
    assert.equal(sorted(named), sorted(parts))
  })
  test('the page of the playground is among them', async () => {
    const names = new Set(parts.map(({ name }) => name))
    const paged = await playgroundPackages()
    assert.ok(paged.length > 10)
    for (const { name, version } of paged) assert.ok(names.has(`${name}@${version}`), name)
  })
  test('the libraries that the code imports are among them', () => {
    const names = parts.map(({ name }) => name.replace(/@[^@]+$/, ''))
    for (const name of ['js-yaml', '@kubernetes/client-node', 'prom-client', 'd3-scale', 'diff'])
      assert.ok(names.includes(name), name)
  })
  test('a licence that does not allow it is refused', () =>
    assert.throws(
      () => bundledPackages([bundleOf({ 'node_modules/axe-core/axe.js': 1 })]),
      /axe-core is bundled, and its licence is MPL-2\.0/,
    ))
  test('what gives no byte is not bundled, and what is nested is a package of its own', () => {
    const inputs = { 'node_modules/axe-core/axe.js': 0, 'src/host/fn.ts': 9, 'node_modules/yaml/dist/index.js': 1 }
    assert.equal(
      bundledPackages([bundleOf(inputs)]).map(({ name, folder }) => [name, folder]),
      [['yaml', 'node_modules/yaml']],
    )
  })
  test('a package that the lock file does not hold is refused', () => {
    const foreign = { name: 'x', version: '1.0.0', license: 'MIT', folder: 'node_modules/x', text: '' }
    assert.throws(() => billText([foreign]), /node_modules\/x is bundled, and package-lock\.json has no hash of it/)
  })
  test('the same source gives the same bill', () => assert.not.match(bill, /timestamp|serialNumber/))
})
