/** `nodefit init` as a newcomer runs it, and what becomes of the package that it writes. */
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (args: string[], cwd?: string) => run(process.execPath, [COMMAND, ...args], { cwd })
const data = (path: string) => join(ROOT, 'testdata', path)
const text = (path: string) => readFileSync(data(path), 'utf8')
const FLUENT_BIT = data('daemonsets/fluent-bit.json')
const EXPORTER = data('daemonsets/node-exporter.yaml')
const TRACE = data('daemonsets/trace-agent.yaml')
const init = (folder: string, nodes: string, daemonSets: string[], ...more: string[]) =>
  nodefit([
    'init',
    folder,
    '--nodes',
    data(`nodes/${nodes}.yaml`),
    ...daemonSets.flatMap((file) => ['--daemonset', file]),
    ...more,
  ])
type Document = {
  kind: string
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> }
  spec: Record<string, unknown>
}
const documents = (stream: string) => parseAllDocuments(stream).map((document) => document.toJS() as Document)
const names = (stream: string) => documents(stream).map(({ metadata }) => metadata.name)

suite('a package of nodefit init', (test) => {
  test('is made of the one DaemonSet in a file with a chart’s other objects, and of no two', () =>
    inFolder((folder) => {
      const [daemonSet, more] = [text('daemonsets/node-exporter.yaml'), text('daemonsets/trace-agent.yaml')]
      const other = 'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: agent\n'
      const write = (name: string, ...parts: string[]) => {
        writeFileSync(join(folder, name), parts.join('\n---\n'))
        return join(folder, name)
      }
      const alone = init(join(folder, 'alone'), 'gke', [EXPORTER])
      const chart = init(join(folder, 'chart'), 'gke', [write('all.yaml', other, daemonSet, other)])
      assert.is(chart.status, 0, chart.stderr)
      assert.equal(filesOf(join(folder, 'chart')), filesOf(join(folder, 'alone')))
      assert.is(alone.status, 0)
      const two = init(join(folder, 'two'), 'gke', [write('two.yaml', daemonSet, more)])
      assert.match(two.stderr, /holds 2 DaemonSets \(node-exporter, \S+\): give each in its own file\n$/)
    }))
  test('has what kpt and kustomize need, and builds', () =>
    inFolder((folder) => {
      const made = init(join(folder, 'fluent-bit'), 'gke', [FLUENT_BIT])
      assert.is(made.status, 0, made.stderr)
      const files = filesOf(join(folder, 'fluent-bit'))
      const written = [
        'Kptfile',
        'daemonset.yaml',
        'inventory.yaml',
        'kustomization.yaml',
        'policy.yaml',
        'render-config.yaml',
      ]
      assert.equal(Object.keys(files).sort(), written)
      assert.not.match(files['daemonset.yaml'] ?? '', /uid|status|meta\.helm/)
      assert.match(files['daemonset.yaml'] ?? '', 'nodefit.dev/owned-by: Helm release fluent-bit in logging')
      const built = nodefit(['build', join(folder, 'fluent-bit')])
      assert.ok(names(built.stdout).includes('fluent-bit-e2-standard-4'))
    }))
  test('names the schemas of this version to editors', () =>
    inFolder((folder) => {
      init(join(folder, 'a'), 'gke', [FLUENT_BIT])
      const { version } = parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
      const inventory = nodefit(['inventory', data('nodes/gke.yaml'), '--cluster', 'cluster']).stdout
      assert.is(filesOf(join(folder, 'a'))['inventory.yaml'], inventory)
      for (const [file, schema] of [
        ['policy.yaml', 'sizing-policy'],
        ['inventory.yaml', 'node-inventory'],
        ['render-config.yaml', 'render-config'],
      ]) {
        const [line] = (filesOf(join(folder, 'a'))[file ?? ''] ?? '').split('\n')
        const path = `fn-config/${schema}.schema.json`
        assert.is(line, `# yaml-language-server: $schema=https://unpkg.com/nodefit@${version}/${path}`)
        assert.ok(readFileSync(join(ROOT, path), 'utf8').startsWith('{'))
      }
    }))
  test('of several DaemonSets: one inventory, a policy each', () =>
    inFolder((folder) => {
      const package_ = join(folder, 'agents')
      const made = init(package_, 'eks', [FLUENT_BIT, EXPORTER, TRACE], '--cluster', 'prod')
      assert.is(made.status, 0, made.stderr)
      const agents = ['fluent-bit', 'node-exporter', 'trace-agent']
      assert.equal(
        Object.keys(filesOf(package_)).sort(),
        [
          'Kptfile',
          'inventory.yaml',
          'kustomization.yaml',
          'render-config.yaml',
          ...agents.flatMap((name) => [`${name}-daemonset.yaml`, `${name}-policy.yaml`]),
        ].sort(),
      )
      for (const name of agents)
        assert.match(made.stderr, `nodefit: ${name}: first render: ${name}-m5-large (3 nodes): as today`)
      const built = names(nodefit(['build', package_]).stdout)
      for (const name of agents) assert.ok(built.includes(`${name}-m5-large`))
    }))
  test('of two DaemonSets of one name in two namespaces', () =>
    inFolder((folder) => {
      const other = join(folder, 'other.yaml')
      writeFileSync(
        other,
        stringify({
          ...parse(text('daemonsets/fluent-bit.json')),
          metadata: { name: 'fluent-bit', namespace: 'audit' },
        }),
      )
      const made = init(join(folder, 'a'), 'gke', [FLUENT_BIT, other])
      assert.is(made.status, 0, made.stderr)
      const files = Object.keys(filesOf(join(folder, 'a')))
      for (const namespace of ['logging', 'audit']) assert.ok(files.includes(`${namespace}-fluent-bit-policy.yaml`))
      const { status, stdout, stderr } = nodefit(['build', join(folder, 'a')])
      assert.is(status, 0, stderr)
      assert.equal(new Set(documents(stdout).map(({ metadata }) => metadata.namespace)), new Set(['logging', 'audit']))
    }))
  test('of Kubescape’s template has the operator’s sizes', () =>
    inFolder((folder) => {
      const template = join(ROOT, 'testdata/kubescape/quickstart/package/template.yaml')
      const args = ['init', join(folder, 'a'), '--nodes', data('nodes/eks.yaml'), '--template', template]
      const { status, stderr } = nodefit(args)
      assert.is(status, 0, stderr)
      const policy = parse(filesOf(join(folder, 'a'))['policy.yaml'] ?? '') as Document
      assert.equal(policy.spec.resourcePercentages, { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 })
      assert.match(filesOf(join(folder, 'a'))['kustomization.yaml'] ?? '', '- node-agent-groups.yaml')
      assert.is(nodefit(['build', join(folder, 'a')]).status, 0)
    }))
  const CHART = join(ROOT, 'testdata/kubescape')
  const manifests = (folder: string, ...files: string[]) => {
    const file = join(folder, 'chart.yaml')
    writeFileSync(file, files.map((each) => readFileSync(join(CHART, each), 'utf8')).join('---\n'))
    return file
  }
  const fromChart = (folder: string, nodes: string, template: string, ...more: string[]) =>
    nodefit(['init', join(folder, 'a'), '--nodes', data(`${nodes}.yaml`), '--template', template, ...more])
  test('of Kubescape’s template takes every value that its operator is told', () =>
    inFolder((folder) => {
      const file = manifests(folder, 'operator-config/package/template.yaml', 'operator-config/package/operator.yaml')
      const { status, stderr } = fromChart(folder, 'nodes/eks', file)
      assert.is(status, 0, stderr)
      const { spec } = parse(filesOf(join(folder, 'a'))['policy.yaml'] ?? '') as Document
      const { targetRef: _, ...values } = spec
      assert.equal(values, {
        nodeGroupLabel: 'node.kubernetes.io/instance-type',
        resourcePercentages: { requestCPU: 3, requestMemory: 3, limitCPU: 7, limitMemory: 7 },
        minResources: { cpu: '100m', memory: '600Mi' },
        maxResources: { cpu: '1500m', memory: '2500Mi' },
        reconcileInterval: '5m',
        goMemLimitPercentage: 0.9,
        seLinuxType: 'spc_t',
        bottlerocketAutoDetect: false,
      })
      assert.match(stderr, /all values are those of ConfigMap operator: requestCPU 3 %.*at least 100m and 600Mi/)
      const built = nodefit(['build', join(folder, 'a')])
      assert.is(built.status, 0, built.stderr)
      assert.not.match(built.stderr, /OperatorConfigDiffers|OperatorNotSeen/)
      assert.not.match(built.stdout, /name: operator\n/)
      assert.match(filesOf(join(folder, 'a'))['kustomization.yaml'] ?? '', '- chart.yaml\n')
    }))
  test('of Kubescape’s template says that the operator’s values were not given', () =>
    inFolder((folder) => {
      const { stderr } = fromChart(folder, 'nodes/eks', manifests(folder, 'template-only/package/template.yaml'))
      assert.match(stderr, /the sizes are the defaults of Kubescape's operator: .*at least 100m and 180Mi/)
      assert.match(stderr, 'get configmap node-agent-daemonset-template operator -o json')
    }))
  test('of a live operator whose loop is on leaves its ConfigMap out, and the package renders', () =>
    inFolder((folder) => {
      const file = manifests(folder, 'operator-live/package/template.yaml', 'operator-live/package/operator.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/^ {2}name: operator$/gm, '  name: operator\n  uid: u'))
      const { status, stderr } = fromChart(folder, 'nodes/eks', file)
      assert.is(status, 0, stderr)
      assert.match(stderr, 'ConfigMap operator is not written, since its autoscaler is on')
      assert.is(filesOf(join(folder, 'a'))['chart.yaml'], undefined)
      assert.is(nodefit(['build', join(folder, 'a')]).status, 0)
    }))
  test('of values with which Helm would switch the loop on keeps its ConfigMap, and the package does not render', () =>
    inFolder((folder) => {
      const file = manifests(folder, 'operator-live/package/template.yaml', 'operator-live/package/operator.yaml')
      assert.is(fromChart(folder, 'nodes/eks', file).status, 0)
      const { status, stderr } = nodefit(['build', join(folder, 'a')])
      assert.is(status, 1)
      assert.match(stderr, 'OperatorAutoscalerLive')
    }))
  test('of a chart that still prints a node agent beside its template warns of two agents', () =>
    inFolder((folder) => {
      const file = manifests(folder, 'operator-config/package/template.yaml', 'operator-config/package/operator.yaml')
      const [, image] = /image: "?([^"\s]+)"?/.exec(readFileSync(file, 'utf8')) ?? []
      const labels = { app: 'node-agent' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'node-agent', image }] } }
      const metadata = { name: 'node-agent-1', namespace: 'kubescape' }
      const spec = { selector: { matchLabels: labels }, template }
      const printed = stringify({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec })
      writeFileSync(file, `${readFileSync(file, 'utf8')}\n---\n${printed}`)
      const { status, stderr } = fromChart(folder, 'nodes/eks', file)
      assert.is(status, 0, stderr)
      assert.match(stderr, 'AgentTwice: node-agent: DaemonSet kubescape/node-agent-1 runs the same images')
      assert.not.match(Object.values(filesOf(join(folder, 'a'))).join(), 'node-agent-1')
    }))
  test('of a cluster whose nodes lack the label keeps the operator’s label and names', () =>
    inFolder((folder) => {
      const file = manifests(folder, 'operator-config/package/template.yaml', 'operator-config/package/operator.yaml')
      const { status, stderr } = fromChart(folder, 'bare-metal/nodes', file)
      assert.is(status, 0, stderr)
      assert.match(stderr, /warning: LabelOnNoNode: .*node\.kubernetes\.io\/instance-type/)
      const policy = parse(filesOf(join(folder, 'a'))['policy.yaml'] ?? '') as Document
      assert.is(policy.spec.nodeGroupLabel, 'node.kubernetes.io/instance-type')
      const { stdout } = nodefit(['build', join(folder, 'a')])
      assert.equal(
        documents(stdout)
          .map(({ metadata }) => metadata.name)
          .sort(),
        ['node-agent-default', 'node-agent-remainder'],
      )
    }))
  test('of the whole chart takes no Secret', () =>
    inFolder((folder) => {
      const file = manifests(
        folder,
        'clamav/package/operator.yaml',
        'clamav/package/template.yaml',
        'clamav/package/agent.yaml',
      )
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ca' }, data: { 'ca.key': 'c2VjcmV0' } }
      writeFileSync(file, `${readFileSync(file, 'utf8')}---\n${stringify(secret)}`)
      const { status, stderr } = fromChart(folder, 'nodes/eks', file)
      assert.is(status, 0, stderr)
      assert.match(stderr, 'ScannerMissing')
      const files = filesOf(join(folder, 'a'))
      assert.not.match(Object.values(files).join(), /kind: Secret|c2VjcmV0/)
      const kept = documents(files['chart.yaml'] ?? '')
      assert.equal(
        kept.map(({ metadata }) => [metadata.name, metadata.annotations?.['config.kubernetes.io/local-config']]),
        [
          ['operator', 'true'],
          ['node-agent', 'true'],
        ],
      )
    }))
  const WRONG: Array<[name: string, files: string[], said: RegExp]> = [
    [
      'no template',
      ['clamav/package/operator.yaml'],
      /holds no ConfigMap node-agent-daemonset-template: .*autoscaler\.enabled=true\n/,
    ],
    [
      'two templates',
      ['clamav/package/template.yaml', 'quickstart/package/template.yaml'],
      /holds 2 templates of the chart: give a file with one\n/,
    ],
    [
      'two operators',
      ['clamav/package/template.yaml', 'clamav/package/operator.yaml', 'quickstart/package/operator.yaml'],
      /holds 2 ConfigMaps of the operator: give a file with one\n/,
    ],
  ]
  for (const [name, files, said] of WRONG)
    test(`of manifests of the chart with ${name} is refused`, () =>
      inFolder((folder) => {
        const { status, stderr } = fromChart(folder, 'nodes/eks', manifests(folder, ...files))
        assert.is(status, 1)
        assert.match(stderr, said)
      }))
  test('exports the labels that the template chooses nodes by', () =>
    inFolder((folder) => {
      assert.is(init(join(folder, 'trace'), 'aks', [TRACE], '--cluster', 'aks', '--anyway').status, 0)
      const { status, stderr } = nodefit(['build', join(folder, 'trace')])
      assert.is(status, 0, stderr)
    }))
})

suite('what nodefit init says', (test) => {
  test('label, container, nodes, percentages; what stays and what changes, and the totals', () =>
    inFolder((folder) => {
      const { stderr, stdout } = init(join(folder, 'a'), 'eks', [TRACE])
      assert.is(stdout, '')
      for (const line of [
        'trace-agent: groups by node.kubernetes.io/instance-type; sizes container agent alone, not process-agent, init-config',
        'trace-agent: sizes start from its present ones on m5.large, the group with most nodes (3 nodes; the smallest amounts: cpu 1930m, memory 6967.6Mi): requestCPU 10.4 %, requestMemory 3.68 %, limitCPU 51.83 %, limitMemory 7.352 %',
        'trace-agent: no node gets less than today, and none more than 1.4 times its present cpu and 1.7 times its present memory: the requests of all nodes grow by no more than 25 % (--budget)',
        'trace-agent: first render: trace-agent-m5-large (3 nodes): as today',
        'trace-agent: first render: trace-agent-m5-xlarge (1 node): requests cpu 200m -> 280m, memory 256Mi -> 435Mi; limits cpu 1000m -> 1400m, memory 512Mi -> 870Mi',
        'in all 6 DaemonSets in place of 1',
      ])
        assert.ok(stderr.includes(`nodefit: ${line}\n`), `${line}\n\n${stderr}`)
      const made = join(folder, 'a')
      assert.ok(
        stderr.endsWith(
          [
            'DaemonSet observability/trace-agent is now a template and is no longer applied: every pod of it is replaced, on all 6 nodes at once; whether a node has two pods in between, or none, depends on the tool that applies it. Read docs/daemonset/moving-over.md before you apply this to a cluster in use.',
            `next: kpt fn render --allow-exec --truncate-output=false ${made}`,
            `then: kpt live init ${made} && kpt live apply ${made}; with Flux or Argo CD, commit ${made}`,
            'then: kubectl -n observability delete ds trace-agent, when the new pods run',
          ]
            .map((line) => `nodefit: ${line}\n`)
            .join(''),
        ),
        stderr,
      )
    }))
  test('the changes are those of the render', () =>
    inFolder((folder) => {
      const { stderr } = init(join(folder, 'a'), 'eks', [FLUENT_BIT])
      const built = documents(nodefit(['build', join(folder, 'a')]).stdout)
      for (const { metadata, spec } of built) {
        const [container] = (
          spec.template as { spec: { containers: Array<{ resources: { requests: { cpu: string } } }> } }
        ).spec.containers
        const [, said] = new RegExp(`: ${metadata.name} \\(.*requests cpu 100m -> ([^ ,;\n]+)`).exec(stderr) ?? []
        assert.is(said ?? '100m', container?.resources.requests.cpu, metadata.name)
      }
    }))
  test('a label that says nothing of size: which to use instead, which then holds', () =>
    inFolder((folder) => {
      assert.match(
        init(join(folder, 'c'), 'k3s', [FLUENT_BIT]).stderr,
        'groups by kubernetes.io/hostname, with classes',
      )
      const first = init(join(folder, 'a'), 'k3s', [FLUENT_BIT], '--group-by', 'kubernetes.io/os')
      assert.is(first.status, 1)
      assert.match(first.stderr, 'nothing to gain without usage')
      assert.not.ok(existsSync(join(folder, 'a')))
      const again = /nodefit init --group-by (\S+) does\./.exec(first.stderr)?.[1] ?? ''
      assert.is(again, 'kubernetes.io/hostname')
      const build = ['build', data('nodes/k3s.yaml'), FLUENT_BIT, '--set', 'target=fluent-bit']
      assert.match(nodefit(build).stderr, `nodeGroupLabel: ${again} with classes: { ratio: 2 }`)
      const second = init(join(folder, 'b'), 'k3s', [FLUENT_BIT], '--group-by', again)
      assert.is(second.status, 0, second.stderr)
      assert.not.match(second.stderr, 'GroupSpread')
      const { status, stdout, stderr } = nodefit(['build', join(folder, 'b')])
      assert.is(status, 0, stderr)
      assert.not.match(stderr, 'GroupSpread')
      const [, later = '', file = ''] =
        /when the nodes change: nodefit (inventory .*) > (.*)\n/.exec(second.stderr) ?? []
      const inventory = nodefit(later.replace('nodes.json', data('nodes/k3s.yaml')).split(' '))
      assert.is(inventory.status, 0, inventory.stderr)
      writeFileSync(file, inventory.stdout)
      assert.is(nodefit(['build', join(folder, 'b')]).stdout, stdout)
    }))
  const withResources = (folder: string, resources: object) => {
    const object = parse(text('daemonsets/fluent-bit.json')) as {
      spec: { template: { spec: { containers: object[] } } }
    }
    for (const container of object.spec.template.spec.containers) Object.assign(container, { resources })
    const file = join(folder, 'ds.json')
    writeFileSync(file, JSON.stringify(object))
    return file
  }
  test('limits without requests: what becomes of requests', () =>
    inFolder((folder) => {
      const { stderr } = init(join(folder, 'a'), 'gke', [withResources(folder, { limits: { cpu: '1' } })])
      assert.match(stderr, 'Kubernetes uses a limit without a request as the request, too')
    }))
  test('what is left out, with what to do first; --anyway writes it; the others are written', () =>
    inFolder((folder) => {
      const bare = withResources(folder, {})
      const why = 'fluent-bit: it requests nothing: container fluent-bit has neither requests nor limits'
      const alone = init(join(folder, 'a'), 'gke', [bare])
      assert.is(alone.status, 1)
      assert.match(alone.stderr, why)
      assert.match(alone.stderr, /left out: measure it .*\n.*nothing is written; --anyway writes what is left out\n$/)
      assert.equal(Object.keys(filesOf(folder)), ['ds.json'])
      const anyway = init(join(folder, 'b'), 'gke', [bare], '--anyway')
      assert.is(anyway.status, 0, anyway.stderr)
      assert.match(anyway.stderr, `${why} of cpu and memory to start from; written because of --anyway\n`)
      assert.is(nodefit(['build', join(folder, 'b')]).status, 0)
      const both = init(join(folder, 'c'), 'gke', [bare, TRACE])
      assert.is(both.status, 0, both.stderr)
      assert.match(both.stderr, why)
      assert.equal(
        documents(nodefit(['build', join(folder, 'c')]).stdout).filter(({ metadata }) => /^fluent/.test(metadata.name)),
        [],
      )
    }))
  test('a budget: what it says is what the fleet costs', () =>
    inFolder((folder) => {
      const cores = (budget: string) => {
        const { stderr } = init(join(folder, budget.replace('%', '')), 'gke', [FLUENT_BIT], '--budget', budget)
        const [, before, after] = /first render: all pods: requesting ([\d.]+) -> ([\d.]+) cores/.exec(stderr) ?? []
        assert.match(stderr, `grow by no more than ${budget.replace(/[+%]/g, '')} %`)
        return Number(after) / Number(before)
      }
      assert.ok(cores('+10%') <= 1.1)
      const more = cores('60')
      assert.ok(more > 1.3 && more <= 1.6, `${more}`)
      const none = init(join(folder, 'none'), 'gke', [FLUENT_BIT], '--budget', '0%')
      assert.match(none.stderr, 'nothing to gain without usage')
    }))
  const typed = (folder: string, types: readonly string[], label = 'node.kubernetes.io/instance-type') => {
    const nodes = parse(text('nodes/gke.yaml')) as { items: Array<{ metadata: { labels: Record<string, string> } }> }
    for (const [index, one] of nodes.items.entries()) {
      delete one.metadata.labels['node.kubernetes.io/instance-type']
      one.metadata.labels[label] = types[index % types.length] ?? ''
    }
    const file = join(folder, 'nodes.yaml')
    writeFileSync(file, stringify(nodes, { aliasDuplicateObjects: false }))
    return ['init', join(folder, 'a'), '--nodes', file, '--daemonset', FLUENT_BIT, '--anyway']
  }
  const NAMED: Array<[name: string, types: string[], label: string | undefined, spec: object]> = [
    [
      'types that come to one name',
      ['m5.large', 'm5_large'],
      undefined,
      { names: { m5_large: 'fluent-bit-m5-large-ad36e8' }, defaultNodeGroup: undefined },
    ],
    [
      'a pool called default, as in Karpenter’s tutorial',
      ['default', 'spot'],
      'karpenter.sh/nodepool',
      { names: undefined, defaultNodeGroup: 'unlabelled' },
    ],
  ]
  for (const [name, types, label, spec] of NAMED)
    test(`${name}: names, by which the next step succeeds`, () =>
      inFolder((folder) => {
        const { status, stderr } = nodefit(typed(folder, types, label))
        assert.is(status, 0, stderr)
        assert.not.match(stderr, 'error: ')
        const policy = parse(filesOf(join(folder, 'a'))['policy.yaml'] ?? '') as Document
        const { names, defaultNodeGroup } = policy.spec
        assert.equal({ names, defaultNodeGroup }, spec)
        assert.is(nodefit(['build', join(folder, 'a')]).status, 0)
      }))
})

suite('the page of nodefit init', (test) => {
  const page = readFileSync(join(ROOT, 'docs/daemonset/init.md'), 'utf8')
  const [, command = ''] = /^nodefit (init agents --nodes .*)$/m.exec(page) ?? []
  const fenced = [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
  const blocks = fenced
    .filter(([, language, block = '']) => language === '' && !block.includes('this package: '))
    .map(([, , block]) => block ?? '')
  test('its command writes what it shows', () =>
    inFolder((folder) => {
      writeFileSync(join(folder, 'nodes.json'), JSON.stringify(parse(text('nodes/eks.yaml'))))
      for (const [name, path] of [
        ['fluent-bit', 'daemonsets/fluent-bit.json'],
        ['node-exporter', 'daemonsets/node-exporter.yaml'],
      ] as const)
        writeFileSync(join(folder, `${name}.json`), JSON.stringify(parse(text(path))))
      const { status, stderr } = nodefit(command.split(' '), folder)
      assert.is(status, 0, stderr)
      const shown = blocks.flatMap((block) => block.trim().split('\n'))
      assert.ok(shown.length >= 6)
      const written = `${stderr}${filesOf(folder)['agents/fluent-bit-policy.yaml']}`.split('\n')
      for (const line of shown) assert.ok(written.includes(line), line)
      assert.is(nodefit(['build', 'agents'], folder).status, 0)
    }))
})

suite('nodefit init in a folder with a kustomization', (test) => {
  test('lists what it writes, and keeps every other byte', () =>
    inFolder((folder) => {
      const file = join(folder, 'kustomization.yml')
      writeFileSync(file, '# ours\nresources:\n  - namespace.yaml # first\nnamePrefix: a-\n')
      const { status, stderr } = init(folder, 'gke', [FLUENT_BIT])
      assert.is(status, 0, stderr)
      assert.match(
        stderr,
        'kustomization.yml now lists daemonset.yaml, inventory.yaml, policy.yaml, render-config.yaml\n',
      )
      assert.is(
        readFileSync(file, 'utf8'),
        '# ours\nresources:\n  - namespace.yaml # first\n  - daemonset.yaml\n  - inventory.yaml\n  - policy.yaml\n  - render-config.yaml\nnamePrefix: a-\n',
      )
      assert.equal(Object.keys(filesOf(folder)).sort(), [
        'Kptfile',
        'daemonset.yaml',
        'inventory.yaml',
        'kustomization.yml',
        'policy.yaml',
        'render-config.yaml',
      ])
    }))
  for (const [name, content, sentence] of [
    ['no map', 'mine\n', /the kustomization is not a map: correct it, or give a new DIR/],
    ['empty', '# later\n', /it is empty: correct it, or give a new DIR/],
  ] as const)
    test(`refuses one that is ${name}, and writes nothing`, () =>
      inFolder((folder) => {
        writeFileSync(join(folder, 'kustomization.yaml'), content)
        const { status, stderr } = init(folder, 'gke', [FLUENT_BIT])
        assert.is(status, 1)
        assert.match(stderr, sentence)
        assert.equal(filesOf(folder), { 'kustomization.yaml': content })
      }))
  test('refuses one without an extension, to which kpt fn render could add nothing; renamed, it lists', () =>
    inFolder((folder) => {
      const [hidden, shown] = ['Kustomization', 'kustomization.yaml'].map((name) => join(folder, name)) as [
        string,
        string,
      ]
      writeFileSync(hidden, 'resources: [namespace.yaml]\n')
      const { status, stderr } = init(folder, 'gke', [FLUENT_BIT])
      assert.is(status, 1)
      assert.match(stderr, 'Kustomization: kpt shows functions no file of this name: rename it to kustomization.yaml')
      assert.equal(filesOf(folder), { Kustomization: 'resources: [namespace.yaml]\n' })
      renameSync(hidden, shown)
      assert.is(init(folder, 'gke', [FLUENT_BIT]).status, 0)
      assert.match(filesOf(folder)['kustomization.yaml'] ?? '', 'daemonset.yaml')
    }))
})

suite('what nodefit init leaves alone', (test) => {
  test('a folder that it has written to', () =>
    inFolder((folder) => {
      assert.is(init(join(folder, 'a'), 'gke', [FLUENT_BIT]).status, 0)
      const files = filesOf(folder)
      const second = init(join(folder, 'a'), 'gke', [FLUENT_BIT])
      assert.is(second.status, 1)
      assert.match(second.stderr, 'already exists: give a new DIR, or move it away')
      assert.equal(filesOf(folder), files)
    }))
  for (const name of ['Kptfile', 'policy.yaml', 'inventory.yaml', 'daemonset.yaml', 'fluent-bit-groups.yaml'])
    test(`a folder with a ${name}`, () =>
      inFolder((folder) => {
        writeFileSync(join(folder, name), 'mine')
        const { status, stderr } = init(folder, 'gke', [FLUENT_BIT])
        assert.is(status, 1)
        assert.match(stderr, `${name} already exists`)
        assert.equal(filesOf(folder), { [name]: 'mine' })
      }))
  test('everything, where one file cannot be written', () =>
    inFolder((folder) => {
      mkdirSync(join(folder, 'a'))
      symlinkSync('absent', join(folder, 'a/policy.yaml'))
      const { status, stderr } = init(join(folder, 'a'), 'gke', [FLUENT_BIT])
      assert.is(status, 1)
      assert.match(stderr, 'policy.yaml')
      assert.equal(filesOf(folder), {})
    }))
})

suite('nodefit init with wrong arguments', (test) => {
  const nodes = ['--nodes', data('nodes/gke.yaml')]
  const agent = ['--daemonset', FLUENT_BIT]
  const cases: Array<[name: string, args: (folder: string) => string[], said: RegExp]> = [
    ['no folder', () => [...nodes, ...agent], /^nodefit: give one DIR to write to\n$/],
    [
      'two DaemonSets behind one option',
      () => ['a', ...nodes, ...agent, EXPORTER],
      /write --daemonset before each DaemonSet file\n$/,
    ],
    [
      'no nodes',
      () => ['a', ...agent],
      /^nodefit: give --nodes FILE, and --daemonset FILE or --template FILE; or --context NAME and --daemonset NS\/NAME\n$/,
    ],
    [
      'nothing to size',
      () => ['a', ...nodes],
      /^nodefit: give --nodes FILE, and --daemonset FILE or --template FILE; or --context NAME and --daemonset NS\/NAME\n$/,
    ],
    [
      'both kinds',
      () => ['a', ...nodes, ...agent, '--template', FLUENT_BIT],
      /--daemonset FILE or --template FILE; or --context NAME and --daemonset NS\/NAME\n$/,
    ],
    ['two lists of nodes', () => ['a', ...nodes, ...nodes, ...agent], /^nodefit: --nodes is given twice; /],
    ['a misspelt option', () => ['a', ...nodes, '--daemonsets', FLUENT_BIT], /, did you mean --daemonset\?/],
    [
      'the same DaemonSet twice',
      () => ['a', ...nodes, ...agent, ...agent],
      /^nodefit: DaemonSet fluent-bit is given twice\n$/,
    ],
    [
      'a file that is not there',
      () => ['a', ...nodes, '--daemonset', 'absent.json'],
      /^nodefit: there is no file or folder absent\.json\n$/,
    ],
    [
      'nodes for a DaemonSet',
      () => ['a', ...nodes, '--daemonset', data('nodes/gke.yaml')],
      /has \d+ objects, but no DaemonSet\n$/,
    ],
    [
      'an empty file for a DaemonSet',
      () => ['a', ...nodes, '--daemonset', '/dev/null'],
      /^nodefit: \/dev\/null is empty, or has comments alone: write the DaemonSet into it again/,
    ],
    [
      'an empty file for nodes',
      () => ['a', '--nodes', '/dev/null', ...agent],
      /^nodefit: NoNodes: \/dev\/null has no object: write it again, with kubectl get nodes -o json\n$/,
    ],
    [
      'a DaemonSet for a template',
      () => ['a', ...nodes, '--template', FLUENT_BIT],
      /has a DaemonSet, but no ConfigMap\n$/,
    ],
    [
      'a DaemonSet for nodes',
      () => ['a', '--nodes', FLUENT_BIT, ...agent],
      /^nodefit: DaemonSet fluent-bit is not a Node\n$/,
    ],
    [
      'a label that is none',
      () => ['a', ...nodes, ...agent, '--group-by', 'a b'],
      /^nodefit: --group-by a b is not a label key such as /,
    ],
    ['the old option', () => ['a', ...nodes, ...agent, '--label=pool'], /^nodefit: --label is now --group-by: /],
    [
      'a budget that is none',
      () => ['a', ...nodes, ...agent, '--budget', 'much'],
      /^nodefit: --budget much is not a growth in whole percent, such as \+25%\n$/,
    ],
    [
      'ranges that no label makes',
      () => ['a', ...nodes, ...agent, '--group-by', 'ranges'],
      /^nodefit: --group-by ranges: no label of the nodes is a number that grows with their size; /,
    ],
    [
      'a label that no node has',
      () => ['a', ...nodes, ...agent, '--group-by', 'topology.kubernetes.io/zon'],
      /did you mean topology\.kubernetes\.io\/zone\?\n$/,
    ],
    [
      'a cluster that cannot be named so',
      () => ['a', ...nodes, ...agent, '--cluster', 'a b'],
      /^nodefit: "a b" is not a valid cluster name: /,
    ],
    [
      'inputs within the package',
      (folder) => {
        writeFileSync(join(folder, 'ds.json'), readFileSync(FLUENT_BIT))
        return ['.', ...nodes, '--daemonset', 'ds.json']
      },
      /^nodefit: ds\.json is in \. and would be part of the package: give another DIR\n$/,
    ],
    [
      'a name that would leave the package',
      (folder) => {
        const hostile = text('daemonsets/fluent-bit.json').replace(
          '"name": "fluent-bit",\n        "namespace"',
          '"name": "../fluent-bit",\n        "namespace"',
        )
        writeFileSync(join(folder, 'ds.json'), hostile)
        return ['a', ...nodes, '--daemonset', 'ds.json', ...agent]
      },
      /^nodefit: "\.\.\/fluent-bit" is not a valid name of a DaemonSet\n$/,
    ],
    [
      'a request that is no quantity',
      (folder) => {
        writeFileSync(
          join(folder, 'ds.json'),
          text('daemonsets/fluent-bit.json').replace('"cpu": "100m"', '"cpu": "much"'),
        )
        return ['a', ...nodes, '--daemonset', 'ds.json']
      },
      /^nodefit: container fluent-bit of fluent-bit: requests\.cpu cannot be read: /,
    ],
  ]
  for (const [name, args, said] of cases) {
    test(name, () =>
      inFolder((folder) => {
        const own = args(folder)
        const before = filesOf(folder)
        const { status, stdout, stderr } = nodefit(['init', ...own], folder)
        assert.is(status, 1, stderr)
        assert.is(stdout, '')
        assert.match(stderr, said)
        assert.equal(filesOf(folder), before)
      }),
    )
  }
})
