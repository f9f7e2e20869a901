/**
 * The playground in a real browser: it renders what the command does, follows its input, is readable by everybody, and lets
 * nothing out. UPDATE_IMAGES=1 writes the pictures of docs/images.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import type { Texts } from '../../playground/engine/boxes.ts'
import { suite } from '../../test/support/suite.ts'
import { playgroundExamples, playgroundPage } from '../../tools/build/playground.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { axeViolations, inChromium, LOOKS, type Look, type Opened, openFile, overflowOf } from './browser.ts'

const HTML = await playgroundPage()
const IMAGES = join(ROOT, 'docs/images')
const FOLDER = mkdtempSync(join(tmpdir(), 'nodefit-playground-'))
const FILE = join(FOLDER, 'index.html')
writeFileSync(FILE, HTML)
process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))
const EXAMPLES = playgroundExamples()
const LOOK_NAMES = Object.keys(LOOKS) as Look[]
const NAMES = { nodes: 'nodes.yaml', daemonSet: 'daemonset.yaml', policy: 'policy.yaml' } as const

/** Opens the page, and waits for what its example comes to. */
async function openPlayground(browser: Browser, look: Look = 'light'): Promise<Opened> {
  const opened = await openFile(browser, FILE, look)
  await settled(opened.page)
  return opened
}

/** Waits until the newest input is rendered. */
async function settled(page: Page): Promise<void> {
  // longer than the page waits for the next key
  await page.waitForTimeout(250)
  await page.waitForSelector('#results[aria-busy=false]', { state: 'attached', timeout: 120_000 })
}

const stateOf = (page: Page) => page.locator('#results').getAttribute('data-state')
const failureOf = (page: Page) => page.locator('#failure').textContent()

/** What a user downloads, byte for byte. */
async function downloaded(page: Page): Promise<string> {
  await page.click('#tab-yaml')
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')])
  const text = readFileSync(await download.path(), 'utf8')
  await page.click('#tab-groups')
  return text
}

/** What an editor holds, as a user copies it. */
async function textIn(page: Page, box: keyof Texts): Promise<string> {
  return page.locator(`#${box}-editor .cm-content`).evaluate((content) => {
    const { cmTile, cmView } = content as unknown as Record<string, { view?: unknown; rootView?: unknown } | undefined>
    const found = (cmTile ?? cmView) as { view: { state: { doc: object } } }
    return String(found.view.state.doc)
  })
}

/** Puts a text into an editor as a paste does. */
async function paste(page: Page, box: keyof Texts, text: string, waits = true): Promise<void> {
  const content = page.locator(`#${box}-editor .cm-content`)
  await content.click()
  await content.press('ControlOrMeta+a')
  await content.evaluate((element, data) => {
    const scope = globalThis as unknown as {
      DataTransfer: new () => { setData(type: string, text: string): void }
      ClipboardEvent: new (type: string, options: object) => object
    }
    const clipboardData = new scope.DataTransfer()
    clipboardData.setData('text/plain', data)
    const event = new scope.ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    ;(element as unknown as { dispatchEvent(event: object): void }).dispatchEvent(event)
  }, text)
  if (waits) await settled(page)
}

/** What the command prints of three texts. */
function built(texts: Texts): string {
  return inFolder((folder) => {
    for (const box of ['nodes', 'daemonSet', 'policy'] as const) writeFileSync(join(folder, NAMES[box]), texts[box])
    const { status, stdout, stderr } = run(process.execPath, [COMMAND, 'build', ...Object.values(NAMES)], {
      cwd: folder,
    })
    assert.is(status, 0, stderr)
    return stdout
  })
}

async function textsIn(page: Page): Promise<Texts> {
  return {
    nodes: await textIn(page, 'nodes'),
    daemonSet: await textIn(page, 'daemonSet'),
    policy: await textIn(page, 'policy'),
  }
}

const BOMB = `a: &a [${'1,'.repeat(9)}]\n${[...'bcdefgh'].map((one, at) => `${one}: &${one} [${`*${'abcdefgh'[at]},`.repeat(9)}]`).join('\n')}\n`
const manyNodes = (count: number) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: Array.from({ length: count }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: `node-${at}`,
        labels: { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': `m5.${at % 20}xlarge` },
      },
      status: {
        allocatable: { cpu: String(2 + (at % 20)), memory: `${8 + (at % 20)}Gi`, pods: '110' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    })),
  })

suite('the playground in Chromium', (test) => {
  if (!has('chromium')) return
  test('of each example the YAML is that of nodefit build, byte for byte', () =>
    inChromium(async (browser) => {
      const { page, said } = await openPlayground(browser)
      assert.is(EXAMPLES.length, 6)
      for (const [index, { title, ...example }] of EXAMPLES.entries()) {
        await page.selectOption('#example', String(index))
        await settled(page)
        assert.is(await stateOf(page), 'done', title)
        const texts = await textsIn(page)
        if (example.policy === '') assert.match(texts.policy, 'kind: SizingPolicy')
        assert.equal(example.policy === '' ? { ...texts, policy: '' } : texts, example, title)
        const yaml = await downloaded(page)
        assert.ok(yaml.length > 1000)
        assert.is(yaml, built(texts), title)
      }
      assert.equal(said, [])
    }))
  for (const look of LOOK_NAMES)
    test(`${look}: nothing is wrong for axe, the console and the network, and nothing is wider than the window`, () =>
      inChromium(async (browser) => {
        const { page, said, requested } = await openPlayground(browser, look)
        for (const tab of ['yaml', 'findings', 'groups']) {
          await page.click(`#tab-${tab}`)
          assert.equal(await axeViolations(page), [], tab)
          assert.is(await overflowOf(page), 0, tab)
        }
        if (process.env.UPDATE_IMAGES === '1') {
          mkdirSync(IMAGES, { recursive: true })
          await page.mouse.click(2, 2)
          // another one on each machine
          await page.locator('#time').evaluate((time) => Object.assign(time, { textContent: '' }))
          await page.screenshot({ path: join(IMAGES, `playground-${look}.png`), fullPage: look === 'phone' })
        }
        await page.click('#clear')
        await settled(page)
        assert.is(await stateOf(page), 'waits')
        assert.equal(await axeViolations(page), [])
        await paste(page, 'nodes', 'a: [')
        await paste(page, 'daemonSet', 'a: [')
        assert.is(await stateOf(page), 'failed')
        assert.equal(await axeViolations(page), [])
        assert.equal(said, [])
        // the worker's code, which is a part of the page
        assert.equal(
          requested.filter((url) => !url.startsWith('blob:')),
          [],
        )
      }))
  test('its policy lets no connection out, whoever asks for it', () =>
    inChromium(async (browser) => {
      const { page, said } = await openPlayground(browser)
      assert.match(HTML, "content=\"default-src 'none'; script-src 'sha256-")
      const refused = await page.evaluate(async () => {
        const { document, fetch } = globalThis as unknown as {
          fetch(url: string): Promise<unknown>
          document: { createElement(name: string): Record<string, unknown>; body: { append(one: unknown): void } }
        }
        const image = document.createElement('img')
        const loaded = new Promise((resolve) =>
          Object.assign(image, { onload: () => resolve('loaded'), onerror: () => resolve('refused') }),
        )
        image.src = 'http://127.0.0.1:9/x.png'
        document.body.append(image)
        const fetched = await fetch('http://127.0.0.1:9/').then(
          () => 'loaded',
          () => 'refused',
        )
        return [await loaded, fetched]
      })
      assert.equal(refused, ['refused', 'refused'])
      assert.is(said.filter((one) => one.includes('Content Security Policy')).length >= 2, true, said.join('\n'))
    }))
  test('typing changes what comes out, and marks what is wrong', () =>
    inChromium(async (browser) => {
      const { page } = await openPlayground(browser)
      await page.selectOption('#example', '1')
      await settled(page)
      const before = await downloaded(page)
      await page.locator('#policy-editor .cm-line', { hasText: 'requestCPU: 2' }).click()
      await page.keyboard.press('End')
      await page.keyboard.type('.5')
      await settled(page)
      const after = await downloaded(page)
      assert.is.not(after, before)
      assert.is(after, built(await textsIn(page)))
      await page.keyboard.press('Escape')
      await page.locator('#policy-editor .cm-line', { hasText: 'requestMemory: 2' }).click()
      await page.keyboard.press('End')
      await page.keyboard.type('x')
      await settled(page)
      assert.is(await stateOf(page), 'failed')
      assert.match((await page.locator('#bars').textContent()) ?? '', 'requestMemory')
      assert.ok((await page.locator('#policy-editor .cm-lintRange-error').count()) > 0)
      await page.keyboard.press('Backspace')
      await settled(page)
      assert.is(await downloaded(page), after)
    }))
  test('sliders and fields change the policy text, and what comes out', () =>
    inChromium(async (browser) => {
      const { page } = await openPlayground(browser)
      await page.selectOption('#example', '1')
      await settled(page)
      await page.focus('#requestCPU-slider')
      for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight')
      await settled(page)
      assert.is(await page.inputValue('#requestCPU'), '2.5')
      await page.fill('#limitMemory', '1.5')
      await page.press('#limitMemory', 'Tab')
      await settled(page)
      assert.match(await textIn(page, 'policy'), '    requestMemory: 1.5\n')
      assert.match(await textIn(page, 'policy'), '    requestCPU: 2.5\n')
      await page.fill('#limitCPU', '')
      await page.press('#limitCPU', 'Tab')
      await page.fill('#most-cpu', '400m')
      await page.press('#most-cpu', 'Tab')
      await settled(page)
      assert.match(await textIn(page, 'policy'), '    limitCPU: none\n')
      assert.match(await textIn(page, 'policy'), 'cpu: 400m\n')
      await page.selectOption('#label', 'kubernetes.io/os')
      await settled(page)
      assert.match(await textIn(page, 'policy'), 'nodeGroupLabel: kubernetes.io/os\n')
      assert.match((await page.locator('#bars').textContent()) ?? '', 'fluent-bit-linux')
      assert.is(await downloaded(page), built(await textsIn(page)))
    }))
  test('whoever pastes nodes and a DaemonSet over the example gets a policy for them', () =>
    inChromium(async (browser) => {
      const { page } = await openPlayground(browser)
      await page.selectOption('#example', '2')
      await settled(page)
      await page.locator('#nodes-editor .cm-content').click()
      await paste(page, 'nodes', EXAMPLES[0]?.nodes ?? '')
      await paste(page, 'daemonSet', (EXAMPLES[0]?.daemonSet ?? '').replaceAll('fluent-bit', 'my-agent'))
      assert.is(await stateOf(page), 'done')
      assert.match((await page.locator('#origin').textContent()) ?? '', 'proposed')
      const texts = await textsIn(page)
      assert.match(texts.policy, 'name: my-agent\n')
      assert.is(await downloaded(page), built(texts))
    }))
  test('fields of the schema are offered and explained, labels of the nodes too', () =>
    inChromium(async (browser) => {
      const { page } = await openPlayground(browser)
      await page.selectOption('#example', '1')
      await settled(page)
      const list = page.locator('.cm-tooltip-autocomplete')
      await page.locator('#policy-editor .cm-line', { hasText: 'nodeGroupLabel' }).click()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.keyboard.type('rem')
      await list.filter({ hasText: 'remainder' }).waitFor()
      await page.keyboard.press('Escape')
      for (let press = 0; press < 'rem'.length; press++) await page.keyboard.press('Backspace')
      await page.keyboard.type('nodeGroupLabel: ')
      await page.keyboard.press('Control+Space')
      // the list of fields may still be there
      await list.filter({ hasText: 'kubernetes.io/osof your nodes' }).waitFor()
      assert.equal(await axeViolations(page), [])
    }))
  const hostile: ReadonlyArray<readonly [what: string, box: keyof Texts, text: string, expected: string]> = [
    ['aliases that multiply', 'policy', BOMB, 'YamlRefused'],
    ['YAML that is broken', 'daemonSet', 'a: [', 'YamlSyntax'],
    ['a key __proto__', 'policy', `__proto__: {x: 1}\n${EXAMPLES[1]?.policy}`, 'UnknownField'],
    ['a text without objects', 'nodes', '<script>alert(1)</script>', 'NotAnObject'],
    ['deep nesting', 'nodes', '['.repeat(50_000), 'Yaml'],
  ]
  test('hostile input shows a finding, and the page goes on', () =>
    inChromium(async (browser) => {
      const { page, said } = await openPlayground(browser)
      for (const [what, box, text, expected] of hostile) {
        await page.selectOption('#example', '1')
        await settled(page)
        await paste(page, box, text)
        assert.is(await stateOf(page), 'failed', what)
        assert.match((await failureOf(page)) ?? '', expected, what)
        assert.match((await page.locator('#findings').textContent()) ?? '', expected, what)
        await page.selectOption('#example', '0')
        await settled(page)
        assert.is(await stateOf(page), 'done', what)
      }
      assert.equal(said, [])
    }))
  test('10,000 nodes are rendered, and typing goes on while they are', () =>
    inChromium(async (browser) => {
      const { page, said } = await openPlayground(browser)
      await page.selectOption('#example', '1')
      await settled(page)
      const nodes = manyNodes(10_000)
      await paste(page, 'nodes', nodes)
      assert.is(await stateOf(page), 'done')
      assert.match((await page.locator('#cards').textContent()) ?? '', '10000')
      await page.focus('#requestMemory-slider')
      for (let press = 0; press < 20; press++) await page.keyboard.press('ArrowRight')
      await settled(page)
      assert.match(await textIn(page, 'policy'), `requestMemory: ${await page.inputValue('#requestMemory')}\n`)
      assert.is(await downloaded(page), built({ ...(await textsIn(page)), nodes }))
      await page.click('#share')
      await page.locator('#notice', { hasText: 'may have' }).waitFor()
      assert.equal(said, [])
    }))
  test('newer input ends a render that takes long, and nothing of it is shown later', () =>
    inChromium(async (browser) => {
      const { page, said } = await openPlayground(browser)
      await paste(page, 'nodes', manyNodes(20_000), false)
      // it has begun
      await page.locator('#time', { hasText: 'rendering' }).waitFor()
      await page.selectOption('#example', '1')
      await settled(page)
      const shown = () => page.locator('#cards').textContent()
      const cards = await shown()
      assert.match(cards ?? '', '6nodes')
      await page.waitForTimeout(3000)
      assert.is(await shown(), cards)
      assert.is(await textIn(page, 'policy'), EXAMPLES[1]?.policy)
      assert.equal(said, [])
    }))
  test('a link holds the whole state', () =>
    inChromium(async (browser) => {
      const { page } = await openPlayground(browser)
      await page.selectOption('#example', '3')
      await settled(page)
      await page.focus('#requestCPU-slider')
      await page.keyboard.press('ArrowRight')
      await settled(page)
      const [texts, yaml] = [await textsIn(page), await downloaded(page)]
      await page.click('#share')
      await page.locator('#notice', { hasText: 'link of' }).waitFor()
      assert.equal(await axeViolations(page), [])
      const address = page.url()
      assert.ok(address.includes('#1.') && address.length < 10_000, address)
      const other = await browser.newContext({ colorScheme: 'light' })
      const opened = await other.newPage()
      await opened.goto(address)
      await settled(opened)
      assert.equal(await textsIn(opened), texts)
      assert.is(await downloaded(opened), yaml)
    }))
  test('nodes that are too long for a link are made an inventory', () =>
    inChromium(async (browser) => {
      const { page } = await openPlayground(browser)
      await paste(page, 'nodes', manyNodes(10_000))
      await page.click('#share')
      await page.click('#notice >> text=Make the nodes an inventory')
      // until it is made what is rendered is that of the nodes
      await page.locator('#nodes-editor .cm-content', { hasText: 'kind: NodeInventory' }).waitFor()
      await settled(page)
      assert.match(await textIn(page, 'nodes'), 'kind: NodeInventory')
      assert.is(await stateOf(page), 'done')
    }))
  for (const fragment of ['#1.AAAA', '#2.x', `#1.${'A'.repeat(300_000)}`, '#<img src=x onerror=alert(1)>'])
    test(`the address ${fragment.slice(0, 30)} opens nothing, and says so`, () =>
      inChromium(async (browser) => {
        const { page, said } = await openPlayground(browser)
        await page.evaluate((hash) => Object.assign(globalThis, { location: hash }), fragment)
        // it is read beside what the page does
        await page.locator('#notice', { hasText: 'This link cannot be opened: ' }).waitFor()
        await settled(page)
        assert.is(await stateOf(page), 'waits')
        assert.equal(await textsIn(page), { nodes: '', daemonSet: '', policy: '' })
        assert.equal(said, [])
      }))
  test('the keyboard reaches all of it, and leaves the editors', () =>
    inChromium(async (browser) => {
      const { page } = await openPlayground(browser)
      await page.keyboard.press('Tab')
      assert.is(await page.locator(':focus').textContent(), 'Skip to the results')
      const names: string[] = []
      for (let press = 0; press < 40; press++) {
        await page.keyboard.press('Tab')
        const name = await page
          .locator(':focus')
          .evaluateAll((all) =>
            all.map(
              (one) =>
                (one as unknown as { id: string; ariaLabel: string | null }).ariaLabel ??
                (one as unknown as { id: string }).id,
            ),
          )
        names.push(name[0] ?? '')
      }
      for (const name of ['example', 'Nodes', 'DaemonSet', 'Policy', 'label', 'requestCPU-slider', 'tab-groups'])
        assert.ok(
          names.some((one) => one === name || (name === 'requestCPU-slider' && one.startsWith('CPU request'))),
          `${name}: ${names.join(', ')}`,
        )
      await page.focus('#tab-groups')
      await page.keyboard.press('ArrowLeft')
      assert.is(await page.locator('#yaml').isVisible(), true)
      await page.keyboard.press('Home')
      assert.is(await page.locator('#bars').isVisible(), true)
    }))
})
