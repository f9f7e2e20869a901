/** What `nodefit init` says of the policies that it makes, and of what the first render does with them. */
import * as assert from 'uvu/assert'
import type { Planned } from '../../../src/core/index.ts'
import { type Choices, firstPolicy } from '../../../src/host/cli/first-policy.ts'
import { applyWords, changeLines, firstWords } from '../../../src/host/cli/first-words.ts'
import { findingOf } from '../../../src/krm/finding.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { ResourceRequirements } from '../../../src/kube/index.ts'
import { operatorValues } from '../../../src/plan/daemonset/index.ts'
import { CODES, type Code } from '../../../src/rules/all-codes.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, listOf, node, OS, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { operatorConfig, templateMap } from '../../support/template.ts'

const HOSTNAME = 'kubernetes.io/hostname'
const typed = (name: string, type: string, cpu = '4') => node(name, { [TYPE]: type, [OS]: 'linux' }, cpu, '16Gi')
const NODES = [typed('a', 'm5.large'), typed('b', 'm5.large'), typed('c', 'c5.large', '8')]
const by = (key: string, ...sizes: string[]) =>
  sizes.map((size) => node(`n${size}`, { [key]: size }, size, `${size}Gi`))

/** The lines of `nodefit init` for some targets; `kept` is what it writes beside them. */
function wordsOf(
  targets: readonly KubernetesObject[],
  nodes: readonly KubernetesObject[] = NODES,
  choices: Choices = {},
  more: { operator?: KubernetesObject; kept?: readonly KubernetesObject[] } = {},
): string[] {
  const items = nodes.map((object) => newItem(object))
  const made = targets.map((target) => ({ target, ...more, ...firstPolicy(target, items, choices) }))
  const objects = made.flatMap(({ policy, target }) => [policy, target])
  return firstWords(made, plan(listOf([...objects, ...(more.kept ?? []), ...nodes])))
}
const agent = (resources: object = {}, more: { container?: object; others?: object[]; pod?: object } = {}) =>
  daemonSet({
    containers: [{ name: 'agent', image: 'agent:1', resources, ...more.container }, ...(more.others ?? [])],
    ...more.pod,
  })
const BY_TYPE = `agent: groups by ${TYPE}; sizes container agent`
const START =
  'agent: sizes start from its present ones on m5.large, the group with most nodes (2 nodes; the smallest amounts: cpu 4, memory 16Gi)'
const UNSET = 'agent: not set in the DaemonSet, so none in the policy'

const MOST = 'the requests of all nodes grow by no more than 25 % (--budget)'
const OF_ONE: Array<[name: string, target: KubernetesObject, want: string[]]> = [
  [
    'what it has of everything, the other containers, its GOMEMLIMIT, what stays and what changes',
    agent(
      { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } },
      {
        container: { env: [{ name: 'GOMEMLIMIT', value: '1024MiB' }] },
        others: [{ name: 'side', image: 'side:1' }],
        pod: { initContainers: [{ name: 'init', image: 'init:1' }] },
      },
    ),
    [
      `${BY_TYPE} alone, not side, init`,
      `${START}: requestCPU 2.51 %, requestMemory 6.252 %, limitCPU 25.01 %, limitMemory 12.502 %`,
      `agent: no node gets less than today, and none more than 1.7 times its present cpu and 4 times its present memory: ${MOST}`,
      'agent: its GOMEMLIMIT follows the memory limit: goMemLimitPercentage 0.5',
      'agent: first render: agent-m5-large (2 nodes): as today',
      'agent: first render: agent-c5-large (1 node): requests cpu 100m -> 170m; limits cpu 1000m -> 1700m',
      'agent: first render: all pods: requesting 0.3 -> 0.37 cores and 3 GiB on 3 pods',
      'in all 4 DaemonSets in place of 1',
    ],
  ],
  [
    'nothing is requested and nothing limited',
    agent(),
    [
      BY_TYPE,
      'agent: it has neither requests nor limits: write percentages into the policy to size it',
      `${UNSET}: requestCPU, requestMemory, limitCPU, limitMemory`,
      'agent: first render: agent-c5-large, agent-m5-large (3 nodes): as today',
      'agent: first render: all pods: requesting 0 cores and 0 GiB on 3 pods',
      'in all 4 DaemonSets in place of 1',
    ],
  ],
  [
    'one amount alone stays alone',
    agent({ limits: { memory: '2Gi' } }),
    [
      BY_TYPE,
      `${START}: limitMemory 12.502 %`,
      `agent: no node gets less than today, and none more than 4 times its present memory: ${MOST}`,
      `${UNSET}: requestCPU, requestMemory, limitCPU; Kubernetes uses a limit without a request as the request, too`,
      'agent: first render: agent-c5-large, agent-m5-large (3 nodes): as today',
      'agent: first render: all pods: requesting 0 cores and 6 GiB on 3 pods',
      'in all 4 DaemonSets in place of 1',
    ],
  ],
  [
    'requests alone stay alone',
    agent({ requests: { cpu: '100m', memory: '1Gi' } }),
    [
      BY_TYPE,
      `${START}: requestCPU 2.51 %, requestMemory 6.252 %`,
      `agent: no node gets less than today, and none more than 1.7 times its present cpu and 4 times its present memory: ${MOST}`,
      `${UNSET}: limitCPU, limitMemory`,
      'agent: first render: agent-m5-large (2 nodes): as today',
      'agent: first render: agent-c5-large (1 node): requests cpu 100m -> 170m',
      'agent: first render: all pods: requesting 0.3 -> 0.37 cores and 3 GiB on 3 pods',
      'in all 4 DaemonSets in place of 1',
    ],
  ],
]

const LIMIT_ALONE: Array<[name: string, resources: object, isSaid: boolean]> = [
  ['of cpu', { limits: { cpu: '1' } }, true],
  ['of memory', { limits: { memory: '1Gi' } }, true],
  ['of memory beside a request of cpu', { requests: { cpu: '1' }, limits: { memory: '1Gi' } }, true],
  ['none, with a request of its own', { requests: { cpu: '1' }, limits: { cpu: '1' } }, false],
  ['none, but a request', { requests: { memory: '1Gi' } }, false],
]

suite('what nodefit init says of a DaemonSet', (test) => {
  for (const [name, target, want] of OF_ONE) test(name, () => assert.equal(wordsOf([target]), want))
  for (const [name, resources, isSaid] of LIMIT_ALONE)
    test(`a limit without request: ${name}`, () => {
      const [line] = wordsOf([agent(resources)]).filter((one) => one.startsWith(UNSET))
      assert.is(line?.endsWith('; Kubernetes uses a limit without a request as the request, too'), isSaid)
    })
  test('a sidecar among the init containers that is sized', () => {
    const sidecar = { name: 'agent', image: 'agent:1', restartPolicy: 'Always', resources: { requests: { cpu: 1 } } }
    const containers = ['main', 'other'].map((name) => ({ name, image: `${name}:1` }))
    const lines = wordsOf([daemonSet({ containers, initContainers: [sidecar] })])
    assert.is(lines[0], `${BY_TYPE} alone, not main, other`)
    assert.is(lines.at(-2), 'agent: first render: all pods: requesting 3 -> 3.7 cores and 0 GiB on 3 pods')
  })
  test('ranges, and size classes', () => {
    const [ranges] = wordsOf([agent()], by('size', '4', '8'), { groupBy: 'size' })
    assert.is(ranges, 'agent: groups by ranges of size with bounds 8; sizes container agent')
    const [classes] = wordsOf([agent()], by(HOSTNAME, '4', '8'), { groupBy: HOSTNAME })
    assert.is(classes, `agent: groups by ${HOSTNAME}, with classes of similar size; sizes container agent`)
  })
  test('of two of one name in two namespaces each its own', () => {
    const two = ['one', 'two'].map((namespace, index) => ({
      ...agent({ requests: { cpu: `${index + 1}` } }),
      metadata: { name: 'agent', namespace },
    }))
    const lines = wordsOf(two)
    assert.equal(
      lines.filter((line) => line.includes('first render: all')),
      [
        'agent: first render: all pods: requesting 3 -> 3.7 cores and 0 GiB on 3 pods',
        'agent: first render: all pods: requesting 6 -> 7.4 cores and 0 GiB on 3 pods',
      ],
    )
    assert.ok(lines.includes('in all 8 DaemonSets in place of 2'))
  })
})

suite('what nodefit init says of the first render', (test) => {
  test('warnings with their codes, and no more than that', () => {
    const said = wordsOf([agent()], by('size', '4', '8'), { groupBy: 'size' }).filter(
      (line) => !/^agent|^in all/.test(line),
    )
    assert.is(said.length, 1)
    assert.match(said[0] ?? '', /^warning: HoleOnPurpose: DaemonSet agent may run on a node with size=other/)
  })
  test('errors, that it stops there, and nothing of what it would have changed', () => {
    const foreign = daemonSet({}, { name: 'agent-m5-large' })
    const said = wordsOf([agent({ requests: { cpu: '1' } })], NODES, {}, { kept: [foreign] })
    assert.equal(
      said.filter((line) => line.includes('first render: ') || line.startsWith('in all')),
      [],
    )
    assert.ok(said.some((line) => line.startsWith('error: ')))
    assert.is(said.at(-1), 'the first render fails with these errors: correct them in the written files')
  })
  test('a label that says nothing of size: the one that would', () => {
    const alike = ['2', '64'].map((size) => node(`n${size}`, { [OS]: 'linux', [HOSTNAME]: size }, size, `${size}Gi`))
    const said = wordsOf([agent({ requests: { cpu: '1' } })], alike, { groupBy: OS })
    assert.match(said.at(-1) ?? '', /^warning: GroupSpread: /)
    assert.match(said.at(-1) ?? '', `nodefit init --group-by ${HOSTNAME} does.`)
  })
})

suite('what nodefit init says of the template of Kubescape’s chart', (test) => {
  const told = (enabled: boolean) =>
    operatorConfig(JSON.stringify({ nodeAgentAutoscaler: { enabled, minResources: { memory: '600Mi' } } }))
  const words = (operator: KubernetesObject, kept: readonly KubernetesObject[]) =>
    wordsOf([templateMap()], NODES, { operator: operatorValues(operator) }, { operator, kept }).filter((line) =>
      line.startsWith('node-agent: '),
    )
  const SIZES = 'requestCPU 2 %, requestMemory 2 %, limitCPU 5 %, limitMemory 5 %'
  const bounds = (memory: string) => `; at least 100m and ${memory}, at most 2000m and 4Gi`
  test('without the operator: its defaults, and how to give its values', () => {
    const [sizes, hint, ...more] = wordsOf([templateMap()])
    assert.is(
      sizes,
      `node-agent: groups by ${TYPE}; the sizes are the defaults of Kubescape's operator: ${SIZES}${bounds('180Mi')}`,
    )
    assert.match(hint ?? '', 'kubectl -n kubescape get configmap node-agent-daemonset-template operator -o json')
    assert.not.ok(more.some((line) => line.includes('first render: ')))
  })
  const OPERATOR = `node-agent: groups by ${TYPE}; all values are those of ConfigMap operator: ${SIZES}${bounds('600Mi')}`
  test('with the operator: its values', () => {
    const off = told(false)
    assert.equal(words(off, [off]), [OPERATOR])
  })
  test('with an operator whose loop is on: why it is not written', () => {
    assert.equal(words(told(true), []), [
      OPERATOR,
      'node-agent: ConfigMap operator is not written, since its autoscaler is on: switch that off before you apply the output',
    ])
  })
})

suite('the steps to the first apply', (test) => {
  const target = daemonSet()
  const steps = (...codes: Array<[code: Code, message: string]>) =>
    applyWords('agents', [{ target }], {
      findings: codes.map(([code, message]) => findingOf(CODES)(code, message, { subject: target })),
      failed: false,
    })
  const RENDER = 'next: kpt fn render --allow-exec --truncate-output=false agents'
  const APPLY = 'then: kpt live init agents && kpt live apply agents; with Flux or Argo CD, commit agents'
  const DELETE = 'then: kubectl -n default delete ds agent'
  test('the static DaemonSet goes when the new pods run, and what it means is said first', () => {
    assert.equal(steps(['StaticTemplateRetired', 'agent is a template now']), [
      'agent is a template now',
      RENDER,
      APPLY,
      `${DELETE}, when the new pods run`,
    ])
  })
  test('where both pods would claim a port it goes first', () => {
    assert.equal(steps(['HostPortHeld', 'port 80']), [RENDER, DELETE, APPLY])
  })
  test('what another tool applies is switched off there', () => {
    assert.equal(steps(['OwnedElsewhere', 'Helm']), [
      RENDER,
      APPLY,
      'then: switch agent off where it is applied (OwnedElsewhere), when the new pods run',
    ])
  })
})

/** A plan of one object for each group: its name, its nodes and what the container has there. */
const planned = (groups: Array<[name: string, nodeCount: number, resources: ResourceRequirements]>) =>
  ({
    objects: groups.map(([name, nodeCount, resources]) => {
      const object = daemonSet({ containers: [{ name: 'agent', resources }] })
      return { object: { ...object, metadata: { ...object.metadata, name } }, nodeCount, nodes: [] }
    }),
  }) as unknown as Planned
const memory = (text: string) => ({ requests: { memory: text } })

suite('what the first render changes', (test) => {
  test('what stays, what changes, what appears and goes, and the totals by nodes', () => {
    const before = { requests: { cpu: '100m', memory: '1024Mi' }, limits: { cpu: '1' } }
    const groups = planned([
      ['same', 2, { requests: { cpu: '0.1', memory: '1Gi' }, limits: { cpu: 1 } }],
      ['other', 3, { requests: { cpu: '100m', memory: '2Gi' }, limits: { memory: '4Gi' } }],
      ['empty', 0, {}],
    ])
    assert.equal(changeLines(groups, 'agent', before), [
      'same (2 nodes): as today',
      'other (3 nodes): requests memory 1Gi -> 2Gi; limits cpu 1 -> none, memory none -> 4Gi',
    ])
  })
  test('as many groups as there are lines for are all there', () => {
    const linesOf = (length: number) =>
      changeLines(
        planned(Array.from({ length }, (_, index) => [`g${index}`, 1, memory('2Gi')])),
        'agent',
        memory('1Gi'),
      )
    assert.match(linesOf(12).at(-1) ?? '', /^g11 /)
    assert.is(linesOf(13).at(-1), 'and 1 more')
  })
  test('of very many groups the first, and how many more', () => {
    const groups = planned(Array.from({ length: 20 }, (_, index) => [`g${index}`, 1, memory('2Gi')]))
    const lines = changeLines(groups, 'agent', memory('1Gi'))
    assert.is(lines.length, 13)
    assert.is(lines.at(-1), 'and 8 more')
  })
  test('nothing at all', () => {
    assert.equal(changeLines(planned([['a', 1, {}]]), 'agent', {}), ['a (1 node): as today'])
  })
})
