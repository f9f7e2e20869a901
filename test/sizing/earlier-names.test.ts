/** What is read of the names of earlier output, whatever a user made of it. */
import * as assert from 'uvu/assert'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { earlierNames } from '../../src/sizing/earlier-names.ts'
import { suite } from '../support/suite.ts'

const KEY = 'node-group'
const item = (group: unknown, name: unknown, label?: unknown) =>
  newItem({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name,
      annotations: { 'nodefit.dev/group': group },
      labels: label === undefined ? null : { [KEY]: label },
    },
  } as unknown as KubernetesObject)

const ROWS: Array<[name: string, items: Parameters<typeof item>[], names: object]> = [
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
  for (const [name, items, names] of ROWS)
    test(name, () =>
      assert.equal(
        Object.fromEntries(
          earlierNames(
            items.map((one) => item(...one)),
            KEY,
          ),
        ),
        names,
      ),
    )
})
