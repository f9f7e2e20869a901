/** What is said of output that its policy left behind in another namespace. */
import * as assert from 'uvu/assert'
import type { Planned, World } from '../../src/core/index.ts'
import { registryOf } from '../../src/core/planner.ts'
import { orphanFindings } from '../../src/fate/outcome.ts'
import { newItem } from '../../src/krm/index.ts'
import { PLANNERS } from '../../src/rules/run.ts'
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
  test('each owner is told what works, and one that moved is told apart from one that is gone', () => {
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
        'DaemonSet a belongs to SizingPolicy/moved, which now renders to namespace new. Move the policy and its target back to the namespace of these objects; or allow PolicyMoved in one run, which renders them in the new one. For functions that set namespaces: docs/deliver/kpt.md#other-functions.',
        'DaemonSet b belongs to SizingPolicy/gone, which is not in the package. Restore the policy. If you renamed it, list its old name in spec.formerNames. To remove the agent’s groups, restore it with enabled: false and render; delete it then: docs/daemonset/moving-over.md#the-way-back.',
        'DaemonSet c, DaemonSet d belong to Order/gone, Order/other, which is not in the package. Restore the Order. If you deleted or renamed it on purpose, delete its Tickets from their files, or allow OrphanedOutput in a RenderConfig for one run.',
      ],
    )
    assert.equal(
      findings.map(({ subject }) => subject?.metadata.name),
      ['a', 'b', 'c'],
    )
  })
})
