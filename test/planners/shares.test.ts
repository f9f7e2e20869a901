/** Fields of one object that several subjects write: merged, listed with their owners, and left by the same reasons as objects. */
import * as assert from 'uvu/assert'
import type { AnyPlanner } from '../../src/core/index.ts'
import { KrmError } from '../../src/krm/error.ts'
import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import { newItem, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { FIELDS, FIELDS_OWNER, OWNER, RELEASED_BY } from '../../src/krm/remembered.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { PLANNERS, planOf } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'
import { replicasPlanner } from './replicas/planner.ts'
import { SHARING } from './samples.ts'

const plan = planOf(SHARING)
/** The same, with one answer to what becomes of fields that leave. */
const planLeaving = (leaving: 'removed' | 'released') =>
  planOf([...PLANNERS, { ...replicasPlanner, leaves: () => leaving }] as readonly AnyPlanner[])
const scale = (name: string, spec: object): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'Scale',
  metadata: { name },
  spec: { deployment: 'web', ...spec },
})
const TEXT = [
  'apiVersion: apps/v1',
  'kind: Deployment # ours',
  'metadata:',
  '  name: web',
  'spec:',
  '  replicas: 0x1 # written by hand',
  '  paused: "no"',
  '',
].join('\n')
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 1, paused: 'no' },
}
const errors = ({ findings }: Plan) => findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)
const again = (
  { items }: Plan,
  change: (object: KubernetesObject) => KubernetesObject | undefined = (object) => object,
  run = plan,
) => {
  const list = { apiVersion: 'config.kubernetes.io/v1', items, results: [] }
  return run({
    ...list,
    items: readResourceList(writeResourceList(list)).items.flatMap((item) => {
      const object = change(item.object)
      return object === undefined ? [] : [object === item.object ? item : newItem(object)]
    }),
  })
}
const found = ({ items }: Plan, kind: string) =>
  items.map(({ object }) => object).find((object) => object.kind === kind)
const fields = (object: KubernetesObject | undefined) => JSON.parse(object?.metadata.annotations?.[FIELDS] ?? '{}')
const kinds = ({ packages }: Plan) => packages.flatMap(({ changes }) => changes.map(({ kind }) => kind))
const disable = (name: string) => (object: KubernetesObject) =>
  object.kind === 'Scale' && object.metadata.name === name
    ? scale(name, { ...(object.spec as object), enabled: false })
    : object
const drop = (name: string, field: string) => (object: KubernetesObject) => {
  if (object.kind !== 'Scale' || object.metadata.name !== name) return object
  const { [field]: _, ...spec } = object.spec as Record<string, unknown>
  return { ...object, spec }
}
const without = (name: string) => (object: KubernetesObject) =>
  object.kind === 'Scale' && object.metadata.name === name ? undefined : object

const BOTH = [scale('a', { replicas: 3, label: 'example.com/a' }), scale('b', { label: 'example.com/b' }), DEPLOYMENT]

suite('fields that subjects share', (test) => {
  test('of two subjects stand in one document, each with its owner', () => {
    const made = plan(listOf(BOTH))
    assert.equal(errors(made), [])
    const web = found(made, 'Deployment')
    assert.equal(web?.spec, { replicas: 3, paused: 'no' })
    assert.equal(web?.metadata.labels, { 'example.com/a': 'yes', 'example.com/b': 'yes' })
    assert.equal(fields(web), {
      '/metadata/labels/example.com~1a': ['Scale/a'],
      '/metadata/labels/example.com~1b': ['Scale/b'],
      '/spec/replicas': ['Scale/a'],
    })
    assert.is(web?.metadata.annotations?.[OWNER], undefined)
    assert.equal(kinds(made), ['changed'])
  })
  test('leave every other byte of the document as it is', () => {
    const list = listOf([scale('a', { replicas: 3 })])
    const item = { object: { ...DEPLOYMENT, spec: { replicas: 1, paused: 'no' } }, text: TEXT.replace('0x1', '1') }
    const made = plan({ ...list, items: [...list.items, item] })
    const text = made.items.find(({ object }) => object.kind === 'Deployment')?.text ?? ''
    assert.match(text, /kind: Deployment # ours/)
    assert.match(text, /replicas: 3 # written by hand/)
    assert.match(text, /paused: "no"/)
  })
  test('are the same when the output is fed back, in whatever order', () => {
    const made = plan(listOf(BOTH))
    assert.equal(kinds(again(made)), ['unchanged'])
    assert.equal(
      again(made).items.map(({ object }) => object),
      made.items.map(({ object }) => object),
    )
    const bare = (result: Plan) => withoutWireAnnotations(found(result, 'Deployment') as KubernetesObject)
    assert.equal(bare(plan(listOf([...BOTH].reverse()))), bare(made))
  })
  test('with the same value have both owners, and stay until neither asks', () => {
    const made = plan(listOf([scale('a', { replicas: 3 }), scale('b', { replicas: 3 }), DEPLOYMENT]))
    assert.equal(fields(found(made, 'Deployment')), { '/spec/replicas': ['Scale/a', 'Scale/b'] })
    const one = again(made, disable('a'))
    assert.equal(fields(found(one, 'Deployment')), { '/spec/replicas': ['Scale/b'] })
    assert.equal(found(again(one, disable('b')), 'Deployment')?.metadata.annotations?.[FIELDS], undefined)
  })
  test('with two values are a conflict that names both subjects', () => {
    const made = plan(listOf([scale('a', { replicas: 3 }), scale('b', { replicas: 4 }), DEPLOYMENT]))
    assert.equal(errors(made), ['FieldConflict'])
    assert.match(
      made.findings[0]?.message ?? '',
      /b cannot write spec\.replicas of Deployment web: a writes another value to spec\.replicas/,
    )
    assert.is(found(made, 'Deployment')?.metadata.annotations?.[FIELDS], undefined)
  })
  test('of an object that is not there are refused by name', () => {
    const made = plan(listOf([scale('a', { replicas: 3 })]))
    assert.equal(errors(made), ['FieldTargetMissing'])
    assert.match(
      made.findings[0]?.message ?? '',
      /a writes spec\.replicas of Deployment web, which is not in the package/,
    )
  })
  for (const [why, change] of [
    ['dropped', drop('a', 'replicas')],
    ['disabled', disable('a')],
  ] as const)
    test(`that are released stay as they are once ${why}, and are nobody's`, () => {
      const left = again(plan(listOf(BOTH)), change)
      assert.equal(errors(left), [])
      const web = found(left, 'Deployment')
      assert.is((web?.spec as { replicas?: number } | undefined)?.replicas, 3)
      assert.is(fields(web)['/spec/replicas'], undefined)
      assert.equal(fields(web)['/metadata/labels/example.com~1b'], ['Scale/b'])
    })
  test('of a subject that is gone are orphans, which a run may allow to leave', () => {
    const made = plan(listOf(BOTH))
    assert.equal(errors(again(made, without('a'))), ['OrphanedOutput'])
    const allowed = plan(
      listOf([
        ...made.items.map(({ object }) => object).filter((object) => without('a')(object) !== undefined),
        config({ allow: ['OrphanedOutput'] }),
      ]),
    )
    assert.equal(errors(allowed), [])
    assert.equal(Object.keys(fields(found(allowed, 'Deployment'))), ['/metadata/labels/example.com~1b'])
  })
  test('of a Node that the package does not hold are a partial document, removed with its last field', () => {
    const two = [scale('a', { node: 'n1' }), scale('b', { node: 'n1' }), DEPLOYMENT]
    const made = plan(listOf(two))
    assert.equal(errors(made), [])
    const node = found(made, 'Node')
    assert.equal(node?.metadata.labels, { 'example.com/a': 'yes', 'example.com/b': 'yes' })
    assert.is(node?.metadata.annotations?.[OWNER], FIELDS_OWNER)
    assert.equal(kinds(again(made)), ['unchanged'])
    const one = again(made, disable('a'))
    assert.equal(found(one, 'Node')?.metadata.labels, { 'example.com/b': 'yes' })
    const none = again(one, disable('b'))
    assert.is(found(none, 'Node'), undefined)
    assert.equal(kinds(none), ['removed'])
    assert.is(found(none, 'Node')?.metadata.annotations?.[RELEASED_BY], undefined)
  })
  test('of what is rendered for somebody else are refused', () => {
    const taken = { ...DEPLOYMENT, metadata: { name: 'web', annotations: { [OWNER]: 'Other/x' } } }
    const made = plan(listOf([scale('a', { replicas: 3 }), taken, config({ allow: ['OrphanedOutput'] })]))
    assert.equal(errors(made), ['FieldConflict'])
  })
  for (const [name, text] of [
    ['no JSON', '{'],
    ['no map', '[]'],
    ['no list of owners', '{"/spec/replicas":1}'],
    ['no pointer', '{"spec":["Scale/a"]}'],
    ['a prototype', '{"/__proto__/x":["Scale/gone"]}'],
  ] as const)
    test(`a list of fields that a user made unreadable takes nothing away: ${name}`, () => {
      const edited = { ...DEPLOYMENT, metadata: { name: 'web', annotations: { [FIELDS]: text } } }
      const made = plan(listOf([scale('b', { label: 'example.com/b' }), edited, config({ allow: ['OrphanedOutput'] })]))
      assert.equal(errors(made), [])
      assert.equal(found(made, 'Deployment')?.spec, DEPLOYMENT.spec)
    })
  const share = (name: string, path: string[], value: unknown, more: object = {}) =>
    scale(name, { shares: [{ path, value }], ...more })
  const removing = planLeaving('removed')
  const releasing = planLeaving('released')
  const replaceScale = (name: string, by: KubernetesObject) => (object: KubernetesObject) =>
    object.kind === 'Scale' && object.metadata.name === name ? by : object
  test('change from a map to a field within it and back, without losing either', () => {
    const whole = share('a', ['spec', 'foo'], { x: 1 })
    const within = share('a', ['spec', 'foo', 'bar'], 2)
    const first = removing(listOf([whole, DEPLOYMENT]))
    const second = again(first, replaceScale('a', within), removing)
    assert.equal(found(second, 'Deployment')?.spec, { replicas: 1, paused: 'no', foo: { x: 1, bar: 2 } })
    assert.equal(kinds(again(second, undefined, removing)), ['unchanged'])
    const third = again(second, replaceScale('a', share('a', ['spec', 'foo'], { bar: 3 })), removing)
    assert.equal(found(third, 'Deployment')?.spec, { replicas: 1, paused: 'no', foo: { bar: 3 } })
  })
  const CONTAINERS = { ...DEPLOYMENT, spec: { template: { spec: { containers: [{ name: 'c', image: 'y' }] } } } }
  test('within a list of named maps are those of the entry with the name', () => {
    const path = ['spec', 'template', 'spec', 'containers', 'c', 'image']
    const made = plan(listOf([share('a', path, 'x'), CONTAINERS]))
    assert.equal(found(made, 'Deployment')?.spec, { template: { spec: { containers: [{ name: 'c', image: 'x' }] } } })
    assert.equal(kinds(again(made)), ['unchanged'])
  })
  for (const [what, path, target] of [
    ['a list without that entry', ['spec', 'template', 'spec', 'containers', 'd', 'image'], CONTAINERS],
    ['a scalar on the way', ['spec', 'replicas', 'x'], DEPLOYMENT],
    ['what says which object it is', ['metadata', 'name'], DEPLOYMENT],
    ['all of its metadata', ['metadata'], DEPLOYMENT],
  ] as const)
    test(`are refused where they would overwrite ${what}`, () => {
      const made = plan(listOf([share('a', [...path], 'x'), target]))
      assert.equal(errors(made), ['FieldConflict'])
      assert.equal(found(made, 'Deployment'), listOf([share('a', [...path], 'x'), target]).items[1]?.object)
    })
  test('of a template are refused, since what is rendered from it would have them', () => {
    const agent = daemonSet({}, { name: 'agent' })
    const spec = { deployment: 'agent', kind: 'DaemonSet', shares: [{ path: ['metadata', 'labels', 'x'], value: 'y' }] }
    const made = plan(
      listOf([inventory([shape({ [TYPE]: 'm5' }, ['n'])]), policy({}, 'agent'), agent, scale('a', spec)]),
    )
    assert.equal(errors(made), ['FieldConflict'])
    assert.match(
      made.findings.find(({ code }) => code === 'FieldConflict')?.sentence ?? '',
      /SizingPolicy agent renders from it/,
    )
  })
  for (const [what, text] of [
    ['its metadata', '{"/metadata":["SizingPolicy/agent"]}'],
    ['its spec', '{"/spec":["SizingPolicy/agent"]}'],
    ['its kind', '{"/kind":["SizingPolicy/agent"]}'],
  ] as const)
    test(`a list that a user typed takes away nothing of an object that no planner shares: ${what}`, () => {
      const typed = { ...DEPLOYMENT, metadata: { name: 'web', annotations: { [FIELDS]: text } } }
      const objects = [
        inventory([shape({ [TYPE]: 'm5' }, ['n'])]),
        policy({}, 'agent'),
        daemonSet({}, { name: 'agent' }),
        typed,
      ]
      const made = planOf(PLANNERS)(listOf(objects))
      assert.equal(errors(made), [])
      const web = found(made, 'Deployment')
      assert.equal([web?.spec, web?.metadata.name, web?.metadata.annotations?.[FIELDS]], [DEPLOYMENT.spec, 'web', text])
    })
  test('that a template lists by hand do not keep it from being marked and handed back', () => {
    const agent = daemonSet({}, { name: 'agent', annotations: { [FIELDS]: '{"/x":["SizingPolicy/agent"]}' } })
    const objects = [inventory([shape({ [TYPE]: 'm5' }, ['n'])]), policy({}, 'agent'), agent]
    const made = planOf(PLANNERS)(listOf(objects))
    const template = made.items.find(({ object }) => object.metadata.name === 'agent' && object.kind === 'DaemonSet')
    assert.is(template?.object.metadata.annotations?.['config.kubernetes.io/local-config'], 'true')
    const off = planOf(PLANNERS)(
      listOf(
        made.items.map(({ object }) => (object.kind === 'SizingPolicy' ? policy({ enabled: false }, 'agent') : object)),
      ),
    )
    const back = off.items.find(({ object }) => object.metadata.name === 'agent' && object.kind === 'DaemonSet')
    assert.is(back?.object.metadata.annotations?.['config.kubernetes.io/local-config'], undefined)
  })
  test('that somebody suspended keeps are held against new ones', () => {
    const made = plan(listOf([scale('a', { replicas: 3 }), DEPLOYMENT]))
    const alone = plan({
      ...listOf(made.items.map(({ object }) => object)),
      functionConfig: newItem(scale('b', { replicas: 5 })),
    })
    assert.equal(errors(alone), ['FieldConflict'])
    assert.match(alone.findings[0]?.sentence ?? '', /Scale\/a keeps another value in spec\.replicas/)
  })
  test('leave the maps of a user that are empty without them', () => {
    const policyOf = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { podSelector: {} } }
    const made = removing(listOf([share('a', ['spec', 'podSelector', 'x'], 'y'), policyOf]))
    const left = again(made, disable('a'), removing)
    assert.equal(found(left, 'Deployment')?.spec, { podSelector: {} })
  })
  test('of a released document stay in a stream, run after run', () => {
    const on = scale('a', { node: 'n1' })
    const off = { ...on, spec: { ...(on.spec as object), enabled: false } }
    const bare = (objects: readonly KubernetesObject[]) => ({
      ...listOf([]),
      items: objects.map((object) => newItem(withoutWireAnnotations(object))),
    })
    const stream = ({ items }: Plan) => bare(items.map(({ object }) => object).filter(({ kind }) => kind !== 'Scale'))
    const first = releasing(bare([on, DEPLOYMENT]), { keepsFiles: false, earlier: bare([]) })
    const second = releasing(bare([off, DEPLOYMENT]), { keepsFiles: false, earlier: stream(first) })
    const third = releasing(bare([off, DEPLOYMENT]), { keepsFiles: false, earlier: stream(second) })
    assert.is(found(second, 'Node')?.metadata.annotations?.[RELEASED_BY], FIELDS_OWNER)
    assert.equal(found(third, 'Node'), found(second, 'Node'))
  })
  test('of an object that holds YAML we do not read are refused', () => {
    const opaque = new KrmError('YamlRefused', 'a tag that nobody knows')
    const list = {
      ...listOf([]),
      items: [newItem(scale('a', { replicas: 3 })), { object: DEPLOYMENT, text: TEXT, opaque }],
    }
    const made = plan(list)
    assert.equal(errors(made), ['FieldConflict'])
    assert.is(made.items, list.items)
  })
})
