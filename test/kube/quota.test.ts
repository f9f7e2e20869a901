/** Which pods a ResourceQuota counts, what it asks of them, and what they take; and what a node lacks for a pod. */
import * as assert from 'uvu/assert'
import {
  missingForQuota,
  type PodSpec,
  Quantity,
  type QuotaScope,
  quotaApplies,
  quotaUsage,
  resourceShortages,
  usedByPod,
} from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

const quota = (hard: Record<string, string>, ...scopes: QuotaScope[]) => ({ name: 'q', hard, scopes })
const scope = (scopeName: string, operator = 'Exists', ...values: string[]): QuotaScope => ({
  scopeName,
  operator,
  values,
})
const SIZED: PodSpec = {
  containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '1Gi', 'a.b/gpu': 1 }, limits: { cpu: '2' } } }],
}
const EMPTY: PodSpec = { containers: [{ name: 'c' }] }
const far = (term: object): PodSpec => ({
  ...EMPTY,
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: term }] } },
})

suite('a quota counts', (test) => {
  for (const [name, scopes, spec, want] of [
    ['every pod without scopes', [], SIZED, true],
    ['pods that do not end', [scope('NotTerminating')], SIZED, true],
    ['not pods that do not end as ones that do', [scope('Terminating')], SIZED, false],
    ['a pod with a deadline', [scope('Terminating')], { ...SIZED, activeDeadlineSeconds: 0 }, true],
    ['pods without requests as BestEffort', [scope('BestEffort')], EMPTY, true],
    ['pods with requests not as BestEffort', [scope('BestEffort')], SIZED, false],
    ['pods with requests as NotBestEffort', [scope('NotBestEffort')], SIZED, true],
    ['a priority class', [scope('PriorityClass', 'In', 'p')], { ...SIZED, priorityClassName: 'p' }, true],
    ['not another', [scope('PriorityClass', 'In', 'p')], { ...SIZED, priorityClassName: 'q' }, false],
    ['no class as not in it', [scope('PriorityClass', 'NotIn', 'p')], SIZED, true],
    ['no class as absent', [scope('PriorityClass', 'DoesNotExist')], SIZED, true],
    ['an empty class as absent', [scope('PriorityClass', 'DoesNotExist')], { ...SIZED, priorityClassName: '' }, true],
    ['not no class as present', [scope('PriorityClass')], SIZED, false],
    ['rules about other namespaces', [scope('CrossNamespacePodAffinity')], far({ namespaceSelector: {} }), true],
    ['not rules about its own', [scope('CrossNamespacePodAffinity')], far({ topologyKey: 'x' }), false],
    ['only where all scopes hold', [scope('NotBestEffort'), scope('Terminating')], SIZED, false],
    ['nothing by a scope that nobody has', [scope('Other')], SIZED, false],
  ] as Array<[string, QuotaScope[], PodSpec, boolean]>)
    test(name, () => assert.is(quotaApplies(quota({ pods: '1' }, ...scopes), spec), want))
  test('no pod where it limits nothing of pods', () => {
    assert.not(quotaApplies(quota({ configmaps: '1', 'limits.hugepages-2Mi': '1' }), SIZED))
    assert.ok(quotaApplies(quota({ 'requests.a.b/gpu': '1' }), SIZED))
  })
})

suite('a quota', (test) => {
  const HARD = { cpu: '9', 'limits.memory': '9', 'requests.memory': '9', 'requests.ephemeral-storage': '9' }
  test('asks each container for what it limits, but for storage', () => {
    assert.equal(missingForQuota(quota(HARD), EMPTY), [
      'container c sets no request of cpu',
      'container c sets no request of memory',
      'container c sets no limit of memory',
    ])
    assert.equal(missingForQuota(quota(HARD), SIZED), ['container c sets no limit of memory'])
  })
  test('asks init containers too, and no container where the pod as a whole says it', () => {
    const init = { ...SIZED, initContainers: [{ name: 'i' }] }
    assert.equal(missingForQuota(quota({ cpu: '9' }), init), ['container i sets no request of cpu'])
    assert.equal(missingForQuota(quota({ cpu: '9' }), { ...init, resources: { limits: { memory: 1 } } }), [])
  })
  test('is used by requests, limits and the pod itself', () => {
    const names = [
      'cpu',
      'requests.cpu',
      'limits.cpu',
      'memory',
      'pods',
      'count/pods',
      'requests.a.b/gpu',
      'limits.memory',
      'a.b/gpu',
    ]
    const usage = quotaUsage(quota(Object.fromEntries(names.map((name) => [name, '9']))), SIZED)
    assert.equal(Object.fromEntries([...usage].map(([name, amount]) => [name, amount.toString()]).sort()), {
      'count/pods': '1',
      cpu: '1',
      'limits.cpu': '2',
      memory: '1Gi',
      pods: '1',
      'requests.a.b/gpu': '1',
      'requests.cpu': '1',
    })
  })
})

suite('lackOf', (test) => {
  const NODE = { cpu: '1', memory: '1Gi', pods: '2' }
  const lack = (requests: Record<string, string>, used?: Record<string, string>) =>
    resourceShortages(
      Object.fromEntries(Object.entries(requests).map(([name, text]) => [name, Quantity.parse(text)])),
      NODE,
      used,
    ).map(({ resource, requested, allocatable, free }) => [resource, requested, allocatable, free])
  for (const [name, requests, used, want] of [
    ['all of the node fits', { cpu: '1', memory: '1Gi' }, undefined, []],
    ['a byte more does not', { memory: '1073741825' }, undefined, [['memory', 1073741825n, 1073741824n, 1073741824n]]],
    ['a thousandth of a cpu more does not', { cpu: '1001m' }, undefined, [['cpu', 1001n, 1000n, 1000n]]],
    ['less than a thousandth is one', { cpu: '1.0001' }, undefined, [['cpu', 1001n, 1000n, 1000n]]],
    ['beside other pods', { cpu: '1' }, { cpu: '1m', pods: '1' }, [['cpu', 1000n, 1000n, 999n]]],
    ['one pod too many', {}, { pods: '2' }, [['pods', 1n, 2n, 0n]]],
    ['what the node does not name', { 'a.b/gpu': '1' }, undefined, [['a.b/gpu', 1n, 0n, 0n]]],
    ['none of what the node does not name', { 'a.b/gpu': '0' }, undefined, []],
    ['nothing, on a node that is overfull', { cpu: '0' }, { cpu: '5' }, []],
  ] as Array<[string, Record<string, string>, Record<string, string> | undefined, unknown[]]>)
    test(name, () => assert.equal(lack(requests, used), want))
})

suite('usedByPod', (test) => {
  const spec: PodSpec = { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] }
  const resized = (cpu: string, more: object = {}) => ({
    containerStatuses: [{ name: 'c', resources: { requests: { cpu } } }],
    ...more,
  })
  for (const [name, status, want] of [
    ['what it requests', undefined, '1'],
    ['nothing once it has ended', { phase: 'Succeeded' }, undefined],
    ['nothing once it has failed', { phase: 'Failed' }, undefined],
    ['what it still has while it shrinks', resized('3'), '3'],
    ['what it asks for while it grows', resized('500m'), '1'],
    [
      'what it has where it cannot grow',
      resized('500m', { conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }] }),
      '500m',
    ],
    [
      'what it was promised',
      { containerStatuses: [{ name: 'c', resources: {}, allocatedResources: { cpu: '2' } }] },
      '2',
    ],
  ] as Array<[string, NonNullable<Parameters<typeof usedByPod>[0]['status']> | undefined, string | undefined]>)
    test(name, () => assert.is(usedByPod({ spec, status })?.cpu?.toString(), want))
})
