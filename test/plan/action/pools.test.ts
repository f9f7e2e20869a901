import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { actionPolicy } from '../../support/action-package.ts'
import { keyringItem, signedAction } from '../../support/actions.ts'
import { listOf } from '../../support/objects.ts'
import { claimsIn, type Decided, decideObjects, sceneObjects } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const ONE = 'small-000001'
const marked = sceneObjects({ nodes: [{ name: ONE, marked: 60, git: 60 }, { name: 'small-000002' }] })
const cluster = String(
  (marked.find(({ kind }) => kind === 'NodeInventory') as { spec?: { cluster?: string } } | undefined)?.spec?.cluster,
)
const withAction = (type: string) =>
  decideObjects([
    ...marked,
    actionPolicy(),
    keyringItem(),
    signedAction({ id: 'a', cluster, type, target: { kind: 'Node', name: ONE } }),
  ])
const documentOf = ({ plan }: Decided): KubernetesObject | undefined =>
  plan.items.map(({ object }) => object).find(({ kind, metadata }) => kind === 'Node' && metadata.name === ONE)
const errors = ({ plan }: Decided) => plan.findings.filter(({ severity }) => severity === 'error')

const inPackage = (object: KubernetesObject, name: string): KubernetesObject => {
  const annotations = { ...object.metadata.annotations, 'internal.config.kubernetes.io/package-path': name }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

suite('actions and pools on one node', (test) => {
  test('A15 an uncordon wins over the mark of a pool, and the claim stays', () => {
    const alone = decideObjects(marked)
    assert.not(
      claimsIn(alone).some(({ metadata }) => metadata.name === ONE),
      'the pool alone drops the claim',
    )
    const made = withAction('uncordonNode')
    assert.equal(errors(made), [])
    assert.equal(documentOf(made)?.spec, { unschedulable: false })
    assert.is(documentOf(made)?.metadata.annotations?.['nodefit.dev/leaving'], undefined)
    assert.ok(claimsIn(made).some(({ metadata }) => metadata.name === ONE))
  })
  test('a cordon of both is one field of one document', () => {
    const waiting = sceneObjects({ nodes: [{ name: ONE, marked: 60, git: 60, blocking: 1 }] })
    const made = decideObjects([
      ...waiting,
      actionPolicy(),
      keyringItem(),
      signedAction({ id: 'a', cluster, type: 'cordonNode', target: { kind: 'Node', name: ONE } }),
    ])
    assert.equal(errors(made), [])
    const document = documentOf(made)
    const { metadata } = document ?? {}
    assert.equal(document?.spec, { unschedulable: true })
    assert.ok(metadata?.annotations?.['nodefit.dev/leaving'])
    assert.is(metadata?.annotations?.['nodefit.dev/actions'], 'a')
    assert.match(
      metadata?.annotations?.['nodefit.dev/fields'] ?? '',
      /"\/spec\/unschedulable":\["ActionPolicy\/main","PoolPolicy\//,
    )
  })
  test('the document of a pool alone is none that actions give back', () => {
    const waiting = sceneObjects({ nodes: [{ name: ONE, marked: 60, git: 60, blocking: 1 }] })
    const made = decideObjects([...waiting, actionPolicy(), keyringItem()])
    assert.equal(errors(made), [])
    assert.equal(documentOf(made)?.spec, { unschedulable: true })
    assert.is(documentOf(made)?.metadata.annotations?.['nodefit.dev/ended'], undefined)
  })
  test('a node that the pool of another package writes to is no node for an action, in that cluster alone', () => {
    const waiting = sceneObjects({ nodes: [{ name: ONE, marked: 60, git: 60, blocking: 1 }] })
    const there = decideObjects(waiting).plan.items.map(({ object }) => inPackage(object, 'pools'))
    assert.ok(there.some(({ kind, metadata }) => kind === 'Node' && metadata.name === ONE))
    const acting = (of: string) => {
      const nodes = waiting.find(({ kind }) => kind === 'NodeInventory') as KubernetesObject
      const action = signedAction({ id: 'a', cluster: of, type: 'cordonNode', target: { kind: 'Node', name: ONE } })
      const here = [
        { ...nodes, spec: { ...(nodes.spec as object), cluster: of } },
        actionPolicy(),
        keyringItem(),
        action,
      ]
      const made = plan(listOf([...there, ...here.map((object) => inPackage(object, 'actions'))]))
      return made.findings.filter(({ code }) => code === 'NodeInTwoPackages').map(({ message }) => message)
    }
    const [message = '', ...more] = acting(cluster)
    assert.match(message, `a and Node ${ONE} of package pools both write to Node ${ONE}`)
    assert.equal([more, acting('other')], [[], []])
  })
  test('nor is one that a pool of another package marks for the first time in the same run', () => {
    const idle = sceneObjects({ nodes: [{ name: ONE, idle: 3600 }, { name: 'small-000002' }] })
    const nodes = idle.find(({ kind }) => kind === 'NodeInventory') as KubernetesObject
    const { shapes: known } = nodes.spec as { shapes: Array<{ nodes: string[] }> }
    const shapes = known.map((shape) => ({
      ...shape,
      uids: Object.fromEntries(shape.nodes.map((name) => [name, `uid-of-${name}`])),
    }))
    const acting = (of: string, more: Record<string, unknown> = {}, pools: readonly KubernetesObject[] = idle) => {
      const target = { kind: 'Node', name: ONE }
      const action = signedAction({ id: 'a', cluster: of, type: 'cordonNode', target, ...more })
      const inventory = { ...nodes, spec: { ...(nodes.spec as object), cluster: of, shapes } }
      const here = [inventory, actionPolicy(), keyringItem(), action].map((object) => inPackage(object, 'actions'))
      const made = plan(listOf([...pools.map((object) => inPackage(object, 'pools')), ...here]))
      const found = made.findings.filter(({ code }) => code === 'NodeInTwoPackages')
      return {
        failed: made.failed,
        said: found.map(({ message }) => message),
        subjects: found.map((one) => one.subject),
      }
    }
    const { failed, said, subjects } = acting(cluster)
    assert.is(failed, true)
    assert.is(said.length, 1)
    assert.match(said[0] ?? '', `a and PoolPolicy`)
    assert.match(said[0] ?? '', `of package pools both write to Node ${ONE}`)
    assert.is(subjects[0]?.metadata.name, 'a')
    assert.equal(acting('other').said, [])
    // once the document is there, it is said once all the same
    const there = decideObjects(idle).plan.items.map(({ object }) => object)
    assert.is(acting(cluster, {}, there).said.length, 1)
    assert.equal(acting(cluster, { target: { kind: 'Node', name: 'small-000002' } }).said, [])
    assert.equal(acting(cluster, { expiresAt: '2020-01-01T00:00:00Z' }).said, [])
  })
})
