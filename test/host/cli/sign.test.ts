import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { writeYaml } from '../../../src/krm/write-yaml.ts'
import { actionPolicy, nodesAt } from '../../support/action-package.ts'
import { signedAction, KEYRING as VECTOR_KEYS, vectorAction } from '../../support/actions.ts'
import { inCommandFolder } from '../../support/command-folder.ts'
import { suite } from '../../support/suite.ts'

const ACTION = `apiVersion: nodefit.dev/v1alpha1
kind: NodeAction
metadata: { name: cordon-2 }
spec: { id: act-1, cluster: prod-eu1, type: cordonNode, target: { kind: Node, name: small-000002 } }
`
const KEYRING = (entry: string) => `apiVersion: nodefit.dev/v1alpha1\nkind: ActionKeyring\nkeys:\n  ${entry}`

suite('nodefit sign and verify', (test) => {
  for (const alg of ['Ed25519', 'HMAC-SHA256'])
    test(`a new key of ${alg} signs, and its entry verifies`, () =>
      inCommandFolder(({ folder, write, run }) => {
        const made = run('sign', '--new-key', 'key', '--key-id', 'k', '--alg', alg)
        assert.is(made.status, 0, made.stderr)
        assert.is(statSync(join(folder, 'key')).mode & 0o777, 0o600)
        const secret = readFileSync(join(folder, 'key'), 'utf8').trim()
        assert.not(made.stdout.includes(secret), 'the key is in its file alone')
        write('keys.yaml', KEYRING(made.stdout))
        write('action.yaml', ACTION)
        const signed = run('sign', 'action.yaml', '--key', 'key', '--key-id', 'k')
        assert.is(signed.status, 0, signed.stderr)
        assert.match(signed.stdout, /sequence: 1\d{12}\n/)
        write('signed.yaml', signed.stdout)
        const verified = run('verify', 'signed.yaml', '--keyring', 'keys.yaml', '--cluster', 'prod-eu1')
        assert.is(verified.status, 0, verified.stderr)
        assert.match(verified.stdout, /^act-1 cordonNode Node small-000002: valid, until /)
        write('changed.yaml', signed.stdout.replace('small-000002', 'small-000003'))
        const changed = run('verify', 'changed.yaml', '--keyring', 'keys.yaml')
        assert.is(changed.status, 1)
        assert.match(changed.stdout, /refused, BadSignature/)
        assert.is(run('verify', 'signed.yaml', '--keyring', 'keys.yaml', '--cluster', 'other').status, 1)
        const late = run('verify', 'signed.yaml', '--keyring', 'keys.yaml', '--now', '2099-01-01T00:00:00Z')
        assert.match(late.stdout, /: expired, ActionExpired/)
        assert.is(late.status, 0)
      }))
  test('several sign one action, whatever lies beside it, and a trust that asks for two takes no fewer', () =>
    inCommandFolder(({ write, run }) => {
      const entries = ['alice', 'bob'].map((id) => run('sign', '--new-key', `${id}.pem`, '--key-id', id).stdout)
      const spec = `  cluster: prod-eu1\n  keys:\n${entries.map((entry) => `    ${entry}`).join('')}  signatures: { cordonNode: 2 }\n`
      write('trust.yaml', `apiVersion: nodefit.dev/v1alpha1\nkind: ActionTrust\nspec:\n${spec}`)
      write('action.yaml', ACTION)
      const uid = '6b1f0d0e-7f43-4c1b-9a55-0d1c2f3e4a5b'
      write(
        'inventory.yaml',
        writeYaml({
          ...{ apiVersion: 'nodefit.dev/v1alpha1', kind: 'NodeInventory', metadata: { name: 'prod' } },
          spec: { cluster: 'prod-eu1', clusterUid: uid },
        }),
      )
      const by = (id: string, ...files: string[]) =>
        run('sign', ...files, '--add', '--key', `${id}.pem`, '--key-id', id)
      write('once.yaml', by('alice', 'action.yaml').stdout)
      const once = run('verify', 'once.yaml', '--trust', 'trust.yaml')
      assert.is(once.status, 1)
      assert.match(once.stdout, /TooFewSignatures: cordon-2: it is signed by alice, but 2 keys must sign a cordonNode/)
      write('twice.yaml', by('bob', 'once.yaml', 'inventory.yaml').stdout)
      const twice = run('verify', 'twice.yaml', '--trust', 'trust.yaml')
      assert.is(twice.status, 0, twice.stdout)
      write('again.yaml', by('bob', 'twice.yaml').stdout)
      assert.is(run('verify', 'again.yaml', '--trust', 'trust.yaml').status, 0, 'a second time replaces the first')
      write('single.yaml', run('sign', 'action.yaml', '--key', 'alice.pem', '--key-id', 'alice').stdout)
      const single = by('bob', 'single.yaml')
      assert.is(single.status, 1)
      assert.match(single.stderr, /is signed by one key alone, which its signature covers/)
    }))
  test('the uid of the cluster comes from an inventory beside the action, and is signed', () =>
    inCommandFolder(({ write, run }) => {
      const uid = '6b1f0d0e-7f43-4c1b-9a55-0d1c2f3e4a5b'
      const inventory = (cluster: string, clusterUid: string) =>
        writeYaml({
          apiVersion: 'nodefit.dev/v1alpha1',
          kind: 'NodeInventory',
          metadata: { name: cluster },
          spec: { cluster, clusterUid },
        })
      run('sign', '--new-key', 'key', '--key-id', 'k')
      write('action.yaml', ACTION)
      write('inventory.yaml', inventory('prod-eu1', uid))
      write('other.yaml', inventory('prod-us1', uid.replace('6', '7')))
      const signed = run('sign', 'action.yaml', 'other.yaml', 'inventory.yaml', '--key', 'key', '--key-id', 'k')
      assert.is(signed.status, 0, signed.stderr)
      assert.match(signed.stdout, `clusterUid: ${uid}\n`)
      assert.not.match(signed.stdout, 'NodeInventory')
      write('twice.yaml', inventory('prod-eu1', uid.replace('6', '8')))
      const twice = run('sign', 'action.yaml', 'twice.yaml', 'inventory.yaml', '--key', 'key', '--key-id', 'k')
      assert.is(twice.status, 1)
      assert.match(twice.stderr, /cluster prod-eu1 has different clusterUids/)
    }))
  test('a key comes from stdin or the environment as well, and a keyring from the environment', () =>
    inCommandFolder(({ write, run, withInput }) => {
      run('sign', '--new-key', 'key', '--key-id', 'k', '--alg', 'HMAC-SHA256')
      write('action.yaml', ACTION)
      const secret = Buffer.from('a secret of more than 32 bytes, all of it text').toString('base64')
      const signed = withInput(secret, {}, 'sign', 'action.yaml', '--key', '-', '--key-id', 'k')
      assert.is(signed.status, 0, signed.stderr)
      write('signed.yaml', signed.stdout)
      const keyring = KEYRING(`- { keyId: k, alg: HMAC-SHA256, secret: "${secret}" }\n`)
      const verified = withInput('', { KEYS: keyring }, 'verify', 'signed.yaml', '--keyring', 'env:KEYS')
      assert.is(verified.status, 0, verified.stdout + verified.stderr)
    }))
  for (const command of ['build', 'vet', 'diff', 'explain'])
    test(`${command} verifies with the keyring that it is given, and not without`, () =>
      inCommandFolder(({ write, run }) => {
        // the clock of the machine counts, and the time of the snapshot
        const time = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
        const window = { issuedAt: time(-10), expiresAt: time(50) }
        const cordon = signedAction({ id: 'act-0001', type: 'cordonNode', ...window }, 'k1')
        const objects = [actionPolicy(), nodesAt(time(-1)), cordon]
        write('package.yaml', objects.map((object) => writeYaml(object)).join('---\n'))
        const secret = String(VECTOR_KEYS.k1?.key)
        write('keys.yaml', KEYRING(`- { keyId: k1, alg: HMAC-SHA256, secret: "${secret}" }\n`))
        const asked = command === 'explain' ? ['--action', 'act-0001'] : []
        const made = run(command, 'package.yaml', ...asked, '--keyring', 'keys.yaml')
        assert.is(made.status, 0, made.stderr)
        assert.not(`${made.stdout}${made.stderr}`.includes(secret))
        // the document of the node, and the record
        if (command === 'vet') assert.match(made.stdout, /nodefit: ok: 2 objects of 1 policy\n$/)
        const without = run(command, 'package.yaml', ...asked)
        assert.is(without.status, 1)
        assert.match(`${without.stdout}${without.stderr}`, /NoKey/)
      }))
  const refused: ReadonlyArray<readonly [name: string, args: readonly string[], words: RegExp]> = [
    ['a key that is there already', ['sign', '--new-key', 'action.yaml', '--key-id', 'k'], /is never overwritten/],
    ['no key', ['sign', 'action.yaml', '--key-id', 'k'], /--key is missing/],
    ['an id that no keyring takes', ['sign', '--new-key', 'new', '--key-id', '__proto__'], /not a name of at most 63/],
    ['no id of the key', ['sign', 'action.yaml', '--key', 'action.yaml'], /--key-id is missing/],
    ['a key that is none', ['sign', 'action.yaml', '--key', 'action.yaml', '--key-id', 'k'], /neither PEM nor/],
    ['a variable that is not set', ['sign', 'action.yaml', '--key', 'env:NONE', '--key-id', 'k'], /no NONE/],
    ['a file without an action', ['sign', 'keys.yaml', '--key', 'secret', '--key-id', 'k'], /has no NodeAction/],
    [
      'a time that is none',
      ['sign', 'action.yaml', '--key', 'secret', '--key-id', 'k', '--valid', '1d'],
      /no.* duration/,
    ],
    [
      'a time of nothing',
      ['sign', 'action.yaml', '--key', 'secret', '--key-id', 'k', '--valid=0s'],
      /0s is not a duration above 0/,
    ],
    [
      'equal sequences on one target',
      ['sign', 'two.yaml', '--key', 'secret', '--key-id', 'k'],
      /the same target and sequence 5/,
    ],
    ['no keyring', ['verify', 'action.yaml'], /--keyring is missing/],
  ]
  for (const [name, args, words] of refused)
    test(`${name} is refused`, () =>
      inCommandFolder(({ write, run }) => {
        const numbered = ACTION.replace('{ id: act-1', '{ id: act-1, sequence: 5')
        write('action.yaml', ACTION)
        const other = numbered.replaceAll('act-1', 'act-2').replace('cordon-2', 'other')
        write(
          'two.yaml',
          `${numbered}---\n${other.replace('kind: Node, name: small-000002', 'name: small-000002, kind: Node')}`,
        )
        write('secret', Buffer.alloc(32, 7).toString('base64'))
        write('keys.yaml', KEYRING('- { keyId: k, alg: HMAC-SHA256, secretFile: secret }\n'))
        const { status, stderr, stdout } = run(...args)
        assert.is(status, args[0] === 'verify' ? 2 : 1)
        assert.match(stderr, words)
        assert.is(stdout, '')
      }))
  const nonsense: Record<string, readonly [more: string, words: RegExp]> = {
    'an issuedAt that is no time': ['issuedAt: yesterday', /spec\.issuedAt is "yesterday", not an RFC 3339 time/],
    'an expiresAt that is no time': ['expiresAt: tomorrow', /spec\.expiresAt is "tomorrow"/],
    'an end before its beginning': ['expiresAt: 2020-01-01T00:00:00Z', /before it is valid/],
    'an end before notBefore': [
      'notBefore: 2099-01-02T00:00:00Z, expiresAt: 2099-01-02T00:00:00Z',
      /expiresAt is 2099-01-02T00:00:00Z, before it is valid/,
    ],
    'an unknown parameter': ['parameters: { force: true }', /spec\.parameters\.force is not a parameter of cordonNode/],
    'a number that is none': ['reason: 1', /spec\.reason must be string/],
    'a drain that its end cuts short': [
      'parameters: { timeoutSeconds: 3601 }',
      /cordon-2 drains for up to 3601 s \(timeoutSeconds\), and expires after 3600 s: give a later expiresAt \(--valid\)/,
    ],
  }
  for (const [name, [more, words]] of Object.entries(nonsense))
    test(`an action with ${name} is not signed, since every run would refuse it`, () =>
      inCommandFolder(({ write, run }) => {
        write('secret', Buffer.alloc(32, 7).toString('base64'))
        const type = more.includes('timeoutSeconds') ? 'drainNode' : 'cordonNode'
        write('action.yaml', ACTION.replace(' } }\n', ` }, ${more} }\n`).replace('cordonNode', type))
        const { status, stderr, stdout } = run('sign', 'action.yaml', '--key', 'secret', '--key-id', 'k')
        assert.is(status, 1)
        assert.match(stderr, words)
        assert.is(stdout, '')
      }))
  test('two actions of one id are not signed', () =>
    inCommandFolder(({ write, run }) => {
      write('secret', Buffer.alloc(32, 7).toString('base64'))
      write('two.yaml', `${ACTION}---\n${ACTION.replace('cordon-2', 'again')}`)
      const { status, stderr } = run('sign', 'two.yaml', '--key', 'secret', '--key-id', 'k')
      assert.is(status, 1)
      assert.match(stderr, /again and cordon-2 have the same id act-1/)
    }))
  test('an issuedAt of its own is the beginning of its time', () =>
    inCommandFolder(({ write, run }) => {
      write('secret', Buffer.alloc(32, 7).toString('base64'))
      write('action.yaml', ACTION.replace(' } }\n', ' }, issuedAt: 2026-01-15T10:00:00Z }\n'))
      const { stdout } = run('sign', 'action.yaml', '--key', 'secret', '--key-id', 'k', '--valid', '30m')
      assert.match(stdout, /expiresAt: "?2026-01-15T10:30:00/)
    }))
  test('what a render refuses whatever its policy, verify refuses too', () =>
    inCommandFolder(({ write, run }) => {
      const secret = String(VECTOR_KEYS.k1?.key)
      write('keys.yaml', KEYRING(`- { keyId: k1, alg: HMAC-SHA256, secret: "${secret}" }\n`))
      const verify = (text: string) => {
        write('action.yaml', text)
        return run('verify', 'action.yaml', '--keyring', 'keys.yaml', '--now', '2026-01-15T10:00:00Z')
      }
      const whole = writeYaml(vectorAction('V1'))
      assert.is(verify(whole).status, 0)
      const anchored = verify(whole.replace('cluster: prod-eu1', 'cluster: &c prod-eu1'))
      assert.is(anchored.status, 1)
      assert.match(anchored.stdout, /refused, InvalidField: .*anchors/)
      const typed = signedAction({ id: 'typed', type: 'cordonNode', parameters: { force: true } }, 'k1')
      const wrong = verify(writeYaml(typed))
      assert.is(wrong.status, 1)
      assert.match(wrong.stdout, /^typed cordonNode .*refused, UnknownField/)
      const ended = signedAction(
        { id: 'e', type: 'cordonNode', expiresAt: '2026-01-15T09:56:00Z', parameters: { force: true } },
        'k1',
      )
      assert.is(verify(writeYaml(ended)).status, 0, 'what has expired is no error')
    }))
})
