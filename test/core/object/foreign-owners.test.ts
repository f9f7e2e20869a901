import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { isKey } from '../../../src/core/object/copied.ts'
import { copyableAnnotations, copyableLabels, foreignOwners, ownedByText } from '../../../src/core/object/index.ts'
import { OWNER_KINDS } from '../../../src/core/object/owner-kinds.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { kubescapePolicy, templateMap } from '../../support/template.ts'

type Texts = Record<string, string>
interface Marked {
  readonly labels?: Texts
  readonly annotations?: Texts
  readonly more?: object
}

const MANAGED_BY = 'app.kubernetes.io/managed-by'
const CONTROLLER = { apiVersion: 'v1', kind: 'DatadogAgent', name: 'datadog', uid: 'u', controller: true }

/** What an object carries, the text of its owner (undefined: nobody is named), and where that is switched off. */
const ROWS: readonly [name: string, marked: Marked, text: string | undefined, off?: string][] = [
  [
    'Helm',
    {
      labels: { [MANAGED_BY]: 'Helm' },
      annotations: { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'ns' },
    },
    'Helm release r in ns',
    'in the values of its chart',
  ],
  ['Helm, without a namespace', { annotations: { 'meta.helm.sh/release-name': 'r' } }, 'Helm release r'],
  ['Helm’s namespace alone', { annotations: { 'meta.helm.sh/release-namespace': 'ns' } }, undefined],
  [
    'a manifest that a chart made',
    { labels: { [MANAGED_BY]: 'Helm', 'helm.sh/chart': 'promtail-6.17.1' } },
    'Helm chart promtail-6.17.1',
    'in its values, if its release is installed',
  ],
  ['a chart that does not name itself', { labels: { [MANAGED_BY]: 'Helm' } }, 'Helm chart'],
  ['a chart of old', { labels: { heritage: 'Helm', chart: 'filebeat-8.5.1' } }, 'Helm chart filebeat-8.5.1'],
  ['a heritage that is none', { labels: { heritage: 'acme' } }, undefined],
  [
    'a chart that Argo CD applies',
    { labels: { [MANAGED_BY]: 'Helm' }, annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } },
    'Argo CD Application a',
  ],
  [
    'kubeadm',
    { more: { managedFields: [{ manager: 'kubeadm', operation: 'Update' }] } },
    'kubeadm add-on',
    'by proxy.disabled: true of its ClusterConfiguration, in the ConfigMap kubeadm-config of kube-system',
  ],
  [
    'ServiceLB of k3s',
    {
      labels: {
        'svccontroller.k3s.cattle.io/svcname': 'traefik',
        'svccontroller.k3s.cattle.io/svcnamespace': 'kube-system',
        'svccontroller.k3s.cattle.io/nodeselector': 'false',
      },
    },
    'k3s ServiceLB of Service traefik in kube-system',
    'with --disable=servicelb',
  ],
  [
    'Flux, kustomize',
    {
      labels: {
        'kustomize.toolkit.fluxcd.io/name': 'apps',
        'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
        'kustomize.toolkit.fluxcd.io/checksum': 'abc',
      },
    },
    'Flux Kustomization apps in flux-system',
    'in its source, unless that is this package',
  ],
  [
    'Flux, Helm',
    { labels: { 'helm.toolkit.fluxcd.io/name': 'bit', 'helm.toolkit.fluxcd.io/namespace': 'logging' } },
    'Flux HelmRelease bit in logging',
    'in its values',
  ],
  [
    'Argo CD',
    {
      annotations: {
        'argocd.argoproj.io/tracking-id': 'argocd_agents:apps/DaemonSet:logging/agent',
        'argocd.argoproj.io/installation-id': 'one',
      },
    },
    'Argo CD Application argocd_agents',
    'in its source, unless that is this package',
  ],
  [
    'Config Sync',
    {
      labels: { [MANAGED_BY]: 'configmanagement.gke.io', 'configsync.gke.io/declared-version': 'v1' },
      annotations: {
        'configmanagement.gke.io/managed': 'enabled',
        'configmanagement.gke.io/cluster-name': 'c',
        'configmanagement.gke.io/source-path': 'a.yaml',
        'configmanagement.gke.io/token': 't',
        'configmanagement.gke.io/declared-config': '{}',
        'configsync.gke.io/declared-fields': '{}',
        'configsync.gke.io/git-context': '{}',
        'configsync.gke.io/manager': ':root',
        'configsync.gke.io/resource-id': 'apps_daemonset_logging_agent',
      },
    },
    'Config Sync',
    'in the source of its RootSync or RepoSync, unless that is this package',
  ],
  ['Config Sync, told to keep off', { annotations: { 'configmanagement.gke.io/managed': 'disabled' } }, undefined],
  [
    'kpt',
    { annotations: { 'config.k8s.io/owning-inventory': 'logging-123' } },
    'kpt inventory logging-123',
    'in the package that is applied with it, unless that is this package',
  ],
  [
    'kapp',
    {
      labels: { 'kapp.k14s.io/app': '1580159741', 'kapp.k14s.io/association': 'v1.ab' },
      annotations: {
        'kapp.k14s.io/identity': 'v1;logging/apps/DaemonSet/agent;apps/v1',
        'kapp.k14s.io/original': '{}',
        'kapp.k14s.io/original-diff-md5': 'c6e9',
        'kapp.k14s.io/nonce': '1',
      },
    },
    'kapp app 1580159741',
    'in the configuration of that app, unless that is this package',
  ],
  [
    'an apply set of kubectl',
    { labels: { 'applyset.kubernetes.io/part-of': 'applyset-abc-v1' } },
    'kubectl apply set applyset-abc-v1',
    'in what is applied with that set, unless that is this package',
  ],
  [
    'the addon manager',
    { labels: { 'addonmanager.kubernetes.io/mode': 'Reconcile' } },
    'Kubernetes addon manager',
    'with its add-on, in the settings of the cluster or the folder of its add-ons',
  ],
  ['the addon manager of old', { labels: { 'kubernetes.io/cluster-service': 'true' } }, 'Kubernetes addon manager'],
  ['a service of the cluster that is none', { labels: { 'kubernetes.io/cluster-service': 'false' } }, undefined],
  [
    'EKS',
    { more: { managedFields: [{ manager: 'kubectl' }, { manager: 'eks', operation: 'Apply' }] } },
    'EKS add-on',
    'in the add-ons of the cluster',
  ],
  ['a field manager that is not EKS', { more: { managedFields: [{ manager: 'eksctl' }] } }, undefined],
  ['AKS', { labels: { 'kubernetes.azure.com/managedby': 'aks' } }, 'AKS', 'in the add-ons of the cluster'],
  [
    'kOps',
    { labels: { [MANAGED_BY]: 'kops', 'addon.kops.k8s.io/name': 'networking.cilium.io' } },
    'kOps add-on networking.cilium.io',
    'in the specification of the cluster',
  ],
  [
    'k3s',
    {
      labels: { 'objectset.rio.cattle.io/hash': 'bce283' },
      annotations: {
        'objectset.rio.cattle.io/applied': 'H4sI',
        'objectset.rio.cattle.io/id': '',
        'objectset.rio.cattle.io/owner-gvk': 'k3s.cattle.io/v1, Kind=Addon',
        'objectset.rio.cattle.io/owner-name': 'kube-vip',
        'objectset.rio.cattle.io/owner-namespace': 'kube-system',
      },
    },
    'Rancher object set of Addon kube-vip in kube-system',
    'where that object has it from; for an Addon of k3s by a .skip file beside its manifest; --disable deletes what it applied',
  ],
  ['Rancher', { labels: { 'objectset.rio.cattle.io/hash': 'bce283' } }, 'Rancher object set'],
  [
    'OLM',
    {
      labels: {
        'olm.owner': 'agent.v1.2.3',
        'olm.owner.kind': 'ClusterServiceVersion',
        'olm.owner.namespace': 'operators',
        'olm.managed': 'true',
        'operators.coreos.com/agent.operators': '',
      },
    },
    'OLM operator agent.v1.2.3 in operators',
    'in the resource that the operator reads, or with its Subscription',
  ],
  [
    'OLM, a component',
    { labels: { 'operators.coreos.com/agent.operators': '' } },
    'OLM operator agent.operators',
    'in the resource that the operator reads, or with its Subscription',
  ],
  [
    'OLM v1',
    {
      labels: {
        'olm.operatorframework.io/owner-kind': 'ClusterExtension',
        'olm.operatorframework.io/owner-name': 'argo',
      },
    },
    'OLM ClusterExtension argo',
    'in that ClusterExtension',
  ],
  [
    'Crossplane',
    {
      labels: { 'crossplane.io/composite': 'x', 'crossplane.io/claim-name': 'c', 'crossplane.io/claim-namespace': 'n' },
      annotations: { 'crossplane.io/composition-resource-name': 'r', 'crossplane.io/external-name': 'agent' },
    },
    'Crossplane composite x',
    'in its Composition',
  ],
  [
    'Karmada',
    {
      labels: { 'karmada.io/managed': 'true', 'work.karmada.io/permanent-id': 'p' },
      annotations: {
        'work.karmada.io/name': 'w',
        'work.karmada.io/namespace': 'karmada-es-member1',
        'resourcetemplate.karmada.io/uid': 'u',
        'resourcetemplate.karmada.io/generation': '1',
        'resourcetemplate.karmada.io/managed-labels': 'a',
        'resourcetemplate.karmada.io/managed-annotations': 'b',
        'resourcebinding.karmada.io/name': 'x',
        'clusterresourcebinding.karmada.io/name': 'x',
        'propagationpolicy.karmada.io/name': 'x',
        'clusterpropagationpolicy.karmada.io/name': 'x',
      },
    },
    'Karmada',
    'in the propagation policy of the control plane',
  ],
  [
    'Gardener',
    {
      labels: { 'resources.gardener.cloud/managed-by': 'gardener' },
      annotations: { 'resources.gardener.cloud/origin': 'seed:shoot--a/shoot-core-npd' },
    },
    'Gardener ManagedResource seed:shoot--a/shoot-core-npd',
    'in the Shoot, or in that ManagedResource',
  ],
  [
    'Sveltos',
    {
      labels: { 'projectsveltos.io/reference-kind': 'ConfigMap', 'projectsveltos.io/reference-name': 'agent' },
      annotations: { 'projectsveltos.io/deployed-by-sveltos': 'ok' },
    },
    'Sveltos',
    'in the profile that deploys it',
  ],
  [
    'Istio',
    {
      labels: {
        'install.operator.istio.io/owning-resource': 'installed-state',
        'install.operator.istio.io/owning-resource-namespace': 'istio-system',
        'operator.istio.io/component': 'Cni',
      },
    },
    'IstioOperator installed-state in istio-system',
    'in its components',
  ],
  [
    'Istio’s chart',
    {
      labels: { 'install.operator.istio.io/owning-resource': 'unknown', 'operator.istio.io/component': 'Cni' },
    },
    undefined,
  ],
  [
    'Datadog',
    {
      labels: { [MANAGED_BY]: 'datadog-operator', 'agent.datadoghq.com/component': 'agent' },
      annotations: { 'agent.datadoghq.com/agentspechash': 'h', 'operator.datadoghq.com/experiment-state': 'x' },
    },
    'Datadog operator',
    'in the DatadogAgent',
  ],
  [
    'Datadog whose manager was changed',
    { labels: { [MANAGED_BY]: 'Helm' }, annotations: { 'agent.datadoghq.com/agentspechash': 'h' } },
    'Datadog operator',
    'in the DatadogAgent',
  ],
  [
    'Datadog’s manager alone',
    { labels: { [MANAGED_BY]: 'datadog-operator', 'agent.datadoghq.com/component': 'agent' } },
    'Datadog operator',
    'in the DatadogAgent',
  ],
  ['Datadog’s chart', { labels: { [MANAGED_BY]: 'Helm', 'agent.datadoghq.com/component': 'agent' } }, 'Helm chart'],
  [
    'Elastic',
    {
      labels: {
        'common.k8s.elastic.co/type': 'beat',
        'common.k8s.elastic.co/template-hash': '1',
        'beat.k8s.elastic.co/name': 'filebeat',
        'agent.k8s.elastic.co/name': 'a',
      },
    },
    'Elastic operator',
    'in the Beat or Agent',
  ],
  [
    'Prometheus',
    {
      labels: { [MANAGED_BY]: 'prometheus-operator', 'operator.prometheus.io/name': 'p' },
      annotations: { 'prometheus-operator-input-hash': '1' },
    },
    'Prometheus operator',
    'in the PrometheusAgent',
  ],
  [
    'OpenTelemetry',
    { labels: { [MANAGED_BY]: 'opentelemetry-operator' } },
    'OpenTelemetry operator',
    'in the OpenTelemetryCollector',
  ],
  ['Tigera', { labels: { [MANAGED_BY]: 'tigera-operator' } }, 'Tigera operator', 'in the Installation'],
  [
    'GPU operator',
    { annotations: { 'nvidia.com/last-applied-hash': '1' } },
    'GPU operator',
    'in the ClusterPolicy or NVIDIADriver',
  ],
  [
    'KubeVirt',
    {
      labels: { [MANAGED_BY]: 'virt-operator' },
      annotations: { 'kubevirt.io/install-strategy-version': 'v', 'kubevirt.io/install-strategy-identifier': 'i' },
    },
    'KubeVirt operator',
    'in the KubeVirt',
  ],
  ['KubeVirt of old', { labels: { [MANAGED_BY]: 'kubevirt-operator' } }, 'KubeVirt operator', 'in the KubeVirt'],
  [
    'an operator that compares',
    { annotations: { 'banzaicloud.com/last-applied': 'UEsD' } },
    'operator that keeps banzaicloud.com/last-applied',
    'in the resource that it reads',
  ],
  [
    'an operator that nobody knows',
    { labels: { [MANAGED_BY]: 'acme-operator' } },
    'operator acme-operator',
    'in the resource that it reads',
  ],
  ['a tool that nobody knows', { labels: { [MANAGED_BY]: 'acme' } }, undefined],
  [
    'a controller',
    { more: { ownerReferences: [{ ...CONTROLLER, kind: 'Other', controller: false }, CONTROLLER] } },
    'controller DatadogAgent datadog',
    'in that object',
  ],
  [
    'an owner that only takes it along',
    { more: { ownerReferences: [{ ...CONTROLLER, controller: false }] } },
    undefined,
  ],
  [
    'what init recorded',
    { annotations: { 'nodefit.dev/owned-by': 'Helm release r in ns' } },
    'Helm release r in ns',
    'in the values of its chart',
  ],
  [
    'what init recorded of a controller',
    { annotations: { 'nodefit.dev/owned-by': 'controller DatadogAgent datadog' } },
    'controller DatadogAgent datadog',
    'in that object',
  ],
  ['what a user wrote', { annotations: { 'nodefit.dev/owned-by': 'Bob' } }, 'Bob', 'where that has it from'],
  ['nothing written', { annotations: { 'nodefit.dev/owned-by': ' ; ' } }, undefined],
  ['nothing', { labels: { app: 'agent' }, annotations: { note: 'x' } }, undefined],
]

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const templateOf = ({ labels, annotations, more }: Marked) =>
  daemonSet({}, { ...(labels && { labels }), ...(annotations && { annotations }), ...more })
const owned = (object: KubernetesObject, spec = {}) =>
  plan(listOf([NODES, policy(spec), object])).findings.filter(({ code }) => code === 'OwnedElsewhere')
const KEPT = new Set(['app', 'note', MANAGED_BY, 'helm.sh/chart', 'heritage', 'chart'])

suite('who else owns a template', (test) => {
  for (const [name, marked, text, off] of ROWS) {
    test(`${name}: named, said, and not copied`, () => {
      const template = templateOf(marked)
      const owners = foreignOwners(template)
      assert.equal(
        owners.map((one) => one.text),
        text === undefined ? [] : [text],
      )
      if (off !== undefined) assert.is(owners[0]?.off, off)
      assert.is(ownedByText(template), text)
      const [found, ...others] = owned(template)
      assert.is(found === undefined, text === undefined)
      assert.equal(others, [])
      if (text !== undefined)
        assert.ok(found?.sentence.includes(`${text} (can be switched off ${owners[0]?.off}), which brings it back`))
      const copy = rendered(plan(listOf([NODES, policy(), template])).items).get('agent-m5-large')
      for (const map of ['labels', 'annotations'] as const) {
        const copied = copy?.metadata[map] ?? {}
        for (const key of Object.keys(marked[map] ?? {})) assert.is(Object.hasOwn(copied, key), KEPT.has(key), key)
      }
      if (marked.labels?.[MANAGED_BY] !== undefined) assert.is(copy?.metadata.labels?.[MANAGED_BY], 'nodefit')
    })
  }
  test('every mark of every kind has a row', () => {
    const marks = ROWS.flatMap(([, { labels, annotations }]) => Object.entries({ ...labels, ...annotations }))
    for (const { called, keys = [], managedBy = [] } of OWNER_KINDS) {
      assert.ok(
        ROWS.some(([, , text]) => text?.startsWith(called)),
        called,
      )
      for (const pattern of keys)
        assert.ok(
          marks.some(([key]) => isKey(key, pattern)),
          pattern,
        )
      for (const value of managedBy)
        assert.ok(
          marks.some(([key, one]) => key === MANAGED_BY && one === value),
          value,
        )
    }
  })
  test('docs/reference/owners.md names every kind and every mark', () => {
    const page = readFileSync(new URL('../../../docs/reference/owners.md', import.meta.url), 'utf8')
    for (const { called, keys = [], managedBy = [], fieldManager } of OWNER_KINDS) {
      const row = page.split('\n').find((line) => line.startsWith(`| ${called} `))
      for (const mark of [...keys, ...managedBy, ...(fieldManager === undefined ? [] : [fieldManager])])
        assert.ok(row?.includes(`\`${mark}\``), `${called}: ${mark}`)
    }
  })
  test('several owners are said in one finding, each once, and recorded in a form that reads back', () => {
    const template = templateOf({
      labels: { [MANAGED_BY]: 'datadog-operator' },
      more: { ownerReferences: [CONTROLLER] },
      annotations: { 'nodefit.dev/owned-by': 'Datadog operator;Helm release r in ns' },
    })
    const text = 'Datadog operator; controller DatadogAgent datadog; Helm release r in ns'
    assert.is(ownedByText(template), text)
    const [said, ...others] = owned(template)
    assert.equal(others, [])
    assert.match(
      said?.sentence ?? '',
      /Helm release r in ns \(can be switched off in the values of its chart\), which bring it back/,
    )
    const again = templateOf({ annotations: { 'nodefit.dev/owned-by': text } })
    assert.equal(foreignOwners(again), foreignOwners(template))
  })
  test('said on every run while the mark is there, and of an enabled policy only', () => {
    const template = templateOf({ annotations: { 'meta.helm.sh/release-name': 'r' } })
    const first = plan(listOf([NODES, policy(), template]))
    const second = plan(listOf(first.items.map(({ object }) => object)))
    assert.is(second.findings.filter(({ code }) => code === 'OwnedElsewhere').length, 1)
    assert.equal(owned(template, { enabled: false }), [])
  })
  test('of a ConfigMap only what was recorded', () => {
    const linux = inventory([shape({ [TYPE]: 'm5.large', 'kubernetes.io/os': 'linux' }, ['a'])])
    const helm = { 'meta.helm.sh/release-name': 'kubescape' }
    const run = (annotations: Texts) => {
      const map = templateMap()
      const marked = { ...map, metadata: { ...map.metadata, annotations } }
      return plan(listOf([linux, kubescapePolicy(), marked])).findings.filter(({ code }) => code === 'OwnedElsewhere')
    }
    assert.is(run(helm).length, 0)
    assert.is(run({ ...helm, 'nodefit.dev/owned-by': 'Helm release old in kubescape' }).length, 1)
  })
  test('pod labels and the selector keep a mark, so that they still match', () => {
    const marks = { 'kapp.k14s.io/app': '1', 'kubernetes.io/cluster-service': 'true', [MANAGED_BY]: 'kops' }
    const template = daemonSet({}, { labels: marks })
    const spec = template.spec as { selector: object; template: { metadata: object } }
    const labels = { app: 'agent', ...marks }
    const marked = {
      ...template,
      spec: {
        ...spec,
        selector: { matchLabels: labels },
        template: { ...spec.template, metadata: { labels, annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } } },
      },
    }
    const copy = rendered(plan(listOf([NODES, policy(), marked])).items).get('agent-m5-large')
    const group = { 'nodefit.dev/node-group': 'm5.large' }
    const own = copy?.spec as { selector: object; template: { metadata: object } }
    assert.equal(own.selector, { matchLabels: { ...labels, ...group } })
    assert.equal(own.template.metadata, {
      labels: { ...labels, ...group },
      annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' },
    })
    assert.is(copy?.metadata.labels?.['kapp.k14s.io/app'], undefined)
  })
  test('beside marks, options are copied but for those that keep an object', () => {
    assert.equal(
      copyableAnnotations({
        'argocd.argoproj.io/tracking-id': 'a:b',
        'argocd.argoproj.io/sync-options': 'Prune=false,ServerSideApply=true',
        'kapp.k14s.io/update-strategy': 'fallback-on-replace',
        'kapp.k14s.io/original': '{}',
        'configmanagement.gke.io/cluster-selector': 'prod',
        'configsync.gke.io/cluster-name-selector': 'prod',
        'karmada.io/managed-not': 'x',
      }),
      {
        'argocd.argoproj.io/sync-options': 'ServerSideApply=true',
        'kapp.k14s.io/update-strategy': 'fallback-on-replace',
        'configmanagement.gke.io/cluster-selector': 'prod',
        'configsync.gke.io/cluster-name-selector': 'prod',
        'karmada.io/managed-not': 'x',
      },
    )
    const labels = { 'kustomize.toolkit.fluxcd.io/name': 'a', 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' }
    assert.equal(copyableLabels(labels), { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' })
  })
  test('Tickets carry no mark of their Order', () => {
    const labels = { team: 'a', 'applyset.kubernetes.io/part-of': 'x' }
    const order = {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Order',
      metadata: { name: 'o' },
      spec: { daemonSet: true, template: { metadata: { labels }, spec: { duration: '24h' } } },
    }
    const ticket = plan(listOf([NODES, order])).items.find(({ object }) => object.kind === 'Ticket')
    assert.equal(Object.keys(ticket?.object.metadata.labels ?? {}), ['korder.dev/node', 'team'])
  })
  test('a wish of the policy wins over what becomes of managed-by', () => {
    const template = templateOf({ labels: { [MANAGED_BY]: 'Helm' } })
    const spec = { labels: { managedBy: `${MANAGED_BY}=us` } }
    const copy = rendered(plan(listOf([NODES, policy(spec), template])).items).get('agent-m5-large')
    assert.is(copy?.metadata.labels?.[MANAGED_BY], 'us')
  })
  test('marks that are none', () => {
    const odd = { managedFields: 'x', ownerReferences: [null, 'x', { controller: 'true', kind: 'A', name: 'b' }] }
    assert.equal(foreignOwners(templateOf({ more: odd })), [])
    const texts = { 'meta.helm.sh/release-name': { a: 1 }, 'nodefit.dev/owned-by': 3 } as unknown as Texts
    assert.equal(foreignOwners(templateOf({ annotations: texts })), [])
  })
})
