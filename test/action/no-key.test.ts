/**
 * A package that somebody without a key wrote, under an operator's trust: whatever is in it, no Job and no field of a
 * Node comes out that a signed action does not explain, which the trust allows and which is valid.
 */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/plan.ts'
import type { Plan } from '../../src/types.ts'
import type { Trust } from '../../src/world/index.ts'
import { actionPolicy, snapshot, UID } from '../support/action-package.ts'
import { keyringItem, signedAction, T, trustOf } from '../support/actions.ts'
import { inventory, listOf, shape } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const TRUSTED = `registry.example/kubectl:1.34@sha256:${'a'.repeat(64)}`
const TRUST: Trust = trustOf({
  types: ['cordonNode', 'uncordonNode', 'labelNode', 'drainNode'],
  images: [TRUSTED],
  namespace: 'nodefit-actions',
})
const CLOCK = new Date('2026-01-15T10:01:00Z')
const node = (name: string) => ({ target: { kind: 'Node', name } })
const OLD = { issuedAt: '2026-01-14T09:55:00Z', expiresAt: '2026-01-14T11:00:00Z' }

/** What was signed once, and lies about: valid now, or not, or not for this trust. */
const SIGNED: Readonly<Record<string, KubernetesObject>> = {
  cordon: signedAction({ id: 'cordon', type: 'cordonNode', ...node('small-000001') }),
  drain: signedAction({ id: 'drain', type: 'drainNode', ...node('small-000002') }),
  label: signedAction({
    id: 'label',
    type: 'labelNode',
    ...node('small-000001'),
    parameters: { labels: { team: 'a' } },
  }),
  old: signedAction({ id: 'old', type: 'drainNode', ...node('small-000003'), ...OLD }),
  later: signedAction({ id: 'later', type: 'cordonNode', ...node('small-000003'), notBefore: '2026-01-15T10:30:00Z' }),
  elsewhere: signedAction({ id: 'elsewhere', type: 'cordonNode', ...node('small-000003'), cluster: 'prod-us1' }),
  taint: signedAction({
    id: 'taint',
    type: 'taintNode',
    ...node('small-000003'),
    parameters: { key: 'a', effect: 'NoExecute' },
  }),
  controlPlane: signedAction({ id: 'master', type: 'drainNode', ...node('cp-1') }),
}
/** What those that are valid explain: fields of nodes, and the arguments of Jobs. */
const FIELDS = new Set(['small-000001 unschedulable=true', 'small-000002 unschedulable=true', 'small-000001 team=a'])
const JOBS: Readonly<Record<string, string>> = {
  'drain small-000002 --ignore-daemonsets --timeout=600s': 'nodefit-drain',
  // what holds the node where the policy says hold: taint
  'taint node small-000002 nodefit.dev/drain=drain:NoSchedule --overwrite': 'nodefit-taint',
}

const edited = (action: KubernetesObject, change: object): KubernetesObject => ({
  ...action,
  spec: { ...(action.spec as object), ...change },
})
const owned = { 'nodefit.dev/owner': 'ActionPolicy/main', 'nodefit.dev/actions': 'drain' }

function fleet(): KubernetesObject {
  const uids = (name: string) => ({ uids: { [name]: UID.replace(/.$/, name.slice(-1)) } })
  const workers = ['small-000001', 'small-000002', 'small-000003']
  return inventory(
    [
      ...workers.map((name) => shape({ pool: 'small' }, [name], '4', '8Gi', uids(name))),
      shape({ 'node-role.kubernetes.io/control-plane': '' }, ['cp-1'], '4', '8Gi', uids('cp-1')),
    ],
    { cluster: 'prod-eu1', observedAt: T, labelKeys: ['pool', 'team', 'node-role.kubernetes.io/control-plane'] },
  )
}

const GOOD = ['cordon', 'drain', 'label', 'old', 'later'].flatMap((name) => SIGNED[name] ?? [])
const action: fc.Arbitrary<KubernetesObject> = fc
  .tuple(
    fc.constantFrom(...GOOD, ...GOOD, ...Object.values(SIGNED)),
    fc.constantFrom<object | undefined>(
      ...[...Array<undefined>(24), { sequence: 99 }, node('cp-1'), { expiresAt: '2027-01-01T00:00:00Z' }],
      ...[{ type: 'drainNode' }, { parameters: { force: true } }, { cluster: 'prod-eu1' }],
    ),
    fc.constantFrom<object | undefined>(...[...Array<undefined>(16), { keyId: 'mine' }, { alg: 'HMAC-SHA256' }]),
    fc.boolean(),
  )
  .map(([one, change, signature, isUnsigned]) => {
    const made: Any = change === undefined ? { ...one } : edited(one, change)
    if (signature !== undefined) made.signature = { ...made.signature, ...signature }
    if (isUnsigned && change !== undefined) delete made.signature
    return made
  })
/** Mostly what the trust allows, so that the package is rendered, and now and then more. */
const rarely = <Value>(bad: Value, good: Value) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constant(bad) })
const policy = fc
  .record(
    {
      types: fc.constantFrom(...Array<readonly string[]>(6).fill(TRUST.types ?? []), ['drainNode'], ['taintNode']),
      requireSignature: rarely(false, true),
      allowControlPlane: rarely(true, false),
      maxLifetime: rarely('10000h', '24h'),
      allowLabels: rarely(['node-role.kubernetes.io/control-plane'], []),
      job: fc.oneof(
        { weight: 8, arbitrary: fc.constant({ image: TRUSTED }) },
        fc.constantFrom<object>({ image: TRUSTED, namespace: 'kube-system' }, { image: 'x' }, {}),
      ),
      drain: fc.constantFrom({ hold: 'cordon' }, { hold: 'taint' }),
      suspend: fc.constant(false),
    },
    { requiredKeys: ['types', 'job'] },
  )
  .map((spec) => {
    const made = actionPolicy() as Any
    return { ...made, spec: { ...spec } }
  })
const genuineJob = (() => {
  const made = plan(
    listOf([
      fleet(),
      { ...actionPolicy(), spec: { types: TRUST.types, job: { image: TRUSTED } } } as Any,
      SIGNED.drain as Any,
    ]),
    {
      trust: TRUST,
      clock: CLOCK,
    },
  )
  const job = made.items.find(({ object }) => object.kind === 'Job')?.object
  if (job === undefined) throw new Error(made.findings.map(({ message }) => message).join('\n'))
  return job
})()
const job = fc
  .tuple(
    fc.constantFrom<(made: Any) => void>(
      () => {},
      (made) => (made.spec.template.spec.containers[0].image = 'registry.example/evil:latest'),
      (made) => (made.spec.template.spec.containers[0].command = ['sh', '-c', 'true']),
      (made) => (made.spec.template.spec.containers[0].args = ['drain', 'cp-1', '--force']),
      (made) => (made.spec.template.spec.serviceAccountName = 'nodefit-taint'),
      (made) => (made.spec.template.spec.volumes = [{ name: 'x', hostPath: { path: '/' } }]),
      (made) =>
        (made.spec.template.spec.containers[0].args = ['taint', 'node', 'cp-1', 'x=:NoSchedule', '--overwrite']),
      (made) => (made.metadata.namespace = 'kube-system'),
    ),
    fc.constantFrom<string | undefined>(
      undefined,
      'taintnode-cp-1-0123456789',
      'untaintnode-cp-1-0123456789',
      'drainnode-cp-1-0123456789',
    ),
  )
  .map(([change, name]) => {
    const made = structuredClone(genuineJob) as Any
    change(made)
    if (name !== undefined) made.metadata.name = name
    return made as KubernetesObject
  })
const outcome = fc.record({
  action: fc.constantFrom('drain', 'made-up', 'taint'),
  digest: fc.constant('0123456789'),
  sequence: fc.constant(1),
  state: fc.constantFrom('Applied', 'Succeeded', 'Ended', 'Running'),
  fields: fc.constantFrom(
    ['Node/cp-1/taints/node-role.kubernetes.io/control-plane:NoSchedule'],
    ['Node/small-000003/taints/a:NoExecute'],
    ['Node/small-000003/unschedulable'],
  ),
})
const others = fc.constantFrom<KubernetesObject>(
  keyringItem({ keyId: 'mine' }),
  {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'RenderConfig',
    metadata: { name: 'r' },
    spec: { now: '2026-01-14T10:00:00Z' },
  },
  {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'RenderConfig',
    metadata: { name: 'r' },
    spec: {
      allow: ['PolicyBeyondTrust', 'JobDiffers', 'BadSignature', 'UnknownKey', 'ActionTypeForbidden', 'TrustInPackage'],
    },
  },
  {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'ActionTrust',
    metadata: { name: 't' },
    spec: { cluster: 'prod-eu1', keys: [] },
  },
  {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'ActionRecord',
    metadata: { name: 'main', annotations: owned },
    spec: { sequences: {}, done: { drain: '0123456789' } },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'cp-1',
      annotations: { 'nodefit.dev/fields': '{"spec.unschedulable":["ActionPolicy/main"]}', ...owned },
    },
    spec: { unschedulable: true },
  },
)

/** What a run without errors puts out that no valid action explains. */
function unexplained(made: Plan): string[] {
  if (made.failed) return []
  return made.items.flatMap(({ object }) => {
    const one = object as Any
    const isOurs = one.metadata.annotations?.['nodefit.dev/owner'] ?? one.metadata.annotations?.['nodefit.dev/fields']
    if (one.kind === 'Job' && isOurs !== undefined) {
      const { containers, initContainers = [], serviceAccountName, volumes } = one.spec.template.spec
      const images = [...containers, ...initContainers].map(({ image }: Any) => image)
      const isExplained =
        containers.length === 1 &&
        containers[0].command === undefined &&
        JOBS[containers[0].args.join(' ')] === serviceAccountName &&
        volumes === undefined &&
        one.metadata.namespace === 'nodefit-actions' &&
        images.every((image) => image === TRUSTED)
      return isExplained ? [] : [`Job ${one.metadata.name}: ${containers[0]?.args?.join(' ')}`]
    }
    if (one.kind !== 'Node' || isOurs === undefined) return []
    const fields = [
      ...(one.spec?.unschedulable === undefined ? [] : [`unschedulable=${one.spec.unschedulable}`]),
      ...Object.entries(one.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
      ...(one.spec?.taints === undefined ? [] : ['taints']),
    ]
    return fields.map((field) => `${one.metadata.name} ${field}`).filter((field) => !FIELDS.has(field))
  })
}

suite('a package that somebody without a key wrote', (test) => {
  test('under a trust renders nothing that no signed action explains', () => {
    let [runs, rendered] = [0, 0]
    fc.assert(
      fc.property(
        policy,
        fc.array(action, { maxLength: 4 }),
        fc.oneof(fc.constant([]), fc.array(job, { maxLength: 2 })),
        fc.array(outcome, { maxLength: 2 }),
        fc.oneof(fc.constant([]), fc.array(others, { maxLength: 2 })),
        (one, actions, jobs, outcomes, more) => {
          const told = outcomes.length === 0 ? [] : [snapshot({ outcomes })]
          const objects: KubernetesObject[] = [fleet(), one, ...actions, ...jobs, ...told, ...more]
          const made = plan(listOf(objects), { trust: TRUST, clock: CLOCK })
          runs++
          rendered += made.failed ? 0 : 1
          assert.equal(unexplained(made), [])
        },
      ),
      { numRuns: 700 },
    )
    assert.ok(rendered * 50 >= runs, `${rendered} of ${runs} rendered at all`)
  })
  test('what the trust allows is rendered', () => {
    const own = { ...actionPolicy(), spec: { types: TRUST.types, job: { image: TRUSTED } } } as Any
    const made = plan(listOf([fleet(), own, ...['cordon', 'drain', 'label'].map((name) => SIGNED[name] as Any)]), {
      trust: TRUST,
      clock: CLOCK,
    })
    assert.not(made.failed, made.findings.map(({ message }) => message).join('\n'))
    assert.equal(made.items.filter(({ object }) => object.kind === 'Job').length, 1)
  })
})
