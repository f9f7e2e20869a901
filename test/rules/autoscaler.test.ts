/** What Karpenter counts otherwise than it runs. The figures are its own: e2e/karpenter/karpenter.test.ts asks it. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const ZONE = 'topology.kubernetes.io/zone'
const CAPACITY = 'karpenter.sh/capacity-type'
const POOL = 'karpenter.sh/nodepool'
const GPU = 'karpenter.k8s.aws/instance-gpu-name'
const RESERVATION = 'karpenter.k8s.aws/capacity-reservation-id'
const ZONES = ['1', '2', '3']
const In = (key: string, ...values: string[]) => ({ key, operator: 'In', values })
const pool = (
  name: string,
  spec: object = {},
  { labels = {}, ...more }: Record<string, unknown> = {},
): KubernetesObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: { template: { metadata: { labels }, spec }, ...more },
})
const nodes = (...all: ReadonlyArray<Record<string, string>>) =>
  inventory(all.map((labels, index) => shape(labels, [`n${index}`], '4', '16Gi', { capacity: { cpu: '4' } })))
/** Two types in three zones, all of one pool. */
const FLEET = nodes(
  ...['m5.large', 'm5.xlarge'].flatMap((type) => ZONES.map((zone) => ({ [TYPE]: type, [ZONE]: zone, [POOL]: 'p' }))),
)
const terms = (...all: object[][]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: all.map((matchExpressions) => ({ matchExpressions })),
      },
    },
  },
})

/** What is said of the autoscaler. */
function said(
  fleet: KubernetesObject,
  spec: object,
  pools: KubernetesObject[],
  version?: string,
  pod: object = {},
): string[] {
  const objects = [fleet, policy({ ...spec }), daemonSet({ ...pod }), ...pools]
  const options = { autoscaler: { kind: 'karpenter', ...(version === undefined ? {} : { version }) } }
  const made = plan(listOf(objects, config(options)))
  assert.is(made.failed, false, made.findings.map(({ sentence }) => sentence).join('\n'))
  return made.findings.flatMap(({ code, sentence }) => (code.startsWith('Autoscaler') ? [`${code}: ${sentence}`] : []))
}

const S1 = '1 pod (cpu 100m, memory 327Mi)'
const S2 = '2 pods (cpu 200m, memory 654Mi)'
const S3 = '3 pods (cpu 300m, memory 981Mi)'
const because = (reason: string) =>
  `AutoscalerCounts: agent: Karpenter miscounts DaemonSet requests in NodePool p, because ${reason}: `

const TERMS = 'Karpenter drops a term of the required affinity when an instance type does not match it'

suite('Karpenter counts what runs', (test) => {
  for (const [name, fleet, spec, pools, pod] of [
    ['by type', FLEET, {}, [pool('p')], {}],
    [
      'by zone, where the pool allows one',
      FLEET,
      { nodeGroupLabel: ZONE },
      [pool('p', { requirements: [In(ZONE, '2')] })],
      {},
    ],
    ['by zone, of a pool that scales nothing', FLEET, { nodeGroupLabel: ZONE }, [pool('p', {}, { replicas: 3 })], {}],
    [
      'by zone, of a pool that is at its limit',
      FLEET,
      { nodeGroupLabel: ZONE },
      [pool('p', {}, { limits: { cpu: '3' } })],
      {},
    ],
    [
      'by zone, of a pool without nodes',
      FLEET,
      { nodeGroupLabel: ZONE },
      [pool('p', {}, { limits: { nodes: '0' } })],
      {},
    ],
    [
      'by zone, where the taint of the pool is not tolerated',
      FLEET,
      { nodeGroupLabel: ZONE },
      [pool('p', { taints: [{ key: 'a', effect: 'NoExecute' }] })],
      {},
    ],
    [
      'by a label of the template of each pool',
      nodes({ team: 'a', [POOL]: 'p' }),
      { nodeGroupLabel: 'team' },
      [pool('p', {}, { labels: { team: 'a' } })],
      {},
    ],
    [
      'by a label of one value',
      nodes({ team: 'a', [POOL]: 'p' }),
      { nodeGroupLabel: 'team' },
      [pool('p', { requirements: [In('team', 'a')] })],
      {},
    ],
    [
      'by an older name of a label',
      nodes({ 'beta.kubernetes.io/arch': 'arm64', [TYPE]: 't' }),
      { nodeGroupLabel: 'beta.kubernetes.io/arch' },
      [pool('p')],
      {},
    ],
    [
      'on nodes that are ready',
      nodes({ [TYPE]: 't', 'karpenter.sh/initialized': 'true' }),
      {},
      [pool('p')],
      { nodeSelector: { 'karpenter.sh/initialized': 'true' } },
    ],
  ] as const)
    test(name, () => assert.equal(said(fleet, spec, [...pools], undefined, pod), []))
  test('labels of a type are read from nodes that Karpenter made, where there are some', () => {
    const fleet = nodes({ [TYPE]: 't', [GPU]: 'a', [POOL]: 'p' }, { [TYPE]: 't' })
    assert.equal(said(fleet, { nodeGroupLabel: GPU }, [pool('p', { requirements: [In(TYPE, 't')] })]), [])
  })
  test('nobody asks where no autoscaler is named, but the line is given where nodes are Karpenter’s', () => {
    const saidOf = (fleet: KubernetesObject, ...more: KubernetesObject[]) => {
      const { findings } = plan(listOf([fleet, policy({ nodeGroupLabel: ZONE }), daemonSet(), ...more]))
      return findings.flatMap(({ code, sentence }) => (code.startsWith('Autoscaler') ? [`${code}: ${sentence}`] : []))
    }
    const [found = '', ...more] = saidOf(FLEET)
    assert.equal(more, [])
    assert.match(
      found,
      `AutoscalerNotNamed: agent: nodes of the fleet have labels of Karpenter (${POOL}=p), but no RenderConfig`,
    )
    const [, kind, version] = /spec\.autoscaler: \{ kind: (\w+), version: "([\d.]+)" \}$/.exec(found) ?? []
    const asked = saidOf(FLEET, config({ autoscaler: { kind, version } }), pool('p'))
    assert.equal(
      asked.map((text) => text.split(':')[0]),
      ['AutoscalerCounts'],
      'what is written is read',
    )
    assert.equal(saidOf(nodes({ [ZONE]: '1' })), [])
  })
  test('of two clusters, the policy for the one with nodes of Karpenter is named, whatever nodes it selects', () => {
    const inCluster = (cluster: string, ...labels: ReadonlyArray<Record<string, string>>) => {
      const { spec, ...rest } = nodes(...labels)
      return { ...rest, metadata: { name: cluster }, spec: { ...(spec as object), cluster } }
    }
    const of = (name: string) => [
      policy({ cluster: name, targetRef: { name }, nodeSelector: { team: 'x' } }, name),
      JSON.parse(JSON.stringify(daemonSet()).replaceAll('agent', name)),
    ]
    const fleets = [
      inCluster('a', { [TYPE]: 't', team: 'x' }),
      inCluster('b', { [TYPE]: 't', team: 'x' }, { [TYPE]: 't', team: 'y', [POOL]: 'p' }),
    ]
    const { findings } = plan(listOf([...fleets, ...of('a'), ...of('b')]))
    const found = findings.filter(({ code }) => code === 'AutoscalerNotNamed').map(({ sentence }) => sentence)
    assert.is(found.length, 1)
    assert.match(found[0] ?? '', `b: nodes of the fleet have labels of Karpenter (${POOL}=p)`)
  })
})

suite('a NodePool without nodes, of types that no node has', (test) => {
  const FAMILY = 'karpenter.k8s.aws/instance-family'
  const MEMORY = 'karpenter.k8s.aws/instance-memory'
  const fleet = nodes(
    { [TYPE]: 'm5.large', [FAMILY]: 'm5', [MEMORY]: '8192', team: 'a', [POOL]: 'p' },
    { [TYPE]: 'm5.large', [FAMILY]: 'm5', [MEMORY]: '8192', team: 'b', [POOL]: 'q' },
  )
  const shown = [
    pool('p', { requirements: [In(FAMILY, 'm5'), In('team', 'a')] }),
    pool('q', { requirements: [In(FAMILY, 'm5'), In('team', 'b')] }),
  ]
  const empty = (...requirements: object[]) => [...shown, pool('zero', { requirements })]
  const zero = (spec: object, ...requirements: object[]) => said(fleet, spec, empty(...requirements))
  const counted = `AutoscalerCounts: agent: Karpenter miscounts DaemonSet requests in NodePool zero, because team has several values there: `
  for (const [name, requirements, type] of [
    ['of a family', [In(FAMILY, 'g5')], 'an instance type that no node has'],
    ['of a listed type', [In(TYPE, 'g5.large')], 'g5.large'],
    ['of a listed type and family', [In(TYPE, 'g5.large'), In(FAMILY, 'g5')], 'g5.large'],
  ] as const)
    test(`${name}: what its own requirements decide is counted`, () => {
      assert.equal(zero({ nodeGroupLabel: 'team' }, ...requirements, In('team', 'a', 'b')), [
        `${counted}${type} counted ${S2}, running ${S1}`,
      ])
      assert.equal(zero({ nodeGroupLabel: 'team' }, ...requirements, In('team', 'a')), [])
      assert.equal(zero({}, ...requirements, In('team', 'a')), [], 'by type')
      assert.equal(zero({ nodeGroupLabel: POOL }, ...requirements), [], 'by pool')
      assert.equal(
        zero({ nodeGroupRanges: { label: MEMORY, bounds: [8192, 32768] } }, ...requirements),
        [],
        'by ranges',
      )
    })
  test('what they leave open is said to be unknown, and is known once the types are declared', () => {
    const spec = { nodeGroupLabel: GPU, groups: [{ name: 't4', nodeSelector: { [GPU]: 't4' } }] }
    const cards = nodes(
      { [TYPE]: 'm5.large', [FAMILY]: 'm5', [POOL]: 'p' },
      { [TYPE]: 'g4', [FAMILY]: 'g4', [GPU]: 'a10', [POOL]: 'q' },
    )
    const pools = [
      pool('p', { requirements: [In(FAMILY, 'm5')] }),
      pool('q', { requirements: [In(FAMILY, 'g4')] }),
      pool('zero', { requirements: [In(TYPE, 'g6.large', 'g6.xlarge')] }),
    ]
    const [found = '', ...more] = said(cards, spec, pools).filter((text) => text.includes('zero'))
    assert.equal(more, [])
    assert.is(
      found,
      `AutoscalerUnknown: agent: no node shows g6.large, g6.xlarge of NodePool zero, and the NodePool leaves ${GPU} open, so nobody can tell whether Karpenter counts what will run`,
    )
    const declared = ['g6.large', 'g6.xlarge'].map((type) => shape({ [TYPE]: type, [GPU]: 'l4', [POOL]: 'zero' }, []))
    const { shapes } = cards.spec as { shapes: object[] }
    const mended = said(inventory([...shapes, ...declared]), spec, pools)
    assert.equal(
      mended.filter((text) => text.startsWith('AutoscalerUnknown')),
      [],
    )
  })
})

suite('Karpenter counts otherwise', (test) => {
  const several = because(`${ZONE} has several values there`)
  test('by zone: each zone that the pool allows', () =>
    assert.equal(said(FLEET, { nodeGroupLabel: ZONE }, [pool('p', { requirements: [In(ZONE, '1', '2')] })]), [
      `${several}m5.large counted ${S2}, running ${S1}; m5.xlarge counted ${S2}, running ${S1}; an instance type that no node has counted ${S2}, running ${S1}`,
    ]))
  test('by type and zone; types that the pool names are all there are', () =>
    assert.equal(
      said(FLEET, { nodeGroupLabels: [TYPE, ZONE] }, [pool('p', { requirements: [In(TYPE, 'm5.large')] })]),
      [`${several}m5.large counted ${S3}, running ${S1}`],
    ))
  test('requests that Kubernetes fills in from limits', () =>
    assert.equal(
      said(FLEET, { nodeGroupLabel: ZONE, resourcePercentages: { requestCPU: null, requestMemory: null } }, [
        pool('p', { requirements: [In(ZONE, '1', '2'), In(TYPE, 'm5.large')] }),
      ]),
      [`${several}m5.large counted 2 pods (cpu 400m, memory 1638Mi), running 1 pod (cpu 200m, memory 819Mi)`],
    ))
  test('a reservation, which a node may have or not', () => {
    const overrides = [{ groups: ['r'], resourcePercentages: { requestCPU: 4 } }]
    const large = '1 pod (cpu 160m, memory 327Mi)'
    assert.equal(
      said(nodes({ [TYPE]: 't', [RESERVATION]: 'r' }), { nodeGroupLabel: RESERVATION, overrides }, [
        pool('p', { requirements: [In(TYPE, 't')] }),
      ]),
      [`${because(`${RESERVATION} has several values there`)}t counted ${large}, running ${large} or ${S1}`],
    )
  })
  test('a zone that a pool names and no node is in', () =>
    assert.equal(
      said(nodes({ [TYPE]: 't', [ZONE]: '1' }), { nodeGroupLabel: ZONE }, [
        pool('p', { requirements: [In(ZONE, '1', '4'), In(TYPE, 't')] }),
      ]),
      [`${several}t counted ${S2}, running ${S1}`],
    ))
  test('a zone that may come, where all nodes are in one and the pool names none', () =>
    assert.equal(
      said(nodes({ [TYPE]: 't', [ZONE]: '1' }), { nodeGroupLabel: ZONE }, [
        pool('p', { requirements: [In(TYPE, 't')] }),
      ]),
      [`${several}t counted ${S2}, running ${S1}`],
    ))
  test('capacity types that no node has', () =>
    assert.equal(
      said(nodes({ [TYPE]: 't', [CAPACITY]: 'spot' }), { nodeGroupLabel: CAPACITY }, [
        pool('p', { requirements: [In(TYPE, 't')] }),
      ]),
      [`${because(`${CAPACITY} has several values there`)}t counted ${S2}, running ${S1}`],
    ))
  test('capacity types that no node has, of a pool that takes any', () =>
    assert.equal(
      said(nodes({ [TYPE]: 't', [CAPACITY]: 'spot' }), { nodeGroupLabel: CAPACITY }, [
        pool('p', { requirements: [In(TYPE, 't'), { key: CAPACITY, operator: 'Exists' }] }),
      ]),
      [`${because(`${CAPACITY} has several values there`)}t counted ${S2}, running ${S1}`],
    ))
  test('an instance type that no node has may lack what some types lack', () =>
    assert.equal(said(nodes({ [TYPE]: 't', [GPU]: 'a' }), { nodeGroupLabel: GPU }, [pool('p')]), [
      `${because(`nodes without ${GPU} are counted as if they had another value`)}an instance type that no node has counted ${S2}, running ${S1}`,
    ]))
  test('a new pool of an instance type that no node has', () =>
    assert.equal(said(FLEET, { nodeGroupLabel: ZONE }, [pool('p', { requirements: [In(TYPE, 'new')] })]), [
      `${several}new counted ${S3}, running ${S1}`,
    ]))
  test('a label of which the pool has several values', () =>
    assert.equal(
      said(nodes({ [TYPE]: 't', team: 'a' }, { [TYPE]: 't', team: 'b' }), { nodeGroupLabel: 'team' }, [
        pool('p', { requirements: [In(TYPE, 't'), In('team', 'a', 'b')] }),
      ]),
      [`${because('team has several values there')}t counted ${S2}, running ${S1}`],
    ))
  test('a label that nodes get after their launch: the default group and the remainder are counted', () =>
    assert.equal(
      said(nodes({ [TYPE]: 't', team: 'a' }), { nodeGroupLabel: 'team' }, [
        pool('p', { requirements: [In(TYPE, 't')] }),
      ]),
      [`${because('nodes get team after their launch')}t counted ${S2}, running ${S1}`],
    ))
  test('a label of the type that some types lack', () =>
    assert.equal(
      said(nodes({ [TYPE]: 't', [GPU]: 'a' }, { [TYPE]: 'u' }), { nodeGroupLabel: GPU }, [
        pool('p', { requirements: [In(TYPE, 't', 'u')] }),
      ]),
      [`${because(`nodes without ${GPU} are counted as if they had another value`)}u counted ${S2}, running ${S1}`],
    ))
  test('two terms: a type that matches neither takes the first away', () => {
    const counted = `counted 0 pods to ${S1}, depending on the order of instance types, running ${S1}`
    assert.equal(
      said(
        nodes({ [TYPE]: 't' }, { [TYPE]: 'u' }),
        {},
        [pool('p', { requirements: [In(TYPE, 't', 'u')] })],
        undefined,
        terms([In(TYPE, 't', 'u')], [In(TYPE, 'v')]),
      ),
      [`${because(TERMS)}t ${counted}; u ${counted}`],
    )
  })
  test('two terms, of which a type that nobody has seen may take the first away', () => {
    const counted = `counted 0 pods to ${S1}, depending on the order of instance types, running ${S1}`
    const two = terms([In(TYPE, 't')], [In('arch', 'x')])
    assert.match(
      said(nodes({ [TYPE]: 't', arch: 'x' }), {}, [pool('p')], undefined, two)[0] ?? '',
      `nodes get arch after their launch and ${TERMS}: t ${counted}; `,
    )
  })
  test('three terms: one that was gone over does not come back', () => {
    const counted = `counted 0 pods to ${S1}, depending on the order of instance types, running ${S1}`
    const three = terms([In(TYPE, 'z')], [In(TYPE, 'y')], [In(TYPE, 'x')])
    assert.equal(
      said(
        nodes({ [TYPE]: 'y', [POOL]: 'p' }, { [TYPE]: 'z', [POOL]: 'p' }),
        { nodeGroupLabel: POOL },
        [pool('p', { requirements: [In(TYPE, 'y', 'z')] })],
        undefined,
        three,
      ),
      [`${because(TERMS)}y ${counted}; z ${counted}`],
    )
  })
  test('two terms, beside a pool where no pod may be: nothing is taken away there', () =>
    assert.equal(
      said(
        nodes({ [TYPE]: 't' }, { [TYPE]: 'u' }),
        {},
        [
          pool('p', { requirements: [In(TYPE, 't')] }),
          pool('q', { requirements: [In(TYPE, 'u')], taints: [{ key: 'a', effect: 'NoSchedule' }] }),
        ],
        undefined,
        terms([In(TYPE, 't')], [In(TYPE, 'v')]),
      ),
      [],
    ))
  test('two terms, where every type that the pool names matches the first', () =>
    assert.equal(
      said(
        nodes({ [TYPE]: 't', arch: 'x' }),
        {},
        [pool('p', { requirements: [In(TYPE, 't')] })],
        undefined,
        terms([In(TYPE, 't')], [In('arch', 'x')]),
      ),
      [],
    ))
  test('before 1.14: every type with every group that the pool allows', () =>
    assert.equal(said(FLEET, {}, [pool('p', { requirements: [In(TYPE, 'm5.large', 'm5.xlarge')] })], '1.13.2'), [
      `${because('Karpenter before 1.14 ignores the instance type')}m5.large counted ${S2}, running ${S1}; m5.xlarge counted ${S2}, running ${S1}`,
    ]))
  for (const version of ['1.14', 'v1.14.1', '1.15.0', '2.0', '1.20'])
    test(`${version} asks for the type`, () => assert.equal(said(FLEET, {}, [pool('p')], version), []))
  test('before 1.14, by pool', () => {
    const fleet = nodes({ [TYPE]: 't', [POOL]: 'p' }, { [TYPE]: 't', [POOL]: 'q' })
    assert.equal(said(fleet, { nodeGroupLabel: POOL }, [pool('p'), pool('q')], '1.13'), [])
  })
})

suite('without NodePools', (test) => {
  test('the pools that nodes name are taken', () => {
    const [sentence = ''] = said(FLEET, { nodeGroupLabel: ZONE }, [])
    assert.match(sentence, `${because(`${ZONE} has several values there`)}m5.large counted ${S3}, running ${S1}`)
  })
  test('they are known by their names', () => {
    const zones = ZONES.flatMap((zone) => ['p', 'q'].map((name) => ({ [TYPE]: 't', [POOL]: name, [ZONE]: zone })))
    const found = said(nodes(...zones), { nodeGroupLabel: ZONE }, [], undefined, { nodeSelector: { [POOL]: 'p' } })
    assert.is(found.length, 1)
    assert.match(found[0] ?? '', `${because(`${ZONE} has several values there`)}t counted ${S3}, running ${S1}`)
  })
  test('labels that only a NodePool would explain', () =>
    assert.equal(said(nodes({ team: 'a', [POOL]: 'p' }), { nodeGroupLabel: 'team' }, []), [
      'AutoscalerUnknown: agent: the package has no NodePool, so nobody can tell whether Karpenter knows team before the node exists',
    ]))
  test('by type nothing else need be known', () => assert.equal(said(FLEET, {}, []), []))
})

suite('many DaemonSets', (test) => {
  const many = (count: number) => nodes(...Array.from({ length: count }, (_, index) => ({ [TYPE]: `t${index}` })))
  // with the default group and the remainder
  test('a hundred are counted in less than a second', () => assert.equal(said(many(98), {}, []), []))
  test('more are said', () =>
    assert.equal(said(many(99), {}, []), [
      'AutoscalerSlow: 101 DaemonSets are rendered, 101 of them for agent: Karpenter compares each with every instance type of every NodePool in every scheduling simulation',
    ]))
  const codes = (...objects: KubernetesObject[]) =>
    plan(listOf([...objects, policy(), daemonSet()])).findings.flatMap(({ code }) =>
      code.startsWith('Autoscaler') ? [code] : [],
    )
  test('said without a RenderConfig where the package has a NodePool, or nodes have labels of Karpenter', () => {
    const labelled = nodes(
      ...Array.from({ length: 99 }, (_, index) => ({ [TYPE]: `t${index}`, 'karpenter.sh/nodepool': 'p' })),
    )
    assert.equal(codes(many(99)), [])
    assert.equal(codes(many(99), pool('p')), ['AutoscalerSlow'])
    assert.equal(codes(many(98), pool('p')), [])
    assert.equal(codes(labelled), ['AutoscalerSlow', 'AutoscalerNotNamed'])
  })
})
