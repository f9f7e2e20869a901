/** Whatever a field of anybody's object holds, a render answers with findings: it never throws, nor makes a bad result. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { render } from '../src/face/render.ts'
import { KrmError } from '../src/krm/error.ts'
import { newItem } from '../src/krm/index.ts'
import { isDeepEqual } from '../src/krm/map.ts'
import { asObject } from '../src/krm/read-object.ts'
import type { Item, KubernetesObject, ResourceList, Result } from '../src/krm/types.ts'
import { writeYaml } from '../src/krm/write-yaml.ts'
import { CODES } from '../src/rules/all-codes.ts'
import { goldenLists, type NamedList, ownLists } from './support/lists.ts'
import { CHANGES, type Change, mutate, type Path, pathsOf, setTo } from './support/mutate.ts'
import { AMBIGUOUS } from './support/strings.ts'
import { suite } from './support/suite.ts'

const SEED = 20_250_101
const DRAWN = 2500
/** How many of these changes are made to each field, in turn. */
const AT_ONCE = 2
/** The changes that are made to fields of every kind; the others are drawn. */
const EVERYWHERE = ['null', 'zero', 'a word', 'a list of null', 'a map that hides what every object has']

const own = ownLists().map(frozen)
const lists = [...own, ...goldenLists().map(frozen)]
const changes = new Map<string, Change>([
  ...Object.entries(CHANGES),
  ...AMBIGUOUS.map((text): [string, Change] => [JSON.stringify(text), setTo(text)]),
])

/** One change at one place of a list. */
interface Mutation {
  readonly item: number
  readonly path: Path
  readonly change: string
}

/** A field of the last object of a kind that has it, what is put there, and the code that answers; without one no error. */
type Answer = readonly [list: string, kind: string, path: string, value: unknown, code?: string]

const NODES = 'Nodes and two policies of one target'
const ORDERS = 'Orders with Quotas and Tickets by hand'
const PREFERENCE =
  'spec.template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.preference'
const REQUIRED =
  'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0'
const CONTAINER = 'spec.template.spec.containers.0'
const LONG = 9007199254740993n

const ANSWERS: readonly Answer[] = [
  [`${NODES} rendered`, 'DaemonSet', 'spec.selector.matchExpressions.0.operator', 'Foo', 'SelectorChanged'],
  [`${NODES} rendered`, 'DaemonSet', 'spec.selector.matchExpressions', 5, 'SelectorChanged'],
  [`${NODES} rendered`, 'DaemonSet', 'spec.selector.matchLabels.app', null, 'SelectorChanged'],
  [`${NODES} rendered`, 'DaemonSet', 'spec.selector.matchLabels.app', 'm5 4xlarge', 'SelectorChanged'],
  [`${NODES} rendered`, 'DaemonSet', 'metadata.name', 0, 'GroupRemoved'],
  [NODES, 'Node', 'metadata.name', null, 'InventoryInvalid'],
  [NODES, 'Node', 'status.nodeInfo.osImage', 0, 'InventoryInvalid'],
  ['a rich policy', 'DaemonSet', `${REQUIRED}.matchFields.0.operator`, LONG, 'TemplateInvalid'],
  ['a rich policy', 'DaemonSet', `${CONTAINER}.resources.requests`, 'x', 'TemplateInvalid'],
  ['a rich policy', 'DaemonSet', `${CONTAINER}.securityContext`, 'x', 'TemplateInvalid'],
  ['a rich policy', 'DaemonSet', 'metadata.annotations', { 'argocd.argoproj.io/sync-options': null }],
  ['a rich policy', 'SizingPolicy', 'spec.nodeSelector', { constructor: 'x' }, 'NoGroups'],
  [ORDERS, 'Order', `${PREFERENCE}.matchExpressions`, [null], 'OrderInvalid'],
  [ORDERS, 'Order', `${PREFERENCE}.matchExpressions.0.values`, [5], 'OrderInvalid'],
  [ORDERS, 'Order', 'spec.template.spec.affinity.podAffinity', { x: [LONG] }],
  [ORDERS, 'Quota', 'spec.scope.namespaceSelector.matchExpressions', 5, 'QuotaNotEvaluated'],
  [ORDERS, 'Ticket', 'spec.resources.requests', 'x'.repeat(10_000)],
  [`${ORDERS} paused`, 'Ticket', 'metadata.name', 0],
]

type Way = 'as items' | 'as earlier output' | 'as functionConfig'

suite('a render of what nobody should have written', (test) => {
  for (const answer of ANSWERS) {
    const [list, kind, path, value, code] = answer
    test(`${list}: ${kind} ${path} is ${shown(value)}: ${code ?? 'no error'}`, () => {
      const codes = codesAfter(answer)
      if (code === undefined)
        assert.not.ok(
          codes.some((one) => one.startsWith('error')),
          codes.join(),
        )
      else
        assert.ok(
          codes.some((one) => one.endsWith(` ${code}`)),
          codes.join(),
        )
    })
  }
  test('another policy’s output with an affinity that cannot be read, in a run for one policy', () => {
    const items = [...(own.find(({ name }) => name === `${NODES} rendered`)?.items ?? [])]
    const functionConfig = items.find(({ object }) => object.kind === 'SizingPolicy')
    for (const affinity of [{ operator: 'Foo', key: 'a' }, 5, null, { key: 5 }]) {
      const nodeSelectorTerms = [{ matchExpressions: [affinity] }]
      const required = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
      const changed = items.map((item) => {
        const isOurs = item.object.metadata.annotations?.['nodefit.dev/owner'] !== undefined
        const path = ['spec', 'template', 'spec', 'affinity']
        return newItem((isOurs && mutate(item.object, path, setTo(required))) || item.object)
      })
      const codes = render({ ...listOf(changed), functionConfig }).results.map(({ tags }) => tags?.code)
      assert.ok(codes.includes('OutputUnreadable'), codes.join())
    }
  })
  test('every field of every kind, changed one at a time', () => {
    let count = 0
    for (const [index, { list, item, path }] of everyField(own).entries())
      for (const [turn, change] of EVERYWHERE.entries())
        if ((index + turn) % EVERYWHERE.length < AT_ONCE && check(list, [{ item, path, change }], 'as items')) count++
    assert.ok(count > 600, `${count} objects could be made`)
  })
  test('several fields at once, also in earlier output and in the functionConfig', () => {
    const place = fc.record({ item: fc.nat(), path: fc.nat(), change: fc.constantFrom(...changes.keys()) })
    const way = fc.constantFrom<Way>('as items', 'as items', 'as earlier output', 'as functionConfig')
    fc.assert(
      fc.property(
        fc.constantFrom(...lists),
        fc.array(place, { minLength: 1, maxLength: 3 }),
        way,
        (list, places, way) => {
          const mutations = places.map(({ item, path, change }): Mutation => {
            const at = item % list.items.length
            const paths = pathsIn(list.items[at])
            return { item: at, path: paths[path % paths.length] ?? [], change }
          })
          check(list, mutations, way)
        },
      ),
      { seed: SEED, numRuns: DRAWN },
    )
  })
})

/** What is said once a field holds another value. */
function codesAfter([name, kind, path, value]: Answer): string[] {
  const list = own.find((one) => one.name === name)
  const steps = path.split('.').map((key) => (/^[0-9]+$/.test(key) ? Number(key) : key))
  const items = [...(list?.items ?? [])]
  const at = items.findLastIndex(({ object }) => object.kind === kind && mutate(object, steps, setTo(value)))
  const changed = mutate(items[at]?.object ?? {}, steps, setTo(value))
  assert.ok(changed, `${name} has no ${kind} ${path}`)
  items[at] = newItem(changed as KubernetesObject)
  return render(listOf(items)).results.map(({ severity, tags }) => `${severity} ${tags?.code}`)
}

/** Renders a list with changes in it, and what came out once more; false where no host could give such an object. */
function check(list: NamedList, mutations: readonly Mutation[], way: Way): boolean {
  const items = [...list.items]
  for (const { item, path, change } of mutations) {
    const changed = changedObject(items[item], path, change)
    if (changed === undefined) return false
    items[item] = newItem(changed)
  }
  const given = listOf(way === 'as earlier output' ? (list.before ?? list.items) : items)
  const functionConfig = way === 'as functionConfig' ? items[mutations[0]?.item ?? 0] : undefined
  const options = way === 'as earlier output' ? { earlier: listOf(items) } : {}
  try {
    const once = render(functionConfig === undefined ? given : { ...given, functionConfig }, options)
    for (const result of once.results) checkResult(result)
    writeYaml(once.results)
    if (once.results.some(({ severity }) => severity === 'error')) return true
    const again = render({ ...once, results: [] }, options)
    // without the host's annotations what is new has no package
    if (mutations.every(({ path }) => !path.includes('annotations'))) checkSame(once, again)
  } catch (error) {
    const places = mutations.map(({ item, path, change }) => `${item} ${path.join('.')}: ${change}`)
    throw new Error(`${list.name}, ${way}: ${places.join('; ')}: ${(error as Error).stack}`, { cause: error })
  }
  return true
}

/** The object after a change; undefined where the change cannot be made, or the reader of the wire refuses it. */
function changedObject(item: Item | undefined, path: Path, name: string): KubernetesObject | undefined {
  const change = changes.get(name)
  if (item === undefined || change === undefined) return undefined
  const changed = mutate(item.object, path, change)
  try {
    return changed === undefined ? undefined : asObject(changed, 'the object')
  } catch (error) {
    if (error instanceof KrmError) return undefined
    throw error
  }
}

/** What comes out comes out again. */
function checkSame(once: ResourceList, again: ResourceList): void {
  const errors = again.results.filter(({ severity }) => severity === 'error')
  assert.equal(
    errors.map(({ message }) => message),
    [],
    'fed back',
  )
  assert.is(again.items.length, once.items.length, 'fed back')
  for (const [index, { object }] of again.items.entries())
    assert.ok(isDeepEqual(object, once.items[index]?.object), `fed back, item ${index} is another`)
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)).slice(0, 40)
}

function checkResult({ message, severity, tags, resourceRef, file, field }: Result): void {
  assert.ok(['error', 'warning', 'info'].includes(severity), String(severity))
  assert.ok(Object.hasOwn(CODES, tags?.code ?? ''), String(tags?.code))
  assert.ok(message.startsWith(`${tags?.code}: `), message)
  const texts = [...Object.values(resourceRef ?? {}), file?.path, field?.path].filter((value) => value !== undefined)
  for (const text of texts) assert.type(text, 'string')
  if (file?.index !== undefined) assert.type(file.index, 'number')
}

/** One place for each field of each kind, what we rendered apart from what it is rendered from. */
function everyField(lists: readonly NamedList[]): Array<{ list: NamedList; item: number; path: Path }> {
  const fields = new Map<string, { list: NamedList; item: number; path: Path }>()
  for (const list of lists)
    for (const [item, one] of list.items.entries())
      for (const path of pathsIn(one)) {
        const { kind, metadata } = one.object
        const isOurs = metadata.annotations?.['nodefit.dev/owner'] !== undefined
        const field = path.map((key) => (typeof key === 'number' ? '[]' : key)).join('.')
        const key = `${kind} ${isOurs ? 'of ours' : ''} ${field}`
        if (!fields.has(key)) fields.set(key, { list, item, path })
      }
  return [...fields.values()]
}

const known = new WeakMap<Item, Path[]>()

function pathsIn(item: Item | undefined): Path[] {
  if (item === undefined) return []
  const paths = known.get(item) ?? pathsOf(item.object)
  known.set(item, paths)
  return paths
}

function listOf(items: readonly Item[]): ResourceList {
  return { apiVersion: 'config.kubernetes.io/v1', items, results: [] }
}

/** A render changes nothing in its input: were it to try, it would throw. */
function frozen(list: NamedList): NamedList {
  for (const { object } of list.items) freeze(object)
  return list
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  Object.values(value).forEach(freeze)
}
