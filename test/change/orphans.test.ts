/** What is said of output that its policy left behind in another namespace. */
import * as assert from 'uvu/assert'
import { orphanFindings } from '../../src/change/orphans.ts'
import { newItem } from '../../src/krm/index.ts'
import { PLANNERS } from '../../src/plan.ts'
import type { Planned, World } from '../../src/world/index.ts'
import { registryOf } from '../../src/world/planners.ts'
import { daemonSet, policy } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const within = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace })
const ORPHAN = newItem(daemonSet({}, { name: 'agent-x', annotations: { 'nodefit.dev/owner': 'SizingPolicy/agent' } }))

type Namespaces = { object?: string; subject?: string; source?: string }
const ROWS: Array<[name: string, namespaces: Namespaces, where: string]> = [
  ['where its objects are', { object: 'made', subject: 'own', source: 'other' }, 'namespace made'],
  ['without objects where the policy is', { subject: 'own', source: 'other' }, 'namespace own'],
  ['of a policy without a namespace where its target is', { source: 'other' }, 'namespace other'],
  ['nowhere in particular', {}, 'no namespace'],
]

suite('output that a policy left behind', (test) => {
  for (const [name, { object, subject, source }, where] of ROWS)
    test(`the policy renders ${name} now`, () => {
      const planned = {
        subject: newItem(policy({}, 'agent', within(subject))),
        source: newItem(daemonSet({}, within(source))),
        objects: object === undefined ? [] : [{ object: daemonSet({}, within(object)) }],
      } as unknown as Planned
      const [finding] = orphanFindings([ORPHAN], [planned], {
        items: [ORPHAN],
        planners: registryOf(PLANNERS),
      } as unknown as World)
      assert.match(finding?.message ?? '', `SizingPolicy/agent, which now renders to ${where}`)
    })

  const orphan = (name: string, owner: string) =>
    newItem(daemonSet({}, { name, annotations: { 'nodefit.dev/owner': owner } }))
  const moved = {
    subject: newItem(policy({}, 'moved', { namespace: 'new' })),
    objects: [],
  } as unknown as Planned
  test('each owner is told what works: a former name in the same namespace, none in another', () => {
    const orphans = [
      orphan('a', 'SizingPolicy/moved'),
      orphan('b', 'SizingPolicy/gone'),
      orphan('c', 'Order/gone'),
      orphan('d', 'Order/other'),
    ]
    const findings = orphanFindings(orphans, [moved], {
      items: orphans,
      planners: registryOf(PLANNERS),
    } as unknown as World)
    assert.equal(
      findings.map(({ message }) => message.replace(/ If you moved it to another package.*/, '')),
      [
        'DaemonSet a belong to SizingPolicy/moved, which now renders to namespace new. Move the policy back to the namespace of these objects; or, if it was moved on purpose, allow OrphanedOutput in this run to remove them.',
        'DaemonSet b belong to SizingPolicy/gone, which is not in the package. Restore the policy, list its old name in spec.formerNames of a policy that renders to the same namespace, or allow OrphanedOutput to remove the objects.',
        'DaemonSet c, DaemonSet d belong to Order/gone, Order/other, which is not in the package. Restore the Order; or allow OrphanedOutput in this run to remove the Tickets, which is right if the Order was deleted, renamed or moved to another namespace.',
      ],
    )
    assert.equal(
      findings.map(({ subject }) => subject?.metadata.name),
      ['a', 'b', 'c'],
    )
  })
})
