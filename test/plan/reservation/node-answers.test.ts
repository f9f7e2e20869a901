/** Which rule let a node have its Ticket, and why it has none. */
import * as assert from 'uvu/assert'
import { answersTo } from '../../../src/face/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, inventory, listOf, OS, policy, shape, TYPE } from '../../support/objects.ts'
import { NOON, nodes, nodesAt, order } from '../../support/orders.ts'
import { rerender } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const GPU = { key: 'gpu', value: 'a100', effect: 'NoSchedule' }
const gpu = shape({ [OS]: 'linux', accelerator: 'a100' }, ['gpu-1'], '4', '16Gi', { taints: [GPU] })
const answers = (result: ReturnType<typeof plan>, name: string) =>
  answersTo({ about: 'node', name }, result).map(({ sentence, lines = [] }) => [
    sentence.replace(/-[0-9a-f]{10}$/, ''),
    ...lines,
  ])
const READY = 'Ready: it is Ready, and not cordoned'

suite('nodefit explain --node of an Order', (test) => {
  const forGpus = order(
    {},
    { nodeSelector: { accelerator: 'a100' }, tolerations: [{ key: 'gpu', operator: 'Exists' }] },
  )
  const fleet = nodesAt(NOON, nodes('a'), gpu)
  test('names the Ticket, and each rule that lets its node in', () => {
    assert.equal(answers(plan(listOf([fleet, forGpus])), 'gpu-1'), [
      [
        'Ticket infra-gpu-1',
        READY,
        'nodeSelector: accelerator=a100 matches',
        'taint: gpu=a100:NoSchedule is tolerated',
      ],
    ])
  })
  test('says of a template without a selector that it selects every node', () => {
    assert.equal(answers(plan(listOf([fleet, order()])), 'a'), [
      ['Ticket infra-a', READY, 'nodeSelector: the template selects every node'],
    ])
  })
  test('says which rule leaves a node out', () => {
    assert.equal(answers(plan(listOf([fleet, order()])), 'gpu-1'), [
      ['1 node left out by taint, the taint gpu=a100:NoSchedule is not tolerated (gpu-1)'],
    ])
    assert.equal(answers(plan(listOf([fleet, forGpus])), 'a'), [
      ['1 node left out by nodeSelector, nodeSelector accelerator=a100 does not match (a)'],
    ])
  })
  test('knows nothing of a node that is not there', () => {
    assert.equal(answers(plan(listOf([fleet, order()])), 'b'), [])
  })
  test('says of a node name and of affinity that they match', () => {
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: OS, operator: 'In', values: ['linux'] }] }] }
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } }
    assert.equal(answers(plan(listOf([fleet, order({}, { nodeName: 'a', affinity })])), 'a'), [
      ['Ticket infra-a', READY, 'nodeName: the template names the node a', 'affinity: required node affinity matches'],
    ])
  })
  test('says that a Ticket is kept on a node that is not eligible any more', () => {
    const keep = config({ korder: { keep: true } })
    const first = plan(listOf([fleet, order(), keep]))
    const down = nodesAt(NOON, shape({ [OS]: 'linux' }, ['a'], '4', '16Gi', { ready: 'False' }), gpu)
    const second = rerender(first, (object) => (object.kind === 'NodeInventory' ? down : object))
    assert.equal(answers(second, 'a'), [
      ['Ticket infra-a', 'kept although it is not eligible any more: its Ready condition is False'],
    ])
  })
  test('says that the window is closed', () => {
    const nightly = order({ strategy: { type: 'Scheduled', schedule: '0 2 * * *' } }, { duration: '1h' })
    assert.equal(answers(plan(listOf([fleet, nightly])), 'a'), [['infra: no Ticket now: its window is closed']])
  })
  test('of an Order that a policy sizes names the Ticket beside the group', () => {
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
    const types = nodesAt(NOON, shape({ [TYPE]: 'm5', [OS]: 'linux' }, ['a']))
    const [ticket, group] = answers(plan(listOf([types, order(), sizing])), 'a')
    assert.equal([ticket?.[0], ticket?.[1]], ['Ticket infra-m5-a', READY])
    assert.match(group?.[0] ?? '', 'infra-m5 for value:m5: 1 node (a)')
  })
  test('of a plain Order names the group alone', () => {
    const plainOrder = order({ daemonSet: false })
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
    const types = inventory([shape({ [TYPE]: 'm5', [OS]: 'linux' }, ['a'])])
    assert.is(answers(plan(listOf([types, plainOrder, sizing])), 'a').length, 1)
  })
})
