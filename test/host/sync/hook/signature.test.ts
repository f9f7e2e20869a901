/** Which deliveries are the forge's own. */
import { createHmac } from 'node:crypto'
import * as assert from 'uvu/assert'
import { signatureCheck } from '../../../../src/host/sync/hook/signature.ts'
import { suite } from '../../../support/suite.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const BODY = '{"ref":"refs/heads/main","after":"b2"}'
const SECRET = 'It-is-a-Secret-to-Everybody'
const OTHER = 'another-secret-of-the-same-forge'
const hex = (secret: string | Buffer, text = BODY) => createHmac('sha256', secret).update(text).digest('hex')
const base64 = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text).digest('base64')
const KEY = Buffer.from('0123456789abcdef0123456789abcdef')
const SIGNING_TOKEN = `whsec_${KEY.toString('base64')}`
const seconds = NOW / 1000
const signed = (key: string | Buffer, time: number, signature = `v1,${base64(key, `id-1.${time}.${BODY}`)}`) => ({
  'webhook-id': 'id-1',
  'webhook-timestamp': String(time),
  'webhook-signature': signature,
})

const verdict = (headers: Record<string, string>, secrets: readonly string[] = [SECRET], body = BODY) => {
  const check = signatureCheck(headers, secrets, NOW)
  // in two parts, as it may be received
  check?.update(Buffer.from(body.slice(0, 7)))
  check?.update(Buffer.from(body.slice(7)))
  return check?.isValid()
}

const CASES: ReadonlyArray<
  readonly [name: string, headers: Record<string, string>, valid: boolean | undefined, secrets?: string[]]
> = [
  ['nothing', {}, undefined],
  ['the event alone', { 'x-github-event': 'push' }, undefined],
  ['an empty token', { 'x-gitlab-token': '' }, undefined],
  // the example of GitHub's documentation
  ['GitHub', { 'x-hub-signature-256': `sha256=${hex(SECRET)}` }, true],
  ['GitHub, in capitals', { 'x-hub-signature-256': `sha256=${hex(SECRET).toUpperCase()}` }, true],
  ['GitHub with another secret', { 'x-hub-signature-256': `sha256=${hex(OTHER)}` }, false],
  ['GitHub with the old and the new secret', { 'x-hub-signature-256': `sha256=${hex(OTHER)}` }, true, [SECRET, OTHER]],
  ['GitHub, one digit less', { 'x-hub-signature-256': `sha256=${hex(SECRET).slice(1)}` }, undefined],
  [
    'SHA-1, which GitHub still sends',
    { 'x-hub-signature': 'sha1=0123456789012345678901234567890123456789' },
    undefined,
  ],
  ['Gitea', { 'x-gitea-signature': hex(SECRET) }, true],
  ['Gitea with another secret', { 'x-gitea-signature': hex(OTHER) }, false],
  ['Forgejo', { 'x-forgejo-signature': hex(SECRET) }, true],
  ['a wrong one beside a right one', { 'x-gitea-signature': hex(OTHER), 'x-forgejo-signature': hex(SECRET) }, true],
  ['GitLab by its token', { 'x-gitlab-token': SECRET }, true],
  ['GitLab by another token', { 'x-gitlab-token': OTHER }, false],
  ['GitLab by the beginning of the token', { 'x-gitlab-token': SECRET.slice(0, -1) }, false],
  ['GitLab, signed', signed(KEY, seconds), true, [SIGNING_TOKEN]],
  ['GitLab, signed with the text of the secret', signed(SECRET, seconds), true],
  ['GitLab, signed with another one', signed(OTHER, seconds), false],
  ['GitLab, signed four minutes ago', signed(KEY, seconds - 240), true, [SIGNING_TOKEN]],
  ['GitLab, signed six minutes ago', signed(KEY, seconds - 360), false, [SIGNING_TOKEN]],
  ['GitLab, signed in six minutes', signed(KEY, seconds + 360), false, [SIGNING_TOKEN]],
  [
    'GitLab, a time that was not signed',
    signed(KEY, seconds, `v1,${base64(KEY, `id-1.${seconds - 9}.${BODY}`)}`),
    false,
    [SIGNING_TOKEN],
  ],
  [
    'GitLab, the second of two signatures',
    signed(KEY, seconds, `v1,${base64(OTHER, BODY)} v1,${base64(KEY, `id-1.${seconds}.${BODY}`)}`),
    true,
    [SIGNING_TOKEN],
  ],
  ['GitLab, signed, without an ID', { ...signed(KEY, seconds), 'webhook-id': '' }, undefined, [SIGNING_TOKEN]],
  ['GitLab, signed, no number as time', { ...signed(KEY, seconds), 'webhook-timestamp': '1e9' }, undefined],
  ['any of them without a secret', { 'x-gitlab-token': SECRET, 'x-gitea-signature': hex('') }, false, []],
]

suite('signatures', (test) => {
  for (const [name, headers, valid, secrets] of CASES) test(name, () => assert.is(verdict(headers, secrets), valid))
  test('one changed byte of the body', () => {
    const changed = BODY.replace('b2', 'b3')
    assert.is(verdict({ 'x-hub-signature-256': `sha256=${hex(SECRET)}` }, [SECRET], changed), false)
    assert.is(verdict(signed(KEY, seconds), [SIGNING_TOKEN], changed), false)
  })
  test('the example of GitHub', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    assert.is(verdict({ 'x-hub-signature-256': signature }, ["It's a Secret to Everybody"], 'Hello, World!'), true)
  })
})
