/** The marks of owners on an object. */
export interface Marks {
  /** Labels and annotations as one map, without values that are not text. */
  readonly texts: Readonly<Record<string, string | undefined>>
  /** The managers in `metadata.managedFields`. */
  readonly fieldManagers: readonly string[]
  /** Kind and name in the controller's owner reference. */
  readonly controller?: string
}

/** A kind of tool or controller that applies, prunes or adopts objects, and the marks by which it recognizes them. */
export interface OwnerKind {
  /** The name in messages; the text of an owner begins with it. */
  readonly called: string
  /** Keys of its labels and annotations; a `*` at the end stands for any characters. */
  readonly keys?: readonly string[]
  /** Values of the label `app.kubernetes.io/managed-by`, or of `heritage`, which charts wrote before it. */
  readonly managedBy?: readonly string[]
  /** Its name in `metadata.managedFields`. */
  readonly fieldManager?: string
  /**
   * Returns the owner's name from the marks: empty if they name none, undefined if they say that it does not own the
   * object.
   */
  readonly which?: (marks: Marks) => string | undefined
  /** Where to switch the object off. */
  readonly off: string
}

const IN_SOURCE = 'unless that is this package'

/** What stands for the owner where labels only say that a Helm chart made the manifest. */
export const CHART = 'Helm chart'

/** All known kinds. docs/reference/owners.md names the manifest or source in which each mark was seen. */
export const OWNER_KINDS: readonly OwnerKind[] = [
  {
    called: 'Helm release',
    keys: ['meta.helm.sh/*'],
    which: (marks) => named(marks, 'meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'),
    off: 'in the values of its chart',
  },
  {
    called: CHART,
    managedBy: ['Helm'],
    // a release names itself in annotations, which the output of helm template does not have
    which: ({ texts }) =>
      texts['meta.helm.sh/release-name'] ? undefined : (texts['helm.sh/chart'] ?? texts.chart ?? ''),
    off: 'in its values, if its release is installed',
  },
  flux('Kustomization', 'kustomize.toolkit.fluxcd.io', ['checksum'], `in its source, ${IN_SOURCE}`),
  flux('HelmRelease', 'helm.toolkit.fluxcd.io', [], 'in its values'),
  {
    called: 'Argo CD Application',
    keys: ['argocd.argoproj.io/tracking-id', 'argocd.argoproj.io/installation-id'],
    which: ({ texts }) => texts['argocd.argoproj.io/tracking-id']?.split(':', 1)[0] ?? '',
    off: `in its source, ${IN_SOURCE}`,
  },
  {
    called: 'Config Sync',
    keys: [
      ...keysOf('configmanagement.gke.io', 'managed', 'cluster-name', 'source-path', 'token', 'declared-config'),
      ...keysOf('configsync.gke.io', 'declared-fields', 'git-context', 'manager', 'resource-id', 'declared-version'),
    ],
    managedBy: ['configmanagement.gke.io'],
    which: ({ texts }) => (texts['configmanagement.gke.io/managed'] === 'disabled' ? undefined : ''),
    off: `in the source of its RootSync or RepoSync, ${IN_SOURCE}`,
  },
  {
    called: 'kpt inventory',
    keys: ['config.k8s.io/owning-inventory'],
    which: ({ texts }) => texts['config.k8s.io/owning-inventory'],
    off: `in the package that is applied with it, ${IN_SOURCE}`,
  },
  {
    called: 'kapp app',
    keys: keysOf('kapp.k14s.io', 'app', 'association', 'identity', 'nonce', 'original', 'original-diff*'),
    which: ({ texts }) => texts['kapp.k14s.io/app'] ?? '',
    off: `in the configuration of that app, ${IN_SOURCE}`,
  },
  {
    called: 'kubectl apply set',
    keys: ['applyset.kubernetes.io/part-of'],
    which: ({ texts }) => texts['applyset.kubernetes.io/part-of'],
    off: `in what is applied with that set, ${IN_SOURCE}`,
  },
  {
    called: 'Kubernetes addon manager',
    keys: ['addonmanager.kubernetes.io/*', 'kubernetes.io/cluster-service'],
    which: ({ texts }) =>
      texts['addonmanager.kubernetes.io/mode'] || texts['kubernetes.io/cluster-service'] === 'true' ? '' : undefined,
    off: 'with its add-on, in the settings of the cluster or the folder of its add-ons',
  },
  { called: 'EKS add-on', fieldManager: 'eks', off: 'in the add-ons of the cluster' },
  {
    called: 'kubeadm add-on',
    fieldManager: 'kubeadm',
    off: 'by proxy.disabled: true of its ClusterConfiguration, in the ConfigMap kubeadm-config of kube-system',
  },
  { called: 'AKS', keys: ['kubernetes.azure.com/managedby'], off: 'in the add-ons of the cluster' },
  {
    called: 'kOps add-on',
    keys: ['addon.kops.k8s.io/*'],
    managedBy: ['kops'],
    which: ({ texts }) => texts['addon.kops.k8s.io/name'] ?? '',
    off: 'in the specification of the cluster',
  },
  {
    called: 'k3s ServiceLB',
    keys: ['svccontroller.k3s.cattle.io/*'],
    which: (marks) => {
      const service = named(marks, 'svccontroller.k3s.cattle.io/svcname', 'svccontroller.k3s.cattle.io/svcnamespace')
      return service === undefined ? '' : `of Service ${service}`
    },
    off: 'with --disable=servicelb',
  },
  {
    called: 'Rancher object set',
    keys: ['objectset.rio.cattle.io/*'],
    which: ({ texts }) => {
      const [, kind] = /Kind=(.+)$/.exec(texts['objectset.rio.cattle.io/owner-gvk'] ?? '') ?? []
      const name = texts['objectset.rio.cattle.io/owner-name']
      return name ? `of ${join(kind, inNamespace(name, texts['objectset.rio.cattle.io/owner-namespace']))}` : ''
    },
    off: 'where that object has it from; for an Addon of k3s by a .skip file beside its manifest; --disable deletes what it applied',
  },
  {
    called: 'OLM operator',
    keys: ['olm.owner', 'olm.owner.*', 'olm.managed', 'operators.coreos.com/*'],
    which: (marks) => {
      const key = Object.keys(marks.texts).find((one) => one.startsWith('operators.coreos.com/'))
      return named(marks, 'olm.owner', 'olm.owner.namespace') ?? key?.slice('operators.coreos.com/'.length) ?? ''
    },
    off: 'in the resource that the operator reads, or with its Subscription',
  },
  {
    called: 'OLM ClusterExtension',
    keys: ['olm.operatorframework.io/*'],
    which: ({ texts }) => texts['olm.operatorframework.io/owner-name'] ?? '',
    off: 'in that ClusterExtension',
  },
  {
    called: 'Crossplane composite',
    keys: keysOf(
      'crossplane.io',
      'composite',
      'claim-name',
      'claim-namespace',
      'composition-resource-name',
      'external-name',
    ),
    which: ({ texts }) => texts['crossplane.io/composite'] ?? '',
    off: 'in its Composition',
  },
  {
    called: 'Karmada',
    keys: [
      'karmada.io/managed',
      ...keysOf('work.karmada.io', 'name', 'namespace', 'permanent-id'),
      ...keysOf('resourcetemplate.karmada.io', 'uid', 'generation', 'managed-labels', 'managed-annotations'),
      ...['', 'cluster'].flatMap((scope) => [
        `${scope}resourcebinding.karmada.io/*`,
        `${scope}propagationpolicy.karmada.io/*`,
      ]),
    ],
    off: 'in the propagation policy of the control plane',
  },
  {
    called: 'Gardener ManagedResource',
    keys: ['resources.gardener.cloud/origin', 'resources.gardener.cloud/managed-by'],
    which: ({ texts }) => texts['resources.gardener.cloud/origin'] ?? '',
    off: 'in the Shoot, or in that ManagedResource',
  },
  {
    called: 'Sveltos',
    keys: ['projectsveltos.io/deployed-by-sveltos', 'projectsveltos.io/reference-*'],
    off: 'in the profile that deploys it',
  },
  {
    called: 'IstioOperator',
    keys: ['install.operator.istio.io/*', 'operator.istio.io/*'],
    // the chart writes "unknown" where Helm installs it
    which: (marks) => {
      const owner = named(
        marks,
        'install.operator.istio.io/owning-resource',
        'install.operator.istio.io/owning-resource-namespace',
      )
      return owner === undefined || owner.startsWith('unknown') ? undefined : owner
    },
    off: 'in its components',
  },
  {
    called: 'Datadog operator',
    keys: ['operator.datadoghq.com/*', 'agent.datadoghq.com/*'],
    managedBy: ['datadog-operator'],
    // its Helm chart writes only the component on the DaemonSet
    which: ({ texts }) => {
      const isItsOwn = Object.keys(texts).some(
        (key) => /^(operator|agent)\.datadoghq\.com\//.test(key) && key !== 'agent.datadoghq.com/component',
      )
      return isItsOwn || texts['app.kubernetes.io/managed-by'] === 'datadog-operator' ? '' : undefined
    },
    off: 'in the DatadogAgent',
  },
  {
    called: 'Elastic operator',
    keys: ['common.k8s.elastic.co/*', 'agent.k8s.elastic.co/*', 'beat.k8s.elastic.co/*'],
    off: 'in the Beat or Agent',
  },
  {
    called: 'Prometheus operator',
    keys: ['operator.prometheus.io/*', 'prometheus-operator-input-hash'],
    managedBy: ['prometheus-operator'],
    off: 'in the PrometheusAgent',
  },
  {
    called: 'OpenTelemetry operator',
    managedBy: ['opentelemetry-operator'],
    off: 'in the OpenTelemetryCollector',
  },
  { called: 'Tigera operator', managedBy: ['tigera-operator'], off: 'in the Installation' },
  { called: 'GPU operator', keys: ['nvidia.com/last-applied-hash'], off: 'in the ClusterPolicy or NVIDIADriver' },
  {
    called: 'KubeVirt operator',
    keys: ['kubevirt.io/install-strategy*'],
    managedBy: ['virt-operator', 'kubevirt-operator'],
    off: 'in the KubeVirt',
  },
  {
    called: 'operator that keeps banzaicloud.com/last-applied',
    keys: ['banzaicloud.com/last-applied'],
    off: 'in the resource that it reads',
  },
]

function flux(kind: string, group: string, more: readonly string[], off: string): OwnerKind {
  const [name, namespace] = [`${group}/name`, `${group}/namespace`]
  const keys = [name, namespace, ...keysOf(group, ...more)]
  return { called: `Flux ${kind}`, keys, which: (marks) => named(marks, name, namespace) ?? '', off }
}

function keysOf(group: string, ...names: readonly string[]): string[] {
  return names.map((name) => `${group}/${name}`)
}

/** Returns a name and namespace from two keys; undefined without a name. */
function named({ texts }: Marks, name: string, namespace: string): string | undefined {
  return texts[name] ? inNamespace(texts[name], texts[namespace]) : undefined
}

function inNamespace(name: string, namespace: string | undefined): string {
  return namespace ? `${name} in ${namespace}` : name
}

function join(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined).join(' ')
}
