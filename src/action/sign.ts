import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { KubernetesObject } from '../krm/types.ts'
import type { Canonical } from './canonical.ts'
import { type Algorithm, signedText } from './signed-bytes.ts'

/** A key that signs actions: a private key of Ed25519, or the secret of HMAC-SHA-256. */
export type SigningKey = { readonly keyId: string } & (
  | { readonly alg: 'Ed25519'; readonly key: KeyObject }
  | { readonly alg: 'HMAC-SHA256'; readonly key: Buffer }
)

/** Returns an action with its signature, or why its spec cannot be signed. */
export function signAction(
  action: KubernetesObject,
  signer: SigningKey,
): { readonly action: KubernetesObject } | Extract<Canonical, { problem: unknown }> {
  const { keyId } = signer
  const alg: Algorithm = signer.alg
  const form = signedText({ alg, keyId, spec: action.spec })
  if ('problem' in form) return form
  const bytes =
    signer.alg === 'Ed25519'
      ? sign(null, Buffer.from(form.text), signer.key)
      : createHmac('sha256', signer.key).update(form.text).digest()
  return { action: { ...action, signature: { alg, keyId, value: bytes.toString('base64url') } } }
}
