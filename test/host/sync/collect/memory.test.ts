/** What it costs to hold the pods of a cluster: a process of its own collects them, and is measured. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from '../../../support/suite.ts'

const PROGRAM = fileURLToPath(new URL('many-pods.ts', import.meta.url))
const NODES = 1000
const PODS = 30
/** 5,000 nodes with 30 pods each then come to less than 26 MiB. */
const MOST_BYTES = 175

suite('the pods of a large cluster', (test) => {
  test('are kept in a few words each', () => {
    const args = ['--expose-gc', '--import', 'tsx', PROGRAM, String(NODES), String(PODS)]
    const cost = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Record<string, number>
    assert.equal([cost.nodes, cost.pods, cost.sets], [NODES, NODES * PODS, 8])
    const bytes = ((cost.kept ?? Number.NaN) * 2 ** 20) / (NODES * PODS)
    assert.ok(bytes < MOST_BYTES, `${Math.round(bytes)} bytes a pod`)
  })
})
