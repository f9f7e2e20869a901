/** One suite over all planners, and over two toys that show what a new one takes: a folder, and a line in a list. */
import * as assert from 'uvu/assert'
import type { AnyPlanner, Planned, World } from '../../src/core/index.ts'
import { PACKAGE_PATH, withoutWireAnnotations } from '../../src/krm/identity.ts'
import { newItem, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { GROUP, OWNER, ownerName, ownerOf, RELEASED_BY } from '../../src/krm/remembered.ts'
import type { Item, KubernetesObject, ResourceList } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { planOf } from '../../src/rules/run.ts'
import { config, inventory, listOf, OS, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'
import { claimPlanner } from './claims/planner.ts'
import { nodeMarkPlanner } from './node-mark/planner.ts'
import { nodesOf, SAMPLES, type Sample } from './samples.ts'

const list = (items: readonly Item[]): ResourceList => ({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
const fed = ({ items }: Plan) => readResourceList(writeResourceList(list(items)))
const bytes = ({ items }: Plan) => writeResourceList(list(items))
const errors = ({ findings }: Plan) => findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)
const ours = ({ items }: Plan) => items.filter(({ object }) => ownerOf(object) !== undefined)
const printed = (plan: Plan) =>
  ours(plan)
    .map(({ object }) => JSON.stringify(withoutWireAnnotations(object)))
    .sort()
const kinds = ({ packages }: Plan) => packages.flatMap(({ changes }) => changes.map(({ kind }) => kind))
const only = (all: readonly string[]) => [...new Set(all)]

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

/** Errors and warnings with their sentences, but for those about the change itself. */
const warned = ({ findings }: Plan) =>
  findings
    .filter(({ severity, code }) => severity !== 'info' && !OF_THE_CHANGE.includes(code))
    .map(({ code, sentence }) => `${code}: ${sentence}`)
    .sort()
const OF_THE_CHANGE = ['OrderRetired', 'LosesAgent', 'TotalGrows']
const ALL = [...new Set(SAMPLES.flatMap(({ planners }) => planners))]
const uniqueObjects = (objects: readonly KubernetesObject[]) => [
  ...new Map(
    objects.map((object) => [`${object.kind} ${object.metadata.namespace} ${object.metadata.name}`, object]),
  ).values(),
]

const NAMES = ['n-1', 'n-2', 'n-3', 'n-4']

for (const sample of SAMPLES) check(sample)

function check(sample: Sample): void {
  const { name, planners, leaves, objects, disabled, shrunk, broken, avoidsNames, isSingle } = sample
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
      const apart = plan(list(input.items.map(({ object }) => newItem(withoutWireAnnotations(object)))), {
        earlier: fed(made),
      })
      assert.equal(printed(apart), printed(made))
      const rendered = apart.packages
        .flatMap(({ changes }) => changes)
        .filter(({ after }) => !after || !isSubject(after.object))
      assert.equal(only(rendered.map((change) => change.kind)), ['unchanged'])
    })
    if (isSingle !== true)
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
      // what another planner renders may have the same name
      const nameOf = ({ kind: of, metadata }: KubernetesObject) => `${of} ${metadata.name}`
      const names = ours(made)
        .filter(({ object }) => ownerOf(object) === owner)
        .map(({ object }) => nameOf(object))
      const left = allowed.items.filter(({ object }) => names.includes(nameOf(object)) && object.kind !== 'Order')
      if (leaves === 'removed')
        assert.equal(
          left.filter(({ object }) => ownerOf(object) !== undefined),
          [],
        )
      else
        assert.equal(
          left.map(({ object: { metadata } }) => [metadata.annotations?.[OWNER], metadata.annotations?.[RELEASED_BY]]),
          names.map(() => [undefined, owner]),
        )
      const leaving = allowed.packages
        .flatMap(({ changes }) => changes)
        .filter(({ before }) => before && names.includes(nameOf(before.object)) && before.object.kind !== 'Order')
      assert.equal(only(leaving.map(({ kind: change }) => change)), [leaves])
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
        const counted = off.findings.find(
          ({ subject, roles }) => roles?.includes('summary') && subject?.metadata.name === 'one',
        )
        assert.match(counted?.message ?? '', leaves === 'released' ? /, 0 removed, [1-9]/ : /, [1-9][0-9]* removed, 0/)
        // nothing is left to take away: the same again changes nothing
        assert.is(bytes(plan(fed(off))), bytes(off))
        const back = changed(off, (object) => (isSubject(object) ? objects('one', 'm5')[0] : object))
        assert.equal(errors(back), [])
        assert.equal(printed(back), printed(made))
      })
    if (disabled !== undefined && leaves === 'released')
      test('what it released is adopted by its mark, and by no other', () => {
        const off = changed(first(), (object) => (isSubject(object) ? disabled(object) : object))
        const marked = (mark: string | undefined) =>
          changed(off, (object) => {
            if (isSubject(object)) return objects('one', 'm5')[0]
            const { annotations = {}, ...metadata } = object.metadata
            const { [RELEASED_BY]: released, ...others } = annotations
            if (released === undefined) return object
            const kept = { ...others, ...(mark === undefined ? {} : { [RELEASED_BY]: mark }) }
            return { ...object, metadata: { ...metadata, annotations: kept } }
          })
        assert.equal(errors(marked(owner)), [])
        const refused = avoidsNames === true ? [] : ['ForeignObject']
        assert.equal(only(errors(marked(undefined))), refused)
        assert.equal(only(errors(marked(`${kind}/another`))), refused)
      })
    if (disabled !== undefined && leaves === 'released')
      test('what it released stays in a stream of manifests, run after run', () => {
        const bare = (all: readonly Item[]) => list(all.map(({ object }) => newItem(withoutWireAnnotations(object))))
        const input = (subject: (object: KubernetesObject) => KubernetesObject) => {
          const [head = nodes, ...rest] = objects('one', 'm5')
          return bare(listOf([nodes, subject(head), ...rest]).items)
        }
        const stream = (from: Plan) => bare(from.items)
        const off = plan(input(disabled), { earlier: stream(first()), keepsFiles: false })
        const released = ({ items }: Plan) =>
          items.filter(({ object }) => object.metadata.annotations?.[RELEASED_BY] === owner).map(({ object }) => object)
        assert.ok(released(off).length > 0)
        const again = plan(input(disabled), { earlier: stream(off), keepsFiles: false })
        assert.equal(released(again), released(off))
        const without = bare(listOf([nodes, ...objects('one', 'm5').slice(1)]).items)
        const gone = plan(without, { earlier: stream(off), keepsFiles: false })
        assert.equal(errors(gone), [])
        assert.equal(released(gone), released(off))
      })
    if (shrunk !== undefined)
      test('what it drops while it is enabled leaves as its planner has it', () => {
        const made = first()
        const small = changed(made, (object) => (isSubject(object) ? shrunk.of(object) : object))
        assert.equal(errors(small), [])
        const [one] = small.packages
          .flatMap(({ planned }) => planned)
          .filter(({ subject }) => isSubject(subject.object))
        const left = (one?.changes ?? []).filter(({ kind: change }) => change === 'removed' || change === 'released')
        assert.ok(left.length > 0)
        assert.equal(only(left.map(({ kind: change }) => change)), [shrunk.leaves])
        const reported = small.findings.filter(({ code }) => code === 'GroupReleased').length
        const groups = left.filter(({ before }) => before?.object.metadata.annotations?.[GROUP] !== undefined)
        assert.is(reported, shrunk.leaves === 'released' ? groups.length : 0)
        const names = left.map(({ before }) => before?.object.metadata.name)
        const present = small.items.filter(({ object }) => names.includes(object.metadata.name))
        assert.is(present.length, shrunk.leaves === 'removed' ? 0 : names.length)
      })
    test('beside every other planner, output fed back is judged as it was', () => {
      const everything = planOf(ALL)
      const beside = SAMPLES.filter((one) => one.name !== name).flatMap((one, index) =>
        one.objects(`other-${index}`, 'c5'),
      )
      const all = listOf([nodes, ...objects('one', 'm5'), ...uniqueObjects(beside)])
      const made = everything(all)
      assert.equal(errors(made), [])
      const again = everything(fed(made))
      assert.equal(warned(again), warned(made))
      assert.is(bytes(again), bytes(made))
    })
    test('a loss of most nodes that it serves trips a guard', () => {
      const fleet = (count: number) =>
        inventory([shape({ [TYPE]: 'm5', [OS]: 'linux', pool: 'm5' }, NAMES.slice(0, count))])
      const made = plan(listOf([fleet(4), ...objects('one', 'm5')]))
      assert.equal(errors(made), [])
      const served = made.packages.flatMap(({ planned }) => planned).find(({ subject }) => isSubject(subject.object))
      const lost = changed(made, (object) => (object.kind === 'NodeInventory' ? fleet(1) : object))
      const guarded = lost.findings.filter(
        ({ code, subject }) => code === 'GuardTripped' && subject?.metadata.name === 'one',
      )
      assert.is(guarded.length, served?.nodeCount === 0 ? 0 : 1)
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
      assert.is(taken.failed, avoidsNames !== true)
      assert.ok(
        taken.items.some(({ object }) => JSON.stringify(withoutWireAnnotations(object)) === printedText(foreign)),
      )
    })
  })
}

const printedText = (object: KubernetesObject) => JSON.stringify(withoutWireAnnotations(object))

suite('planners in turn', (test) => {
  const besideAgent = (beside: KubernetesObject) => {
    const toys = SAMPLES.find(({ planners }) => planners.includes(claimPlanner as AnyPlanner))
    return [nodesOf('n', 'm5', 'c5'), beside, ...(toys?.objects('one', 'm5') ?? []).slice(1)]
  }
  const own = (kind: string, spec: object): KubernetesObject => ({
    apiVersion: 'nodefit.dev/v1alpha1',
    kind,
    metadata: { name: 'one' },
    spec,
  })
  test('what proofs read is what the package holds after the change, in the first run as in the second', () => {
    const everything = planOf(ALL)
    const tight = besideAgent(own('QuotaSet', { label: TYPE, perNode: '0' }))
    const first = everything(listOf(tight))
    assert.equal(only(errors(first)), ['ResourceQuotaRefuses'])
    const rendered = everything(listOf(besideAgent(own('QuotaSet', { label: TYPE }))))
    const second = everything(
      list(
        fed(rendered).items.map(({ object }) => newItem(object.kind === 'QuotaSet' ? (tight[1] ?? object) : object)),
      ),
    )
    assert.equal(only(errors(second)), ['ResourceQuotaRefuses'])
  })
  test('a plan states what it asks of a new node: pods of the groups that it would be in, and Tickets', () => {
    const asked = planOf(ALL)(
      listOf(besideAgent(own('ClaimSet', { count: 1, cores: 2, labels: { pool: 'm5', [TYPE]: 'm5' } }))),
    )
    const demand = asked.packages.flatMap(({ planned }) => planned.flatMap((one) => one.demand))
    assert.equal(demand.map(({ kind, name, requests }) => [kind, name, String(requests?.cpu?.milliValue())]).sort(), [
      ['Ticket', 'one-order', '100'],
      ['pod', 'one-agent-default', '100'],
      ['pod', 'one-agent-m5', '100'],
      ['pod', 'one-agent-remainder', '100'],
    ])
    const [claim] = ours(asked).filter(({ object }) => object.kind === 'Claim')
    assert.equal(claim?.object.spec, { millicores: 2200 })
  })
  test('a field that a planner does not know stops the run, with the nearest one', () => {
    const wrong = planOf(ALL)(listOf([nodesOf('n', 'm5'), own('ClaimSet', { count: 1, cores: 2, cuont: 1 })]))
    assert.equal(errors(wrong), ['UnknownField'])
    assert.match(wrong.findings[0]?.sentence ?? '', /spec\.cuont is not a field \(did you mean count\?\)/)
  })
  test('a planner sees the keyring of the run, and none where none is given', () => {
    const seen: unknown[] = []
    const spy = {
      ...claimPlanner,
      plan: (all: readonly never[], world: World, before: readonly Planned[]) => {
        seen.push(world.trust?.keys)
        return claimPlanner.plan(all, world, before)
      },
    } as unknown as AnyPlanner
    const keyring = { k1: { alg: 'Ed25519' as const, key: 'AAAA' } }
    planOf([spy])(listOf([own('ClaimSet', { count: 0, cores: 1 })]), { keyring })
    planOf([spy])(listOf([own('ClaimSet', { count: 0, cores: 1 })]))
    assert.equal(seen, [keyring, undefined])
  })
  test('where nothing is asked for, every planner says what could be', () => {
    const none = planOf(ALL)(listOf([nodesOf('n', 'm5')]))
    const all = ALL.map(({ asksFor }) => `no ${asksFor}`).join(' and ')
    assert.ok(none.findings[0]?.sentence.includes(all), none.findings[0]?.sentence)
    assert.match(all, /no SizingPolicy and no Order in DaemonSet mode and .*no QuotaSet and no ClaimSet/)
  })
  test('a later planner reads what the earlier ones planned', () => {
    const toy = SAMPLES.find(({ planners }) => planners.includes(nodeMarkPlanner as AnyPlanner))
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
