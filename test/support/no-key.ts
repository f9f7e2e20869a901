/**
 * Packages that somebody without a key writes: whatever lies about of what was signed once, whole, cut, edited, of
 * another time or cluster, beside any policy, record, Job, Node, outcome and keyring. What comes out under the trust of
 * an operator must be what a signed action explains.
 */
import * as fc from 'fast-check'
import type { Key, Trust } from '../../src/core/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { type Taint, timeText } from '../../src/kube/index.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { actionPolicy, snapshot, UID } from './action-package.ts'
import { digestOfAction, keyringItem, proofOf, signedAction, trustOf } from './actions.ts'
import { inventory, listOf, shape } from './objects.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const TRUSTED = `registry.example/kubectl:1.34@sha256:${'a'.repeat(64)}`
const NAMESPACE = 'nodefit-actions'
const PROOF = 'nodefit.dev/signed-action'
const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane'
const HOUR = 3_600_000

/** What is explained: the arguments of Jobs with their accounts, and fields of nodes. */
interface Explained {
  readonly jobs: Readonly<Record<string, string>>
  readonly fields: ReadonlySet<string>
}

/** All that packages of a time are drawn from. */
export interface NoKeyWorld {
  readonly trust: Trust
  readonly at: Date
  /** What was signed once, by name. */
  readonly signed: Readonly<Record<string, KubernetesObject>>
  readonly package: fc.Arbitrary<readonly KubernetesObject[]>
  /** What is rendered of a package that nobody tampered with. */
  readonly honest: readonly KubernetesObject[]
}

/** What an operator trusts: Jobs of one image in one namespace, no control plane, an evening's actions. */
export const NO_KEY_TRUST: Trust = trustOf({
  // one may sign cordons alone, and one is retired
  keys: {
    ...trustOf().keys,
    k1: { ...trustOf().keys.k1, types: ['cordonNode'] } as Key,
    k2: { ...trustOf().keys.k2, isRetired: true } as Key,
  },
  types: ['cordonNode', 'uncordonNode', 'labelNode', 'drainNode', 'taintNode', 'untaintNode'],
  images: [TRUSTED],
  namespace: NAMESPACE,
  signatures: { untaintNode: 2 },
})

/** What the actions of a world explain, as begun or ended. */
export const EXPLAINED: Explained = {
  jobs: {
    'drain small-000002 --ignore-daemonsets --timeout=600s': 'nodefit-drain',
    // what holds the node where the policy says hold: taint
    'taint node small-000002 nodefit.dev/drain=drain:NoSchedule --overwrite': 'nodefit-taint',
    'taint node small-000002 nodefit.dev/drain:NoSchedule-': 'nodefit-taint',
    'taint node small-000003 a:NoExecute --overwrite': 'nodefit-taint',
    'taint node small-000003 a:NoExecute-': 'nodefit-taint',
    // the ends of what has expired
    'taint node small-000003 nodefit.dev/drain:NoSchedule-': 'nodefit-taint',
    'taint node small-000001 b:NoSchedule-': 'nodefit-taint',
  },
  fields: new Set([
    ...['small-000001 unschedulable=true', 'small-000002 unschedulable=true', 'small-000001 team=a'],
    // held by one that has expired: a document without fields
    'small-000003',
    'small-000001',
    'small-000002',
  ]),
}

/** Makes the world of a time, which is that of its actions and of its snapshot. */
export function noKeyWorld(at: Date): NoKeyWorld {
  const hours = (count: number) => timeText(new Date(at.getTime() + count * HOUR))
  const on = (name: string) => ({ target: { kind: 'Node', name } })
  const now = { issuedAt: hours(-0.1), expiresAt: hours(2) }
  const old = { issuedAt: hours(-24), expiresAt: hours(-20) }
  const act = (id: string, type: string, node: string, more: object = {}) =>
    signedAction({ id, type, ...on(node), ...now, ...more })
  const taintOf = (key: string, effect: string) => ({ parameters: { key, effect } })
  const signed = {
    cordon: act('cordon', 'cordonNode', 'small-000001'),
    drain: act('drain', 'drainNode', 'small-000002'),
    label: act('label', 'labelNode', 'small-000001', { parameters: { labels: { team: 'a' } } }),
    taint: act('taint', 'taintNode', 'small-000003', taintOf('a', 'NoExecute')),
    oldTaint: act('old-taint', 'taintNode', 'small-000001', { ...old, ...taintOf('b', 'NoSchedule') }),
    oldDrain: act('old', 'drainNode', 'small-000003', old),
    oldCordon: act('old-cordon', 'cordonNode', 'small-000003', old),
    later: act('later', 'cordonNode', 'small-000003', { notBefore: hours(1) }),
    elsewhere: act('elsewhere', 'cordonNode', 'small-000003', { cluster: 'prod-us1' }),
    controlPlane: act('master', 'drainNode', 'cp-1'),
    oldControlPlane: act('old-master', 'taintNode', 'cp-1', { ...old, ...taintOf(CONTROL_PLANE, 'NoSchedule') }),
    long: act('long', 'cordonNode', 'small-000003', { expiresAt: hours(9000) }),
    evict: signedAction({
      ...{ id: 'evict', type: 'evictPod', ...now },
      target: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u' },
    }),
    byOtherKey: signedAction({ id: 'by-k1', type: 'drainNode', ...on('small-000003'), ...now }, 'k1'),
    byRetiredKey: signedAction({ id: 'by-k2', type: 'cordonNode', ...on('small-000003'), ...now }, 'k2'),
    // two keys must sign one, and one has
    untaint: act('untaint', 'untaintNode', 'small-000001', taintOf('c', 'NoSchedule')),
  }
  const all = Object.values(signed)
  const fleet = fleetAt(timeText(at))
  const policyOf = (spec: object) => ({ ...actionPolicy(), spec })
  const allowed = policyOf({ types: NO_KEY_TRUST.types, job: { image: TRUSTED, evictImage: TRUSTED } })
  const rendered = (actions: readonly KubernetesObject[], spec: object = {}) =>
    plan(listOf([fleet, policyOf({ ...allowed.spec, ...spec }), ...actions]), { trust: NO_KEY_TRUST, clock: at })
      .items.map(({ object }) => object)
      .filter(({ kind }) => kind === 'Job' || kind === 'Node')
  const genuine = [
    ...rendered([signed.cordon, signed.drain, signed.label, signed.taint]),
    ...rendered([signed.drain], { drain: { hold: 'taint' } }),
  ]
  const honest = [fleet, allowed, ...[signed.cordon, signed.drain, signed.label, signed.taint]]

  const good = [signed.cordon, signed.drain, signed.label, signed.taint, signed.oldTaint, signed.oldDrain, signed.later]
  const proof = fc.constantFrom<string | undefined>(
    ...[undefined, '', '[', '[]', '{"spec":{}}'],
    ...all.flatMap((one) => [proofOf(one), `[${proofOf(one)}]`]),
    ...all.map((one) => proofOf(one).replace('small-00000', 'cp-')),
    JSON.stringify({ spec: signed.cordon.spec }),
  )
  const action: fc.Arbitrary<KubernetesObject> = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...good) },
    { weight: 2, arbitrary: fc.constantFrom(...all) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...all),
          fc.constantFrom<object>(
            ...[{ sequence: 99 }, on('cp-1'), { expiresAt: hours(9000) }, { issuedAt: hours(-0.2) }, now],
            ...[{ type: 'drainNode' }, { parameters: { force: true } }, { cluster: 'prod-eu1' }],
          ),
          fc.constantFrom<object | null | undefined>(undefined, null, { keyId: 'mine' }, { alg: 'HMAC-SHA256' }, []),
        )
        .map(([one, change, signature]) => edited(one, change, signature)),
    },
  )
  const policy = fc
    .constantFrom<object>(
      ...[{ types: ['drainNode'] }, { types: ['taintNode', 'cordonNode'] }, { types: ['evictPod'] }],
      ...[{ requireSignature: false }, { requireSignature: false }, { allowControlPlane: true }, { maxConcurrent: 9 }],
      ...[{ maxLifetime: '10000h' }, { maxLifetime: '1h' }, { allowLabels: [CONTROL_PLANE] }, { suspend: true }],
      ...[{ job: {} }, { job: { image: TRUSTED, namespace: 'kube-system' } }],
      { job: { image: `registry.example/evil@sha256:${'e'.repeat(64)}` } },
      ...[{ drain: { hold: 'taint' } }, { drain: { hold: 'cordon' } }],
    )
    .map((spec) => policyOf({ ...allowed.spec, ...spec }))
  const JOB_CHANGES: ReadonlyArray<(made: Any) => void> = [
    ...Array<() => void>(4).fill(() => {}),
    (made) => (made.spec.template.spec.containers[0].image = 'registry.example/evil:latest'),
    (made) => (made.spec.template.spec.containers[0].image = `registry.example/evil@sha256:${'e'.repeat(64)}`),
    (made) => (made.spec.template.spec.containers[0].command = ['sh', '-c', 'true']),
    (made) => (made.spec.template.spec.containers[0].args = ['drain', 'cp-1', '--force']),
    (made) => (made.spec.template.spec.serviceAccountName = 'nodefit-taint'),
    (made) => (made.spec.template.spec.volumes = [{ name: 'x', hostPath: { path: '/' } }]),
    (made) => (made.spec.template.spec.containers[0].args = ['taint', 'node', 'small-000001', 'd:NoSchedule']),
    (made) => (made.spec.template.spec.containers[0].args = ['taint', 'node', 'small-000001', 'b:NoSchedule-']),
    (made) => (made.spec.template.spec.containers[0].args = ['taint', 'node', 'cp-1', `${CONTROL_PLANE}:NoSchedule`]),
    ...Array<(made: Any) => void>(4).fill((made) => (made.metadata.namespace = 'kube-system')),
  ]
  const ids = fc.constantFrom(...all.map((one) => [String((one.spec as Any).id), digestOfAction(one)] as const))
  const job = fc
    .tuple(
      fc.constantFrom(...genuine.filter(({ kind }) => kind === 'Job')),
      fc.constantFrom(...JOB_CHANGES),
      fc.constantFrom(undefined, 'taintnode-small-000001-', 'untaintnode-cp-1-', 'drainnode-cp-1-', 'taintnode-cp-1-'),
      ids,
      fc.oneof(fc.constant(null), proof),
    )
    .map(([one, change, name, [id, digest], shown]) => {
      const made = structuredClone(one) as Any
      change(made)
      if (name !== undefined) {
        made.metadata.name = `${name}${digest}`
        made.metadata.annotations['nodefit.dev/actions'] = id
      }
      return withProof(made, shown)
    })
  // as an earlier run would have left it, had it rendered that action
  const leftJob = fc
    .tuple(
      fc.constantFrom(signed.oldTaint, signed.oldControlPlane, signed.taint, signed.oldDrain, signed.untaint),
      fc.constantFrom('taintnode', 'untaintnode'),
      fc.boolean(),
    )
    .map(([one, verb, isProved]) => {
      const { id, target } = one.spec as Any
      const [made] = genuine.filter(({ kind }) => kind === 'Job').slice(-1) as Any[]
      const name = `${verb}-${target.name}-${digestOfAction(one)}`
      const args = ['taint', 'node', target.name, `${target.name === 'cp-1' ? CONTROL_PLANE : 'd'}:NoSchedule-`]
      const copy = structuredClone(made)
      copy.metadata = { ...copy.metadata, name }
      copy.metadata.annotations['nodefit.dev/actions'] = id
      copy.spec.template.spec.containers[0].args = args
      return withProof(copy, isProved ? proofOf(one) : undefined)
    })
  const node = fc
    .tuple(
      fc.constantFrom(...genuine.filter(({ kind }) => kind === 'Node')),
      fc.constantFrom(undefined, 'small-000001', 'small-000003', 'cp-1'),
      fc.constantFrom<object | undefined>(undefined, {}, { unschedulable: true }, { unschedulable: false }),
      fc.oneof(fc.constant(null), proof),
    )
    .map(([one, name, spec, shown]) => {
      const made = structuredClone(one) as Any
      if (name !== undefined) {
        made.metadata.name = name
        made.metadata.uid = uidOf(name)
      }
      if (spec !== undefined) made.spec = spec
      return withProof(made, shown)
    })
  const outcome = fc.record(
    {
      action: fc.constantFrom('taint', 'old-taint', 'made-up', 'drain', 'old', 'old-master'),
      digest: fc.constantFrom('0123456789', ...all.map(digestOfAction)),
      sequence: fc.constantFrom(1, 1000),
      state: fc.constantFrom('Applied', 'Succeeded', 'Ended', 'Running', 'Failed'),
      held: fc.boolean(),
      fields: fc.constantFrom(
        [`Node/cp-1/taints/${CONTROL_PLANE}:NoSchedule`],
        ['Node/small-000001/taints/b:NoSchedule'],
        ['Node/small-000001/taints/d:NoSchedule'],
        ['Node/small-000002/taints/a:NoExecute'],
        ['Node/small-000003/unschedulable', 'Node/small-000003/labels/team'],
        ['Node/cp-1/unschedulable'],
        ['Node/small-000002/drain'],
      ),
      proof: proof.map((text) => text ?? ''),
    },
    { requiredKeys: ['action', 'digest', 'state', 'fields'] },
  )
  const ownOutcome = fc
    .tuple(
      outcome,
      fc.constantFrom(signed.oldTaint, signed.taint, signed.oldControlPlane, signed.oldDrain, signed.oldCordon),
    )
    .map(([one, own]) => {
      return { ...one, action: (own.spec as Any).id, digest: digestOfAction(own), proof: proofOf(own) }
    })
  const mark = fc
    .tuple(fc.constantFrom('small-000001', 'small-000003', 'cp-1'), fc.constantFrom('cordon', 'made-up'), proof)
    .map(([name, id, shown]) => ({
      name,
      annotations: { 'nodefit.dev/actions': id, ...(shown === undefined ? {} : { [PROOF]: shown }) },
    }))
  const told = fc
    .tuple(
      fc.array(fc.oneof(outcome, ownOutcome), { maxLength: 3 }),
      fc.array(mark, { maxLength: 1 }),
      fc.constantFrom('prod-eu1', 'prod-us1'),
    )
    .map(([outcomes, nodes, cluster]) =>
      snapshot({ outcomes, cluster, ...(nodes.length === 0 ? {} : { nodes }) }, timeText(at)),
    )
  const other = (kind: string, spec: object, annotations: object = {}): KubernetesObject => ({
    apiVersion: 'nodefit.dev/v1alpha1',
    kind,
    metadata: { name: 'main', annotations: { ...annotations } },
    spec,
  })
  const owned = { 'nodefit.dev/owner': 'ActionPolicy/main', 'nodefit.dev/actions': 'drain' }
  const others = fc.constantFrom<KubernetesObject>(
    keyringItem({ keyId: 'mine' }),
    other('RenderConfig', { now: hours(-23) }),
    other('RenderConfig', {
      allow: ['PolicyBeyondTrust', 'JobDiffers', 'BadSignature', 'UnknownKey', 'ActionTypeForbidden', 'TrustInPackage'],
    }),
    other('ActionTrust', { cluster: 'prod-eu1', keys: [] }),
    other('ActionRecord', { sequences: {}, done: { drain: '0123456789' } }, owned),
    other('ActionRecord', { expiredUntil: hours(-48), done: { taint: digestOfAction(signed.taint) } }, owned),
    other('PoolPolicy', { poolRef: 'small', machines: [{ cpuCores: 4, memoryMiB: 8192 }] }),
    fleetAt(timeText(at), 'prod-us1'),
    fleetAt(hours(-23)),
  )
  const packageOf = fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constant(allowed) }, { weight: 1, arbitrary: policy }),
      fc.array(action, { maxLength: 3 }),
      fc.oneof(fc.constant([]), fc.array(fc.oneof(job, leftJob, node, node), { minLength: 1, maxLength: 3 })),
      fc.oneof(fc.constant([]), fc.array(told, { minLength: 1, maxLength: 1 })),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(others, { maxLength: 2 }) }),
    )
    .map(([one, actions, jobs, snapshots, more]) => {
      const hasFleet = more.some(({ kind }) => kind === 'NodeInventory')
      return [...(hasFleet ? [] : [fleet]), one, ...actions, ...jobs, ...snapshots, ...more]
    })
  return { trust: NO_KEY_TRUST, at, signed, package: packageOf, honest }
}

const uidOf = (name: string) => UID.replace(/.$/, name.slice(-1))

/** The nodes of a world. */
export function noKeyNodes() {
  const taints: Record<string, Taint[]> = {
    'small-000001': ['b', 'c', 'd'].map((key) => ({ key, effect: 'NoSchedule' })),
    'small-000002': [{ key: 'nodefit.dev/drain', value: 'drain', effect: 'NoSchedule' }],
    'small-000003': [{ key: 'a', effect: 'NoExecute' }],
  }
  const nodeOf = (name: string, labels: Record<string, string>, own: Taint[]) => ({
    ...{ name, labels, uid: uidOf(name), taints: own },
  })
  return [
    ...Object.entries(taints).map(([name, own]) => nodeOf(name, { pool: 'small' }, own)),
    nodeOf('cp-1', { [CONTROL_PLANE]: '' }, [{ key: CONTROL_PLANE, effect: 'NoSchedule' }]),
  ]
}

function fleetAt(observedAt: string, cluster = 'prod-eu1'): KubernetesObject {
  const shapes = noKeyNodes().map(({ name, labels, uid, taints }) =>
    shape(labels, [name], '4', '8Gi', { uids: { [name]: uid }, taints }),
  )
  return inventory(shapes, { cluster, observedAt, labelKeys: ['pool', 'team', CONTROL_PLANE] })
}

/** Changes what was signed: its spec, and its signature; null takes that away. */
function edited(one: KubernetesObject, change: object, signature: object | null | undefined): KubernetesObject {
  const made: Any = { ...one, spec: { ...(one.spec as object), ...change } }
  if (signature === null) delete made.signature
  else if (Array.isArray(signature)) made.signature = signature
  else if (signature !== undefined) made.signature = { ...made.signature, ...signature }
  return made
}

/** Gives an object another proof, or takes its own away; null leaves it. */
function withProof(made: Any, shown: string | null | undefined): KubernetesObject {
  if (shown === null) return made
  const { [PROOF]: _, ...annotations } = made.metadata.annotations ?? {}
  made.metadata.annotations = { ...annotations, ...(shown === undefined ? {} : { [PROOF]: shown }) }
  return made
}

/** Returns what objects of an output are of ours and unexplained, a line each. */
export function unexplained(objects: readonly KubernetesObject[]): string[] {
  return objects.flatMap((object) => {
    const one = object as Any
    const annotations = one.metadata.annotations ?? {}
    const isOurs = annotations['nodefit.dev/owner'] ?? annotations['nodefit.dev/fields']
    if (one.kind === 'Job' && isOurs !== undefined) {
      const { containers, initContainers = [], serviceAccountName, volumes } = one.spec.template.spec
      const images = [...containers, ...initContainers].map(({ image }: Any) => image)
      const isExplained =
        containers.length === 1 &&
        containers[0].command === undefined &&
        EXPLAINED.jobs[containers[0].args.join(' ')] === serviceAccountName &&
        volumes === undefined &&
        one.metadata.namespace === NAMESPACE &&
        images.every((image: unknown) => image === TRUSTED)
      return isExplained ? [] : [`Job ${one.metadata.name}: ${containers[0]?.args?.join(' ')}`]
    }
    if (one.kind !== 'Node' || isOurs === undefined) return []
    const fields = [
      one.metadata.name,
      ...(one.spec?.unschedulable === undefined
        ? []
        : [`${one.metadata.name} unschedulable=${one.spec.unschedulable}`]),
      ...Object.entries(one.metadata.labels ?? {}).map(([key, value]) => `${one.metadata.name} ${key}=${value}`),
      ...(one.spec?.taints === undefined ? [] : ['taints']),
    ]
    return fields.filter((field) => !EXPLAINED.fields.has(field))
  })
}

/**
 * Renders a package under the trust; nothing comes out of one that fails. Every other run as one with a keyring alone,
 * to which the snapshot's time is the present: then the package may not be of another day.
 */
export function renderNoKey(world: NoKeyWorld, objects: readonly KubernetesObject[], number = 0): Plan {
  const isOld = objects.some(({ spec }) => (spec as Any)?.observedAt < timeText(world.at))
  const trust = { ...world.trust, byClock: isOld || number % 2 === 0 }
  return plan(listOf([...objects]), { trust, clock: world.at })
}
