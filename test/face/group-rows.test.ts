/** What was, what is, and which of the two is less. */
import * as assert from 'uvu/assert'
import { groupRows } from '../../src/face/group-rows.ts'
import { type Paint, reportLines } from '../../src/face/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { container } from '../support/fit.ts'
import { config, daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../support/template.ts'

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null, maxShrinkPercent: null } })
/** A node of 10 cores and 10Gi: 1 core and 1Gi, 2 cores and 2Gi. */
const NODES = inventory([shape({ [OS]: 'linux', [TYPE]: 'x' }, ['a'], '10', '10Gi')])
const TENTH = { requestCPU: 10, requestMemory: 10, limitCPU: 20, limitMemory: 20 }
const BARE = {
  remainder: false,
  defaultNodeGroup: '',
  minResources: { cpu: '1m', memory: '1Mi' },
  maxResources: { cpu: '100', memory: '1Ti' },
}
const sized = (percentages: object = {}, more: object = {}) =>
  policy({ resourcePercentages: { ...TENTH, ...percentages }, ...BARE, ...more })
const first = (pod: Record<string, unknown>, percentages: object = {}, more: object = {}) =>
  plan(listOf([FREE, NODES, sized(percentages, more), daemonSet(pod)]))

/** Each container with its amounts: `<` where it is less, `>` more, `=` the same, `?` where what was is not known. */
function rowsOf({ packages, failed }: Plan): string[] {
  assert.is(failed, false)
  return packages.flatMap(({ planned }) =>
    planned.flatMap((one) =>
      groupRows(one).flatMap(({ kind, containers }) =>
        containers.map(({ name, amounts }) => {
          const signs = amounts.map(({ before, after, isBeforeKnown, comparison }) => {
            const sign = isBeforeKnown ? (comparison < 0 ? '<' : comparison > 0 ? '>' : '=') : '?'
            return `${before ?? '-'}${sign}${after ?? '-'}`
          })
          return `${kind} ${name}: ${signs.join(' ')}`
        }),
      ),
    ),
  )
}

const agent = (requests?: object, limits?: object) => ({ containers: [container('agent', requests, limits)] })

const ROWS: Array<[name: string, result: () => Plan, want: string[]]> = [
  [
    'none is less than a request, and more than any limit',
    () => first(agent({ cpu: '1' }, { cpu: '2' }), { requestCPU: null, limitCPU: null }),
    ['added agent: 1<- ->1Gi 2>- -<2Gi'],
  ],
  [
    'a limit without a request is the request, too, as Kubernetes takes it and the totals count it',
    () => first(agent(undefined, { cpu: '1' }), { requestCPU: null, requestMemory: null }),
    ['added agent: 1>2 ->2Gi 1>2 -<2Gi'],
  ],
  [
    'amounts that are written otherwise are the same',
    () => first(agent({ cpu: 1, memory: '1024Mi' }, { cpu: '2000m', memory: '2147483648' })),
    ['added agent: 1=1 1024Mi=1Gi 2000m=2 2147483648=2Gi'],
  ],
  [
    'a difference that one unit would round away is written as it is',
    () => first(agent({ cpu: '1', memory: '1073741825' })),
    ['added agent: 1=1 1073741825<1Gi -<2 -<2Gi'],
  ],
  [
    'what a template leaves open was nothing that is known, and makes no other container a row',
    () => plan(listOf([NODES, kubescapePolicy(BARE), templateMap(), operatorConfig(false)])),
    ['added node-agent: -?200m -?204Mi -?500m -?512Mi'],
  ],
  [
    'an init container is a row where it is sized',
    () =>
      first(
        {
          containers: [container('main')],
          initContainers: [container('agent', { cpu: '1' }, undefined, { restartPolicy: 'Always' })],
        },
        {},
        { containers: [{ name: 'agent', share: 100 }] },
      ),
    ['added agent: 1=1 ->1Gi -<2 -<2Gi'],
  ],
  [
    'a container that came with a new template is a row where its amounts differ; what went is none',
    () =>
      rerender(first({ containers: [container('agent'), container('old', { cpu: '1' })] }), (object) => {
        const containers = [container('agent'), container('new', { cpu: '1' }), container('bare')]
        const isTemplate = object.kind === 'DaemonSet' && object.metadata.name === 'agent'
        return isTemplate ? withSpec(object, daemonSet({ containers }).spec as object) : object
      }),
    ['changed agent: 1=1 1Gi=1Gi 2=2 2Gi=2Gi', 'changed new: ->1 -=- -=- -=-'],
  ],
]

suite('the rows of a table', (test) => {
  for (const [name, result, want] of ROWS) test(name, () => assert.equal(rowsOf(result()), want))
})

suite('what is painted', (test) => {
  const marks: Paint = (role, text) => `<${role} ${text}>`
  const lines = (result: Plan) => reportLines(result, false, marks).filter((line) => !line.includes('nodefit:'))
  const SIZES = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '4', memory: '1Gi' } }
  test('what is less, and nothing that is more', () => {
    const [, row = ''] = lines(first({ containers: [container('agent', SIZES.requests, SIZES.limits)] }))
    assert.match(row, '<less 4 -> 2>')
    assert.not.match(row, /less 1Gi/)
  })
  test('what is unchanged is quiet, the name too', () => {
    const second = rerender(first({ containers: [container('agent', SIZES.requests)] }), (object) => object)
    const [, row = ''] = lines(second)
    assert.match(row, /^<quiet agent-x>/)
    assert.not.match(row, 'less')
  })
  test('an amount that a user wrote does not steer a terminal', () => {
    const second = rerender(first({ containers: [container('agent')] }), (object): KubernetesObject => {
      const spec = { template: { spec: { containers: [container('agent', { cpu: '\x1b[2J' })] } } }
      return object.metadata.name === 'agent-x' ? withSpec(object, spec) : object
    })
    assert.not.ok(reportLines(second, false, marks).join('').includes('\x1b'))
  })
})
