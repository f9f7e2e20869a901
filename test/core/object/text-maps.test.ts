/** A number where text must be: the key that has it is named. */
import * as assert from 'uvu/assert'
import { valueProblem } from '../../../src/core/object/secrets.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { said } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a'])])
const labels = { app: 'agent', port: 5 }
const pod = { containers: [{ name: 'agent' }] }
const selector = { matchLabels: { app: 'agent' } }

const ROWS: Array<[path: string, spec: object]> = [
  [
    'spec.selector.matchLabels.port',
    { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
  ],
  ['spec.template.metadata.labels.port', { selector, template: { metadata: { labels }, spec: pod } }],
  [
    'spec.template.spec.nodeSelector.port',
    { selector, template: { metadata: { labels: { app: 'agent' } }, spec: { ...pod, nodeSelector: { port: 5 } } } },
  ],
]

suite('a number where text must be', (test) => {
  for (const [path, spec] of ROWS)
    test(path, () => {
      const result = plan(listOf([NODES, policy(), { ...daemonSet(), spec } as ReturnType<typeof daemonSet>]))
      const [message = ''] = said(result, 'TemplateInvalid')
      assert.match(message, `DaemonSet agent: ${path} is 5, not text: write it in quotes. `)
      assert.equal(result.findings.find(({ code }) => code === 'TemplateInvalid')?.field, { path, currentValue: 5 })
    })
  test('in what is no map nothing is named', () => {
    for (const map of ['a', null, undefined, 5, []]) assert.is(valueProblem('p', map), undefined)
    assert.is(valueProblem('p', { a: 'b' }), undefined)
    assert.is(valueProblem('p', { a: {} })?.sentence, 'is not text')
  })
})
