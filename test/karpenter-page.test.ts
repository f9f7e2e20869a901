/** What docs/daemonset/karpenter.md says: its policies are counted as they run, and what a new NodePool or instance type does. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import type { KubernetesObject } from '../src/krm/types.ts'
import { plan } from '../src/rules/run.ts'
import { listOf, TYPE } from './support/objects.ts'
import { suite } from './support/suite.ts'

const FOLDER = fileURLToPath(new URL('../testdata/karpenter', import.meta.url))
const POLICIES = readdirSync(FOLDER).filter((file) => file.startsWith('by-'))
const read = (file: string) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => document.toJS() as KubernetesObject)
const PACKAGE = ['inventory.yaml', 'nodepools.yaml', 'daemonset.yaml', 'render-config.yaml'].flatMap(read)

type Change = (object: KubernetesObject) => KubernetesObject[]

/** The codes of what is said of the autoscaler. */
function saidOf(policy: string, change: Change = (object) => [object]) {
  const made = plan(listOf([...PACKAGE, ...read(policy)].flatMap(change)))
  assert.is(made.failed, false, made.findings.map(({ sentence }) => sentence).join('\n'))
  return made.findings.filter(({ code }) => code.startsWith('Autoscaler')).map(({ code }) => code)
}

const newPool =
  (name: string, team?: string): Change =>
  (object) => {
    if (object.kind !== 'NodePool' || object.metadata.name !== 'blue') return [object]
    const { template } = structuredClone(object.spec) as { template: Record<string, unknown> }
    const labels = team === undefined ? {} : { team }
    return [object, { ...object, metadata: { name }, spec: { template: { ...template, metadata: { labels } } } }]
  }
const newType: Change = (object) => {
  if (object.kind !== 'NodeInventory') return [object]
  const spec = object.spec as { nodeCount: number; shapes: Array<{ labels: Record<string, string> }> }
  const [first] = spec.shapes
  const shape = { ...first, labels: { ...first?.labels, [TYPE]: 'm6.large' }, nodes: ['blue-2'] }
  return [{ ...object, spec: { ...spec, nodeCount: spec.nodeCount + 1, shapes: [...spec.shapes, shape] } }]
}

suite('the policies of the page are counted as they run', (test) => {
  test('there are some', () => assert.ok(POLICIES.length >= 8))
  for (const policy of POLICIES) {
    test(policy, () => assert.equal(saidOf(policy), []))
    test(`${policy}, with an instance type more`, () => assert.equal(saidOf(policy, newType), []))
    test(`${policy}, with a NodePool more`, () => assert.equal(saidOf(policy, newPool('green', 'green')), []))
    test(`${policy}, with a NodePool more of a team that there is`, () =>
      assert.equal(saidOf(policy, newPool('green', 'red')), []))
    test(`${policy}, with a NodePool that has no team`, () =>
      assert.equal(saidOf(policy, newPool('green')), policy === 'by-team.yaml' ? ['AutoscalerCounts'] : []))
  }
})
