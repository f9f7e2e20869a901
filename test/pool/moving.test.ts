/** To nodefit and back: whose claims are kept, taken over and given back, and that their marks go with them. */
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../src/krm/annotation.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { config } from '../support/objects.ts'
import { type Decided, decideObjects, type Scene, sceneObjects } from '../support/pools.ts'
import { suite } from '../support/suite.ts'

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
    const on = after(off, (policy) => [{ ...policy, spec: { ...(policy.spec as object), enabled: true } }])
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
      const on = after(off, (one) => [{ ...one, spec: { ...(one.spec as object), enabled: true } }])
      assert.equal([on.errors, on.pods, on.warnings.includes('ClaimStale')], [[], WANT, false])
      const asked = objectsIn(on).filter((one) => one.kind === kind)
      assert.equal(
        asked.map(({ metadata }) => [metadata.name, metadata.annotations?.['nodefit.dev/opened-at']]),
        [['small-000001', '2026-01-15T10:00:00Z']],
      )
    })
  test('a policy that is gone without leave is an error that changes nothing', () => {
    const decided = after(moved(RELEASED), () => [])
    // the claim, and the fields of its node
    assert.equal(decided.errors, ['OrphanedOutput', 'OrphanedOutput'])
    assert.is(claimIn(decided)?.metadata.annotations?.['nodefit.dev/owner'], 'PoolPolicy/small')
  })
})
