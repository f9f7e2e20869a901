import { emptyPlanned, type Planner, type Share } from '../../../src/core/index.ts'
import { validateAs } from '../../../src/kinds/index.ts'
import { codesAbout } from '../../../src/krm/finding.ts'
import type { Item } from '../../../src/krm/types.ts'
import { closedSchema } from '../support/closed-schema.ts'

const CODES = codesAbout('Replica sets', {
  ScaleSummary: { severity: 'info', meaning: 'The first result of a Scale.', mend: '', roles: ['summary'] },
})
const SCALE = closedSchema(
  'Scale',
  {
    deployment: 'string',
    replicas: 'integer',
    label: 'string',
    node: 'string',
    kind: 'string',
    shares: 'array',
    enabled: 'boolean',
  },
  ['deployment'],
)

interface Spec {
  readonly deployment?: string
  readonly kind?: string
  readonly node?: string
  readonly label?: string
  readonly replicas?: number
  readonly enabled?: boolean
  readonly shares?: ReadonlyArray<Pick<Share, 'path' | 'value'>>
}

interface Scale {
  readonly subject: Item
  readonly shares: readonly Share[]
  readonly isEnabled: boolean
}

/**
 * Fields of objects that are not its own: replicas and a label of a user's Deployment, a label of a partial Node.
 * Replicas stay as they are when nobody asks for them any more; everything else is taken out.
 */
export const replicasPlanner = {
  codes: CODES,
  summary: () => 'ScaleSummary',
  asksFor: 'Scale',
  volatile: [],
  sharesFields: true,
  schemas: [{ apiVersion: 'nodefit.dev/v1alpha1', kind: 'Scale', check: (object) => validateAs(SCALE, object) }],
  leaves: (object) => (object.kind === 'Deployment' ? 'released' : 'removed'),
  claims: ({ object }) => object.kind === 'Scale',
  isInput: ({ object }) => object.kind === 'Scale',
  read: (subject) => {
    const spec = subject.object.spec as Spec
    const target = { apiVersion: 'apps/v1', kind: spec.kind ?? 'Deployment', name: spec.deployment ?? '' }
    const node = { apiVersion: 'v1', kind: 'Node', name: spec.node ?? '' }
    const shares: Share[] = [
      ...(spec.replicas === undefined ? [] : [{ target, path: ['spec', 'replicas'], value: spec.replicas }]),
      ...(spec.shares ?? []).map((share) => ({ target, ...share })),
      ...(spec.label === undefined ? [] : [{ target, path: ['metadata', 'labels', spec.label], value: 'yes' }]),
      ...(spec.node === undefined
        ? []
        : [
            {
              target: node,
              path: ['metadata', 'labels', `example.com/${subject.object.metadata.name}`],
              value: 'yes',
              file: 'nodes.yaml',
            },
          ]),
    ]
    return { value: { subject, shares, isEnabled: spec.enabled !== false }, findings: [] }
  },
  plan: (all) =>
    all.map(({ subject, shares, isEnabled }) => emptyPlanned({ subject, isEnabled, shares: isEnabled ? shares : [] })),
} as const satisfies Planner<Scale>
