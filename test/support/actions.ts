/** Signed actions for tests: the keys and vectors of the specification, and an Ed25519 key that a package may hold. */
import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { type Keyring, type Trust, trustOfKeyring } from '../../src/core/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { proofText } from '../../src/plan/action/proof.ts'
import { readAction } from '../../src/plan/action/read-action.ts'
import type { SigningKey } from '../../src/plan/action/sign.ts'
import { signedText } from '../../src/plan/action/signed-bytes.ts'

const bytesFrom = (first: number) => Buffer.from(Array.from({ length: 32 }, (_, index) => first + index))
const SECRETS: Readonly<Record<string, Buffer>> = { k1: bytesFrom(0x00), k2: bytesFrom(0x20), k9: bytesFrom(0x40) }

/** The keyring of the vectors: k1 and k2. */
export const KEYRING: Keyring = {
  k1: { alg: 'HMAC-SHA256', key: bytesFrom(0x00).toString('base64') },
  k2: { alg: 'HMAC-SHA256', key: bytesFrom(0x20).toString('base64') },
}

const PRIVATE = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytesFrom(0x60)]),
  format: 'der',
  type: 'pkcs8',
})
/** The public key of `e1`, with which `signedAction` signs by default. */
export const PUBLIC_KEY = String(PRIVATE.export({ format: 'jwk' }).x)

/** The private key of it, as a file has it. */
export const PRIVATE_KEY = String(PRIVATE.export({ type: 'pkcs8', format: 'pem' }))

/** Keys that sign, by their ids. */
export const SIGNERS = {
  e1: { keyId: 'e1', alg: 'Ed25519', key: PRIVATE },
  k1: { keyId: 'k1', alg: 'HMAC-SHA256', key: bytesFrom(0x00) },
  k2: { keyId: 'k2', alg: 'HMAC-SHA256', key: bytesFrom(0x20) },
} as const satisfies Record<string, SigningKey>

/** A keyring as an item of a package. */
export const keyringItem = (more: object = {}): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'ActionKeyring',
  metadata: { name: 'keys' },
  keys: [{ keyId: 'e1', alg: 'Ed25519', public: PUBLIC_KEY, ...more }],
})

/** A trust of defaults in the key `e1` and those of the vectors, with more. */
export const trustOf = (more: Partial<Trust> = {}): Trust => ({
  ...trustOfKeyring({ ...KEYRING, e1: { alg: 'Ed25519', key: PUBLIC_KEY } }, (text) => text),
  cluster: 'prod-eu1',
  byClock: true,
  ...more,
})

export const T = '2026-01-15T10:00:00Z'
const NODE = { kind: 'Node', name: 'small-000002' }
const SPEC = { cluster: 'prod-eu1', issuedAt: '2026-01-15T09:55:00Z', expiresAt: '2026-01-15T11:00:00Z' }

/** The vectors of the specification: spec, key, value and digest. */
export const VECTORS = {
  V1: vector({ id: 'act-0001', type: 'cordonNode', sequence: 7, target: NODE, parameters: {} }, [
    'k1',
    'I6sb4DT3Ro_WM1Nnf1G3F-AetwbDAt1TkRId3a3ocVw',
    '1bff4c5cb8',
  ]),
  V2: vector({ id: 'act-0002', type: 'uncordonNode', sequence: 9, target: NODE, parameters: {} }, [
    'k1',
    'nda4edAdg8R-vK-nS9eWqkhy0Aai0WNzeAY07_flR7c',
    '25b5543a03',
  ]),
  V3: vector(
    {
      id: 'act-0003',
      type: 'drainNode',
      sequence: 10,
      target: NODE,
      parameters: { deleteEmptyDirData: true, timeoutSeconds: 600 },
    },
    ['k2', 'W0fe68l6LoeRs67neQEhzUwzdOO5QUlwU2TDhO67zxU', 'b88fd9826f'],
  ),
  V4: vector(
    {
      id: 'act-0004',
      type: 'evictPod',
      sequence: 11,
      target: { kind: 'Pod', name: 'web-0', namespace: 'default', uid: '7f0c2f5e-1111-4222-8333-944455556666' },
      parameters: { gracePeriodSeconds: 30 },
    },
    ['k1', '0vEb1VHt3EHODCgEADYplIJNYZIAaAMT1mbYOJwhJ98', '04ba36b506'],
  ),
  V5: vector(
    {
      id: 'act-0005',
      type: 'scaleDeployment',
      sequence: 12,
      target: { kind: 'Deployment', name: 'web', namespace: 'shop' },
      parameters: { replicas: 5 },
    },
    ['k1', 'XoeKZ_Yp4BW03qADskWOkH3JKR8ozZ-a5e7yeoQIASM', 'c9c34c289d'],
  ),
  V6: vector(
    {
      id: 'act-0006',
      type: 'labelNode',
      sequence: 13,
      target: NODE,
      parameters: { labels: { team: 'pläne', workload: 'batch' } },
    },
    ['k1', 'sUSBuFYQjBFp8USfl1rN6Qt-wo2jL8kBg2_o6GgYGUI', 'b6d61880f7'],
  ),
}

function vector(spec: Record<string, unknown>, [keyId, value, digest]: readonly [string, string, string]) {
  return { spec: { ...SPEC, ...spec }, keyId, value, digest }
}

/** A vector as the resource that carries it; `change` is put over it without signing again. */
export function vectorAction(
  name: keyof typeof VECTORS,
  change: { spec?: object; signature?: object } = {},
): KubernetesObject {
  const { spec, keyId, value } = VECTORS[name]
  return resource(
    name.toLowerCase(),
    { ...spec, ...change.spec },
    { alg: 'HMAC-SHA256', keyId, value, ...change.signature },
  )
}

/** An action on small-000002, signed with a key of the specification, or with the Ed25519 key `e1`. */
export function signedAction(spec: Record<string, unknown>, keyId = 'e1', name?: string): KubernetesObject {
  const whole = { ...SPEC, sequence: 1, target: NODE, parameters: {}, ...spec }
  const alg = keyId === 'e1' ? 'Ed25519' : 'HMAC-SHA256'
  const form = signedText({ alg, keyId, spec: whole })
  if ('problem' in form) throw new Error(form.problem.code)
  const bytes =
    alg === 'Ed25519'
      ? sign(null, Buffer.from(form.text), PRIVATE)
      : createHmac('sha256', SECRETS[keyId] ?? '')
          .update(form.text)
          .digest()
  return resource(name ?? String(spec.id), whole, { alg, keyId, value: bytes.toString('base64url') })
}

/** A signed action as what it renders carries it. */
export function proofOf(action: KubernetesObject): string {
  const { value, findings } = readAction(action)
  if (value === undefined) throw new Error(findings.map(({ message }) => message).join())
  return proofText(value)
}

/** The digest of a signed action. */
export function digestOfAction(action: KubernetesObject): string {
  return readAction(action).value?.digest ?? ''
}

function resource(name: string, spec: object, signature: object): KubernetesObject {
  return { apiVersion: 'nodefit.dev/v1alpha1', kind: 'NodeAction', metadata: { name }, spec, signature }
}
