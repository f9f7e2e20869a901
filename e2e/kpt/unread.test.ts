/** ConfigMaps with YAML that nodefit refuses, through kpt and the command: only what is asked for has to be readable. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const PACKAGE = join(ROOT, 'testdata/kubescape/operator-config/package')
const BINARY = 'binaryData:\n  logo.png: !!binary aGVsbG8=\n'
const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: logo\n  namespace: kubescape\n'
const FOREIGN = [BINARY, 'data:\n  a: !custom b\n', 'data:\n  a: b\n  a: c\n', 'data:\n  ? [a, b]\n  : c\n'].map(
  (more, index) => HEAD.replace('logo', `logo-${index}`) + more,
)
const REFUSED = /YamlSyntax: .* cannot be read as YAML: unknown scalar tag .*logo\.png: !!binary aGVsbG8=/

suite('ConfigMaps that cannot be read', (test) => {
  const inPackage = (body: (work: string, folder: string) => void) =>
    inFolder((folder) => {
      const work = join(folder, 'package')
      cpSync(PACKAGE, work, { recursive: true })
      writeFileSync(join(work, 'cm.yaml'), FOREIGN.join('---\n'))
      body(work, folder)
    })
  const nodefit = (...args: string[]) => run(process.execPath, [COMMAND, ...args])
  const addTo = (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(/^data:\n/m, `${BINARY}$&`))

  test('the command leaves those of others alone, and refuses the template and the operator’s', () =>
    inPackage((work) => {
      const [built, vetted] = [nodefit('build', work), nodefit('vet', work)]
      assert.equal([built.status, vetted.status], [0, 0], built.stderr + vetted.stdout)
      for (const text of FOREIGN) assert.ok(built.stdout.includes(text), text)
      for (const file of ['template.yaml', 'operator.yaml']) {
        const path = join(work, file)
        const before = readFileSync(path, 'utf8')
        addTo(path)
        for (const { status, stdout, stderr } of [nodefit('build', work), nodefit('vet', work)]) {
          assert.not.equal(status, 0)
          assert.is(stdout, '')
          assert.match(stderr, REFUSED)
        }
        writeFileSync(path, before)
      }
    }))
  test('init refuses any in the manifests of the chart', () =>
    inPackage((work, folder) => {
      const nodes = join(ROOT, 'testdata/nodes/eks.yaml')
      const template = join(work, 'template.yaml')
      addTo(template)
      const { status, stderr } = nodefit('init', join(folder, 'new'), '--nodes', nodes, '--template', template)
      assert.is(status, 1)
      assert.match(stderr, REFUSED)
    }))
  if (!has('kpt')) return
  test('kpt renders beside those of others, and changes nothing where the template is one', () =>
    inPackage((work, folder) => {
      // kpt itself does not follow a list as a key
      writeFileSync(join(work, 'cm.yaml'), FOREIGN.slice(0, -1).join('---\n'))
      const render = () =>
        run('kpt', ['fn', 'render', work, '--allow-exec', '--truncate-output=false'], { bin: functionsIn(folder) })
      // what kpt does to its files with a function that does nothing
      const other = join(folder, 'other')
      cpSync(work, other, { recursive: true })
      const plain = run('kpt', ['fn', 'eval', other, '--exec', 'cat'])
      assert.is(plain.status, 0, plain.stderr)
      const good = render()
      assert.is(good.status, 0, good.stderr)
      assert.is(readFileSync(join(work, 'cm.yaml'), 'utf8'), readFileSync(join(other, 'cm.yaml'), 'utf8'))
      addTo(join(work, 'template.yaml'))
      const before = filesOf(work)
      const bad = render()
      assert.is(bad.status, 1)
      // the line, and no number: kpt added lines of its own
      assert.match(
        bad.stderr,
        /YamlSyntax: ConfigMap node-agent-daemonset-template \(template\.yaml\) cannot be read as YAML: unknown scalar tag \S+, in the line: logo\.png: !!binary aGVsbG8=/,
      )
      assert.equal(filesOf(work), before)
    }))
})
