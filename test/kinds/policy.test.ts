import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  decimal,
  nearest,
  policyFromFlat,
  readRenderConfig,
  readSizingPolicy,
  rulesOf,
  timesRoundedDown,
} from '../../src/kinds/index.ts'
import { codes, config, policy, settings } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const about = { part: '', meaning: '', mend: '' }
/** A table of codes, one of each sort. */
const CODES = {
  Orphaned: { severity: 'error', allowable: true, ...about },
  Foreign: { severity: 'error', ...about },
  Spread: { severity: 'warning', ...about },
} as const

const SUBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'function-input' } }

const FIELDS: Array<[name: string, spec: Record<string, unknown>, code: string, path: string, hint: string]> = [
  ['a misspelt field', { nodeGroupLable: 'x' }, 'UnknownField', 'spec.nodeGroupLable', 'did you mean nodeGroupLabel?'],
  [
    'both spellings',
    { goMemLimitPercentage: 0.8, gomemlimitPercentage: 0.8 },
    'InvalidField',
    'spec.gomemlimitPercentage',
    'cannot be set together with goMemLimitPercentage',
  ],
  [
    'the chart’s spelling out of range',
    { gomemlimitPercentage: 80 },
    'FractionOutOfRange',
    'spec.gomemlimitPercentage',
    'gomemlimitPercentage 80 is out of valid range',
  ],
  [
    'a key of a DaemonSet',
    { targetRef: { name: 'a', key: 'b' } },
    'InvalidField',
    'spec.targetRef.key',
    'cannot be set for a DaemonSet',
  ],
  [
    'an interval of nothing',
    { reconcileInterval: '0' },
    'InvalidField',
    'spec.reconcileInterval',
    'is not a positive duration',
  ],
  [
    'a key without effect',
    { operatorDeploymentName: 'operator' },
    'FieldWithoutEffect',
    'spec.operatorDeploymentName',
    'no owner references',
  ],
  [
    'a misspelt field in a map',
    { resourcePercentages: { requestCpu: 2 } },
    'UnknownField',
    'spec.resourcePercentages.requestCpu',
    'did you mean requestCPU?',
  ],
  [
    'a misspelt field in a list',
    { groups: [{ name: 'a', selector: { b: 'c' }, nodeSelector: { b: 'c' } }] },
    'UnknownField',
    'spec.groups.0.selector',
    'did you mean nodeSelector?',
  ],
  [
    'a field nothing is near to',
    { zzzzzzzzzzzzzzzz: 1 },
    'UnknownField',
    'spec.zzzzzzzzzzzzzzzz',
    'known here: enabled',
  ],
  [
    'a target without a name',
    { targetRef: { kind: 'DaemonSet' } },
    'InvalidField',
    'spec.targetRef.name',
    'is missing',
  ],
  [
    'a kind that is not allowed',
    { targetRef: { name: 'a', kind: 'Deployment' } },
    'InvalidField',
    'spec.targetRef.kind',
    'DaemonSet, ConfigMap, Order',
  ],
  [
    'a field that an Order has not',
    { targetRef: { name: 'a', kind: 'Order' }, seLinuxType: 'spc_t' },
    'InvalidField',
    'spec.seLinuxType',
    'cannot be set for an Order',
  ],
  ['a boolean as text', { remainder: 'yes' }, 'InvalidField', 'spec.remainder', 'must be boolean, but is "yes"'],
  [
    'a share beyond 100',
    { containers: [{ name: 'a', share: 101 }] },
    'InvalidField',
    'spec.containers.0.share',
    'must be <= 100',
  ],
  ['a label that is no key', { nodeGroupLabel: 'not a key' }, 'InvalidField', 'spec.nodeGroupLabel', 'a label key'],
  [
    'a managed-by label without value',
    { labels: { managedBy: 'a b' } },
    'InvalidField',
    'spec.labels.managedBy',
    'key=value',
  ],
  [
    'both forms of the label',
    { nodeGroupLabel: 'a', nodeGroupLabels: ['b'] },
    'InvalidField',
    'spec.nodeGroupLabel',
    'together with nodeGroupLabels',
  ],
  [
    'an override out of range',
    { overrides: [{ groups: ['a'], resourcePercentages: { limitCPU: 101 } }] },
    'PercentageOutOfRange',
    'spec.overrides.0.resourcePercentages.limitCPU',
    'limitCPU is 101',
  ],
  [
    'a bound of a group that is none',
    { groups: [{ name: 'a', nodeSelector: { b: 'c' }, maxResources: { cpu: 'x' } }] },
    'BoundInvalid',
    'spec.groups.0.maxResources.cpu',
    'cannot be read',
  ],
  [
    'a misspelt field of affinity',
    { affinity: { nodeAffinity: { required: {} } } },
    'UnknownField',
    'spec.affinity.nodeAffinity.required',
    'known here: requiredDuring',
  ],
  [
    'a misspelt field of a toleration',
    { tolerations: [{ key: 'a', efect: 'NoSchedule' }] },
    'UnknownField',
    'spec.tolerations.0.efect',
    'did you mean effect?',
  ],
  [
    'an operator in lower case',
    { tolerations: [{ key: 'a', operator: 'exists' }] },
    'InvalidField',
    'spec.tolerations.0.operator',
    'Equal, Exists, Gt, Lt',
  ],
  [
    'a selector value that is no label',
    { nodeSelector: { os: 'li nux' } },
    'InvalidField',
    'spec.nodeSelector.os',
    'a label value',
  ],
  [
    'a selector of a group that is no label',
    { groups: [{ name: 'a', nodeSelector: { 'b c': 'd' } }] },
    'InvalidField',
    'spec.groups.0.nodeSelector',
    'a label key',
  ],
  [
    'a variable with a bad name',
    { env: [{ name: '1 bad=', from: 'limits.cpu' }] },
    'InvalidField',
    'spec.env.0.name',
    'environment variable',
  ],
  [
    'GOMEMLIMIT twice',
    { goMemLimitPercentage: 0.8, env: [{ name: 'GOMEMLIMIT', from: 'limits.memory' }] },
    'InvalidField',
    'spec.env.0.name',
    'is set twice',
  ],
  [
    'a managed-by label with two values',
    { labels: { managedBy: 'a=b=c' } },
    'InvalidField',
    'spec.labels.managedBy',
    'key=value',
  ],
  [
    'a percentage as text',
    { resourcePercentages: { limitCPU: '5' } },
    'InvalidField',
    'spec.resourcePercentages.limitCPU',
    'must be a number or none',
  ],
]

const FLAT: Array<[name: string, data: Record<string, string>, want: object | string]> = [
  ['the least', { target: 'a' }, { targetRef: { name: 'a' } }],
  [
    'sizes',
    { target: 'a', requestCPU: '2.5', limitCPU: 'null', minMemory: '64Mi' },
    {
      targetRef: { name: 'a' },
      resourcePercentages: { requestCPU: 2.5, limitCPU: null },
      minResources: { memory: '64Mi' },
    },
  ],
  [
    'a limit of none',
    { target: 'a', limitMemory: 'none' },
    { targetRef: { name: 'a' }, resourcePercentages: { limitMemory: null } },
  ],
  [
    'groups',
    { target: 'a', nodeGroupLabel: 'x', defaultNodeGroup: '', remainder: 'false' },
    { targetRef: { name: 'a' }, nodeGroupLabel: 'x', defaultNodeGroup: '', remainder: false },
  ],
  ['a kind', { target: 'a', kind: 'DaemonSet' }, { targetRef: { name: 'a', kind: 'DaemonSet' } }],
  ['a container', { target: 'a', containers: 'x' }, { targetRef: { name: 'a' }, containers: [{ name: 'x' }] }],
  [
    'containers with shares',
    { target: 'a', containers: 'x:70.5, y:29.5' },
    {
      targetRef: { name: 'a' },
      containers: [
        { name: 'x', share: 70.5 },
        { name: 'y', share: 29.5 },
      ],
    },
  ],
  ...['', ',', 'x:', ':70', 'x:a', 'x:70:30', 'x:-1', 'x,,y', 'x:70%'].map((containers): (typeof FLAT)[number] => [
    `containers "${containers}"`,
    { target: 'a', containers },
    'InvalidField',
  ]),
  ['no target', { requestCPU: '2' }, 'InvalidField'],
  ['a misspelt key', { target: 'a', requestCpu: '2' }, 'UnknownField'],
  ['a prototype key', { target: 'a', toString: 'x' }, 'UnknownField'],
  ['a percentage that is none', { target: 'a', requestCPU: '2%' }, 'InvalidField'],
  ['a boolean that is none', { target: 'a', remainder: 'no' }, 'InvalidField'],
]

suite('SizingPolicy', (test) => {
  for (const [name, spec, code, path, hint] of FIELDS) {
    test(name, () => {
      const found = readSizingPolicy(policy(spec)).findings.find((one) => one.field?.path === path)
      assert.is(found?.code, code)
      assert.match(found?.message ?? '', hint)
    })
  }
  test('numbers in quotes are numbers where the chart takes them, and nowhere else', () => {
    const targetRef = { kind: 'ConfigMap', name: 'node-agent-daemonset-template' }
    const quoted = {
      resourcePercentages: { requestCPU: '3', limitCPU: 'none', limitMemory: ' 6.5' },
      goMemLimitPercentage: '0.7',
    }
    const { ruleText, goMemLimit } = settings({ targetRef, ...quoted })
    assert.equal(ruleText.resourcePercentages, { requestCPU: 3, requestMemory: 2, limitCPU: null, limitMemory: 6.5 })
    assert.equal(goMemLimit, { numerator: 7n, denominator: 10n })
    const codesOf = (spec: Record<string, unknown>) => readSizingPolicy(policy(spec)).findings.map(({ code }) => code)
    assert.equal(codesOf({ targetRef, resourcePercentages: { requestCPU: '3 %' } }), ['InvalidField'])
    assert.equal(codesOf({ resourcePercentages: { requestCPU: '3' } }), ['InvalidField'])
    assert.equal(codesOf({ targetRef, hysteresisPercent: '3' }), ['InvalidField'])
  })
  test('a field without a value is a field that is not there', () => {
    assert.equal(settings({ tolerations: null, affinity: null, cluster: null }).tolerations, [])
  })
  test('a ConfigMap has the defaults of Kubescape’s operator, a DaemonSet none of them', () => {
    const own = settings({ targetRef: { kind: 'ConfigMap', name: 'node-agent-daemonset-template' } })
    assert.equal(own.target, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'node-agent-daemonset-template',
      key: 'daemonset-template.yaml',
    })
    assert.equal(own.goMemLimit, decimal(0.8))
    assert.equal([own.baseName, own.seLinuxType, own.bottlerocketAutoDetect], ['node-agent', 'spc_t', true])
    assert.equal(own.managedBy, { key: 'kubescape.io/managed-by', value: 'operator-autoscaler' })
    assert.is(own.nodeGroupKey, 'kubescape.io/node-group')
    const other = settings()
    assert.equal([other.goMemLimit, other.seLinuxType, other.bottlerocketAutoDetect], [undefined, undefined, false])
    assert.equal([other.baseName, other.nodeGroupKey], ['agent', 'nodefit.dev/node-group'])
  })
  test('what the policy states wins over the target’s defaults', () => {
    const own = settings({
      targetRef: { kind: 'ConfigMap', name: 't', key: 'other.yaml' },
      gomemlimitPercentage: 0.9,
      seLinuxType: 'foo_t',
      bottlerocketAutoDetect: false,
      labels: { nodeGroup: 'a/b' },
    })
    assert.equal([own.goMemLimit, own.isGoMemLimitStated], [decimal(0.9), true])
    assert.equal([own.target.key, own.seLinuxType, own.bottlerocketAutoDetect], ['other.yaml', 'foo_t', false])
    assert.equal([own.managedBy.value, own.nodeGroupKey], ['operator-autoscaler', 'a/b'])
  })
  test('all mistakes are said at once', () => {
    assert.is(readSizingPolicy(policy({ a: 1, b: 2, remainder: 'x' })).findings.length, 3)
  })
  test('none is null, in the policy, its groups and its overrides; the last one wins', () => {
    const none = { resourcePercentages: { limitCPU: 'none', limitMemory: 'none' } }
    const own = settings({
      ...none,
      overrides: [
        { groups: ['a'], resourcePercentages: { limitCPU: 7, requestCPU: 'none' } },
        { groups: ['b'], resourcePercentages: { limitMemory: 8 } },
        { groups: ['b'], resourcePercentages: { limitMemory: 'none' } },
      ],
    })
    const unset = (group: string, rule = {}) =>
      Object.entries(rulesOf(own)([group], rule).rule?.percentages ?? {}).flatMap(([name, value]) =>
        value === null ? [name] : [],
      )
    assert.equal(unset('a'), ['requestCPU', 'limitMemory'])
    assert.equal(unset('b'), ['limitCPU', 'limitMemory'])
    assert.equal(unset('c', { resourcePercentages: { limitCPU: 9, requestMemory: 'none' } }), [
      'requestMemory',
      'limitMemory',
    ])
  })
  test('a later override wins, value by value', () => {
    const own = settings({
      overrides: [
        { groups: ['a'], minResources: { cpu: '200m', memory: '1Gi' } },
        { groups: ['a', 'b'], minResources: { cpu: '300m' } },
      ],
    })
    assert.equal(
      [rulesOf(own)(['a']).rule?.min.requestCPU.toString(), rulesOf(own)(['a']).rule?.min.requestMemory.toString()],
      ['300m', '1Gi'],
    )
    assert.is(rulesOf(own)(['b']).rule?.min.requestMemory.toString(), '180Mi')
    assert.is(rulesOf(own)(['c'], { minResources: { cpu: '150m' } }).rule?.min.requestCPU.toString(), '150m')
  })
})

suite('flat keys', (test) => {
  for (const [name, data, want] of FLAT) {
    test(name, () => {
      const { policy: made, findings } = policyFromFlat(data, SUBJECT)
      if (typeof want === 'string') assert.ok(codes(findings).includes(want))
      else assert.equal((made as unknown as { spec: object }).spec, want)
    })
  }
  test('the policy is named like its target, or as it says', () => {
    assert.is(policyFromFlat({ target: 'a' }, SUBJECT).policy?.metadata.name, 'a')
    assert.equal(policyFromFlat({ target: 'a', name: 'b', namespace: 'c' }, SUBJECT).policy?.metadata, {
      name: 'b',
      namespace: 'c',
    })
  })
})

suite('RenderConfig', (test) => {
  const read = (spec: object) => readRenderConfig(config(spec), CODES)
  test('only what fails closed can be allowed', () => {
    assert.equal(codes(read({ allow: ['Orphaned'] }).findings), [])
    const { findings, options } = read({ allow: ['Foreign', 'Orphand', 'Orphaned'] })
    assert.equal(codes(findings), ['InvalidField', 'InvalidField'])
    assert.is(findings[1]?.field?.proposedValue, 'Orphaned')
    assert.equal([...options.allow], ['Orphaned'])
  })
  test('errors keep their severity', () => {
    assert.equal(codes(read({ severity: [{ code: 'Foreign', as: 'info' }] }).findings), ['InvalidField'])
    assert.is(read({ severity: [{ code: 'Spread', as: 'error' }] }).options.severity.get('Spread'), 'error')
  })
  test('what every object has is not a code', () =>
    assert.equal(codes(read({ severity: [{ code: 'toString', as: 'off' }] }).findings), ['InvalidField']))
  for (const [autoscaler, wanted] of [
    [{ kind: 'karpenter' }, []],
    [{ kind: 'karpenter', version: '1.14' }, []],
    [{ kind: 'karpenter', version: 'v1.13.0' }, []],
    [{ kind: 'karpenter', version: 1.14 }, ['InvalidField']],
    [{ kind: 'karpenter', version: 'newest' }, ['InvalidField']],
    [{ kind: 'cluster-autoscaler' }, ['InvalidField']],
    [{ version: '1.14' }, ['InvalidField']],
    [{ kind: 'karpenter', provider: 'aws' }, ['UnknownField']],
  ] as const)
    test(`an autoscaler as ${JSON.stringify(autoscaler)}`, () => {
      const { findings, options } = read({ autoscaler })
      assert.equal(codes(findings), [...wanted])
      assert.equal(options.autoscaler, wanted.length === 0 ? autoscaler : undefined)
    })
  for (const name of ['kubernetes', 'output']) {
    test(`${name} is no field`, () => assert.equal(codes(read({ [name]: {} }).findings), ['UnknownField']))
  }
  for (const any of [null, 'any'])
    test(`a guard of ${any} lets any amount pass`, () => {
      const names = ['maxGroupsRemoved', 'maxNodesLost', 'maxShrinkPercent', 'maxPodsRestarted']
      const { options, findings } = read({ guards: Object.fromEntries(names.map((name) => [name, any])) })
      assert.equal(codes(findings), [])
      const { maxGroupsRemoved, maxNodesLost, maxShrinkPercent, maxPodsRestarted } = options.guards
      assert.equal(
        [maxGroupsRemoved(4), maxNodesLost(4), maxShrinkPercent, maxPodsRestarted],
        [Infinity, Infinity, Infinity, Infinity],
      )
    })
  test('a guard of another word is refused, with the word that there is', () => {
    const { findings } = read({ guards: { maxNodesLost: 'none', maxShrinkPercent: 'none' } })
    assert.equal(codes(findings), ['InvalidField'])
    assert.match(findings[0]?.message ?? '', 'spec.guards.maxShrinkPercent must be a number or any, but is "none"')
  })
})

suite('exact numbers', (test) => {
  test('decimals are what they are written as', () => {
    assert.equal(decimal(2.5), { numerator: 25n, denominator: 10n })
    assert.equal(decimal(0.1), { numerator: 1n, denominator: 10n })
    assert.equal(decimal(1e-7), { numerator: 1n, denominator: 10n ** 7n })
    assert.equal(decimal(1e21), { numerator: 10n ** 21n, denominator: 1n })
  })
  test('rounding down never loses a whole step', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), fc.integer({ min: 1, max: 10000 }), (amount, hundredths) => {
        const result = timesRoundedDown(amount, decimal(hundredths / 100), 100n)
        const exact = amount * BigInt(hundredths)
        assert.ok(result * 10000n <= exact && (result + 1n) * 10000n > exact)
      }),
    )
  })
  test('the nearest name is near', () => {
    assert.is(nearest('reqestCPU', ['requestCPU', 'limitCPU']), 'requestCPU')
    assert.is(nearest('x', ['requestCPU']), undefined)
  })
})

suite('rollout of a policy', (test) => {
  const bad: Array<[name: string, rollout: unknown, code: string]> = [
    ['no percentage', { maxNodes: '0%', every: '10m' }, 'InvalidField'],
    ['more than all', { maxNodes: '101%', every: '10m' }, 'InvalidField'],
    ['a fraction of a percent', { maxNodes: '1.5%', every: '10m' }, 'InvalidField'],
    ['a number as text', { maxNodes: '10', every: '10m' }, 'InvalidField'],
    ['no node', { maxNodes: 0, every: '10m' }, 'InvalidField'],
    ['half a node', { maxNodes: 1.5, every: '10m' }, 'InvalidField'],
    ['no time', { maxNodes: 1, every: '0s' }, 'InvalidField'],
    ['a time that is none', { maxNodes: 1, every: '10 minutes' }, 'InvalidField'],
    ['neither time nor waves', { maxNodes: 1 }, 'InvalidField'],
    ['waves that are off', { maxNodes: 1, waves: false }, 'InvalidField'],
    ['both', { maxNodes: 1, every: '10m', waves: true }, 'InvalidField'],
    ['no number', { every: '10m' }, 'InvalidField'],
    ['another field', { maxNodes: 1, every: '10m', maxUnavailable: 1 }, 'UnknownField'],
  ]
  for (const [name, rollout, code] of bad)
    test(`refused: ${name}`, () => assert.equal(codes(readSizingPolicy(policy({ rollout })).findings), [code]))
  test('refused: for an Order, whose Tickets restart nothing', () => {
    const spec = { targetRef: { kind: 'Order', name: 'x' }, rollout: { maxNodes: 1, every: '10m' } }
    assert.equal(codes(readSizingPolicy(policy(spec)).findings), ['InvalidField'])
  })
  const most: Array<[maxNodes: string | number, of: number, expected: number]> = [
    ['10%', 25, 2],
    ['10%', 9, 0],
    ['100%', 7, 7],
    [3, 100, 3],
  ]
  for (const [maxNodes, of, expected] of most)
    test(`${maxNodes} of ${of} nodes are ${expected}`, () => {
      const { settings } = readSizingPolicy(policy({ rollout: { maxNodes, every: '10m' } }))
      assert.is(settings?.rollout?.mostOf(of), expected)
    })
  test('memory in thousandths of a byte is a warning with what was meant; cpu in millicores is none', () => {
    const own = {
      minResources: { cpu: '100m', memory: '180m', limitCPU: '200m' },
      overrides: [{ groups: ['a'], maxResources: { limitMemory: '+1.5m', memory: '2M' } }],
    }
    const read = readSizingPolicy(policy({ resourcePercentages: { requestCPU: 2 }, ...own }))
    assert.ok(read.settings)
    const found = read.findings.filter(({ code }) => code === 'MemoryInThousandths')
    assert.equal(
      found.map(({ severity, field }) => [severity, field?.path, field?.proposedValue]),
      [
        ['warning', 'spec.minResources.memory', '180M'],
        ['warning', 'spec.overrides.0.maxResources.limitMemory', '+1.5M'],
      ],
    )
  })
})
