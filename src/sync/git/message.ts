import type { Person } from '../commit.ts'

const TRAILER = /^[A-Za-z][A-Za-z0-9-]*: \S/

/** A message with the line by which its committer certifies the Developer Certificate of Origin, beside the trailers it has. */
export function signedOff(message: string, { name, email }: Person): string {
  const text = message.trimEnd()
  const line = `Signed-off-by: ${name} <${email}>`
  const last = text.slice(text.lastIndexOf('\n\n') + 2).split('\n')
  if (last.includes(line)) return `${text}\n`
  const isTrailers = text.includes('\n\n') && last.every((one) => TRAILER.test(one))
  return `${text}${isTrailers ? '\n' : '\n\n'}${line}\n`
}
