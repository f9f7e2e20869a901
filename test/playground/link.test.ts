/** Links that hold the state of the playground. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { fromFragment, type State, toFragment } from '../../playground/link.ts'
import { suite } from '../support/suite.ts'

const STATE: State = { texts: { nodes: 'a: 1\n', daemonSet: '{"ü":"€ 😀"}', policy: '' }, isOwn: true }
const packed = async (value: unknown): Promise<string> => {
  const stream = new Blob([typeof value === 'string' ? value : JSON.stringify(value)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = Buffer.from(await new Response(stream).arrayBuffer())
  return `1.${bytes.toString('base64url')}`
}

suite('links of the playground', (test) => {
  test('give back what they hold', async () => assert.equal(await fromFragment(await toFragment(STATE)), STATE))
  test('give back any texts', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        async (nodes, policy, isOwn) => {
          const state: State = { texts: { nodes, daemonSet: '', policy }, isOwn }
          assert.equal(await fromFragment(await toFragment(state)), state)
        },
      ),
      { numRuns: 50 },
    ))
  const { texts, isOwn } = STATE
  const hostile: ReadonlyArray<readonly [what: string, fragment: () => Promise<string>, why: string]> = [
    ['another version', async () => (await toFragment(STATE)).replace('1.', '2.'), 'another version'],
    ['a fragment of something else', async () => 'section', 'another version'],
    ['one that is cut', async () => (await toFragment(STATE)).slice(0, 40), 'cut or damaged'],
    ['other characters', async () => '1.%3Cscript%3E', 'another version'],
    ['bytes that are not packed', async () => '1.AAAA', 'cut or damaged'],
    ['one that is too long', async () => `1.${'A'.repeat(200_000)}`, '200002 characters'],
    ['a bomb', () => packed(`"${'a'.repeat(20 << 20)}"`), '4 MiB'],
    ['JSON that is broken', () => packed('{'), 'something else'],
    ['no object', () => packed([1]), 'something else'],
    ['nothing', () => packed('null'), 'something else'],
    ['a text that is a number', () => packed({ ...texts, nodes: 1, isOwn }), 'something else'],
    ['one member more', () => packed({ ...texts, isOwn, more: 1 }), 'something else'],
    [
      'members of the prototype',
      () => packed(`{"__proto__":${JSON.stringify({ ...texts, isOwn })}}`),
      'something else',
    ],
  ]
  for (const [what, fragment, why] of hostile)
    test(`${what} is refused in words`, async () => {
      const read = await fromFragment(await fragment())
      assert.ok('problem' in read && read.problem.includes(why), JSON.stringify(read).slice(0, 200))
    })
})
