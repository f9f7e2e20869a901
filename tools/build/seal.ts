import { crc32 } from 'node:zlib'

/**
 * What must stand behind compiled code for it to be taken: the program it was made from, the engine that made it, and a
 * checksum. V8 itself checks its version and flags, and the length of the program; it does not notice changed bytes.
 */
export function seal(programHash: string, code: Uint8Array): string {
  const { version, platform, arch } = process
  return `${programHash} ${version} ${platform} ${arch} ${crc32(code)}`
}
