/** What `nodefit init` leaves alone, and why; what it does not. */
import * as assert from 'uvu/assert'
import type { PodSpec } from '../../../src/kube/index.ts'
import { leaveReason } from '../../../src/plan/daemonset/index.ts'
import { daemonSet } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const SIZED = { requests: { cpu: '100m' } }
const podOf = (more: object, image = 'agent:1', resources: object = SIZED) =>
  ({ containers: [{ name: 'agent', image, resources }], ...more }) as unknown as PodSpec
const reason = (pod: PodSpec, name = 'agent', labels: Record<string, string> = {}) =>
  leaveReason(daemonSet({}, { name, labels }), pod, pod.containers?.[0] ?? { name: 'agent' })
const onHost = (...paths: string[]) => ({ volumes: paths.map((path, at) => ({ name: `v${at}`, hostPath: { path } })) })

const LEFT: Array<[name: string, pod: PodSpec, daemonSet: string, said: RegExp, page: string]> = [
  ['kube-proxy by its name', podOf({}), 'kube-proxy', /kube-proxy/, 'docs/daemonset/recipes/aws-node.md'],
  [
    'kube-proxy by its image',
    podOf({}, 'registry.k8s.io/kube-proxy:v1.34.0'),
    'proxy',
    /kube-proxy/,
    'docs/daemonset/recipes/aws-node.md',
  ],
  [
    'kube-proxy of a GKE node',
    podOf({}, 'gke.gcr.io/kube-proxy-amd64:v1'),
    'proxy',
    /kube-proxy/,
    'docs/daemonset/recipes/aws-node.md',
  ],
  [
    'node-local-dns',
    podOf({}, 'registry.k8s.io/dns/k8s-dns-node-cache:1.26'),
    'cache',
    /node-local-dns/,
    'docs/daemonset/recipes/node-local-dns.md',
  ],
  ['a CNI plugin', podOf(onHost('/opt/cni/bin', '/etc/cni/net.d')), 'agent', /CNI/, 'docs/daemonset/recipes/cilium.md'],
  [
    'a CNI plugin on k3s',
    podOf(onHost('/var/lib/rancher/k3s/agent/etc/cni/net.d')),
    'agent',
    /CNI/,
    'docs/daemonset/recipes/cilium.md',
  ],
  [
    'a CSI driver by its sidecar',
    podOf({
      containers: [
        { name: 'driver', resources: SIZED },
        { name: 'r', image: 'x.io/sig-storage/csi-node-driver-registrar@sha256:0' },
      ],
    }),
    'agent',
    /CSI/,
    'docs/daemonset/recipes/ebs-csi-node.md',
  ],
  [
    'a CSI driver by its sockets',
    podOf(onHost('/var/lib/kubelet/plugins/csi.example.com/')),
    'agent',
    /CSI/,
    'docs/daemonset/recipes/ebs-csi-node.md',
  ],
  [
    'a device plugin',
    podOf(onHost('/var/lib/kubelet/device-plugins')),
    'agent',
    /device plugin/,
    'docs/daemonset/recipes.md',
  ],
  [
    'what is node-critical on the host’s network',
    podOf({ priorityClassName: 'system-node-critical', hostNetwork: true }),
    'agent',
    /node-critical/,
    'docs/daemonset/recipes.md',
  ],
]

suite('what nodefit init leaves alone', (test) => {
  for (const [name, pod, daemonSet, said, page] of LEFT)
    test(name, () => {
      const { why = '', next } = reason(pod, daemonSet) ?? {}
      assert.match(why, /^leave it: it is /)
      assert.match(why, said)
      assert.is(next, `see ${page}`)
    })
  for (const [name, resources] of [
    ['nothing', {}],
    ['no cpu and memory', { requests: { 'ephemeral-storage': '1Gi' } }],
    ['amounts of 0, which are none', { requests: { cpu: 0, memory: '0' }, limits: { cpu: '0' } }],
  ] as const)
    test(`an agent that requests ${name}: what to do first`, () => {
      const { why = '', next = '' } = reason(podOf({}, 'agent:1', resources)) ?? {}
      assert.match(why, /^it requests nothing: container agent has neither requests nor limits/)
      assert.match(next, /^measure it /)
    })
  test('one that an add-on manager applies', () => {
    const { why = '', next = '' } = reason(podOf({}), 'agent', { 'addonmanager.kubernetes.io/mode': 'Reconcile' }) ?? {}
    assert.is(why, 'leave it: its size is set by the Kubernetes addon manager')
    assert.match(next, 'size it where that takes it from')
  })
  const sized: Array<[name: string, pod: PodSpec]> = [
    ['a log agent', podOf(onHost('/var/log', '/var/lib/docker/containers'))],
    ['a limit alone', podOf({}, 'agent:1', { limits: { memory: '1Gi' } })],
    [
      'an amount that is no quantity, which is reported where it is read',
      podOf({}, 'agent:1', { requests: { cpu: 'much' } }),
    ],
    ['node-critical without the host’s network', podOf({ priorityClassName: 'system-node-critical' })],
    ['the host’s network alone', podOf({ hostNetwork: true, priorityClassName: 'system-cluster-critical' })],
    ['one that reads what the kubelet knows of devices', podOf(onHost('/var/lib/kubelet/pod-resources'))],
    ['one whose image only ends alike', podOf({}, 'x.io/not-kube-proxy-agent:1')],
    ['volumes that are no list', podOf({ volumes: 'none' })],
  ]
  for (const [name, pod] of sized) test(`not ${name}`, () => assert.is(reason(pod), undefined))
})
