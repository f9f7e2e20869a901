import { ACTION_TRUST_DEFAULTS } from '../kinds/index.ts'
import { parseDuration } from '../kube/index.ts'

/** A key that verifies actions: a shared secret or a public key, in base64. */
export interface Key {
  readonly alg: 'HMAC-SHA256' | 'Ed25519'
  readonly key: string
  /** The window in which actions may be issued with it, RFC 3339; undefined: no limit. */
  readonly notBefore?: string
  readonly notAfter?: string
  /** The types of actions that it may sign; undefined for all. */
  readonly types?: readonly string[]
  /** Whether nothing begins with it any more. */
  readonly isRetired?: boolean
}

/** Keys by their id. */
export type Keyring = Readonly<Record<string, Key>>

/**
 * Whom the operator trusts to act on nodes, and how far: an ActionTrust with its defaults, from outside the package.
 * The ActionPolicy of a package may only narrow it.
 */
export interface Trust {
  /** The first digits of the SHA-256 of what it says. */
  readonly digest: string
  /** The cluster whose actions count; undefined for that of the package. */
  readonly cluster?: string
  /** Its uid, which each action must carry; undefined for any. */
  readonly clusterUid?: string
  readonly keys: Keyring
  /** Undefined for all. */
  readonly types?: readonly string[]
  readonly requireSignature: boolean
  /** How many keys must sign an action of a type; undefined and absent: one. */
  readonly signatures?: Readonly<Record<string, number>>
  /** In milliseconds. */
  readonly maxLifetime: number
  readonly maxReplicas: number
  readonly maxConcurrent: number
  readonly allowControlPlane: boolean
  readonly allowLabels: readonly string[]
  /** The labels that a node must have; undefined for every node. */
  readonly nodeSelector?: Readonly<Record<string, string>>
  /** Whether an action must be valid by the clock of the host too, and not by the snapshot's time alone. */
  readonly byClock: boolean
  /** How far the clock of a signer may be ahead, in milliseconds. */
  readonly maxClockSkew: number
  /** The images of Jobs, by digest; undefined for those of the package. */
  readonly images?: readonly string[]
  /** The namespace of Jobs; undefined for that of the package. */
  readonly namespace?: string
  /** Whether the package may have PoolPolicies. */
  readonly pools: boolean
}

/** Returns a trust of defaults with the keys of a keyring, and cluster, images and time of the package's snapshot. */
export function trustOfKeyring(keys: Keyring, digestOf: (text: string) => string): Trust {
  const { requireSignature, maxReplicas, maxConcurrent, allowControlPlane, allowLabels } = ACTION_TRUST_DEFAULTS
  return {
    digest: digestOf(JSON.stringify(keys)).slice(0, DIGEST_DIGITS),
    keys,
    ...{ requireSignature, maxReplicas, maxConcurrent, allowControlPlane, allowLabels },
    maxLifetime: millisecondsOf(ACTION_TRUST_DEFAULTS.maxLifetime),
    maxClockSkew: millisecondsOf(ACTION_TRUST_DEFAULTS.maxClockSkew),
    byClock: false,
    pools: ACTION_TRUST_DEFAULTS.pools,
  }
}

const DIGEST_DIGITS = 12
const millisecondsOf = (duration: string) => Number(parseDuration(duration) / 1_000_000n)
