/** Sizes that a policy leaves out: an error with lines to paste, or, in a look, what these lines give. */
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { RuleText, SizesText } from '../../../src/kinds/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { completeRule } from '../../../src/plan/sizing/stated-sizes.ts'
import type { Plan, PlanOptions } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, daemonSet, inventory, listOf, OS, policy, rendered, SIZES, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const NODES = inventory([
  shape({ [TYPE]: 'small', [OS]: 'linux' }, ['a', 'b', 'c'], '2', '8Gi'),
  shape({ [TYPE]: 'large', [OS]: 'linux' }, ['d'], '64', '256Gi'),
])
const resources = { requests: { cpu: '100m', memory: '100Mi' }, limits: { memory: '200Mi' } }
const agentWith = (one: object, ...more: object[]) =>
  daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources: one }, ...more] })
const AGENT = agentWith(resources)
/** A policy with these fields alone. */
const bare = (spec: object = {}): KubernetesObject => ({ ...policy(), spec: { targetRef: { name: 'agent' }, ...spec } })
const flat = (data: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'config' },
  data: { target: 'agent', ...data },
})
/** The resources of the containers of a rendered object. */
const resourcesIn = (made: Plan, name: string): unknown[] => {
  const spec = rendered(made.items).get(name)?.spec
  const { template } = spec as { template: { spec: { containers: Array<{ resources: unknown }> } } }
  return template.spec.containers.map((one) => one.resources)
}
const bytes = ({ items }: Plan) => JSON.stringify([...rendered(items).values()])
const sized = (...objects: KubernetesObject[]) => plan(listOf([NODES, ...objects]))
const run = (data: object, options: PlanOptions = {}, template = AGENT) =>
  plan(listOf([NODES, template], flat(data)), options)
const foundIn = (made: Plan, code: string) => made.findings.find((one) => one.code === code)
const errors = ({ findings }: Plan) => codes(findings.filter(({ severity }) => severity === 'error'))
const ORDER: KubernetesObject = {
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'agent' },
  spec: { daemonSet: true, template: { spec: { duration: '24h', resources } } },
}

suite('a policy that leaves sizes out', (test) => {
  const all = 'requestCPU, requestMemory, limitCPU, limitMemory'
  const cases: Array<[name: string, objects: KubernetesObject[], missing: string]> = [
    ['without the block', [bare(), AGENT], all],
    ['with an empty one', [bare({ resourcePercentages: {} }), AGENT], all],
    [
      'with those of cpu alone',
      [bare({ resourcePercentages: { requestCPU: 2, limitCPU: 5 } }), AGENT],
      'requestMemory, limitMemory',
    ],
    [
      'with requests alone',
      [bare({ resourcePercentages: { requestCPU: 2, requestMemory: 2 } }), AGENT],
      'limitCPU, limitMemory',
    ],
    ['with those of an override alone', [bare({ overrides: [{ groups: ['small'], ...SIZES }] }), AGENT], all],
    [
      'with those of a group alone',
      [bare({ groups: [{ name: 'own', nodeSelector: { [TYPE]: 'small' }, ...SIZES }] }), AGENT],
      all,
    ],
    ['of an Order', [bare({ targetRef: { kind: 'Order', name: 'agent' } }), ORDER], all],
  ]
  for (const [name, objects, missing] of cases)
    test(`${name} fails, and says which`, () => {
      const made = sized(...objects)
      assert.equal(errors(made), ['SizesMissing'])
      assert.match(foundIn(made, 'SizesMissing')?.sentence ?? '', `does not set ${missing}, and a`)
    })
  test('its lines, pasted, are the sizes of today on the largest group, and of a look', () => {
    const lines = foundIn(sized(bare(), AGENT), 'SizesMissing')?.lines ?? []
    const pasted = sized(bare(parse(lines.join('\n'))), AGENT)
    assert.equal(errors(pasted), [])
    const look = run({}, { flat: 'look' })
    assert.equal(errors(look), [])
    assert.is(bytes(look), bytes(pasted))
    assert.equal(resourcesIn(look, 'agent-small'), [resources])
  })
  test('an Order starts from what it reserves', () => {
    const target = { targetRef: { kind: 'Order', name: 'agent' } }
    const lines = foundIn(sized(bare(target), ORDER), 'SizesMissing')?.lines ?? []
    const pasted = sized(bare({ ...target, ...parse(lines.join('\n')) }), ORDER)
    assert.equal(errors(pasted), [])
    const order = pasted.items.find(({ object }) => object.metadata.name === 'agent-small')?.object
    const spec = order?.spec as { template: { spec: { resources: object } } }
    assert.equal(spec.template.spec.resources, resources)
  })
  test('flat keys are required as well, with lines of their own', () => {
    const byKeys = foundIn(run({}), 'SizesMissing')?.lines ?? []
    const keys = parse(byKeys.join('\n')) as Record<string, string>
    assert.ok(Object.values(keys).every((value) => typeof value === 'string'))
    const look = run({}, { flat: 'look' })
    assert.is(bytes(run(keys)), bytes(look))
    const flags = [...(foundIn(look, 'SizesDerived')?.message ?? '').matchAll(/--set (\w+)=([^\s;]+)/g)]
    assert.equal(Object.fromEntries(flags.map(([, key = '', value]) => [key, value])), keys)
  })
  test('names the nodes that they start from, in units for readers', () => {
    const types = (memory: string[]) =>
      inventory(memory.map((one, at) => shape({ [TYPE]: 'm5.large' }, [`n${at}`], '1930m', one)))
    const said = (nodes: KubernetesObject, spec: object = {}) => {
      const made = plan(listOf([nodes, bare(spec), AGENT]))
      return /on (m5\.large.*?\))\./.exec(foundIn(made, 'SizesMissing')?.message ?? '')?.[1]
    }
    const head = 'm5.large, the group with most nodes (3 nodes; the'
    const nodes = types(['7134852Ki', '8388608Ki', '16777216Ki'])
    assert.is(said(nodes), `${head} smallest amounts: cpu 1930m, memory 6967.6Mi)`)
    assert.is(said(nodes, { basis: 'median' }), `${head} median amounts: cpu 1930m, memory 8Gi)`)
  })
  test('a look that sets all of them is no look', () => {
    const data = { requestCPU: '2', requestMemory: '2', limitCPU: 'none', limitMemory: '5' }
    assert.is(foundIn(run(data, { flat: 'look' }), 'SizesDerived'), undefined)
    assert.equal(errors(run(data)), [])
  })
  test('is not asked for them where it renders none', () => {
    assert.equal(errors(sized(bare({ enabled: false }), AGENT)), [])
    assert.equal(errors(sized(bare())), ['TargetMissing'])
  })
  test('of Kubescape’s template has the defaults of its operator', () => {
    const target = { targetRef: { kind: 'ConfigMap', name: 'node-agent-daemonset-template' } }
    assert.not.ok(errors(sized(policy(target))).includes('SizesMissing'))
  })
  test('says what to do first where nothing is requested', () => {
    assert.match(foundIn(sized(bare(), daemonSet()), 'SizesMissing')?.sentence ?? '', 'measure it first')
    assert.not.match(foundIn(sized(bare(), AGENT), 'SizesMissing')?.sentence ?? '', 'measure')
  })
  test('is an error without lines where no node reports', () => {
    const silent = inventory([shape({ [TYPE]: 'small', [OS]: 'linux' }, ['a'], '0', '0')])
    const made = plan(listOf([silent, bare(), AGENT]))
    assert.ok(errors(made).includes('SizesMissing'))
    assert.is(foundIn(made, 'SizesMissing')?.lines, undefined)
  })
  test('a bound that is not set does not bound', () => {
    const { resourcePercentages } = SIZES
    const made = sized(bare({ resourcePercentages }), AGENT)
    assert.equal(resourcesIn(made, 'agent-large'), [
      { requests: { cpu: '1280m', memory: '5242Mi' }, limits: { cpu: '3200m', memory: '13107Mi' } },
    ])
  })
  test('of several containers gives none of them less than it has', () => {
    const side = { name: 'side', image: 's', resources: { requests: { cpu: '10m', memory: '300Mi' } } }
    const look = run({ containers: 'agent:70,side:30' }, { flat: 'look' }, agentWith(resources, side))
    assert.equal(errors(look), [])
    assert.equal(resourcesIn(look, 'agent-small'), [
      { requests: { cpu: '100m', memory: '700Mi' } },
      { requests: { cpu: '43m', memory: '300Mi' } },
    ])
  })
})

suite('what a look derives beside what is set', (test) => {
  const derived: SizesText = {
    resourcePercentages: { requestCPU: 3, requestMemory: 2, limitCPU: 'none', limitMemory: 4 },
    minResources: { cpu: '100m', memory: '100Mi', limitMemory: '200Mi' },
    maxResources: { cpu: '200m', memory: '200Mi', limitMemory: '400Mi' },
  }
  const cases: Array<[name: string, stated: RuleText, want: Partial<RuleText>]> = [
    ['nothing', {}, {}],
    [
      'a request: its limit is not below it, and the resource has no bounds',
      { resourcePercentages: { requestMemory: 9 } },
      {
        resourcePercentages: { ...derived.resourcePercentages, requestMemory: 9, limitMemory: 9 },
        minResources: { cpu: '100m' },
        maxResources: { cpu: '200m' },
      },
    ],
    [
      'a limit: its request is not above it',
      { resourcePercentages: { limitMemory: 1 } },
      {
        resourcePercentages: { ...derived.resourcePercentages, requestMemory: 1, limitMemory: 1 },
        minResources: { cpu: '100m' },
        maxResources: { cpu: '200m' },
      },
    ],
    [
      'no limit',
      { resourcePercentages: { limitMemory: null } },
      {
        resourcePercentages: { ...derived.resourcePercentages, limitMemory: 'none' },
        minResources: { cpu: '100m' },
        maxResources: { cpu: '200m' },
      },
    ],
    [
      'a maximum that leaves room: the minima stay',
      { maxResources: { memory: '1Gi' } },
      { maxResources: { cpu: '200m', memory: '1Gi' } },
    ],
    [
      'a maximum below today’s: the minima come down to it',
      { maxResources: { memory: '150Mi' } },
      {
        minResources: { cpu: '100m', memory: '100Mi', limitMemory: '150Mi' },
        maxResources: { cpu: '200m', memory: '150Mi' },
      },
    ],
    [
      'a minimum above what the growth allows: the maxima go up to it',
      { minResources: { memory: '500Mi' } },
      { minResources: { cpu: '100m', memory: '500Mi' }, maxResources: { cpu: '200m', memory: '500Mi' } },
    ],
    [
      'a minimum within it: the maxima stay',
      { minResources: { memory: '150Mi' } },
      { minResources: { cpu: '100m', memory: '150Mi' } },
    ],
    [
      'a maximum of limits below today’s: requests come down to it, too, or they would raise the limit',
      { maxResources: { limitMemory: '50Mi' } },
      {
        minResources: { cpu: '100m', memory: '50Mi' },
        maxResources: { cpu: '200m', memory: '50Mi' },
      },
    ],
    [
      'a maximum of limits that leaves room: that of requests stays',
      { maxResources: { limitMemory: '1Gi' } },
      { maxResources: { cpu: '200m', memory: '200Mi', limitMemory: '1Gi' } },
    ],
    [
      'a minimum of limits: their maximum goes up to it, and requests stay',
      { minResources: { limitMemory: '1Gi' } },
      {
        minResources: { cpu: '100m', memory: '100Mi', limitMemory: '1Gi' },
        maxResources: { cpu: '200m', memory: '200Mi', limitMemory: '1Gi' },
      },
    ],
    [
      'a maximum of limits that there are none of: requests stay',
      { maxResources: { limitCPU: '50m' } },
      { maxResources: { cpu: '200m', limitCPU: '50m', memory: '200Mi', limitMemory: '400Mi' } },
    ],
    [
      'a minimum and a maximum of limits: what is between them stays between them',
      { minResources: { memory: '300Mi' }, maxResources: { limitMemory: '350Mi' } },
      {
        minResources: { cpu: '100m', memory: '300Mi' },
        maxResources: { cpu: '200m', memory: '300Mi', limitMemory: '350Mi' },
      },
    ],
  ]
  for (const [name, stated, want] of cases)
    test(name, () => assert.equal(completeRule(derived, stated), { ...derived, ...want }))
})
