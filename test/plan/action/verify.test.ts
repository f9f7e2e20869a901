import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ROOT } from '../../../e2e/support/hosts.ts'
import { oddNumber } from '../../../src/krm/go-scalar.ts'
import { readYaml } from '../../../src/krm/read-yaml.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { readKeyring } from '../../../src/plan/action/keys.ts'
import { readAction } from '../../../src/plan/action/read-action.ts'
import { signAction } from '../../../src/plan/action/sign.ts'
import { canonicalJson, signedText } from '../../../src/plan/action/signed-bytes.ts'
import { type Verifier, verifyAction } from '../../../src/plan/action/verify.ts'
import { vectorsFile } from '../../support/action-vectors.ts'
import {
  KEYRING,
  keyringItem,
  PRIVATE_KEY,
  PUBLIC_KEY,
  signedAction,
  T,
  VECTORS,
  vectorAction,
} from '../../support/actions.ts'
import { suite } from '../../support/suite.ts'

const verifier = (more: Partial<Verifier> = {}, keyring = KEYRING): Verifier => ({
  keys: readKeyring({ ...keyring, e1: { alg: 'Ed25519', key: PUBLIC_KEY } }).keys,
  hasSecrets: true,
  requireSignature: true,
  cluster: 'prod-eu1',
  now: new Date(T),
  maxLifetime: 86_400_000,
  ...more,
})
const at = (now: string) => verifier({ now: new Date(now) })

/** What becomes of an action: its verdict where it is valid, else the first code. */
function outcome(subject: KubernetesObject, by = verifier()): string {
  const { value, findings } = readAction(subject)
  if (value === undefined) return findings[0]?.code ?? 'nothing'
  const result = verifyAction(value, by)
  return result.findings[0]?.code ?? result.verdict
}

const withReplicas = (replicas: unknown) => vectorAction('V5', { spec: { parameters: { replicas } } })

suite('the vectors for other signers', (test) => {
  test('are those of the page', () =>
    assert.is(readFileSync(join(ROOT, 'docs/reference/action-vectors.json'), 'utf8'), vectorsFile()))
})

suite('canonical JSON', (test) => {
  test('the signed text of V1 is that of the specification', () => {
    const { spec, keyId } = VECTORS.V1
    const form = signedText({ alg: 'HMAC-SHA256', keyId, spec })
    assert.equal(
      { text: 'text' in form ? form.text : '' },
      {
        text: 'krm-node-action:v1\n{"alg":"HMAC-SHA256","keyId":"k1","spec":{"cluster":"prod-eu1","expiresAt":"2026-01-15T11:00:00Z","id":"act-0001","issuedAt":"2026-01-15T09:55:00Z","parameters":{},"sequence":7,"target":{"kind":"Node","name":"small-000002"},"type":"cordonNode"}}',
      },
    )
  })
  test('members are sorted by UTF-16 code units', () =>
    assert.equal(canonicalJson({ '\u{FB33}': 1, '\u{1F600}': 2 }), { text: '{"\u{1F600}":2,"\u{FB33}":1}' }))
  test('null and an empty list are written, an undefined member is not', () =>
    assert.equal(canonicalJson({ b: null, a: [], c: undefined }), { text: '{"a":[],"b":null}' }))
  for (const [value, code] of [
    [1.5, 'NonIntegerNumber'],
    [-0, 'NonIntegerNumber'],
    [Number.NaN, 'NonIntegerNumber'],
    [Number.POSITIVE_INFINITY, 'NonIntegerNumber'],
    [2 ** 53, 'UnsafeInteger'],
    [9007199254740993n, 'UnsafeInteger'],
    ['\u{D800}', 'InvalidField'],
  ] as const)
    test(`${String(value)} in a list is ${code}`, () => {
      const form = canonicalJson({ a: [value] })
      assert.is('problem' in form && form.problem.code, code)
      assert.is('problem' in form && form.problem.path, 'a.0')
    })
  test('an unpaired surrogate in a key is refused', () => assert.ok('problem' in canonicalJson({ '\u{DC00}': 1 })))
})

suite('verification', (test) => {
  for (const name of Object.keys(VECTORS) as Array<keyof typeof VECTORS>)
    test(`vector ${name} is accepted and has its digest`, () => {
      assert.is(outcome(vectorAction(name)), 'valid')
      assert.is(readAction(vectorAction(name)).value?.digest, VECTORS[name].digest)
    })
  test('an Ed25519 signature is accepted, and refused after one changed byte', () => {
    const action = signedAction({ id: 'e', type: 'cordonNode' })
    assert.is(outcome(action), 'valid')
    const spec = { ...(action.spec as object), sequence: 2 }
    assert.is(outcome({ ...action, spec }), 'BadSignature')
  })
  test('the signature covers id of the key and algorithm, not metadata', () => {
    const renamed = { ...vectorAction('V1'), metadata: { name: 'other', namespace: 'x', labels: { a: 'b' } } }
    assert.is(outcome(renamed), 'valid')
  })
  test('S02 another target', () =>
    assert.is(
      outcome(vectorAction('V1', { spec: { target: { kind: 'Node', name: 'small-000003' } } })),
      'BadSignature',
    ))
  test('S03 the value of another key', () =>
    assert.is(outcome(vectorAction('V1', { signature: { keyId: 'k2' } })), 'BadSignature'))
  test('each byte of a signature counts, the last one too', () => {
    const bytes = Buffer.from(VECTORS.V1.value, 'base64url')
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[index] = (bytes[index] ?? 0) ^ 1
      const action = vectorAction('V1', { signature: { value: changed.toString('base64url') } })
      assert.is(outcome(action), 'BadSignature', `byte ${index}`)
    }
  })
  test('S04 an unknown key', () => {
    const action = vectorAction('V1', { signature: { keyId: 'k9' } })
    assert.is(outcome(action), 'UnknownKey')
    assert.is(outcome(action, verifier({ hasSecrets: false })), 'NoKey')
    assert.is(outcome(vectorAction('V1', { signature: { keyId: 'constructor' } })), 'UnknownKey')
  })
  const value = VECTORS.V1.value
  for (const [what, text] of [
    ['padding', `${value}=`],
    ['hex', '23ab1be034f7468fd63353677f51b717e01eb706c302dd5391121dddade8715c'],
    ['31 bytes', value.slice(0, 42)],
    ['spare bits of the last character', `${value.slice(0, -1)}x`],
    ['white space', `${value}\n`],
    ['nothing', ''],
    ['no value', undefined],
  ] as const)
    test(`S05 ${what}`, () =>
      assert.is(outcome(vectorAction('V1', { signature: { value: text } })), 'MalformedSignature'))
  for (const alg of ['none', 'HMAC-SHA1', '', 'hmac-sha256'])
    test(`S06 algorithm "${alg}"`, () =>
      assert.is(outcome(vectorAction('V1', { signature: { alg } })), 'UnsupportedAlgorithm'))
  test('one without a signature is said to have none', () => {
    const { value: action } = readAction({ ...vectorAction('V1'), signature: undefined })
    const [found] = action === undefined ? [] : verifyAction(action, verifier()).findings
    assert.is(found?.code, 'UnsupportedAlgorithm')
    assert.is(found?.sentence, 'v1: it has no signature')
  })
  test('S06 the algorithm is that of the key, not of the message', () =>
    assert.is(outcome(vectorAction('V1', { signature: { keyId: 'e1' } })), 'UnsupportedAlgorithm'))
  test('S07 expiry', () => {
    assert.is(outcome(vectorAction('V1'), at('2026-01-15T11:00:00Z')), 'ActionExpired')
    assert.is(outcome(vectorAction('V1'), at('2026-01-15T10:59:59Z')), 'valid')
  })
  test('S08 issued in the future', () => {
    const issued = (issuedAt: string) => signedAction({ id: 's8', type: 'cordonNode', issuedAt }, 'k1')
    assert.is(outcome(issued('2026-01-15T10:01:00Z')), 'valid')
    assert.is(outcome(issued('2026-01-15T10:01:01Z')), 'ActionNotYetValid')
  })
  test('an action is early until its notBefore, to the second', () => {
    const action = signedAction({ id: 'n', type: 'cordonNode', notBefore: '2026-01-15T10:00:01Z' })
    assert.is(outcome(action), 'ActionNotYetValid')
    assert.is(outcome(action, at('2026-01-15T10:00:01Z')), 'valid')
  })
  test('S09 lifetime', () => {
    const until = (expiresAt: string) => signedAction({ id: 's9', type: 'cordonNode', expiresAt }, 'k1')
    assert.is(outcome(until('2026-01-16T09:55:00Z')), 'valid')
    assert.is(outcome(until('2026-01-16T09:55:01Z')), 'LifetimeTooLong')
    assert.is(outcome(until('2026-01-15T09:55:00Z')), 'LifetimeTooLong')
  })
  test('S10 the window of a key has both its ends', () => {
    const within = (window: object) => {
      const k1 = { ...KEYRING.k1, ...window } as (typeof KEYRING)[string]
      return outcome(vectorAction('V1'), verifier({}, { ...KEYRING, k1 }))
    }
    assert.is(within({ notAfter: '2026-01-15T09:55:00Z' }), 'valid')
    assert.is(within({ notBefore: '2026-01-15T09:55:00Z' }), 'valid')
    assert.is(within({ notBefore: '2026-01-15T09:55:01Z' }), 'KeyExpired')
  })
  test('S10 a key whose window is over', () => {
    const k1 = { ...KEYRING.k1, notAfter: '2026-01-15T09:54:59Z' } as (typeof KEYRING)[string]
    const by = verifier({}, { ...KEYRING, k1 })
    assert.is(outcome(vectorAction('V1'), by), 'KeyExpired')
    assert.is(outcome(vectorAction('V3'), by), 'valid')
    const later = { ...KEYRING.k1, notBefore: '2026-01-15T09:55:01Z' } as (typeof KEYRING)[string]
    assert.is(outcome(vectorAction('V1'), verifier({}, { ...KEYRING, k1: later })), 'KeyExpired')
  })
  test('a key signs only its types', () => {
    const k1 = { ...KEYRING.k1, types: ['drainNode'] } as (typeof KEYRING)[string]
    assert.is(outcome(vectorAction('V1'), verifier({}, { ...KEYRING, k1 })), 'KeyTypeForbidden')
  })
  test('S11 another cluster', () =>
    assert.is(outcome(vectorAction('V1'), verifier({ cluster: 'prod-us1' })), 'ActionOfOtherCluster'))
  test('S11 the message names both clusters', () => {
    const said = (cluster: string) => {
      const { value } = readAction(vectorAction('V1'))
      return value === undefined ? '' : verifyAction(value, verifier({ cluster })).findings[0]?.sentence
    }
    assert.is(said('prod-us1'), 'v1: spec.cluster is prod-eu1, but the nodes are of prod-us1')
    assert.is(said(''), 'v1: spec.cluster is prod-eu1, but the nodes are of a cluster without a name')
  })
  test('S11 the signature is looked at first', () => {
    const action = vectorAction('V1', { spec: { cluster: 'prod-us1' } })
    assert.is(outcome(action), 'BadSignature')
  })
  test('S15 numbers', () => {
    assert.is(outcome(withReplicas(1.5)), 'NonIntegerNumber')
    assert.is(outcome(withReplicas(9007199254740993n)), 'UnsafeInteger')
    const read = readYaml('replicas: 5.0') as { replicas: unknown }
    assert.is(outcome(withReplicas(read.replicas)), 'valid')
  })
  test('S16 an unknown field of the spec', () =>
    assert.is(outcome(vectorAction('V1', { spec: { force: true } })), 'UnknownField'))
  test('S17 a time without quotes is the text', () => {
    const { expiresAt } = readYaml('expiresAt: 2026-01-15T11:00:00Z') as { expiresAt: unknown }
    assert.is(outcome(vectorAction('V1', { spec: { expiresAt } })), 'valid')
  })
  test('S19 without a key an open policy takes the action with a warning', () => {
    const none = { keys: new Map(), hasSecrets: false }
    assert.is(outcome(vectorAction('V1'), verifier(none)), 'NoKey')
    assert.is(outcome(vectorAction('V1'), verifier({ ...none, requireSignature: false })), 'ActionUnverified')
    const changed = vectorAction('V1', { spec: { sequence: 8 } })
    assert.is(outcome(changed, verifier({ requireSignature: false })), 'BadSignature')
  })
  test('an action of more than 64 KiB is refused before anything of it is read', () => {
    const labels = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`key-${index}`, 'a long value']))
    assert.is(outcome(signedAction({ id: 'big', type: 'labelNode', parameters: { labels } })), 'InvalidField')
  })
})

suite('signing', (test) => {
  const { spec, keyId, value } = VECTORS.V1
  const unsigned = { ...vectorAction('V1'), metadata: { name: 'v1', labels: { a: 'b' } }, signature: undefined }
  test('with a secret it is the signature of the vector, and the rest of the action stays', () => {
    const made = signAction(unsigned, { keyId, alg: 'HMAC-SHA256', key: Buffer.from(KEYRING.k1?.key ?? '', 'base64') })
    const signature = { alg: 'HMAC-SHA256', keyId, value }
    assert.equal(made, { action: { ...unsigned, signature } })
  })
  test('with a private key it is one that the public key verifies', () => {
    const made = signAction(unsigned, { keyId: 'e1', alg: 'Ed25519', key: createPrivateKey(PRIVATE_KEY) })
    assert.is('action' in made && outcome(made.action), 'valid')
  })
  test('what has no canonical form is not signed', () => {
    const signer = { keyId: 'e1', alg: 'Ed25519', key: createPrivateKey(PRIVATE_KEY) } as const
    const made = signAction({ ...unsigned, spec: { ...spec, sequence: 1.5 } }, signer)
    assert.equal(made, { problem: { code: 'NonIntegerNumber', path: 'spec.sequence', value: 1.5 } })
  })
})

suite('keyrings', (test) => {
  const drawn = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index + 1))
  const problemOf = (key: object) => readKeyring({ a: { alg: 'HMAC-SHA256', key: '', ...key } }).problems[0]?.problem
  test('a secret of fewer than 32 bytes is refused', () =>
    assert.is(problemOf({ key: drawn(31).toString('base64') }), 'it has 31 bytes, not at least 32'))
  test('a public key has 32 bytes', () =>
    assert.is(problemOf({ alg: 'Ed25519', key: drawn(33).toString('base64') }), 'it has 33 bytes, not 32'))
  test('what is not base64 is refused', () => assert.is(problemOf({ key: 'not base64 at all!' }), 'it is not base64'))
  test('both alphabets of base64 are read', () => {
    const bytes = Buffer.alloc(32, 0xfb).fill(0xf8, 16)
    for (const key of [bytes.toString('base64'), bytes.toString('base64url')]) assert.is(problemOf({ key }), undefined)
  })
  test('a time that is none is refused', () =>
    assert.is(
      problemOf({ key: drawn(32).toString('base64'), notAfter: 'tomorrow' }),
      'its notAfter is not an RFC 3339 time',
    ))
  const SMALL = [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000080',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ]
  const publicProblem = (key: Buffer) => problemOf({ alg: 'Ed25519', key: key.toString('base64') }) ?? ''
  for (const hex of SMALL)
    test(`the point ${hex.slice(0, 4)}…${hex.slice(-2)} is refused`, () =>
      assert.match(publicProblem(Buffer.from(hex, 'hex')), /placeholder|small order/))
  test('a form that is not canonical is refused', () => {
    const key = Buffer.alloc(32, 0xff)
    key[0] = 0xf0
    assert.match(publicProblem(key), 'not in canonical form')
  })
  test('what is no point of the curve, and a placeholder, are refused', () => {
    assert.match(publicProblem(Buffer.concat([Buffer.from([2]), Buffer.alloc(31)])), 'no point of the curve')
    assert.match(publicProblem(Buffer.alloc(32, 0xaa)), 'placeholder')
    assert.match(problemOf({ key: Buffer.alloc(40).toString('base64') }) ?? '', 'placeholder')
  })
  test('each key that is made is taken', () => {
    for (let count = 0; count < 50; count++) {
      const { publicKey } = generateKeyPairSync('ed25519')
      assert.is(publicProblem(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')), '')
    }
  })
  test('a key may be there once', () => {
    const key = drawn(32).toString('base64')
    const { keys, problems } = readKeyring({ a: { alg: 'HMAC-SHA256', key }, b: { alg: 'HMAC-SHA256', key } })
    assert.equal([...keys.keys()], ['a'])
    assert.equal(problems, [{ keyId: 'b', problem: 'it is the same key as a' }])
  })
  test('numbers of a signed action have one form', () => {
    for (const [text, odd] of [
      ['spec:\n  sequence: 1.0\n', '1.0'],
      ['spec: {sequence: 13.}\n', '13.'],
      ['spec:\n  sequence: 1e0 # one\n', '1e0'],
      ['spec:\n  parameters: {replicas: 007}\n', '007'],
      ['spec:\n  sequence: 0x10\n', '0x10'],
      ['spec:\n  sequence: 10\n  reason: "a, 1.0, b"\n  issuedAt: 2026-01-15T10:00:00Z\n', undefined],
      ["spec:\n  parameters: {image: 'app:1.0', replicas: 0}\n", undefined],
      ['spec:\n  reason: version 1.0 of it\n  sequence: -5\n', undefined],
    ] as const)
      assert.is(oddNumber(text), odd, text)
  })
  test('the keyring of a package holds the public key', () =>
    assert.is((keyringItem().keys as Array<{ public: string }>)[0]?.public, PUBLIC_KEY))
})
