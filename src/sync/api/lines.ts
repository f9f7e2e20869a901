import { StringDecoder } from 'node:string_decoder'
import { Unreadable } from './errors.ts'

/** Characters of a line beyond which it is no object of Kubernetes: etcd takes 1.5 MB. */
const LONGEST = 1 << 24

/** The lines of a body as they arrive, without what follows the last line break; rejects for a line without an end. */
export async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const part of body) {
    const pieces = decoder.write(part).split('\n')
    for (const piece of pieces.slice(0, -1)) {
      yield rest + piece
      rest = ''
    }
    rest += pieces.at(-1) ?? ''
    if (rest.length > LONGEST) throw new Unreadable('a line of the watch does not end')
  }
}
