/** What must hold of every set of Tickets, whatever the nodes and the Order. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { render } from '../../../src/face/render.ts'
import { readResourceList, writeResourceList } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { inventory, listOf, shape } from '../../support/objects.ts'
import { NOON, order, ticketsIn } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const nodes = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z][a-z0-9-]{0,5}[a-z0-9]$/),
    ready: fc.constantFrom('True', 'True', 'False', 'Unknown'),
    unschedulable: fc.boolean(),
    zone: fc.constantFrom('a', 'b', undefined),
    effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule', undefined),
  }),
  { minLength: 1, maxLength: 8, selector: ({ name }) => name },
)
type Drawn = { name: string; ready: string; unschedulable: boolean; zone?: string; effect?: string }

const strategy = fc.constantFrom(
  { type: 'OneTime' },
  { type: 'Recurring', schedule: '0 */6 * * *', refreshPolicy: 'Always' },
  { type: 'Recurring', schedule: '0 */6 * * *', refreshPolicy: 'Never' },
  { type: 'Scheduled', schedule: '0 2 * * *' },
)
const toleration = fc.constantFrom([], [{ operator: 'Exists', effect: 'NoSchedule' }], [{ operator: 'Exists' }])
const shapes = (all: readonly Drawn[]) =>
  all.map(({ name, ready, unschedulable, zone, effect }) =>
    shape(zone === undefined ? {} : { zone }, [name], '4', '16Gi', {
      ready,
      unschedulable,
      taints: effect === undefined ? [] : [{ key: 'k', effect }],
    }),
  )
const at = (all: object[]) => inventory(all, { observedAt: NOON })
/** The Tickets' bytes, without the host's annotations; the codes where the run fails. */
const outcome = (...objects: KubernetesObject[]) => {
  const result = plan(listOf(objects))
  if (result.failed) return result.findings.map(({ code }) => code)
  return ticketsIn(result)
    .map((object) => JSON.stringify(object).replaceAll(/"internal[^,}]*,?/g, ''))
    .sort()
}

suite('every set of Tickets', (test) => {
  test('depends neither on order, nor on files, nor on notation', () => {
    fc.assert(
      fc.property(nodes, strategy, toleration, fc.nat(), (all, when, tolerations, cut) => {
        const own = (template: Record<string, unknown>) => order({ strategy: when }, { tolerations, ...template })
        const plain = own({ duration: '24h', resources: { requests: { cpu: '1000m', memory: '1Gi' } } })
        const base = outcome(at(shapes(all)), plain)
        assert.equal(outcome(plain, at(shapes([...all].reverse()))), base, 'order')
        const where = cut % (all.length + 1)
        assert.equal(outcome(at(shapes(all.slice(0, where))), at(shapes(all.slice(where))), plain), base, 'files')
        const spelled = own({ resources: { requests: { memory: '1024Mi', cpu: 1 } }, duration: '1440m0s' })
        assert.equal(outcome(at(shapes(all)), spelled), base, 'notation')
      }),
      { numRuns: 150 },
    )
  })
  test('has one Ticket for each eligible node, and comes out the same when it is fed back', () => {
    fc.assert(
      fc.property(nodes, strategy, toleration, (all, when, tolerations) => {
        const list = listOf([at(shapes(all)), order({ strategy: when }, { tolerations })])
        const text = (one: ReturnType<typeof render>) => writeResourceList({ ...one, results: [] })
        const once = text(render(list))
        assert.is(text(render(readResourceList(once))), once)
        const result = plan(list)
        if (result.failed) return
        const made = ticketsIn(result).map(({ metadata }) => metadata.annotations?.['nodefit.dev/node'])
        const eligible = all.filter(({ ready, unschedulable, effect }) => {
          const hard = effect === 'NoSchedule' || effect === 'NoExecute'
          const isTolerated = tolerations.some((one) => !('effect' in one) || one.effect === effect)
          return ready === 'True' && !unschedulable && (!hard || isTolerated)
        })
        const isOpen = when.type !== 'Scheduled' || made.length > 0
        if (isOpen) assert.equal([...made].sort(), eligible.map(({ name }) => name).sort())
      }),
      { numRuns: 150 },
    )
  })
})
