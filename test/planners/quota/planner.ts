import {
  emptyPlanned,
  indexBy,
  type Planned,
  type Planner,
  type Rendered,
  type World,
} from '../../../src/core/index.ts'
import { mergeNodes } from '../../../src/facts/inventory/index.ts'
import { validateAs } from '../../../src/kinds/index.ts'
import { codesAbout } from '../../../src/krm/finding.ts'
import { ownerName } from '../../../src/krm/remembered.ts'
import type { Item } from '../../../src/krm/types.ts'
import { isDns1123Label } from '../../../src/kube/index.ts'
import { closedSchema } from '../support/closed-schema.ts'

const CODES = codesAbout('Quota sets', {
  QuotaSummary: { severity: 'info', meaning: 'The first result of a QuotaSet.', mend: '', roles: ['summary'] },
  QuotaSized: { severity: 'info', meaning: 'How a quota came about.', mend: '' },
})
const QUOTA_SET = closedSchema('QuotaSet', { label: 'string', enabled: 'boolean', perNode: 'string' }, ['label'])

interface QuotaSet {
  readonly subject: Item
  readonly label: string
  readonly perNode: string
  readonly isEnabled: boolean
}

/** A ResourceQuota for each value of a label: an object that proofs read, and that stays when nobody asks for it any more. */
export const quotaPlanner = {
  codes: CODES,
  summary: () => 'QuotaSummary',
  asksFor: 'QuotaSet',
  volatile: [],
  schemas: [{ apiVersion: 'nodefit.dev/v1alpha1', kind: 'QuotaSet', check: (object) => validateAs(QUOTA_SET, object) }],
  leaves: () => 'released',
  claims: ({ object }) => object.kind === 'QuotaSet',
  isInput: ({ object }) => object.kind === 'QuotaSet',
  read: (subject) => {
    const {
      label,
      enabled,
      perNode = '1000',
    } = subject.object.spec as { label: string; enabled?: boolean; perNode?: string }
    return { value: { subject, label, perNode, isEnabled: enabled !== false }, findings: [] }
  },
  plan: (all, world) => all.map((one) => planQuotas(one, world)),
  mends: { orphan: () => 'Bring the QuotaSet back.' },
} as const satisfies Planner<QuotaSet>

function planQuotas({ subject, label, perNode, isEnabled }: QuotaSet, world: World): Planned {
  const { name, namespace } = subject.object.metadata
  const { items: earlier } = world.earlier([ownerName('QuotaSet', name)], namespace)
  const start = emptyPlanned({ subject, isEnabled, earlier })
  if (!isEnabled) return start
  const { value: fleet } = world.fleet()
  const groups = indexBy(fleet?.shapes ?? [], ({ labels }) =>
    isDns1123Label(labels[label] ?? '') ? labels[label] : undefined,
  )
  const objects = [...groups].map(([value, shapes]): Rendered => {
    const nodes = mergeNodes(shapes)
    const metadata = { name: `${name}-${value}`, ...(namespace === undefined ? {} : { namespace }) }
    const hard = { 'limits.cpu': String(Number(perNode) * nodes.nodeCount) }
    const object = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } }
    return { object, file: `${name}-quotas.yaml`, about: value, group: { id: value, kind: 'value' }, ...nodes }
  })
  return {
    ...start,
    cluster: fleet?.cluster,
    objects,
    ...mergeNodes(objects),
    account: [
      { kind: 'count', count: objects.length, noun: 'quota' },
      ...objects.map(({ about, nodeCount }) => {
        return {
          kind: 'note' as const,
          code: 'QuotaSized',
          sentence: `${about}: ${perNode} cores for each of ${nodeCount}`,
        }
      }),
    ],
  }
}
