/** The 75 eligibility cases of the korder report (section 5.1), with what the DaemonSet controller does beside them. */
import * as assert from 'uvu/assert'
import { daemonEligibility, type PodSpec, type Taint, type Toleration, tolerates } from '../../../src/kube/index.ts'
import { ineligible, mayStay, type Rule } from '../../../src/plan/reservation/ticket/eligibility.ts'
import { suite } from '../../support/suite.ts'

interface Node {
  name?: string
  labels?: Record<string, string>
  taints?: Taint[]
  ready?: string | null
  cordoned?: boolean
}

const linux = { 'kubernetes.io/os': 'linux' }
const selector = (nodeSelector: Record<string, string>) => ({ nodeSelector })
/** `key=value:effect`, value left out for none. */
const taint = (text: string): Taint => {
  const [, key = '', , value, effect = ''] =
    /^([^=:]+)(=([^:]*))?:(.+)$/.exec(text)?.map((part) => part ?? undefined) ?? []
  const [, found] = /=([^:]*):/.exec(text) ?? []
  return found === undefined
    ? { key, effect: text.slice(text.lastIndexOf(':') + 1) }
    : { key, value: found, effect: effect || value || '' }
}
const tainted = (...texts: string[]): Node => ({ taints: texts.map(taint) })
const tolerating = (...tolerations: Toleration[]): PodSpec => ({ ...selector(linux), tolerations })
const ALL: Toleration = { operator: 'Exists' }
const NO_SCHEDULE: Toleration = { operator: 'Exists', effect: 'NoSchedule' }
const required = (...terms: object[]): PodSpec => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
})
const label = (key: string, operator: string, values?: string[]) => ({ matchExpressions: [{ key, operator, values }] })
const field = (operator: string, values: string[]) => ({ matchFields: [{ key: 'metadata.name', operator, values }] })
const labelled = (labels: Record<string, string>): Node => ({ labels: { ...linux, ...labels } })
const gpu = (...more: string[]): Node => ({
  ...labelled({ accelerator: 'nvidia-tesla-k80' }),
  ...tainted('nvidia.com/gpu=present:NoSchedule', 'dedicated=gpu:NoSchedule', ...more),
})
const EXAMPLE_2: PodSpec = {
  ...selector({ accelerator: 'nvidia-tesla-k80', ...linux }),
  tolerations: [
    { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' },
  ],
}
const NOT_READY = ['node.kubernetes.io/not-ready:NoSchedule', 'node.kubernetes.io/not-ready:NoExecute']
const UNREACHABLE = ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute']
const CORDON = 'node.kubernetes.io/unschedulable:NoSchedule'
const down = (ready: string, taints: string[]): Node => ({ ...tainted(...taints), ready })
const OS = selector(linux)
const compare = (operator: string): Toleration => ({ key: 'sla', operator, value: '950', effect: 'NoSchedule' })

/** Row, node, template, the rule that leaves it out (none: eligible), and the DaemonSet controller's start and keep. */
const CASES: Array<[row: number, node: Node, pod: PodSpec, rule: Rule | undefined, daemon: string]> = [
  [1, {}, OS, undefined, 'yes/yes'],
  [2, down('False', NOT_READY), OS, 'Ready', 'no/yes'],
  [3, down('False', NOT_READY), tolerating(ALL), 'Ready', 'yes/yes'],
  [4, down('Unknown', UNREACHABLE), tolerating(ALL), 'Ready', 'yes/yes'],
  [5, { ready: null }, OS, 'Ready', 'yes/yes'],
  [6, tainted('node.kubernetes.io/not-ready:NoSchedule'), OS, 'taint', 'no/yes'],
  [7, tainted('node.kubernetes.io/memory-pressure:NoSchedule'), OS, 'taint', 'yes/yes'],
  [8, {}, OS, undefined, 'yes/yes'],
  [
    9,
    tainted('node.kubernetes.io/disk-pressure:NoSchedule'),
    tolerating({ key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' }),
    undefined,
    'yes/yes',
  ],
  [10, tainted('node.kubernetes.io/network-unavailable:NoSchedule'), OS, 'taint', 'no/yes'],
  [11, { ...tainted(CORDON), cordoned: true }, OS, 'cordoned', 'yes/yes'],
  [12, { ...tainted(CORDON), cordoned: true }, tolerating(NO_SCHEDULE), 'cordoned', 'yes/yes'],
  [13, { cordoned: true }, OS, 'cordoned', 'yes/yes'],
  [14, tainted(CORDON), OS, 'taint', 'yes/yes'],
  [15, {}, OS, undefined, 'yes/yes'],
  [16, {}, selector({ 'kubernetes.io/os': 'windows' }), 'nodeSelector', 'no/no'],
  [17, {}, selector({ accelerator: 'nvidia-tesla-k80' }), 'nodeSelector', 'no/no'],
  [
    18,
    labelled({ 'node-role.kubernetes.io/worker': '' }),
    selector({ 'node-role.kubernetes.io/worker': '' }),
    undefined,
    'yes/yes',
  ],
  [19, {}, selector({ 'node-role.kubernetes.io/worker': '' }), 'nodeSelector', 'no/no'],
  [20, {}, selector({}), undefined, 'yes/yes'],
  [
    21,
    labelled({ accelerator: 'nvidia-tesla-k80' }),
    selector({ accelerator: 'nvidia-tesla-k80', ...linux }),
    undefined,
    'yes/yes',
  ],
  [
    22,
    labelled({ accelerator: 'nvidia-tesla-t4' }),
    selector({ accelerator: 'nvidia-tesla-k80', ...linux }),
    'nodeSelector',
    'no/no',
  ],
  [23, labelled({ accelerator: 'nvidia' }), selector({ accelerator: 'Nvidia' }), 'nodeSelector', 'no/no'],
  [24, tainted('dedicated=db:NoSchedule'), OS, 'taint', 'no/yes'],
  [25, tainted('dedicated=db:PreferNoSchedule'), OS, undefined, 'yes/yes'],
  [
    26,
    tainted('dedicated=db:PreferNoSchedule'),
    tolerating({ key: 'other', operator: 'Exists' }),
    undefined,
    'yes/yes',
  ],
  [27, tainted('dedicated=db:NoSchedule'), tolerating(NO_SCHEDULE), undefined, 'yes/yes'],
  [28, tainted('dedicated=db:NoExecute'), tolerating(NO_SCHEDULE), 'taint', 'no/no'],
  [29, tainted('dedicated=db:NoExecute'), tolerating(ALL), undefined, 'yes/yes'],
  [
    30,
    tainted('a:NoSchedule', 'b:NoExecute'),
    tolerating(NO_SCHEDULE, { operator: 'Exists', effect: 'NoExecute' }),
    undefined,
    'yes/yes',
  ],
  [
    31,
    tainted('nvidia.com/gpu=present:NoSchedule'),
    tolerating({ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }),
    undefined,
    'yes/yes',
  ],
  [
    32,
    tainted('nvidia.com/gpu=present:NoExecute'),
    tolerating({ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }),
    'taint',
    'no/no',
  ],
  [
    33,
    tainted('gpu:NoSchedule', 'gpu:NoExecute'),
    tolerating({ key: 'gpu', operator: 'Exists' }),
    undefined,
    'yes/yes',
  ],
  [
    34,
    tainted('dedicated=gpu:NoSchedule'),
    tolerating({ key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' }),
    undefined,
    'yes/yes',
  ],
  [
    35,
    tainted('dedicated=cpu:NoSchedule'),
    tolerating({ key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' }),
    'taint',
    'no/yes',
  ],
  [36, tainted('dedicated=gpu:NoSchedule'), tolerating({ key: 'dedicated', value: 'gpu' }), undefined, 'yes/yes'],
  [37, tainted('flag:NoSchedule'), tolerating({ key: 'flag', operator: 'Equal' }), undefined, 'yes/yes'],
  [38, tainted('flag=1:NoSchedule'), tolerating({ key: 'flag', operator: 'Equal' }), 'taint', 'no/yes'],
  [39, tainted('a:NoSchedule', 'b:NoSchedule'), tolerating({ key: 'a', operator: 'Exists' }), 'taint', 'no/yes'],
  [
    40,
    tainted('a:NoSchedule', 'b:NoSchedule'),
    tolerating({ key: 'a', operator: 'Exists' }, { key: 'b', operator: 'Exists' }),
    undefined,
    'yes/yes',
  ],
  [41, tainted('dedicated-gpu:NoSchedule'), tolerating({ key: 'dedicated', operator: 'Exists' }), 'taint', 'no/yes'],
  [
    42,
    tainted('maint:NoExecute'),
    tolerating({ key: 'maint', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }),
    undefined,
    'yes/yes',
  ],
  [43, tainted('node-role.kubernetes.io/control-plane:NoSchedule'), OS, 'taint', 'no/yes'],
  [44, tainted('node-role.kubernetes.io/control-plane:NoSchedule'), tolerating(NO_SCHEDULE), undefined, 'yes/yes'],
  [45, tainted('virtual-kubelet.io/provider=x:NoSchedule'), tolerating(NO_SCHEDULE), undefined, 'yes/yes'],
  [
    46,
    tainted('node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule'),
    tolerating(NO_SCHEDULE),
    undefined,
    'yes/yes',
  ],
  [47, gpu(), EXAMPLE_2, undefined, 'yes/yes'],
  [48, gpu('spot=true:NoSchedule'), EXAMPLE_2, 'taint', 'no/yes'],
  [49, tainted('sla=990:NoSchedule'), tolerating(compare('Gt')), 'taint', 'no/yes'],
  [55, labelled({ zone: 'a' }), required(label('zone', 'In', ['a', 'b'])), undefined, 'yes/yes'],
  [56, labelled({ zone: 'c' }), required(label('zone', 'In', ['a', 'b'])), 'affinity', 'no/no'],
  [57, {}, required(label('zone', 'NotIn', ['a'])), undefined, 'yes/yes'],
  [58, {}, required(label('gpu', 'Exists')), 'affinity', 'no/no'],
  [59, {}, required(label('gpu', 'DoesNotExist')), undefined, 'yes/yes'],
  [60, labelled({ cores: '16' }), required(label('cores', 'Gt', ['8'])), undefined, 'yes/yes'],
  [61, labelled({ cores: 'sixteen' }), required(label('cores', 'Gt', ['8'])), 'affinity', 'no/no'],
  [62, labelled({ cores: '16' }), required(label('cores', 'Gt', ['8', '32'])), 'affinity', 'no/no'],
  [
    63,
    labelled({ 'kubernetes.io/arch': 'arm64' }),
    required(label('kubernetes.io/arch', 'In', ['amd64']), label('kubernetes.io/os', 'In', ['linux'])),
    undefined,
    'yes/yes',
  ],
  [
    64,
    labelled({ 'kubernetes.io/arch': 'arm64' }),
    required({
      matchExpressions: [
        ...label('kubernetes.io/arch', 'In', ['amd64']).matchExpressions,
        ...label('kubernetes.io/os', 'In', ['linux']).matchExpressions,
      ],
    }),
    'affinity',
    'no/no',
  ],
  [65, {}, required({}), 'affinity', 'no/no'],
  [66, {}, required(), 'affinity', 'no/no'],
  [67, {}, required(field('In', ['n1'])), undefined, 'yes/yes'],
  [68, {}, required(field('In', ['n1', 'n2'])), 'affinity', 'no/no'],
  [69, { name: 'n2' }, required(field('NotIn', ['n1'])), undefined, 'yes/yes'],
  [
    70,
    labelled({ zone: 'c' }),
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: label('zone', 'In', ['a']) }],
        },
      },
    },
    undefined,
    'yes/yes',
  ],
  [71, labelled({ zone: 'c' }), { ...OS, ...required(label('zone', 'In', ['a'])) }, 'affinity', 'no/no'],
  [72, {}, { ...OS, nodeName: 'n2' }, 'nodeName', 'no/no'],
  [73, { name: 'n2' }, { ...OS, nodeName: 'n2' }, undefined, 'yes/yes'],
  [74, {}, OS, undefined, 'yes/yes'],
  [
    75,
    {},
    {
      ...OS,
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
        },
      },
      topologySpreadConstraints: [{ maxSkew: 1 }],
    },
    undefined,
    'yes/yes',
  ],
]

/** With the feature gate on; a run has none, so these are about the rule alone. */
const GATED: Array<[row: number, taint: string, toleration: Toleration, want: boolean]> = [
  [50, 'sla=990:NoSchedule', compare('Gt'), true],
  [51, 'sla=950:NoSchedule', compare('Gt'), false],
  [52, 'sla=900:NoSchedule', compare('Lt'), true],
  [53, 'sla=0990:NoSchedule', compare('Gt'), false],
  [54, 'sla=high:NoSchedule', compare('Gt'), false],
]

const state = ({ labels = linux, taints = [], ready = 'True', cordoned = false }: Node) => ({
  labels,
  taints,
  ready: ready ?? undefined,
  unschedulable: cordoned,
})

suite('eligible nodes', (test) => {
  for (const [row, node, pod, rule, daemon] of CASES) {
    const { name = 'n1' } = node
    test(`E${row} ${rule === undefined ? 'eligible' : `left out by ${rule}`}`, () => {
      const found = ineligible(name, state(node), pod)
      assert.is(found?.rule, rule)
      if (found !== undefined) assert.ok(found.reason.length > 5)
    })
    test(`E${row} the DaemonSet controller: ${daemon}`, () => {
      const { labels, taints, unschedulable } = state(node)
      const { shouldRun, shouldContinueRunning } = daemonEligibility(
        { spec: pod },
        { metadata: { name, labels }, spec: { taints, unschedulable } },
      )
      assert.is(`${shouldRun ? 'yes' : 'no'}/${shouldContinueRunning ? 'yes' : 'no'}`, daemon)
    })
  }
  for (const [row, text, toleration, want] of GATED) {
    test(`E${row} with comparison operators`, () => {
      assert.is(tolerates(toleration, taint(text), { comparisonOperators: true }), want)
      assert.not(tolerates(toleration, taint(text)))
    })
  }
  test('every case is there', () => {
    const rows = [...CASES.map(([row]) => row), ...GATED.map(([row]) => row)].sort((a, b) => a - b)
    assert.equal(
      rows,
      Array.from({ length: 75 }, (_, index) => index + 1),
    )
  })
  test('a Ticket may stay where a DaemonSet’s pod may, but not on a cordoned node', () => {
    for (const [row, node, pod, , daemon] of CASES)
      assert.is(mayStay(node.name ?? 'n1', state(node), pod), daemon.endsWith('/yes') && !node.cordoned, `E${row}`)
  })
})
