/** VerticalPodAutoscalers beside what nodefit sizes. */
import * as assert from 'uvu/assert'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const autoscaler = (target: string, more: object = {}, namespace?: string) => ({
  apiVersion: 'autoscaling.k8s.io/v1',
  kind: 'VerticalPodAutoscaler',
  metadata: { name: 'v', ...(namespace && { namespace }) },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: target }, ...more },
})
const told = (object: object, spec: Record<string, unknown> = {}, metadata: object = {}) =>
  plan(listOf([NODES, policy(spec), daemonSet({}, metadata), object as never])).findings.filter(
    ({ code }) => code === 'SizedElsewhere',
  ).length

suite('a VerticalPodAutoscaler', (test) => {
  const mode = (updateMode: unknown) => ({ updatePolicy: { updateMode } })
  const containers = (...containerPolicies: object[]) => ({ resourcePolicy: { containerPolicies } })
  const ROWS: ReadonlyArray<readonly [name: string, count: number, object: object, spec?: Record<string, unknown>]> = [
    ['that targets the template', 1, autoscaler('agent')],
    ['that targets a rendered DaemonSet', 1, autoscaler('agent-m5-large')],
    ['that targets another', 0, autoscaler('other')],
    [
      'that targets a Deployment of its name',
      0,
      { ...autoscaler('agent'), spec: { targetRef: { kind: 'Deployment', name: 'agent' } } },
    ],
    ['of another API', 0, { ...autoscaler('agent'), apiVersion: 'example.com/v1' }],
    ['that is Off', 0, autoscaler('agent', mode('Off'))],
    ['that lost the quotes of Off', 0, autoscaler('agent', mode(false))],
    ['that sizes pods when they start', 1, autoscaler('agent', mode('Initial'))],
    ['that is Off for all containers', 0, autoscaler('agent', containers({ containerName: '*', mode: 'Off' }))],
    [
      'that is Off for all but one',
      1,
      autoscaler('agent', containers({ containerName: '*', mode: 'Off' }, { containerName: 'agent', mode: 'Auto' })),
    ],
    ['beside a disabled policy', 0, autoscaler('agent'), { enabled: false }],
  ]
  for (const [name, count, object, spec] of ROWS) test(name, () => assert.is(told(object, spec), count))
  const goldilocks = (settings: object, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'ns',
      labels: Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [`goldilocks.fairwinds.com/${name}`, value]),
      ),
      ...more,
    },
  })
  for (const [name, count, object] of [
    ['that updates', 1, goldilocks({ enabled: 'true', 'vpa-update-mode': 'auto' })],
    ['that updates, in any case', 1, goldilocks({ enabled: 'true', 'vpa-update-mode': 'Initial' })],
    ['that recommends', 0, goldilocks({ enabled: 'true', 'vpa-update-mode': 'off' })],
    ['that recommends by default', 0, goldilocks({ enabled: 'true' })],
    ['that is disabled', 0, goldilocks({ enabled: 'false', 'vpa-update-mode': 'auto' })],
    ['of another Namespace', 0, goldilocks({ enabled: 'true', 'vpa-update-mode': 'auto' }, { name: 'other' })],
    ['with labels that are none', 0, goldilocks({ enabled: { a: 1 }, 'vpa-update-mode': ['auto'] })],
    [
      'of another API',
      0,
      { ...goldilocks({ enabled: 'true', 'vpa-update-mode': 'auto' }), apiVersion: 'example.com/v1' },
    ],
  ] as const)
    test(`of the Namespace that Goldilocks manages, ${name}`, () =>
      assert.is(told(object, {}, { namespace: 'ns' }), count))
  test('in another namespace', () => {
    assert.is(told(autoscaler('agent', {}, 'other'), {}, { namespace: 'ns' }), 0)
    assert.is(told(autoscaler('agent', {}, 'ns'), {}, { namespace: 'ns' }), 1)
  })
})
