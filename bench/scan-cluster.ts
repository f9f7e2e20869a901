/** Writes what a large cluster has straight into etcd, as its API server stores it: creating each would take an hour. */

/** How many operations one transaction of etcd takes. */
const MOST_OPERATIONS = 128
const DAY = '2026-11-20T12:00:00Z'
const NAMESPACES = 20

export interface LargeCluster {
  readonly nodes: number
  readonly daemonSets: number
  /** All pods; three fifths are of DaemonSets, evenly, the others of ReplicaSets. */
  readonly pods: number
}

/** Stores the objects of a cluster in the etcd of an API server. */
export async function storeCluster(etcd: string, { nodes, daemonSets, pods }: LargeCluster): Promise<void> {
  await store(etcd, range(nodes), (index) => [`minions/${nodeName(index)}`, nodeOf(index)])
  await store(etcd, range(daemonSets), (index) => [
    `daemonsets/${namespaceOf(index)}/agent-${index}`,
    daemonSetOf(index),
  ])
  const own = Math.floor((pods * 3) / 5)
  await store(etcd, range(pods), (index) => {
    const owner = index % daemonSets
    const name = `${index < own ? 'agent' : 'web'}-${owner}-${index}`
    const pod = podOf(
      name,
      namespaceOf(owner),
      nodeName(index % nodes),
      index < own ? 'DaemonSet' : 'ReplicaSet',
      owner,
    )
    return [`pods/${namespaceOf(owner)}/${name}`, pod]
  })
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const nodeName = (index: number) => `ip-10-${index >> 8}-${index & 255}.eu-west-1.compute.internal`
const namespaceOf = (index: number) => `team-${index % NAMESPACES}`
const uidOf = (kind: number, index: number) => `${kind}0000000-0000-4000-8000-${String(index).padStart(12, '0')}`

async function store(
  etcd: string,
  indexes: readonly number[],
  objectOf: (index: number) => [key: string, object: object],
): Promise<void> {
  for (let at = 0; at < indexes.length; at += MOST_OPERATIONS) {
    const success = indexes.slice(at, at + MOST_OPERATIONS).map((index) => {
      const [key, object] = objectOf(index)
      const [name, value] = [`/registry/${key}`, JSON.stringify(object)].map((text) =>
        Buffer.from(text).toString('base64'),
      )
      return { requestPut: { key: name, value } }
    })
    const answer = await fetch(`${etcd}/v3/kv/txn`, { method: 'POST', body: JSON.stringify({ success }) })
    if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`)
  }
}

const TYPES = ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge', 'm5.8xlarge']

function nodeOf(index: number): object {
  const cores = 2 << (index % TYPES.length)
  const amounts = { cpu: `${cores}`, memory: `${cores * 4}Gi`, pods: '110', 'ephemeral-storage': '104845292Ki' }
  const condition = (type: string, status: string) => ({
    ...{ type, status, reason: `Kubelet${type}`, message: `kubelet reports ${type}` },
    ...{ lastHeartbeatTime: DAY, lastTransitionTime: DAY },
  })
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName(index),
      uid: uidOf(1, index),
      creationTimestamp: DAY,
      labels: {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': nodeName(index),
        'node.kubernetes.io/instance-type': TYPES[index % TYPES.length],
        'topology.kubernetes.io/zone': `eu-west-1${'abc'[index % 3]}`,
      },
    },
    spec: { providerID: `aws:///eu-west-1/i-${index}` },
    status: {
      ...{ capacity: amounts, allocatable: amounts },
      conditions: [
        ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => condition(type, 'False')),
        condition('Ready', 'True'),
      ],
      images: range(20).map((image) => ({
        names: [`registry.example.com/image-${image}:v1.${index}`],
        sizeBytes: 1e8,
      })),
    },
  }
}

function podSpec(name: string): Record<string, unknown> {
  const volume = { name: 'kube-api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }
  return {
    serviceAccountName: name,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    securityContext: {},
    containers: ['main', 'sidecar'].map((container) => ({
      name: container,
      image: `registry.example.com/${name}:v1.2.3`,
      env: range(6).map((index) => ({ name: `SETTING_${index}`, value: `value of setting ${index}` })),
      resources: { requests: { cpu: '100m', memory: '200Mi' }, limits: { memory: '400Mi' } },
      volumeMounts: [volume],
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    })),
    volumes: [
      {
        name: volume.name,
        projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }] },
      },
    ],
  }
}

function daemonSetOf(index: number): object {
  const labels = { app: `agent-${index}` }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      ...{ name: `agent-${index}`, namespace: namespaceOf(index), uid: uidOf(2, index), creationTimestamp: DAY },
    },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(`agent-${index}`) },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    },
    status: {
      ...{ currentNumberScheduled: 300, desiredNumberScheduled: 300, numberMisscheduled: 0, numberReady: 300 },
    },
  }
}

function podOf(name: string, namespace: string, node: string, kind: string, owner: number): object {
  const condition = (type: string) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: DAY })
  const spec = podSpec(`agent-${owner}`)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace, uid: uidOf(3, Number(name.split('-').at(-1))), creationTimestamp: DAY },
      labels: { app: `agent-${owner}`, 'controller-revision-hash': '6f7b9c9d4', 'pod-template-generation': '1' },
      ownerReferences: [
        {
          ...{ apiVersion: 'apps/v1', kind, name: `agent-${owner}`, uid: uidOf(2, owner) },
          ...{ controller: true, blockOwnerDeletion: true },
        },
      ],
      managedFields: ['kube-controller-manager', 'kubelet'].map((manager) => ({
        ...{ manager, operation: 'Update', apiVersion: 'v1', time: DAY, fieldsType: 'FieldsV1' },
        fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } }, 'f:spec': { 'f:containers': {} } },
      })),
    },
    spec: { ...spec, nodeName: node, tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }] },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
      ...{ hostIP: '10.0.0.1', podIP: '10.1.0.1', qosClass: 'Burstable', startTime: DAY },
      containerStatuses: ['main', 'sidecar'].map((container) => ({
        ...{ name: container, image: 'registry.example.com/x', imageID: `sha256:${'0'.repeat(64)}`, ready: true },
        ...{ restartCount: 0, started: true, containerID: `containerd://${'1'.repeat(64)}`, lastState: {} },
        state: { running: { startedAt: DAY } },
      })),
    },
  }
}
