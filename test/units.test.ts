/** Every sentence of the golden packages has amounts that a reader can compare. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ROOT } from '../tools/build/bundle.ts'
import { suite } from './support/suite.ts'
import { unitFaults } from './support/units.ts'

const AREAS = ['golden', 'kubescape', 'reservation']
const RESULTS = AREAS.flatMap((area) =>
  readdirSync(join(ROOT, 'testdata', area), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/)results[^/]*\.txt$/.test(file))
    .map((file) => join('testdata', area, file)),
)

suite('the units of a sentence', (test) => {
  test('faults are seen', () => {
    const faults = (sentence: string) => unitFaults({ code: 'X', sentence })
    assert.equal(faults('cpu 30 -> 83244m, memory 7134856Ki'), ['30 -> 83244m', '7134856Ki'])
    assert.equal(faults('memory 1025Mi is requested, 1Gi is allocatable'), ['1025Mi is requested, 1Gi'])
    assert.equal(faults('cpu 30 -> 83, memory 200Mi -> 601Mi; 0 -> 2Gi; 3 to 12 nodes'), [])
  })
  test('each sentence of every golden package', () => {
    const lines = RESULTS.flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    )
    assert.ok(lines.length > 500, String(lines.length))
    const faults = lines.flatMap((line) => {
      const [, code = '', sentence = line] = /^\S+ (\w+): (.*)$/.exec(line) ?? []
      return unitFaults({ code, sentence }).map((fault) => `${code}: ${fault}`)
    })
    assert.equal(faults, [])
  })
})
