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

/** All known kinds, each with where its marks are written or read, as of November 2026. */
export const OWNER_KINDS: readonly OwnerKind[] = [
  {
    // helm/helm: pkg/action/install_test.go
    called: 'Helm release',
    keys: ['meta.helm.sh/*'],
    which: (marks) => named(marks, 'meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'),
    off: 'in the values of its chart',
  },
  {
    // charts made by helm create; elastic/helm-charts: filebeat/templates/daemonset.yaml
    called: CHART,
    managedBy: ['Helm'],
    // a release names itself in annotations, which the output of helm template does not have
    which: ({ texts }) =>
      texts['meta.helm.sh/release-name'] ? undefined : (texts['helm.sh/chart'] ?? texts.chart ?? ''),
    off: 'in its values, if its release is installed',
  },
  // fluxcd/pkg: ssa/manager.go; fluxcd/kustomize-controller: internal/controller/kustomization_controller.go
  flux('Kustomization', 'kustomize.toolkit.fluxcd.io', ['checksum'], `in its source, ${IN_SOURCE}`),
  // fluxcd/helm-controller: internal/postrender/common_renderer.go
  flux('HelmRelease', 'helm.toolkit.fluxcd.io', [], 'in its values'),
  {
    // argoproj/argo-cd: common/common.go, util/argo/resource_tracking.go
    called: 'Argo CD Application',
    keys: ['argocd.argoproj.io/tracking-id', 'argocd.argoproj.io/installation-id'],
    which: ({ texts }) => texts['argocd.argoproj.io/tracking-id']?.split(':', 1)[0] ?? '',
    off: `in its source, ${IN_SOURCE}`,
  },
  {
    // GoogleContainerTools/kpt-config-sync: pkg/metadata/annotations.go, labels.go
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
    // kubernetes-sigs/cli-utils: pkg/inventory/policy.go
    called: 'kpt inventory',
    keys: ['config.k8s.io/owning-inventory'],
    which: ({ texts }) => texts['config.k8s.io/owning-inventory'],
    off: `in the package that is applied with it, ${IN_SOURCE}`,
  },
  {
    // carvel-dev/kapp: pkg/kapp/app/recorded_app.go, pkg/kapp/resources, pkg/kapp/diff/resource_with_history.go
    called: 'kapp app',
    keys: keysOf('kapp.k14s.io', 'app', 'association', 'identity', 'nonce', 'original', 'original-diff*'),
    which: ({ texts }) => texts['kapp.k14s.io/app'] ?? '',
    off: `in the configuration of that app, ${IN_SOURCE}`,
  },
  {
    // kubernetes/kubectl: pkg/cmd/apply/applyset.go
    called: 'kubectl apply set',
    keys: ['applyset.kubernetes.io/part-of'],
    which: ({ texts }) => texts['applyset.kubernetes.io/part-of'],
    off: `in what is applied with that set, ${IN_SOURCE}`,
  },
  {
    // kubernetes/kubernetes: cluster/addons/addon-manager/kube-addons.sh, cluster/addons/node-problem-detector/npd.yaml
    called: 'Kubernetes addon manager',
    keys: ['addonmanager.kubernetes.io/*', 'kubernetes.io/cluster-service'],
    which: ({ texts }) =>
      texts['addonmanager.kubernetes.io/mode'] || texts['kubernetes.io/cluster-service'] === 'true' ? '' : undefined,
    off: 'with its add-on, in the settings of the cluster or the folder of its add-ons',
  },
  // Amazon EKS user guide, "Determine fields you can customize for Amazon EKS add-ons"
  { called: 'EKS add-on', fieldManager: 'eks', off: 'in the add-ons of the cluster' },
  {
    // kubernetes/kubernetes: cmd/kubeadm/app/phases/addons/proxy
    called: 'kubeadm add-on',
    fieldManager: 'kubeadm',
    off: 'by proxy.disabled: true of its ClusterConfiguration, in the ConfigMap kubeadm-config of kube-system',
  },
  // Azure/AKS#1417; Azure/aks-app-routing-operator: pkg/controller/dns/consts_for_test.go
  { called: 'AKS', keys: ['kubernetes.azure.com/managedby'], off: 'in the add-ons of the cluster' },
  {
    // kubernetes/kops: pkg/model/components/addonmanifests/remap.go,
    // upup/pkg/fi/cloudup/bootstrapchannelbuilder/pruning.go
    called: 'kOps add-on',
    keys: ['addon.kops.k8s.io/*'],
    managedBy: ['kops'],
    which: ({ texts }) => texts['addon.kops.k8s.io/name'] ?? '',
    off: 'in the specification of the cluster',
  },
  {
    // k3s-io/k3s: pkg/cloudprovider/servicelb.go
    called: 'k3s ServiceLB',
    keys: ['svccontroller.k3s.cattle.io/*'],
    which: (marks) => {
      const service = named(marks, 'svccontroller.k3s.cattle.io/svcname', 'svccontroller.k3s.cattle.io/svcnamespace')
      return service === undefined ? '' : `of Service ${service}`
    },
    off: 'with --disable=servicelb',
  },
  {
    // rancher/wrangler: pkg/apply/desiredset_apply.go; rancher/fleet: internal/cmd/agent/deployer/desiredset;
    // k3s-io/k3s: pkg/deploy/controller.go
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
    // operator-framework/operator-lifecycle-manager: pkg/lib/ownerutil/util.go,
    // pkg/controller/operators/decorators/operator.go
    called: 'OLM operator',
    keys: ['olm.owner', 'olm.owner.*', 'olm.managed', 'operators.coreos.com/*'],
    which: (marks) => {
      const key = Object.keys(marks.texts).find((one) => one.startsWith('operators.coreos.com/'))
      return named(marks, 'olm.owner', 'olm.owner.namespace') ?? key?.slice('operators.coreos.com/'.length) ?? ''
    },
    off: 'in the resource that the operator reads, or with its Subscription',
  },
  {
    // operator-framework/operator-controller: internal/operator-controller/labels/labels.go
    called: 'OLM ClusterExtension',
    keys: ['olm.operatorframework.io/*'],
    which: ({ texts }) => texts['olm.operatorframework.io/owner-name'] ?? '',
    off: 'in that ClusterExtension',
  },
  {
    // crossplane/crossplane-runtime: pkg/meta/meta.go, pkg/xcrd
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
    // karmada-io/karmada: pkg/apis/work/v1alpha2 and pkg/apis/policy/v1alpha1 well_known_constants.go,
    // pkg/util/constants.go
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
    // gardener/gardener: pkg/apis/resources/v1alpha1/types.go
    called: 'Gardener ManagedResource',
    keys: ['resources.gardener.cloud/origin', 'resources.gardener.cloud/managed-by'],
    which: ({ texts }) => texts['resources.gardener.cloud/origin'] ?? '',
    off: 'in the Shoot, or in that ManagedResource',
  },
  {
    // projectsveltos/libsveltos: api/v1beta1/common_types.go, lib/deployer/utils.go
    called: 'Sveltos',
    keys: ['projectsveltos.io/deployed-by-sveltos', 'projectsveltos.io/reference-*'],
    off: 'in the profile that deploys it',
  },
  {
    // istio/istio: operator/pkg/manifest/name.go, operator/pkg/uninstall/prune.go,
    // manifests/charts/istio-cni/templates/daemonset.yaml
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
    // DataDog/datadog-operator: internal/controller/datadogagent/object/labels.go, store/store.go;
    // DataDog/helm-charts: charts/datadog/templates/daemonset.yaml
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
    // elastic/cloud-on-k8s: pkg/apis/common/v1/common.go, pkg/controller/common/hash/hash.go,
    // pkg/controller/beat/common/labels.go, pkg/controller/agent/labels.go
    called: 'Elastic operator',
    keys: ['common.k8s.elastic.co/*', 'agent.k8s.elastic.co/*', 'beat.k8s.elastic.co/*'],
    off: 'in the Beat or Agent',
  },
  {
    // prometheus-operator/prometheus-operator: pkg/operator/kubernetes.go, pkg/prometheus/agent/test_utils.go
    called: 'Prometheus operator',
    keys: ['operator.prometheus.io/*', 'prometheus-operator-input-hash'],
    managedBy: ['prometheus-operator'],
    off: 'in the PrometheusAgent',
  },
  {
    // open-telemetry/opentelemetry-operator: internal/manifests/manifestutils/labels.go
    called: 'OpenTelemetry operator',
    managedBy: ['opentelemetry-operator'],
    off: 'in the OpenTelemetryCollector',
  },
  // tigera/operator: pkg/controller/utils/component.go, pkg/common/operator_namespace.go
  { called: 'Tigera operator', managedBy: ['tigera-operator'], off: 'in the Installation' },
  // NVIDIA/gpu-operator: controllers/object_controls.go
  { called: 'GPU operator', keys: ['nvidia.com/last-applied-hash'], off: 'in the ClusterPolicy or NVIDIADriver' },
  {
    // kubevirt/kubevirt: staging/src/kubevirt.io/api/core/v1/types.go
    called: 'KubeVirt operator',
    keys: ['kubevirt.io/install-strategy*'],
    managedBy: ['virt-operator', 'kubevirt-operator'],
    off: 'in the KubeVirt',
  },
  {
    // cisco-open/k8s-objectmatcher: patch/annotation.go
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
