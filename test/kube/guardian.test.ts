/** What the API server takes and refuses of a pod's placement, as it was seen to: e2e/guardians.ts draws more of it. */
import * as assert from 'uvu/assert'
import { nodeSelectorProblem, nodeTermProblem, podAffinityProblems, spreadProblems } from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

const SPREAD = { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }
const key = (operator: string, ...values: string[]) => ({
  key: 'k',
  operator,
  ...(values.length > 0 ? { values } : {}),
})
const expression = (operator: string, ...values: string[]) => ({ matchExpressions: [key(operator, ...values)] })

suite('topology spread constraints', (test) => {
  const ROWS: Array<[name: string, constraint: unknown, isTaken: boolean]> = [
    ['plain', SPREAD, true],
    ['any text as topologyKey', { ...SPREAD, topologyKey: 'a b' }, true],
    ['no topologyKey', { ...SPREAD, topologyKey: '' }, false],
    ['minDomains', { ...SPREAD, minDomains: 1 }, true],
    ['minDomains of 0', { ...SPREAD, minDomains: 0 }, false],
    ['minDomains with ScheduleAnyway', { ...SPREAD, whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 }, false],
    ['another action', { ...SPREAD, whenUnsatisfiable: 'Sometimes' }, false],
    ['a policy', { ...SPREAD, nodeTaintsPolicy: 'Honor' }, true],
    ['another policy', { ...SPREAD, nodeTaintsPolicy: 'Maybe' }, false],
    ['a skew beyond 32 bits', { ...SPREAD, maxSkew: 2 ** 31 }, false],
    [
      'keys that the labels have',
      { ...SPREAD, labelSelector: { matchLabels: { k: 'v' } }, matchLabelKeys: ['k'] },
      true,
    ],
    ['keys that an expression has', { ...SPREAD, labelSelector: expression('Exists'), matchLabelKeys: ['k'] }, true],
    [
      'keys that both have',
      { ...SPREAD, labelSelector: { matchLabels: { k: 'v' }, ...expression('Exists') }, matchLabelKeys: ['k'] },
      false,
    ],
    [
      'keys that two expressions have',
      { ...SPREAD, labelSelector: { matchExpressions: [key('Exists'), key('In', 'a')] }, matchLabelKeys: ['k'] },
      false,
    ],
    ['no map', 'x', false],
  ]
  for (const [name, constraint, isTaken] of ROWS)
    test(name, () => assert.is(spreadProblems([constraint])[0] === undefined, isTaken))
  test('one of two alike is refused, another action is not alike', () => {
    const other = { ...SPREAD, whenUnsatisfiable: 'ScheduleAnyway' }
    const refused = spreadProblems([SPREAD, other, { ...SPREAD, maxSkew: 5 }]).map((problem) => problem !== undefined)
    assert.equal(refused, [false, false, true])
  })
})

suite('affinity to other pods', (test) => {
  const term = (more: object) => ({ requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a', ...more }] })
  const preferred = (weight: unknown) => ({
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: { topologyKey: 'a' } }],
  })
  const ROWS: Array<[name: string, affinity: unknown, isTaken: boolean]> = [
    ['none', undefined, true],
    ['empty', {}, true],
    ['plain', term({}), true],
    ['a weight of 1', preferred(1), true],
    ['a weight of 100', preferred(100), true],
    ['a weight of 0', preferred(0), false],
    ['a weight of 101', preferred(101), false],
    ['no weight', preferred(undefined), false],
    ['a topologyKey that is no key', term({ topologyKey: 'a b' }), false],
    ['a namespace that is none', term({ namespaces: ['A'] }), false],
    ['a malformed namespaceSelector', term({ namespaceSelector: expression('In') }), false],
    ['a selector with Gt', term({ labelSelector: expression('Gt', '1') }), false],
    ['keys without a selector', term({ mismatchLabelKeys: ['k'] }), false],
    [
      'mismatching keys that both have',
      term({ labelSelector: { matchLabels: { k: 'v' }, ...expression('Exists') }, mismatchLabelKeys: ['k'] }),
      true,
    ],
    [
      'a key that is to match and not to',
      term({ labelSelector: {}, matchLabelKeys: ['k'], mismatchLabelKeys: ['k'] }),
      false,
    ],
    ['an unknown field, which the API server drops', { x: [1n] }, true],
    ['a label that is a map', term({ labelSelector: { matchLabels: { a: { toString: 1 } } } }), false],
    ['a weight beyond all numbers', preferred(9007199254740993n), false],
    ['no map', [], false],
  ]
  for (const [name, affinity, isTaken] of ROWS)
    test(name, () => assert.is(podAffinityProblems(affinity).length === 0, isTaken))
})

suite('node affinity of a new pod', (test) => {
  const ROWS: Array<[name: string, term: unknown, required: boolean, preferred: boolean]> = [
    ['an empty term', {}, true, true],
    ['In', expression('In', 'a'), true, true],
    ['In without values', expression('In'), false, false],
    ['Exists with values', expression('Exists', 'a'), false, false],
    ['Gt of no integer, which matches nothing', expression('Gt', 'x'), true, true],
    ['Gt of two', expression('Gt', '1', '2'), false, false],
    ['a value that no label can be', expression('In', 'a b'), false, true],
    ['a key that is none', { matchExpressions: [{ key: 'a b', operator: 'Exists' }] }, false, false],
    ['an unknown operator', expression('Foo'), false, false],
    ['a field', { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }, true, true],
    [
      'two values of a field',
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] },
      false,
      false,
    ],
    ['another field', { matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }, false, false],
    ['no list', { matchExpressions: {} }, false, false],
    ['no requirement', { matchExpressions: ['x'] }, false, false],
  ]
  for (const [name, term, required, preferred] of ROWS)
    test(name, () => {
      const taken = [nodeSelectorProblem([term]), nodeTermProblem(term, { isPreference: true })]
      assert.equal(
        taken.map((problem) => problem === undefined),
        [required, preferred],
      )
    })
  test('no term at all', () => assert.ok(nodeSelectorProblem([])))
})
