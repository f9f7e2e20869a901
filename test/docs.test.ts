/** What the documents show is what the tests run, and where they point there is something. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { COMMANDS } from '../src/host/cli/commands.ts'
import { CODES } from '../src/rules/all-codes.ts'
import { plan } from '../src/rules/run.ts'
import { packageWith } from './support/examples.ts'
import { listOf } from './support/objects.ts'
import { suite } from './support/suite.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]
const examples = ['testdata', 'deploy'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => (file.endsWith('.yaml') || file.endsWith('Kptfile')) && !file.startsWith('nodes/'))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
)
const results = new Set(
  readdirSync(join(ROOT, 'testdata'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /results-\d+\.txt$/.test(file))
    .flatMap((file) => readFileSync(join(ROOT, 'testdata', file), 'utf8').split('\n')),
)

suite('the page of results', (test) => {
  const anchors = anchorsOf('docs/reference/results.md')
  test('has one anchor for each code, by which others link to it', () => {
    for (const code of Object.keys(CODES))
      assert.equal(
        anchors.filter((anchor) => anchor === code.toLowerCase()),
        [code.toLowerCase()],
      )
  })
  test('has no two of one anchor', () => assert.is(new Set(anchors).size, anchors.length))
  test('has each code in the part that its table names, and links to the part', () => {
    const [, ...parts] = readFileSync(join(ROOT, 'docs/reference/results.md'), 'utf8').split(/^## /m)
    for (const [code, { part }] of Object.entries(CODES)) {
      const holding = parts.filter((text) => text.includes(`>[${code}](results/`)).map((text) => text.split('\n')[0])
      assert.equal(holding, [part])
    }
  })
  const ofParts = pages.filter((page) => page.startsWith('docs/reference/results/'))
  test('links to each page of a part', () => {
    const index = readFileSync(join(ROOT, 'docs/reference/results.md'), 'utf8')
    assert.ok(ofParts.length > 10)
    for (const page of ofParts) assert.ok(index.includes(`](${page.slice('docs/reference/'.length)}#`), page)
  })
  for (const page of ofParts)
    test(`${page}: each example, pasted over the package, gives the sentence below it`, () => {
      const [, ...sections] = readFileSync(join(ROOT, page), 'utf8').split(/^## /m)
      for (const section of sections) {
        const [code = ''] = section.split('\n')
        const [, change, said] = /^```yaml\n([\s\S]*?)^```\n\n```\n(.*)\n/m.exec(section) ?? []
        if (change === undefined) continue
        const { findings } = plan(listOf(packageWith(change)))
        const sentences = findings.filter((one) => one.code === code).map(({ sentence }) => sentence)
        assert.ok(sentences.includes(said ?? ''), `${code}: ${sentences.join('; ')}`)
      }
    })
})

suite('the decisions', (test) => {
  const files = readdirSync(join(ROOT, 'docs/adr'))
  test('have a number each, which their title begins with', () => {
    assert.equal(
      [...new Set(files.map((file) => file.slice(0, 4)))].sort(),
      files.map((file) => file.slice(0, 4)).sort(),
    )
    for (const file of files)
      assert.ok(readFileSync(join(ROOT, 'docs/adr', file), 'utf8').startsWith(`# ${Number(file.slice(0, 4))}. `), file)
  })
})

suite('the index of documents', (test) => {
  const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8')
  for (const page of pages.filter((one) => /^docs\/(?!adr|README|daemonset\/recipes\/|reference\/results\/)/.test(one)))
    test(`has ${page}`, () => assert.ok(index.includes(`](${page.slice('docs/'.length)}) |`)))
})

suite('pages that sources name', (test) => {
  const sources = ['src', 'test', 'e2e', 'tools', 'bench', 'deploy', 'fn-config', 'testdata'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|yaml|txt)$/.test(file))
      .map((file) => join(folder, file)),
  )
  test('are there, with the heading that is named', () => {
    let named = 0
    for (const source of sources)
      for (const [, page = '', anchor] of readFileSync(join(ROOT, source), 'utf8').matchAll(
        /(?<![\w/])(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g,
      )) {
        named++
        assert.ok(existsSync(join(ROOT, page)), `${source}: ${page}`)
        if (anchor !== undefined) assert.ok(anchorsOf(page).includes(anchor), `${source}: ${page}#${anchor}`)
      }
    assert.ok(named > 50, String(named))
  })
})

suite('commands of nodefit', (test) => {
  const schemas = readdirSync(join(ROOT, 'fn-config')).map((file) => `fn-config/${file}`)
  const said: Array<[where: string, text: string]> = [...pages, ...schemas].map((file) => [
    file,
    readFileSync(join(ROOT, file), 'utf8'),
  ])
  const advice = Object.entries(CODES).map(([code, { meaning, mend }]): [string, string] => [
    code,
    `${meaning} ${mend}`,
  ])
  /** In code, whatever stands first in a span, or in a line of a block of commands; in advice, what one is told to use. */
  const named = (text: string) => {
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n')
    const places = [
      text.matchAll(/(?:`|(?:with|give|:) )nodefit ([a-z]+)\b/g),
      blocks.matchAll(/\bnodefit ([a-z]+)\b/g),
    ]
    return places.flatMap((found) => [...found].map(([, name = '']) => name))
  }
  test('are named', () => assert.ok(said.flatMap(([, text]) => named(text)).length > 20))
  for (const [where, text] of [...said, ...advice])
    if (named(text).length > 0)
      test(`${where}: each that is named is there`, () => {
        for (const name of named(text)) assert.ok(Object.hasOwn(COMMANDS, name), name)
      })
})

suite('scripts of package.json', (test) => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  test('are in CONTRIBUTING.md, and no others', () => {
    const named = [...page.matchAll(/`npm (?:run )?([a-z][a-z:0-9]*)/g)].map(([, name = '']) => name)
    const called = Object.keys(scripts).filter((name) => !/^(?:pre|post)[a-z]/.test(name))
    assert.equal([...new Set(named)].filter((name) => name !== 'ci' && name !== 'link').toSorted(), called.toSorted())
  })
})

suite('code that pages name', (test) => {
  const sources = ['src', 'test', 'e2e', 'tools', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  /** A path below the root or below src/, or the name of a file alone. */
  const found = (name: string) =>
    sources.filter((file) => (name.includes('/') ? [name, `src/${name}`].includes(file) : file.endsWith(`/${name}`)))
  for (const page of pages) {
    const names = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
    if (names.length > 0)
      test(`${page}: each file is there`, () =>
        assert.equal(
          names.filter((name) => found(name).length === 0),
          [],
        ))
  }
  for (const name of ['docs/adr/0011-what-speed-costs.md', 'docs/the-way-of-one-render.md'])
    test(`${name}: what each row names is in its file`, () => {
      const page = readFileSync(join(ROOT, name), 'utf8')
      const rows = [...page.matchAll(/^\| [^|]+ \| (`[^|]+) \|/gm)].map(([, where = '']) =>
        [...where.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      )
      assert.ok(rows.length > 5)
      for (const names of rows) {
        const files = names.filter((name) => name.endsWith('.ts')).flatMap(found)
        const code = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
        for (const name of names.filter((one) => !one.endsWith('.ts'))) assert.ok(code.includes(name), name)
      }
    })
})

suite('documents', (test) => {
  for (const page of pages) {
    const text = readFileSync(join(ROOT, page), 'utf8')
    // the examples of results are planned above
    test(`${page}: every YAML example begins a file of testdata or deploy`, () => {
      if (page.startsWith('docs/reference/results/')) return
      for (const [, block = ''] of text.matchAll(/```yaml\n([\s\S]*?)```/g))
        assert.ok(
          examples.some((example) => example.startsWith(block)),
          block,
        )
    })
    test(`${page}: every result it shows is one of testdata`, () => {
      for (const [line] of text.matchAll(/^(?:error|warning|info) [A-Z][A-Za-z]+: .+$/gm))
        assert.ok(results.has(line), line)
    })
    test(`${page}: links lead somewhere, to a heading where they name one`, () => {
      for (const [, link = '', anchor] of text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
        const file = link === '' ? page : join(dirname(page), link)
        assert.ok(existsSync(join(ROOT, file)), link)
        if (anchor !== undefined) assert.ok(anchorsOf(file).includes(anchor), `${link}#${anchor}`)
      }
    })
    test(`${page}: codes it names exist`, () => {
      const words = [...text.matchAll(/\(`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`\)|fails? with\s+`([A-Z][A-Za-z]+)`/g)].map(
        ([, one, two]) => one ?? two ?? '',
      )
      for (const word of words) assert.ok(Object.hasOwn(CODES, word), word)
    })
  }
  test('each row of the table about Kubescape names tests that are there', () => {
    const [, table = ''] = readFileSync(join(ROOT, 'docs/kubescape/node-agent.md'), 'utf8').split('## What shows it\n')
    const rows = [...table.matchAll(/^\| (?!What \|)(.+?) \| (.+) \|$/gm)]
    assert.ok(rows.length >= 18)
    for (const [, what = '', cell = ''] of rows) {
      const shown = [...cell.matchAll(/`([^`]+)`((?:, "[^"]+")*)/g)]
      assert.ok(shown.length > 0, `${what} names no test`)
      for (const [, path = '', names = ''] of shown) {
        assert.ok(existsSync(join(ROOT, path)), `${what}: there is no ${path}`)
        const titles = names === '' ? [] : titlesIn(path)
        for (const [, name = ''] of names.matchAll(/"([^"]+)"/g))
          assert.ok(
            titles.some((title) => new RegExp(`^${name}(?![\\w.])`).test(title)),
            `${what}: ${path} has no test that begins with ${name}`,
          )
      }
    }
  })
})

/** The titles of a file's tests, those in rows of its tables too: what begins a call or a row. */
function titlesIn(file: string): string[] {
  const texts = readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:\btest\(|\[)\s*(?:'([^'\n]*)'|`([^`\n]*)`)/g)
  return [...texts].map(([, plain, template]) => plain ?? template ?? '')
}

/** What a page's headings are linked by, as GitHub makes it of their words. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, words = '']) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]
}
