/** docs/deliver/README.md: the fields that need the earlier output are those of its table, and no other. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { newItem } from '../src/krm/index.ts'
import type { KubernetesObject } from '../src/krm/types.ts'
import { plan } from '../src/rules/run.ts'
import { schemas, visitFields } from '../tools/generate/schemas.ts'
import { config, daemonSet, inventory, policy, shape, TYPE } from './support/objects.ts'
import { errorsOf, NOON, order, recurring, snapshot } from './support/orders.ts'
import { suite } from './support/suite.ts'

const KINDS = ['SizingPolicy', 'Order', 'RenderConfig', 'WorkloadSnapshot'] as const
type Kind = (typeof KINDS)[number]

const PAGE = readFileSync(new URL('../docs/deliver/README.md', import.meta.url), 'utf8')
const TABLE = [...PAGE.matchAll(/^\| `(\w+)` \| `spec\.([\w.]+)` \|/gm)].map(([, kind, field]) => `${kind} ${field}`)

const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a'])], { observedAt: NOON })
const NOTHING = { apiVersion: 'config.kubernetes.io/v1', items: [], results: [] }

/** What a field needs beside it. */
const BESIDE: Record<string, object> = { 'rollout.every': { rollout: { maxNodes: 1 } } }

/** A package with one of each kind, in which a field of one of them has a value. */
function withField(kind: Kind, path: string, value: unknown, base: object = {}): KubernetesObject[] {
  const spec = { ...base, ...nested(path.split('.'), value, base) } as Record<string, unknown>
  const is = (other: Kind) => (other === kind ? spec : {})
  const sizing = { targetRef: { name: 'agent' }, ...is('SizingPolicy') }
  const taken = kind === 'WorkloadSnapshot' ? [{ ...snapshot(), spec: { cluster: 'prod', ...spec } }] : []
  return [NODES, policy(sizing), daemonSet(), order(is('Order')), config(is('RenderConfig')), ...taken]
}

function nested([name = '', ...rest]: string[], value: unknown, base: object): Record<string, unknown> {
  const inner = (base as Record<string, object>)[name] ?? {}
  return { [name]: rest.length === 0 ? value : { ...inner, ...nested(rest, value, inner) } }
}

/** Whether a run without paths, and so without earlier output, fails for want of it. */
function fails(objects: readonly KubernetesObject[]): boolean {
  const list = { ...NOTHING, items: objects.map((object) => newItem(object)) }
  return errorsOf(plan(list)).includes('NeedsEarlierOutput')
}

suite('fields that need the earlier output', (test) => {
  const all = schemas()
  for (const kind of KINDS)
    test(`${kind}: each field that fails without it is in the table`, () => {
      const failing = new Set<string>()
      let tried = 0
      visitFields(all[kind], (path, field) => {
        // its fields are looked at one by one
        if (path === 'spec.rollout') return
        if (!path.startsWith('spec.') || path.includes('[]')) return
        const name = path.slice('spec.'.length)
        const values = [
          ...(field.examples ?? []),
          ...(field.enum ?? []),
          ...(field.type === 'boolean' ? [true, false] : []),
        ]
        if (field.type === 'array' && values.length === 0) values.push([])
        tried += values.length
        if (values.some((value) => fails(withField(kind, name, value, BESIDE[name])))) failing.add(`${kind} ${name}`)
      })
      assert.ok(tried > 5)
      assert.equal([...failing].sort(), TABLE.filter((one) => one.startsWith(`${kind} `)).sort())
    })
  test('no other kind is in the table, and each field once', () => {
    const ofKind = KINDS.flatMap((kind) => TABLE.filter((one) => one.startsWith(`${kind} `)))
    assert.equal([...new Set(ofKind)].sort(), [...TABLE].sort())
  })
  test('none of them fails a run that knows that there was none before, but those that keep what was', () => {
    for (const row of TABLE) {
      const [kind, path] = row.split(' ') as [Kind, string]
      let value: unknown = []
      visitFields(all[kind], (name, field) => {
        if (name === `spec.${path}`) value = field.examples?.[0] ?? []
      })
      const list = { ...NOTHING, items: withField(kind, path, value, BESIDE[path]).map((object) => newItem(object)) }
      const keeps = ['SizingPolicy suspend', 'Order paused'].includes(row)
      assert.is(errorsOf(plan(list, { earlier: NOTHING })).includes('NeedsEarlierOutput'), keeps, row)
    }
  })
  test('allowed, what would keep all renders nothing, and the others what they would without the field', () => {
    const allow = config({ allow: ['NeedsEarlierOutput'] })
    const made = (spec: object, orderSpec: Record<string, unknown>) => {
      const items = [NODES, policy({ targetRef: { name: 'agent' }, ...spec }), daemonSet(), order(orderSpec), allow]
      const result = plan({ ...NOTHING, items: items.map((object) => newItem(object)) })
      assert.equal(errorsOf(result), [])
      return result.items.map(({ object }) => `${object.kind} ${object.metadata.name}`).sort()
    }
    const plain = made({}, {})
    assert.equal(made({ hysteresisPercent: 5 }, {}), plain)
    assert.equal(
      made({ suspend: true }, { paused: true }),
      plain.filter((name) => !/^Ticket |^DaemonSet agent-/.test(name)),
    )
    assert.ok(plain.some((name) => /^Ticket /.test(name)) && plain.some((name) => /^DaemonSet agent-/.test(name)))
  })
  test('live Tickets do not need it where each fire time makes all Tickets anew', () => {
    const live = snapshot()
    const run = (made: KubernetesObject) => fails([NODES, made, live])
    assert.equal(
      [run(order()), run(order(recurring('0 * * * *', 'OnClaim'))), run(order(recurring('0 * * * *', 'Always')))],
      [true, true, false],
    )
    assert.is(run(order({ strategy: { type: 'Scheduled', schedule: '0 * * * *' } })), false)
  })
})
