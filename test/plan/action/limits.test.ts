/** What an action may not do though its signature is right, and what it finds that is not as it supposes. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import {
  actionPolicy,
  after,
  codes,
  deployment,
  errors,
  nodeOf,
  nodesAt,
  planned,
  rendered,
  snapshot,
} from '../../support/action-package.ts'
import {
  KEYRING,
  keyringItem,
  PRIVATE_KEY,
  proofOf,
  signedAction,
  T,
  trustOf,
  VECTORS,
  vectorAction,
} from '../../support/actions.ts'
import { listOf } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const ENDED = '2026-01-15T11:00:00Z'
const label = (parameters: object) => signedAction({ id: 'label', type: 'labelNode', sequence: 3, parameters }, 'k1')
const onDeployment = (type: string, parameters: object, more: object = {}) =>
  signedAction(
    {
      id: type,
      type,
      sequence: 3,
      target: { kind: 'Deployment', namespace: 'shop', name: 'web' },
      parameters,
      ...more,
    },
    'k1',
  )
const later = (made: Plan, time: string, more: readonly KubernetesObject[] = []) => {
  const isReplaced = ({ kind }: KubernetesObject) => more.some((one) => one.kind === kind)
  const kept = after(made, (object) =>
    isReplaced(object) ? undefined : object.kind === 'NodeInventory' ? nodesAt(time) : object,
  )
  return plan(listOf([...kept, ...more]), { keyring: KEYRING })
}
const argsOf = (made: Plan) =>
  rendered(made, 'Job').map(({ spec }) => {
    const { template } = spec as { template: { spec: { containers: Array<{ args: string[] }> } } }
    return template.spec.containers[0]?.args.join(' ')
  })

suite('labels of nodes', (test) => {
  for (const name of ['toString', 'constructor', 'valueOf'])
    test(`one that has the name of what every object inherits is one like any other: ${name}`, () => {
      const set = planned([label({ labels: { [name]: 'x' } })])
      assert.equal(errors(set), [])
      assert.equal(nodeOf(set)?.metadata.labels, { [name]: 'x' })
      assert.equal(rendered(set, 'Job'), [])
      const removed = planned([nodesAt(T, { [name]: 'of others' }), label({ remove: [name] })])
      assert.equal(errors(removed), [])
      assert.equal(argsOf(removed), [`label node small-000002 ${name}-`])
      assert.equal(rendered(planned([label({ remove: [name] })]), 'Job'), [])
      const node = { nodes: [name.toLowerCase()], uids: undefined }
      const { shapes, ...spec } = nodesAt().spec as { shapes: object[] }
      const nodes = { ...nodesAt(), spec: { ...spec, nodeCount: 1, shapes: [{ ...shapes[0], ...node }] } }
      const target = { kind: 'Node', name: name.toLowerCase() }
      assert.equal(errors(planned([nodes, signedAction({ id: 'c', type: 'cordonNode', target }, 'k1')])), [
        'NodeUidUnknown',
      ])
    })
  const exporting = (...labelKeys: string[]) => {
    const nodes = nodesAt()
    return { ...nodes, spec: { ...(nodes.spec as object), labelKeys } }
  }
  for (const [what, parameters] of Object.entries({ sets: { labels: { team: 'b' } }, removes: { remove: ['team'] } }))
    test(`one that no inventory exported may be somebody’s: an action that ${what} it is refused`, () => {
      const made = planned([exporting('pool', 'other'), label(parameters)])
      assert.equal(errors(made), ['ActionLabelUnknown'])
      assert.match(made.findings.map(({ message }) => message).join(), /without the label team.*--label KEY/)
      assert.equal(errors(planned([exporting('te*'), label(parameters)])), [])
    })
  test('are texts, each of them', () =>
    assert.equal(errors(planned([label({ labels: { team: 'a', tier: 5 } })])), ['InvalidField']))
  test('of Deployments are in the package, whatever was exported', () =>
    assert.equal(
      errors(planned([exporting('pool'), deployment(), onDeployment('labelDeployment', { labels: { team: 'b' } })])),
      [],
    ))
  const PROTECTED = [
    ...['beta.kubernetes.io/arch', 'failure-domain.beta.kubernetes.io/zone', 'eks.amazonaws.com/nodegroup'],
    ...['cloud.google.com/gke-nodepool', 'kubernetes.azure.com/agentpool', 'node-restriction.kubernetes.io/tier'],
    ...['a.node-restriction.kubernetes.io/tier', 'karpenter.k8s.aws/instance-size', 'nodefit.dev/x'],
    ...['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'],
  ]
  for (const key of PROTECTED)
    test(`${key} is protected, set or removed, until allowLabels has it`, () => {
      for (const [at, parameters] of Object.entries({
        labels: { labels: { [key]: '' } },
        remove: { remove: [key] },
      })) {
        const made = planned([label(parameters)])
        assert.equal(errors(made), ['ForbiddenLabel'])
        assert.is(
          made.findings.find(({ code }) => code === 'ForbiddenLabel')?.field?.path,
          `spec.parameters.${at}.${key}`,
        )
        assert.equal(
          errors(
            planned([actionPolicy({ allowLabels: [key] }), label(parameters)], {
              trust: trustOf({ allowLabels: [key] }),
            }),
          ),
          [],
        )
      }
    })
  test('those that say what the control plane is are open with allowControlPlane', () => {
    const role = label({ remove: ['node-role.kubernetes.io/control-plane'] })
    assert.equal(
      errors(
        planned([actionPolicy({ allowControlPlane: true }), role], { trust: trustOf({ allowControlPlane: true }) }),
      ),
      [],
    )
  })
  for (const key of ['example.com/eks.amazonaws.com', 'myeks.amazonaws.com/x', 'xkarpenter.sh/y', 'team'])
    test(`${key} is not`, () =>
      assert.not(errors(planned([label({ labels: { [key]: '' } })])).includes('ForbiddenLabel')))
  test('that of a node pool of the package is', () => {
    const pool = {
      apiVersion: 'kubenodesmith.parawell.cloud/v1alpha1',
      kind: 'NodeSmithPool',
      metadata: { name: 'small' },
      spec: { poolLabelKey: 'example.com/pool' },
    } as KubernetesObject
    const move = label({ labels: { 'example.com/pool': 'big' } })
    assert.ok(errors(planned([pool, move])).includes('ForbiddenLabel'))
    const open = actionPolicy({ allowLabels: ['example.com/pool'] })
    assert.not(errors(planned([pool, open, move])).includes('ForbiddenLabel'))
    assert.equal(errors(planned([move])), [])
  })
})

suite('Deployments', (test) => {
  test('a partial one that has the name of a node is no node that is given back', () => {
    const target = { kind: 'Deployment', namespace: 'shop', name: 'small-000003' }
    const policy = actionPolicy({ partialDeployments: true })
    const made = planned([policy, onDeployment('scaleDeployment', { replicas: 5 }, { target })])
    const again = later(made, ENDED)
    assert.equal(errors(again), [])
    assert.is(nodeOf(again, 'small-000003'), undefined)
  })
  const hpa = (namespace: string | undefined, spec: object = {}, kind = 'HorizontalPodAutoscaler') => ({
    ...{ apiVersion: kind === 'ScaledObject' ? 'keda.sh/v1alpha1' : 'autoscaling/v2', kind },
    metadata: { name: 'scaler', ...(namespace === undefined ? {} : { namespace }) },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'web', ...spec } },
  })
  const scale = onDeployment('scaleDeployment', { replicas: 5 })
  const partial = actionPolicy({ partialDeployments: true })
  const OWNED: Record<string, KubernetesObject[]> = {
    'of the namespace': [deployment(), hpa('shop')],
    'without a namespace, which it may get': [deployment(), hpa(undefined)],
    'of a Deployment that the package lacks': [partial, hpa('shop')],
    'of KEDA, which takes a Deployment for granted': [deployment(), hpa('shop', { kind: undefined }, 'ScaledObject')],
  }
  for (const [what, objects] of Object.entries(OWNED))
    test(`an autoscaler ${what} owns the replicas`, () => {
      const made = planned([...objects, scale])
      assert.equal(errors(made), ['HPAOwnsReplicas'])
      assert.match(
        made.findings.map(({ message }) => message).join(),
        /Autoscaler (shop\/)?scaler|ScaledObject shop\/scaler/,
      )
    })
  const FREE: Record<string, KubernetesObject> = {
    'of another namespace': hpa('other'),
    'of another kind of workload': hpa('shop', { kind: 'StatefulSet' }),
    'of another Deployment': hpa('shop', { name: 'api' }),
  }
  for (const [what, object] of Object.entries(FREE))
    test(`one ${what} does not`, () => assert.equal(errors(planned([deployment(), object, scale])), []))
  test('a partial one is pruned by no tool, and takes no fields of others', () => {
    const [made] = rendered(planned([partial, scale]), 'Deployment')
    assert.equal(made?.spec, { replicas: 5 })
    const marks = made?.metadata.annotations ?? {}
    assert.is(marks['argocd.argoproj.io/sync-options'], 'ServerSideApply=true,Validate=false,Prune=false,Delete=false')
    assert.is(marks['kustomize.toolkit.fluxcd.io/prune'], 'disabled')
    assert.is(marks['kustomize.toolkit.fluxcd.io/ssa'], 'Merge')
    assert.is(marks['client.lifecycle.config.k8s.io/deletion'], 'detach')
  })
  const pod = (spec: object) => deployment({ template: { metadata: { labels: { app: 'web' } }, spec } })
  const containers = [
    { name: 'web', image: 'web:1' },
    { name: 'side', image: 'side:1' },
  ]
  const two = pod({ containers, initContainers: [{ name: 'init', image: 'init:1' }] })
  const imagesOf = (made: Plan) => {
    const [object] = rendered(made, 'Deployment')
    const spec = object?.spec as { template: { spec: Record<string, Array<{ image: string }>> } } | undefined
    const pod = spec?.template.spec ?? {}
    return ['containers', 'initContainers'].flatMap((list) => pod[list]?.map(({ image: name }) => name) ?? [])
  }
  const image = (container: string) => onDeployment('setImage', { container, image: 'new:2' })
  for (const [container, images] of Object.entries({
    web: ['new:2', 'side:1', 'init:1'],
    side: ['web:1', 'new:2', 'init:1'],
    init: ['web:1', 'side:1', 'new:2'],
  }))
    test(`an image is that of the container ${container}, and of no other`, () => {
      const made = planned([two, image(container)])
      assert.equal(errors(made), [])
      assert.equal(imagesOf(made), images)
    })
  test('a container that is not there is no target: nothing is edited, and which there are is said', () => {
    const made = planned([two, image('wbe')])
    assert.equal(errors(made), [])
    assert.equal(imagesOf(made), ['web:1', 'side:1', 'init:1'])
    assert.match(made.findings.map(({ message }) => message).join(), /no container wbe: it has web, side, init/)
    assert.is(made.packages[0]?.planned[0]?.actions?.[0]?.state, 'no target')
    assert.equal(rendered(made, 'ActionRecord'), [], 'nothing is done that could not be done later')
    assert.match(
      planned([pod({}), image('web')])
        .findings.map(({ message }) => message)
        .join(),
      /it has none/,
    )
  })
})

suite('drains', (test) => {
  const drain = (parameters: object) => signedAction({ id: 'd', type: 'drainNode', sequence: 3, parameters }, 'k1')
  test('a selector of pods that kubectl would refuse is refused', () => {
    assert.equal(errors(planned([drain({ podSelector: 'app in (a' })])), ['InvalidField'])
    assert.equal(errors(planned([drain({ podSelector: 'app in (a, b),!c' })])), [])
  })
  test('one that waits leaves its node as the actions before it say', () => {
    const third = { target: { kind: 'Node', name: 'small-000003' } }
    const waiting = signedAction({ id: 'waiting', type: 'drainNode', sequence: 14, ...third }, 'k1')
    const cordon = signedAction({ id: 'cordon', type: 'cordonNode', sequence: 3, ...third }, 'k1')
    const made = planned([vectorAction('V3'), waiting, cordon])
    assert.equal(nodeOf(made, 'small-000003')?.spec, { unschedulable: true })
    assert.is(nodeOf(made, 'small-000003')?.metadata.annotations?.['nodefit.dev/actions'], 'cordon')
    const states = made.packages[0]?.planned[0]?.actions?.map(({ id, state }) => `${id} ${state}`)
    assert.equal(states?.sort(), ['act-0003 in effect', 'cordon in effect', 'waiting queued'])
    const turn = planned([waiting, cordon])
    assert.is(nodeOf(turn, 'small-000003')?.metadata.annotations?.['nodefit.dev/actions'], 'waiting')
  })
})

suite('what a policy with a namespace holds', (test) => {
  test('is given back as by one without', () => {
    const policy = actionPolicy()
    const spaced = { ...policy, metadata: { ...policy.metadata, namespace: 'ops' } }
    const ended = later(planned([spaced, vectorAction('V1')]), ENDED)
    assert.equal(errors(ended), [])
    assert.ok(nodeOf(ended))
    assert.is(nodeOf(ended)?.spec, undefined)
    assert.is(nodeOf(ended)?.metadata.annotations?.['nodefit.dev/ended'], ENDED)
  })
})

suite('the end of a taint', (test) => {
  const TAINT = { key: 'dedicated', value: 'x', effect: 'NoSchedule' }
  const taint = signedAction({ id: 'taint', type: 'taintNode', sequence: 5, parameters: TAINT }, 'k1')
  const made = planned([taint])
  const digest = rendered(made, 'Job')[0]?.metadata.name.slice(-10)
  const ended = later(made, ENDED)
  const told = (state: string, more: object = {}) =>
    snapshot({ outcomes: [{ action: 'taint', digest, state, ...more }] }, ENDED)
  const END = ['taint node small-000002 dedicated:NoSchedule-']
  test('its Job stays while it runs, and goes once it has ended', () => {
    assert.equal(argsOf(later(ended, ENDED, [told('Ended', { held: true })])), END)
    assert.equal(argsOf(later(ended, ENDED, [told('Ended')])), [])
  })
  test('where it fails it stays as long as the node has the taint: somebody else may have taken it away', () => {
    const nodes = nodesAt(ENDED)
    const { shapes, ...spec } = nodes.spec as { shapes: object[] }
    const tainted = (taints: object[]) => ({
      ...nodes,
      spec: { ...spec, shapes: [{ ...shapes[0], taints }, shapes[1]] },
    })
    const failed = told('Failed')
    assert.equal(argsOf(later(ended, ENDED, [failed, tainted([TAINT])])), END)
    assert.equal(argsOf(later(ended, ENDED, [failed, tainted([{ ...TAINT, effect: 'NoExecute' }])])), [])
    assert.equal(argsOf(later(made, ENDED, [failed, tainted([])])), END, 'the first time it may come too early to see')
  })
  test('without an image for its Job the run fails, and forgets no taint', () =>
    assert.equal(errors(later(made, ENDED, [actionPolicy({ job: {} })])), ['JobImageMissing']))
})

suite('the private key of a public one', (test) => {
  const cordon = signedAction({ id: 'c', type: 'cordonNode' })
  const body = PRIVATE_KEY.split('\n')[1] ?? ''
  const seed = Buffer.from(body, 'base64').subarray(16)
  const second = Buffer.concat([Buffer.from('3051020101300506032b657004220420', 'hex'), seed, Buffer.alloc(35)])
  const thing = (spec: unknown): KubernetesObject[] => [
    keyringItem(),
    { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec } as KubernetesObject,
  ]
  const FOUND: Record<string, KubernetesObject[]> = {
    'without the lines around it': thing({ key: body }),
    'with its line breaks written out': thing({ pem: PRIVATE_KEY.replaceAll('\n', '\\n') }),
    'with the public key in it': thing({ key: second.toString('base64') }),
    'in an annotation of the keyring': [
      { ...keyringItem(), metadata: { name: 'keys', annotations: { note: PRIVATE_KEY } } },
    ],
  }
  for (const [what, objects] of Object.entries(FOUND))
    test(`is found ${what}`, () =>
      assert.equal(errors(planned([cordon, ...objects], { keyring: undefined })), ['KeyInPackage']))
  test('of another one is not', () => {
    const other = body.replace(/.{4}$/, 'AAAA')
    assert.equal(errors(planned([cordon, ...thing({ key: other })], { keyring: undefined })), [])
  })
})

suite('the values of a Secret', (test) => {
  test('that are no texts hold no key', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { port: 5, none: null } }
    assert.equal(errors(planned([vectorAction('V1'), secret])), [])
  })
})

suite('snapshots', (test) => {
  test('that tell of no action need no time where there is none', () => {
    const { observedAt: _, ...spec } = nodesAt().spec as Record<string, unknown>
    const { observedAt: __, ...told } = snapshot({}).spec as Record<string, unknown>
    assert.equal(
      errors(
        planned([
          { ...nodesAt(), spec },
          { ...snapshot({}), spec: told },
        ]),
      ),
      [],
    )
  })

  test('of a package whose actions are gone are read where they tell of some', () => {
    const told = {
      action: 'act-0001',
      digest: VECTORS.V1.digest,
      state: 'Applied',
      sequence: 7,
      proof: proofOf(vectorAction('V1')),
    }
    const shown = planned([snapshot({ outcomes: [{ ...told, fields: ['Node/small-000002/unschedulable'] }] })])
    assert.ok(nodeOf(shown))
    assert.equal(codes(planned([snapshot({ nodes: [{ name: 'small-000002', annotations: { a: 'b' } }] }, T)])), [
      'ActionSummary',
    ])
  })
})
