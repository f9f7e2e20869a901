/** Explicit groups are kept out of the others in as few terms as it takes. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type Affinity, matchesLabels, matchesNodeSelector } from '../../../src/kube/index.ts'
import { dividedTerms } from '../../../src/plan/sizing/explicit-groups.ts'
import { groupsOf, text } from '../../support/grouping.ts'
import { codes, fleetShape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

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
  test('more than 64 terms are divided by the label that they share, and what needs none is not counted', () => {
    const pairs = (length: number) =>
      Array.from({ length }, (_, index) => ({ name: `g${index}`, nodeSelector: { os: 'linux', [`a${index}`]: 'x' } }))
    const made = groupsOf(NODE, { groups: pairs(7) })
    assert.equal(codes(made.findings), [])
    const all = pairs(7).map((_, index) => `a${index} NotIn [x]`)
    assert.is(text(made.groups.at(-1)?.terms), `${all.join(', ')}, os In [linux] | os NotIn [linux]`)
    const own = groupsOf(NODE, { groups: pairs(7), nodeSelector: { os: 'linux' } })
    assert.is(own.groups.at(-1)?.terms?.length, 1)
  })
})

const drawn = fc.array(
  fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('x', 'y', 'z')), {
      minLength: 1,
      maxLength: 3,
      selector: ([key]) => key,
    })
    .map((pairs) => Object.fromEntries(pairs)),
  { minLength: 1, maxLength: 8 },
)
const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('w', 'x', 'y', 'z'))

suite('terms divided by values, whatever the groups', (test) => {
  test('take exactly the nodes of no group, each in one term', () => {
    fc.assert(
      fc.property(drawn, labels, (selectors, own) => {
        const pairs = selectors.map((selector) => Object.entries(selector).sort())
        const terms = dividedTerms(pairs, Infinity) ?? []
        const isTaken = selectors.some((selector) => matchesLabels({ matchLabels: selector }, own))
        const holding = terms.filter((term) =>
          matchesNodeSelector({ name: 'n', labels: own }, { nodeSelectorTerms: [term] }),
        )
        assert.is(holding.length, isTaken ? 0 : 1)
        assert.equal(dividedTerms([...pairs].reverse(), Infinity), terms, 'whatever the order of the groups')
        assert.is(dividedTerms(pairs, terms.length - 1), undefined)
        assert.equal(dividedTerms(pairs, terms.length), terms)
      }),
      { numRuns: 500 },
    )
  })
})
