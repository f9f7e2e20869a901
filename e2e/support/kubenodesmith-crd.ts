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
const PROVIDER = object(
  {
    type: { ...text, enum: ['proxmox', 'redfish'] },
    credentialsSecretRef: object({ name: text, namespace: text }),
    proxmox: object({
      endpoint: { ...text, pattern: '^https?://' },
      nodeWhitelist: { type: 'array', items: text },
      vmIDRange: ruled(
        object({ lower: { ...whole, minimum: 100 }, upper: { ...whole, maximum: 999_999_999 } }),
        'self.upper >= self.lower',
      ),
      managedNodeTag: text,
      vmMemOverheadMiB: { ...whole, minimum: 0 },
      networkInterfaces: { type: 'array', items: ANYTHING },
      vmOptions: { type: 'array', items: ANYTHING },
    }),
    additionalSettings: ANYTHING,
  },
  'type',
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
