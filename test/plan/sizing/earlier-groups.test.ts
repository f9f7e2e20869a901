/** What is read of earlier output for each group, whatever a user wrote there. */
import * as assert from 'uvu/assert'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { earlierNames, printBasis, rememberedOf } from '../../../src/plan/sizing/earlier-groups.ts'
import { suite } from '../../support/suite.ts'

const withBasis = (group: unknown, basis: unknown) =>
  newItem({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', annotations: { 'nodefit.dev/group': group, 'nodefit.dev/basis': basis } },
  } as unknown as KubernetesObject)

const BASES: Array<[name: string, basis: unknown, text: string | undefined, read: string | undefined]> = [
  ['amounts', 'cpu=2,memory=4Gi', 'cpu=2,memory=4Gi', 'cpu=2,memory=4Gi'],
  ['the same written otherwise', 'cpu=2000m,memory=4194304Ki', 'cpu=2000m,memory=4194304Ki', 'cpu=2,memory=4Gi'],
  ['the least there is', 'cpu=1n,memory=1n', 'cpu=1n,memory=1n', 'cpu=1n,memory=1n'],
  ['no cpu', 'cpu=0,memory=4Gi', 'cpu=0,memory=4Gi', undefined],
  ['no memory', 'cpu=2,memory=0', 'cpu=2,memory=0', undefined],
  ['no quantity', 'cpu=two,memory=4Gi', 'cpu=two,memory=4Gi', undefined],
  ['a number', 7, undefined, undefined],
  ['nothing', null, undefined, undefined],
]

suite('a basis that is remembered', (test) => {
  for (const [name, written, text, read] of BASES)
    test(name, () => {
      const found = rememberedOf([withBasis('g', written)]).get('g')
      assert.is(found?.text, text)
      assert.is(found?.basis && printBasis(found.basis), read)
    })
  test('of two objects of a group the first', () => {
    const found = rememberedOf([
      withBasis('g', 'cpu=1,memory=1Gi'),
      withBasis('g', 'cpu=2,memory=2Gi'),
      withBasis(7, 'cpu=3,memory=3Gi'),
    ])
    assert.equal([...found.keys()], ['g'])
    assert.is(found.get('g')?.text, 'cpu=1,memory=1Gi')
  })
})

const KEY = 'node-group'
const withName = (group: unknown, name: unknown, label?: unknown) =>
  newItem({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name,
      annotations: { 'nodefit.dev/group': group },
      labels: label === undefined ? null : { [KEY]: label },
    },
  } as unknown as KubernetesObject)

const NAMES: Array<[name: string, items: Parameters<typeof withName>[], names: object]> = [
  ['name and label', [['g', 'agent-g', 'x']], { g: { name: 'agent-g', label: 'x' } }],
  ['without labels', [['g', 'agent-g']], { g: { name: 'agent-g', label: '' } }],
  ['a label that is none', [['g', 'agent-g', 'a b']], { g: { name: 'agent-g', label: '' } }],
  ['a label that is a number', [['g', 'agent-g', 7]], { g: { name: 'agent-g', label: '' } }],
  [
    'of two the first',
    [
      ['g', 'one'],
      ['g', 'two'],
    ],
    { g: { name: 'one', label: '' } },
  ],
  ['a group that is a number', [[7, 'agent-g']], {}],
  ['a name that is a number', [['g', 7]], {}],
]

suite('the names of earlier output', (test) => {
  for (const [name, items, names] of NAMES)
    test(name, () =>
      assert.equal(
        Object.fromEntries(
          earlierNames(
            items.map((one) => withName(...one)),
            KEY,
          ),
        ),
        names,
      ),
    )
})
