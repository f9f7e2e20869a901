/** Lists of label values, said by what left and joined them. */
import * as assert from 'uvu/assert'
import { takeValueLists } from '../../src/fate/change-findings.ts'
import { difference } from '../../src/krm/difference.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { daemonSet } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const REQUIRED = 'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution'
const VALUES = `${REQUIRED}.nodeSelectorTerms.0.matchExpressions.0.values`

function choosing(values: unknown, image = 'a'): KubernetesObject {
  const matchExpressions = [{ key: 'type', operator: 'NotIn', values }]
  const required = { nodeSelectorTerms: [{ matchExpressions }] }
  return daemonSet({
    containers: [{ name: 'agent', image }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  })
}

const ROWS: Array<[name: string, before: unknown, after: unknown, text: string | undefined]> = [
  ['the first of many leaves', ['a', 'b', 'c', 'd'], ['b', 'c', 'd'], 'without a'],
  ['one joins in the middle', ['a', 'c', 'd'], ['a', 'b', 'c', 'd'], 'with b'],
  ['some leave and join', ['a', 'b'], ['b', 'c', 'd', 'e', 'f'], 'without a, with c, d, e and 1 more'],
  ['only the order', ['a', 'b'], ['b', 'a'], 'in another order'],
  ['no list any more', ['a'], 'a', undefined],
  ['what a user wrote', [{ toString: 'x' }], ['a'], 'without a map, with a'],
]

suite('lists of label values', (test) => {
  for (const [name, before, after, text] of ROWS)
    test(name, () => {
      const [was, is] = [choosing(before), choosing(after, 'b')]
      const { lists, others } = takeValueLists(difference(was, is), was, is)
      assert.equal(lists, text === undefined ? [] : [{ path: VALUES, text: `${VALUES} ${text}` }])
      const image = 'spec.template.spec.containers.0.image'
      assert.equal(
        others.map(({ path }) => path),
        text === undefined ? [VALUES, image] : [image],
      )
    })
})
