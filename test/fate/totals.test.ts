/** What the fleet's agents request, before and after: as the scheduler would count it, in every summary. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { container, usage } from '../support/fit.ts'
import { config, countedShape, daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'
import { CONTAINER, chartText, kubescapePolicy, operatorConfig, templateMap } from '../support/template.ts'

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null, maxShrinkPercent: null } })
/** Three nodes of 10 cores and 100Gi: of each 1 core and 10Gi by `TENTH`. */
const NODES = inventory([shape({ [TYPE]: 'x' }, ['a', 'b', 'c'], '10', '100Gi')])
const TENTH = { requestCPU: 10, requestMemory: 10, limitCPU: 20, limitMemory: 20 }
const NO_BOUNDS = { minResources: { cpu: '1m', memory: '1Mi' }, maxResources: { cpu: '100', memory: '1Ti' } }
const sized = (spec: object = {}) => policy({ resourcePercentages: TENTH, ...NO_BOUNDS, ...spec })
const first = (pod: Record<string, unknown>, spec: object = {}, nodes = NODES, metadata: object = {}) =>
  plan(listOf([FREE, nodes, sized(spec), daemonSet(pod, metadata)]))

const requested = (result: Plan) => said(result, 'PolicySummary').map((text) => /requesting ([^;]*)/.exec(text)?.[1])
const ofPolicy = (spec: object) => (object: KubernetesObject) =>
  object.kind === 'SizingPolicy' ? withSpec(object, spec) : object

const one = (requests?: object, limits?: object, more?: object) => ({
  containers: [container('agent', requests, limits, more)],
})
const SMALL = { cpu: '500m', memory: '1Gi' }
const LARGE = { allocatable: { cpu: '10', memory: '100Gi' } }
const CORDONED = { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoExecute' }] }

const ROWS: Array<[name: string, result: () => Plan, text: string | undefined]> = [
  [
    'the template’s pods on all nodes, then the groups’',
    () => first(one(SMALL)),
    '1.5 -> 3 cores and 3 -> 30 GiB on 3 pods',
  ],
  [
    'a request that only a limit gives',
    () => first(one(undefined, SMALL), { resourcePercentages: { ...TENTH, requestCPU: null } }),
    '1.5 -> 6 cores and 3 -> 30 GiB on 3 pods',
  ],
  [
    'containers that are not sized, which have a limit alone, too',
    () =>
      first({ containers: [container('agent', SMALL), container('side', undefined, { cpu: '1', memory: '512Mi' })] }),
    '4.5 -> 6 cores and 4.5 -> 31.5 GiB on 3 pods',
  ],
  [
    'a sidecar is added, an init container only counts where it needs more than all others',
    () =>
      first({
        ...one(SMALL),
        initContainers: [
          container('mesh', { cpu: '1' }, undefined, { restartPolicy: 'Always' }),
          container('setup', { memory: '20Gi' }),
        ],
      }),
    '4.5 -> 6 cores and 60 GiB on 3 pods',
  ],
  [
    'the overhead of the pod',
    () => first({ ...one(SMALL), overhead: { memory: '1Gi' }, runtimeClassName: 'kata' }),
    '1.5 -> 3 cores and 6 -> 33 GiB on 3 pods',
  ],
  [
    'hundredths, a half rounded up',
    () => first(one({ cpu: '15m', memory: '5Mi' })),
    '0.05 -> 3 cores and 0.01 -> 30 GiB on 3 pods',
  ],
  [
    'tenths without a zero behind them, hundredths with one before them',
    () => first(one({ cpu: '100m', memory: '26Mi' })),
    '0.3 -> 3 cores and 0.08 -> 30 GiB on 3 pods',
  ],
  [
    'nodes that are only counted',
    () =>
      first(
        one(SMALL),
        {},
        inventory([countedShape({ [TYPE]: 'x' }, 7, { allocatable: { cpu: '10', memory: '100Gi' } })]),
      ),
    '3.5 -> 7 cores and 7 -> 70 GiB on 7 pods',
  ],
  [
    'a template that its user keeps back ran nowhere',
    () => first(one(SMALL), {}, NODES, { annotations: { 'config.kubernetes.io/local-config': 'true' } }),
    '3 cores and 30 GiB on 3 pods',
  ],
  [
    'the earlier output, not the template',
    () => rerender(first(one(SMALL)), ofPolicy({ resourcePercentages: { ...TENTH, requestMemory: 5 } })),
    '3 cores and 30 -> 15 GiB on 3 pods',
  ],
  [
    'the earlier output on today’s nodes, where its pods may stay',
    () =>
      rerender(first(one(SMALL)), (object) => {
        if (object.kind !== 'NodeInventory')
          return ofPolicy({ resourcePercentages: { ...TENTH, requestMemory: 5 } })(object)
        const tainted = { taints: [{ key: 'x', effect: 'NoExecute' }] }
        return inventory([
          shape({ [TYPE]: 'x' }, ['a', 'b', 'c', 'd', 'e'], '10', '100Gi'),
          shape({ [TYPE]: 'x' }, ['f'], '10', '100Gi', tainted),
        ])
      }),
    '5 cores and 50 -> 25 GiB on 5 pods',
  ],
  [
    'nodes that nothing served before',
    () =>
      rerender(first(one(SMALL), { remainder: false, defaultNodeGroup: '' }), (object) =>
        object.kind === 'NodeInventory'
          ? inventory([
              shape({ [TYPE]: 'x' }, ['a', 'b', 'c'], '10', '100Gi'),
              shape({ [TYPE]: 'y' }, ['d'], '20', '200Gi'),
            ])
          : object,
      ),
    '3 -> 5 cores and 30 -> 50 GiB on 3 -> 4 pods',
  ],
  [
    'pods that choose their nodes by name',
    () => {
      const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }]
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
      }
      return rerender(
        first(one(SMALL), { affinity }),
        ofPolicy({ resourcePercentages: { ...TENTH, requestMemory: 5 } }),
      )
    },
    '1 cores and 10 -> 5 GiB on 1 pod',
  ],
  ['nothing that changes', () => rerender(first(one(SMALL)), (object) => object), '3 cores and 30 GiB on 3 pods'],
  ['a disabled policy says nothing of it', () => rerender(first(one(SMALL)), ofPolicy({ enabled: false })), undefined],
  [
    'an earlier object that a user made unreadable: what was is not known',
    () =>
      rerender(first(one(SMALL)), (object) =>
        object.metadata.name === 'agent-x' ? withSpec(object, { template: { spec: { containers: 'none' } } }) : object,
      ),
    '3 cores and 30 GiB on 3 pods',
  ],
  [
    'earlier tolerations that are none: what was is not known',
    () =>
      rerender(first(one(SMALL)), (object) =>
        object.metadata.name === 'agent-x'
          ? withSpec(object, { template: { spec: { ...one(SMALL), tolerations: 7 } } })
          : object,
      ),
    '3 cores and 30 GiB on 3 pods',
  ],
  [
    'counted nodes with a taint that comes and goes, as those with names',
    () => first(one(SMALL), {}, inventory([countedShape({ [TYPE]: 'x' }, 7, { ...LARGE, ...CORDONED })])),
    '7 cores and 70 GiB on 7 pods',
  ],
  [
    'earlier output that selects nodes by what the inventory no longer exports: where it ran is not known',
    () =>
      rerender(first(one(SMALL)), (object) =>
        object.kind === 'NodeInventory'
          ? inventory([shape({ [OS]: 'x' }, ['a', 'b', 'c'], '10', '100Gi')], { labelKeys: [OS] })
          : ofPolicy({ nodeGroupLabel: OS })(object),
      ),
    `3 cores and 30 GiB on 3 pods (before: unknown, since earlier output selects nodes by ${TYPE}, which the inventory does not export)`,
  ],
  [
    'the template of Kubescape’s chart ran nowhere, whatever amounts it has',
    () => {
      const text = chartText({ container: CONTAINER.replaceAll(/"\{\{ \.Resources[^}]*\}\}"/g, '"1"') })
      const nodes = inventory([shape({ [OS]: 'linux', [TYPE]: 'x' }, ['a'], '10', '100Gi')])
      return plan(listOf([nodes, kubescapePolicy(), templateMap(text), operatorConfig(false)]))
    },
    '0.2 cores and 2 GiB on 1 pod',
  ],
  [
    'an earlier amount that is none: what was is not known',
    () =>
      rerender(first(one(SMALL)), (object) =>
        object.metadata.name === 'agent-x' ? withSpec(object, { template: { spec: one({ cpu: 'much' }) } }) : object,
      ),
    '3 cores and 30 GiB on 3 pods',
  ],
]

const logs = withSpec(daemonSet({}, { name: 'logs' }), {
  selector: { matchLabels: { app: 'logs' } },
  template: { metadata: { labels: { app: 'logs' } }, spec: one(SMALL) },
})

/** Of two nodes the second takes no new pods; a snapshot shows a pod of the only group there all the same. */
const CLOSED = { taints: [{ key: 'x', effect: 'NoSchedule' }] }
const OTHER = [shape({ [TYPE]: 'y' }, ['c'], '10', '100Gi')]
const half = (type: string) => [
  shape({ [TYPE]: type }, ['a'], '10', '100Gi'),
  shape({ [TYPE]: type }, ['b'], '10', '100Gi', CLOSED),
]
const kept = (change: (object: KubernetesObject) => KubernetesObject) => {
  const shown = [{ namespace: '', name: 'agent-x', requests: {}, nodes: ['a', 'b'] }]
  const snapshot = usage([{ name: 'a' }, { name: 'b' }], shown)
  const start = first(one(SMALL), {}, inventory(half('x')))
  return rerender(start, (object) => (object.kind === 'SizingPolicy' ? [change(object), snapshot] : change(object)))
}
const onDelete = (object: KubernetesObject) =>
  object.kind === 'DaemonSet' ? withSpec(object, { updateStrategy: { type: 'OnDelete' } }) : object
const LESS = ofPolicy({ resourcePercentages: { ...TENTH, requestMemory: 5 } })

ROWS.push(
  [
    'a pod that runs behind a taint stays where its template stays',
    () => kept((object) => (object.kind === 'NodeInventory' ? inventory([...half('x'), ...OTHER]) : object)),
    '3 cores and 30 GiB on 3 pods',
  ],
  [
    'it does not come back where a rolling update deletes it',
    () => kept(LESS),
    '2 -> 1 cores and 20 -> 5 GiB on 2 -> 1 pods',
  ],
  [
    'it stays where nobody deletes it',
    () => kept((object) => LESS(onDelete(object))),
    '2 cores and 20 -> 10 GiB on 2 pods',
  ],
  [
    'it goes where another group takes its node',
    () => kept(ofPolicy({ groups: [{ name: 'own', nodeSelector: { [TYPE]: 'x' } }] })),
    '2 -> 1 cores and 20 -> 10 GiB on 2 -> 1 pods',
  ],
)

suite('the totals of the fleet', (test) => {
  for (const [name, result, text] of ROWS)
    test(name, () => {
      const plans = result()
      assert.is(plans.failed, false, said(plans, 'TemplateInvalid').join())
      assert.equal(requested(plans), [text])
    })
  test('are those of each policy’s own cluster, also for earlier output', () => {
    const other = { ...inventory([shape({ [TYPE]: 'x' }, ['z'])], { cluster: 'other' }), metadata: { name: 'other' } }
    const apart = { cluster: 'other', targetRef: { name: 'logs' } }
    const both = [sized({ cluster: 'prod' }), policy(apart, 'logs'), daemonSet(one(SMALL)), logs]
    const less = ofPolicy({ resourcePercentages: { ...TENTH, requestMemory: 5 } })
    const again = rerender(plan(listOf([FREE, NODES, other, ...both])), less)
    assert.equal(requested(again), [
      '3 cores and 30 -> 15 GiB on 3 pods',
      '0.1 -> 0.4 cores and 0.32 -> 0.8 GiB on 1 pod',
    ])
  })
  test('the containers that are not sized are named beside them', () => {
    const containers = ['side', 'agent', 'other'].map((name) => container(name, SMALL))
    assert.match(said(first({ containers }), 'PolicySummary')[0] ?? '', /; requesting [^;]*; not sized: side, other$/)
  })
  test('of a disabled policy only that it is, and what is removed', () => {
    const disabled = rerender(first(one(SMALL)), ofPolicy({ enabled: false }))
    assert.equal(said(disabled, 'PolicySummary'), [
      'agent: disabled, 0 objects added, 0 changed, 3 removed, 0 unchanged',
    ])
  })
})
