import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { figuresIn, type PageFigure } from '../../test/support/page-figures.ts'
import { ROOT } from '../support/hosts.ts'
import { programOf } from '../support/program.ts'

/** It runs in containers and on machines without a display, asks nobody for updates, and has a new profile each time. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The ways in which a page is looked at. */
export const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 375, height: 812 } },
} as const
export type Look = keyof typeof LOOKS

/** How long a busy machine may take for a step. */
const PATIENCE_MILLISECONDS = 120_000

/** Starts Chromium, gives it to the body, and ends it. */
export async function inChromium(body: (browser: Browser) => Promise<void>): Promise<void> {
  const options = { executablePath: programOf('chromium'), args: FLAGS, timeout: PATIENCE_MILLISECONDS }
  const browser = await chromium.launch(options)
  try {
    await body(browser)
  } finally {
    await browser.close()
  }
}

/** An opened page, and what its console and its network were used for. */
export interface Opened {
  readonly page: Page
  readonly said: readonly string[]
  readonly requested: readonly string[]
}

/** Opens a file. */
export async function openFile(browser: Browser, file: string, look: Look): Promise<Opened> {
  const context = await browser.newContext(LOOKS[look])
  context.setDefaultTimeout(PATIENCE_MILLISECONDS)
  const page = await context.newPage()
  const said: string[] = []
  /** Addresses beyond the file, from here on. */
  const requested: string[] = []
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => said.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) requested.push(request.url())
  })
  await page.goto(pathToFileURL(file).href)
  return { page, said, requested }
}

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong with a page, in words. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary ?? ''}`),
    )
  })
}

/** Every figure of a page as the browser has it: the path that it names, and what it shows. */
export async function figuresOn(page: Page): Promise<PageFigure[]> {
  return figuresIn(await page.content())
}

/** By how many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: { scrollingElement: { scrollWidth: number; clientWidth: number } }
    }
    return document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth
  })
}

/** When a file is first painted in a new window, in milliseconds from its start. */
export async function firstPaint(browser: Browser, file: string): Promise<number> {
  const { page } = await openFile(browser, file, 'light')
  const read = () =>
    page.evaluate(() => {
      const { performance } = globalThis as unknown as {
        performance: { getEntriesByType(type: string): Array<{ startTime: number }> }
      }
      return performance.getEntriesByType('paint')[0]?.startTime
    })
  for (;;) {
    const paint = await read()
    if (paint !== undefined) {
      await page.context().close()
      return paint
    }
    await page.waitForTimeout(50)
  }
}
