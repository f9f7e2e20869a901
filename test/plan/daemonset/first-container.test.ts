import * as assert from 'uvu/assert'
import type { PodSpec } from '../../../src/kube/index.ts'
import { firstContainer } from '../../../src/plan/daemonset/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const container = (name: string, requests?: unknown, limits?: unknown, more: object = {}) => ({
  name,
  image: 'x:1',
  resources: {
    ...(requests ? { requests: { memory: requests } } : {}),
    ...(limits ? { limits: { memory: limits } } : {}),
  },
  ...more,
})
const sidecar = { restartPolicy: 'Always' }

const CASES: Array<[name: string, pod: unknown, want: string | undefined]> = [
  ['the only one', { containers: [container('x')] }, 'x'],
  [
    'the only one beside a sidecar',
    { containers: [container('x')], initContainers: [container('y', '1Gi', 0, sidecar)] },
    'x',
  ],
  ['the one named like the target', { containers: [container('x', '1Gi'), container('agent')] }, 'agent'],
  ['the largest request', { containers: [container('x', '64Mi'), container('y', '1Gi'), container('z', '500M')] }, 'y'],
  [
    'a limit is a request where none is written',
    { containers: [container('x', '64Mi', '2Gi'), container('y', 0, '1Gi')] },
    'y',
  ],
  [
    'of equal requests the largest limit',
    { containers: [container('x', '1Gi', '1Gi'), container('y', '1Gi', '2Gi')] },
    'y',
  ],
  [
    'of equal requests the one without a limit',
    { containers: [container('x', '1Gi', '9Gi'), container('y', '1Gi')] },
    'y',
  ],
  ['of two without a limit the first', { containers: [container('x', '1Gi'), container('y', '1Gi')] }, 'x'],
  ['the first of equals', { containers: [container('x', '1Gi'), container('y', '1024Mi')] }, 'x'],
  ['the first where none has any', { containers: [container('x'), container('y')] }, 'x'],
  ['what is no quantity counts for nothing', { containers: [container('x', 'much'), container('y', '1Mi')] }, 'y'],
  [
    'a sidecar, but no other init container',
    {
      containers: [container('x'), container('y')],
      initContainers: [container('i', '9Gi'), container('s', '1Gi', 0, sidecar)],
    },
    's',
  ],
  ['none where there are none', {}, undefined],
]

suite('the container that is sized where nobody says', (test) => {
  for (const [name, pod, want] of CASES) test(name, () => assert.is(firstContainer(pod as PodSpec, 'agent'), want))
  test('a policy that leaves it open fails, and names the same', () => {
    const pod = { containers: [container('x', '64Mi'), container('y', '1Gi')] }
    const nodes = inventory([shape({ [TYPE]: 'a' }, ['n1'])])
    const said = (spec: object) => {
      const { findings } = plan(listOf([nodes, policy(spec as Record<string, unknown>), daemonSet(pod)]))
      return findings.find(({ code }) => code === 'ContainerNotChosen')
    }
    assert.match(
      said({})?.sentence ?? '',
      /no container has the name of the target; the template has x, y; nodefit init would size y$/,
    )
    assert.equal(said({})?.field?.proposedValue, [{ name: 'y' }])
    assert.is(said({ containers: said({})?.field?.proposedValue }), undefined)
    assert.not.match(said({ containers: [{ name: 'x', share: 90 }] })?.sentence ?? '', 'init')
  })
  const SHARES: Array<[shares: number[], sum: number | undefined]> = [
    [[60, 40], undefined],
    // 99.99999999999999 as a sum of binary fractions
    [[33.3, 33.3, 33.4, 0], undefined],
    [[14.3, 14.3, 14.3, 14.3, 14.3, 14.3, 14.2], undefined],
    [[60, 39.5], 99.5],
    [[60, 40.5], 100.5],
    [[99.99], 99.99],
  ]
  for (const [shares, sum] of SHARES)
    test(`shares of ${shares.join(' + ')}: ${sum === undefined ? 'are 100' : `are ${sum}, not 100`}`, () => {
      const containers = shares.map((share, index) => ({ name: `c${index}`, share }))
      const pod = { containers: containers.map(({ name }) => container(name)) }
      const { findings } = plan(
        listOf([inventory([shape({ [TYPE]: 'a' }, ['n1'])]), policy({ containers }), daemonSet(pod)]),
      )
      const [refused] = findings.filter(({ code }) => code === 'ContainerNotChosen')
      if (sum === undefined) assert.is(refused, undefined)
      else assert.match(refused?.sentence ?? '', `add up to ${sum}, not 100`)
    })
})
