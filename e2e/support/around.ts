/** What stands around an agent in a cluster and knows it by its labels or its name. */
// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

export const SELECTOR = { 'app.kubernetes.io/name': 'fluent-bit' }

/** A Service, a PodDisruptionBudget, a PriorityClass, and a Role for a job that restarts the agent. */
export function around(namespace: string, disruption: object = { minAvailable: 8 }): Any[] {
  const rbac = 'rbac.authorization.k8s.io'
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'fluent-bit', namespace },
      spec: { selector: SELECTOR, ports: [{ name: 'http', port: 2020 }] },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'agents', namespace },
      spec: { ...disruption, selector: { matchLabels: SELECTOR } },
    },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'agents' }, value: 1000 },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name: 'restart', namespace },
      rules: [{ apiGroups: ['apps'], resources: ['daemonsets'], resourceNames: ['fluent-bit'], verbs: ['patch'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'restart', namespace },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'restart' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'ci' }],
    },
  ]
}

export function quota(namespace: string, hard: Record<string, string>): Any {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'tight', namespace }, spec: { hard } }
}

const ADMISSION = 'admissionregistration.k8s.io/v1'
const RULE = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['daemonsets'] }

/** An admission policy that lets no DaemonSet in that it is about. */
export const POLICY = {
  apiVersion: ADMISSION,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'no-agents' },
  spec: {
    matchConstraints: { resourceRules: [RULE] },
    validations: [{ expression: 'false', message: 'no agents' }],
  },
}

/** What the policy is about: DaemonSets of these names, or with these labels. */
export function binding(resourceNames: readonly string[] | undefined, matchLabels: object = {}): Any {
  return {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'no-agents' },
    spec: {
      policyName: POLICY.metadata.name,
      validationActions: ['Deny'],
      matchResources: {
        resourceRules: [resourceNames === undefined ? RULE : { ...RULE, resourceNames }],
        objectSelector: { matchLabels },
      },
    },
  }
}
