/** `nodefit scan`: the files of kubectl, the table of its page, and odd input. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { figuresIn, wrongFigures } from '../../test/support/page-figures.ts'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'

const scan = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, 'scan', ...args], { cwd })
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type'

const nodesOf = (type: string, cpu: string, memory: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `${type}-${index}`, labels: { [INSTANCE_TYPE]: type } as Record<string, string> },
    status: {
      allocatable: { cpu, memory, pods: '58' },
      capacity: { cpu, memory, pods: '58' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }))
const NODES = [...nodesOf('m5.large', '1930m', '7134856Ki', 30), ...nodesOf('m5.8xlarge', '31850m', '128993460Ki', 4)]

const agent = (
  name: string,
  namespace: string,
  resources: object,
  more: { metadata?: object; spec?: object } = {},
) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace, ...more.metadata },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name, image: `example.com/${name}:1`, resources }],
        ...more.spec,
      },
    },
  },
})
const AGENTS = [
  agent(
    'fluent-bit',
    'logging',
    { requests: { cpu: '100m', memory: '200Mi' }, limits: { memory: '400Mi' } },
    {
      metadata: {
        annotations: { 'meta.helm.sh/release-name': 'fluent-bit', 'meta.helm.sh/release-namespace': 'logging' },
      },
    },
  ),
  agent('falco', 'security', { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } }),
  agent(
    'dcgm',
    'gpu',
    { requests: { cpu: '100m', memory: '128Mi' } },
    { spec: { nodeSelector: { [INSTANCE_TYPE]: 'm5.8xlarge' } } },
  ),
  agent(
    'kube-proxy',
    'kube-system',
    { requests: { cpu: '100m' } },
    { spec: { hostNetwork: true, priorityClassName: 'system-node-critical' } },
  ),
]
/** What a pod uses on the two types of nodes. */
const USED: Record<string, Record<string, { cpu: string; memory: string }>> = {
  'fluent-bit': { 'm5.large': { cpu: '41m', memory: '58Mi' }, 'm5.8xlarge': { cpu: '160m', memory: '385Mi' } },
  falco: { 'm5.large': { cpu: '60m', memory: '300Mi' }, 'm5.8xlarge': { cpu: '145m', memory: '480Mi' } },
  dcgm: { 'm5.8xlarge': { cpu: '40m', memory: '90Mi' } },
  'kube-proxy': { 'm5.large': { cpu: '1m', memory: '30Mi' }, 'm5.8xlarge': { cpu: '2m', memory: '40Mi' } },
}
const PLACES = AGENTS.flatMap(({ metadata: { name, namespace }, spec }) =>
  NODES.filter(({ metadata }) => name !== 'dcgm' || metadata.labels[INSTANCE_TYPE] === 'm5.8xlarge').map((node) => ({
    name,
    namespace,
    pod: `${name}-${node.metadata.name}`,
    node: node.metadata.name,
    spec: spec.template.spec,
    type: node.metadata.labels[INSTANCE_TYPE],
  })),
)
const PODS = PLACES.map(({ name, namespace, pod, node, spec }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: pod,
    namespace,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, controller: true }],
  },
  spec: { ...spec, nodeName: node },
  status: { phase: 'Running' },
}))
const METRICS = PLACES.map(({ name, namespace, pod, type }) => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name: pod, namespace },
  containers: [{ name, usage: USED[name]?.[type ?? ''] }],
}))
const list = (items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
const FILES = { nodes: NODES, daemonsets: AGENTS, pods: PODS, metrics: METRICS }

/** Writes what kubectl prints into a folder; the names of the files. */
const write = (folder: string, files: Record<string, readonly object[]> = FILES) =>
  Object.entries(files).map(([name, items]) => {
    writeFileSync(join(folder, `${name}.json`), list(items))
    return `${name}.json`
  })

suite('nodefit scan', (test) => {
  test('writes the same as a page, each figure found by its path', () =>
    inFolder((folder) => {
      const files = write(folder)
      const { status, stdout } = scan(folder, ...files, '--output', 'html')
      assert.is(status, 0)
      const figures = figuresIn(stdout)
      assert.ok(figures.length > 40, String(figures.length))
      assert.equal(wrongFigures(figures, JSON.parse(scan(folder, ...files, '--output', 'json').stdout)), [])
      for (const { metadata } of AGENTS) assert.ok(stdout.includes(`<bdi>${metadata.name}</bdi>`))
    }))
  test('prints what its page shows', () =>
    inFolder((folder) => {
      const { status, stdout, stderr } = scan(folder, ...write(folder))
      assert.is(status, 0, stderr)
      const page = readFileSync(join(ROOT, 'docs/daemonset/scan.md'), 'utf8')
      assert.is(/^```\n(DAEMONSET[\s\S]*?)^```$/m.exec(page)?.[1], stdout)
      assert.is(stderr, '')
    }))
  test('the order of files and objects does not matter', () =>
    inFolder((folder) => {
      const files = write(folder)
      const reversed = write(folder, {
        n: NODES.toReversed(),
        d: AGENTS.toReversed(),
        p: PODS.toReversed(),
        m: METRICS.toReversed(),
      })
      assert.is(scan(folder, ...reversed.reverse()).stdout, scan(folder, ...files).stdout)
    }))
  test('--output json and yaml are the same, and --namespace shows its DaemonSets alone', () =>
    inFolder((folder) => {
      const files = write(folder)
      const { stdout } = scan(folder, ...files, '--output', 'json', '--namespace', 'gpu')
      const { daemonSets } = JSON.parse(stdout)
      assert.equal(
        daemonSets.map(({ name, nodes, verdict }: Record<string, unknown>) => [name, nodes, verdict]),
        [['dcgm', 4, 'fine']],
      )
      assert.match(
        scan(folder, ...files, '--output', 'yaml', '--namespace', 'gpu').stdout,
        /^daemonSets:\n- namespace: gpu\n {2}name: dcgm\n/,
      )
    }))
  test('without pods it says where DaemonSets count as running', () =>
    inFolder((folder) => {
      const { stdout, stderr } = scan(folder, ...write(folder, { nodes: NODES, daemonsets: AGENTS }))
      assert.match(stderr, 'without pods each DaemonSet counts as running wherever it may start')
      assert.match(stdout, /gpu\/dcgm +4 /)
    }))
  test('a cluster without DaemonSets', () =>
    inFolder((folder) => {
      const { status, stdout } = scan(folder, ...write(folder, { nodes: NODES }))
      assert.is(status, 0)
      assert.is(stdout, 'nodefit: no DaemonSets\n')
    }))
  test('what cannot be scanned is said in a sentence', () =>
    inFolder((folder) => {
      const files = write(folder)
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }
      for (const [args, sentence] of [
        [
          ['daemonsets.json'],
          'NoNodes: there is no Node in daemonsets.json: give the output of kubectl get nodes -o json, too',
        ],
        [[...files, '--output', 'xml'], '--output xml is not known: use table, json, yaml, html'],
        [
          [...write(folder, { other: [secret] }), 'nodes.json'],
          'Secret s is not one of Node, DaemonSet, Pod, PodMetrics',
        ],
        [['nodes.json', 'nodes.json'], 'DuplicateNode'],
      ] as const) {
        const { status, stdout, stderr } = scan(folder, ...args)
        assert.is(status, 1, sentence)
        assert.is(stdout, '')
        assert.match(stderr, sentence)
      }
    }))
})
