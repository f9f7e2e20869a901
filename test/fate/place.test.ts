/** The files of new objects: beside their policy, and never in one that something else writes whole. */
import * as assert from 'uvu/assert'
import { Places } from '../../src/fate/compare.ts'
import { newItem } from '../../src/krm/item.ts'
import type { Item } from '../../src/krm/types.ts'
import { suite } from '../support/suite.ts'

const PATH = 'internal.config.kubernetes.io/path'
const INDEX = 'internal.config.kubernetes.io/index'
const at = (path: string, apiVersion: string, kind: string, annotations: object = {}): Item =>
  newItem({ apiVersion, kind, metadata: { name: 'a', annotations: { [PATH]: path, ...annotations } } })
const NODEFIT = 'nodefit.dev/v1alpha1'
const policy = at('fleet/policy.yaml', NODEFIT, 'PoolPolicy')
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }

suite('a new object', (test) => {
  const ROWS: Record<string, [others: Item[], file: string, index: string]> = {
    'has a file beside its policy': [[], 'fleet/nodes.yaml', '0'],
    'follows what is in that file': [
      [at('fleet/nodes.yaml', 'v1', 'Node', { 'nodefit.dev/owner': 'fields' })],
      'fleet/nodes.yaml',
      '1',
    ],
    'is not in the file of an inventory': [
      [at('fleet/nodes.yaml', NODEFIT, 'NodeInventory')],
      'fleet/rendered-nodes.yaml',
      '0',
    ],
    'is not in the file of a snapshot': [
      [at('fleet/nodes.yaml', NODEFIT, 'WorkloadSnapshot')],
      'fleet/rendered-nodes.yaml',
      '0',
    ],
    'is not in the file of Nodes that kubectl wrote': [
      [at('fleet/nodes.yaml', 'v1', 'Node')],
      'fleet/rendered-nodes.yaml',
      '0',
    ],
    'is in the file of its name where the inventory of another folder has that name': [
      [at('other/nodes.yaml', NODEFIT, 'NodeInventory')],
      'fleet/nodes.yaml',
      '0',
    ],
  }
  for (const [name, [others, file, index]] of Object.entries(ROWS))
    test(name, () => {
      const { annotations } = new Places([policy, ...others]).put(node, policy, 'nodes.yaml').object.metadata
      assert.equal([annotations?.[PATH], annotations?.[INDEX]], [file, index])
    })
})
