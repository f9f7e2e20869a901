/** A ConfigMap is anybody's: YAML that nodefit refuses stops a run only where something asks what the ConfigMap holds. */
import * as assert from 'uvu/assert'
import { isLookedAt } from '../../../../src/host/files/objects-in.ts'
import { KrmError, readResourceList, writeResourceList } from '../../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { writeYaml } from '../../../../src/krm/write-yaml.ts'
import { plan } from '../../../../src/rules/run.ts'
import { codes, inventory, OS, shape, TYPE } from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import { agentConfig, kubescapePolicy, operatorConfig, templateMap } from '../../../support/template.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a'])])
const REFUSED: Record<string, string> = {
  'binary data': 'binaryData:\n  logo.png: !!binary aGVsbG8=\n',
  'a tag of its own': 'extra: !custom b\n',
  'duplicate keys': 'extra:\n  c: 1\n  c: 2\n',
  'a list as a key': 'extra:\n  ? [c, d]\n  : e\n',
}
const [BINARY = ''] = Object.values(REFUSED)

const itemOf = (text: string) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`
const at = (object: KubernetesObject, path: string) => ({
  ...object,
  metadata: { ...object.metadata, annotations: { 'internal.config.kubernetes.io/path': path } },
})
const textOf = (texts: readonly string[]) =>
  `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${texts.map(itemOf).join('')}`
const run = (objects: readonly KubernetesObject[], ...texts: string[]) =>
  plan(readResourceList(textOf([...objects.map((object) => writeYaml(object)), ...texts]), isLookedAt))
const unread = (object: KubernetesObject, more = BINARY) => writeYaml(at(object, 'cm.yaml')) + more
const throws = (body: () => unknown, name: string) =>
  assert.throws(
    body,
    (error: unknown) =>
      error instanceof KrmError &&
      error.code === 'YamlSyntax' &&
      error.message.startsWith(`ConfigMap ${name} (cm.yaml) cannot be read as YAML: `),
  )

const SHOP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'logo', namespace: 'kubescape' } }

suite('ConfigMaps that cannot be read', (test) => {
  for (const [name, more] of Object.entries(REFUSED)) {
    test(`${name}: somebody else's goes out as it came`, () => {
      const text = unread(SHOP, more)
      const list = readResourceList(textOf([writeYaml(NODES), text]), isLookedAt)
      assert.match(writeResourceList(list), itemOf(text))
      const { failed, findings } = run([NODES, templateMap(), kubescapePolicy(), operatorConfig(false)], text)
      assert.is(failed, false, codes(findings).join(' '))
    })
    test(`${name}: a policy's template is refused`, () =>
      throws(
        () => run([NODES, kubescapePolicy(), operatorConfig(false)], unread(templateMap(), more)),
        'node-agent-daemonset-template',
      ))
    test(`${name}: the operator's configuration is refused`, () =>
      throws(() => run([NODES, templateMap(), kubescapePolicy()], unread(operatorConfig(true), more)), 'operator'))
  }
  const ASKED: Array<[name: string, object: KubernetesObject, called: string]> = [
    ['the operator’s, under another name', operatorConfig(true, { name: 'ks-operator' }), 'ks-operator'],
    ['the operator’s, whose key is not to be seen', { ...operatorConfig(true), data: {} }, 'operator'],
    ['the agent’s', agentConfig({ malwareDetectionEnabled: true }), 'node-agent'],
    ['one of ours by its marks', { ...SHOP, metadata: { ...SHOP.metadata, labels: { 'nodefit.dev/x': 'y' } } }, 'logo'],
  ]
  for (const [name, object, called] of ASKED)
    test(`refused: ${name}`, () => throws(() => run([NODES, templateMap(), kubescapePolicy()], unread(object)), called))
  const NOT_ASKED: Array<[name: string, objects: KubernetesObject[], object: KubernetesObject]> = [
    ['in another namespace', [templateMap(), kubescapePolicy()], operatorConfig(true, { namespace: 'other' })],
    ['without a policy for the chart', [], operatorConfig(true)],
    ['a template nobody renders from', [], templateMap()],
    ['beside a policy that is suspended', [templateMap(), kubescapePolicy({ suspend: true })], operatorConfig(true)],
  ]
  for (const [name, objects, object] of NOT_ASKED)
    test(`not asked for: ${name}`, () =>
      assert.ok(run([NODES, ...objects], unread(object)).items.some(({ opaque }) => opaque)))
})
