/** What the DaemonSets of a template have in common is one object, which is then printed once. */
import * as assert from 'uvu/assert'
import { kubescapeList } from '../../../bench/inputs.ts'
import { readResourceList } from '../../../src/krm/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { suite } from '../../support/suite.ts'

const podsOf = (text: string) =>
  plan(readResourceList(text)).items.flatMap(({ object, text: own }) => {
    const { template } = (object.spec ?? {}) as { template?: { spec: Record<string, unknown> } }
    return object.kind === 'DaemonSet' && own === undefined && template !== undefined ? [template.spec] : []
  })

suite('what DaemonSets share', (test) => {
  for (const kind of ['ConfigMap', 'DaemonSet'] as const)
    test(`of a ${kind}: volumes and probes, and nothing that differs`, () => {
      const rendered = podsOf(kubescapeList(3, kind)).filter(({ affinity }) => affinity !== undefined)
      const containers = rendered.map(({ containers }) => (containers as Array<Record<string, unknown>>)[0])
      assert.ok(rendered.length >= 3)
      assert.is(new Set(rendered.map(({ volumes }) => volumes)).size, 1)
      assert.is(new Set(containers.map((one) => one?.livenessProbe)).size, 1)
      assert.ok(new Set(containers.map((one) => one?.resources)).size >= 3)
    })
})
