/** What is put on objects and taken off again, and what stays. */
import * as assert from 'uvu/assert'
import { markTemplate, releaseOutput, releaseTemplate } from '../../src/fate/hand-over.ts'
import { newItem } from '../../src/krm/index.ts'
import type { Item } from '../../src/krm/types.ts'
import { daemonSet } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const LOCAL = 'config.kubernetes.io/local-config'
const TEMPLATE = 'nodefit.dev/template'
const OWN = { 'example.com/own': 'x' }

const marked = (item: Item) => markTemplate(item).item
const OPENED = { 'nodefit.dev/opened-at': '2026-01-15T10:00:00Z', 'nodefit.dev/requirements': '4/8192' }
const ROWS: Array<[name: string, before: object, change: (item: Item) => Item, after: object]> = [
  ['a template is kept back', OWN, marked, { ...OWN, [LOCAL]: 'true', [TEMPLATE]: 'true' }],
  ['one that its user keeps back', { [LOCAL]: 'true' }, marked, { [LOCAL]: 'true', [TEMPLATE]: 'existing' }],
  [
    'one that a user applies again',
    { [LOCAL]: 'false', [TEMPLATE]: 'true' },
    marked,
    { [LOCAL]: 'true', [TEMPLATE]: 'true' },
  ],
  [
    'released: what we put on',
    { ...OWN, [LOCAL]: 'true', [TEMPLATE]: 'true' },
    (item) => releaseTemplate(item).item,
    OWN,
  ],
  [
    'released: what its user put on stays',
    { [LOCAL]: 'true', [TEMPLATE]: 'existing' },
    (item) => releaseTemplate(item).item,
    { [LOCAL]: 'true' },
  ],
  [
    'output that is released: all that is ours goes, but for who may adopt it again',
    { ...OWN, 'nodefit.dev/owner': 'SizingPolicy/a', 'nodefit.dev/group': 'g' },
    releaseOutput,
    { ...OWN, 'nodefit.dev/released-by': 'SizingPolicy/a' },
  ],
  [
    'a machine that is released: what its owner must know later stays',
    { 'nodefit.dev/owner': 'PoolPolicy/a', 'nodefit.dev/opened-for': 'ns/q', ...OPENED },
    releaseOutput,
    { 'nodefit.dev/opened-for': 'ns/q', ...OPENED, 'nodefit.dev/released-by': 'PoolPolicy/a' },
  ],
]

suite('marks', (test) => {
  for (const [name, annotations, change, after] of ROWS)
    test(name, () => assert.equal(change(newItem(daemonSet({}, { annotations }))).object.metadata.annotations, after))
})
