/** Labels that grow with the nodes, and where their ranges begin. */
import * as assert from 'uvu/assert'
import { rangeBounds } from '../../../src/plan/sizing/choose-label.ts'
import { chooseLabel, growingLabels, membersOf, reportingMembers } from '../../../src/plan/sizing/index.ts'
import { fleetShape } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const BOUNDS: Array<[name: string, numbers: bigint[], want: number[]]> = [
  ['powers of two above the least, up to the greatest', [8192n, 16384n, 131072n], [16384, 32768, 65536, 131072]],
  ['between', [7000n, 40000n], [8192, 16384, 32768]],
  ['one bound where no power of two parts them', [9000n, 12000n], [12000]],
  ['the same on all', [5n, 5n], []],
  ['nothing above zero', [-9n, -3n, 0n], []],
  ['from below zero', [-9n, 3n], [1, 2]],
  ['beyond what a bound can be', [1n << 60n, 1n << 62n], []],
  ['up to there', [1n << 51n, 1n << 62n], [2 ** 52]],
]

suite('where ranges begin', (test) => {
  for (const [name, numbers, want] of BOUNDS) {
    test(name, () => assert.equal(rangeBounds([...numbers].reverse()), want))
  }
  test('no more than 32', () => {
    const bounds = rangeBounds([1n, 1n << 52n])
    assert.equal([bounds.length, bounds.at(0), bounds.at(1)], [26, 2, 8])
  })
})

const growing = (nodes: Array<[cpu: string, memory: string, labels: Record<string, string>]>) => {
  const shapes = nodes.map(([cpu, memory, labels], index) => fleetShape(labels, [`n${index}`], cpu, memory))
  const { members } = membersOf(shapes, { nodeSelector: {}, tolerations: [], hostNetwork: false })
  return {
    labels: growingLabels(reportingMembers({ id: '', members })).map(({ label }) => label),
    chosen: chooseLabel(members),
  }
}

suite('labels of a fleet', (test) => {
  test('an integer on every node, never smaller on a larger one', () => {
    const { labels } = growing([
      ['2', '4Gi', { z: '2', mem: '4096', slot: '9', rack: 'a', all: '1', gpu: '0' }],
      ['4', '8Gi', { z: '4', mem: '8192', slot: '7', rack: 'b', all: '1' }],
    ])
    assert.equal(labels, ['mem', 'z'])
  })
  test('with memory or with cpu, where one node has more of one and less of the other', () => {
    const { labels } = growing([
      ['2', '8Gi', { mem: '8', cores: '2' }],
      ['4', '4Gi', { mem: '4', cores: '4' }],
    ])
    assert.equal(labels, ['cores', 'mem'])
  })
  test('the best that any node has is chosen', () => {
    assert.is(
      growing([['2', '4Gi', { 'kubernetes.io/os': 'linux', 'karpenter.sh/nodepool': 'a' }]]).chosen,
      'karpenter.sh/nodepool',
    )
    assert.is(growing([['2', '4Gi', { 'kubernetes.io/hostname': 'a' }]]).chosen, undefined)
  })
})
