/** Reads a Mach-O program of 64 bits and its signature, as loader.h and cs_blobs.h of XNU lay them out. */
import { createHash } from 'node:crypto'

const MAGIC = 0xfeedfacf
const EXECUTE = 2
const CPUS: Readonly<Record<number, string>> = { 16777223: 'amd64', 16777228: 'arm64' }
const SEGMENT = 0x19
const CODE_SIGNATURE = 0x1d
const DYLD_INFO_ONLY = 0x80000022
const SUPER_BLOB = 0xfade0cc0
const CODE_DIRECTORY = 0xfade0c02
const SHA256 = 2
const HASH_BYTES = 32

export interface Segment {
  readonly name: string
  readonly offset: number
  readonly size: number
  readonly address: bigint
  readonly sections: readonly { readonly name: string; readonly offset: number; readonly size: number }[]
}

export interface Range {
  readonly offset: number
  readonly size: number
}

export interface MachO {
  readonly arch: string | undefined
  readonly segments: readonly Segment[]
  /** The numbers of its load commands, in their order. */
  readonly commands: readonly number[]
  readonly signature: Range | undefined
  /** What the linker changes and looks up before the program starts: rebases, and binds of three kinds. */
  readonly fixups: readonly Range[]
}

/** Throws where the bytes are no program, or a load command leaves the room that the header gives. */
export function readMachO(file: Buffer): MachO {
  if (file.readUInt32LE(0) !== MAGIC || file.readUInt32LE(12) !== EXECUTE) throw new Error('not a program of 64 bits')
  const [count, size] = [file.readUInt32LE(16), file.readUInt32LE(20)]
  const segments: Segment[] = []
  const commands: number[] = []
  let signature: Range | undefined
  let fixups: Range[] = []
  let at = 32
  for (let index = 0; index < count; index++) {
    const [command, length] = [file.readUInt32LE(at), file.readUInt32LE(at + 4)]
    if (length < 8 || length % 8 !== 0 || at + length > 32 + size)
      throw new Error(`load command ${index} leaves the header`)
    commands.push(command)
    if (command === SEGMENT) segments.push(readSegment(file, at))
    if (command === CODE_SIGNATURE) signature = { offset: file.readUInt32LE(at + 8), size: file.readUInt32LE(at + 12) }
    if (command === DYLD_INFO_ONLY) {
      const word = (index: number) => file.readUInt32LE(at + 8 + 4 * index)
      fixups = [0, 2, 4, 6].map((index) => ({ offset: word(index), size: word(index + 1) }))
    }
    at += length
  }
  if (at !== 32 + size) throw new Error(`the load commands take ${at - 32} bytes, and the header says ${size}`)
  return { arch: CPUS[file.readUInt32LE(4)], segments, commands, signature, fixups }
}

function readSegment(file: Buffer, at: number): Segment {
  const text = (position: number) => file.toString('latin1', position, position + 16).replace(/\0.*$/s, '')
  const number = (position: number) => Number(file.readBigUInt64LE(position))
  const sections = Array.from({ length: file.readUInt32LE(at + 64) }, (_, index) => {
    const section = at + 72 + 80 * index
    return { name: text(section), offset: file.readUInt32LE(section + 48), size: number(section + 40) }
  })
  const address = file.readBigUInt64LE(at + 24)
  return { name: text(at + 8), offset: number(at + 40), size: number(at + 48), address, sections }
}

export interface CodeDirectory {
  readonly identifier: string
  readonly flags: number
  readonly codeLimit: number
  readonly pages: number
  /** The pages of the file whose hash is another one. */
  readonly wrong: readonly number[]
}

/**
 * The code directory of a signed program, each of its pages hashed anew. Throws where there is none that says SHA-256.
 */
export function readCodeDirectory(file: Buffer, { signature }: MachO): CodeDirectory {
  if (signature === undefined) throw new Error('not signed')
  const blob = file.subarray(signature.offset, signature.offset + signature.size)
  if (blob.readUInt32BE(0) !== SUPER_BLOB || blob.readUInt32BE(4) > blob.length) throw new Error('no signature')
  const slots = Array.from({ length: blob.readUInt32BE(8) }, (_, index) => 12 + 8 * index)
  const slot = slots.find((at) => blob.readUInt32BE(at) === 0)
  if (slot === undefined) throw new Error('no code directory')
  const directory = blob.subarray(blob.readUInt32BE(slot + 4))
  if (directory.readUInt32BE(0) !== CODE_DIRECTORY) throw new Error('no code directory')
  const [hashSize, hashType] = [directory.readUInt8(36), directory.readUInt8(37)]
  if (hashSize !== HASH_BYTES || hashType !== SHA256) throw new Error(`hashes of type ${hashType}`)
  const [hashes, name] = [directory.readUInt32BE(16), directory.readUInt32BE(20)]
  const [pages, codeLimit] = [directory.readUInt32BE(28), directory.readUInt32BE(32)]
  const pageSize = 2 ** directory.readUInt8(39)
  const wrong = Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const code = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, codeLimit))
    const hash = directory.subarray(hashes + page * HASH_BYTES, hashes + (page + 1) * HASH_BYTES)
    return !createHash('sha256').update(code).digest().equals(hash)
  })
  const identifier = directory.toString('latin1', name, directory.indexOf(0, name))
  if (pages !== Math.ceil(codeLimit / pageSize)) throw new Error(`${pages} pages for ${codeLimit} bytes`)
  return { identifier, flags: directory.readUInt32BE(12), codeLimit, pages, wrong }
}
