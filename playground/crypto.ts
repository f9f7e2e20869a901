/** Node's cryptography as far as a render needs it in a browser, which has none that answers at once. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

const encoder = new TextEncoder()

/** As `hash` of node:crypto, for the one algorithm that renders use. */
export function hash(algorithm: string, text: string, encoding: string): string {
  if (algorithm !== 'sha256' || encoding !== 'hex') throw new Error(`there is no ${algorithm} as ${encoding} here`)
  return bytesToHex(sha256(encoder.encode(text)))
}

/** Signed actions are refused before they are planned (engine/render.ts). */
function notHere(): never {
  throw new Error('a browser verifies no signatures')
}

export const createHmac = notHere
export const createPrivateKey = notHere
export const createPublicKey = notHere
export const sign = notHere
export const timingSafeEqual = notHere
export const verify = notHere
