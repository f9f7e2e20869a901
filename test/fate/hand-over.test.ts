/** What is handed back when nothing is rendered from it any more: templates, and nothing that is rendered. */
import * as assert from 'uvu/assert'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from '../support/objects.ts'
import { rerender, said } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const LOCAL = 'config.kubernetes.io/local-config'
const TEMPLATE = 'nodefit.dev/template'
const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a'])])
const FIRST = plan(listOf([NODES, policy(), daemonSet()]))
const GIVEN_UP = config({ allow: ['OrphanedOutput'] })
/** The template’s marks, on what is rendered from it: as where a person copied them with the rest of the metadata. */
const copied = (result: Plan, isGivenUp: boolean) =>
  rerender(result, (object) => {
    if (object.kind === 'SizingPolicy' && isGivenUp) return GIVEN_UP
    const { annotations } = object.metadata
    if (annotations?.['nodefit.dev/owner'] === undefined) return object
    return {
      ...object,
      metadata: { ...object.metadata, annotations: { ...annotations, [LOCAL]: 'true', [TEMPLATE]: 'true' } },
    }
  })

suite('what is handed back', (test) => {
  test('is a template whose policy is gone, and no output that has its marks: that goes', () => {
    const gone = copied(FIRST, true)
    assert.equal(
      said(gone, 'TemplateReleased').map((text) => text.split(': ')[0]),
      ['DaemonSet agent is applied again'],
    )
    assert.equal([...rendered(gone.items).keys()], [])
  })
  test('is no output that has the marks of a template, while its policy renders it', () => {
    const again = copied(FIRST, false)
    assert.equal(said(again, 'TemplateReleased'), [])
    assert.equal([...rendered(again.items)], [...rendered(FIRST.items)])
  })
})
