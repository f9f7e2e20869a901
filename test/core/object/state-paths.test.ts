import * as assert from 'uvu/assert'
import { AGENTS, type AgentName, agentDaemonSet } from '../../../e2e/first-hour/agents.ts'
import { statePathsOf } from '../../../src/core/object/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

/** A pod with a container that mounts a path of the node. */
const mounting = (
  path: string,
  mount: object = {},
  { type, container = {} }: { type?: string; container?: object } = {},
) => ({
  containers: [
    { name: 'agent', image: 'agent:1', volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }], ...container },
  ],
  volumes: [{ name: 'v', hostPath: { path, ...(type === undefined ? {} : { type }) } }],
})
const named = (fieldPath: string) => ({
  container: { env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath } } }] },
})

const ROWS: ReadonlyArray<readonly [name: string, pod: Record<string, unknown>, paths: readonly string[]]> = [
  ['no volume', {}, []],
  ['a directory of its own', mounting('/var/lib/agent'), ['/var/lib/agent']],
  ['as it is written', mounting('/var/run/agent/'), ['/var/run/agent/']],
  ['a directory that it makes', mounting('/data/agent', {}, { type: 'DirectoryOrCreate' }), ['/data/agent']],
  ['a file that it makes', mounting('/var/lib/agent/db', {}, { type: 'FileOrCreate' }), ['/var/lib/agent/db']],
  ['to read', mounting('/var/lib/agent', { readOnly: true }), []],
  ['to write, said', mounting('/var/lib/agent', { readOnly: false }), ['/var/lib/agent']],
  ['a part of a directory', mounting('/var/lib', { subPath: 'agent' }), ['/var/lib/agent']],
  [
    'a part that all pods of a node have',
    mounting('/var/lib', { subPathExpr: '$(POD)' }, named('spec.nodeName')),
    ['/var/lib/$(POD)'],
  ],
  ['a part of the pod, by its name', mounting('/var/lib', { subPathExpr: 'a/$(POD)' }, named('metadata.name')), []],
  ['a part of the pod, by its uid', mounting('/var/lib', { subPathExpr: '$(POD)' }, named('metadata.uid')), []],
  [
    'a part of the pod, by one of several variables',
    mounting(
      '/var/lib',
      { subPathExpr: '$(POD)' },
      {
        container: { env: [{ name: 'NODE', value: 'n' }, ...named('metadata.name').container.env] },
      },
    ),
    [],
  ],
  [
    'a part that does not use it',
    mounting('/var/lib', { subPathExpr: 'agent' }, named('metadata.name')),
    ['/var/lib/agent'],
  ],
  ['a socket', mounting('/run/agent/x', {}, { type: 'Socket' }), []],
  ['a device', mounting('/opt/a/b', {}, { type: 'CharDevice' }), []],
  ['a socket, by its name', mounting('/var/run/docker.sock'), []],
  ['a lock that all take', mounting('/run/xtables.lock', {}, { type: 'FileOrCreate' }), []],
  ['sockets of plugins', mounting('/var/lib/kubelet/device-plugins'), ['/var/lib/kubelet/device-plugins']],
  [
    'a sidecar',
    {
      ...mounting('/var/lib/agent'),
      containers: [],
      initContainers: [{ restartPolicy: 'Always', volumeMounts: [{ name: 'v' }] }],
    },
    ['/var/lib/agent'],
  ],
  [
    'an init container that ends',
    { ...mounting('/var/lib/agent'), containers: [], initContainers: [{ volumeMounts: [{ name: 'v' }] }] },
    [],
  ],
  ['another kind of volume', { ...mounting('/x/y'), volumes: [{ name: 'v', emptyDir: {} }] }, []],
  ['a volume that is not mounted', { ...mounting('/x/y'), volumes: [{ name: 'w', hostPath: { path: '/x/y' } }] }, []],
  ['a template that is none', { containers: [null, 'x', { volumeMounts: [1] }], volumes: 'y' }, []],
  ...[
    ...['/', '/dev', '/dev/disk', '/proc/1', '/sys/fs/bpf', '/etc/cni/net.d', '/opt/cni/bin', '/usr/src', '/boot/'],
    ...['/run', '/var/run', '/var/run/', '/var/run/docker', '/run/containerd', '/var/lib', '/var/log', '/var/log/pods'],
    ...['/var/lib/docker/containers', '/var/lib/kubelet', '/var/lib/kubelet/pods', '/mnt'],
  ].map((path) => [`of the node: ${path}`, mounting(path), []] as const),
  ...['/run/agent', '/var/log/agent', '/var/lib/kubelet/plugins/x', '/mnt/x', '/developer/x'].map(
    (path) => [`of the agent: ${path}`, mounting(path), [path]] as const,
  ),
]

/** What is said of the agents of a first hour, as their projects publish them. Another program's are marked. */
const PUBLISHED: Partial<Record<AgentName, readonly string[]>> = {
  promtail: ['/run/promtail'],
  // beside its own, the directory of Cilium's socket
  tetragon: ['/var/log/tetragon', '/var/run/cilium', '/var/run/tetragon'],
  filebeat: ['/var/lib/filebeat-filebeat-logging-data'],
  calico: ['/var/run/calico', '/var/lib/calico', '/var/run/nodeagent'],
  'nvidia-device-plugin': ['/var/lib/kubelet/device-plugins'],
  longhorn: ['/var/lib/longhorn/'],
  // beside its own, the directory of its providers' sockets
  'secrets-store-csi': [
    '/var/lib/kubelet/plugins/csi-secrets-store/',
    '/var/lib/kubelet/plugins_registry/',
    '/var/run/secrets-store-csi-providers',
  ],
}

suite('paths of the node that two pods would share', (test) => {
  for (const [name, pod, paths] of ROWS) test(name, () => assert.equal(statePathsOf(daemonSet(pod)), paths))
  for (const agent of AGENTS)
    test(`of ${agent}`, () =>
      assert.equal(statePathsOf(agentDaemonSet(agent) as unknown as KubernetesObject), PUBLISHED[agent] ?? []))
  test('none where each update runs two pods on a node', () => {
    const rolling = (rollingUpdate: object) =>
      statePathsOf(withSpec(daemonSet(mounting('/x/y')), { updateStrategy: { type: 'RollingUpdate', rollingUpdate } }))
    assert.equal(rolling({ maxSurge: 1, maxUnavailable: 0 }), [])
    assert.equal(rolling({ maxSurge: 0, maxUnavailable: 1 }), ['/x/y'])
    assert.equal(statePathsOf(withSpec(daemonSet(mounting('/x/y')), { updateStrategy: { type: 'OnDelete' } })), [
      '/x/y',
    ])
  })
})

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a', 'b']), shape({ [TYPE]: 'm5.xlarge' }, ['c'])])
const adopted = (pod: Record<string, unknown>, nodes = NODES) => plan(listOf([nodes, policy(), daemonSet(pod)]))
const PORT = [{ containerPort: 80, hostPort: 80 }]

suite('what is said of an adoption', (test) => {
  test('state that two pods would share: said there and back, and not in between', () => {
    const first = adopted(mounting('/var/lib/agent'))
    const [sentence = ''] = said(first, 'StatePathShared')
    assert.match(
      sentence,
      /^DaemonSet agent writes to \/var\/lib\/agent of the node: an old and a new pod both would\./,
    )
    const rendered = first.items.map(({ object }) => object)
    assert.equal(said(plan(listOf(rendered)), 'StatePathShared'), [])
    const disabled = rendered.map((object) => (object.kind === 'SizingPolicy' ? policy({ enabled: false }) : object))
    assert.is(said(plan(listOf(disabled)), 'StatePathShared').length, 1)
  })
  test('where no second pod starts, nothing is shared', () => {
    const result = adopted(mounting('/var/lib/agent', {}, { container: { ports: PORT } }))
    assert.equal([said(result, 'HostPortHeld').length, said(result, 'StatePathShared').length], [1, 0])
  })
  const retired = (result: ReturnType<typeof plan>) => said(result, 'StaticTemplateRetired')
  const START = 'DaemonSet agent is now a template and is no longer applied'
  const READ = 'Read docs/daemonset/moving-over.md before you apply this to a cluster in use.'
  test('how many pods are replaced at once, and what depends on the tool', () =>
    assert.equal(retired(adopted({})), [
      `${START}: every pod of it is replaced, on all 3 nodes at once; whether a node has two pods in between, or none, depends on the tool that applies it. ${READ}`,
    ]))
  test('that nothing shows the ports of an agent in the network of its node that declares none', () => {
    const unknown =
      /, and with hostNetwork and no declared ports nothing shows which ports of the node it listens on: a second pod starts, and fails if it needs the same\. Read/
    const isUnknown = (pod: Record<string, unknown>) => unknown.test(retired(adopted(pod))[0] ?? '')
    const declared = { containers: [{ name: 'agent', image: 'agent:1', ports: [{ containerPort: 9100 }] }] }
    assert.equal(
      [{ hostNetwork: true }, { hostNetwork: false }, {}, { hostNetwork: true, ...declared }].map(isUnknown),
      [true, false, false, false],
    )
  })
  test('that nodes are without it where a port is held', () =>
    assert.equal(
      retired(adopted({ containers: [{ name: 'agent', ports: PORT }] }, inventory([shape({ [TYPE]: 'x' }, ['a'])]))),
      [
        `${START}: every pod of it is replaced, on 1 node; no new pod starts on a node before the old one is gone. ${READ}`,
      ],
    ))
  test('no pods where no node is', () =>
    assert.equal(retired(adopted({}, inventory([shape({ [TYPE]: 'm5.large' }, [])]))), [START]))
  test('nodes where no new pod starts are not counted', () => {
    const taints = [{ key: 'gpu', effect: 'NoSchedule' }]
    const nodes = inventory([
      shape({ [TYPE]: 'm5.large' }, ['a', 'b']),
      shape({ [TYPE]: 'g5.large' }, ['c'], '4', '16Gi', { taints }),
    ])
    assert.match(retired(adopted({}, nodes))[0] ?? '', 'on all 2 nodes at once')
  })
  test('pods of two policies that share a template', () => {
    const half = (name: string, type: string) => ({
      ...policy({ nodeSelector: { [TYPE]: type }, labels: { nodeGroup: `x/${name}` } }),
      metadata: { name },
    })
    const result = plan(listOf([NODES, half('one', 'm5.large'), half('two', 'm5.xlarge'), daemonSet()]))
    assert.match(
      retired(result)[0] ?? '',
      'on all 3 nodes at once',
      result.findings.map(({ message }) => message).join(),
    )
  })
})
