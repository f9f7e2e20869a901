/** Input that is wrong or cut: an error says so, and every claim stays as it is. */
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../../src/krm/identity.ts'
import { ownerOf } from '../../../src/krm/remembered.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { ago, decideObjects, type PoolScene, provider, type Scene, sceneObjects } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const IDLE = { name: 'small-000001', idle: 900, marked: 60, claim: { live: {} } }
/** A node that leaves, a claim that failed, and a pod that opens another. */
const scene = (more: Scene = {}): Scene => ({
  nodes: [IDLE],
  claims: [{ name: 'small-000002', live: { failed: true } }],
  pods: [{ name: 'a', cpu: '3', since: 5000 }],
  ...more,
})
const pool = (more: PoolScene): Scene => scene({ pools: [more] })
const snapshot = (spec: object): Scene => scene({ snapshot: spec })
const without = (kind: string) => sceneObjects(scene()).filter((one) => one.kind !== kind)
const twice = (kind: string, named: (spec: Record<string, unknown>) => void) =>
  sceneObjects(scene()).map((one) => {
    if (one.kind !== kind) return one
    const copy = structuredClone(one)
    named(copy.spec as Record<string, unknown>)
    return copy
  })
/** Repeats the first entry of a list. */
const repeat = (list: string) => (spec: Record<string, unknown>) => {
  const entries = spec[list] as unknown[]
  entries.push(structuredClone(entries[0]))
}
const LONG = 'a'.repeat(57)

const ROWS: Readonly<Record<string, [input: Scene | readonly KubernetesObject[], code: string]>> = {
  'a window in days': [pool({ spec: { scaleDown: { stabilizationWindow: '1d' } } }), 'PoolInvalid'],
  'a time without a unit': [pool({ policy: { times: { trust: '30' } } }), 'PoolInvalid'],
  'a negative time': [pool({ policy: { scaleDown: { drainTimeout: '-5m' } } }), 'PoolInvalid'],
  'an amount that is none': [pool({ policy: { reserved: { cpu: 'x' } } }), 'PoolInvalid'],
  'minNodes above maxNodes': [pool({ limits: { minNodes: 2, maxNodes: 1 } }), 'PoolInvalid'],
  'a negative limit': [pool({ limits: { minNodes: -1 } }), 'InvalidField'],
  'a prefix of 57 characters': [pool({ policy: { output: { namePrefix: LONG } } }), 'PoolInvalid'],
  'a prefix that begins no name': [pool({ policy: { output: { namePrefix: 'Small_' } } }), 'PoolInvalid'],
  'two pools with one prefix': [
    scene({ pools: [{}, { name: 'big', policy: { output: { namePrefix: 'small' } } }] }),
    'DuplicatePool',
  ],
  'two policies of one pool': [scene({ pools: [{}, { name: 'big', policy: { poolRef: 'small' } }] }), 'DuplicatePool'],
  'no pool': [without('NodeSmithPool'), 'PoolMissing'],
  'no provider': [without('NodeSmithProvider'), 'ProviderMissing'],
  'a provider without a number': [
    [...without('NodeSmithProvider'), provider({ proxmox: { vmMemOverheadMiB: 'x' } })],
    'PoolInvalid',
  ],
  'a provider with a number below 0': [
    [...without('NodeSmithProvider'), provider({ proxmox: { vmMemOverheadMiB: -1 } })],
    'PoolInvalid',
  ],
  'no snapshot': [without('WorkloadSnapshot'), 'PoolInputUnknown'],
  'a snapshot without pending pods': [snapshot({ pending: undefined, collected: {} }), 'PoolInputUnknown'],
  'a snapshot without nodes': [snapshot({ nodes: undefined, collected: {} }), 'PoolInputUnknown'],
  'a snapshot that was cut': [snapshot({ pending: [] }), 'SnapshotCut'],
  'a snapshot without a time': [snapshot({ observedAt: undefined }), 'NoTime'],
  'a snapshot of another cluster': [snapshot({ cluster: 'other' }), 'WrongCluster'],
  'a snapshot apart from its inventory': [snapshot({ observedAt: ago(120) }), 'SnapshotsApart'],
  'a claim that was opened later': [scene({ claims: [{ name: 'small-000002', opened: -1 }] }), 'SnapshotOlder'],
  'a node twice': [twice('NodeInventory', (spec) => repeat('shapes')(spec)), 'DuplicateNode'],
  'a node twice in the snapshot': [twice('WorkloadSnapshot', repeat('nodes')), 'SnapshotDuplicate'],
  'a claim twice': [twice('WorkloadSnapshot', repeat('claims')), 'SnapshotDuplicate'],
  'a pod twice': [twice('WorkloadSnapshot', repeat('pending')), 'SnapshotDuplicate'],
  'no inventory': [without('NodeInventory'), 'NoNodes'],
}

/** Without what was rendered before. */
const hiding = (objects: readonly KubernetesObject[]) => objects.filter((one) => ownerOf(one) === undefined)

const claimsOf = (objects: readonly KubernetesObject[]) =>
  objects
    .filter(({ kind }) => kind === 'NodeSmithClaim' || kind === 'Node')
    .map((one) => JSON.stringify(withoutWireAnnotations(one)))
    .sort()

suite('bad input keeps every claim', (test) => {
  test('where good input drops one and opens another', () => {
    const { errors, added, dropped } = decideObjects(sceneObjects(scene()))
    assert.equal([errors, added.length, dropped.length], [[], 1, 1])
  })
  for (const [name, [input, code]] of Object.entries(ROWS))
    test(name, () => {
      const objects = Array.isArray(input) ? (input as readonly KubernetesObject[]) : sceneObjects(input as Scene)
      const { errors, plan } = decideObjects(objects)
      assert.ok(errors.includes(code), `${code} is not among ${errors.join()}`)
      assert.ok(code === 'PoolInputUnknown' || !errors.includes('PoolInputUnknown'), errors.join())
      assert.equal(claimsOf(plan.items.map(({ object }) => object)), claimsOf(objects))
      // where the earlier output is hidden the cause is said, and not what follows from it
      const hidden = decideObjects(hiding(objects), { keepsFiles: false }).errors
      assert.ok(code === 'SnapshotOlder' || hidden.includes(code), `${code} is not among ${hidden.join()}`)
      assert.not.ok(hidden.includes('ClaimsUnknown'), hidden.join())
    })
  test('where the cause is allowed, a host that hides the earlier output is told that nobody knows the claims', () => {
    const { errors } = decideObjects(hiding(without('WorkloadSnapshot')), {
      keepsFiles: false,
      allow: ['PoolInputUnknown'],
    })
    assert.equal(errors, ['ClaimsUnknown'])
  })
})
