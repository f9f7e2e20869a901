/** `nodefit report`: the command of its page, its figures beside those of explain, and odd input. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { figuresIn, wrongFigures } from '../../test/support/page-figures.ts'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })
const [, LINE = ''] = /^nodefit report (.*)$/m.exec(readFileSync(join(ROOT, 'docs/deliver/report.md'), 'utf8')) ?? []

suite('nodefit report', (test) => {
  test('the command of its page writes a page', () =>
    inFolder((folder) => {
      const args = LINE.split(' ').map((word) => (word.startsWith('examples/') ? join(ROOT, word) : word))
      const { status, stdout, stderr } = nodefit(folder, 'report', ...args)
      assert.equal([status, stdout], [0, ''], stderr)
      const page = readFileSync(join(folder, 'report.html'), 'utf8')
      assert.match(page, /^<!doctype html>/)
      const explained = nodefit(folder, 'explain', ...args.slice(0, -2), '--json')
      const figures = figuresIn(page)
      assert.ok(figures.length > 50, String(figures.length))
      assert.equal(wrongFigures(figures, JSON.parse(explained.stdout)), [])
    }))
  test('with earlier output it shows what changes', () =>
    inFolder((folder) => {
      writePackage(folder, { types: ['m5.large', 'm5.xlarge'] })
      assert.is(nodefit(folder, 'build', 'package', '--output-dir', 'rendered').status, 0)
      writePackage(folder, { types: ['m5.large', 'm5.xlarge'], spec: { minResources: { cpu: '300m' } } })
      const page = nodefit(folder, 'report', 'package', '--earlier', 'rendered').stdout
      const explained = nodefit(folder, 'explain', 'package', '--earlier', 'rendered', '--json').stdout
      const figures = figuresIn(page)
      assert.equal(wrongFigures(figures, JSON.parse(explained)), [])
      assert.ok(figures.some(({ path, text }) => path.endsWith('/cpu/request/before') && text === '100m'))
      assert.ok(figures.some(({ path, text }) => path.endsWith('/podsRestarted') && text === '1'))
    }))
  test('1 for a render with errors, which the page shows', () =>
    inFolder((folder) => {
      writePackage(folder, { spec: { targetRef: { name: 'nowhere' } } })
      const { status, stdout, stderr } = nodefit(folder, 'report', 'package')
      assert.is(status, 1)
      assert.match(stdout, 'nothing of it would be applied')
      assert.match(stderr, /^nodefit: \w+: /)
    }))
  test('Tickets of nodes are counted', () =>
    inFolder((folder) => {
      const tickets = join(ROOT, 'testdata/reservation/system-overhead/package')
      const page = nodefit(folder, 'report', tickets).stdout
      const figures = figuresIn(page)
      assert.equal(wrongFigures(figures, JSON.parse(nodefit(folder, 'explain', tickets, '--json').stdout)), [])
      const sums = figures.filter(({ path }) => /tickets\/\d+\/(?:tickets|nodes)$/.test(path)).map(({ text }) => text)
      assert.equal(sums, ['1', '7'])
    }))
  test('prices make costs; what is no price is refused', () =>
    inFolder((folder) => {
      writePackage(folder, { types: ['m5.large'] })
      const report = (prices: string) => {
        writeFileSync(join(folder, 'prices.yaml'), prices)
        return nodefit(folder, 'report', 'package', '--prices', 'prices.yaml')
      }
      const { status, stdout } = report('m5.large: 0.115\n')
      assert.is(status, 0)
      const explained = nodefit(folder, 'explain', 'package', '--prices', 'prices.yaml', '--json').stdout
      const figures = figuresIn(stdout)
      assert.equal(wrongFigures(figures, JSON.parse(explained)), [])
      assert.ok(figures.some(({ path }) => path.endsWith('/fleet/cost/month/after')))
      for (const wrong of ['m5.large: cheap\n', 'm5.large: -1\n', '- m5.large\n', 'm5.large: .inf\n']) {
        const refused = report(wrong)
        assert.equal([refused.status, refused.stdout], [2, ''], wrong)
        assert.match(refused.stderr, /^nodefit: prices\.yaml/)
      }
    }))
  test('2 for an argument that is wrong', () =>
    inFolder((folder) => {
      assert.is(nodefit(folder, 'report', 'nowhere').status, 2)
      assert.is(nodefit(folder, 'report', '--out', 'x').status, 2)
      writePackage(folder)
      assert.is(nodefit(folder, 'report', 'package', '-o', 'nowhere/report.html').status, 2)
    }))
  test('the same bytes for the same input', () =>
    inFolder((folder) => {
      writePackage(folder)
      assert.is(nodefit(folder, 'report', 'package').stdout, nodefit(folder, 'report', 'package').stdout)
    }))
})
