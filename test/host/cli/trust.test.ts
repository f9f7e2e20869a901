/** The trust that a command is given: a file or a variable, for one cluster, and what it refuses of a package. */
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ROOT } from '../../../e2e/support/hosts.ts'
import { givenTrust } from '../../../src/host/files/trust.ts'
import { writeYaml } from '../../../src/krm/write-yaml.ts'
import { actionPolicy, nodesAt } from '../../support/action-package.ts'
import { PUBLIC_KEY, signedAction } from '../../support/actions.ts'
import { inCommandFolder } from '../../support/command-folder.ts'
import { suite } from '../../support/suite.ts'

const spec = (more = '') =>
  `apiVersion: nodefit.dev/v1alpha1\nkind: ActionTrust\nspec:\n  cluster: prod-eu1\n  keys: [{ keyId: e1, alg: Ed25519, public: ${PUBLIC_KEY} }]\n${more}`
const IMAGES = `  images: [sha256:${'a'.repeat(64)}, sha256:${'b'.repeat(64)}]\n`
const time = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const WINDOW = { issuedAt: time(-10), expiresAt: time(50) }

suite('a trust', (test) => {
  test('has the defaults of its schema, and is known by its digest', () => {
    const trust = givenTrust({ trust: 'env:T' }, { T: spec() }, undefined)
    assert.ok(trust)
    const { digest, keys, ...limits } = trust
    assert.match(digest, /^[0-9a-f]{12}$/)
    assert.equal(Object.keys(keys), ['e1'])
    assert.equal(limits, {
      ...{ cluster: 'prod-eu1', byClock: true, requireSignature: true, maxLifetime: 86_400_000, maxReplicas: 50 },
      ...{ maxConcurrent: 1, allowControlPlane: false, allowLabels: [], maxClockSkew: 60_000, pools: true },
      ...{ namespace: 'nodefit-actions', images: [] },
    })
    const other = givenTrust({ trust: 'env:T' }, { T: spec('  maxReplicas: 5\n') }, undefined)
    assert.is.not(other?.digest, digest)
  })
  test('of the machine is used where it exists, and nothing else beside it', () => {
    const standing = join(ROOT, 'testdata/pages/action-trust.yaml')
    assert.is(givenTrust({}, {}, standing)?.cluster, 'prod-eu1')
    assert.is(givenTrust({}, {}, join(ROOT, 'none.yaml')), undefined)
    for (const given of [{ keyring: 'env:K' }, { trust: 'env:T' }])
      assert.throws(() => givenTrust(given, { T: spec(), K: '' }, standing), /both say who is trusted: leave one out/)
    assert.throws(() => givenTrust({ trust: 'env:T', keyring: 'env:K' }, {}, undefined), /leave one out/)
  })
  const WRONG: Record<string, readonly [text: string, said: RegExp]> = {
    'a field that is none': [spec('  allowEverything: true\n'), /spec.allowEverything is not a field/],
    'no cluster': [spec().replace('  cluster: prod-eu1\n', ''), /cluster/],
    'an image without a digest': [spec('  images: [kubectl:1.34]\n'), /images/],
    'a retired key that is none': [spec('  retired: [k9]\n'), /spec.retired has k9, which is none of spec.keys/],
    'a duration that is none': [spec('  maxClockSkew: soon\n'), /spec.maxClockSkew is "soon", not a duration/],
    'another kind': [spec().replace('ActionTrust', 'ActionKeyring'), /kind/],
    'a key twice': [
      spec().replace('keys: [', `keys: [{ keyId: e1, alg: Ed25519, public: ${PUBLIC_KEY} }, `),
      /key e1 is there twice/,
    ],
  }
  for (const [name, [text, said]] of Object.entries(WRONG))
    test(`with ${name} is refused`, () =>
      assert.throws(() => givenTrust({ trust: 'env:T' }, { T: text }, undefined), said))
  for (const command of ['build', 'vet', 'diff', 'explain', 'report'])
    test(`${command} asks it, and names what a package allows beyond it`, () =>
      inCommandFolder(({ write, run }) => {
        const { publicKey } = generateKeyPairSync('ed25519')
        const own = `apiVersion: nodefit.dev/v1alpha1\nkind: ActionKeyring\nmetadata: { name: keys }\nkeys: [{ keyId: e1, alg: Ed25519, public: ${publicKey.export({ format: 'jwk' }).x} }]\n`
        const cordon = signedAction({ id: 'act-0001', type: 'cordonNode', ...WINDOW })
        const files = (policy: object) => [actionPolicy(policy), nodesAt(time(-1)), cordon].map((one) => writeYaml(one))
        write('package.yaml', [...files({}), own].join('---\n'))
        write('trust.yaml', spec(IMAGES))
        const made = run(command, 'package.yaml', '--trust', 'trust.yaml')
        assert.is(made.status, 0, made.stdout + made.stderr)
        write('package.yaml', files({ allowControlPlane: true }).join('---\n'))
        const refused = run(command, 'package.yaml', '--trust', 'trust.yaml')
        assert.is(refused.status, 1)
        assert.match(`${refused.stdout}${refused.stderr}`, /PolicyBeyondTrust/)
        write('other.yaml', spec(IMAGES).replace('prod-eu1', 'prod-us1'))
        assert.match(run('build', 'package.yaml', '--trust', 'other.yaml').stderr, /TrustOfOtherCluster/)
      }))
  test('verify asks it for cluster, lifetime and retired keys', () =>
    inCommandFolder(({ write, run }) => {
      write('a.yaml', writeYaml(signedAction({ id: 'act-0001', type: 'cordonNode', ...WINDOW })))
      const verify = (more: string, change = (text: string) => text) => {
        write('trust.yaml', change(spec(more)))
        return run('verify', 'a.yaml', '--trust', 'trust.yaml')
      }
      assert.is(verify('').status, 0)
      assert.match(verify('  maxLifetime: 30m\n').stdout, /LifetimeTooLong/)
      assert.match(verify('  types: [drainNode]\n').stdout, /ActionTypeForbidden: act-0001: spec.type is cordonNode/)
      assert.match(verify('  retired: [e1]\n').stdout, /KeyExpired: act-0001: key e1 is retired/)
      assert.match(verify('', (text) => text.replace('prod-eu1', 'prod-us1')).stdout, /ActionOfOtherCluster/)
    }))
})
