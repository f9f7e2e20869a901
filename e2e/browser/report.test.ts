/**
 * The page of `nodefit report` in a real browser: what it shows, that everybody can read it, in both themes and on a phone.
 * UPDATE_IMAGES=1 writes the pictures of docs/images.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { figuresIn, wrongFigures } from '../../test/support/page-figures.ts'
import { suite } from '../../test/support/suite.ts'
import { agentDaemonSet } from '../first-hour/agents.ts'
import { nodeList } from '../first-hour/fleets.ts'
import { writeClusters, writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { axeViolations, figuresOn, inChromium, LOOKS, type Look, openFile, overflowOf } from './browser.ts'

const LOOK_NAMES = Object.keys(LOOKS) as Look[]
const IMAGES = join(ROOT, 'docs/images')
const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })

/** Writes the package that the documents show: an agent of the fleet of EKS as nodefit init proposes it. */
function writeShown(folder: string): void {
  writeFileSync(join(folder, 'nodes.json'), nodeList('eks'))
  writeFileSync(join(folder, 'agent.yaml'), stringify(agentDaemonSet('promtail')))
  const args = ['init', 'package', '--nodes', 'nodes.json', '--daemonset', 'agent.yaml', '--cluster', 'prod-eu']
  const { status, stderr } = nodefit(folder, ...args)
  assert.is(status, 0, stderr)
}

const LONG = `${'n'.repeat(63)}.${'o'.repeat(63)}.${'p'.repeat(63)}.${'q'.repeat(61)}`
/** What a page is made of, and the options of the command. */
const INPUTS: ReadonlyArray<readonly [name: string, write: (folder: string) => void]> = [
  ['a fleet', writeShown],
  ['many groups', (folder) => writePackage(folder, { types: Array.from({ length: 70 }, (_, at) => `m5.${at}xlarge`) })],
  ['a small package', (folder) => writePackage(folder)],
  ['packages of two clusters', (folder) => writeClusters(folder, 'package')],
  [
    'no agent',
    (folder) => {
      writePackage(folder)
      for (const name of ['policy', 'daemonset']) rmSync(join(folder, `package/${name}.yaml`))
    },
  ],
  ['a render with errors', (folder) => writePackage(folder, { spec: { targetRef: { name: 'nowhere' } } })],
  [
    'names of 253 characters',
    (folder) => {
      writePackage(folder)
      const file = join(folder, 'package/inventory.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('node-0', LONG))
    },
  ],
]

suite('the page of nodefit report in Chromium', (test) => {
  if (!has('chromium')) return
  for (const [name, write] of INPUTS)
    test(`${name}: nothing is wrong in both themes and on a phone, and each figure is that of explain`, () =>
      inFolder(async (folder) => {
        write(folder)
        writeFileSync(join(folder, 'prices.yaml'), 'm5.large: 0.115\nm5.2xlarge: 0.46\n')
        nodefit(folder, 'report', 'package', '-o', 'report.html', '--prices', 'prices.yaml')
        const explained = JSON.parse(nodefit(folder, 'explain', 'package', '--prices', 'prices.yaml', '--json').stdout)
        await inChromium(async (browser) => {
          for (const look of LOOK_NAMES) {
            const { page, said, requested } = await openFile(browser, join(folder, 'report.html'), look)
            const figures = await figuresOn(page)
            assert.equal(wrongFigures(figures, explained), [], look)
            assert.is(
              figures.some(({ path }) => path.includes('/fleet/overview/1/')),
              name.includes('clusters'),
              look,
            )
            assert.is(await overflowOf(page), 0, `${look}: wider than its window`)
            assert.equal(await axeViolations(page), [], look)
            assert.equal([...said, ...requested], [], look)
            if (process.env.UPDATE_IMAGES === '1' && write === writeShown) {
              mkdirSync(IMAGES, { recursive: true })
              const height = look === 'phone' ? 812 : 900
              const clip = { x: 0, y: 0, width: LOOKS[look].viewport.width, height }
              await page.screenshot({ path: join(IMAGES, `report-${look}.png`), clip })
            }
          }
        })
      }))
  test('the page of nodefit scan: nothing is wrong in both themes and on a phone', () =>
    inFolder(async (folder) => {
      writeFileSync(join(folder, 'nodes.json'), nodeList('eks'))
      writeFileSync(join(folder, 'agent.yaml'), stringify(agentDaemonSet('promtail')))
      const scan = (form: string) => nodefit(folder, 'scan', 'nodes.json', 'agent.yaml', '--output', form).stdout
      writeFileSync(join(folder, 'scan.html'), scan('html'))
      await inChromium(async (browser) => {
        for (const look of LOOK_NAMES) {
          const { page, said, requested } = await openFile(browser, join(folder, 'scan.html'), look)
          assert.equal(wrongFigures(await figuresOn(page), JSON.parse(scan('json'))), [], look)
          assert.is(await overflowOf(page), 0, `${look}: wider than its window`)
          assert.equal(await axeViolations(page), [], look)
          assert.equal([...said, ...requested], [], look)
          if (process.env.UPDATE_IMAGES === '1' && look === 'light')
            await page.screenshot({
              path: join(IMAGES, 'scan-light.png'),
              clip: { x: 0, y: 0, width: 1280, height: 640 },
            })
        }
      })
    }))
  test('the README says the totals of the fleet in its picture', () =>
    inFolder(async (folder) => {
      writeShown(folder)
      nodefit(folder, 'report', 'package', '-o', 'report.html')
      const shown = figuresIn(readFileSync(join(folder, 'report.html'), 'utf8'))
      const total = (key: string) => shown.find(({ path }) => path.endsWith(`/fleet/totals/${key}`))?.text ?? ''
      const change = (key: string) => `${total(`before/${key}`)} → ${total(`after/${key}`)}`
      const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
      assert.ok(readme.includes(`${change('cores')} cores, ${change('gib')} GiB`), change('cores'))
      await inChromium(async (browser) => {
        for (const look of ['light', 'dark'] as const) {
          assert.ok(readme.includes(`docs/images/readme-${look}.png`), look)
          const { page } = await openFile(browser, join(folder, 'report.html'), look)
          await page.setViewportSize({ width: 1000, height: 1200 })
          const box = await page.locator('#agent-0 table').boundingBox()
          assert.ok(box !== null && box.height > 300)
          if (process.env.UPDATE_IMAGES === '1' && box !== null)
            await page.screenshot({ path: join(IMAGES, `readme-${look}.png`), clip: { ...box, x: 0, width: 1000 } })
        }
      })
    }))
  test('the keyboard reaches what can be opened, the content first', () =>
    inFolder(async (folder) => {
      writeShown(folder)
      nodefit(folder, 'report', 'package', '-o', 'report.html')
      await inChromium(async (browser) => {
        const { page } = await openFile(browser, join(folder, 'report.html'), 'light')
        await page.keyboard.press('Tab')
        assert.is(await page.locator(':focus').textContent(), 'Skip to the content')
        await page.keyboard.press('Enter')
        await page.keyboard.press('Tab')
        const opened = page.locator('main :focus')
        assert.is(await opened.evaluate((one) => (one as unknown as { tagName: string }).tagName), 'SUMMARY')
        await page.keyboard.press('Enter')
        assert.is(await page.locator('details[open]').count(), 1)
      })
    }))
})
