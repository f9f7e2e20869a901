/** The rows of the specification about signed actions (research: nodesmith-and-agent 4.5 and 4.6), end to end. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { readObject } from '../../../src/krm/read-object.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import {
  actionPolicy,
  after,
  codes,
  deployment,
  errors,
  IMAGE,
  nodeOf,
  nodesAt,
  OWN_IMAGE,
  planned,
  rendered,
  snapshot,
  UID,
} from '../../support/action-package.ts'
import {
  KEYRING,
  keyringItem,
  PRIVATE_KEY,
  signedAction,
  T,
  trustOf,
  VECTORS,
  vectorAction,
} from '../../support/actions.ts'
import { listOf } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const KEEPING = {
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  'argocd.argoproj.io/sync-options': 'ServerSideApply=true,Prune=false,Delete=false',
  'client.lifecycle.config.k8s.io/deletion': 'detach',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
  'kustomize.toolkit.fluxcd.io/ssa': 'Merge',
}
const label = (labels: object, more: Record<string, unknown> = {}) =>
  signedAction({ id: 'label', type: 'labelNode', sequence: 13, parameters: { labels }, ...more }, 'k1')
const remove = (...keys: string[]) =>
  signedAction({ id: 'unlabel', type: 'labelNode', sequence: 14, parameters: { remove: keys } }, 'k1')
const pod = (more: object = {}) => ({
  ...{ kind: 'Pod', namespace: 'default', name: 'web-0', uid: '7f0c2f5e-1111-4222-8333-944455556666' },
  ...{ node: 'small-000002', controller: 'StatefulSet', ...more },
})
const jobs = (made: ReturnType<typeof planned>) => rendered(made, 'Job').map(({ metadata }) => metadata.name)
const containersOf = (made: ReturnType<typeof planned>) =>
  rendered(made, 'Job').map(({ spec }) => {
    const { template } = spec as {
      template: { spec: { containers: Array<{ command?: string[]; args: string[]; image: string }> } }
    }
    return template.spec.containers[0]
  })
const again = (made: ReturnType<typeof planned>, options = {}) =>
  plan({ apiVersion: '', results: [], items: made.items }, { keyring: KEYRING, ...options })
const bytes = ({ items }: ReturnType<typeof planned>) => JSON.stringify(items.map(({ object }) => object))

suite('signed actions', (test) => {
  test('S01 a cordon is a partial Node that nobody prunes', () => {
    const made = planned([vectorAction('V1')])
    assert.equal(errors(made), [])
    const { metadata, ...rest } = nodeOf(made) as KubernetesObject
    assert.equal(rest, { apiVersion: 'v1', kind: 'Node', spec: { unschedulable: true } })
    const { 'nodefit.dev/fields': fields, ...annotations } = metadata.annotations ?? {}
    assert.equal(metadata.uid, UID)
    const { kind: _, apiVersion: __, metadata: ___, ...signed } = vectorAction('V1')
    const { 'nodefit.dev/signed-action': proof = '', ...others } = annotations
    assert.equal(others, { ...KEEPING, 'nodefit.dev/actions': 'act-0001', 'nodefit.dev/owner': 'nodefit/fields' })
    assert.equal(JSON.parse(proof), [signed], 'the whole signed action')
    assert.match(fields ?? '', /"\/spec\/unschedulable":\["ActionPolicy\/main"\]/)
  })
  test('S02 a changed action renders nothing', () => {
    const made = planned([vectorAction('V1', { spec: { target: { kind: 'Node', name: 'small-000003' } } })])
    assert.equal(errors(made), ['BadSignature'])
    assert.equal(rendered(made, 'Node'), [])
  })
  test('S11 an action of another cluster', () =>
    assert.equal(errors(planned([nodesAt(T, {}, 'prod-us1'), vectorAction('V1')])), ['ActionOfOtherCluster']))
  test('an action that has expired in its own words is no error at its last moment, whatever else is wrong with it', () => {
    const changed = vectorAction('V1', { spec: { sequence: 8, force: true }, signature: { keyId: 'k9' } })
    const at = (time: string) => planned([nodesAt(time), changed])
    assert.equal(errors(at('2026-01-15T11:00:00Z')), [])
    assert.equal(codes(at('2026-01-15T11:00:00Z')).includes('ActionExpired'), true)
    assert.equal(errors(at('2026-01-15T10:59:59Z')), ['UnknownField'])
  })
  test('S12 the later action applies, the other is superseded', () => {
    const made = planned([vectorAction('V1'), vectorAction('V2')])
    assert.equal(nodeOf(made)?.spec, { unschedulable: false })
    assert.is(codes(made).filter((code) => code === 'ActionSuperseded').length, 1)
  })
  test('S13 an earlier action does not come back where a later one applied', () => {
    const made = planned([vectorAction('V2')])
    const replayed = plan(
      listOf([...after(made, (object) => (object.kind === 'NodeAction' ? undefined : object)), vectorAction('V1')]),
      { keyring: KEYRING },
    )
    assert.equal(errors(replayed), [])
    assert.ok(codes(replayed).includes('ActionSuperseded'))
    assert.is(nodeOf(replayed)?.spec, undefined)
  })
  test('S14 copies are one action, and an id of two is refused', () => {
    const copy = { ...vectorAction('V1'), metadata: { name: 'copy' } }
    const made = planned([vectorAction('V1'), copy])
    assert.equal(errors(made), [])
    assert.is(rendered(made, 'Node').length, 1)
    const other = signedAction({ id: 'act-0001', type: 'cordonNode', sequence: 8 }, 'k1', 'other')
    assert.equal(errors(planned([vectorAction('V1'), other])), ['DuplicateId'])
  })
  for (const [what, text] of [
    ['an anchor', 'reason: &why update'],
    ['an alias', 'reason: &why update\n  requester: *why'],
  ])
    test(`S16 ${what}`, () => {
      const document = `apiVersion: nodefit.dev/v1alpha1\nkind: NodeAction\nmetadata: {name: a}\nspec:\n  ${text}\n`
      const item = { ...readObject(document, 'an action', () => true), text: document }
      const made = plan(
        { ...listOf([nodesAt(), actionPolicy()]), items: [...listOf([nodesAt(), actionPolicy()]).items, item] },
        { keyring: KEYRING },
      )
      assert.equal(errors(made), ['InvalidField'])
    })
  test('S16 a key that stands twice', () =>
    assert.throws(
      () =>
        readObject(
          'apiVersion: nodefit.dev/v1alpha1\nkind: NodeAction\nkind: NodeAction\nmetadata: {name: a}\n',
          'x',
          () => true,
        ),
      /duplicated mapping key/,
    ))
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  for (const [what, data] of [
    ['the bytes', { key: KEYRING.k1?.key }],
    ['its text', { 'k1.key': base64(`${KEYRING.k1?.key}\n`) }],
  ] as const)
    test(`S18 a Secret with ${what}`, () => {
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'key' },
        data,
      } as unknown as KubernetesObject
      assert.equal(errors(planned([vectorAction('V1'), secret])), ['KeyInPackage'])
      assert.ok(errors(planned([vectorAction('V1'), secret], { keyring: undefined })).includes('KeyInPackage'))
    })
  test('S18 a secret in any other item', () => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm' },
      data: { x: Buffer.from(KEYRING.k1?.key ?? '', 'base64').toString('hex') },
    }
    assert.equal(errors(planned([vectorAction('V1'), map])), ['KeyInPackage'])
    assert.ok(
      errors(planned([vectorAction('V1'), keyringItem({ alg: 'HMAC-SHA256' })], { keyring: undefined })).includes(
        'KeyInPackage',
      ),
    )
  })
  const ring = (before: string) => `${before}keys:\n- keyId: k1\n  secret: ${KEYRING.k1?.key}\n`
  const wrapped = (text: string) => base64(text).replaceAll(/.{1,40}/g, '$&\n')
  for (const [what, value] of [
    ...['', ' ', '  '].map(
      (before) => [`a keyring ${before.length} characters further`, base64(ring(before))] as const,
    ),
    ['a keyring, wrapped', wrapped(ring(''))],
    ['the bytes within others', base64(`x${Buffer.from(KEYRING.k1?.key ?? '', 'base64').toString('latin1')}y`)],
    ['a keyring as it is', ring('')],
  ] as const)
    test(`S18 a Secret with ${what}`, () => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, data: { x: value } }
      assert.equal(errors(planned([vectorAction('V1'), secret])), ['KeyInPackage'])
    })
  for (const [what, object] of [
    ['a Secret', { apiVersion: 'v1', kind: 'Secret', data: { x: base64(PRIVATE_KEY) } }],
    ['a ConfigMap', { apiVersion: 'v1', kind: 'ConfigMap', data: { x: PRIVATE_KEY } }],
    ['any item', { apiVersion: 'example.com/v1', kind: 'Signer', spec: { with: [{ key: `a: ${PRIVATE_KEY}` }] } }],
  ] as const)
    test(`S18 the private key of a public one in ${what}`, () => {
      const item = { ...object, metadata: { name: 'key' } } as unknown as KubernetesObject
      const action = signedAction({ id: 'act-1', type: 'cordonNode' })
      assert.equal(errors(planned([action, keyringItem(), item], { keyring: undefined })), ['KeyInPackage'])
      const other = JSON.parse(JSON.stringify(item).replaceAll(PRIVATE_KEY.slice(60, 70), 'AAAAAAAAAA'))
      const encoded = what === 'a Secret' ? { ...item, data: { x: base64('-----BEGIN PRIVATE KEY-----') } } : other
      assert.equal(errors(planned([action, keyringItem(), encoded], { keyring: undefined })), [])
    })
  test('S19 without a key', () => {
    assert.equal(errors(planned([vectorAction('V1')], { keyring: undefined })), ['NoKey'])
    const open = planned([actionPolicy({ requireSignature: false }), vectorAction('V1')], { keyring: undefined })
    assert.equal(errors(open), [])
    assert.ok(codes(open).includes('ActionUnverified'))
    assert.equal(nodeOf(open)?.spec, { unschedulable: true })
  })
  test('a keyring in the package may not say that a key of it is a secret, wherever the secret is', () => {
    const secret = keyringItem({ keyId: 'k1', alg: 'HMAC-SHA256', public: KEYRING.k1?.key })
    const made = planned([vectorAction('V1'), secret], { keyring: undefined })
    assert.equal(errors(made), ['KeyInPackage', 'NoKey'])
  })
  test('a keyring in the package verifies Ed25519, and one from outside replaces it', () => {
    const action = signedAction({ id: 'e', type: 'cordonNode' })
    assert.equal(errors(planned([keyringItem(), action], { keyring: undefined })), [])
    assert.equal(errors(planned([keyringItem(), action])), ['UnknownKey'])
  })
  test('a key that the keyring of a package has twice is refused, and neither is used', () => {
    const [one, other] = [keyringItem(), keyringItem({ notAfter: '2026-01-15T09:54:59Z' })]
    const keys = [one, other].flatMap((item) => item.keys as object[])
    const action = signedAction({ id: 'c', type: 'cordonNode' })
    const made = planned([{ ...one, keys }, action], { keyring: undefined })
    assert.equal(errors(made), ['KeyringInvalid', 'UnknownKey'])
    assert.match(made.findings.find(({ code }) => code === 'KeyringInvalid')?.sentence ?? '', /has the key e1 twice$/)
  })
})

suite('rendered actions', (test) => {
  test('A01 a drain is a cordon and a Job, away from the node and with a deadline', () => {
    const made = planned([vectorAction('V3')])
    assert.equal(errors(made), [])
    assert.equal(nodeOf(made)?.spec, { unschedulable: true })
    const [job] = rendered(made, 'Job')
    assert.is(job?.metadata.name, 'drainnode-small-000002-b88fd9826f')
    assert.is(job?.metadata.namespace, 'nodefit-actions')
    const { activeDeadlineSeconds, ttlSecondsAfterFinished, template } = (job as KubernetesObject).spec as Record<
      string,
      unknown
    > & {
      template: { spec: Record<string, unknown> & { containers: Array<{ args: string[]; image: string }> } }
    }
    assert.is(activeDeadlineSeconds, 660)
    assert.is(ttlSecondsAfterFinished, undefined)
    const { containers, affinity } = template.spec
    assert.equal(containers[0]?.args, [
      'drain',
      'small-000002',
      '--ignore-daemonsets',
      '--timeout=600s',
      '--delete-emptydir-data',
    ])
    assert.is(containers[0]?.image, IMAGE)
    assert.match(JSON.stringify(affinity), /"operator":"NotIn","values":\["small-000002"\]/)
  })
  test('what an outcome without a time shows as done stays done, and output fed back gives the same bytes', () => {
    const [drain, end] = [vectorAction('V3'), '2026-01-15T11:00:00Z']
    const outcome = { action: 'act-0003', digest: VECTORS.V3.digest, sequence: 10, state: 'Succeeded', observedAt: T }
    const target = { kind: 'Node', name: 'small-000002' }
    const done = planned([drain, snapshot({ outcomes: [{ ...outcome, target }] })])
    const others = after(done).filter(({ kind }) => kind !== 'NodeInventory' && kind !== 'WorkloadSnapshot')
    const shown = snapshot({ outcomes: [{ ...outcome, target }] }, end)
    const ended = planned([nodesAt(end), shown, ...others])
    assert.equal(errors(ended), [])
    const [record] = rendered(ended, 'ActionRecord')
    assert.equal((record?.spec as { done?: object } | undefined)?.done, { 'act-0003': VECTORS.V3.digest })
    assert.is(bytes(again(ended)), bytes(ended))
  })
  test('a later uncordon ends a drain: no Job is rendered, and the node is not cordoned', () => {
    const made = planned([vectorAction('V3'), signedAction({ id: 'u', type: 'uncordonNode', sequence: 11 }, 'k1')])
    assert.equal(errors(made), [])
    assert.equal(jobs(made), [])
    assert.equal(nodeOf(made)?.spec, { unschedulable: false })
  })
  test('A02 output fed back gives the same bytes', () => {
    const made = planned([vectorAction('V3')])
    assert.is(bytes(again(made)), bytes(made))
  })
  test('A03 after expiry neither Job nor cordon is rendered, and the document stays without its field', () => {
    const made = planned([vectorAction('V3')])
    const later = nodesAt('2026-01-15T11:00:00Z')
    const ended = plan(listOf(after(made, (object) => (object.kind === 'NodeInventory' ? later : object))), {
      keyring: KEYRING,
    })
    assert.equal(errors(ended), [])
    assert.equal(jobs(ended), [])
    assert.is(nodeOf(ended)?.spec, undefined)
    assert.is(nodeOf(ended)?.metadata.uid, UID)
    assert.is(nodeOf(ended)?.metadata.annotations?.['nodefit.dev/ended'], '2026-01-15T11:00:00Z')
    assert.is(bytes(again(ended)), bytes(ended))
  })
  test('A04 a node that is gone: no phantom Node, no Job', () => {
    const made = planned([signedAction({ id: 'g', type: 'drainNode', target: { kind: 'Node', name: 'gone' } }, 'k1')])
    assert.equal(errors(made), [])
    assert.ok(codes(made).includes('ActionTargetMissing'))
    assert.equal([...rendered(made, 'Node'), ...rendered(made, 'Job')], [])
  })
  test('A05 a node of the control plane', () => {
    const master = nodesAt(T, { 'node-role.kubernetes.io/control-plane': '' })
    assert.equal(errors(planned([master, vectorAction('V3')])), ['ControlPlaneNode'])
    assert.equal(
      errors(
        planned([master, actionPolicy({ allowControlPlane: true }), vectorAction('V3')], {
          trust: trustOf({ allowControlPlane: true }),
        }),
      ),
      [],
    )
  })
  test('A06 an eviction of the pod with that uid, and of no other', () => {
    const made = planned([snapshot({ targets: [pod()] }), vectorAction('V4')])
    assert.equal(jobs(made), ['evictpod-web-0-04ba36b506'])
    const [container] = containersOf(made)
    assert.equal(container?.args, [
      ...['act', 'evict', '--namespace=default', '--pod=web-0', '--uid=7f0c2f5e-1111-4222-8333-944455556666'],
      ...['--timeout=300s', '--grace-period=30'],
    ])
    assert.is(container?.image, OWN_IMAGE)
    const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8')
    assert.match(dockerfile, /^ENTRYPOINT \["nodefit-fn"\]$/m)
    assert.equal(container?.command, ['nodefit'], 'the image starts the function, which evicts nothing')
    const other = planned([snapshot({ targets: [pod({ uid: 'other' })] }), vectorAction('V4')])
    assert.ok(codes(other).includes('ActionTargetChanged'))
    assert.equal(jobs(other), [])
    const gone = planned([snapshot({ targets: [] }), vectorAction('V4')])
    assert.ok(codes(gone).includes('ActionTargetMissing'))
    assert.equal(jobs(gone), [])
  })
  test('A07 replicas are edited in place, once', () => {
    const made = planned([deployment(), vectorAction('V5')])
    assert.equal(errors(made), [])
    const [web, more] = rendered(made, 'Deployment')
    assert.is(more, undefined)
    assert.equal(web, deployment({ replicas: 5 }))
    assert.is(bytes(again(made)), bytes(made))
    const changed = after(made, (object) => (object.kind === 'Deployment' ? deployment({ replicas: 7 }) : object))
    assert.equal(rendered(plan(listOf(changed), { keyring: KEYRING }), 'Deployment'), [deployment({ replicas: 7 })])
  })
  test('A07 an image and labels are edited in place, once', () => {
    const target = { kind: 'Deployment', name: 'web', namespace: 'shop' }
    const image = signedAction(
      { id: 'i', type: 'setImage', sequence: 2, target, parameters: { container: 'web', image: 'web:2' } },
      'k1',
    )
    const team = (id: string, sequence: number, value: string) =>
      signedAction({ id, type: 'labelDeployment', sequence, target, parameters: { labels: { team: value } } }, 'k1')
    const made = planned([deployment(), image, team('l1', 3, 'a'), team('l2', 4, 'b')])
    assert.equal(errors(made), [])
    const [web] = rendered(made, 'Deployment') as Array<KubernetesObject & { spec: { template: { spec: object } } }>
    assert.equal(web?.metadata.labels, { team: 'b' })
    assert.equal(web?.spec.template.spec, { containers: [{ name: 'web', image: 'web:2' }] })
    assert.is(bytes(again(made)), bytes(made))
    const changed = after(made, (object) => (object.kind === 'Deployment' ? deployment() : object))
    assert.equal(rendered(plan(listOf(changed), { keyring: KEYRING }), 'Deployment'), [deployment()])
  })
  test('A08 a HorizontalPodAutoscaler owns the replicas', () => {
    const hpa = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    }
    assert.equal(errors(planned([deployment(), hpa, vectorAction('V5')])), ['HPAOwnsReplicas'])
  })
  test('a Deployment that two documents have, as a base and its patch: which of them counts is not known', () => {
    const at = (path: string, object: KubernetesObject): KubernetesObject => ({
      ...object,
      metadata: { ...object.metadata, annotations: { 'internal.config.kubernetes.io/path': path } },
    })
    const base = at('base/web.yaml', deployment())
    const { spec: _, ...rest } = deployment()
    const patch = at('prod/web.yaml', { ...rest, spec: { replicas: 3 } })
    for (const both of [
      [base, patch],
      [patch, base],
    ]) {
      const made = planned([...both, vectorAction('V5')])
      assert.equal(errors(made), ['DeploymentTwice'])
      const [message] = made.findings.filter(({ code }) => code === 'DeploymentTwice').map((one) => one.message)
      assert.match(message ?? '', 'base/web.yaml')
    }
    // an edit that was made is not asked for again
    const done = after(planned([base, vectorAction('V5')]), (object) => object)
    assert.equal(errors(plan(listOf([...done, patch]), { keyring: KEYRING })), [])
    // the patch has no container
    const target = { kind: 'Deployment', namespace: 'shop', name: 'web' }
    const parameters = { container: 'web', image: `registry.example/web:2@sha256:${'a'.repeat(64)}` }
    const image = signedAction({ id: 'i', type: 'setImage', target, parameters }, 'k1')
    assert.equal(errors(planned([base, patch, image])), ['DeploymentTwice'])
  })
  test('A09 a Deployment that the package lacks', () => {
    assert.ok(codes(planned([vectorAction('V5')])).includes('ActionTargetMissing'))
    const made = planned([actionPolicy({ partialDeployments: true }), vectorAction('V5')])
    assert.equal(errors(made), [])
    assert.ok(codes(made).includes('PartialDeployment'))
    const [web] = rendered(made, 'Deployment')
    assert.equal(web?.spec, { replicas: 5 })
    assert.is(
      web?.metadata.annotations?.['argocd.argoproj.io/sync-options'],
      'ServerSideApply=true,Validate=false,Prune=false,Delete=false',
    )
    const expired = plan(
      listOf(after(made, (object) => (object.kind === 'NodeInventory' ? nodesAt('2026-01-15T12:00:00Z') : object))),
      { keyring: KEYRING },
    )
    assert.equal(errors(expired), [])
    assert.equal(rendered(expired, 'Deployment')[0]?.spec, { replicas: 5 })
  })
  for (const [replicas, code] of [
    [-1, 'InvalidField'],
    ['5', 'InvalidField'],
    [51, 'OverLimit'],
  ] as const)
    test(`A10 replicas ${JSON.stringify(replicas)}`, () => {
      const target = { kind: 'Deployment', name: 'web', namespace: 'shop' }
      const action = signedAction({ id: 'r', type: 'scaleDeployment', target, parameters: { replicas } }, 'k1')
      assert.equal(errors(planned([deployment(), action])), [code])
    })
  test('A11 one document for a node', () => {
    const made = planned([vectorAction('V1'), label({ workload: 'batch' })])
    assert.is(rendered(made, 'Node').length, 1)
    assert.equal(nodeOf(made)?.spec, { unschedulable: true })
    assert.equal(nodeOf(made)?.metadata.labels, { workload: 'batch' })
    assert.is(nodeOf(made)?.metadata.annotations?.['nodefit.dev/actions'], 'act-0001, label')
  })
  test('A12 a label of another action is no longer rendered', () => {
    const made = planned([nodesAt(T, { workload: 'batch' }), label({ workload: 'batch' })])
    assert.equal(nodeOf(made)?.metadata.labels, { workload: 'batch' })
    const removed = plan(listOf([...after(made), remove('workload')]), { keyring: KEYRING })
    assert.equal(errors(removed), [])
    assert.is(nodeOf(removed)?.metadata.labels, undefined)
    assert.equal(jobs(removed), [])
  })
  test('A13 a foreign label is removed by a Job', () => {
    const made = planned([nodesAt(T, { workload: 'batch' }), remove('workload')])
    assert.equal(errors(made), [])
    const [job] = rendered(made, 'Job') as unknown as Array<{
      spec: { template: { spec: { containers: Array<{ args: string[] }> } } }
    }>
    assert.equal(job?.spec.template.spec.containers[0]?.args, ['label', 'node', 'small-000002', 'workload-'])
    const absent = planned([remove('workload')])
    assert.equal(jobs(absent), [])
  })
  test('A13 foreign labels are set and removed by one Job, which says the fields in order', () => {
    const parameters = { labels: { team: 'b', app: 'c' }, remove: ['old'] }
    const both = signedAction({ id: 'both', type: 'labelNode', parameters }, 'k1')
    const made = planned([nodesAt(T, { team: 'a', app: 'a', old: 'x' }), both])
    assert.equal(containersOf(made)[0]?.args, [
      ...['label', 'node', 'small-000002', 'app=c', 'old-', 'team=b', '--overwrite'],
    ])
    const [row] = made.packages.flatMap((one) => one.planned.flatMap(({ actions = [] }) => actions))
    assert.equal(
      row?.fields,
      ['app', 'old', 'team'].map((key) => `Node/small-000002/labels/${key}`),
    )
  })
  for (const key of [
    'kubernetes.io/hostname',
    'topology.kubernetes.io/zone',
    'node.kubernetes.io/x',
    'karpenter.sh/nodepool',
    'topology.kubenodesmith.io/pool',
  ])
    test(`A14 the label ${key}`, () => {
      assert.equal(errors(planned([label({ [key]: 'x' })])), ['ForbiddenLabel'])
      assert.equal(
        errors(
          planned([actionPolicy({ allowLabels: [key] }), label({ [key]: 'x' })], {
            trust: trustOf({ allowLabels: [key] }),
          }),
        ),
        [],
      )
    })
  test('A14 a role is no protected label', () =>
    assert.equal(errors(planned([label({ 'node-role.kubernetes.io/batch': '' })])), []))
  test('A16 a node that somebody cordoned already gets the same document', () => {
    const cordoned = nodesAt()
    for (const one of (cordoned.spec as { shapes: Array<Record<string, unknown>> }).shapes) one.unschedulable = true
    assert.equal(nodeOf(planned([cordoned, vectorAction('V1')])), nodeOf(planned([vectorAction('V1')])))
  })
  test('A17 drains wait for each other', () => {
    const second = signedAction(
      { id: 'd2', type: 'drainNode', sequence: 11, target: { kind: 'Node', name: 'small-000003' } },
      'k1',
    )
    const made = planned([second, vectorAction('V3')])
    assert.equal(jobs(made), ['drainnode-small-000002-b88fd9826f'])
    assert.ok(codes(made).includes('ActionQueued'))
    assert.is(
      rendered(
        planned([actionPolicy({ maxConcurrent: 2 }), second, vectorAction('V3')], {
          trust: trustOf({ maxConcurrent: 2 }),
        }),
        'Job',
      ).length,
      2,
    )
    const outcome = { action: 'act-0003', digest: 'b88fd9826f', sequence: 10, state: 'Succeeded' }
    const next = plan(listOf([...after(made), snapshot({ outcomes: [outcome] })]), { keyring: KEYRING })
    assert.equal(errors(next), [])
    assert.ok(jobs(next)[0]?.startsWith('drainnode-small-000003-'))
  })
  for (const [labels, what] of [
    [{ team: 'pläne' }, 'a value that is not ASCII'],
    [{ team: 'x'.repeat(64) }, 'a value of 64 characters'],
    [{ 'a/b/c': 'x' }, 'a key with two slashes'],
  ] as const)
    test(`A18 ${what}`, () => assert.equal(errors(planned([label(labels)])), ['InvalidLabel']))
  for (const [what, more] of [
    ['a mirror pod', { mirror: true }],
    ['a pod of a DaemonSet', { controller: 'DaemonSet' }],
  ] as const)
    test(`A19 ${what} is not evicted`, () =>
      assert.equal(errors(planned([snapshot({ targets: [pod(more)] }), vectorAction('V4')])), ['PodNotEvictable']))
  test('A20 a suspended policy verifies and renders nothing', () => {
    const made = planned([actionPolicy({ suspend: true }), vectorAction('V3'), label({ a: 'b' })])
    assert.equal(errors(made), [])
    assert.is(codes(made).filter((code) => code === 'ActionSuspended').length, 2)
    assert.equal([...rendered(made, 'Node'), ...rendered(made, 'Job'), ...rendered(made, 'ActionRecord')], [])
    const bad = vectorAction('V1', { spec: { sequence: 99 } })
    assert.equal(errors(planned([actionPolicy({ suspend: true }), bad])), ['BadSignature'])
  })
})
