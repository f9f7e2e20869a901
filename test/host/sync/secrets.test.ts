import * as assert from 'uvu/assert'
import { Secrets } from '../../../src/host/sync/secrets.ts'
import { suite } from '../../support/suite.ts'

const TOKEN = 'ghp_a+b/c="d e%f'

suite('secrets', (test) => {
  const secrets = new Secrets()
  secrets.add(TOKEN)
  const forms: Readonly<Record<string, string>> = {
    'as it is': TOKEN,
    'in a URL': encodeURIComponent(TOKEN),
    'in a URL with small digits': encodeURIComponent(TOKEN).replace(/%../g, (code) => code.toLowerCase()),
    'in JSON': JSON.stringify({ token: TOKEN }),
    'in base64': Buffer.from(TOKEN).toString('base64'),
    'in base64 for URLs': Buffer.from(TOKEN).toString('base64url'),
    ...Object.fromEntries(
      ['a', 'ab', 'abc', 'git'].map((user) => [
        `in a header of ${user}`,
        Buffer.from(`${user}:${TOKEN}`).toString('base64'),
      ]),
    ),
  }
  for (const [name, form] of Object.entries(forms))
    test(`are not seen ${name}`, () => {
      const scrubbed = secrets.scrub(`before ${form} after`)
      assert.not.ok(scrubbed.includes(form))
      assert.match(scrubbed, /^before .*\*\*\*.* after$/)
      // all but the few characters at its edge that say something of what stands beside it
      assert.ok(scrubbed.length < 'before  after'.length + 22, scrubbed)
    })
  test('before the host of a URL and in a header are not seen, though nobody has told of them', () => {
    assert.is(new Secrets().scrub('at https://me:pass@h/x and http://token@h'), 'at https://***@h/x and http://***@h')
    assert.is(new Secrets().scrub('Authorization: Basic Zm9v'), 'Authorization: Basic ***')
    assert.is(new Secrets().scrub('ssh://git@h/x, me@example.com'), 'ssh://git@h/x, me@example.com')
  })
  test('of several lines are not seen line by line, and their frame is', () => {
    const key = [
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      'b3BlbnNzaC1rZXk',
      'AAAAtzc2gtZWQy',
      '-----END OPENSSH PRIVATE KEY-----',
    ].join('\n')
    const one = new Secrets()
    one.add(key)
    assert.is(one.scrub('invalid line AAAAtzc2gtZWQy'), 'invalid line ***')
    assert.is(one.scrub('-----BEGIN OPENSSH PRIVATE KEY-----'), '-----BEGIN OPENSSH PRIVATE KEY-----')
    assert.is(one.scrub(key), '***')
  })
  test('that are too short to be told from text are left out, and many do not gather', () => {
    const one = new Secrets()
    one.add('a')
    assert.is(one.scrub('banana'), 'banana')
    for (let at = 0; at < 1000; at++) one.add(`token-${at}-end`)
    assert.is(one.scrub('token-1-end token-999-end'), 'token-1-end ***')
  })
  test('that hold another are taken out whole', () => {
    const one = new Secrets()
    one.add('pass')
    one.add('password1')
    assert.is(one.scrub('password1'), '***')
  })
})
