/** Groups whose type says nothing about the size of their nodes. */
import * as assert from 'uvu/assert'
import { plan } from '../../src/plan.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

type Node = [cpu: string, memory: string, labels?: Record<string, string>]
const said = (nodes: Node[], spec: Record<string, unknown> = {}) => {
  const shapes = nodes.map(([cpu, memory, labels], index) =>
    shape({ [TYPE]: 'k3s', ...labels }, [`n${index}`], cpu, memory),
  )
  return plan(listOf([inventory(shapes), policy(spec), daemonSet()])).findings.filter(
    ({ code }) => code === 'GroupSpread',
  )
}

suite('a group’s spread', (test) => {
  test('twice the smallest is good, more is a warning', () => {
    assert.equal(
      said([
        ['4', '16Gi'],
        ['8', '32Gi'],
      ]),
      [],
    )
    assert.equal(
      said([
        ['4', '16Gi'],
        ['8001m', '16Gi'],
      ]).map(({ severity }) => severity),
      ['warning'],
    )
    assert.is(
      said([
        ['4', '16Gi'],
        ['4', '33Gi'],
      ]).length,
      1,
    )
  })
  test('with classes it is their ratio', () => {
    assert.equal(
      said(
        [
          ['4', '16Gi'],
          ['12', '16Gi'],
        ],
        { classes: { ratio: 3 } },
      ),
      [],
    )
    assert.is(
      said(
        [
          ['4', '16Gi'],
          ['13', '16Gi'],
        ],
        { classes: { ratio: 3 } },
      ).length,
      1,
    )
  })
  test('proposes the host name with classes where no label grows with the nodes', () => {
    const [one] = said([
      ['2', '4Gi', { slot: '9', rack: 'a' }],
      ['16', '64Gi', { slot: '3', rack: 'b' }],
    ])
    assert.match(one?.sentence ?? '', 'nodeGroupLabel: kubernetes.io/hostname with classes: { ratio: 2 }')
    assert.equal(one?.field, { path: 'spec.nodeGroupLabel', proposedValue: 'kubernetes.io/hostname' })
  })
  test('proposes ranges of a numeric label that does', () => {
    const sizes = { a: '4096', b: '65536' }
    const [one] = said([
      ['2', '4Gi', { mem: sizes.a }],
      ['16', '64Gi', { mem: sizes.b }],
    ])
    assert.equal(one?.field?.proposedValue, 'mem')
    assert.match(one?.sentence ?? '', 'nodeGroupRanges: { label: mem, bounds: [8192, 16384, 32768, 65536] }')
    const [other] = said([
      ['2', '4Gi', { mem: sizes.a }],
      ['4', '8Gi', { mem: sizes.b }],
      ['16', '64Gi'],
    ])
    assert.equal(other?.field?.proposedValue, 'kubernetes.io/hostname')
  })
  test('proposes nothing for explicit groups and ranges', () => {
    const nodes: Node[] = [
      ['2', '4Gi', { mem: '1' }],
      ['16', '64Gi', { mem: '2' }],
    ]
    for (const spec of [
      { groups: [{ name: 'g', nodeSelector: { [TYPE]: 'k3s' } }] },
      { nodeGroupRanges: { label: 'mem', bounds: [8] } },
    ])
      assert.equal(
        said(nodes, spec).map(({ field }) => field?.proposedValue),
        [undefined],
      )
  })
})
