/**
 * What pools render for other providers, on a real API server with the definitions of Cluster API and Karpenter and their rules: it is
 * taken without a warning, and Cluster API itself says that no Machine is replaced.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import {
  ago,
  type Decided,
  DYNAMIC,
  decide,
  deployment,
  type Scene,
  STATIC,
  WRITTEN,
} from '../../test/support/pools.ts'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { goModule } from '../support/go-module.ts'
import { run } from '../support/hosts.ts'
import { asList, does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const KARPENTER = ['karpenter-counts', 'sigs.k8s.io/karpenter', 'pkg/apis/crds', 'karpenter.sh_nodepools'] as const
const CLUSTER_API = ['cluster-api-rolls', 'sigs.k8s.io/cluster-api', 'core/config/crd/bases'] as const
const definition = ([host, module, folder]: readonly [string, string, string, ...string[]], name: string): Any =>
  objectsOf(readFileSync(join(goModule(host, module), folder, `${name}.yaml`), 'utf8'))[0]

const rendered = ({ plan, errors }: Decided, kind: string): KubernetesObject => {
  assert.equal(errors, [])
  const found = plan.items.find(({ object }) => object.kind === kind)
  assert.ok(found, kind)
  return withoutWireAnnotations(found.object)
}
const waiting = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `p${index}`, cpu: '3' }))

const TAINT = { key: 'dedicated', value: 'batch', effect: 'NoSchedule' }
const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['4c-8g'] }]
const nodePool = (policy: object, pool: object = {}): Scene => ({
  pools: [{ limits: { cpuCores: 16, memoryMiB: 30_720 }, policy: { output: DYNAMIC, ...policy }, ...pool }],
})
const drained = (drainTimeout: string, window: string) =>
  nodePool({ scaleDown: { drainTimeout } }, { spec: { scaleDown: { stabilizationWindow: window } } })
const NODE_POOLS: Readonly<Record<string, Scene>> = {
  'as its pool is': nodePool({}),
  'with a weight': nodePool({ priority: 100 }),
  'with taints, and some while it joins': nodePool({
    taints: [TAINT],
    startupTaints: [{ key: 'a/b', effect: 'NoExecute' }],
  }),
  'with requirements': nodePool({ output: { ...DYNAMIC, requirements } }),
  'without limits': nodePool({}, { limits: { maxNodes: 0 } }),
  'whose nodes never leave': nodePool({}, { spec: { scaleDown: undefined } }),
  'with times in several units': drained('1h30m', '1m30s'),
  'with times in fractions': drained('1.5h', '0.5h'),
  'with times below a second': drained('1500ms', '10ms'),
  'with times that are zero': drained('0', '0'),
  'with replicas': { ...nodePool({ output: STATIC }), pods: waiting(2) },
  'with replicas, beside priority': { ...nodePool({ output: STATIC, priority: 5 }), pods: waiting(1) },
}

const MACHINES = ['node-a', 'node-b', 'node-c'].map((nodeName, index) => ({
  ...{ name: `small-md-x-${nodeName}`, namespace: 'kubenodesmith', owner: 'small-md', createdAt: ago(4000), nodeName },
  ...(index === 2 ? { marked: false } : {}),
}))
const nodes = MACHINES.map(({ name, nodeName }, index) => ({
  ...{ name: nodeName, claim: null, more: { machine: name } },
  ...(index < 2 ? { used: 'full' as const } : { idle: 600 }),
}))
const ofDeployment = (replicas: number | undefined, more: Scene = {}): Scene => ({
  ...{
    pools: [{ policy: { output: { kind: 'MachineDeployment', name: 'small-md' } } }],
    more: [deployment(replicas, WRITTEN)],
  },
  ...{ nodes, snapshot: { machines: MACHINES }, ...more },
})
/** What becomes of three Machines, two of them full and one idle. */
const DEPLOYMENTS: Readonly<Record<string, readonly [replicas: number, scene: Scene]>> = {
  'that grows': [4, ofDeployment(3, { pods: waiting(2) })],
  'that stays, with one marked': [3, ofDeployment(3)],
  'that shrinks to what Git has': [2, ofDeployment(2)],
}

const machineOf = ({ name }: { name: string }): Any => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name, namespace: 'kubenodesmith' },
  spec: (deployment(3).spec as Any).template.spec,
})

const cluster = [...CONTROL_PLANE, 'karpenter-counts', 'cluster-api-rolls'].every(has)
  ? await startCluster()
  : undefined

suite('pools of other providers on a real API server', (test) => {
  if (cluster === undefined) return
  const { kubectl, stop } = cluster
  // one document each, as a tool applies them: kubectl itself, and not the server, checks the items of a List
  const apply = (objects: readonly Any[], ...more: string[]) =>
    kubectl(
      ['apply', '--server-side', '--force-conflicts', '--validate=strict', ...more, '-f', '-'],
      objects.map((one) => JSON.stringify(one)).join('\n'),
    )
  const taken = (object: Any, ...more: string[]): Any => {
    const { status, stdout, stderr } = apply([object], '-o', 'json', ...more)
    assert.equal([status, stderr], [0, ''], stderr)
    const made = JSON.parse(stdout)
    return made.items?.[0] ?? made
  }
  test('the definitions are there', async () => {
    const definitions = [
      definition(KARPENTER, KARPENTER[3]),
      ...['machinedeployments', 'machines'].map((name) => definition(CLUSTER_API, `cluster.x-k8s.io_${name}`)),
    ]
    does(kubectl(['create', '-f', '-'], asList(definitions)))
    await established(kubectl)
    does(kubectl(['create', 'namespace', 'kubenodesmith']))
  })

  for (const [name, scene] of Object.entries(NODE_POOLS))
    test(`a NodePool ${name} is taken as it is`, () => {
      const object = rendered(decide(scene), 'NodePool')
      const { spec } = taken(object, '--dry-run=server')
      const { disruption, ...others } = object.spec as Any
      const { disruption: filled, ...read } = spec
      // the definition fills in its defaults: a budget, and when a node is too old
      if (disruption !== undefined) assert.equal(filled, { budgets: [{ nodes: '10%' }], ...disruption })
      const { expireAfter: _, ...template } = read.template.spec
      assert.equal({ ...read, template: { ...read.template, spec: template } }, others)
    })
  test('the replicas of a NodePool grow, and its mode is not changed, as nodefit says', () => {
    const of = (output: object, pods: number) =>
      rendered(decide({ ...nodePool({ output }), pods: waiting(pods) }), 'NodePool')
    assert.is(taken(of(STATIC, 1)).spec.replicas, 1)
    assert.is(taken(of(STATIC, 3)).spec.replicas, 3)
    const { status, stderr } = kubectl(['replace', '--dry-run=server', '-f', '-'], asList([of(DYNAMIC, 0)]))
    assert.is(status, 1)
    assert.match(stderr, /[Cc]annot transition NodePool between static .* and dynamic/)
  })

  test('Machines and their MachineDeployment are there', () => {
    const made = apply([deployment(3), ...MACHINES.map(machineOf)])
    assert.equal([made.status, made.stderr], [0, ''])
  })
  for (const [name, [replicas, scene]] of Object.entries(DEPLOYMENTS))
    test(`a MachineDeployment ${name} is taken, with replicas alone changed`, () => {
      const before = JSON.parse(
        does(kubectl(['get', 'machinedeployment', '-n', 'kubenodesmith', 'small-md', '-o', 'json'])),
      )
      const { spec } = taken(rendered(decide(scene), 'MachineDeployment'))
      assert.equal(spec, { ...before.spec, replicas })
    })
  test('the document of a Machine marks it for removal, and changes nothing else of it', () => {
    const document = rendered(decide(ofDeployment(3)), 'Machine')
    const { name, namespace } = document.metadata
    const read = () => JSON.parse(does(kubectl(['get', 'machine', '-n', namespace ?? '', name, '-o', 'json'])))
    const before = read()
    taken(document, '--field-manager=argocd-controller')
    const marked = read()
    assert.is(marked.metadata.annotations['cluster.x-k8s.io/delete-machine'], 'true')
    assert.equal([marked.spec, marked.metadata.labels], [before.spec, before.metadata.labels])
  })

  /** What Cluster API says of Machines of the first that are to be as the second has them. */
  const rolls = (before: KubernetesObject, after: KubernetesObject): { upToDate: boolean; lacking: string[] | null } =>
    JSON.parse(does(run('cluster-api-rolls', [], { input: JSON.stringify({ before, after }) })))
  for (const [name, [, scene]] of Object.entries(DEPLOYMENTS))
    test(`Cluster API replaces no Machine of one ${name}`, () => {
      const after = rendered(decide(scene), 'MachineDeployment')
      assert.equal(rolls(deployment(3), after), { upToDate: true, lacking: null })
    })
  test('Cluster API would replace the Machines of another version', () => {
    const after = structuredClone(deployment(3)) as Any
    after.spec.template.spec.version = 'v1.36.0'
    assert.equal(rolls(deployment(3), after), {
      upToDate: false,
      lacking: ['spec.version v1.35.0, v1.36.0 required'],
    })
  })
  test('what was started is stopped', stop)
})
