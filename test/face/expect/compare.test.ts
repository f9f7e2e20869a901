/** Expected and got, side by side: each kind of expectation, held and not held. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { actionPolicy } from '../../support/action-package.ts'
import { config, daemonSet, inventory, policy, SMALL, shape, TYPE } from '../../support/objects.ts'
import { order } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'
import { mismatchesOf, sidesOf } from './support.ts'

const POD = { containers: [{ name: 'agent', image: 'agent:1', resources: SMALL }] }
const PACKAGE = [policy(), daemonSet(POD)]
const NODES = [
  { name: 'small', count: 2, type: 'm5.large', cpu: 2, memory: '8Gi' },
  { name: 'large', type: 'm5.4xlarge', cpu: 16, memory: '64Gi' },
]
const tainted = { name: 'gpu', type: 'g5', cpu: 4, memory: '16Gi', taints: [{ key: 'gpu', effect: 'NoExecute' }] }
const closed = { name: 'new', type: 'm5.large', cpu: 2, memory: '8Gi', taints: [{ key: 'x', effect: 'NoSchedule' }] }
const LARGE = { node: 'large', requests: { cpu: '320m' }, limits: { cpu: '0.8', memory: '3276Mi' } }

type Row = [what: string, expect: object, sides: string[], more?: { objects?: KubernetesObject[]; spec?: object }]

const ROWS: Row[] = [
  ['amounts of a node, however they are written', { sizes: [LARGE] }, []],
  ['amounts of a group by its label value', { sizes: [{ ...LARGE, node: undefined, group: 'm5.4xlarge' }] }, []],
  ['by its name part', { sizes: [{ group: 'm5-4xlarge', requests: { cpu: '320m' } }] }, []],
  ['by the name of its DaemonSet', { sizes: [{ group: 'agent-m5-4xlarge', requests: { cpu: '320m' } }] }, []],
  [
    'each amount that is another one',
    { sizes: [{ node: 'small-2', requests: { cpu: '40m', memory: '180Mi' }, limits: { memory: '1Gi' } }] },
    ['node small-2: requests.cpu | 40m | 100m', 'node small-2: limits.memory | 1Gi | 409Mi'],
  ],
  [
    'a limit that should not be there, and one that should',
    { sizes: [{ group: 'm5.large', limits: { cpu: null, memory: '409Mi' } }] },
    ['group m5.large: limits.cpu | none | 100m'],
  ],
  [
    'an amount that is not set',
    { sizes: [{ node: 'large', limits: { cpu: '800m', memory: null } }] },
    ['node large: limits.cpu | 800m | none'],
    { objects: [policy({ resourcePercentages: { limitCPU: 'none', limitMemory: 'none' }, minResources: undefined })] },
  ],
  ['a container by its name', { sizes: [{ ...LARGE, container: 'agent' }] }, []],
  ['another container', { sizes: [{ ...LARGE, container: 'sidecar' }] }, ['node large | container sidecar | agent']],
  [
    'a container beside the one that is sized, by its name',
    { sizes: [{ node: 'large', container: 'b', requests: { cpu: '5m' } }] },
    ['node large, b: requests.cpu | 5m | 7m'],
    {
      objects: [
        daemonSet({
          containers: [...POD.containers, { name: 'b', image: 'b', resources: { requests: { cpu: '7m' } } }],
        }),
      ],
    },
  ],
  [
    'variables of the container',
    { sizes: [{ node: 'small-1', env: { GOMEMLIMIT: '343597383', OTHER: null, LEVEL: 'info', KEY: null } }] },
    [
      'node small-1: GOMEMLIMIT | 343597383 | 327MiB',
      'node small-1: LEVEL | info | debug',
      'node small-1: KEY | none | valueFrom',
    ],
    {
      objects: [
        policy({ goMemLimitPercentage: 0.8 }),
        daemonSet({
          containers: [
            {
              ...POD.containers[0],
              env: [
                { name: 'LEVEL', value: 'debug' },
                { name: 'KEY', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
              ],
            },
          ],
        }),
      ],
    },
  ],
  ['a node that is not there', { sizes: [{ ...LARGE, node: 'x' }] }, ['node x | a pod of this size | no such node']],
  [
    'a group that is not there',
    { sizes: [{ group: 'x', requests: { cpu: 1 } }] },
    ['group x | a pod of this size | no such group'],
  ],
  [
    'a node without an agent',
    { sizes: [{ ...LARGE, node: 'gpu' }] },
    ['node gpu | a pod of this size | without: the taint gpu:NoExecute is not tolerated'],
    { spec: { nodes: [...NODES, tainted] } },
  ],
  ['groups', { groups: { 'm5.large': 2, 'm5.4xlarge': 1 } }, []],
  ['groups without nodes may be listed', { groups: { 'm5.large': 2, 'm5.4xlarge': 1, default: 0, remainder: 0 } }, []],
  [
    'other counts, a group that is missing and one that is not expected',
    { groups: { 'm5.large': 3, t3: 0 } },
    [
      'group m5.large | 3 nodes | 2 nodes: small-1, small-2',
      'group t3 | 0 nodes | no such group',
      'group agent-m5-4xlarge | none | 1 node: large',
    ],
  ],
  [
    'groups of an inventory that only counts',
    { groups: { 'm5.large': 3 } },
    ['group m5.large | 3 nodes | 2 nodes'],
    {
      spec: { nodes: undefined, inventory: 'prod' },
      objects: [
        inventory([
          { labels: { [TYPE]: 'm5.large' }, ready: 'True', allocatable: { cpu: 2, memory: '8Gi' }, count: 2 },
        ]),
      ],
    },
  ],
  ['no node without an agent', { without: [] }, []],
  [
    'nodes without an agent, tainted ones where none starts among them',
    { without: ['gpu', 'new'] },
    [],
    { spec: { nodes: [...NODES, tainted, closed] } },
  ],
  [
    'nodes that are served after all, and others that are not',
    { without: ['large', 'x'] },
    [
      'node large | without | agent-m5-4xlarge',
      'node x | without | no such node',
      'node gpu | served | without: the taint gpu:NoExecute is not tolerated',
    ],
    { spec: { nodes: [...NODES, tainted] } },
  ],
  [
    'nodes without an agent that have no names',
    { without: [] },
    [
      'node b | served | without: nodeSelector or affinity does not match',
      '2 nodes without a name | served | without: nodeSelector or affinity does not match',
    ],
    {
      spec: { nodes: undefined, inventory: 'prod' },
      objects: [
        inventory([
          shape({ [TYPE]: 'm5.large' }, ['a']),
          shape({ no: 'at all' }, ['b']),
          { labels: { no: 'yes' }, ready: 'True', allocatable: { cpu: 2, memory: '8Gi' }, count: 2 },
        ]),
        policy({ nodeSelector: { [TYPE]: 'm5.large' } }),
      ],
    },
  ],
  ['warnings are not looked at unless they are asked for', { groups: { 'm5.large': 2, 'm5.4xlarge': 1 } }, []],
  [
    'findings by code, with severity and a part of the message',
    { findings: [{ code: 'TotalGrows', severity: 'warning', says: '0.52 cores' }] },
    [],
  ],
  ['an info that is asked for', { findings: [{ code: 'TotalGrows' }, { code: 'PolicySummary', says: '3 nodes' }] }, []],
  ['no findings', { findings: [] }, ['finding | none | warning TotalGrows: agent: its pods']],
  [
    'a finding that is not there, of another severity, and with another message',
    {
      findings: [
        { code: 'TotalGrows', says: 'the moon' },
        { code: 'LimitAdded' },
        { code: 'PolicySummary', severity: 'warning' },
      ],
    },
    [
      'finding | TotalGrows: …the moon… | warning TotalGrows: agent: its pods',
      'finding | LimitAdded | none',
      'finding | warning PolicySummary | info PolicySummary: agent: 2 groups',
      'finding | none | warning TotalGrows: agent: its pods',
    ],
  ],
  [
    'a run that fails without that being expected',
    { groups: {} },
    ['finding | none | error NoNodes'],
    { spec: { nodes: [] } },
  ],
  ['a run that fails as expected', { findings: [{ code: 'NoNodes', severity: 'error' }] }, [], { spec: { nodes: [] } }],
  [
    'a run that fails as expected has no groups to compare',
    { findings: [{ code: 'NoNodes' }], groups: { a: 1 } },
    ['render | groups and sizes | an error'],
    { spec: { nodes: [] } },
  ],
  [
    'an inventory that is not there',
    { groups: {} },
    ['inventory | prod-us | prod'],
    { spec: { nodes: undefined, inventory: 'prod-us' }, objects: [inventory([shape({}, ['a'])])] },
  ],
  [
    'a package without inventories',
    { groups: {} },
    ['inventory | prod-us | no NodeInventory'],
    { spec: { nodes: undefined, inventory: 'prod-us' } },
  ],
  ['a policy that is not there', { groups: {} }, ['policy | b | SizingPolicy agent'], { spec: { policy: 'b' } }],
  [
    'one of two policies, by name or not at all',
    { without: ['large'] },
    ['policy | one, or its name in spec.policy | SizingPolicy agent, SizingPolicy other'],
    {
      objects: [
        policy({ nodeSelector: { [TYPE]: 'm5.large' } }),
        policy({ nodeSelector: { [TYPE]: 'm5.4xlarge' } }, 'other'),
      ],
    },
  ],
  [
    'each of two policies by its name',
    { without: ['small-1', 'small-2'], groups: { 'm5.4xlarge': 1 } },
    [],
    {
      spec: { policy: 'other' },
      objects: [
        policy({ nodeSelector: { [TYPE]: 'm5.large' } }),
        policy({ nodeSelector: { [TYPE]: 'm5.4xlarge' } }, 'other'),
      ],
    },
  ],
  [
    'nodes that get no Ticket of an Order',
    { without: ['gpu'] },
    ['node large | served | without: '],
    {
      spec: { policy: 'batch', now: '2026-11-20T12:00:00Z', nodes: [...NODES, tainted] },
      objects: [order({}, { nodeSelector: { [TYPE]: 'm5.large' }, resources: SMALL }, { name: 'batch' })],
    },
  ],
  [
    'nodes that have a Ticket of an Order',
    { without: ['large', 'small-1', 'small-2'] },
    [
      'node large | without | batch-large-',
      'node small-1 | without | batch-small-1-',
      'node small-2 | without | batch-small-2-',
    ],
    {
      spec: { policy: 'batch', now: '2026-11-20T12:00:00Z' },
      objects: [order({}, { resources: SMALL }, { name: 'batch' })],
    },
  ],
  [
    'amounts of an Order that is sized per group',
    { sizes: [{ group: 'm5.4xlarge', requests: { cpu: '2' } }] },
    ['group m5.4xlarge: requests.cpu | 2 | 320m'],
    {
      spec: { policy: 'sized', now: '2026-11-20T12:00:00Z' },
      objects: [
        policy({ targetRef: { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', name: 'batch' } }, 'sized'),
        order({}, { resources: SMALL }, { name: 'batch' }),
      ],
    },
  ],
  [
    'one policy beside a planner that serves no nodes',
    { groups: { 'm5.large': 2, 'm5.4xlarge': 1 } },
    [],
    { objects: [actionPolicy()] },
  ],
  ...['agent', 'logging/agent'].map((name): Row => {
    const metadata = { namespace: 'logging' }
    const objects = [
      { ...policy(), metadata: { name: 'agent', ...metadata } },
      daemonSet(POD, metadata),
      ...[policy({ targetRef: { name: 'second' } }, 'other'), { ...daemonSet(POD), metadata: { name: 'second' } }],
    ]
    return [
      `a policy in a namespace as ${name}`,
      { groups: { 'm5.large': 2, 'm5.4xlarge': 1 } },
      [],
      { spec: { policy: name }, objects },
    ]
  }),
  [
    'a policy in another namespace',
    { groups: {} },
    ['policy | logging/agent | SizingPolicy agent'],
    { spec: { policy: 'logging/agent' } },
  ],
  [
    'the container that is sized beside one that is not, without its name',
    { sizes: [{ node: 'large', requests: { cpu: '320m' } }] },
    [],
    { objects: [daemonSet({ containers: [{ name: 'a', image: 'a' }, ...POD.containers] })] },
  ],
  [
    'a variable of a container that ends before the others begin',
    { sizes: [{ node: 'large', container: 'setup', env: { MODE: 'slow' } }] },
    ['node large, setup: MODE | slow | fast'],
    {
      objects: [
        daemonSet({ ...POD, initContainers: [{ name: 'setup', image: 's', env: [{ name: 'MODE', value: 'fast' }] }] }),
      ],
    },
  ],
  ['as many variables as amounts', { sizes: [{ node: 'large', requests: { cpu: '320m' }, env: { OTHER: null } }] }, []],
  [
    'groups that are as expected, and a finding that is not',
    { groups: { 'm5.large': 2, 'm5.4xlarge': 1 }, findings: [] },
    ['finding | none | warning TotalGrows: agent: its pods'],
  ],
  [
    'a policy and a finding that are not there',
    { groups: {}, findings: [{ code: 'TotalGrows' }, { code: 'LimitAdded' }] },
    ['finding | LimitAdded | none', 'policy | b | SizingPolicy agent'],
    { spec: { policy: 'b' } },
  ],
  [
    'a run that fails as expected, without another finding',
    { findings: [{ code: 'NoNodes' }, { code: 'LimitAdded' }], groups: { a: 1 } },
    ['finding | LimitAdded | none', 'render | groups and sizes | an error'],
    { spec: { nodes: [] } },
  ],
  [
    'options of the run',
    { findings: [{ code: 'TotalGrows', severity: 'error' }] },
    [],
    { objects: [config({ severity: [{ code: 'TotalGrows', as: 'error' }] })] },
  ],
]

suite('expected and got', (test) => {
  for (const [what, expect, sides, { objects = [], spec = {} } = {}] of ROWS)
    test(what, () => {
      const given = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
      const all = [...PACKAGE.filter(({ kind, metadata }) => !given.has(`${kind} ${metadata.name}`)), ...objects]
      const found = sidesOf(JSON.parse(JSON.stringify({ nodes: NODES, ...spec, expect })), all)
      assert.is(found.length, sides.length, found.join('\n'))
      for (const [index, side] of sides.entries()) assert.ok(found[index]?.startsWith(side), found[index])
    })
  test('findings of one code are one row', () => {
    const config1 = config({ severity: [{ code: 'BelowTemplate', as: 'off', reason: 'x' }] })
    const two = [
      policy({ nodeSelector: { [TYPE]: 'm5.large' } }),
      policy({ nodeSelector: { [TYPE]: 'm5.4xlarge' } }, 'b'),
    ]
    const rows = mismatchesOf({ nodes: NODES, expect: { findings: [] } }, [...two, daemonSet(POD), config1])
    const codes = rows.map(({ got }) => got.split(':')[0])
    assert.is(new Set(codes).size, codes.length, codes.join())
    assert.ok(rows.some(({ got }) => /\(and [1-9]\d* more\)$/.test(got)))
    assert.not.ok(rows.some(({ got }) => got.includes('and 0 more')))
  })
})
