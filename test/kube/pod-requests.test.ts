import * as assert from 'uvu/assert'
import { KubeError, type PodSpec, podRequests } from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

const container = (cpu?: string, memory?: string, more: object = {}) => ({
  name: 'c',
  resources: { requests: { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) } },
  ...more,
})
const sidecar = (cpu: string, memory?: string) => container(cpu, memory, { restartPolicy: 'Always' })

const CASES: Array<[name: string, spec: PodSpec, want: Record<string, string>]> = [
  ['nothing', {}, {}],
  [
    'containers add up',
    { containers: [container('100m', '64Mi'), container('1', '64Mi')] },
    { cpu: '1100m', memory: '128Mi' },
  ],
  ['a container without resources', { containers: [{ name: 'c' }, container('1')] }, { cpu: '1' }],
  [
    'an init container that needs more raises the sum',
    { containers: [container('1')], initContainers: [container('3')] },
    { cpu: '3' },
  ],
  [
    'an init container that needs less does not',
    { containers: [container('2')], initContainers: [container('1'), container('1')] },
    { cpu: '2' },
  ],
  [
    'an init container may bring a resource of its own',
    { containers: [container('2')], initContainers: [container(undefined, '1Gi')] },
    { cpu: '2', memory: '1Gi' },
  ],
  ['a sidecar adds to the sum', { containers: [container('1')], initContainers: [sidecar('2')] }, { cpu: '3' }],
  [
    'an init container after a sidecar needs both',
    { containers: [container('1')], initContainers: [sidecar('2'), container('5')] },
    { cpu: '7' },
  ],
  [
    'an init container before a sidecar needs its own only',
    { containers: [container('1')], initContainers: [container('5'), sidecar('2')] },
    { cpu: '5' },
  ],
  [
    'sidecars count from where they start',
    { containers: [container('1')], initContainers: [sidecar('1'), container('3'), sidecar('1'), container('3')] },
    { cpu: '5' },
  ],
  ['overhead comes on top', { containers: [container('1')], overhead: { cpu: '250m' } }, { cpu: '1250m' }],
  [
    'pod-level requests replace the sum',
    { containers: [container('1', '1Gi')], resources: { requests: { cpu: '5' } } },
    { cpu: '5', memory: '1Gi' },
  ],
  [
    'for hugepages too, but for no other resource',
    { resources: { requests: { 'hugepages-2Mi': '4Mi', 'example.com/gpu': '1' } } },
    { 'hugepages-2Mi': '4Mi' },
  ],
  [
    'overhead comes on top of pod-level requests',
    { resources: { requests: { cpu: '5' } }, overhead: { cpu: '1' } },
    { cpu: '6' },
  ],
  ['numbers are read too', { containers: [{ name: 'c', resources: { requests: { cpu: 1 } } }] }, { cpu: '1' }],
]

suite('podRequests', (test) => {
  for (const [name, spec, want] of CASES) {
    test(name, () => {
      const texts = Object.fromEntries(
        Object.entries(podRequests(spec)).map(([key, quantity]) => [key, quantity.toString()]),
      )
      assert.equal(texts, want)
    })
  }
  test('a malformed quantity is an error', () => {
    assert.throws(
      () => podRequests({ containers: [container('one')] }),
      (error: unknown) => error instanceof KubeError,
    )
  })
})
