import * as assert from 'uvu/assert'
import * as policy from '../../src/kinds/index.ts'
import { suite } from '../support/suite.ts'

const { NODEFIT, KORDER } = policy

const OURS: Array<[name: string, is: typeof policy.isOrder, apiVersion: string, kind: string]> = [
  ['isSizingPolicy', policy.isSizingPolicy, NODEFIT, 'SizingPolicy'],
  ['isRenderConfig', policy.isRenderConfig, NODEFIT, 'RenderConfig'],
  ['isNodeInventory', policy.isNodeInventory, NODEFIT, 'NodeInventory'],
  ['isWorkloadSnapshot', policy.isWorkloadSnapshot, NODEFIT, 'WorkloadSnapshot'],
  ['isOrder', policy.isOrder, KORDER, 'Order'],
  ['isTicket', policy.isTicket, KORDER, 'Ticket'],
]

suite('kinds', (test) => {
  for (const [name, is, apiVersion, kind] of OURS)
    test(`${name}: its kind in its group, and no other`, () => {
      assert.ok(is({ apiVersion, kind }))
      for (const other of OURS.filter((one) => one[3] !== kind))
        assert.not(is({ apiVersion: other[2], kind: other[3] }))
      assert.not(is({ apiVersion: 'example.com/v1', kind }))
    })
  test('an inventory of another version is one still, to be refused where it is read', () => {
    assert.ok(policy.isNodeInventory({ apiVersion: 'nodefit.dev/v2', kind: 'NodeInventory' }))
    assert.not(policy.isSizingPolicy({ apiVersion: 'nodefit.dev/v2', kind: 'SizingPolicy' }))
  })
})
