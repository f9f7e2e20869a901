/** KubeNodeSmith's resource definitions as of its commit 1f16cad, as far as pools, claims and providers go: fields, rules and defaults. */
const GROUP = 'kubenodesmith.parawell.cloud'

const text = { type: 'string' }
const whole = { type: 'integer', format: 'int64' }
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const object = (properties: object, ...required: string[]) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
const ruled = (schema: object, ...rules: string[]) => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
})
const positive = ruled(whole, 'self > 0')
const labels = { type: 'object', additionalProperties: text }
const window = object({ stabilizationWindow: text })
const limit = ruled(whole, 'self == 0 || self > 0')

const POOL = object(
  {
    providerRef: text,
    poolLabelKey: { ...text, default: 'topology.kubenodesmith.io/pool' },
    limits: ruled(
      object(
        { minNodes: ruled(whole, 'self >= 0'), maxNodes: whole, cpuCores: limit, memoryMiB: limit },
        ...['minNodes', 'maxNodes', 'cpuCores', 'memoryMiB'],
      ),
      'self.maxNodes == 0 || self.maxNodes >= self.minNodes',
    ),
    machineTemplate: object({ labels }),
    scaleUp: window,
    scaleDown: window,
  },
  ...['providerRef', 'limits', 'machineTemplate'],
)
const CLAIM = object(
  {
    poolRef: { ...text, minLength: 1 },
    requirements: object({ cpuCores: positive, memoryMiB: positive }),
    idempotencyKey: text,
    terminationGracePeriod: text,
  },
  'poolRef',
)
const PROVIDER = ruled(
  object(
    {
      type: text,
      credentialsSecretRef: object({ name: text, namespace: text }),
      proxmox: ruled(
        object(
          {
            endpoint: text,
            nodeWhitelist: { type: 'array', items: text },
            vmIDRange: ruled(
              object({ lower: whole, upper: whole }, 'lower', 'upper'),
              'self.lower >= 100',
              'self.upper <= 999999999',
              'self.upper >= self.lower',
            ),
            managedNodeTag: text,
            vmMemOverheadMiB: whole,
            networkInterfaces: {
              type: 'array',
              items: object(
                { name: text, model: text, bridge: text, vlanTag: { type: 'integer' }, macPrefix: text },
                ...['bridge', 'model', 'name'],
              ),
            },
            vmOptions: {
              type: 'array',
              items: object({ name: text, value: { 'x-kubernetes-preserve-unknown-fields': true } }, 'name', 'value'),
            },
          },
          'endpoint',
        ),
        "self.endpoint.startsWith('https://') || self.endpoint.startsWith('http://')",
        '!has(self.vmMemOverheadMiB) || self.vmMemOverheadMiB >= 0',
      ),
      additionalSettings: { type: 'object', additionalProperties: ANYTHING },
    },
    'type',
  ),
  "self.type in ['proxmox', 'redfish']",
  "self.type == 'proxmox' ? has(self.proxmox) : true",
)

/** The definitions, strict: an unknown field is refused by kubectl, and pruned by the API server. */
export const KUBENODESMITH_CRDS = (
  [
    ['NodeSmithPool', POOL],
    ['NodeSmithClaim', CLAIM],
    ['NodeSmithProvider', PROVIDER],
  ] as const
).map(([kind, spec]) => {
  const plural = `${kind.toLowerCase()}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: object({ ...identity(), spec, status: ANYTHING }, 'spec') },
        },
      ],
    },
  }
})

function identity() {
  return { apiVersion: text, kind: text, metadata: { type: 'object' } }
}
