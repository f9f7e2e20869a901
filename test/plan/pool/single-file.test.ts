/** The single-file configuration of KubeNodeSmith: what each of its fields becomes, and what is refused. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { readYaml } from '../../../src/krm/read-yaml.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { objectsOfFile, readSingleFile } from '../../../src/plan/pool/index.ts'
import { dataKey } from '../../../src/plan/pool/single-file.ts'
import { decideObjects, sceneObjects } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a row changes may be anything
type Any = any

const FILE = readFileSync(
  fileURLToPath(new URL('../../../testdata/kubenodesmith/scaler-config.yaml', import.meta.url)),
  'utf8',
)
/** The configuration of the page with a change. */
const changed = (change: (file: Any) => void): unknown => {
  const file = readYaml(FILE) as Any
  change(file)
  return file
}
const convert = (change: (file: Any) => void = () => {}) => {
  const read = readSingleFile(changed(change))
  if ('problems' in read) throw new Error(read.problems.join('; '))
  const { objects, notCarried } = objectsOfFile(read.file, 'ns', () => ({ cpuCores: 4, memoryMiB: 8192 }))
  const of = (kind: string): Any => objects.find((one) => one.kind === kind)?.spec
  const [provider, pool, policy] = ['NodeSmithProvider', 'NodeSmithPool', 'PoolPolicy'].map(of)
  return { objects, notCarried, provider, pool, policy }
}
const problems = (change: (file: Any) => void): readonly string[] => {
  const read = readSingleFile(changed(change))
  return 'problems' in read ? read.problems : []
}
const pool = (file: Any) => file.nodePools[0]
const template = (file: Any) => pool(file).machineTemplate

type Made = ReturnType<typeof convert>
/** Each field of the file, another value, and where it is found. */
const FIELDS: ReadonlyArray<
  readonly [field: string, change: (file: Any) => void, found: (made: Made) => unknown, value: unknown]
> = [
  [
    'pollingInterval',
    (f) => (f.pollingInterval = '1m'),
    (m) => m.notCarried[0],
    'pollingInterval 1m: a render has no interval',
  ],
  ['no pollingInterval', (f) => delete f.pollingInterval, (m) => m.notCarried.length, 1],
  ['type', (f) => (f.providers.pve = { type: 'redfish' }), (m) => m.provider, { type: 'redfish' }],
  [
    'credentialsRef',
    (f) => (f.providers.pve.credentialsRef.name = 'x'),
    (m) => m.provider.credentialsSecretRef,
    { name: 'x', namespace: 'kubenodesmith' },
  ],
  [
    'no credentialsRef',
    (f) => delete f.providers.pve.credentialsRef,
    (m) => m.provider.credentialsSecretRef,
    undefined,
  ],
  [
    'options of another type',
    (f) => (f.providers.pve.type = 'redfish'),
    (m) => [m.provider.proxmox, m.notCarried.length],
    [undefined, 9],
  ],
  ...(
    [
      ['endpoint', 'http://pve'],
      ['nodeWhitelist', ['a']],
      ['vmIDRange', { lower: 100, upper: 101 }],
      ['managedNodeTag', 'mine'],
      ['vmMemOverheadMiB', 7],
      ['networkInterfaces', [{ name: 'n', model: 'm', bridge: 'b' }]],
      ['vmOptions', [{ name: 'cores', value: 2 }]],
    ] as const
  ).map(([name, value]): (typeof FIELDS)[number] => [
    `options.${name}`,
    (f) => (f.providers.pve.options[name] = value),
    (m) => m.provider.proxmox[name],
    value,
  ]),
  [
    'an option that is not known',
    (f) => (f.providers.pve.options = { vmTags: [1] }),
    (m) => m.notCarried[1],
    'providers.pve.options.vmTags: a NodeSmithProvider of type proxmox has no such field',
  ],
  [
    'name',
    (f) => (pool(f).name = 'big'),
    (m) => [m.policy.poolRef, ...m.objects.slice(1).map(({ metadata }) => metadata.name)],
    ['big', 'big', 'big'],
  ],
  [
    'providerRef',
    (f) => {
      f.providers.other = f.providers.pve
      pool(f).providerRef = 'other'
    },
    (m) => m.pool.providerRef,
    'other',
  ],
  ['poolLabelKey', (f) => (pool(f).poolLabelKey = 'a/b'), (m) => m.pool.poolLabelKey, 'a/b'],
  [
    'no poolLabelKey',
    (f) => (pool(f).poolLabelKey = ''),
    (m) => 'poolLabelKey' in m.pool || 'topology.kubenodesmith.io/pool' in m.pool.machineTemplate.labels,
    false,
  ],
  [
    'limits',
    (f) => (pool(f).limits = { minNodes: 1, maxNodes: 2, cpuCores: 3, memoryMiB: 4 }),
    (m) => m.pool.limits,
    { minNodes: 1, maxNodes: 2, cpuCores: 3, memoryMiB: 4 },
  ],
  [
    'no limits',
    (f) => delete pool(f).limits,
    (m) => m.pool.limits,
    { minNodes: 0, maxNodes: 0, cpuCores: 0, memoryMiB: 0 },
  ],
  ['a minimum without a limit', (f) => (pool(f).limits = { minNodes: 2 }), (m) => m.pool.limits.minNodes, 2],
  ['kubeNodeNamePrefix', (f) => (template(f).kubeNodeNamePrefix = 'w'), (m) => m.policy.output, { namePrefix: 'w' }],
  ['an empty kubeNodeNamePrefix', (f) => (template(f).kubeNodeNamePrefix = ''), (m) => m.policy.output, undefined],
  ['architecture', (f) => (template(f).architecture = 'arm64'), (m) => m.policy.architecture, 'arm64'],
  ['no architecture', (f) => (template(f).architecture = null), (m) => 'architecture' in m.policy, false],
  ['labels', (f) => (template(f).labels = { a: 'b' }), (m) => m.pool.machineTemplate, { labels: { a: 'b' } }],
  ['the label of the pool', () => {}, (m) => m.pool.machineTemplate.labels, { 'node-role.kubernetes.io/worker': '' }],
  [
    'another value of the label of the pool',
    (f) => (template(f).labels = { 'topology.kubenodesmith.io/pool': 'x' }),
    (m) => m.notCarried.at(-1),
    'nodePools[0].machineTemplate.labels.topology.kubenodesmith.io/pool "x": the label of a pool has the name of the pool, small',
  ],
  ['no machineTemplate', (f) => delete pool(f).machineTemplate, (m) => m.pool.machineTemplate, { labels: {} }],
  ['batchSize', (f) => (pool(f).scaleUp.batchSize = 3), (m) => m.policy.scaleUp, { batchSize: 3 }],
  [
    'scaleUp.stabilizationWindow',
    (f) => (pool(f).scaleUp = { stabilizationWindow: '90s' }),
    (m) => [m.pool.scaleUp, m.policy.scaleUp],
    [{ stabilizationWindow: '90s' }, undefined],
  ],
  ['no scaleUp', (f) => (pool(f).scaleUp = null), (m) => m.pool.scaleUp, undefined],
  ['maxConcurrent', (f) => (pool(f).scaleDown = { maxConcurrent: 2 }), (m) => m.policy.scaleDown, { maxConcurrent: 2 }],
  [
    'drainTimeout',
    (f) => (pool(f).scaleDown = { drainTimeout: '1h' }),
    (m) => m.policy.scaleDown,
    { drainTimeout: '1h' },
  ],
  [
    'no scaleDown',
    (f) => delete pool(f).scaleDown,
    (m) => [m.policy.scaleDown, m.pool.scaleDown],
    [undefined, { stabilizationWindow: '10m' }],
  ],
  ['no pools', (f) => (f.nodePools = []), (m) => m.objects.length, 1],
]

/** What is refused, and the problem. */
const REFUSED: ReadonlyArray<readonly [name: string, change: (file: Any) => void, problem: RegExp]> = [
  ['another version', (f) => (f.schemaVersion = 'v1'), /^schemaVersion is not v1alpha1$/],
  ['no version', (f) => delete f.schemaVersion, /^schemaVersion is missing$/],
  ['no providers', (f) => delete f.providers, /^providers is missing$/],
  ['no pools at all', (f) => delete f.nodePools, /^nodePools is missing$/],
  ['a number as an interval', (f) => (f.pollingInterval = 30), /^pollingInterval is not a duration/],
  [
    'a day',
    (f) => (pool(f).scaleDown.drainTimeout = '1d'),
    /^nodePools\[0\]\.scaleDown\.drainTimeout is not a duration/,
  ],
  [
    'a window below zero',
    (f) => (pool(f).scaleUp.stabilizationWindow = '-1m'),
    /stabilizationWindow is not a duration/,
  ],
  [
    'an unknown field',
    (f) => (pool(f).limits.maxNode = 1),
    /^nodePools\[0\]\.limits\.maxNode is not known, did you mean maxNodes\?$/,
  ],
  ['an unknown field at the top', (f) => (f.pools = []), /^pools is not known/],
  ['another type', (f) => (f.providers.pve.type = 'vsphere'), /^providers\.pve\.type is not proxmox or redfish$/],
  ['no type', (f) => delete f.providers.pve.type, /^providers\.pve\.type is missing$/],
  ['a provider whose name is none', (f) => (f.providers.P_1 = { type: 'redfish' }), /^providers\.P_1/],
  ['providers as a list', (f) => (f.providers = []), /^providers is not a map$/],
  ['pools as a map', (f) => (f.nodePools = {}), /^nodePools is not a list$/],
  ['labels that are numbers', (f) => (template(f).labels.a = 1), /labels\.a is not text$/],
  [
    'a provider that is not there',
    (f) => (pool(f).providerRef = 'x'),
    /^nodePools\[0\]\.providerRef "x" is none of providers: pve$/,
  ],
  ['two pools of a name', (f) => f.nodePools.push(pool(f)), /^nodePools\[1\]\.name "small" is there twice$/],
  [
    'a name that is too long',
    (f) => (pool(f).name = 'a'.repeat(57)),
    /^nodePools\[0\]\.name "a+" is not a name of up to 56/,
  ],
  ['a name that is none', (f) => (pool(f).name = 'A'), /^nodePools\[0\]\.name "A" is not a name/],
  ['a prefix that is none', (f) => (template(f).kubeNodeNamePrefix = 'w-'), /kubeNodeNamePrefix "w-" is not a name/],
  ['a key that is none', (f) => (pool(f).poolLabelKey = 'a b'), /poolLabelKey "a b" is not the key of a label$/],
  [
    'a maximum below the minimum',
    (f) => (pool(f).limits = { minNodes: 3, maxNodes: 2 }),
    /limits\.maxNodes 2 is below minNodes 3/,
  ],
  ['a limit below zero', (f) => (pool(f).limits.cpuCores = -1), /cpuCores is not a whole number/],
  ['a limit as text', (f) => (pool(f).limits.maxNodes = '5'), /maxNodes is not a whole number/],
]

suite('the single file of KubeNodeSmith', (test) => {
  for (const [field, change, found, value] of FIELDS)
    test(`carries ${field}`, () => assert.equal(found(convert(change)), value))
  for (const [name, change, problem] of REFUSED)
    test(`is refused with ${name}`, () => {
      const [first = '', another] = problems(change)
      assert.match(first, problem)
      assert.is(another, undefined)
    })
  for (const value of [undefined, null, [], 'text', 1])
    test(`is refused as ${JSON.stringify(value)}`, () =>
      assert.equal(readSingleFile(value), { problems: ['the configuration is not a map'] }))
  test('tells every problem', () =>
    assert.is(
      problems((f) => {
        f.schemaVersion = 'x'
        pool(f).limits = 5
        f.nodePools.push({})
      }).length,
      4,
    ))
  test('becomes a pool that opens the machine of a pod, enlarged to it', () => {
    const scene = sceneObjects({ pools: [], pods: [{ name: 'a', cpu: '6' }] }).filter(
      ({ kind }) => kind !== 'NodeSmithProvider',
    )
    const made = decideObjects([...scene, ...convert().objects] as KubernetesObject[])
    assert.equal([made.errors, made.warnings, made.added], [[], [], ['worker-auto-000001']])
    const claim = made.plan.items.find(({ object }) => object.kind === 'NodeSmithClaim')?.object as Any
    assert.equal(claim.spec.requirements, { cpuCores: 6, memoryMiB: 8192 })
  })
})

suite('the key of a ConfigMap', (test) => {
  for (const [name, data, key, found] of [
    ['its only one', { a: 'x' }, undefined, { key: 'a', text: 'x' }],
    ['the one that is named', { a: 'x', b: 'y' }, 'b', { key: 'b', text: 'y' }],
    [
      'several, none is named',
      { a: 'x', b: 'y' },
      undefined,
      { problem: 'the ConfigMap has several keys, and none is given: a, b' },
    ],
    ['another is named', { a: 'x' }, 'b', { problem: 'data.b is no text; keys: a' }],
    ['one that objects inherit', { a: 'x' }, 'toString', { problem: 'data.toString is no text; keys: a' }],
    ['no data', {}, undefined, { problem: 'the ConfigMap has no data' }],
    ['a number', { a: 1 }, undefined, { problem: 'data.a is no text; keys: a' }],
  ] as const)
    test(name, () => assert.equal(dataKey(data, key), found))
})
