/** What a commit says of itself. */
import * as assert from 'uvu/assert'
import type { Shape } from '../../../../src/facts/inventory/index.ts'
import { messageOf, templateProblem } from '../../../../src/host/sync/effect/message.ts'
import { nodeChangeLines } from '../../../../src/host/sync/effect/node-changes.ts'
import { readTrailers } from '../../../../src/host/sync/effect/trailers.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { writeYaml } from '../../../../src/krm/write-yaml.ts'
import { apiNode } from '../../../support/api-nodes.ts'
import { daemonSet, fleetShape, policy, TYPE } from '../../../support/objects.ts'
import { order } from '../../../support/orders.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, INVENTORY, Scene } from '../../../support/sync-repository.ts'

const AGENT = policy({
  nodeGroupLabel: TYPE,
  resourcePercentages: { requestMemory: 10, requestCPU: 2, limitCPU: null, limitMemory: null },
})

function sceneOf(settings: ConstructorParameters<typeof Scene>[0], policies = [AGENT, daemonSet()]): Scene {
  const scene = new Scene(settings, policies)
  scene.add(
    ...Array.from({ length: 8 }, (_, index) => apiNode(`a${index + 1}`)),
    apiNode('b1', 'm5.xlarge', 15_000_000),
  )
  return scene
}

function messageIn(scene: Scene): string {
  const evaluation = scene.turn()
  if (evaluation.kind !== 'commit') throw new Error(`${evaluation.kind} is no commit`)
  assert.match(evaluation.commit.message, `prod: ${evaluation.summary}\n`)
  return evaluation.commit.message
}

const withoutDigests = (message: string) => message.replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…')

const TRAILERS = {
  cluster: 'prod',
  effect: 'rendered',
  version: '1.2.3',
  folder: 'nodes',
  packages: ['policies'],
  output: 'rendered',
  inputDigest: 'sha256:1',
  outputDigest: 'sha256:2',
}
const PARTS = {
  effect: 'rendered' as const,
  changes: { brief: 'agent: 1 group added', lines: ['SizingPolicy agent', '  added agent-a (1 node)'] },
  nodes: ['Nodes: 2', '  a: new, 2 nodes'],
  isFirst: false,
  trailers: TRAILERS,
}
const kind = (type: string, count: number, more: Partial<Shape> = {}): Shape =>
  fleetShape(
    { [TYPE]: type, 'kubernetes.io/os': 'linux' },
    Array.from({ length: count }, (_, index) => `${type}-${index}`),
    '4',
    '16Gi',
    more,
  )

const NODES: Record<string, [before: Shape[], after: Shape[], lines: string[]]> = {
  'the first ones': [[], [kind('a', 2)], ['Nodes: 2', `  kubernetes.io/os=linux,${TYPE}=a: new, 2 nodes`]],
  'a kind that came': [[kind('a', 2)], [kind('a', 2), kind('b', 1)], ['Nodes: 2 -> 3', `  ${TYPE}=b: new, 1 node`]],
  'a kind that went': [
    [kind('a', 2), kind('b', 1)],
    [kind('a', 3), kind('b', 0)],
    ['Nodes: 3', `  ${TYPE}=a: 2 -> 3 nodes`, `  ${TYPE}=b: no nodes, kept for 14 days`],
  ],
  'a kind that is kept no longer': [[kind('a', 2), kind('b', 0)], [kind('a', 2)], ['Nodes: 2', `  ${TYPE}=b: dropped`]],
  'a kind that came back': [
    [kind('a', 2), kind('b', 0)],
    [kind('a', 2), kind('b', 1)],
    ['Nodes: 2 -> 3', `  ${TYPE}=b: new, 1 node`],
  ],
  'nodes that are not ready, or cordoned': [
    [kind('a', 3), kind('b', 1)],
    [kind('a', 1), kind('a', 1, { ready: 'False' }), kind('a', 1, { unschedulable: true }), kind('b', 1)],
    ['Nodes: 4', `  ${TYPE}=a: 0 -> 1 not ready, 0 -> 1 cordoned`],
  ],
  'amounts, of which the smallest counts': [
    [kind('a', 1), kind('b', 1)],
    [kind('a', 1), kind('a', 1, { allocatable: { cpu: '3', memory: '15Gi' } }), kind('b', 1)],
    ['Nodes: 2 -> 3', `  ${TYPE}=a: 1 -> 2 nodes, cpu 4 -> 3, memory 16Gi -> 15Gi`],
  ],
  taints: [
    [kind('a', 1)],
    [
      kind('a', 1),
      kind('a', 1, {
        taints: [
          { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
        ],
      }),
    ],
    ['Nodes: 1 -> 2', '  all nodes, tainted gpu=yes:NoSchedule: new, 1 node'],
  ],
  'more kinds than anybody reads': [
    [],
    Array.from({ length: 60 }, (_, index) => kind(`t${index}`, 1)),
    [
      'Nodes: 60',
      ...Array.from({ length: 60 }, (_, index) => `t${index}`)
        .sort()
        .slice(0, 40)
        .map((type) => `  ${TYPE}=${type}: new, 1 node`),
      '  and 20 kinds more',
    ],
  ],
}

suite('the message of a commit', (test) => {
  test('counts a single pod in the singular', () => {
    const scene = new Scene({}, [AGENT, daemonSet()])
    scene.add(apiNode('a1'))
    assert.match(messageIn(scene), /GiB requested, 1 pod\n/)
  })
  for (const settings of [{ output: 'rendered' }, {}])
    test(`says first what changes for whom, then the facts (${settings.output ?? 'inventory alone'})`, () => {
      const scene = sceneOf(settings, [AGENT, daemonSet(), order()])
      scene.turn()
      scene.now += HOUR
      scene.add(apiNode('c1', 'c5.large', 3_800_000))
      scene.nodes.delete('b1')
      const effect = settings.output === undefined ? 'inventory' : 'rendered'
      assert.is(
        withoutDigests(messageIn(scene)),
        `prod: 1 group added, 3 changed, 1 pod restarts, 1 Ticket added, ...

prod: 1 group added, 3 changed, 1 pod restarts, 1 Ticket added, 1 removed

SizingPolicy agent: 0.9 cores and 6.12 -> 5.8 GiB requested, 9 pods
  added agent-c5-large (1 node): agent cpu request 100m, memory request 696Mi -> 371Mi; 1 node moves here
  changed agent-default (0 nodes): agent memory request 696Mi -> 371Mi
  changed agent-m5-xlarge (0 nodes)
  changed agent-remainder (0 nodes): agent memory request 696Mi -> 371Mi
  1 unchanged
Order ns/infra
  Tickets: 1 added, 0 changed, 1 removed, 8 unchanged

Nodes: 9
  node.kubernetes.io/instance-type=c5.large: new, 1 node
  node.kubernetes.io/instance-type=m5.xlarge: no nodes, kept for 14 days

Nodefit-Cluster: prod
Nodefit-Time: ${new Date(scene.now).toISOString()}
Nodefit-Effect: ${effect}
Nodefit-Version: 1.2.3
Nodefit-Folder: clusters/prod/nodes
Nodefit-Package: policies
${settings.output === undefined ? '' : 'Nodefit-Output: rendered\n'}Nodefit-Input-Digest: sha256:…
Nodefit-Output-Digest: sha256:…
`,
      )
      scene.end()
    })
  test('sizes as they were and are, and the pods that restart', () => {
    const scene = sceneOf({ output: 'rendered' })
    scene.turn()
    scene.write(
      'policies/policies.yaml',
      scene.read('policies/policies.yaml').replace('requestMemory: 10', 'requestMemory: 11'),
    )
    const message = messageIn(scene)
    assert.match(message, /^prod: agent: 4 groups changed, 9 pods restart\n/)
    assert.match(message, '\n  changed agent-m5-large (8 nodes): agent memory request 696Mi -> 766Mi; 8 pods restart\n')
    scene.end()
  })
  test('of a render that fails, and of one that only renews the inventory', () => {
    const scene = sceneOf({ maxAge: DAY })
    scene.turn()
    scene.now += DAY
    assert.match(messageIn(scene), /^prod: inventory renewed, 9 nodes\n\nNodes: 9\n\nNodefit-Cluster/)
    scene.write('policies/policies.yaml', scene.read('policies/policies.yaml').replace(TYPE, 'example.com/typo'))
    scene.add(apiNode('c1', 'c5.large'))
    const message = messageIn(scene)
    assert.match(
      message,
      /^prod: 9 -> 10 nodes, and the render fails: Label\w+\n\nThe render fails, and the output stays as it is: Label/,
    )
    assert.not.match(message, 'Output-Digest')
    scene.end()
  })
  const other = (kind: string, name: string, more: Record<string, unknown> = {}) => ({
    apiVersion: kind.includes('Role') ? 'rbac.authorization.k8s.io/v1' : 'v1',
    kind,
    metadata: { name },
    ...more,
  })
  /** A scene whose output is in Git and was looked at, with more objects in its packages since. */
  function sceneWith(objects: readonly KubernetesObject[], settings = { output: 'rendered' }): Scene {
    const scene = sceneOf(settings)
    scene.turn()
    assert.is(scene.after(HOUR), 'unchanged')
    if (objects.length > 0) scene.write('policies/more.yaml', objects.map((object) => writeYaml(object)).join('---\n'))
    scene.now += HOUR
    return scene
  }
  test('names each object of the packages that enters the output, those that grant rights or hold secrets first', () => {
    const scene = sceneWith([other('ConfigMap', 'a'), other('ClusterRoleBinding', 'admin'), other('Service', 's')])
    assert.match(
      messageIn(scene),
      `prod: ClusterRoleBinding admin added, 2 other objects added

Objects of the packages, copied to the output
  added ClusterRoleBinding admin
  added ConfigMap a
  added Service s

Nodes: 9`,
    )
    scene.write(
      'policies/more.yaml',
      [other('ConfigMap', 'a', { data: { b: 'c' } }), other('Service', 's')]
        .map((object) => writeYaml(object))
        .join('---\n'),
    )
    assert.match(
      messageIn(scene),
      /^prod: ClusterRoleBinding admin removed, ConfigMap a changed\n[\s\S]*\n {2}removed ClusterRoleBinding admin\n {2}changed ConfigMap a\n\n/,
    )
    scene.end()
  })
  test('counts more than twenty of them by kind, but for those that grant rights or hold secrets', () => {
    const many = Array.from({ length: 21 }, (_, index) => other('ConfigMap', `c${index}`))
    const scene = sceneWith([...many, other('Secret', 'token'), other('Service', 's')])
    assert.match(
      messageIn(scene),
      /^prod: Secret token added, 22 other objects added\n[\s\S]*\n {2}added Secret token\n {2}added ConfigMap: 21 objects\n {2}added Service: 1 object\n\n/,
    )
    scene.end()
  })
  test('says which edits of the output it undoes, and says it of no change of a policy', () => {
    const scene = sceneWith([])
    const file = 'rendered/daemonset.apps_agent-m5-large.yaml'
    scene.write(file, scene.read(file).replace('agent:1', 'agent:2'))
    const message = messageIn(scene)
    assert.match(message, /^prod: undoes an edit of daemonset\.apps_agent-m5-large\.yaml, /)
    assert.match(message, '\nUndoes an edit of daemonset.apps_agent-m5-large.yaml\n')
    assert.is(scene.after(HOUR), 'unchanged')
    scene.remove('rendered/daemonset.apps_agent-default.yaml')
    assert.match(messageIn(scene), /undoes the removal of daemonset\.apps_agent-default\.yaml/)
    assert.is(scene.after(HOUR), 'unchanged')
    scene.write(file, scene.read(file).replace('agent:1', 'agent:2'))
    scene.write(
      'policies/policies.yaml',
      scene.read('policies/policies.yaml').replace('requestMemory: 10', 'requestMemory: 11'),
    )
    assert.not.match(messageIn(scene), 'undoes')
    scene.end()
  })
  test('undoes an edit of the inventory that changes nothing else, and says so', () => {
    const scene = sceneWith([], { output: 'rendered', undoesEdits: true } as never)
    assert.is(scene.after(HOUR), 'unchanged')
    scene.write(INVENTORY, scene.read(INVENTORY).replace('Amazon Linux 2023', 'Amazon Linux 2'))
    assert.match(messageIn(scene), /^prod: undoes an edit of inventory\.yaml\n/)
    assert.match(scene.read(INVENTORY), 'Amazon Linux 2023')
    assert.is(scene.after(HOUR), 'unchanged')
    scene.end()
  })
  test('says that only the number of nodes changes', () => {
    const scene = sceneWith([])
    scene.add(...Array.from({ length: 6 }, (_, index) => apiNode(`new${index}`)))
    assert.match(messageIn(scene), /^prod: 9 -> 15 nodes: node counts only\n/)
    scene.end()
  })
  for (const [name, change, words] of [
    [
      'osImage',
      (scene) => {
        for (const node of ['a1', 'a2', 'a3'])
          scene.change(node, ({ status, ...rest }) => ({
            ...rest,
            status: { ...status, nodeInfo: { osImage: 'AL 2027' } },
          }))
      },
      '9 nodes: osImage of 3 nodes',
    ],
    [
      'taints, and a new kind',
      (scene) => {
        scene.change('b1', (node) => ({ ...node, spec: { taints: [{ key: 'own', effect: 'NoExecute' }] } }))
        scene.add(apiNode('c1', 'c5.large'))
      },
      '9 -> 10 nodes: taints of 1 node, 2 kinds of node came, 1 kind of node without nodes',
    ],
  ] as Array<[string, (scene: Scene) => void, string]>)
    test(`an inventory alone says what changed of the nodes: ${name}`, () => {
      const scene = new Scene({ packages: [] })
      scene.add(
        ...Array.from({ length: 8 }, (_, index) => apiNode(`a${index + 1}`)),
        apiNode('b1', 'm5.xlarge', 15_000_000),
      )
      scene.turn()
      change(scene)
      scene.now += HOUR
      assert.match(messageIn(scene), `prod: ${words}\n`)
      scene.end()
    })
  test('names no node, since a reader of the repository need not know them', () => {
    const scene = sceneOf({ counts: true })
    assert.not.match(messageIn(scene), /\b[ab]\d\b/)
    scene.end()
  })
  for (const [name, [before, after, lines]] of Object.entries(NODES)) {
    test(`nodes: ${name}`, () => {
      assert.equal(nodeChangeLines(before, after, 14 * DAY), lines)
    })
  }
  test('a first line that is too long ends behind a member of its list, and goes on below', () => {
    const brief = Array.from({ length: 12 }, (_, index) => `${index} groups added`).join(', ')
    const [subject = '', blank, whole] = messageOf({ ...PARTS, changes: { ...PARTS.changes, brief } }).split('\n')
    assert.ok(subject.length <= 72)
    assert.match(subject, /groups added, \.\.\.$/)
    assert.is(blank, '')
    assert.is(whole, `prod: ${brief}`)
    const [long = ''] = messageOf({ ...PARTS, changes: { ...PARTS.changes, brief: 'x'.repeat(100) } }).split('\n')
    assert.is(long.length, 72)
  })
  test('a template says what stands where; the trailers stand behind it in any case', () => {
    const message = messageOf(
      PARTS,
      'chore({{ cluster }}): {{summary}} ({{effect}}, {{version}})\n\n{{nodes}}\n\n{{changes}}\n',
    )
    assert.match(
      message,
      /^chore\(prod\): agent: 1 group added \(rendered, 1\.2\.3\)\n\nNodes: 2\n {2}a: new, 2 nodes\n\nSizingPolicy agent\n/,
    )
    assert.equal(readTrailers(message), TRAILERS)
    assert.is(
      templateProblem('{{summary}} {{constructor}}'),
      '{{constructor}} is not a placeholder: use {{summary}}, {{cluster}}, {{effect}}, {{version}}, {{changes}}, {{nodes}}',
    )
    assert.match(templateProblem(' \n') ?? '', 'is empty')
    assert.is(templateProblem('$(id) `id` {{summary}}'), undefined)
    assert.throws(
      () => messageOf(PARTS, '{{secret}}'),
      /git\.messageTemplate is not a valid template: .*is not a placeholder: use/,
    )
  })
  test('a template that is none stops an evaluation', () => {
    const scene = sceneOf({ template: '{{who}}' })
    assert.match(
      scene.after(0),
      /^stopped: git\.messageTemplate is not a valid template: \{\{who\}\} is not a placeholder: use/,
    )
    scene.end()
  })
  test('trailers are read back, also behind others and below a quoted commit', () => {
    const message = messageOf(PARTS)
    const { output: _, outputDigest: __, ...bare } = TRAILERS
    assert.equal(readTrailers(message), TRAILERS)
    assert.equal(readTrailers(`${message}Signed-off-by: A <a@example.com>\n\nCo-authored-by: B\n`), TRAILERS)
    const second = messageOf({ ...PARTS, trailers: { ...bare, cluster: 'other', packages: [] } })
    assert.equal(readTrailers(`${message}\n${second}`), {
      ...bare,
      cluster: 'other',
      packages: [],
      output: undefined,
      outputDigest: undefined,
    })
    assert.is(readTrailers('Add a policy\n\nNodefit-Cluster: prod\n'), undefined)
    assert.is(readTrailers(''), undefined)
  })
  test('what a repository says cannot forge a line of it', () => {
    const failure = 'X: no\nNodefit-Cluster: forged\u2028Nodefit-Folder: /'
    const message = messageOf({ ...PARTS, effect: 'failed', failure, trailers: TRAILERS })
    assert.not.match(message, /^Nodefit-Cluster: forged/m)
    assert.equal(readTrailers(message), TRAILERS)
  })
})
