import { emptyPlanned, type Planned, type Planner, type Rendered, type World } from '../../../src/core/index.ts'
import { namedNodes } from '../../../src/facts/inventory/index.ts'
import { validateAs } from '../../../src/kinds/index.ts'
import { codesAbout } from '../../../src/krm/finding.ts'
import { ownerName } from '../../../src/krm/remembered.ts'
import type { Item } from '../../../src/krm/types.ts'
import { type Labels, matchesNode } from '../../../src/kube/index.ts'
import { closedSchema } from '../support/closed-schema.ts'

const CODES = codesAbout('Claim sets', {
  ClaimSummary: { severity: 'info', meaning: 'The first result of a ClaimSet.', mend: '', roles: ['summary'] },
})
const CLAIM_SET = closedSchema(
  'ClaimSet',
  { count: 'integer', cores: 'integer', labels: 'object', enabled: 'boolean' },
  ['count', 'cores'],
)

interface ClaimSet {
  readonly subject: Item
  readonly count: number
  readonly cores: number
  /** The labels that its machines will have. */
  readonly labels: Labels
  readonly isEnabled: boolean
}

/**
 * As many claims as somebody asks for, each with room for what the planners before it ask of a new node. Claims that an enabled set drops
 * are removed, since their machines are to go; those of a set that is disabled or gone are released, since their machines run.
 */
export const claimPlanner = {
  codes: CODES,
  summary: () => 'ClaimSummary',
  asksFor: 'ClaimSet',
  volatile: [],
  schemas: [{ apiVersion: 'nodefit.dev/v1alpha1', kind: 'ClaimSet', check: (object) => validateAs(CLAIM_SET, object) }],
  leaves: (_, why) => (why === 'dropped' ? 'removed' : 'released'),
  claims: ({ object }) => object.kind === 'ClaimSet',
  isInput: ({ object }) => object.kind === 'ClaimSet',
  read: (subject) => {
    const { count, cores, labels, enabled } = subject.object.spec as Omit<ClaimSet, 'subject'> & { enabled?: boolean }
    return { value: { subject, count, cores, labels, isEnabled: enabled !== false }, findings: [] }
  },
  plan: (all, world, before) => all.map((one) => planClaims(one, world, before)),
} as const satisfies Planner<ClaimSet>

function planClaims(
  { subject, count, cores, labels, isEnabled }: ClaimSet,
  world: World,
  before: readonly Planned[],
): Planned {
  const { name, namespace } = subject.object.metadata
  const { items: earlier } = world.earlier([ownerName('ClaimSet', name)], namespace)
  const start = emptyPlanned({ subject, isEnabled, earlier })
  if (!isEnabled) return start
  const asked = before
    .flatMap(({ demand }) => demand)
    .filter(({ pod }) => matchesNode({ name: `${name}-new`, labels }, pod))
    .reduce((sum, { requests }) => sum + Number(requests?.cpu?.milliValue() ?? 0n), 0)
  // a claim that was made is never edited
  const made = new Map(earlier.map(({ object }) => [object.metadata.name, object.spec]))
  const objects = Array.from({ length: count }, (_, index): Rendered => {
    const claim = `${name}-${index + 1}`
    const metadata = { name: claim, ...(namespace === undefined ? {} : { namespace }) }
    const spec = made.get(claim) ?? { millicores: cores * 1000 + asked }
    const object = { apiVersion: 'example.com/v1', kind: 'Claim', metadata, spec }
    return { object, file: `${name}-claims.yaml`, about: claim, ...namedNodes([]) }
  })
  return { ...start, objects, account: [{ kind: 'count', count, noun: 'claim' }] }
}
