/**
 * 5,000 nodes with three Orders, rendered by the real kpt, and again after one node of a hundred was replaced. With
 * `--sample` 1,000 nodes: each Order still has more files than one.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { inventory, OS, shape } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

const NODES = sampled(5000, 1000)
const SHAPES = 40
const REPLACED = NODES / 100
const ORDERS = ['system-overhead', 'gpu-nodes', 'scheduled-maintenance']

const orders = ORDERS.map((name) =>
  readFileSync(join(ROOT, 'testdata/reservation', name, 'package/order.yaml'), 'utf8'),
)
const kptfile = readFileSync(join(ROOT, 'testdata/reservation/gpu-nodes/package/Kptfile'), 'utf8')

suite('Tickets of three Orders on each node', (test) => {
  test('there are three Orders', () => assert.is(orders.length, 3))
  if (!has('kpt')) return
  test('files and folders stay small, and a node changes one document of each Order', () =>
    inFolder((folder) => {
      const bin = functionsIn(folder)
      writeFileSync(join(folder, 'Kptfile'), kptfile)
      writeFileSync(join(folder, 'orders.yaml'), orders.join('---\n'))
      const render = (first: number) => {
        writeFileSync(join(folder, 'inventory.yaml'), writeYaml(fleet(first)))
        const { status, stderr } = run('kpt', ['fn', 'render', folder, '--allow-exec'], { bin })
        assert.is(status, 0, stderr)
        return documentsOf(filesOf(folder))
      }
      const before = render(0)
      assert.is(before.size, NODES * ORDERS.length)
      const files = Object.keys(filesOf(folder)).filter((file) => !file.startsWith('bin-'))
      assert.ok(files.length < 1000, `${files.length} files`)
      for (const file of files) assert.ok(statSync(join(folder, file)).size < 1 << 20, file)
      const after = render(REPLACED)
      const gone = [...before.keys()].filter((name) => !after.has(name))
      const come = [...after.keys()].filter((name) => !before.has(name))
      assert.equal([gone.length, come.length], [REPLACED * ORDERS.length, REPLACED * ORDERS.length])
      const changed = [...before].filter(([name, text]) => after.has(name) && after.get(name) !== text)
      assert.equal(changed, [], 'every other document is the same, in the same file')
    }))
})

/** Nodes numbered from `first`, in shapes that all three Orders select. */
function fleet(first: number) {
  const shapes = Array.from({ length: SHAPES }, (_, index) => {
    const names = Array.from({ length: NODES / SHAPES }, (_, step) => first + step * SHAPES + index).map(
      (number) => `ip-10-0-${number >> 8}-${number & 255}.eu-central-1.compute.internal`,
    )
    const labels = { [OS]: 'linux', accelerator: 'nvidia-tesla-k80', shape: `s${index}` }
    return shape(labels, names, `${4 + index}`, `${16 + index}Gi`)
  })
  return inventory(shapes, { observedAt: '2026-11-20T13:07:00Z' })
}

/** Every Ticket by file and name. */
function documentsOf(files: Record<string, string>): Map<string, string> {
  const found = new Map<string, string>()
  for (const [file, text] of Object.entries(files)) {
    if (!/^tickets-.*\.yaml$/.test(file)) continue
    for (const document of text.split(/^---\n/m)) {
      const [, name = ''] = /^ {2}name: (.+)$/m.exec(document) ?? []
      found.set(`${file} ${name}`, document.trimEnd())
    }
  }
  return found
}
