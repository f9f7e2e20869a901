/** ResourceLists of signed actions, as kpt writes them, each beside the same without them. */
import { createPrivateKey } from 'node:crypto'
import { writeYaml } from '../src/krm/write-yaml.ts'
import { signAction } from '../src/plan/action/sign.ts'

/** The algorithm of all signatures. */
type Alg = 'Ed25519' | 'HMAC-SHA256'

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
const SECRET = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7))
const PRIVATE = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), SECRET]),
  format: 'der',
  type: 'pkcs8',
})
const PUBLIC = [{ keyId: 'e1', alg: 'Ed25519', public: String(PRIVATE.export({ format: 'jwk' }).x) }]
const META = 'nodefit.dev/v1alpha1'
const NODES_OF_A_SHAPE = 125

const IMAGE = `sha256:${'a'.repeat(64)}`

/** A trust from outside the package, which HMAC needs, as the text of an environment variable. */
export function actionTrust(): string {
  const secret = { keyId: 'k1', alg: 'HMAC-SHA256', secret: SECRET.toString('base64') }
  const spec = { cluster: 'prod', keys: [secret, ...PUBLIC], images: [IMAGE], maxConcurrent: 10_000 }
  return writeYaml({ apiVersion: META, kind: 'ActionTrust', metadata: { name: 'trust' }, spec })
}

/**
 * A package of `nodes` nodes in shapes, an ActionPolicy and `actions` signed actions, each on a node of its own: cordons and
 * labels in turn, and a drain in ten, all of which may run at once.
 */
export function actionList(actions: number, nodes: number): string {
  const keyring = { kind: 'ActionKeyring', metadata: { name: 'keys' }, keys: PUBLIC }
  return HEAD + [keyring, ...packageOf(actions, nodes, 'Ed25519')].map(itemText).join('')
}

/** The same package as a file for the command, of this hour, since a trust counts the clock of the host. */
export function actionFile(actions: number, nodes: number, alg: Alg, hasKeyring = false): string {
  const keyring = { kind: 'ActionKeyring', metadata: { name: 'keys' }, keys: PUBLIC }
  const objects = [...(hasKeyring ? [keyring] : []), ...packageOf(actions, nodes, alg, Date.now())]
  return objects.map((object) => writeYaml({ apiVersion: META, ...object })).join('---\n')
}

interface Part {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly [field: string]: unknown
}

const NOON = Date.parse('2026-01-15T10:00:00Z')

function packageOf(actions: number, nodes: number, alg: Alg, at = NOON): Part[] {
  const policy = {
    types: ['cordonNode', 'labelNode', 'drainNode'],
    maxConcurrent: Math.max(1, actions),
    job: { image: `registry.example/kubectl:1.34@${IMAGE}` },
  }
  return [
    { kind: 'NodeInventory', metadata: { name: 'prod' }, spec: inventorySpec(nodes, at) },
    { kind: 'ActionPolicy', metadata: { name: 'main' }, spec: policy },
    ...Array.from({ length: actions }, (_, index) => signed(index, alg, at)),
  ]
}

function signed(index: number, alg: Alg, at: number) {
  const type = index % 10 === 9 ? 'drainNode' : index % 2 === 0 ? 'cordonNode' : 'labelNode'
  const spec = {
    ...{
      id: `act-${String(index).padStart(5, '0')}`,
      cluster: 'prod',
      type,
      target: { kind: 'Node', name: nameOf(index) },
    },
    parameters: type === 'labelNode' ? { labels: { workload: 'batch' } } : {},
    ...{ sequence: 1760000000000 + index, issuedAt: timeAfter(at, -5), expiresAt: timeAfter(at, 60) },
    ...{ reason: 'kernel update', requester: 'platform' },
  }
  const key = alg === 'Ed25519' ? { alg, keyId: 'e1', key: PRIVATE } : { alg, keyId: 'k1', key: SECRET }
  const made = signAction({ apiVersion: META, kind: 'NodeAction', metadata: { name: spec.id }, spec }, key)
  if ('problem' in made) throw new Error(made.problem.code)
  return made.action
}

const timeAfter = (at: number, minutes: number) => `${new Date(at + minutes * 60_000).toISOString().slice(0, 19)}Z`

function inventorySpec(nodes: number, at: number) {
  const shapes = Array.from({ length: nodes / NODES_OF_A_SHAPE }, (_, shape) => {
    const names = Array.from({ length: NODES_OF_A_SHAPE }, (_, index) => nameOf(shape * NODES_OF_A_SHAPE + index))
    return {
      labels: { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': `m5.${shape}` },
      ...{ ready: 'True', allocatable: { cpu: '1930m', memory: '7134856Ki', pods: '29' }, nodes: names },
      uids: Object.fromEntries(names.map((name, index) => [name, uidOf(shape * NODES_OF_A_SHAPE + index)])),
    }
  })
  return { cluster: 'prod', observedAt: timeAfter(at, 0), labelKeys: ['*'], nodeCount: nodes, shapes }
}

function nameOf(index: number): string {
  return `ip-10-${index >> 16}-${(index >> 8) & 255}-${index & 255}.eu-central-1.compute.internal`
}

function uidOf(index: number): string {
  return `11111111-1111-4222-8333-${String(index).padStart(12, '0')}`
}

/** An item with the annotations that kpt gives it, in a file of its own. */
function itemText(object: Part, index: number): string {
  const path = `${object.kind.toLowerCase()}-${object.metadata.name}.yaml`
  const annotations = {
    'config.kubernetes.io/index': '0',
    'config.kubernetes.io/path': path,
    'internal.config.kubernetes.io/index': '0',
    'internal.config.kubernetes.io/path': path,
    'internal.config.kubernetes.io/seqindent': 'compact',
    'internal.config.kubernetes.io/id': String(index),
    'config.k8s.io/id': String(index),
  }
  const text = writeYaml({ apiVersion: META, ...object, metadata: { ...object.metadata, annotations } })
  return `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`
}
