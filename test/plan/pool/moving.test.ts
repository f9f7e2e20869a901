/** To nodefit and back: whose claims are kept, taken over and given back, and that their marks go with them. */
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../../src/krm/identity.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { config } from '../../support/objects.ts'
import { ago, type Decided, decideObjects, type Scene, sceneObjects } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const CLAIM = 'kube-000003'
/** An idle node whose claim KubeNodeSmith opened. */
const SCENE: Scene = {
  nodes: [{ name: CLAIM, idle: 3600, claim: { inGit: false, opened: 9000, live: { nodeName: CLAIM, ready: true } } }],
}
const claimInGit = (annotations?: Record<string, string>): KubernetesObject => ({
  apiVersion: 'kubenodesmith.parawell.cloud/v1alpha1',
  kind: 'NodeSmithClaim',
  metadata: { name: CLAIM, namespace: 'kubenodesmith', ...(annotations === undefined ? {} : { annotations }) },
  spec: { poolRef: 'small', requirements: { cpuCores: 4, memoryMiB: 8192 } },
})
const moved = (annotations?: Record<string, string>, scene = SCENE) =>
  decideObjects([...sceneObjects(scene), claimInGit(annotations)])
const RELEASED = { 'nodefit.dev/released-by': 'PoolPolicy/small' }
const objectsIn = ({ plan }: Decided) => plan.items.map(({ object }) => withoutWireAnnotations(object))
const claimIn = (decided: Decided) => objectsIn(decided).find(({ kind }) => kind === 'NodeSmithClaim')
/** The node that is rendered, without the marks of nodefit. */
const nodeIn = (decided: Decided) => {
  const node = objectsIn(decided).find(({ kind }) => kind === 'Node')
  return node === undefined ? undefined : [node.spec, node.metadata.annotations?.['nodefit.dev/leaving'] !== undefined]
}
/** What a run before left, with another policy or none. */
const after = (decided: Decided, change: (policy: KubernetesObject) => KubernetesObject[]) =>
  decideObjects(objectsIn(decided).flatMap((object) => (object.kind === 'PoolPolicy' ? change(object) : [object])))
const disabled = (policy: KubernetesObject) => [{ ...policy, spec: { ...(policy.spec as object), enabled: false } }]
const enabled = (policy: KubernetesObject) => [{ ...policy, spec: { ...(policy.spec as object), enabled: true } }]
const isSnapshot = ({ kind }: KubernetesObject) => kind === 'WorkloadSnapshot'
/** A machine came for a pod, and agents that nobody declared leave too little room on it. */
const CAME_IN_VAIN: Scene = {
  nodes: [
    {
      ...{ name: 'small-000001', ready: 3600, blocking: 0, used: { cpu: '3200m', memory: '1Gi', pods: '3' } },
      claim: { opened: 4000, openedFor: ['q'] },
    },
  ],
  pods: [{ name: 'q', since: 5000 }],
}

suite('moving to nodefit and back', (test) => {
  test('a claim that KubeNodeSmith opened is not taken for ours: it counts, stays as it is, and its node is not marked', () => {
    const decided = moved()
    assert.equal([decided.errors, decided.marked], [[], []])
    assert.equal(claimIn(decided), claimInGit())
  })
  test('with the mark of a released one it is taken over, and its idle node leaves', () => {
    const decided = moved(RELEASED)
    assert.equal([decided.errors, decided.marked], [[], [CLAIM]])
    assert.is(claimIn(decided)?.metadata.annotations?.['nodefit.dev/owner'], 'PoolPolicy/small')
    assert.equal(claimIn(decided)?.spec, claimInGit().spec)
  })
  for (const [name, change, allow] of [
    ['disabled', disabled, []],
    ['gone, and that is allowed', () => [config({ allow: ['OrphanedOutput'] })], ['OrphanedOutput']],
  ] as const)
    test(`a policy that is ${name} gives its claims back, and withdraws marks and cordons`, () => {
      const first = moved(RELEASED)
      assert.equal(nodeIn(first), [{ unschedulable: true }, true])
      const decided = after(first, change as typeof disabled)
      assert.equal([decided.errors, decided.dropped], [[], []], String(allow))
      assert.equal(claimIn(decided)?.spec, claimInGit().spec)
      assert.is(claimIn(decided)?.metadata.annotations?.['nodefit.dev/owner'], undefined)
      // only a document without them takes them back, and none may have the node pruned or made anew
      assert.equal(nodeIn(decided), [undefined, false])
      const { metadata } = objectsIn(decided).find(({ kind }) => kind === 'Node') ?? {}
      assert.is(metadata?.uid, `uid-${CLAIM}`)
      assert.match(metadata?.annotations?.['argocd.argoproj.io/sync-options'] ?? '', 'Prune=false')
      assert.is(metadata?.annotations?.['kustomize.toolkit.fluxcd.io/ssa'], 'Merge')
    })
  test('a policy that is enabled again goes on with its claims', () => {
    const off = after(moved(RELEASED), disabled)
    const on = after(off, enabled)
    assert.equal([on.errors, on.added, on.dropped, on.marked], [[], [], [], [CLAIM]])
  })
  const VIRTUAL = { apiVersion: 'proxmox.alperen.cloud/v1alpha1', kind: 'VirtualMachine', spec: { name: '$(name)' } }
  const OUTPUTS: Array<[output: string, policy: object]> = [
    ['NodeSmithClaim', {}],
    ['VirtualMachine', { output: { kind: 'Template', template: VIRTUAL } }],
  ]
  for (const [kind, policy] of OUTPUTS)
    test(`a policy that is enabled again counts what no snapshot shows yet as joining: ${kind}`, () => {
      const machines = [
        { cpuCores: 2, memoryMiB: 4096 },
        { cpuCores: 4, memoryMiB: 8192 },
      ]
      // a second machine of 4 cores passes the limit, unless the first one counts as the smallest
      const limits = { minNodes: 0, maxNodes: 5, cpuCores: 7, memoryMiB: 0 }
      const pods = ['q1', 'q2'].map((name) => ({ name, cpu: '3' }))
      const WANT = { q1: 'small-000001', q2: 'CpuCeiling' }
      const first = decideObjects(sceneObjects({ pools: [{ limits, policy: { ...policy, machines } }], pods }))
      assert.equal([first.errors, first.pods], [[], WANT])
      const off = after(first, disabled)
      const on = after(off, enabled)
      assert.equal([on.errors, on.pods, on.warnings.includes('ClaimStale')], [[], WANT, false])
      const asked = objectsIn(on).filter((one) => one.kind === kind)
      assert.equal(
        asked.map(({ metadata }) => [metadata.name, metadata.annotations?.['nodefit.dev/opened-at']]),
        [['small-000001', '2026-01-15T10:00:00Z']],
      )
    })
  test('a policy that is enabled again knows for which pods its machines came, and opens no second one for them', () => {
    const first = decideObjects(sceneObjects(CAME_IN_VAIN))
    const off = after(first, disabled)
    const on = after(off, enabled)
    for (const decided of [first, on])
      assert.equal([decided.errors, decided.pods, decided.added], [[], { q: 'not helped' }, []])
    const recorded = [first, off, on].map((decided) => {
      const { 'nodefit.dev/opened-at': at, 'nodefit.dev/opened-for': pods } =
        claimIn(decided)?.metadata.annotations ?? {}
      return [at, pods]
    })
    assert.equal(recorded, Array(3).fill([ago(4000), 'default/q']))
  })
  test('a pod that came while the policy was disabled is not one of the same name for which a machine came before', () => {
    const off = after(decideObjects(sceneObjects(CAME_IN_VAIN)), disabled)
    const [later] = sceneObjects({ ...CAME_IN_VAIN, pods: [{ name: 'q', since: 3999 }] }).filter(isSnapshot)
    const objects = objectsIn(off).map((object) => (isSnapshot(object) ? (later ?? object) : object))
    const on = decideObjects(objects.flatMap((object) => (object.kind === 'PoolPolicy' ? enabled(object) : [object])))
    assert.equal([on.errors, on.pods, on.added], [[], { q: 'small-000002' }, ['small-000002']])
  })
  test('a policy that is gone without leave is an error that changes nothing', () => {
    const decided = after(moved(RELEASED), () => [])
    // the claim, and the fields of its node
    assert.equal(decided.errors, ['OrphanedOutput', 'OrphanedOutput'])
    for (const { code, message } of decided.plan.findings)
      if (code === 'OrphanedOutput') assert.ok(message.includes('Restore the PoolPolicy.'), message)
    assert.is(claimIn(decided)?.metadata.annotations?.['nodefit.dev/owner'], 'PoolPolicy/small')
  })
})
