/** Roll-outs by maxSurge: whether a new pod can start beside the old one, and what is counted where it cannot. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a', 'b', 'c'])])
const SURGE = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
const DOWN = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } }
const agent = (container: object, pod: object = {}, updateStrategy: object = SURGE) =>
  withSpec(daemonSet({ containers: [{ name: 'agent', image: 'agent:1', ...container }], ...pod }), { updateStrategy })
const port = (more: object = {}) => ({ ports: [{ containerPort: 8080, ...more }] })
const repels = (matchLabels: object, term: object = {}) => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels }, ...term },
      ],
    },
  },
})
const first = (template: KubernetesObject) => plan(listOf([NODES, policy(), template]))
/** Plans again with another template, or with another policy. */
const then = (before: Plan, template: KubernetesObject, spec?: object) =>
  rerender(before, (object) => {
    if (object.kind === 'DaemonSet' && object.metadata.name === 'agent')
      return { ...template, metadata: object.metadata }
    return spec !== undefined && object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
  })

const ROWS: ReadonlyArray<readonly [name: string, template: KubernetesObject, said: RegExp | undefined]> = [
  ['a port of the node', agent(port({ hostPort: 8080 })), /which holds port 8080/],
  ['the network of the node with a port', agent(port(), { hostNetwork: true }), /which holds port 8080/],
  ['the network of the node without a port', agent({}, { hostNetwork: true }), undefined],
  ['a port of the pod', agent(port()), undefined],
  ['pods that repel themselves', agent({}, repels({ app: 'agent' })), /which repels it by required podAntiAffinity/],
  ['pods that repel others', agent({}, repels({ app: 'other' })), undefined],
  ['a port, and the old pod stops first', agent(port({ hostPort: 8080 }), {}, DOWN), undefined],
  ['a port, and pods are deleted by hand', agent(port({ hostPort: 8080 }), {}, { type: 'OnDelete' }), undefined],
  ['a port, and the default strategy', agent(port({ hostPort: 8080 }), {}, {}), undefined],
  [
    'a port of an init container alone',
    agent({}, { initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always', ...port({ hostPort: 9000 }) }] }),
    /which holds port 9000/,
  ],
]

suite('maxSurge', (test) => {
  for (const [name, template, want] of ROWS)
    test(`beside ${name}`, () => {
      const made = first(template)
      assert.equal(errorsOf(made), [])
      const sentences = said(made, 'SurgeCannotStart')
      if (want === undefined) assert.equal(sentences, [])
      else assert.match(sentences.join(), want)
    })
  test('is an error where the change of the template brings it about, and a warning from then on', () => {
    const before = first(agent(port()))
    const after = then(before, agent(port({ hostPort: 8080 })))
    assert.equal(errorsOf(after), ['SurgeCannotStart'])
    const stuck = first(agent(port({ hostPort: 8080 })))
    assert.equal(errorsOf(then(stuck, agent(port({ hostPort: 8080 })))), [])
    assert.is(said(then(stuck, agent(port({ hostPort: 8080 }))), 'SurgeCannotStart').length, 1)
  })
  test('that cannot start restarts no pod: what is counted says so', () => {
    const stuck = first(agent(port({ hostPort: 8080 })))
    const spec = { maxResources: { cpu: '2', memory: '181Mi' } }
    const changed = then(stuck, agent(port({ hostPort: 8080 })), spec)
    assert.equal(said(changed, 'RolloutWidens'), [])
    assert.match(said(changed, 'PodsRestart').join(), /maxSurge/)
    const free = then(first(agent(port())), agent(port()), spec)
    assert.not.match(said(free, 'PodsRestart').join(), /maxSurge/)
    assert.not.equal(said(free, 'PodsRestart'), [])
  })
  test('is not judged where the policy is off', () => {
    const off = plan(listOf([NODES, policy({ enabled: false }), agent(port({ hostPort: 8080 }))]))
    assert.equal(said(off, 'SurgeCannotStart'), [])
  })
})

const STRATEGIES: ReadonlyArray<readonly [strategy: unknown, path: string, problem: RegExp]> = [
  ['RollingUpdate', '', /is not a map/],
  [{ type: 'Recreate' }, '.type', /must be RollingUpdate or OnDelete/],
  [{ rollingUpdate: [] }, '.rollingUpdate', /is not a map/],
  [{ rollingUpdate: { maxUnavailable: -1 } }, '.rollingUpdate.maxUnavailable', /0 or more/],
  [{ rollingUpdate: { maxUnavailable: 1.5 } }, '.rollingUpdate.maxUnavailable', /0 or more/],
  [{ rollingUpdate: { maxUnavailable: '101%' } }, '.rollingUpdate.maxUnavailable', /up to 100%/],
  [{ rollingUpdate: { maxUnavailable: '1' } }, '.rollingUpdate.maxUnavailable', /percentage/],
  [{ rollingUpdate: { maxUnavailable: 0 } }, '.rollingUpdate.maxUnavailable', /cannot be 0 when maxSurge is 0/],
  [{ rollingUpdate: { maxSurge: 1 } }, '.rollingUpdate.maxSurge', /which is 1 by default: set it to 0/],
  [{ rollingUpdate: { maxSurge: '10%', maxUnavailable: '5%' } }, '.rollingUpdate.maxSurge', /which is 5%/],
]

suite('an update strategy that the API server refuses', (test) => {
  for (const [updateStrategy, path, problem] of STRATEGIES)
    test(JSON.stringify(updateStrategy), () => {
      const made = first(withSpec(daemonSet(), { updateStrategy }))
      assert.equal(errorsOf(made), ['TemplateInvalid'])
      const [found] = made.findings.filter(({ code }) => code === 'TemplateInvalid')
      assert.is(found?.field?.path, `spec.updateStrategy${path}`)
      assert.match(found?.message ?? '', problem)
    })
  for (const updateStrategy of [null, {}, DOWN, SURGE, { type: 'OnDelete', rollingUpdate: null }])
    test(`${JSON.stringify(updateStrategy)} is accepted`, () =>
      assert.equal(errorsOf(first(withSpec(daemonSet(), { updateStrategy }))), []))
})
