/** A cluster of 5,000 nodes in shapes, rendered twice by the real kpt. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { inventory, OS, shape, TYPE } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const TYPES = 60
const NODES = 5000

suite('5,000 nodes of 60 types', (test) => {
  test('the inventory is as large as it should be', () =>
    assert.is((fleet().spec as { nodeCount: number }).nodeCount, NODES))
  if (!has('kpt')) return
  test('kpt renders a DaemonSet for each type, twice the same', () =>
    inFolder((folder) => {
      const work = join(folder, 'package')
      cpSync(join(ROOT, 'testdata/quickstart'), work, { recursive: true })
      writeFileSync(join(work, 'inventory.yaml'), writeYaml(fleet()))
      const bin = functionsIn(folder)
      const render = () => run('kpt', ['fn', 'render', '--allow-exec', work], { bin })
      const first = render()
      assert.is(first.status, 0, first.stderr)
      assert.match(first.stderr, `${TYPES} groups, ${NODES} nodes, ${TYPES + 2} objects added`)
      const once = filesOf(work)
      assert.is(render().status, 0)
      assert.equal(filesOf(work), once)
      assert.is(parseAllDocuments(readFileSync(join(work, 'fluent-bit-groups.yaml'), 'utf8')).length, TYPES + 2)
    }))
})

function fleet() {
  const shapes = Array.from({ length: TYPES }, (_, index) => {
    const names = Array.from(
      { length: Math.ceil((NODES - index) / TYPES) },
      (_, node) => `ip-10-${index}-${Math.floor(node / 250)}-${node % 250}.eu-central-1.compute.internal`,
    )
    return shape(
      { [OS]: 'linux', [TYPE]: `m${index % 9}.${index + 1}xlarge` },
      names,
      String(2 + index),
      `${8 + index}Gi`,
    )
  })
  return inventory(shapes)
}
