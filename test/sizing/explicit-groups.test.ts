/** Explicit groups are kept out of the others in as few terms as it takes. */
import * as assert from 'uvu/assert'
import type { Affinity } from '../../src/kube/index.ts'
import { groupsOf, text } from '../support/grouping.ts'
import { codes, fleetShape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const NODE = [fleetShape({ [TYPE]: 't', os: 'linux' }, ['a'])]
const required = (expression: object): Affinity =>
  ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
    },
  }) as Affinity

/** One of several required terms holds on no node for sure. */
const either = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: ['linux', 'bsd'].map((os) => ({
        matchExpressions: [{ key: 'os', operator: 'In', values: [os] }],
      })),
    },
  },
}

const ROWS: Array<[name: string, selectors: object[], spec: Record<string, unknown>, group: string, terms: string]> = [
  ['one label', [{ a: 'x' }], {}, 'value:t', 'a NotIn [x]'],
  ['in the policy’s order', [{ b: 'y' }, { a: 'x' }], {}, 'value:t', 'b NotIn [y], a NotIn [x]'],
  ['two labels', [{ b: 'y', a: 'x' }], {}, 'value:t', 'a NotIn [x] | b NotIn [y]'],
  ['two labels, one of them the group’s', [{ [TYPE]: 't', a: 'x' }], {}, 'value:t', 'a NotIn [x]'],
  ['another value of the group’s label', [{ [TYPE]: 'u', a: 'x' }], {}, 'value:t', ''],
  ['covered by a shorter one', [{ a: 'x', b: 'y' }, { a: 'x' }], {}, 'value:t', 'a NotIn [x]'],
  ['said twice', [{ a: 'x' }, { a: 'x' }], {}, 'value:t', 'a NotIn [x]'],
  ['one label is the policy’s', [{ os: 'linux', a: 'x' }], { nodeSelector: { os: 'linux' } }, 'value:t', 'a NotIn [x]'],
  ['ruled out by the policy', [{ os: 'windows', a: 'x' }], { nodeSelector: { os: 'linux' } }, 'value:t', ''],
  [
    'one label is in the one required term',
    [{ os: 'linux', a: 'x' }],
    { affinity: required({ key: 'os', operator: 'In', values: ['linux'] }) },
    'value:t',
    'a NotIn [x]',
  ],
  [
    'of several required terms none holds for sure',
    [{ os: 'linux', a: 'x' }],
    { affinity: either },
    'value:t',
    'a NotIn [x] | os NotIn [linux]',
  ],
  [
    'a required term that leaves a choice',
    [{ os: 'linux', a: 'x' }],
    { affinity: required({ key: 'os', operator: 'In', values: ['linux', 'bsd'] }) },
    'value:t',
    'a NotIn [x] | os NotIn [linux]',
  ],
  ['of the default group', [{ [TYPE]: 'u' }, { a: 'x' }], {}, 'default', `${TYPE} DoesNotExist, a NotIn [x]`],
  ['of the remainder', [{ [TYPE]: 't', a: 'x' }], {}, 'remainder', `${TYPE} Exists, ${TYPE} NotIn [t]`],
  ['of an explicit group', [{ a: 'x' }, { a: 'y', b: 'z' }], {}, 'group:g1', ''],
  ['of one within another', [{ a: 'x' }, { a: 'x', b: 'z' }], {}, 'group:g1', 'a NotIn [x]'],
]

suite('what keeps explicit groups out', (test) => {
  for (const [name, selectors, spec, id, want] of ROWS)
    test(name, () => {
      const groups = selectors.map((nodeSelector, index) => ({ name: `g${index}`, nodeSelector }))
      const made = groupsOf(NODE, { groups, remainder: true, defaultNodeGroup: 'default', ...spec }).groups
      assert.is(text(made.find((group) => group.id === id)?.terms), want)
    })
  test('more than 64 terms are refused, and what needs none is not counted', () => {
    const pairs = (length: number) =>
      Array.from({ length }, (_, index) => ({ name: `g${index}`, nodeSelector: { os: 'linux', [`a${index}`]: 'x' } }))
    assert.equal(codes(groupsOf(NODE, { groups: pairs(7) }).findings), ['TooManyTerms'])
    const own = groupsOf(NODE, { groups: pairs(7), nodeSelector: { os: 'linux' } })
    assert.is(own.groups.at(-1)?.terms?.length, 1)
  })
})
