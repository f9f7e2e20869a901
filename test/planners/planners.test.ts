/** One suite over all planners, and over two toys that show what a new one takes: a folder, and a line in a list. */
import * as assert from 'uvu/assert'
import { PACKAGE_PATH, withoutWire } from '../../src/krm/annotation.ts'
import { newItem, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { OWNER, ownerName, ownerOf } from '../../src/krm/remembered.ts'
import type { Item, KubernetesObject, ResourceList } from '../../src/krm/types.ts'
import { planOf } from '../../src/plan.ts'
import type { Plan } from '../../src/types.ts'
import { config, listOf } from '../support/objects.ts'
import { suite } from '../support/suite.ts'
import { nodesOf, SAMPLES, type Sample } from './samples.ts'

const list = (items: readonly Item[]): ResourceList => ({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
const fed = ({ items }: Plan) => readResourceList(writeResourceList(list(items)))
const bytes = ({ items }: Plan) => writeResourceList(list(items))
const errors = ({ findings }: Plan) => findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)
const ours = ({ items }: Plan) => items.filter(({ object }) => ownerOf(object) !== undefined)
const printed = (plan: Plan) =>
  ours(plan)
    .map(({ object }) => JSON.stringify(withoutWire(object)))
    .sort()
const kinds = ({ packages }: Plan) => packages.flatMap(({ changes }) => changes.map(({ kind }) => kind))
const only = (all: readonly string[]) => [...new Set(all)]

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

for (const sample of SAMPLES) check(sample)

function check({ name, planners, leaves, objects, disabled, broken }: Sample): void {
  const plan = planOf(planners)
  const nodes = nodesOf('n', 'm5', 'c5')
  const first = () => plan(listOf([nodes, ...objects('one', 'm5')]))
  const changed = (from: Plan, change: (object: KubernetesObject) => KubernetesObject | undefined) =>
    plan(
      list(
        fed(from).items.flatMap(({ object }) => {
          const made = change(object)
          return made === undefined ? [] : [newItem(made)]
        }),
      ),
    )
  const isSubject = (object: KubernetesObject) => {
    const [subject] = objects('one', 'm5')
    return object.kind === subject?.kind && object.metadata.name === 'one' && ownerOf(object) === undefined
  }

  const [{ kind } = nodes] = objects('one', 'm5')
  const owner = ownerName(kind, 'one')

  suite(name, (test) => {
    test('it renders something, and says so first', () => {
      const made = first()
      assert.equal(errors(made), [])
      assert.ok(ours(made).length > 0)
      assert.match(made.findings[0]?.code ?? '', /Summary$/)
    })
    test('it is pure: frozen input, the same twice', () => {
      const input = frozen(listOf([nodes, ...objects('one', 'm5')]))
      assert.is(bytes(plan(input)), bytes(plan(input)))
    })
    test('the order of its input changes nothing', () => {
      const turned = plan(listOf([nodes, ...objects('one', 'm5')].reverse()))
      assert.equal(printed(turned), printed(first()))
    })
    test('output fed back gives the same bytes', () => {
      const again = plan(fed(first()))
      assert.is(bytes(again), bytes(first()))
      assert.equal(only(kinds(again)), ['unchanged'])
    })
    test('output given apart is the same, and counted as such', () => {
      const made = first()
      const input = listOf([nodes, ...objects('one', 'm5')])
      const apart = plan(list(input.items.map(({ object }) => newItem(withoutWire(object)))), { earlier: fed(made) })
      assert.equal(printed(apart), printed(made))
      assert.equal(only(kinds(apart)), ['unchanged'])
    })
    test('two of a kind render what each renders alone', () => {
      const alone = [plan(listOf([nodes, ...objects('one', 'm5')])), plan(listOf([nodes, ...objects('two', 'c5')]))]
      const both = plan(listOf([nodes, ...objects('one', 'm5'), ...objects('two', 'c5')]))
      assert.equal(errors(both), [])
      assert.equal(printed(both), alone.flatMap(printed).sort())
    })
    test('a copy of its subject is refused', () => {
      const [subject = nodes] = objects('one', 'm5')
      assert.ok(errors(plan(listOf([nodes, ...objects('one', 'm5'), subject]))).includes('DuplicatePolicy'))
    })
    test('several packages do not see each other', () => {
      const placed = (path: string, all: KubernetesObject[]) =>
        listOf(all).items.map(({ object: { metadata, ...object } }) =>
          newItem({
            ...object,
            metadata: { ...metadata, annotations: { ...metadata.annotations, [PACKAGE_PATH]: path } },
          } as KubernetesObject),
        )
      const made = plan(
        list([
          ...placed('parent', [nodesOf('p', 'm5'), ...objects('one', 'm5')]),
          ...placed('parent/child', [nodesOf('c', 'm5'), ...objects('one', 'm5')]),
        ]),
      )
      assert.equal(errors(made), [])
      for (const [index, prefix] of ['p-', 'c-'].entries()) {
        const { planned = [] } = made.packages[index] ?? {}
        assert.ok(planned.every((one) => one.nodes.every((node) => node.startsWith(prefix))))
      }
    })
    test('without its subject what it rendered is an orphan, and goes or is let go where that is allowed', () => {
      const made = first()
      const without = (object: KubernetesObject) => (isSubject(object) ? undefined : object)
      assert.ok(errors(changed(made, without)).includes('OrphanedOutput'))
      const allowed = plan(list([newItem(config({ allow: ['OrphanedOutput'] })), ...fed(changed(made, without)).items]))
      assert.equal(errors(allowed), [])
      const names = ours(made)
        .filter(({ object }) => ownerOf(object) === owner)
        .map(({ object }) => object.metadata.name)
      const left = allowed.items.filter(({ object }) => names.includes(object.metadata.name) && object.kind !== 'Order')
      if (leaves === 'removed')
        assert.equal(
          left.filter(({ object }) => ownerOf(object) !== undefined),
          [],
        )
      else
        assert.equal(
          left.map(({ object }) => object.metadata.annotations?.[OWNER]),
          names.map(() => undefined),
        )
    })
    if (disabled !== undefined)
      test('disabled it renders nothing, and enabled again what it had rendered', () => {
        const made = first()
        const off = changed(made, (object) => (isSubject(object) ? disabled(object) : object))
        assert.equal(errors(off), [])
        assert.equal(
          ours(off).filter(({ object }) => ownerOf(object) === owner),
          [],
        )
        if (leaves === 'released') return
        const back = changed(off, (object) => (isSubject(object) ? objects('one', 'm5')[0] : object))
        assert.equal(printed(back), printed(made))
      })
    test('one that fails takes a good one along, and every item leaves as it came', () => {
      const [bad = nodes, ...beside] = objects('two', 'c5')
      const input = listOf([nodes, ...objects('one', 'm5'), broken(bad), ...beside])
      const failed = plan(input)
      assert.ok(errors(failed).length > 0)
      assert.is(failed.items, input.items)
    })
    test('a name that is taken is left alone', () => {
      const [rendered] = ours(first()).filter(({ object }) => ownerOf(object) === owner)
      const { annotations: _, ...metadata } = rendered?.object.metadata ?? { name: '' }
      const foreign = { ...rendered?.object, metadata } as KubernetesObject
      const taken = plan(listOf([nodes, ...objects('one', 'm5'), foreign]))
      assert.ok(taken.failed)
    })
  })
}

suite('planners in turn', (test) => {
  test('a later planner reads what the earlier ones planned', () => {
    const [, , , , , toy] = SAMPLES
    const made = planOf(toy?.planners ?? [])(listOf([nodesOf('n', 'm5', 'c5'), ...(toy?.objects('one', 'm5') ?? [])]))
    const marks = ours(made)
      .filter(({ object }) => object.kind === 'Node')
      .map(({ object }) => [object.metadata.name, object.metadata.labels?.['example.com/agents']])
    assert.equal(marks, [
      ['n-m5-1', '1'],
      ['n-m5-2', '1'],
    ])
  })
})
