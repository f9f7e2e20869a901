import { BOXES, type Texts } from './engine/boxes.ts'

/** What a link holds. */
export interface State {
  readonly texts: Texts
  readonly isOwn: boolean
}

/** How long the fragment of a link may be: servers never see it, but chats and mail cut longer addresses. */
export const MOST_FRAGMENT = 32_000
/** How many bytes a link may hold once it is unpacked. */
const MOST_UNPACKED = 4 << 20
/** The form of what follows it. */
const FORM = '1.'

/** Returns the state as the fragment of an address, without its `#`. */
export async function toFragment({ texts, isOwn }: State): Promise<string> {
  const { nodes, daemonSet, policy } = texts
  const bytes = new TextEncoder().encode(JSON.stringify({ nodes, daemonSet, policy, isOwn }))
  const packed = await collected(bytes, new CompressionStream('deflate-raw'), Number.POSITIVE_INFINITY)
  return `${FORM}${base64url(packed)}`
}

/** Reads a fragment; anything but a whole state is a problem, in words. */
export async function fromFragment(fragment: string): Promise<State | { readonly problem: string }> {
  const refused = (why: string) => ({ problem: `This link cannot be opened: ${why}. Ask for it again, or start anew.` })
  if (fragment.length > 4 * MOST_FRAGMENT) return refused(`it has ${fragment.length} characters`)
  if (!/^1\.[\w-]+$/.test(fragment)) return refused('it is cut, or made by another version')
  let text: string
  try {
    const bytes = bytesOf(fragment.slice(FORM.length))
    text = new TextDecoder('utf-8', { fatal: true }).decode(
      await collected(bytes, new DecompressionStream('deflate-raw'), MOST_UNPACKED),
    )
  } catch (error) {
    return refused(error instanceof TooLong ? 'it unpacks to more than 4 MiB' : 'it is cut or damaged')
  }
  return stateIn(text) ?? refused('it holds something else')
}

function stateIn(text: string): State | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const members = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(members)
  const isWhole = BOXES.every((box) => Object.hasOwn(members, box) && typeof members[box] === 'string')
  if (!isWhole || typeof members.isOwn !== 'boolean' || keys.length !== BOXES.length + 1) return undefined
  const { nodes, daemonSet, policy, isOwn } = members as unknown as Texts & { isOwn: boolean }
  return { texts: { nodes, daemonSet, policy }, isOwn }
}

class TooLong extends Error {}

/** What comes out of a stream, which is left as soon as that is more than `most` bytes. */
async function collected(
  bytes: Uint8Array<ArrayBuffer>,
  through: { readonly readable: ReadableStream; readonly writable: WritableStream },
  most: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader() as ReadableStreamDefaultReader<Uint8Array>
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > most) {
      await reader.cancel()
      throw new TooLong()
    }
    pieces.push(value)
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

function base64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (one) => one.charCodeAt(0))
}
