/** What a program of Linux is linked with, as elf.h of 64 bits, little-endian, lays it out. */
const LOAD = 1
const DYNAMIC = 2
const INTERPRETER = 3
const NEEDED = 1n
const STRING_TABLE = 5n
const PROCESSORS: Readonly<Record<number, string>> = { 62: 'amd64', 183: 'arm64' }

/** The processor that a program or library is for, as Debian and images name it; undefined where it is another or none. */
export function processorOf(file: Buffer): string | undefined {
  return isElf(file) ? PROCESSORS[file.readUInt16LE(18)] : undefined
}

export interface Linked {
  /** The loader that the kernel starts, absolute; undefined for a library. */
  readonly interpreter: string | undefined
  /** The names of the libraries, as they are looked for. */
  readonly libraries: readonly string[]
}

/** Reads what a program or library is linked with; undefined where the file is neither. */
export function linkedWith(file: Buffer): Linked | undefined {
  if (!isElf(file)) return undefined
  const number = (at: number) => Number(file.readBigUInt64LE(at))
  const [start, size, count] = [number(32), file.readUInt16LE(54), file.readUInt16LE(56)]
  const segments = Array.from({ length: count }, (_, index) => {
    const at = start + index * size
    return { type: file.readUInt32LE(at), offset: number(at + 8), address: number(at + 16), size: number(at + 32) }
  })
  const text = (at: number) => file.toString('latin1', at, file.indexOf(0, at))
  const interpreter = segments.find(({ type }) => type === INTERPRETER)
  const dynamic = segments.find(({ type }) => type === DYNAMIC)
  const entries = Array.from({ length: (dynamic?.size ?? 0) / 16 }, (_, index) => {
    const at = (dynamic?.offset ?? 0) + 16 * index
    return { tag: file.readBigInt64LE(at), value: number(at + 8) }
  })
  const table = entries.find(({ tag }) => tag === STRING_TABLE)?.value ?? 0
  const holder = segments.find((one) => one.type === LOAD && table >= one.address && table < one.address + one.size)
  const strings = table - (holder?.address ?? 0) + (holder?.offset ?? 0)
  return {
    interpreter: interpreter === undefined ? undefined : text(interpreter.offset),
    libraries: entries.filter(({ tag }) => tag === NEEDED).map(({ value }) => text(strings + value)),
  }
}

const isElf = (file: Buffer) =>
  file.length >= 64 && file.readUInt32BE(0) === 0x7f454c46 && file[4] === 2 && file[5] === 1
