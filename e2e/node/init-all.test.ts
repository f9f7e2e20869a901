/** `nodefit init --all`: one package for all agents that pay, of the files of kubectl, and the render of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })
const TYPE = 'node.kubernetes.io/instance-type'
const MEMORY = 'karpenter.k8s.aws/instance-memory'

interface Size {
  readonly type: string
  readonly cpu: string
  readonly memory: string
  readonly count: number
  readonly machine: string
}
const SIZES: readonly Size[] = [
  { type: 'm5.large', cpu: '1930m', memory: '7134856Ki', count: 25, machine: '8192' },
  { type: 'm5.xlarge', cpu: '3920m', memory: '15155200Ki', count: 12, machine: '16384' },
  { type: 'm5.24xlarge', cpu: '95690m', memory: '378880000Ki', count: 3, machine: '393216' },
]
type LabelsOf = (size: Size) => Record<string, string>
const nodesWith = (labelsOf: LabelsOf) =>
  SIZES.flatMap((size) =>
    Array.from({ length: size.count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `${size.type}-${index}`, labels: { 'kubernetes.io/os': 'linux', ...labelsOf(size) } },
      status: {
        allocatable: { cpu: size.cpu, memory: size.memory, pods: '58' },
        capacity: { cpu: size.cpu, memory: size.memory, pods: '58' },
        conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-11-24T10:00:00Z' }],
      },
    })),
  )
const BY_TYPE: LabelsOf = ({ type }) => ({ [TYPE]: type })
const BY_MACHINE: LabelsOf = ({ type, machine }) => ({ [TYPE]: type, [MEMORY]: machine })
const BY_NOTHING: LabelsOf = () => ({})

/** What a container uses on each size of node: millicores and Mi. */
type Used = ReadonlyArray<readonly [cpu: number, memory: number]>
interface Agent {
  readonly name: string
  readonly containers: ReadonlyArray<{ readonly name: string; readonly resources: object; readonly used: Used }>
  readonly spec?: object
}
const sized = (cpu: string, memory: string, limit: string) => ({ requests: { cpu, memory }, limits: { memory: limit } })
const flat = (cpu: number, memory: number): Used => SIZES.map(() => [cpu, memory])
const GROWS: Used = [
  [53, 135],
  [62, 150],
  [260, 400],
]
const AGENTS: readonly Agent[] = [
  { name: 'otel', containers: [{ name: 'otel', resources: sized('200m', '400Mi', '800Mi'), used: GROWS }] },
  { name: 'idle', containers: [{ name: 'idle', resources: sized('500m', '512Mi', '512Mi'), used: flat(6, 58) }] },
  {
    name: 'pair',
    containers: [
      { name: 'main', resources: sized('200m', '400Mi', '800Mi'), used: GROWS },
      { name: 'helper', resources: sized('10m', '32Mi', '64Mi'), used: flat(5, 25) },
    ],
  },
  {
    name: 'kube-proxy',
    containers: [{ name: 'kube-proxy', resources: { requests: { cpu: '100m' } }, used: flat(1, 30) }],
    spec: { hostNetwork: true, priorityClassName: 'system-node-critical' },
  },
  { name: 'bare', containers: [{ name: 'bare', resources: {}, used: GROWS }] },
]

const podSpec = ({ containers, spec = {} }: Agent) => ({
  tolerations: [{ operator: 'Exists' }],
  containers: containers.map(({ name, resources }) => ({ name, image: `example.com/${name}:1`, resources })),
  ...spec,
})
const daemonSetOf = (agent: Agent) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: agent.name, namespace: 'ops' },
  spec: {
    selector: { matchLabels: { app: agent.name } },
    template: { metadata: { labels: { app: agent.name } }, spec: podSpec(agent) },
  },
})
const onNodes = <One>(make: (agent: Agent, node: string, size: number) => One) =>
  AGENTS.flatMap((agent) =>
    SIZES.flatMap(({ type, count }, size) =>
      Array.from({ length: count }, (_, index) => make(agent, `${type}-${index}`, size)),
    ),
  )
const PODS = onNodes((agent, node) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `${agent.name}-${node}`,
    namespace: 'ops',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: agent.name, controller: true }],
  },
  spec: { ...podSpec(agent), nodeName: node },
  status: { phase: 'Running' },
}))
const METRICS = onNodes(({ name, containers }, node, size) => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name: `${name}-${node}`, namespace: 'ops' },
  timestamp: '2026-11-24T10:00:00Z',
  containers: containers.map((container) => {
    const [cpu, memory] = container.used[size] ?? [0, 0]
    return { name: container.name, usage: { cpu: `${cpu * 1_000_000}n`, memory: `${memory * 1024}Ki` } }
  }),
}))
/** The answer of Prometheus to the query by node. */
const DAYS = {
  status: 'success',
  data: {
    resultType: 'vector',
    result: onNodes(({ name, containers }, node, size) =>
      containers.flatMap((container) => {
        const [cpu, memory] = container.used[size] ?? [0, 0]
        const parts = { cpu: cpu / 1000, memory: memory * 2 ** 20, hours: 336 }
        return Object.entries(parts).map(([usage, value]) => ({
          metric: { namespace: 'ops', created_by_name: name, container: container.name, node, usage },
          value: [1_764_000_000, String(value)],
        }))
      }),
    ).flat(),
  },
}
const list = (items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
const FILES = ['nodes.json', 'daemonsets.json', 'pods.json', 'metrics.json']

const write = (folder: string, labelsOf: LabelsOf) => {
  const contents = [nodesWith(labelsOf), AGENTS.map(daemonSetOf), PODS, METRICS]
  for (const [at, file] of FILES.entries()) writeFileSync(join(folder, file), list(contents[at] ?? []))
  writeFileSync(join(folder, 'days.json'), JSON.stringify(DAYS))
}
const initAll = (folder: string, labelsOf: LabelsOf, files = FILES, ...more: string[]) => {
  write(folder, labelsOf)
  return nodefit(folder, 'init', 'pkg', '--all', ...files, '--cluster', 'prod', ...more)
}
const inPackage = (folder: string, file: string) => readFileSync(join(folder, 'pkg', file), 'utf8')
/** The requests of each DaemonSet that a package renders: cpu and memory of its first container. */
const rendered = (folder: string) => {
  const { stdout, stderr, status } = nodefit(folder, 'build', 'pkg')
  assert.is(status, 0, stderr)
  const all = parseAllDocuments(stdout).map((document) => document.toJS())
  return Object.fromEntries(
    all.map(({ metadata, spec }) => {
      const { cpu, memory } = spec.template.spec.containers[0].resources.requests
      return [metadata.name, `${cpu} ${memory}`]
    }),
  )
}

suite('nodefit init --all', (test) => {
  test('writes the agents for which groups pay, by ranges, and says of each other why not', () =>
    inFolder((folder) => {
      const { status, stderr } = initAll(folder, BY_MACHINE)
      assert.is(status, 0, stderr)
      for (const pattern of [
        /this package: .* cores, .* GiB; 2 agents, 80 pods restart once; from one look on Tuesday, 2026-11-24 10:00 UTC/,
        /by hand \(lower, raise, starved\): 20 -> 10 cores, 20 -> 10 GiB; 1 agent/,
        /classes by karpenter\.k8s\.aws\/instance-\w+: small \(37 nodes\), large \(3 nodes\)/,
        /ops\/idle +lower +1 +20 -> 10 +20 -> 10 +40 +cpu 500m -> 250m, memory 512Mi -> 256Mi of idle/,
        /ops\/bare +unset/,
        /left alone: ops\/kube-proxy/,
      ])
        assert.match(stderr, pattern)
      assert.equal(
        Object.keys(filesOf(join(folder, 'pkg'))).filter((file) => file.endsWith('policy.yaml')),
        ['otel-policy.yaml', 'pair-policy.yaml'],
      )
      assert.not.match(inPackage(folder, 'otel-policy.yaml'), /minResources|resourcePercentages/)
      assert.match(inPackage(folder, 'workload.yaml'), /why: Imported, evidence: Sample/)
    }))
  test('prints what its page shows', () =>
    inFolder((folder) => {
      const { stderr } = initAll(folder, BY_MACHINE)
      const page = readFileSync(join(ROOT, 'docs/daemonset/init.md'), 'utf8')
      const shown = /^```\n(nodefit: this package: [\s\S]*?)^```$/m.exec(page)?.[1] ?? ''
      assert.is(stderr.slice(stderr.indexOf('nodefit: this package')).slice(0, shown.length), shown)
    }))
  test('renders the sizes that its table says, and every node has one', () =>
    inFolder((folder) => {
      const { stderr } = initAll(folder, BY_MACHINE)
      const [, small, large] = /ops\/otel .* small (\S+ \S+), large (\S+ \S+)/.exec(stderr) ?? []
      const sizes = rendered(folder)
      assert.is(sizes['otel-lt-393216'], small)
      assert.is(sizes['otel-ge-393216'], large)
    }))
  test('a scan of the same files forecasts it to the digit', () =>
    inFolder((folder) => {
      const { stderr } = initAll(folder, BY_MACHINE)
      const { stdout } = nodefit(folder, 'scan', ...FILES)
      const [, before, after, gib, gibAfter] =
        /this package: (\S+) -> (\S+) cores, (\S+) -> (\S+) GiB/.exec(stderr) ?? []
      assert.ok(
        stdout.includes(
          `2 of them would request ${after} cores, ${gibAfter} GiB instead of ${before} cores, ${gib} GiB`,
        ),
        `${stderr}\n${stdout}`,
      )
    }))
  test('fourteen days move a request freely', () =>
    inFolder((folder) => {
      const { status, stderr } = initAll(folder, BY_MACHINE, [
        'nodes.json',
        'daemonsets.json',
        'pods.json',
        'days.json',
      ])
      assert.is(status, 0, stderr)
      assert.match(stderr, /ops\/otel +uneven +2 .* small 72m 173Mi, large 299m 400Mi/)
      assert.match(stderr, /ops\/bare +unset +2 .* small 72m 173Mi, large 299m 400Mi|ops\/bare +unset/)
      assert.match(inPackage(folder, 'workload.yaml'), /evidence: Days/)
      assert.is(rendered(folder)['otel-ge-393216'], '299m 400Mi')
    }))
  test('values of a node type are a group each, those of one class of one size', () =>
    inFolder((folder) => {
      const { status, stderr } = initAll(folder, BY_TYPE)
      assert.is(status, 0, stderr)
      const sizes = rendered(folder)
      assert.is(sizes['otel-m5-large'], sizes['otel-m5-xlarge'])
      assert.is.not(sizes['otel-m5-large'], sizes['otel-m5-24xlarge'])
    }))
  test('nodes that nothing tells apart get a label from a person, and the render waits for it', () =>
    inFolder((folder) => {
      const { status, stderr } = initAll(folder, BY_NOTHING)
      assert.is(status, 0, stderr)
      assert.match(stderr, /classes by nodefit\.dev\/size: small \(37 nodes\), large \(3 nodes\)/)
      const commands = [...stderr.matchAll(/before: kubectl label nodes (.*) nodefit\.dev\/size=(\w+)/g)]
      assert.is(commands.length, 2)
      const early = nodefit(folder, 'build', 'pkg')
      assert.is(early.status, 1)
      assert.match(early.stderr, /LabelOnNoNode/)
      const classOf = new Map(
        commands.flatMap(([, names = '', name = '']) => names.split(' ').map((node) => [node, name])),
      )
      const labelled = nodesWith(BY_NOTHING).map((node) => {
        const labels = { ...node.metadata.labels, 'nodefit.dev/size': classOf.get(node.metadata.name) ?? '' }
        return { ...node, metadata: { ...node.metadata, labels } }
      })
      assert.is(classOf.size, 40)
      writeFileSync(join(folder, 'labelled.json'), list(labelled))
      const inventory = nodefit(
        folder,
        'inventory',
        'labelled.json',
        '--cluster',
        'prod',
        '--label',
        'nodefit.dev/size',
      )
      writeFileSync(join(folder, 'pkg', 'inventory.yaml'), inventory.stdout)
      const [, small, large] = /ops\/otel .* small (\S+ \S+), large (\S+ \S+)/.exec(stderr) ?? []
      const sizes = rendered(folder)
      assert.equal([sizes['otel-small'], sizes['otel-large'], sizes['otel-default']], [small, large, large])
    }))
  test('nodes that nobody measured have what they have today, in the table and in the render', () =>
    inFolder((folder) => {
      write(folder, BY_MACHINE)
      const measured = METRICS.filter(({ metadata }) => !metadata.name.includes('24xlarge'))
      writeFileSync(join(folder, 'metrics.json'), list(measured))
      const { status, stderr } = nodefit(folder, 'init', 'pkg', '--all', ...FILES, '--cluster', 'prod')
      assert.is(status, 0, stderr)
      assert.match(stderr, /ops\/otel .* large 201m 400Mi/)
      assert.is(rendered(folder)['otel-ge-393216'], '201m 400Mi')
    }))
  test('a few days say less than a sample of all', () =>
    inFolder((folder) => {
      write(folder, BY_MACHINE)
      const result = DAYS.data.result.filter(({ metric }) => metric.node === 'm5.large-0')
      writeFileSync(join(folder, 'days.json'), JSON.stringify({ ...DAYS, data: { ...DAYS.data, result } }))
      const { stderr } = nodefit(folder, 'init', 'pkg', '--all', ...FILES, 'days.json', '--cluster', 'prod')
      assert.match(stderr, /ops\/otel .* small 101m 201Mi, large 389m 400Mi/)
    }))
  test('a label that is set is what groups are made of', () =>
    inFolder((folder) => {
      const { status, stderr } = initAll(folder, ({ type }) => ({
        'nodefit.dev/size': type === 'm5.large' ? 's' : type,
      }))
      assert.is(status, 0, stderr)
      assert.not.match(stderr, /kubectl label/)
      const sizes = rendered(folder)
      assert.equal(
        [sizes['otel-s'], sizes['otel-m5-xlarge'], sizes['otel-m5-24xlarge']],
        ['101m 201Mi', '101m 201Mi', '389m 400Mi'],
      )
    }))
  test('a DaemonSet that fits no node stops nothing, and no group takes the name of another', () =>
    inFolder((folder) => {
      write(folder, BY_TYPE)
      const odd = daemonSetOf({ name: 'odd', containers: [], spec: { nodeSelector: { gpu: 'yes' } } })
      const other = daemonSetOf({ name: 'otel-m5-24xlarge', containers: (AGENTS[1] as Agent).containers })
      writeFileSync(join(folder, 'daemonsets.json'), list([...AGENTS.map(daemonSetOf), odd, other]))
      const { status, stderr } = nodefit(folder, 'init', 'pkg', '--all', ...FILES, '--cluster', 'prod')
      assert.is(status, 0, stderr)
      assert.match(stderr, /ops\/odd: left out: odd runs on none of the nodes|ops\/odd/)
      const names = Object.keys(rendered(folder)).filter((name) => name.startsWith('otel-m5-24xlarge'))
      assert.is(names.length, 1)
      assert.is.not(names[0], 'otel-m5-24xlarge')
      assert.is(nodefit(folder, 'scan', ...FILES).status, 0)
    }))
  test('what nobody measured is written without usage, where all is asked for', () =>
    inFolder((folder) => {
      write(folder, BY_MACHINE)
      writeFileSync(
        join(folder, 'metrics.json'),
        list(METRICS.filter(({ metadata }) => metadata.name.startsWith('idle'))),
      )
      const { status, stderr } = nodefit(folder, 'init', 'pkg', '--all', ...FILES, '--cluster', 'prod', '--anyway')
      assert.is(status, 0, stderr)
      assert.match(inPackage(folder, 'otel-policy.yaml'), /updateMode: "Off"/)
      assert.not.match(stderr, /error: /, stderr)
    }))
  test('what is starved says of what', () =>
    inFolder((folder) => {
      write(folder, BY_MACHINE)
      const agent = {
        name: 'hot',
        containers: [
          {
            name: 'hot',
            resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '100m', memory: '256Mi' } },
            used: [],
          },
        ],
      }
      writeFileSync(join(folder, 'daemonsets.json'), list([daemonSetOf(agent), daemonSetOf(AGENTS[0] as Agent)]))
      const named = (name: string) => ({
        metadata: { name, namespace: 'ops', ownerReferences: [{ kind: 'DaemonSet', name: 'hot', controller: true }] },
      })
      const pods = Array.from({ length: 25 }, (_, index) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        ...named(`hot-${index}`),
        spec: { ...podSpec(agent), nodeName: `m5.large-${index}` },
        status: { phase: 'Running' },
      }))
      const metrics = pods.map(({ metadata: { name, namespace } }) => ({
        apiVersion: 'metrics.k8s.io/v1beta1',
        kind: 'PodMetrics',
        metadata: { name, namespace },
        containers: [{ name: 'hot', usage: { cpu: '99m', memory: '60Mi' } }],
      }))
      writeFileSync(join(folder, 'pods.json'), list([...PODS, ...pods]))
      writeFileSync(join(folder, 'metrics.json'), list([...METRICS, ...metrics]))
      const { stderr } = nodefit(folder, 'init', 'pkg', '--all', ...FILES, '--cluster', 'prod')
      assert.match(stderr, /ops\/hot +starved .* hot uses 99m of its cpu limit of 100m; its sizes do not change/)
    }))
  test('all containers of an agent are sized, each by what it uses', () =>
    inFolder((folder) => {
      initAll(folder, BY_MACHINE)
      assert.match(
        inPackage(folder, 'pair-policy.yaml'),
        /containers:\n\s+- name: main\n\s+share: 50\n\s+- name: helper\n/,
      )
      assert.match(inPackage(folder, 'workload.yaml'), /container: helper/)
    }))
  test('one agent has the sizes that it has among all', () =>
    inFolder((folder) => {
      const { stderr } = initAll(folder, BY_MACHINE)
      const [, sizes] = /ops\/otel +uneven .* (small .*)/.exec(stderr) ?? []
      writeFileSync(join(folder, 'otel.json'), JSON.stringify(daemonSetOf(AGENTS[0] as Agent)))
      const usage = FILES.slice(1).flatMap((file) => ['--usage', file])
      const one = nodefit(folder, 'init', 'one', '--nodes', 'nodes.json', '--daemonset', 'otel.json', ...usage)
      assert.is(one.status, 0, one.stderr)
      assert.ok(sizes !== undefined && one.stderr.includes(`verdict uneven: ${sizes}`), one.stderr)
    }))
  test('what is better left alone is written for whoever names it, and never with all', () =>
    inFolder((folder) => {
      const all = initAll(folder, BY_MACHINE, FILES, '--anyway')
      assert.is(all.status, 0, all.stderr)
      const files = Object.keys(filesOf(join(folder, 'pkg')))
      assert.ok(files.includes('idle-policy.yaml') && !files.includes('kube-proxy-policy.yaml'), files.join())
      writeFileSync(join(folder, 'proxy.json'), JSON.stringify(daemonSetOf(AGENTS[3] as Agent)))
      const usage = FILES.slice(1).flatMap((file) => ['--usage', file])
      const named = ['init', 'one', '--nodes', 'nodes.json', '--daemonset', 'proxy.json', ...usage]
      assert.match(nodefit(folder, ...named).stderr, /left out: see docs\/daemonset\/recipes\/aws-node\.md/)
      const anyway = nodefit(folder, ...named, '--anyway')
      assert.is(anyway.status, 0, anyway.stderr)
      assert.ok(Object.keys(filesOf(join(folder, 'one'))).includes('policy.yaml'))
    }))
  test('the same of shuffled files', () =>
    inFolder((folder) => {
      initAll(folder, BY_MACHINE)
      const first = filesOf(join(folder, 'pkg'))
      for (const [file, items] of Object.entries({
        'pods.json': PODS,
        'metrics.json': METRICS,
        'daemonsets.json': AGENTS.map(daemonSetOf),
      }))
        writeFileSync(join(folder, file), list([...items].reverse()))
      const again = nodefit(folder, 'init', 'again', '--all', ...FILES, '--cluster', 'prod')
      assert.is(again.status, 0, again.stderr)
      assert.equal(Object.keys(filesOf(join(folder, 'again'))), Object.keys(first))
      assert.is(readFileSync(join(folder, 'again', 'workload.yaml'), 'utf8'), inPackage(folder, 'workload.yaml'))
      assert.is(readFileSync(join(folder, 'again', 'otel-policy.yaml'), 'utf8'), inPackage(folder, 'otel-policy.yaml'))
    }))
  const REFUSED: Array<[name: string, args: string[], message: RegExp]> = [
    [
      'nothing measured',
      ['--all', 'nodes.json', 'daemonsets.json', 'pods.json'],
      /nothing is measured, so nothing is written: give pods/,
    ],
    ['no files', ['--all'], /give FILES of kubectl behind DIR/],
    ['another way to name agents', ['--all', ...FILES, '--daemonset', 'x.json'], /leave --daemonset out/],
    ['an object of another kind', ['--all', ...FILES, 'service.json'], /Service a is not one of/],
    ['an answer that tells no nodes', ['--all', ...FILES, 'range.json'], /does not tell nodes: ask \/api\/v1\/query/],
    ['an answer of an error', ['--all', ...FILES, 'error.json'], /Prometheus answered error: bad_data/],
    ['days of other nodes', ['--all', ...FILES, 'others.json'], /has no node of this cluster, but 10\.0\.0\.1/],
    ['an answer without a label', ['--all', ...FILES, 'label.json'], /lacks one of the labels/],
  ]
  for (const [name, args, message] of REFUSED)
    test(`refuses ${name}, and writes nothing`, () =>
      inFolder((folder) => {
        write(folder, BY_MACHINE)
        const vector = (result: object[]) =>
          JSON.stringify({ status: 'success', data: { resultType: 'vector', result } })
        writeFileSync(
          join(folder, 'service.json'),
          JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }),
        )
        writeFileSync(
          join(folder, 'range.json'),
          JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [] } }),
        )
        writeFileSync(
          join(folder, 'error.json'),
          JSON.stringify({ status: 'error', error: 'bad_data', data: { resultType: 'vector' } }),
        )
        const parts = { cpu: '1', memory: '1e8', hours: '336' }
        const of = { namespace: 'ops', created_by_name: 'otel', container: 'otel', node: '10.0.0.1' }
        const others = Object.entries(parts).map(([usage, value]) => ({ metric: { ...of, usage }, value: [0, value] }))
        writeFileSync(join(folder, 'others.json'), vector(others))
        writeFileSync(join(folder, 'label.json'), vector([{ metric: { namespace: 'ops' }, value: [0, '1'] }]))
        const { status, stderr } = nodefit(folder, 'init', 'pkg', ...args, '--cluster', 'prod')
        assert.is(status, 1, stderr)
        assert.match(stderr, message)
        assert.throws(() => filesOf(join(folder, 'pkg')))
      }))
})
