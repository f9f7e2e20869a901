/** Whom a run trusts: what the operator's trust lets a package say, and what counts of the package without one. */
import * as assert from 'uvu/assert'
import type { Trust } from '../../../src/core/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { actionPolicy, after, nodesAt, planned, snapshot } from '../../support/action-package.ts'
import { keyringItem, signedAction, T, trustOf } from '../../support/actions.ts'
import { listOf } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const IMAGE = `registry.example/kubectl:1.34@sha256:${'a'.repeat(64)}`
const OTHER = `registry.example/other@sha256:${'b'.repeat(64)}`
const OWN = `sha256:${'b'.repeat(64)}`
const CLOCK = new Date(T)
const cordon = signedAction({ id: 'a-1', type: 'cordonNode' })
const drain = signedAction({ id: 'd-1', type: 'drainNode' })
const now = (text: string): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'RenderConfig',
  metadata: { name: 'main' },
  spec: { now: text },
})

/** What a package comes to under a trust: its errors, warnings about trust, and the kinds that are rendered. */
function under(trust: Partial<Trust> | undefined, objects: readonly KubernetesObject[], clock = CLOCK) {
  const made = planned(objects, { keyring: undefined, trust: trust && trustOf(trust), clock })
  const codes = made.findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  const kinds = made.items
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.annotations?.['nodefit.dev/owner'] !== undefined)
    .map(({ kind }) => kind)
    .filter((kind) => kind !== 'ActionRecord')
  return { codes, kinds, made }
}

suite('a trust from outside the package', (test) => {
  const BEYOND: ReadonlyArray<readonly [string, object, Partial<Trust>]> = [
    ['requireSignature', { requireSignature: false }, {}],
    ['allowControlPlane', { allowControlPlane: true }, {}],
    ['maxLifetime', { maxLifetime: '25h' }, {}],
    ['maxReplicas', { maxReplicas: 51 }, {}],
    ['maxConcurrent', { maxConcurrent: 2 }, {}],
    ['allowLabels', { allowLabels: ['topology.kubernetes.io/zone'] }, {}],
    ['types', { types: ['cordonNode', 'drainNode'] }, { types: ['cordonNode'] }],
    ['job.namespace', { job: { namespace: 'kube-system' } }, { namespace: 'nodefit-actions' }],
    ['job.image', { job: { image: IMAGE } }, { images: [] }],
    ['job.image', { job: { image: IMAGE } }, { images: [OTHER] }],
    ['job.evictImage', { job: { evictImage: IMAGE } }, { images: [OTHER] }],
  ]
  for (const [path, spec, trust] of BEYOND)
    test(`refuses what a policy writes beyond it: ${JSON.stringify(spec).slice(0, 60)}`, () => {
      const { codes, made } = under(trust, [actionPolicy(spec), cordon])
      assert.ok(codes.includes('PolicyBeyondTrust'), codes.join())
      assert.ok(made.findings.some(({ field }) => field?.path === `spec.${path}`))
    })
  test('is narrowed by what a policy writes, and followed by what it leaves open', () => {
    assert.equal(under({}, [actionPolicy({ maxLifetime: '1h' }), cordon]).codes, ['LifetimeTooLong'])
    assert.equal(under({ maxLifetime: 3_600_000 }, [cordon]).codes, ['LifetimeTooLong'])
    assert.equal(under({ types: ['cordonNode'] }, [actionPolicy({ types: ['cordonNode'] }), cordon]).codes, [])
    const policy = actionPolicy({ types: ['drainNode'], job: { image: IMAGE } })
    assert.equal(under({ images: [IMAGE.replace('registry.example', 'mirror.example')] }, [policy, drain]).codes, [])
    assert.match(
      under({ images: [] }, [policy, drain])
        .made.findings.map(({ message }) => message)
        .join('\n'),
      `add to its spec: images: [sha256:${'a'.repeat(64)}]`,
    )
  })
  const uid = '7f0c2f5e-1111-4222-8333-944455556666'
  for (const [name, node, selector, want] of [
    ['a node that the trust selects', 'small-000003', { other: 'yes' }, false],
    ['another node', 'small-000002', { other: 'yes' }, true],
    ['a node that nothing shows', 'small-000009', { other: 'yes' }, true],
  ] as const)
    test(`an eviction of a pod on ${name} is ${want ? 'refused' : 'let through'}`, () => {
      const target = { kind: 'Pod', namespace: 'shop', name: 'web-0', uid }
      const evict = signedAction({ id: 'e-1', type: 'evictPod', target })
      const shown = snapshot({ targets: [{ ...target, node }] })
      const images = [IMAGE, `registry.example/nodefit:0.1.0@${OWN}`]
      const { codes } = under({ nodeSelector: selector, images }, [actionPolicy(), nodesAt(), shown, evict])
      assert.equal(codes, want ? ['NodeNotTrusted'] : [])
    })
  test('takes no key of the package, and says which trust it is', () => {
    const keyring = keyringItem({ keyId: 'mine' })
    const { codes, made } = under({ keys: {} }, [keyring, cordon])
    assert.equal(codes, ['UnknownKey'])
    const used = under({}, [keyring, cordon]).made.findings.find(({ code }) => code === 'TrustUsed')
    assert.match(used?.sentence ?? '', /ActionKeyring keys of the package counts for nothing$/)
    assert.not(made.findings.some(({ code }) => code === 'TrustedByPackage'))
  })
  test('is for one cluster, and with its uid for actions that carry it', () => {
    const uid = '10000000-0000-4000-8000-000000000000'
    assert.equal(under({ clusterUid: uid }, [cordon]).codes, ['ActionOfOtherCluster'])
    const carrying = signedAction({ id: 'a-2', type: 'cordonNode', clusterUid: uid })
    assert.equal(under({ clusterUid: uid }, [carrying]).codes, [])
    const other = signedAction({ id: 'a-2', type: 'cordonNode', clusterUid: uid.replace('1', '2') })
    assert.equal(under({ clusterUid: uid }, [other]).codes, ['ActionOfOtherCluster'])
    const elsewhere = nodesAt(T, {}, 'prod-us1')
    assert.ok(under({}, [elsewhere, cordon]).codes.includes('TrustOfOtherCluster'))
  })
  test('begins nothing with a retired key', () => {
    const { e1 } = trustOf().keys
    assert.ok(e1)
    assert.equal(under({ keys: { e1: { ...e1, isRetired: true } } }, [cordon]).codes, ['KeyExpired'])
  })
  test('without one says what the package itself decides, once, and only where an action is rendered', () => {
    const of = (objects: readonly KubernetesObject[]) =>
      under(undefined, objects).made.findings.filter(({ code }) => code === 'TrustedByPackage')
    const [one, ...more] = of([
      keyringItem(),
      cordon,
      signedAction({ id: 'b', type: 'labelNode', parameters: { labels: { workload: 'x' } } }),
    ])
    assert.equal(more, [])
    assert.match(one?.sentence ?? '', 'the keys of ActionKeyring keys, with a signature, ')
    assert.equal(of([keyringItem()]), [])
    const over = [keyringItem(), nodesAt('2026-01-15T11:00:00Z'), cordon]
    const found = under(undefined, over, new Date('2026-01-15T11:00:00Z')).made.findings
    assert.not(found.some(({ code }) => code === 'TrustedByPackage'))
  })
})

suite('the time of an action', (test) => {
  const later = new Date('2026-01-15T11:00:00Z')
  test('with a trust is that of the host and that of the snapshot', () => {
    assert.equal(under({}, [cordon]).kinds, ['Node'])
    assert.equal(under({}, [cordon], later).kinds, [])
    assert.equal(under({}, [cordon], later).codes, [])
    const before = nodesAt('2026-01-15T09:53:00Z')
    assert.equal(under({}, [before, cordon]).kinds, [], 'the snapshot is before it was issued')
    assert.equal(under({ maxClockSkew: 120_000 }, [before, cordon]).kinds, ['Node'])
  })
  test('with a keyring alone is that of the snapshot, which the package may not set either', () => {
    const given = { byClock: false }
    assert.equal(under(given, [cordon], later).kinds, ['Node'])
    assert.equal(under(given, [nodesAt('2026-01-15T11:00:00Z'), now(T), cordon], later).kinds, [])
  })
  test('with a trust is none that the package sets', () => {
    const old = [nodesAt('2026-11-28T10:00:00Z'), now(T), cordon]
    assert.equal(under({}, old, new Date('2026-11-28T10:00:00Z')).kinds, [])
    assert.equal(under({}, old, new Date('2026-11-28T10:00:00Z')).codes, [])
  })
  test('without a trust may be set by the package, but not before its snapshot', () => {
    const old = [keyringItem(), nodesAt('2026-11-28T10:00:00Z'), now(T), cordon]
    assert.equal(under(undefined, old, new Date('2026-11-28T10:00:00Z')).codes, ['NowBeforeSnapshot'])
    const ahead = [keyringItem(), nodesAt('2026-01-15T09:56:00Z'), now(T), cordon]
    assert.equal(under(undefined, ahead).codes, [])
  })
})

suite('the Job of an earlier run', (test) => {
  // biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
  type Any = any
  const label = signedAction({ id: 'l-1', type: 'labelNode', parameters: { labels: { team: 'a', zone: 'b' } } })
  const labelled = (): KubernetesObject => {
    const nodes = nodesAt() as Any
    for (const shape of nodes.spec.shapes) shape.labels = { ...shape.labels, team: 'x', zone: 'y' }
    return { ...nodes, spec: { ...nodes.spec, labelKeys: [...(nodes.spec.labelKeys ?? []), 'team', 'zone'] } }
  }
  const first = (objects: readonly KubernetesObject[]) => under({}, objects).made
  /** What the next run says of a Job that somebody changed meanwhile, and the Job that it has. */
  const next = (objects: readonly KubernetesObject[], change: (job: Any) => void, trust: Partial<Trust> = {}) => {
    const seen = after(first(objects), (object) => {
      if (object.kind !== 'Job') return object
      const copy = structuredClone(object)
      change(copy)
      return copy
    })
    const made = plan(listOf(seen), { trust: trustOf(trust), clock: CLOCK })
    const found = made.findings.find(({ code }) => code === 'JobDiffers')
    return { path: found?.field?.path, said: found?.sentence ?? '', failed: made.failed }
  }
  const pod = (job: Any) => job.spec.template.spec
  const CHANGES: Record<string, readonly [change: (job: Any) => void, path: string]> = {
    'another image without a digest': [(job) => (pod(job).containers[0].image = 'evil'), 'containers.0.image'],
    'a command': [(job) => (pod(job).containers[0].command = ['sh']), 'containers.0.command'],
    'another argument': [(job) => pod(job).containers[0].args.push('--force'), 'containers.0.args'],
    'a variable': [(job) => (pod(job).containers[0].env = [{ name: 'A', value: 'b' }]), 'containers.0.env'],
    'another account': [(job) => (pod(job).serviceAccountName = 'nodefit-taint'), 'serviceAccountName'],
    'a container more': [(job) => pod(job).containers.push({ name: 'x', image: 'evil' }), 'containers'],
    'no wait for the cordon': [(job) => delete pod(job).initContainers, 'initContainers'],
    'a volume': [(job) => (pod(job).volumes = [{ name: 'x', hostPath: { path: '/' } }]), 'volumes'],
    'host network': [(job) => (pod(job).hostNetwork = true), 'hostNetwork'],
    'a weaker security context': [
      (job) => (pod(job).securityContext.runAsNonRoot = false),
      'securityContext.runAsNonRoot',
    ],
    'a weaker container': [(job) => delete pod(job).containers[0].securityContext, 'containers.0.securityContext'],
    'affinity to pods': [(job) => (pod(job).affinity.podAffinity = {}), 'affinity.podAffinity'],
  }
  for (const [name, [change, path]] of Object.entries(CHANGES))
    test(`is refused with ${name}`, () => {
      const { failed, ...found } = next([drain], change)
      assert.is(found.path, `spec.template.spec.${path}`)
      assert.ok(failed)
      assert.match(found.said, /, and its signed action gives /)
    })
  test('is refused with a parallelism, and another deadline', () => {
    assert.is(next([drain], (job) => (job.spec.parallelism = 5)).path, 'spec.parallelism')
    assert.is(next([drain], (job) => (job.spec.activeDeadlineSeconds = 1)).path, 'spec.activeDeadlineSeconds')
  })
  const KEPT: Record<string, (job: Any) => void> = {
    'as it is': () => {},
    'where it may run elsewhere': (job) => delete pod(job).affinity,
    'with labels and annotations of others': (job) => {
      job.metadata.labels = { team: 'x' }
      job.metadata.annotations['example.com/x'] = 'y'
      job.spec.template.metadata = { labels: { team: 'x' } }
    },
    'with an image of an earlier policy': (job) => (pod(job).containers[0].image = OTHER),
  }
  for (const [name, change] of Object.entries(KEPT))
    test(`is kept ${name}`, () => assert.equal(next([drain], change), { path: undefined, said: '', failed: false }))
  test('is kept with another image only if the trust has it', () => {
    const change = (job: Any) => (pod(job).containers[0].image = OTHER)
    assert.is(next([drain], change, { images: [IMAGE, `sha256:${'b'.repeat(64)}`, OWN] }).path, undefined)
    assert.is(next([drain], change, { images: [IMAGE] }).path, 'spec.template.spec.containers.0.image')
  })
  test('of labels is kept with fewer keys of its action, and with no other', () => {
    const args = (change: (args: string[]) => string[]) => (job: Any) => {
      const [container] = pod(job).containers
      container.args = change(container.args)
    }
    const objects = [labelled(), label]
    assert.equal(
      next(
        objects,
        args((all) => all),
      ).path,
      undefined,
    )
    assert.equal(
      next(
        objects,
        args((all) => all.filter((one) => one !== 'zone=b')),
      ).path,
      undefined,
    )
    for (const more of ['other=x', 'team=b', 'team-', '--all'])
      assert.is(
        next(
          objects,
          args((all) => [...all, more]),
        ).path,
        'spec.template.spec.containers.0.args',
        more,
      )
    assert.is(
      next(
        objects,
        args(() => ['label', 'node', 'cp-1', 'team=a']),
      ).path,
      'spec.template.spec.containers.0.args',
    )
  })
})
