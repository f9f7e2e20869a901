/** A machine that came for a pod and did not help is the last one that the pod gets, and a pod that lost its place gets another. */
import * as assert from 'uvu/assert'
import {
  type ClaimScene,
  claimsIn,
  decide,
  decideAgain,
  decideObjects,
  type NodeScene,
  POOL_LABEL,
  type PodScene,
  STATIC,
  sceneObjects,
} from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const ONE = 'small-000001'
const OTHERS: Partial<NodeScene> = { used: 'full' }
/** Nothing that counts runs there, and agents that nobody declared leave less than the pod requests. */
const SHORT: Partial<NodeScene> = { used: { cpu: '3200m', memory: '1Gi', pods: '3' }, blocking: 0 }
const node = (more: Partial<NodeScene>, claim: Partial<ClaimScene> = {}): NodeScene => ({
  name: ONE,
  ready: 3600,
  ...more,
  claim: { opened: 4000, openedFor: ['a', 'b'], ...claim },
})
const pod = (more: Partial<PodScene> = {}): PodScene => ({ name: 'a', since: 5000, ...more })
const LIMITED = { like: { limits: ['volumes'] } }

const ROWS: Readonly<Record<string, [node: NodeScene, pod: PodScene, place: string]>> = {
  'its node has room': [node({}), pod(), 'not helped'],
  'its node has too little room though nobody took it': [node(SHORT), pod(), 'not helped'],
  'others took its place': [node(OTHERS), pod(), 'small-000002'],
  'others took the place of one that is limited by what is not planned with': [
    node(OTHERS),
    pod(LIMITED),
    'not helped',
  ],
  'its node has just come, and others took its place': [node({ ...OTHERS, ready: 60 }), pod(), 'small-000002'],
  'its node has just come, and it is limited': [node({ ...OTHERS, ready: 60 }), pod(LIMITED), ONE],
  'its node has been Ready for as long as it settles': [node({ ...OTHERS, ready: 300 }), pod(LIMITED), 'not helped'],
  'its node has room for one that is limited': [
    node({ used: { cpu: '500m', memory: '1Gi', pods: '3' }, blocking: 1 }),
    pod(LIMITED),
    'not helped',
  ],
  'its node is cordoned by others': [node({ cordoned: true }), pod(LIMITED), 'small-000002'],
  'the node is not its own': [node(OTHERS, { openedFor: ['b'] }), pod(LIMITED), 'small-000002'],
  'an earlier pod had its name': [node(OTHERS), pod({ ...LIMITED, since: 3999 }), 'small-000002'],
  'a node that became Ready when it began to wait did not come for it': [
    node({}, { openedFor: ['b'] }),
    pod({ since: 3600 }),
    'small-000002',
  ],
  'it is pending since its claim was opened': [node(OTHERS), pod({ ...LIMITED, since: 4000 }), 'not helped'],
}

suite('a machine that did not help', (test) => {
  for (const [name, [one, waiting, place]] of Object.entries(ROWS))
    test(name, () => {
      const { errors, pods, added, warnings, plan } = decide({ nodes: [one], pods: [waiting] })
      const said = plan.findings.find(({ code }) => code === 'MachineDidNotHelp')
      assert.match(said?.sentence ?? 'small: 1 pending pod (default/a): ', 'small: 1 pending pod (default/a): ')
      assert.equal([errors, pods.a, added], [[], place, place === 'small-000002' ? [place] : []])
      assert.is(warnings.includes('MachineDidNotHelp'), place === 'not helped')
    })
  test('a larger pod that comes later does not take the place of one whose machine is in flight', () => {
    const claims = [{ name: ONE, opened: 60, openedFor: ['a'] }]
    const { pods, added } = decide({ claims, pods: [pod({ since: 300 }), { name: 'large', cpu: '3500m', since: 200 }] })
    assert.equal([pods, added], [{ a: ONE, large: 'small-000002' }, ['small-000002']])
  })
  const TWO = { pools: [{}, { name: 'big' }] }
  test('the last machine that was opened for a pod is its own, whatever the name of its pool', () => {
    const nodes = [
      { ...node(OTHERS), name: 'small-000009' },
      { ...node({ ready: 60 }, { pool: 'big', opened: 600, openedFor: ['a'] }), name: 'big-000002' },
    ]
    const pods = [pod(), { name: 'large', cpu: '3500m', since: 200, like: { nodeSelector: { [POOL_LABEL]: 'big' } } }]
    const labels = { [POOL_LABEL]: 'big' }
    const decided = decide({ ...TWO, nodes: nodes.map((one, at) => (at === 0 ? one : { ...one, labels })), pods })
    assert.equal(decided.pods, { a: 'big-000002', large: 'big-000003' })
  })
  test('two pods of one machine whose place others took in part: the larger one has it, the other gets another', () => {
    const used = { cpu: '2', memory: '1Gi', pods: '3' }
    const decided = decide({
      nodes: [node({ used, blocking: 1, ready: 60 })],
      pods: [pod({ cpu: '1500m' }), pod({ name: 'b' })],
    })
    assert.equal(decided.pods, { a: ONE, b: 'small-000002' })
  })
  test('a pod may use what another pool opened for others, before its first pool opens a machine', () => {
    const pods = [
      { name: 'large', cpu: '2', like: { nodeSelector: { [POOL_LABEL]: 'small' } } },
      { name: 'any', cpu: '1' },
    ]
    const decided = decide({ ...TWO, pods })
    assert.equal([decided.pods, decided.added], [{ large: 'small-000001', any: 'small-000001' }, ['small-000001']])
    assert.equal(decideAgain(decided).added, [])
  })
  test('of what several pools have just opened, it uses the first', () => {
    const of = (pool: string) => ({ like: { nodeSelector: { [POOL_LABEL]: pool } } })
    const pods = [
      { name: 'large', cpu: '2', ...of('small') },
      { name: 'less', cpu: '1500m', ...of('big') },
      { name: 'any', cpu: '1' },
    ]
    assert.is(decide({ ...TWO, pods }).pods.any, 'small-000001')
  })
  for (const [name, output, more, options] of [
    ['machines that have no object', STATIC, {}, {}],
    ['a pod whose age is unknown', undefined, { pod: { since: undefined } }, {}],
    ['earlier output that is hidden', undefined, {}, { keepsFiles: false, allow: ['NeedsEarlierOutput'] }],
  ] as const)
    test(`the first pool opens a machine for what the next run cannot place again: ${name}`, () => {
      const spec = { scaleUp: { stabilizationWindow: '0' } }
      const policy = output === undefined ? {} : { output }
      const pods = [
        { name: 'large', cpu: '2', like: { nodeSelector: { [POOL_LABEL]: 'small' } } },
        { name: 'any', cpu: '1', ...more },
      ]
      const decided = decideObjects(
        sceneObjects({
          pools: [
            { spec, policy },
            { name: 'big', spec },
          ],
          pods,
        }),
        options,
      )
      assert.equal([decided.errors, decided.pods.any], [[], 'big-000001'])
    })
  test('a pod of several pools does not wait for a settled node of one that trusts the scheduler already', () => {
    const pools = [{ policy: { times: { trust: '1m' } } }, { name: 'big' }]
    const decided = decide({ pools, nodes: [node({}, { openedFor: [] })], pods: [pod({ since: 300 })] })
    assert.is(decided.pods.a, 'big-000001')
  })
  test('the node is kept while the pod waits, and takes others', () => {
    const { pods, marked } = decide({
      nodes: [node({ idle: 900 })],
      pods: [pod(LIMITED), { name: 'c', since: 200 }],
    })
    assert.equal([pods, marked], [{ a: 'not helped', c: ONE }, []])
  })
  test('a claim says for which pods it was opened, and is not changed for those that it takes later', () => {
    const scene = { pods: [pod({ name: 'b' }), pod()] }
    const opened = claimsIn(decide(scene)).map(({ metadata }) => metadata.annotations?.['nodefit.dev/opened-for'])
    assert.equal(opened, ['default/a default/b'])
    const later = claimsIn(
      decide({ claims: [{ name: ONE, opened: 60, openedFor: ['b'] }], pods: [pod({ since: 200 })] }),
    )
    assert.equal(
      later.map(({ metadata }) => metadata.annotations?.['nodefit.dev/opened-for']),
      ['default/b'],
    )
  })
  for (const text of [7, '', 'default/a  x', 'a/b/c'])
    test(`what a user wrote there is read as it is: ${JSON.stringify(text)}`, () => {
      const claim = claimsIn(decide({ claims: [{ name: ONE }] }))[0]
      const object = structuredClone(claim)
      if (object === undefined) throw new Error('no claim')
      object.metadata.annotations = { ...object.metadata.annotations, 'nodefit.dev/opened-for': text as string }
      assert.equal(decide({ more: [object], pods: [pod()] }).errors, [])
    })
})
