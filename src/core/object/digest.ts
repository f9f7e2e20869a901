import { hash } from 'node:crypto'

/** Returns the SHA-256 of a text's UTF-8 bytes, in 64 hex digits. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
