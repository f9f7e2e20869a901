/** Credentials in what is rendered: found under names, in URLs and headers, and never printed. */
import * as assert from 'uvu/assert'
import { secretLines, secretPaths } from '../../src/core/object/index.ts'
import { messageOf } from '../../src/face/explain.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const VARIABLES: Array<[name: string, value: string, isSecret: boolean]> = [
  ['HTTPS_PROXY', 'http://user:hunter2@proxy:3128', true],
  ['HTTPS_PROXY', 'http://user@proxy:3128', true],
  ['HTTPS_PROXY', 'http://proxy:3128', false],
  ['HTTPS_PROXY', 'http://user:$(PASSWORD)@proxy:3128', false],
  ['HTTPS_PROXY', 'http://$(USER):$(PASSWORD)@proxy:3128', false],
  ['URL', 'https://host/path?mail=a@b', false],
  ['URL', 'https://host?mail=a@b', false],
  ['HEADERS', 'x-a=1,Authorization=Bearer eyJhbGciOi.x.y', true],
  ['HEADERS', 'Authorization: Basic dXNlcjpodW50ZXIy', true],
  ['HEADERS', 'Authorization: Bearer $(TOKEN)', false],
  ['ABOUT', 'uses bearer authentication', false],
  ['AUTHORIZATION', 'Bearer $(TOKEN)', false],
  ['SYSLOG_PASSWORD', 'hunter2', true],
  ['apiToken', 'hunter2', true],
  ['DD_API_KEY', 'hunter2', true],
  ['NEW_RELIC_LICENSE_KEY', 'hunter2', true],
  ['TOKEN_FILE', 'hunter2', false],
  ['SERVICE_TOKEN', '/var/run/token', false],
  ['SERVICE_TOKEN', '', false],
  ['USE_TOKEN', 'true', false],
  ['SERVICE_TOKEN', '$(OTHER)', false],
  ['SECRET_NAME', 'cloud-secret', false],
  ['TOKENS_PER_SECOND', '5', false],
]

const agent = (pod: object, metadata: object = {}) => daemonSet({ containers: [{ name: 'agent', ...pod }] }, metadata)

suite('credentials in the output', (test) => {
  for (const [name, value, isSecret] of VARIABLES)
    test(`${name}=${value}: ${isSecret ? 'is one' : 'is none'}`, () => {
      const paths = secretPaths(
        agent({
          env: [
            { name: 'A', value: '1' },
            { name, value },
          ],
        }),
      )
      assert.equal(paths, isSecret ? [`spec.template.spec.containers[agent].env[${name}].value`] : [])
    })
  test('what objects share is searched once at each place, and again as the value of another variable', () => {
    const list = ['hunter2']
    const searched = new Map<object, string>()
    const paths = (spec: object) => secretPaths({ ...agent({}), spec }, searched)
    assert.equal(paths({ a: { name: 'A', value: list }, b: { token: list } }), ['spec.b.token[0]'])
    assert.equal(paths({ a: { name: 'TOKEN', value: list }, b: { token: list } }), ['spec.a.value[0]'])
    assert.equal(paths({ c: { token: list } }), ['spec.c.token[0]'])
  })
  test('references to Secrets, mounts and checksums are none', () => {
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'a', key: 'password' } } }]
    const object = agent(
      { env, envFrom: [{ secretRef: { name: 'token' } }] },
      { annotations: { 'checksum/secret': 'ab12' } },
    )
    const volumes = [
      { name: 'secret', secret: { secretName: 'token' } },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
    ]
    const spec = { ...(object.spec as object), volumes, imagePullSecrets: [{ name: 'password' }] }
    assert.equal(secretPaths({ ...object, spec }), [])
  })
  const TEXTS: Array<[name: string, text: string, want: string[]]> = [
    ['YAML', 'a: 1\nredis:\n  password: hunter2\n', ['data.f line 3']],
    ['quoted', '"apiToken": "hunter2",\n', ['data.f line 1']],
    ['an INI file', '[out]\nhttp_passwd = hunter2\n', ['data.f line 2']],
    ['Fluent Bit', '[OUTPUT]\n    HTTP_Passwd hunter2\n    HTTP_User me\n', ['data.f line 2']],
    ['a URL', 'proxy: http://user:hunter2@proxy:3128\n', ['data.f line 1']],
    ['a header', 'headers: [Authorization=Bearer hunter2hunter2]\n', ['data.f line 1']],
    ['JSON on one line', '{"a":{"password":"hunter2","token":""}}', ['data.f.a.password']],
    ['references', 'password: ${PASSWORD}\ntoken: $(TOKEN)\napi_key: {{ .Key }}\nsecret_key: $KEY\n', []],
    ['paths, booleans, nothing', 'token: /var/run/token\npassword: false\napi_key:\npassword: ""\n', []],
    ['names of Secrets', 'secret: cloud-secret\npassword_file: x\ntokenRef: x\n', []],
    ['comments and prose', '# password: hunter2\nthe token expires soon\nuses bearer authentication\n', []],
    ['examples in comments', '# http://user:hunter2@proxy\n  ; Authorization: hunter2\n//http://u:hunter2@h\n', []],
    ['behind a value no comment', 'proxy: http://user:hunter2@proxy # ours\n', ['data.f line 1']],
    ['the user of ssh', 'url: ssh://git@host/repo\n', []],
    ['a counter', 'max_token: 4096\n', []],
  ]
  for (const [name, f, want] of TEXTS)
    test(`in a ConfigMap: ${name}`, () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { f } }
      assert.equal(secretLines(object), want)
      const nodes = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
      const { findings } = plan(listOf([nodes, policy(), agent({}), object]))
      const found = findings.filter(({ code }) => code === 'SecretInOutput')
      assert.equal(
        found.map(({ field }) => field?.path),
        want.slice(0, 1),
      )
      assert.not.match(JSON.stringify(found.map((one) => [one.message, one.sentence, one.field])), 'hunter2')
    })
  test('arguments and annotations hold them too', () => {
    const args = ['--api-token=hunter2', '--password=$(PASSWORD)', '--token-file=/t', '--v=2']
    assert.equal(secretPaths(agent({ args }, { annotations: { 'example.com/password': 'hunter2' } })), [
      'metadata.annotations.example.com/password',
      'spec.template.spec.containers[agent].args[0]',
    ])
  })
  test('a run warns once for a policy, with object and path and without the value', () => {
    const nodes = inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'm5.xlarge' }, ['b'])])
    const target = agent({ env: [{ name: 'DB_PASSWORD', value: 'hunter2' }] })
    const { findings, failed } = plan(listOf([nodes, policy(), target]))
    const found = findings.filter(({ code }) => code === 'SecretInOutput')
    assert.equal([found.length, failed], [1, false])
    const [one] = found
    assert.ok(one)
    assert.is(one.field?.path, 'spec.template.spec.containers[agent].env[DB_PASSWORD].value')
    assert.match(messageOf(one), 'containers[agent].env[DB_PASSWORD].value')
    assert.match(messageOf(one), 'secretKeyRef')
    assert.not.match(JSON.stringify([messageOf(one), one.sentence, one.field]), 'hunter2')
  })
})
