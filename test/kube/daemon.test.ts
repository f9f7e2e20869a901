import * as assert from 'uvu/assert'
import { daemonEligibility, type PodSpec, type Taint, tolerates, untoleratedTaint } from '../../src/kube/index.ts'
import { taintSortKey, taintText } from '../../src/kube/taint.ts'
import { suite } from '../support/suite.ts'

const LINUX = { 'kubernetes.io/os': 'linux' }
const taint = (key: string, effect: string, value?: string): Taint => ({
  key,
  effect,
  ...(value === undefined ? {} : { value }),
})
const required = (...terms: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
})

const ELIGIBILITY: Array<[name: string, spec: PodSpec, taints: Taint[], run: boolean, stay: boolean]> = [
  ['no constraints', {}, [], true, true],
  ['the nodeSelector matches', { nodeSelector: LINUX }, [], true, true],
  ['the nodeSelector does not match', { nodeSelector: { a: 'b' } }, [], false, false],
  ['another nodeName', { nodeName: 'other' }, [], false, false],
  ['its own nodeName', { nodeName: 'n1' }, [], true, true],
  ['an untolerated NoSchedule taint keeps new pods away only', {}, [taint('a', 'NoSchedule')], false, true],
  ['an untolerated NoExecute taint removes running pods', {}, [taint('a', 'NoExecute')], false, false],
  ['a PreferNoSchedule taint does not matter', {}, [taint('a', 'PreferNoSchedule')], true, true],
  ['a tolerated taint', { tolerations: [{ key: 'a', operator: 'Exists' }] }, [taint('a', 'NoExecute')], true, true],
  [
    'not ready, unreachable, pressure and cordon are tolerated',
    {},
    [
      taint('node.kubernetes.io/not-ready', 'NoExecute'),
      taint('node.kubernetes.io/unreachable', 'NoExecute'),
      taint('node.kubernetes.io/disk-pressure', 'NoSchedule'),
      taint('node.kubernetes.io/memory-pressure', 'NoSchedule'),
      taint('node.kubernetes.io/pid-pressure', 'NoSchedule'),
      taint('node.kubernetes.io/unschedulable', 'NoSchedule'),
    ],
    true,
    true,
  ],
  ['not-ready:NoSchedule is not among them', {}, [taint('node.kubernetes.io/not-ready', 'NoSchedule')], false, true],
  [
    'network-unavailable keeps pods away',
    {},
    [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')],
    false,
    true,
  ],
  [
    'unless they use the host network',
    { hostNetwork: true },
    [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')],
    true,
    true,
  ],
  [
    'matchFields by name',
    { affinity: required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }) },
    [],
    true,
    true,
  ],
  [
    'matchFields by another name',
    { affinity: required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }) },
    [],
    false,
    false,
  ],
  ['an empty term matches nothing', { affinity: required({}) }, [], false, false],
  [
    'a malformed term is one that does not match',
    { affinity: required({ matchExpressions: [{ key: 'a', operator: 'Near' }] }) },
    [],
    false,
    false,
  ],
]

suite('daemonEligibility', (test) => {
  for (const [name, spec, taints, shouldRun, shouldContinueRunning] of ELIGIBILITY) {
    test(name, () => {
      const node = { metadata: { name: 'n1', labels: LINUX }, spec: { taints } }
      assert.equal(daemonEligibility({ spec }, node), { shouldRun, shouldContinueRunning })
    })
  }
  test('a pod without spec and a node without labels', () => {
    assert.equal(daemonEligibility({}, { metadata: { name: 'n1' } }), { shouldRun: true, shouldContinueRunning: true })
  })
})

const TEXTS: Array<[name: string, taint: Taint, text: string, sortKey: string]> = [
  ['with a value', taint('a', 'NoSchedule', 'b'), 'a=b:NoSchedule', 'a=b:NoSchedule'],
  ['without a value', taint('a', 'NoExecute'), 'a:NoExecute', 'a=:NoExecute'],
  ['with an empty value', taint('a', 'NoExecute', ''), 'a:NoExecute', 'a=:NoExecute'],
]

suite('taints', (test) => {
  for (const [name, one, text, sortKey] of TEXTS)
    test(`the text of one ${name}`, () => {
      assert.is(taintText(one), text)
      assert.is(taintSortKey(one), sortKey)
    })
  test('the first untolerated taint, of the effects asked for', () => {
    const taints = [taint('a', 'NoSchedule'), taint('b', 'NoExecute'), taint('c', 'NoExecute')]
    assert.is(untoleratedTaint(taints, [])?.key, 'a')
    assert.is(untoleratedTaint(taints, [], ['NoExecute'])?.key, 'b')
    assert.is(untoleratedTaint(taints, [{ key: 'b', operator: 'Exists' }], ['NoExecute'])?.key, 'c')
    assert.is(untoleratedTaint(taints, [{ operator: 'Exists' }]), undefined)
    assert.is(untoleratedTaint(taints, [], []), undefined)
  })
  test('numeric comparison only where it is switched on', () => {
    const sla = taint('sla', 'NoExecute', '950')
    const above = { key: 'sla', operator: 'Gt', value: '900' }
    assert.is(tolerates(above, sla), false)
    assert.is(tolerates(above, sla, { comparisonOperators: true }), true)
    assert.is(tolerates({ ...above, operator: 'Lt' }, sla, { comparisonOperators: true }), false)
  })
})
