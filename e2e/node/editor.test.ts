/** The schemas in an editor: the YAML language server, with the comment that nodefit init writes, and with the setting of the page. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { type Editor, withEditor } from '../support/language-server.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const PUBLISHED = `https://unpkg.com/nodefit@${version}/`
const INSTALLED = '../node_modules/nodefit/'
const BASE = 'https://nodefit.dev/schemas/v1alpha1/'

const schemaFiles = readdirSync(join(ROOT, 'fn-config')).filter((file) => file.endsWith('.schema.json'))
const schemas = schemaFiles.map((file) => ({
  file,
  ...JSON.parse(readFileSync(join(ROOT, 'fn-config', file), 'utf8')),
}))
const fileOfKind = new Map(schemas.map(({ file, title }): [string, string] => [title, file]))

/** Documents of the golden packages by kind: those of the first step of packages that render. */
function goldenDocuments(): { place: string; kind: string; text: string }[] {
  const folders = ['golden', 'reservation', 'pools', 'kubescape'].flatMap((area) =>
    readdirSync(join(ROOT, 'testdata', area)).map((name) => `testdata/${area}/${name}`),
  )
  return ['testdata/quickstart', ...folders.map((folder) => `${folder}/package`)].flatMap((folder) => {
    let files: string[] = []
    try {
      files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.yaml'),
      )
    } catch {
      return []
    }
    return files.flatMap((file) =>
      parseAllDocuments(readFileSync(join(ROOT, folder, file), 'utf8')).flatMap((document, index) => {
        const kind = document.toJS()?.kind
        const apiVersion: string = document.toJS()?.apiVersion ?? ''
        if (!fileOfKind.has(kind) || !/nodefit|korder|kubenodesmith/.test(apiVersion)) return []
        return [{ place: `${folder}/${file}#${index + 1}`, kind, text: String(document) }]
      }),
    )
  })
}

/** A user's folder with the package installed, and an editor in it. */
const inEditor = (body: (editor: Editor, folder: string) => Promise<void>) =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/nodefit'))
    mkdirSync(join(folder, 'agents'))
    await withEditor(folder, (editor) => body(editor, folder))
  })

const comment = (file: string | undefined) => `# yaml-language-server: $schema=${INSTALLED}fn-config/${file}\n`

suite('the schemas', (test) => {
  test('each has an identifier below one address, by its file, and a title', () => {
    for (const { file, $id, title } of schemas) {
      assert.is($id, `${BASE}${file}`)
      assert.type(title, 'string')
    }
    assert.is(fileOfKind.size, schemas.length)
  })
})

suite('an editor', (test) => {
  test('accepts and completes what nodefit init wrote', () =>
    inEditor(async (editor, folder) => {
      const { status, stderr } = run(
        process.execPath,
        [
          COMMAND,
          'init',
          'agents/fluent-bit',
          '--nodes',
          join(ROOT, 'examples/nodes.yaml'),
          '--daemonset',
          join(ROOT, 'examples/fluent-bit.json'),
          '--cluster',
          'prod-eu',
        ],
        { cwd: folder },
      )
      assert.is(status, 0, stderr)
      for (const name of ['policy.yaml', 'inventory.yaml', 'render-config.yaml']) {
        const text = readFileSync(join(folder, 'agents/fluent-bit', name), 'utf8')
        assert.ok(text.startsWith(`# yaml-language-server: $schema=${PUBLISHED}fn-config/`), name)
        const local = text.replace(PUBLISHED, `../${INSTALLED}`)
        assert.equal(await editor.open(`agents/fluent-bit/${name}`, local), [], name)
      }
    }))
  test('offers fields with their words, and underlines what the function refuses', () =>
    inEditor(async (editor) => {
      const policy = [
        'apiVersion: nodefit.dev/v1alpha1',
        'kind: SizingPolicy',
        'metadata: { name: agent }',
        'spec:',
        '  targetRef: { name: agent }',
        '  nodeGroupLable: pool',
        '  enabled: "yes"',
        '  ',
      ]
      const found = await editor.open('agents/policy.yaml', comment('sizing-policy.schema.json') + policy.join('\n'))
      assert.equal(found.map(({ message, range }) => [range.start.line, message]).sort(), [
        [6, 'Property nodeGroupLable is not allowed.'],
        [7, 'Incorrect type. Expected "boolean".'],
      ])
      const offered = await editor.complete('agents/policy.yaml', 8, 2)
      for (const field of ['nodeGroupLabel', 'resourcePercentages', 'minResources', 'rollout'])
        assert.ok(offered.includes(field), field)
      assert.match(await editor.hover('agents/policy.yaml', 5, 4), 'The template of the rendered objects')
    }))
  test('accepts every policy, inventory, snapshot and option of the golden packages', () =>
    inEditor(async (editor) => {
      const documents = goldenDocuments()
      assert.ok(documents.length > 150, String(documents.length))
      const kinds = new Set(documents.map(({ kind }) => kind))
      for (const kind of ['SizingPolicy', 'NodeInventory', 'RenderConfig', 'Order', 'PoolPolicy', 'WorkloadSnapshot'])
        assert.ok(kinds.has(kind), kind)
      const found = await Promise.all(
        documents.map(({ kind, text }, index) =>
          editor.open(`agents/${index}.yaml`, comment(fileOfKind.get(kind)) + text),
        ),
      )
      for (const [index, { place }] of documents.entries()) assert.equal(found[index], [], place)
    }))
})
