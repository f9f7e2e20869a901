/** The page of the playground as a text: one file, which loads nothing and keeps what its parts are licensed by. */
import { createHash } from 'node:crypto'
import { createContext, runInContext } from 'node:vm'
import * as assert from 'uvu/assert'
import { playgroundExamples, playgroundPage } from '../../tools/build/playground.ts'
import { suite } from '../support/suite.ts'

const PAGE = await playgroundPage()
const MOST_BYTES = 2_000_000

suite('the page of the playground', (test) => {
  const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(PAGE) ?? []
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(PAGE) ?? []
  test(`has at most ${MOST_BYTES} bytes`, () => assert.ok(PAGE.length < MOST_BYTES, String(PAGE.length)))
  test('is allowed its own script and worker, and no connection', () => {
    const hash = createHash('sha256').update(script).digest('base64')
    assert.ok(script.length > 100_000)
    assert.equal(policy.split('; '), [
      "default-src 'none'",
      `script-src 'sha256-${hash}'`,
      'worker-src blob:',
      "style-src 'unsafe-inline'",
      'img-src data:',
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ])
  })
  test('names no file beside it, and has three scripts of which one runs', () => {
    assert.equal(
      [...PAGE.matchAll(/<script type="([^"]*)"/g)].map(([, type]) => type),
      ['text/plain', 'application/json', 'module'],
    )
    const [markup = ''] = PAGE.split('<script type="text/plain"')
    assert.equal(
      [...markup.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address),
      ['data:,', '#results'],
    )
  })
  test('has the licences of what is bundled, in the script and in the function', () => {
    for (const name of ['@codemirror/view', '@lezer/yaml', '@noble/hashes', 'd3-scale', 'js-yaml', 'style-mod'])
      assert.match(PAGE, new RegExp(`^${name} [0-9.]+ \\(`, 'm'))
  })
  test('holds its examples as they are', () => {
    const [, json = ''] = /<script type="application\/json" id="examples">([\s\S]*?)<\/script>/.exec(PAGE) ?? []
    assert.equal(JSON.parse(json), playgroundExamples())
  })
  test('its engine starts and renders each example where nothing of Node.js is there', () => {
    const [, engine = ''] = /<script type="text\/plain"[^>]*>([\s\S]*?)<\/script>/.exec(PAGE) ?? []
    let answer: object = {}
    const scope = createContext({
      ...{ performance, structuredClone, TextEncoder, TextDecoder, URL, console },
      postMessage: (one: object) => {
        answer = one
      },
    })
    runInContext(engine, scope)
    for (const [id, { title, ...texts }] of playgroundExamples().entries()) {
      scope.onmessage({ data: { id, about: 'render', request: { texts } } })
      assert.equal(Object.keys(answer), ['id', 'rendering', 'milliseconds'], `${title}: ${JSON.stringify(answer)}`)
    }
  })
  test('is the same at each build', async () => assert.ok((await playgroundPage()) === PAGE))
})
