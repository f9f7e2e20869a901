/** What a cluster has of Kubescape's chart, held against a package. */
import * as assert from 'uvu/assert'
import type { Finding } from '../../../../src/krm/finding.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { withReadSettings } from '../../../../src/plan/daemonset/index.ts'
import { plan } from '../../../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, OS, shape, TYPE } from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import { agentConfig, chartText, kubescapePolicy, operatorConfig, templateMap } from '../../../support/template.ts'

const NODES = inventory([
  shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a']),
  shape({ [TYPE]: 'm5.xlarge', [OS]: 'linux' }, ['b']),
])
const PASSWORD = 'http://user:hunter2@proxy'
const SETTINGS = { malwareDetectionEnabled: false, learningPeriod: '2m', exporters: { url: PASSWORD } }
const loop = (section: object = {}, metadata: object = {}) =>
  operatorConfig(JSON.stringify({ nodeAgentAutoscaler: { enabled: false, ...section } }), metadata)
const ofChart = (version: string) => ({ labels: { 'helm.sh/chart': `kubescape-operator-${version}` } })
const withChart = (version: string): KubernetesObject => {
  const label = `helm.sh/chart: kubescape-operator-${version}`
  return templateMap(chartText({ annotations: '' }).replaceAll(/( +)app.kubernetes.io\/name: .*\n/g, `$&$1${label}\n`))
}

/** What a package finds of a cluster that has these objects; `change` makes it another than what the package renders. */
function drift(
  {
    beside = [],
    spec = {},
    template = templateMap(),
  }: { beside?: KubernetesObject[]; spec?: Record<string, unknown>; template?: KubernetesObject },
  live: KubernetesObject[],
  change: (object: KubernetesObject) => KubernetesObject | undefined = (object) => object,
): Finding[] {
  const made = plan(listOf([NODES, template, kubescapePolicy(spec), ...beside]))
  const [planned] = made.packages.flatMap((one) => one.planned)
  const groups = (planned?.objects ?? []).flatMap(({ object }) => change(asServed(object)) ?? [])
  return [...(planned?.drift?.([...groups, ...live]) ?? [])]
}

/** An object as an API server gives it back, with some of its defaults. */
function asServed(object: KubernetesObject): KubernetesObject {
  const { template, ...spec } = structuredClone(object.spec) as { template: { spec: object } }
  const pod = { ...template.spec, dnsPolicy: 'ClusterFirst', restartPolicy: 'Always' }
  const served = { ...spec, revisionHistoryLimit: 10, template: { ...template, spec: pod } }
  return { ...object, metadata: { ...object.metadata, uid: 'u', generation: 1 }, spec: served, status: {} }
}

const KEPT = [loop(), withReadSettings(agentConfig(SETTINGS))]
const LIVE = [loop(), agentConfig(SETTINGS)]
const agent = (name: string, labels: Record<string, string>, metadata: object = {}): KubernetesObject => {
  const object = daemonSet({}, { name, namespace: 'kubescape', ...metadata })
  return { ...object, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } } }
}
const NODE_AGENT = {
  'app.kubernetes.io/name': 'kubescape-operator',
  'app.kubernetes.io/instance': 'kubescape',
  'app.kubernetes.io/component': 'node-agent',
}
const MADE = { labels: { 'kubescape.io/managed-by': 'operator-autoscaler' } }
const without = (name: string) => (object: KubernetesObject) => (object.metadata.name === name ? undefined : object)
const withSpec = (change: (spec: { template: { spec: { containers: object[] } } }) => void) => {
  return (object: KubernetesObject): KubernetesObject => {
    const spec = structuredClone(object.spec) as Parameters<typeof change>[0]
    if (object.metadata.name === 'node-agent-m5-large') change(spec)
    return { ...object, spec }
  }
}

const CASES: Array<[name: string, found: Finding[], want: Array<string | RegExp>]> = [
  ['the same', drift({ beside: KEPT }, LIVE), []],
  ['the same, with the operator’s template', drift({ beside: KEPT }, [...LIVE, templateMap()]), []],
  [
    'the loop switched on again',
    drift({ beside: KEPT }, [loop({ enabled: true }), agentConfig(SETTINGS)]),
    ['LiveLoopOn', /its loop overwrites the groups/],
  ],
  [
    'the loop on, and the groups under another label',
    drift({ beside: KEPT, spec: { labels: { managedBy: 'a.b/c=d' } } }, [loop({ enabled: 'true' }), ...LIVE.slice(1)]),
    ['LiveLoopOn', /creates DaemonSets of the same agent/],
  ],
  [
    'a loop that is on beside one that is off',
    drift({ beside: KEPT }, [...LIVE, loop({ enabled: true }, { name: 'ks-operator' })]),
    ['LiveLoopOn', /ConfigMap ks-operator/],
  ],
  [
    'another version of the chart',
    drift({ template: withChart('1.40.2'), beside: KEPT }, [
      loop({}, ofChart('1.40.3')),
      agentConfig({ ...SETTINGS, learningPeriod: '7m' }),
    ]),
    [
      'LiveVersionDiffers',
      /has kubescape-operator-1\.40\.3 \(ConfigMap operator\), .* from kubescape-operator-1\.40\.2/,
    ],
  ],
  [
    'the same version',
    drift({ template: withChart('1.40.3'), beside: KEPT }, [loop({}, ofChart('1.40.3')), agentConfig(SETTINGS)]),
    [],
  ],
  [
    'another template',
    drift({ beside: KEPT }, [...LIVE, templateMap(chartText().replace('info', 'debug').replace('abc', 'def'))]),
    [
      'LiveTemplateDiffers',
      /differs at spec\.template\.metadata\.annotations\.checksum\/config, spec\.template\.spec\.containers\.0\.env\.1\.value/,
    ],
  ],
  ['a template that is none', drift({ beside: KEPT }, [...LIVE, templateMap('{{ if .X }}')]), ['LiveTemplateDiffers']],
  [
    'a learning period that reached no agent',
    drift({ beside: KEPT }, [loop(), agentConfig({ ...SETTINGS, learningPeriod: '7m' })]),
    ['LiveValueDiffers', /ConfigMap node-agent of the cluster has other settings/],
  ],
  [
    'the same settings in another order',
    drift({ beside: KEPT }, [
      loop(),
      agentConfig({ exporters: { url: PASSWORD }, learningPeriod: '2m', malwareDetectionEnabled: false }),
    ]),
    [],
  ],
  [
    'another password is not compared',
    drift({ beside: KEPT }, [loop(), agentConfig({ ...SETTINGS, exporters: { url: 'http://user:other@proxy' } })]),
    [],
  ],
  [
    'a value of the operator, beside one that is written otherwise',
    drift({ beside: [loop({ minResources: { cpu: '0.1', memory: '600Mi' } }), ...KEPT.slice(1)] }, [
      loop({ minResources: { cpu: '100m', memory: '200Mi' } }),
      ...LIVE.slice(1),
    ]),
    [
      'LiveValueDiffers',
      /: minResources\.memory is 200Mi in ConfigMap operator of the cluster, and 600Mi in the package$/,
    ],
  ],
  [
    'a difference that the package has already is none of the cluster',
    drift({ beside: [loop({ defaultNodeGroup: 'rest' }), ...KEPT.slice(1)] }, [
      loop({ defaultNodeGroup: 'rest' }),
      ...LIVE.slice(1),
    ]),
    [],
  ],
  [
    'without the operator in the package its values are the policy’s',
    drift({ beside: KEPT.slice(1) }, [
      loop({ reconcileInterval: '1m', minResources: { cpu: '300m' } }),
      ...LIVE.slice(1),
    ]),
    ['LiveValueDiffers', /: minResources\.cpu is 300m in ConfigMap operator of the cluster, and 100m in the policy$/],
  ],
  [
    'a group that was not applied',
    drift({ beside: KEPT }, LIVE, without('node-agent-m5-large')),
    ['LiveGroupDiffers', /does not have node-agent-m5-large$/],
  ],
  [
    'a group with another size',
    drift(
      { beside: KEPT },
      LIVE,
      withSpec(({ template: { spec } }) => {
        spec.containers[0] = { ...spec.containers[0], resources: { limits: { cpu: '9' } } }
      }),
    ),
    ['LiveGroupDiffers', /node-agent-m5-large at spec\.template\.spec\.containers\.0\.resources\.limits\.cpu, /],
  ],
  [
    'a group with a container that Git lacks',
    drift(
      { beside: KEPT },
      LIVE,
      withSpec(({ template: { spec } }) => {
        spec.containers.push({ name: 'sbom-scanner' })
      }),
    ),
    ['LiveGroupDiffers', /at spec\.template\.spec\.containers\.1$/],
  ],
  [
    'the static agent beside the groups',
    drift({ beside: KEPT }, [...LIVE, agent('node-agent', NODE_AGENT)]),
    ['LiveAgentBeside', /the cluster has node-agent$/],
  ],
  [
    'a group of the operator that no group replaces',
    drift({ beside: KEPT }, [...LIVE, agent('node-agent-m4-large', {}, MADE)]),
    ['LiveAgentBeside', /has node-agent-m4-large$/],
  ],
  [
    'a group that was pruned in Git only',
    drift({ beside: KEPT }, [
      ...LIVE,
      agent('node-agent-old', {}, { annotations: { 'nodefit.dev/owner': 'SizingPolicy/node-agent' } }),
    ]),
    ['LiveAgentBeside', /has node-agent-old$/],
  ],
  [
    'other agents, and those of another policy or namespace',
    drift({ beside: KEPT }, [
      ...LIVE,
      agent('other', { app: 'other' }),
      agent('second', NODE_AGENT, { annotations: { 'nodefit.dev/owner': 'SizingPolicy/second' } }),
      agent('elsewhere', NODE_AGENT, { namespace: 'other' }),
      { ...loop({ enabled: true }), metadata: { name: 'operator', namespace: 'other' } },
    ]),
    [],
  ],
  [
    'an export without DaemonSets',
    drift({ beside: KEPT }, LIVE, () => undefined),
    ['LiveNotShown', /does not have DaemonSets$/],
  ],
  [
    'an export of DaemonSets alone',
    drift({ beside: KEPT }, []),
    ['LiveNotShown', /does not have the operator’s ConfigMap, the node agent’s ConfigMap$/],
  ],
  [
    'a code that is switched off',
    drift(
      { beside: [...KEPT, config({ severity: [{ code: 'LiveAgentBeside', as: 'off', reason: 'intended' }] })] },
      [...LIVE, agent('node-agent', NODE_AGENT)],
      without('node-agent-m5-large'),
    ),
    ['LiveGroupDiffers'],
  ],
]

suite('what the cluster has of the chart', (test) => {
  for (const [name, found, [code, sentence]] of CASES)
    test(name, () => {
      assert.equal(
        found.map((one) => one.code),
        code === undefined ? [] : [code],
      )
      if (sentence !== undefined) assert.match(found[0]?.sentence ?? '', sentence)
      assert.not.match(JSON.stringify(found), 'hunter2')
    })
  test('nothing is compared where nothing is rendered, or from a template of another kind', () => {
    for (const spec of [{ enabled: false }, { suspend: true }]) {
      const made = plan(listOf([NODES, templateMap(), kubescapePolicy(spec)]))
      assert.equal(
        made.packages.flatMap(({ planned }) => planned.map((one) => one.drift)),
        [undefined],
      )
    }
  })
  test('the digest that stands in Git is of the settings without credentials', () => {
    const digest = (settings: object) => withReadSettings(agentConfig(settings)).metadata.annotations
    assert.match(Object.values(digest(SETTINGS) ?? {}).join(), /^[0-9a-f]{32}$/)
    assert.equal(digest(SETTINGS), digest({ ...SETTINGS, exporters: { url: 'https://a:b@c' } }))
    assert.not.equal(digest(SETTINGS), digest({ ...SETTINGS, exporters: { url: 'https://c' } }))
  })
})
