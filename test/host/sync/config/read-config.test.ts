/** What a SyncConfig says, and every sentence about one that cannot be. */

import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { SYNC_CONFIG_DEFAULTS } from '../../../../src/host/sync/config/generated/fields.ts'
import { readSyncConfig } from '../../../../src/host/sync/config/read-config.ts'
import { suite } from '../../../support/suite.ts'
import { syncConfig, syncConfigText } from '../../../support/sync-config.ts'

const github = { url: 'https://github.com/acme/fleet', pushVia: 'github' }

const WRONG: Array<[name: string, spec: Record<string, unknown>, path: string, words: string]> = [
  ['a misspelt field', { qietWindow: '5s' }, 'spec.qietWindow', 'did you mean quietWindow?'],
  ['a misspelt field of git', { git: { brunch: 'x' } }, 'spec.git.brunch', 'did you mean branch?'],
  [
    'a name that is not collected',
    { collect: ['node'] },
    'spec.collect.0',
    'nodes, pods, pending, usage, events, tickets, claims, pools, machines',
  ],
  ['nothing collected', { collect: [] }, 'spec.collect', 'must NOT have fewer than 1 items'],
  ['one twice', { collect: ['pods', 'pods'] }, 'spec.collect', 'must NOT have duplicate items'],
  ['another mode', { mode: 'both' }, 'spec.mode', 'inventory, rendered'],
  ['no cluster', { cluster: undefined }, 'spec.cluster', 'is missing: write the name'],
  ['a cluster that no label holds', { cluster: 'a/b' }, 'spec.cluster', 'must be a valid label value: at most 63'],
  ['no folder', { git: { folder: undefined } }, 'spec.git.folder', 'is missing'],
  ['a duration without a unit', { quietWindow: '5' }, 'spec.quietWindow', 'is not a duration: write'],
  ['a limit that is no quantity', { limits: { file: 'much' } }, 'spec.limits.file', 'is invalid: '],
  ['a limit of nothing', { limits: { packages: '0' } }, 'spec.limits.packages', 'must be above 0'],
  [
    'a token as the user name',
    { git: { url: 'https://ghp_abcdefghijklmnop@github.com/a/b.git', folder: 'x' } },
    'spec.git.url',
    'contains a token as the user name',
  ],
  [
    'a long user name',
    { git: { url: `https://${'a1'.repeat(20)}@git.example.com/a/b.git`, folder: 'x' } },
    'spec.git.url',
    'contains a token as the user name',
  ],
  ['a duration of a day', { retainShapes: '14d' }, 'spec.retainShapes', 'is not a duration: write'],
  ['a duration below zero', { readyDebounce: '-1s' }, 'spec.readyDebounce', 'must not be negative: -1s'],
  ['pushes too often', { minPushInterval: '9999ms' }, 'spec.minPushInterval', 'must be at least 10s'],
  ['evaluations too often', { reconcileInterval: '9s' }, 'spec.reconcileInterval', 'must be at least 10s'],
  ['lists too often', { relistInterval: '59s' }, 'spec.relistInterval', 'must be at least 1m'],
  ['an age of no time', { maxAge: '0s' }, 'spec.maxAge', 'must be at least 1m'],
  ['ready within no time', { health: { readyWithin: '1s' } }, 'spec.health.readyWithin', 'must be at least 1m'],
  ['no time for git', { git: { timeout: '0s' } }, 'spec.git.timeout', 'must be at least 1s'],
  ['windows the wrong way round', { quietWindow: '1m' }, 'spec.maxWindow', 'must be at least quietWindow'],
  ['pages too small', { pageSize: 9 }, 'spec.pageSize', '>= 10'],
  ['pages too large', { pageSize: 5001 }, 'spec.pageSize', '<= 5000'],
  [
    'a keyring beside a trust',
    { actions: { trust: 'trust.yaml', keyring: 'keyring.yaml' } },
    'spec.actions.keyring',
    'excludes actions.trust',
  ],
  ['uids of counts', { inventory: { uid: true, counts: true } }, 'spec.inventory.counts', 'excludes inventory.uid'],
  [
    'counts with pods',
    { collect: ['pods'], inventory: { counts: true } },
    'spec.inventory.counts',
    'requires collect: [nodes]',
  ],
  ['rendered to nowhere', { mode: 'rendered' }, 'spec.output', 'is missing'],
  ['the folder in the output', { output: 'clusters/prod-eu' }, 'spec.output', 'must not contain git.folder: rendering'],
  [
    'an output that is the folder',
    { output: 'clusters/prod-eu/nodes/' },
    'spec.output',
    'must not contain git.folder: rendering',
  ],
  ['a folder outside', { git: { folder: '../x' } }, 'spec.git.folder', 'must be a path within the repository: without'],
  [
    'a folder from the root of the machine',
    { git: { folder: '/x' } },
    'spec.git.folder',
    'must be a path within the repository: without',
  ],
  [
    'the whole repository',
    { git: { folder: '.' } },
    'spec.git.folder',
    'must be a path within the repository: without',
  ],
  ['no name of a folder', { git: { folder: '' } }, 'spec.git.folder', 'must be a path within the repository: without'],
  [
    'what git keeps',
    { git: { folder: 'a/.GIT/hooks' } },
    'spec.git.folder',
    'must be a path within the repository: without',
  ],
  [
    'a path of Windows',
    { git: { folder: 'a\\b' } },
    'spec.git.folder',
    'must be a path within the repository: without',
  ],
  [
    'a package outside',
    { packages: ['a', 'b/../..'] },
    'spec.packages.1',
    'must be a path within the repository: without',
  ],
  [
    'a remote that runs a program',
    { git: { url: 'ext::sh -c id' } },
    'spec.git.url',
    'must be the URL of a repository: https',
  ],
  [
    'a remote that is an option',
    { git: { url: '--upload-pack=id' } },
    'spec.git.url',
    'must be the URL of a repository: https',
  ],
  [
    'a remote that asks nobody',
    { git: { url: 'git://example.com/a' } },
    'spec.git.url',
    'must be the URL of a repository: https',
  ],
  [
    'a password',
    { git: { url: 'https://me:s3cret@example.com/a' } },
    'spec.git.url',
    'contains a password: move it to the Secret',
  ],
  [
    'a branch that is an option',
    { git: { branch: '-d' } },
    'spec.git.branch',
    'must be a valid branch name, as git check-ref-format',
  ],
  [
    'a branch with a blank',
    { git: { branch: 'a b' } },
    'spec.git.branch',
    'must be a valid branch name, as git check-ref-format',
  ],
  [
    'a branch that is a lock',
    { git: { branch: 'a.lock' } },
    'spec.git.branch',
    'must be a valid branch name, as git check-ref-format',
  ],
  [
    'no name of a branch',
    { git: { branch: '' } },
    'spec.git.branch',
    'must be a valid branch name, as git check-ref-format',
  ],
  [
    'a prefix of no branch',
    { review: { prefix: 'a..b' } },
    'spec.review.prefix',
    'must be a valid beginning of a branch name',
  ],
  [
    'an author that ends the header',
    { git: { author: { name: 'a <b>' }, committer: { name: 'c' } } },
    'spec.git.author.name',
    'line break, < or >',
  ],
  [
    'a committer without address',
    { git: { committer: { email: ' ' } } },
    'spec.git.committer.email',
    'must not be empty',
  ],
  ['an option of two lines', { git: { pushOptions: ['a\nb'] } }, 'spec.git.pushOptions', 'line break'],
  ['a misspelt placeholder', { git: { messageTemplate: '{{sumary}}' } }, 'spec.git.messageTemplate', '{{summary}}'],
  ['github by ssh', { git: { pushVia: 'github' } }, 'spec.git.pushVia', 'only if git.url is an https URL'],
  [
    'signing beside github',
    { git: { ...github, signing: { key: '/k' } } },
    'spec.git.signing',
    'since GitHub signs the commits of its API: remove one',
  ],
  [
    'options beside github',
    { git: { ...github, pushOptions: ['a'] } },
    'spec.git.pushOptions',
    'has no push options: remove one',
  ],
  ['a signature without key', { git: { signing: {} } }, 'spec.git.signing.key', 'is missing'],
  ['another signature', { git: { signing: { format: 'gpg', key: '/k' } } }, 'spec.git.signing.format', 'ssh'],
  [
    'a Lease of no name',
    { leaderElection: { name: 'A_b' } },
    'spec.leaderElection.name',
    'must be a valid name of a Lease',
  ],
  [
    'a namespace of two',
    { leaderElection: { namespace: 'a.b' } },
    'spec.leaderElection.namespace',
    'must be a valid namespace',
  ],
  [
    'an address without port',
    { health: { address: 'localhost' } },
    'spec.health.address',
    'must be an address with a port, such as :8080',
  ],
  [
    'a port beyond all',
    { health: { address: ':65536' } },
    'spec.health.address',
    'must be an address with a port, such as :8080',
  ],
  ['a webhook without port', { hook: { address: 'localhost' } }, 'spec.hook.address', 'must be an address with a port'],
  ['a webhook where metrics are', { hook: { address: ':8080' } }, 'spec.hook.address', 'must have another port than'],
  ['a webhook with a secret in it', { hook: { token: 'x' } }, 'spec.hook.token', 'is not a field'],
]

const NO_CONFIG: Array<[name: string, text: string, words: string]> = [
  ['nothing', '', 'it is empty'],
  ['no YAML', 'a: [', 'sync.yaml cannot be read as YAML'],
  ['the same field twice', 'kind: SyncConfig\nkind: SyncConfig\n', 'duplicate'],
  ['a list', '- a\n', 'write a SyncConfig'],
  ['another kind', syncConfigText().replace('SyncConfig', 'RenderConfig'), 'kind must be equal to one of'],
  ['another version', syncConfigText().replace('v1alpha1', 'v1'), 'apiVersion must be equal to one of'],
  ['too much', `#${'x'.repeat(1 << 20)}`, 'is larger than 1 MiB: shorten it'],
]

suite('an unknown field', (test) => {
  test('hides no other mistake', () => {
    const text = syncConfigText({ quitWindow: '1s', maxWindow: '1s', git: { url: 'nowhere', folder: 'a' } })
    const { value, findings } = readSyncConfig(text, 'sync.yaml')
    assert.is(value, undefined)
    assert.equal(
      findings.map(({ code, field }) => `${code} ${field?.path}`),
      ['UnknownField spec.quitWindow', 'InvalidField spec.maxWindow', 'InvalidField spec.git.url'],
    )
  })
})

suite('a SyncConfig that cannot be', (test) => {
  for (const [name, spec, path, words] of WRONG)
    test(name, () => {
      const { value, findings } = readSyncConfig(syncConfigText(spec), 'sync.yaml')
      assert.is(value, undefined)
      assert.equal(
        findings.map(({ field }) => field?.path),
        [path],
      )
      assert.ok(findings[0]?.message.includes(words), findings[0]?.message)
      assert.ok(findings[0]?.message.startsWith(`SyncConfig sync: ${path} `), findings[0]?.message)
    })
  for (const [name, text, words] of NO_CONFIG)
    test(name, () => {
      const { value, findings } = readSyncConfig(text, 'sync.yaml')
      assert.is(value, undefined)
      assert.ok(findings[0]?.message.includes(words), findings[0]?.message)
    })
  test('everything that is wrong is said at once', () => {
    const { findings } = readSyncConfig(syncConfigText({ quietWindow: 'soon', mode: 'rendered', pageSize: 10 }), 'x')
    assert.equal(
      findings.map(({ field }) => field?.path),
      ['spec.quietWindow', 'spec.output'],
    )
  })
  test('no sentence shows a password', () => {
    const { findings } = readSyncConfig(syncConfigText({ git: { url: 'https://me:s3cret@example.com/a' } }), 'x')
    assert.not.match(JSON.stringify(findings.map(({ message, sentence }) => [message, sentence])), 's3cret')
  })
})

suite('a SyncConfig', (test) => {
  test('means the same with its defaults written out', () => {
    const { review: _, hook: ___, git, ...rest } = SYNC_CONFIG_DEFAULTS
    const { signing: __, ...bare } = git
    assert.equal(syncConfig({ ...rest, git: bare }), syncConfig())
  })
  test('has the windows that the goals are measured with', () => {
    const { quietWindow, maxWindow, minPushInterval, reconcileInterval, readyDebounce, retainShapes } = syncConfig()
    assert.equal(
      [quietWindow, maxWindow, minPushInterval, reconcileInterval, readyDebounce, retainShapes],
      [15_000, 45_000, 30_000, 300_000, 120_000, 14 * 24 * 3_600_000],
    )
    assert.is(syncConfig().maxAge, undefined)
  })
  test('collects the nodes in any case', () => {
    assert.equal(syncConfig({ collect: ['pods', 'nodes'] }).collect, ['nodes', 'pods'])
    assert.equal(syncConfig({ collect: ['usage'] }).collect, ['nodes', 'usage'])
  })
  test('has the author as committer, name and address each', () => {
    const { author, committer } = syncConfig({ git: { author: { name: 'A' }, committer: { email: 'c@d' } } }).git
    assert.equal(
      [author, committer],
      [
        { name: 'A', email: 'sync@nodefit.dev' },
        { name: 'A', email: 'c@d' },
      ],
    )
  })
  test('fills in review and signing only where they are present', () => {
    assert.is(syncConfig().review, undefined)
    assert.is(syncConfig().git.signing, undefined)
    assert.equal(syncConfig({ review: {} }).review, { prefix: 'nodefit/', pushOptions: [] })
    assert.equal(syncConfig({ git: { signing: { key: '/k' } } }).git.signing, { format: 'ssh', key: '/k' })
  })
  test('may render into a folder of its own folder', () => {
    const output = 'clusters/prod-eu/nodes/rendered'
    assert.is(syncConfig({ mode: 'rendered', output }).output, output)
  })
  test('has paths without ornaments', () => {
    const config = syncConfig({ packages: ['./a/', '.'], output: 'o/', git: { folder: './b' } })
    assert.equal([config.packages, config.output, config.git.folder], [['a', '.'], 'o', 'b'])
  })
  for (const [address, host, port] of [
    [':8080', undefined, 8080],
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['[::1]:65535', '::1', 65535],
  ] as const)
    test(`is served at ${address}`, () => {
      const { health } = syncConfig({ health: { address } })
      assert.equal([health.host, health.port], [host, port])
    })
  test('accepts no webhook unless it is said, and then at a port of its own', () => {
    assert.is(syncConfig().hook, undefined)
    assert.equal(syncConfig({ hook: {} }).hook, { port: 8081, secret: '/etc/nodefit/hook' })
    const hook = { address: '127.0.0.1:0', secret: '/s' }
    assert.equal(syncConfig({ hook, health: { address: ':0' } }).hook, { host: '127.0.0.1', port: 0, secret: '/s' })
  })
  for (const url of [
    'https://github.com/acme/fleet.git',
    'https://acme@dev.azure.com/acme/p/_git/fleet',
    'http://gitea.tools.svc:3000/a/b',
    'git@github.com:acme/fleet.git',
    'ssh://git@[fd00::1]:2222/a',
    'file:///srv/git/fleet.git',
  ])
    test(`takes ${url}`, () => assert.is(syncConfig({ git: { url } }).git.url, url))
  test('takes every placeholder that the schema names', () => {
    const schema = readFileSync(new URL('../../../../fn-config/sync-config.schema.json', import.meta.url), 'utf8')
    const said = JSON.parse(schema).properties.spec.properties.git.properties.messageTemplate.description
    const messageTemplate = [...said.matchAll(/\{\{\w+\}\}/g)].join(' ')
    assert.match(messageTemplate, '{{summary}} {{changes}}')
    assert.is(syncConfig({ git: { messageTemplate } }).git.messageTemplate, messageTemplate)
  })
  test('is what the schema shows: every field has a title and says what it means', () => {
    const schema = readFileSync(new URL('../../../../fn-config/sync-config.schema.json', import.meta.url), 'utf8')
    type Node = { title?: string; description?: string; properties?: Record<string, Node> }
    const fields = (node: Node): string[] =>
      Object.entries(node.properties ?? {}).flatMap(([name, field]) => [
        ...(field.title && field.description?.endsWith('.') ? [] : [name]),
        ...fields(field),
      ])
    assert.equal(fields(JSON.parse(schema)), [])
  })
})
