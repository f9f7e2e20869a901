import { createHmac, type KeyObject, sign } from 'node:crypto'
import { listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { Signature } from './read-action.ts'
import { type Algorithm, type Canonical, jointText, signedText } from './signed-bytes.ts'

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
  return 'problem' in form ? form : { action: { ...action, signature: signatureOf(form.text, signer) } }
}

/**
 * Returns an action with one signature more, of those that sign the spec alone. Those that it has must be a list; one
 * of the key is replaced.
 */
export function addSignature(
  action: KubernetesObject,
  signer: SigningKey,
): { readonly action: KubernetesObject } | Extract<Canonical, { problem: unknown }> {
  const form = jointText(action.spec)
  if ('problem' in form) return form
  const others = listOf(memberOf(action, 'signature')).filter((one) => memberOf(one, 'keyId') !== signer.keyId)
  return { action: { ...action, signature: [...others, signatureOf(form.text, signer)] } }
}

function signatureOf(text: string, signer: SigningKey): Signature {
  const bytes =
    signer.alg === 'Ed25519'
      ? sign(null, Buffer.from(text), signer.key)
      : createHmac('sha256', signer.key).update(text).digest()
  return { alg: signer.alg, keyId: signer.keyId, value: bytes.toString('base64url') }
}
