/** What is read of the basis in earlier output, whatever a user made of it. */
import * as assert from 'uvu/assert'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { printBasis, rememberedOf } from '../../src/sizing/remembered.ts'
import { suite } from '../support/suite.ts'

const item = (group: unknown, basis: unknown) =>
  newItem({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', annotations: { 'nodefit.dev/group': group, 'nodefit.dev/basis': basis } },
  } as unknown as KubernetesObject)

const ROWS: Array<[name: string, basis: unknown, text: string | undefined, read: string | undefined]> = [
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
  for (const [name, written, text, read] of ROWS)
    test(name, () => {
      const found = rememberedOf([item('g', written)]).get('g')
      assert.is(found?.text, text)
      assert.is(found?.basis && printBasis(found.basis), read)
    })
  test('of two objects of a group the first', () => {
    const found = rememberedOf([
      item('g', 'cpu=1,memory=1Gi'),
      item('g', 'cpu=2,memory=2Gi'),
      item(7, 'cpu=3,memory=3Gi'),
    ])
    assert.equal([...found.keys()], ['g'])
    assert.is(found.get('g')?.text, 'cpu=1,memory=1Gi')
  })
})
