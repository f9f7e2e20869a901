import { codesAbout, findingOf } from '../../../src/finding/index.ts'
import { mergeNodes, namedNodes } from '../../../src/inventory/index.ts'
import { GROUP, OWNER, ownerName } from '../../../src/krm/remembered.ts'
import type { Item } from '../../../src/krm/types.ts'
import { isDns1123Label } from '../../../src/kube/index.ts'
import { indexBy, type Planned, type Planner, type World } from '../../../src/world/index.ts'

const CODES = codesAbout('Size maps', {
  SizeMapInvalid: { severity: 'error', meaning: 'A SizeMap groups by no label.', mend: 'Set spec.label.' },
})
const finding = findingOf(CODES)

interface SizeMap {
  readonly subject: Item
  readonly label: string
  readonly isEnabled: boolean
}

/** A ConfigMap for each value of a label, with the nodes that have it. What it made stays when nobody asks for it any more. */
export const sizeMapPlanner = {
  codes: CODES,
  schemas: [{ apiVersion: 'nodefit.dev/v1alpha1', kind: 'SizeMap' }],
  leaves: 'released',
  claims: ({ object }) => object.kind === 'SizeMap',
  isInput: ({ object }) => object.kind === 'SizeMap',
  read: (subject) => {
    const { label, enabled } = subject.object.spec as { label?: string; enabled?: boolean }
    if (label === undefined) return { findings: [finding('SizeMapInvalid', 'no label', { subject: subject.object })] }
    return { value: { subject, label, isEnabled: enabled !== false }, findings: [] }
  },
  plan: (all, world) => all.map((one) => planSizeMap(one, world)),
} as const satisfies Planner<SizeMap>

function planSizeMap({ subject, label, isEnabled }: SizeMap, world: World): Planned {
  const { name, namespace } = subject.object.metadata
  const owner = ownerName('SizeMap', name)
  const { items: earlier } = world.earlier([owner], namespace)
  const start = {
    subject,
    isEnabled,
    earlier,
    objects: [],
    ...namedNodes([]),
    summary: 'PolicySummary' as const,
    account: [],
  }
  if (!isEnabled) return { ...start, findings: [] }
  const shapes = world.fleet().value?.shapes ?? []
  const groups = indexBy(shapes, ({ labels }) => (isDns1123Label(labels[label] ?? '') ? labels[label] : undefined))
  const objects = [...groups].map(([value, own]) => {
    const { nodes, nodeCount } = mergeNodes(own)
    const annotations = { [OWNER]: owner, [GROUP]: value }
    const metadata = { name: `${name}-${value}`, ...(namespace === undefined ? {} : { namespace }), annotations }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { nodes: [...nodes].sort().join(' ') } }
    return { object, file: `${name}-maps.yaml`, about: value, group: 'value' as const, nodes, nodeCount }
  })
  return { ...start, objects, ...mergeNodes(objects), findings: [] }
}
