/** The page of a run: each figure is found by its path, and no name can become markup. */
import * as assert from 'uvu/assert'
import { type FleetJson, fleetJson } from '../../../src/face/index.ts'
import { reportPage } from '../../../src/face/page/index.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { container } from '../../support/fit.ts'
import { config, daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../../support/objects.ts'
import { figuresIn, tagsIn, wrongFigures } from '../../support/page-figures.ts'
import { rerender, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const NODES = inventory([
  shape({ [OS]: 'linux', [TYPE]: 'small' }, ['a', 'b'], '2', '4Gi'),
  shape({ [OS]: 'linux', [TYPE]: 'large' }, ['c', 'd', 'e', 'f'], '16', '64Gi'),
  shape({ [OS]: 'windows', [TYPE]: 'small' }, ['w'], '2', '4Gi'),
])
const AGENT = daemonSet({
  nodeSelector: { [OS]: 'linux' },
  containers: [container('agent', { cpu: '100m', memory: '200Mi' }, { memory: '400Mi' }), container('reload', {})],
})
const USAGE = {
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'WorkloadSnapshot',
  metadata: { name: 'prod' },
  spec: {
    cluster: 'prod',
    usage: [{ policy: 'agent', container: 'agent', group: 'value:large', seen: { cpu: '160m', memory: '300Mi' } }],
  },
}
const FIRST = [config({}), NODES, policy(), AGENT, USAGE]
const BASE = '/3/fleet'
const PRICES = new Map([['small', 0.1]])

/** The page of a plan, and the document that it takes its figures from. */
function pageOf(one: Plan): { page: string; document: unknown; fleet: FleetJson } {
  const fleet = fleetJson(one, PRICES)
  return { page: reportPage(fleet, BASE), document: [{}, {}, {}, { fleet }], fleet }
}

const later = () => {
  const before = plan(listOf(FIRST))
  return rerender(before, (object) =>
    object.kind === 'SizingPolicy' ? withSpec(object, { minResources: { cpu: '300m', memory: '180Mi' } }) : object,
  )
}
const CASES: ReadonlyArray<readonly [name: string, result: () => Plan]> = [
  ['a first render', () => plan(listOf(FIRST))],
  ['sizes that change', later],
  ['two agents', () => plan(listOf([...FIRST, policy({ targetRef: { name: 'other' } }, 'other'), otherAgent()]))],
  ['many groups', () => plan(listOf([MANY, policy(), AGENT]))],
  ['no agent', () => plan(listOf([NODES]))],
  ['no nodes', () => plan(listOf([config({ allow: ['NoNodes', 'NoGroups'] }), inventory([]), policy(), AGENT]))],
  ['a render with errors', () => plan(listOf([NODES, policy()]))],
  ['nothing', () => plan(listOf([]))],
]

const MANY = inventory(
  Array.from({ length: 70 }, (_, at) =>
    shape({ [OS]: 'linux', [TYPE]: `t${at}` }, [`n${at}`], `${2 + at}`, `${4 + at}Gi`),
  ),
)

function otherAgent() {
  const { spec, ...rest } = AGENT as { spec: object } & typeof AGENT
  return { ...rest, metadata: { name: 'other' }, spec: { ...spec, selector: { matchLabels: { app: 'agent' } } } }
}

suite('the page of a run', (test) => {
  for (const [name, result] of CASES)
    test(`${name}: each figure is what its path finds`, () => {
      const { page, document } = pageOf(result())
      assert.equal(wrongFigures(figuresIn(page), document), [])
    })
  test('shows the figures of each group', () => {
    const { page, fleet } = pageOf(plan(listOf(FIRST)))
    const shown = new Set(figuresIn(page).map(({ path }) => path))
    const groups = fleet.packages[0]?.agents[0]?.groups ?? []
    assert.ok(groups.length >= 3)
    for (const [index, { containers, allocatable }] of groups.entries()) {
      const path = `${BASE}/packages/0/agents/0/groups/${index}`
      assert.ok(shown.has(`${path}/nodes`))
      for (const resource of ['cpu', 'memory'] as const) {
        if (allocatable !== undefined) assert.ok(shown.has(`${path}/allocatable/${resource}`))
        for (const [at, container] of containers.entries())
          for (const [amount, value] of Object.entries(container[resource]))
            for (const key of Object.keys(value as object))
              if (amount === 'request' || (amount === 'limit' && !key.startsWith('template')))
                if ((value as Record<string, unknown>)[key] !== null)
                  assert.ok(shown.has(`${path}/containers/${at}/${resource}/${amount}/${key}`), `${path} ${key}`)
      }
    }
    const used = groups.find(({ kind, name }) => kind === 'value' && name === 'agent-large')?.containers[0]
    assert.equal([used?.cpu.used, used?.cpu.usedPercent], ['160m', 1])
    assert.is(figuresIn(page).filter(({ path }) => path.endsWith('/used')).length, 2)
  })
  test('a single pod and node are not said in the plural', () => {
    const one = inventory([shape({ [OS]: 'linux', [TYPE]: 'small' }, ['a'], '2', '4Gi')])
    const { page } = pageOf(plan(listOf([one, policy(), AGENT])))
    const text = page.replaceAll(/<[^>]*>/g, '')
    assert.match(text, 'Its 1 pod requests 0.')
    assert.match(text, 'on the nodes with a price, 1 of 1.')
    assert.not.match(text, /\b1 (pods|nodes)\b/)
  })
  test('groups beyond sixty are a line each, with the same figures', () => {
    const { page } = pageOf(plan(listOf([MANY, policy(), AGENT])))
    const figures = figuresIn(page)
    assert.ok(page.includes('data-row=61/containers/0'))
    for (const key of ['nodes', 'containers/0/cpu/request/after', 'containers/0/memory/limit/percent'])
      assert.ok(
        figures.some(({ path }) => path === `${BASE}/packages/0/agents/0/groups/61/${key}`),
        key,
      )
  })
  test('a bar is as wide as its share on the one scale of the page', () => {
    const { page } = pageOf(plan(listOf(FIRST)))
    const [, most = ''] = /data-most=(\S+?)>/.exec(page) ?? []
    const rows = page.split('<tr ').slice(1)
    const cells = rows.flatMap((row) => row.split('<td>').slice(1))
    let bars = 0
    for (const cell of cells) {
      const [, width] = /<rect class=r width=([\d.]+)%/.exec(cell) ?? []
      const [, share] = /request\/percent>([\d.]+)</.exec(cell) ?? []
      assert.is(width === undefined, share === undefined)
      if (width === undefined) continue
      bars++
      assert.ok(Math.abs(Number(width) - (Number(share) * 100) / Number(most)) < 0.02, `${width} ${share} ${most}`)
    }
    assert.ok(bars >= 4, String(bars))
  })
  test('figures before and after, where they change', () => {
    const { page } = pageOf(later())
    const changed = figuresIn(page).filter(({ path }) => path.endsWith('/request/before'))
    assert.ok(changed.length > 0)
    assert.ok(figuresIn(page).some(({ path }) => path === `${BASE}/totals/before/cores`))
  })
  test('says that a render with errors is not applied, and shows them with what to do', () => {
    const { page, fleet } = pageOf(plan(listOf([NODES, policy()])))
    assert.is(fleet.failed, true)
    assert.match(page, 'nothing of it would be applied')
    assert.match(page, /error: \w+<\/b>/)
    assert.not.match(page, '<table')
  })
  test('names nodes by their type with the agents on each, and what these cost', () => {
    const { page, fleet } = pageOf(plan(listOf(FIRST)))
    const shown = new Set(figuresIn(page).map(({ path }) => path))
    for (const [index, { agents }] of (fleet.packages[0]?.nodes ?? []).entries()) {
      const path = `${BASE}/packages/0/nodes/${index}`
      for (const key of ['nodes', 'requested/cpu', 'requested/memory', 'allocatable/cpu', 'allocatable/memory'])
        assert.ok(shown.has(`${path}/${key}`), `${path}/${key}`)
      for (const at of agents.keys()) assert.ok(shown.has(`${path}/agents/${at}/cpu`))
    }
    for (const key of ['cost/month/after', 'packages/0/fullest/percent', 'packages/0/agents/0/cost/hour/after'])
      assert.ok(shown.has(`${BASE}/${key}`), key)
  })
  test('nodes beside the groups are named with the reason', () => {
    assert.match(pageOf(plan(listOf(FIRST))).page, /1<\/i> node without an agent: [^<]+: <bdi>w<\/bdi>/)
  })
})

const HOSTILE: ReadonlyArray<readonly [name: string, text: string]> = [
  ['a script', '<script>alert(1)</script>'],
  ['an attribute', `" onload=alert(1) x='`],
  ['the end of an element', '</bdi></table></style><img src=x onerror=alert(1)>'],
  ['an entity', '&lt;script&gt;'],
  ['a comment', '<!--'],
  ['right to left', 'עברית عربي'],
  ['an override of direction', 'a\u202Eb\u2066c'],
  ['253 characters', 'x'.repeat(253)],
]

/** The same with another text for each text; keys and what the page knows itself stay. */
function withTexts<T>(value: T, text: string): T {
  const known = ['value', 'remainder', 'default', 'added', 'changed', 'error', 'warning', 'info']
  if (typeof value === 'string') return (known.includes(value) ? value : text) as T
  if (Array.isArray(value)) return value.map((one) => withTexts(one, text)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one, text)])) as T
}

suite('names on the page of a run', (test) => {
  const fleet = fleetJson(plan(listOf(FIRST)), PRICES)
  const tags = tagsIn(reportPage(withTexts(fleet, 'x'), BASE))
  for (const [name, text] of HOSTILE)
    test(`${name} stays text`, () => {
      const page = reportPage(withTexts(fleet, text), BASE)
      assert.equal(tagsIn(page), tags)
      assert.not.match(page, /[\u202a-\u202e\u2066-\u2069]/)
      assert.not.match(page.replaceAll(/"[^"]*"/g, ''), /<[^>]* on[a-z]+=/)
    })
  test('the page holds no script, loads nothing, and forbids both', () => {
    assert.not.ok(tags.includes('script'))
    const page = reportPage(fleet, BASE)
    assert.match(page, `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`)
    assert.not.match(page, /\b(?:src|href)=["']?(?!#|data:)/)
    assert.not.match(page, /url\(|@import/)
  })
})
