/** The commands as a newcomer runs them, on what kubectl prints. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, FUNCTION, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (args: string[], options: { input?: string; cwd?: string } = {}) =>
  run(process.execPath, [COMMAND, ...args], options)
const data = (path: string) => join(ROOT, 'testdata', path)
const names = (stdout: string) =>
  parseAllDocuments(stdout).map((document) => (document.toJS() as { metadata: { name: string } }).metadata.name)

suite('the README', (test) => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  test('its example renders the groups of a real list of nodes', () => {
    const [, line = ''] = /^nodefit (build examples\/.*)$/m.exec(readme) ?? []
    const { status, stdout, stderr } = nodefit(line.split(' '), { cwd: ROOT })
    assert.is(status, 0)
    assert.ok(names(stdout).length >= 5)
    const [, shown = ''] = /```\n(GROUP [^`]*)```/.exec(readme) ?? []
    assert.ok(shown !== '' && stderr.startsWith(shown), stderr)
  })
  test('its example is that of the tests', () => {
    for (const [example, tested] of [
      ['nodes.yaml', 'nodes/eks.yaml'],
      ['fluent-bit.json', 'daemonsets/fluent-bit.json'],
    ] as const)
      assert.is(readFileSync(join(ROOT, 'examples', example), 'utf8'), readFileSync(data(tested), 'utf8'))
  })
  test('its commands for a cluster work on what kubectl prints', () =>
    inFolder((folder) => {
      const [, line = ''] = /^nodefit (build nodes\.json .*)$/m.exec(readme) ?? []
      writeFileSync(join(folder, 'nodes.json'), JSON.stringify(parse(readFileSync(data('nodes/eks.yaml'), 'utf8'))))
      writeFileSync(join(folder, 'ds.json'), readFileSync(data('daemonsets/fluent-bit.json')))
      const { status, stdout } = nodefit(line.split(' '), { cwd: folder })
      assert.is(status, 0)
      assert.ok(names(stdout).includes('fluent-bit-m5-large'))
    }))
})

suite('nodefit build', (test) => {
  test('a live DaemonSet and the nodes, without a policy file', () => {
    const { status, stdout, stderr } = nodefit([
      'build',
      data('nodes/eks.yaml'),
      data('daemonsets/fluent-bit.json'),
      '--set',
      'target=fluent-bit',
    ])
    assert.is(status, 0, stderr)
    assert.equal(names(stdout), [
      'fluent-bit-c6g-xlarge',
      'fluent-bit-default',
      'fluent-bit-m5-4xlarge',
      'fluent-bit-m5-large',
      'fluent-bit-m5-xlarge',
      'fluent-bit-remainder',
    ])
    assert.match(stderr, 'nodefit: info: PolicySummary: fluent-bit: 5 groups, 9 nodes')
    assert.match(stderr, 'nodefit: warning: InstanceLabelCopied')
    assert.match(stderr, 'ip-10-0-5-20.eu-central-1.compute.internal')
    assert.match(
      nodefit([
        'build',
        data('nodes/eks.yaml'),
        data('daemonsets/fluent-bit.json'),
        '--set',
        'target=fluent-bit',
        '--all',
      ]).stderr,
      'requestCPU 5.2% of 1930m',
    )
    assert.not.match(stdout, /uid|managedFields|resourceVersion|meta\.helm\.sh|status:/)
  })
  test('a look prints what keeps its sizes: flags, and the lines of a policy', () =>
    inFolder((folder) => {
      const inputs = [data('nodes/eks.yaml'), data('daemonsets/fluent-bit.json')]
      const look = nodefit(['build', ...inputs, '--set', 'target=fluent-bit'])
      const [, flags = ''] = /To keep them, add ([^;]*);/.exec(look.stderr) ?? []
      const kept = nodefit(['build', ...inputs, '--set', 'target=fluent-bit', ...flags.split(' ')])
      assert.is(kept.status, 0, kept.stderr)
      assert.is(kept.stdout, look.stdout)
      assert.not.match(kept.stderr, 'SizesDerived')
      const [lines = ''] = /(?:^ {2}\w+: \{.*\}\n)+/m.exec(look.stderr) ?? []
      const policy = join(folder, 'policy.yaml')
      const head = `apiVersion: nodefit.dev/v1alpha1\nkind: SizingPolicy\nmetadata: {name: fluent-bit}\nspec:\n`
      writeFileSync(policy, `${head}  targetRef: {name: fluent-bit}\n`)
      const without = nodefit(['build', ...inputs, policy])
      assert.is(without.status, 1)
      assert.ok(lines !== '' && without.stderr.includes(lines), without.stderr)
      writeFileSync(policy, `${head}  targetRef: {name: fluent-bit}\n${lines}`)
      assert.is(nodefit(['build', ...inputs, policy]).stdout, look.stdout)
    }))
  test('Orders alone: their Tickets, without the Order', () => {
    const { status, stdout, stderr } = nodefit(['build', data('reservation/system-overhead/package')])
    assert.is(status, 0, stderr)
    assert.is(names(stdout).length, 7)
    assert.not.match(stdout, 'kind: Order')
    assert.match(stderr, 'OrderSummary: infrastructure-reservation: 7 Tickets')
    assert.match(stderr, /NodesNotEligible: .* \(and \d+ more, with --all\)\n/)
    const explained = nodefit(['build', data('reservation/system-overhead/package'), '--all'])
    assert.match(explained.stderr, 'left out by cordoned')
    assert.not.match(explained.stderr, 'with --all')
    // no groups, no table
    assert.not.match(stderr, 'GROUP')
  })
  test('a paused Order takes its Tickets from --earlier', () =>
    inFolder((folder) => {
      const before = nodefit(['build', data('reservation/paused/package')]).stdout
      mkdirSync(join(folder, 'earlier'))
      writeFileSync(join(folder, 'earlier/tickets.yaml'), before)
      const paths = ['inventory.yaml', 'order.yaml'].map((file) => data(`reservation/paused/paused/${file}`))
      assert.is(nodefit(['build', ...paths]).status, 1)
      const after = nodefit(['build', ...paths, '--earlier', join(folder, 'earlier')])
      assert.is(after.status, 0, after.stderr)
      assert.equal(names(after.stdout), names(before))
    }))
  for (const name of ['eks', 'gke', 'aks', 'k3s']) {
    test(`${name}: the inventory gives the same DaemonSets as the nodes`, () => {
      const nodes = readFileSync(data(`nodes/${name}.yaml`), 'utf8')
      const inventory = nodefit(['inventory', '--cluster', name], { input: nodes })
      assert.is(inventory.status, 0, inventory.stderr)
      for (const template of ['fluent-bit.json', 'node-exporter.yaml']) {
        const target = template.split('.')[0] ?? ''
        const from = (input: string) =>
          nodefit(['build', '-', data(`daemonsets/${template}`), '--set', `target=${target}`], { input }).stdout
        assert.ok(from(nodes).length > 1000)
        assert.is(from(inventory.stdout), from(nodes))
      }
    })
  }
  test('the pods of a cluster are a WorkloadSnapshot beside the inventory, and what is said of the room comes of it', () =>
    inFolder((folder) => {
      const [first] = parse(readFileSync(data('nodes/eks.yaml'), 'utf8')).items
      const pods = (nodeName: string, requests: object) => {
        const spec = { nodeName, containers: [{ name: 'c', resources: { requests } }] }
        const items = [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec }]
        writeFileSync(join(folder, 'pods.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
        return nodefit(['inventory', data('nodes/eks.yaml'), '--cluster', 'eks', '--pods', join(folder, 'pods.json')])
      }
      const { status, stdout, stderr } = pods(first.metadata.name, first.status.allocatable)
      assert.is(status, 0, stderr)
      const [inventory, snapshot] = parseAllDocuments(stdout).map((document) => document.toJS())
      assert.equal([inventory.kind, snapshot.kind], ['NodeInventory', 'WorkloadSnapshot'])
      assert.equal([snapshot.spec.cluster, snapshot.spec.observedAt], ['eks', inventory.spec.observedAt])
      assert.is(snapshot.spec.nodes.length, inventory.spec.nodeCount)
      const build = ['build', '-', data('daemonsets/fluent-bit.json'), '--set', 'target=fluent-bit']
      const built = nodefit(build, { input: stdout })
      assert.is(built.status, 0, built.stderr)
      assert.match(built.stderr, `DoesNotFit: fluent-bit: beside the pods that run now`)
      assert.match(built.stderr, `(${first.metadata.name})`)
      assert.match(
        pods('elsewhere', {}).stderr,
        'WrongCluster: the pods are on none of these nodes: give them and the nodes from one cluster',
      )
      assert.match(pods(first.metadata.name, { cpu: 'one' }).stderr, /Pod p: .*one/)
    }))
  test('several containers without a choice are an error that names them', () => {
    const { status, stdout, stderr } = nodefit([
      'build',
      data('nodes/k3s.yaml'),
      data('daemonsets/trace-agent.yaml'),
      '--set',
      'target=trace-agent',
    ])
    assert.is(status, 1)
    assert.is(stdout, '')
    assert.match(
      stderr,
      'ContainerNotChosen: trace-agent: spec.containers is not set, and no container has the name of the target; the template has agent, process-agent; nodefit init would size agent',
    )
    const built = (containers: string) => {
      const target = ['--set', 'target=trace-agent', '--set', `containers=${containers}`]
      return nodefit(['build', data('nodes/k3s.yaml'), data('daemonsets/trace-agent.yaml'), ...target])
    }
    assert.is(built('agent').status, 0)
    assert.is(built('agent:70,process-agent:30').status, 0)
    assert.match(
      built('agent:70,process-agent:20').stderr,
      'ContainerNotChosen: trace-agent: the shares in spec.containers add up to 90, not 100',
    )
    assert.match(
      built('agent:').stderr,
      'containers=agent: must be names of containers with their shares, such as a:70,b:30',
    )
  })
  test('a label that no node has: the best that they have is named', () => {
    const built = (label: string) =>
      nodefit([
        'build',
        data('nodes/gke.yaml'),
        data('daemonsets/fluent-bit.json'),
        '--set',
        'target=fluent-bit',
        '--set',
        `nodeGroupLabel=${label}`,
      ])
    assert.match(built('karpenter.sh/nodepool').stderr, 'some nodes have node.kubernetes.io/instance-type.')
    assert.match(built('node.kubernetes.io/instance').stderr, 'did you mean node.kubernetes.io/instance-type?')
    assert.is(built('node.kubernetes.io/instance-type').status, 0)
  })
  test('a package, and what was rendered before', () =>
    inFolder((folder) => {
      const first = nodefit(['build', data('golden/sticky/package')])
      mkdirSync(join(folder, 'earlier'))
      writeFileSync(join(folder, 'earlier/groups.yaml'), first.stdout)
      const newcomer = data('golden/sticky/newcomer/inventory.yaml')
      const files = ['policy.yaml', 'daemonset.yaml'].map((file) => data(`golden/sticky/package/${file}`))
      assert.match(nodefit(['build', newcomer, ...files]).stderr, 'NameCollision')
      assert.equal(names(nodefit(['build', newcomer, ...files, '--earlier', join(folder, 'earlier')]).stdout), [
        'fluent-bit-default',
        'fluent-bit-m5-large',
        'fluent-bit-m5-large-ad36e8',
        'fluent-bit-remainder',
      ])
    }))
  test('several packages are rendered each for itself', () => {
    const { status, stdout, stderr } = nodefit(['build', data('golden/two-clusters/package')])
    assert.is(status, 0, stderr)
    assert.equal(names(stdout).sort(), [
      'fluent-bit-default',
      'fluent-bit-default',
      'fluent-bit-m5-xlarge',
      'fluent-bit-m6i-large',
      'fluent-bit-remainder',
      'fluent-bit-remainder',
    ])
  })
  test('what nobody changes comes out as its file has it', () => {
    const config = 'apiVersion: v1\nkind: ConfigMap # mine\nmetadata: {name: a}\ndata: {mode: 0644}\n'
    assert.ok(nodefit(['build', '-', data('quickstart')], { input: config }).stdout.startsWith(config))
  })
  test('mistakes: exit code 1, nothing on stdout, one sentence', () => {
    const cases: Array<[args: string[], said: RegExp]> = [
      [['build', 'absent'], /^nodefit: there is no file or folder absent\n$/],
      [['build', data('quickstart'), '--set', 'target'], /^nodefit: --set target is not KEY=VALUE\n$/],
      [
        ['build', data('quickstart'), '--sett', 'a=b'],
        /^nodefit: nodefit build has no option --sett, did you mean --set\?; nodefit build --help lists its options\n$/,
      ],
      [['build', data('nodes/eks.yaml'), data('daemonsets/fluent-bit.json')], /there is no policy in the input/],
      [['build', '--set', 'target=a', '--set', 'target=b'], /^nodefit: --set target=… is given twice\n$/],
      [['build', '--set'], /^nodefit: --set needs a value; nodefit build --help/],
      [['build', '--earlier', '', data('quickstart')], /^nodefit: --earlier needs a value/],
      [['inventory', 'a', 'b', '--cluster', 'c'], /^nodefit: give one FILE, or - for stdin, not 2: a b\n$/],
      [['init', 'a', 'b'], /^nodefit: give one DIR, not 2: a b\n$/],
      [
        ['bild'],
        /^nodefit: unknown command "bild", did you mean build\?; the commands are scan, build, inventory, init, diff, vet, test, explain, report, takeover, convert, sync, replay, sign, verify, act, fn, completion\n$/,
      ],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--counts', '--uid'],
        /^nodefit: give --uid or --counts, not both: without names there are no UIDs\n$/,
      ],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--counts', '--label', 'kubernetes.io/hostname'],
        /^nodefit: --counts writes no node names, but the label kubernetes\.io\/hostname contains them: leave out its --label\n$/,
      ],
      [['inventory', data('nodes/eks.yaml')], /^nodefit: name the cluster: --cluster NAME\n$/],
      [
        ['inventory', '--cluster', 'x', '--tickets', '-'],
        /^nodefit: only one of nodes and tickets can come from stdin\n$/,
      ],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--counts', '--tickets', data('nodes/eks.yaml')],
        /^nodefit: give --tickets or --counts/,
      ],
      [['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--tickets', data('nodes/eks.yaml')], /is not a Ticket/],
      [['inventory', '--cluster', 'x', '--pods', '-'], /^nodefit: only one of nodes and pods can come from stdin\n$/],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--earlier', data('nodes/eks.yaml')],
        /^nodefit: --earlier .*eks.yaml has no NodeInventory/,
      ],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--claims', data('nodes/eks.yaml')],
        /is not a NodeSmithClaim/,
      ],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--machines', data('nodes/eks.yaml')],
        /is not a Machine or MachineDeployment/,
      ],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--counts', '--pods', data('nodes/eks.yaml')],
        /^nodefit: give --pods or --counts/,
      ],
      [
        ['inventory', data('nodes/eks.yaml'), '--cluster', 'x', '--pods', data('nodes/eks.yaml')],
        /^nodefit: Node \S+ is not a Pod\n$/,
      ],
      [
        ['inventory', data('daemonsets/fluent-bit.json'), '--cluster', 'x'],
        /^nodefit: DaemonSet fluent-bit is not a Node\n$/,
      ],
    ]
    for (const [args, said] of cases) {
      const { status, stdout, stderr } = nodefit(args)
      assert.is(status, 1, args.join(' '))
      assert.is(stdout, '')
      assert.match(stderr, said)
    }
  })
  test('streams as people write them', () => {
    const node = (name: string) =>
      `{apiVersion: v1, kind: Node, metadata: {name: ${name}}, status: {allocatable: {cpu: 4, memory: 8Gi}}}`
    const json = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name } }, null, 2)
    const streams: Array<[name: string, input: string, nodes: number]> = [
      ['a document on the line of the marker', `${node('a')}\n--- ${node('b')}\n`, 2],
      [
        'comments alone between markers',
        `# licence\n---\n# source\n${node('a')}\n---\n# nothing\n---\n${node('b')}\n`,
        2,
      ],
      ['JSON values parted by markers', `${json('a')}\n---\n${json('b')}\n`, 2],
      ['JSON values one after the other', `${json('a')}\n${json('b')}\n`, 2],
      [
        'a List in a List',
        JSON.stringify({
          kind: 'List',
          apiVersion: 'v1',
          items: [{ kind: 'NodeList', apiVersion: 'v1', items: [{ metadata: { name: 'a' } }] }],
        }),
        1,
      ],
      ['a document that ends in dots', `${node('a')}\n...\n---\n${node('b')}\n`, 2],
    ]
    for (const [name, input, count] of streams) {
      const { status, stdout, stderr } = nodefit(['inventory', '--cluster', 'x'], { input })
      assert.is(status, 0, `${name}: ${stderr}`)
      assert.match(stdout, `nodeCount: ${count}`, name)
    }
  })
  test('JSON values right behind one another, and among YAML documents', () => {
    const json = (name: string, space?: number) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { a: '}{"\\' } } }, null, space)
    const inputs: Record<string, string> = {
      'one a line': `${json('a')}\n${json('b')}\n${json('c')}\n`,
      'right behind one another': json('a') + json('b') + json('c'),
      'pretty-printed': json('a', 2) + json('b', 2) + json('c', 4),
      'among YAML': `apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n${json('b')}${json('c', 1)}\n`,
      'with a long integer': `${json('a')}${json('b')}${json('c').replace('{', '{"n":12345678901234567890,')}`,
    }
    for (const [name, input] of Object.entries(inputs)) {
      const { status, stdout, stderr } = nodefit(['inventory', '--cluster', 'x'], { input })
      assert.is(status, 0, `${name}: ${stderr}`)
      assert.match(stdout, 'nodeCount: 3', name)
    }
  })
  test('what cannot be read: file, document and line of the file', () =>
    inFolder((folder) => {
      const file = join(folder, 'a.yaml')
      const said = (text: string) => {
        writeFileSync(file, text)
        const { status, stdout, stderr } = nodefit(['build', file])
        assert.is(status, 1)
        assert.is(stdout, '')
        return stderr.replace(file, 'a.yaml')
      }
      const good = 'apiVersion: v1\nkind: Node\nmetadata: {name: a}\n'
      assert.match(
        said(`# head\n${good}--- # second\n${good}data:\n  b: 1\n  b: 2\n`),
        /^nodefit: YamlSyntax: a\.yaml, document 2, cannot be read as YAML: duplicated mapping key, line 11: b: 2\n$/,
      )
      assert.match(said(`${good}---\n${good}data: [\n`), /document 2, .* line 8: data: \[\n$/)
      assert.match(said('{"a": 1}\n{\n  "b": 1\n  "c": 2\n}\n'), /document 1, .* line 4: "c": 2\n$/)
      assert.match(said(`${good}---\n{"a": {"b": 1}\n`), /document 2, .* line 5: \{"a"/)
    }))
  test('--earlier: absent or empty is nothing, what is broken is an error', () =>
    inFolder((folder) => {
      const built = (earlier: string) => nodefit(['build', data('golden/sticky/package'), '--earlier', earlier])
      const plain = nodefit(['build', data('golden/sticky/package')])
      // where it is known what was rendered before, what is rendered remembers
      const forgotten = (text: string) =>
        text.replaceAll(/^ {4}nodefit\.dev\/(?:cluster|nodes|basis|namespace|selector): .*\n/gm, '')
      const absent = built(join(folder, 'absent'))
      assert.is(absent.status, 0, absent.stderr)
      assert.not.equal(absent.stdout, plain.stdout)
      assert.is(forgotten(absent.stdout), plain.stdout)
      assert.match(absent.stderr, /there is no .*absent: nothing was rendered before\n/)
      mkdirSync(join(folder, 'empty'))
      assert.is(built(join(folder, 'empty')).stdout, absent.stdout)
      assert.match(built(join(folder, 'empty')).stderr, /empty is empty: nothing was rendered before\n/)
      writeFileSync(join(folder, 'file.yaml'), plain.stdout)
      assert.is(built(join(folder, 'file.yaml')).status, 0)
      // it was written where nobody knew what was rendered before, and does not remember
      assert.match(built(join(folder, 'file.yaml')).stderr, 'the earlier output does not record node counts')
      assert.not.match(built(join(folder, 'file.yaml')).stderr, 'nothing was rendered before')
      writeFileSync(join(folder, 'file.yaml'), 'a: [\n')
      assert.is(built(join(folder, 'file.yaml')).status, 1)
      assert.match(built(folder).stderr, /file\.yaml, document 1, cannot be read as YAML/)
    }))
  test('what nodefit does not look at may be any YAML that Go reads', () => {
    const odd = 'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {b: !mine c, d: 1, d: 2}\n'
    const { status, stdout, stderr } = nodefit(['build', '-', data('quickstart')], { input: odd })
    assert.is(status, 0, stderr)
    assert.ok(stdout.startsWith(odd))
    assert.is(nodefit(['build', '-', data('quickstart')], { input: odd.replace('Service', 'Node') }).status, 1)
  })
  test('one page of a longer list is refused', () => {
    const page = JSON.stringify({ apiVersion: 'v1', kind: 'NodeList', metadata: { continue: 'x' }, items: [] })
    const { status, stderr } = nodefit(['inventory', '--cluster', 'x'], { input: page })
    assert.is(status, 1)
    assert.match(stderr, 'PartialList')
  })
})

const EMPTY = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n'

suite('help', (test) => {
  test('the function says what it is', () => {
    const { status, stdout } = run(process.execPath, [FUNCTION, '--help'])
    assert.is(status, 0)
    assert.match(stdout, 'KRM function')
  })
  test('the function documents what it takes, every field of it, as kpt’s functions do', () => {
    const { status, stdout, stderr } = run(process.execPath, [FUNCTION, 'doc'])
    assert.is(status, 0, stderr)
    assert.match(stdout, /^# nodefit\n\n## Overview\n\n\w/)
    assert.not.match(stdout, '<!--')
    for (const kind of ['sizing-policy', 'render-config']) {
      const { properties } = JSON.parse(readFileSync(join(ROOT, `fn-config/${kind}.schema.json`), 'utf8'))
      for (const field of Object.keys(properties.spec.properties)) assert.match(stdout, `| \`${field}\``)
    }
    for (const key of ['target', 'kind', 'requestCPU', 'maxMemory']) assert.match(stdout, `| \`${key}\` | \``)
  })
  for (const args of [['--foo'], ['target=agent'], ['--foo', '--version'], ['doc', 'x']])
    test(`the function refuses ${args.join(' ')}, which no host gives it`, () =>
      assert.equal(run(process.execPath, [FUNCTION, ...args], { input: EMPTY }), {
        status: 1,
        stdout: '',
        stderr: `nodefit: nodefit-fn takes no argument "${args[0] === 'doc' ? 'x' : args[0]}": configure it with its functionConfig\n`,
      }))
  for (const args of [
    ['--help'],
    ['build', '--help'],
    ['inventory', '--help'],
    ['init', '--help'],
    ['completion', '--help'],
    ['sync', '--help'],
    ['replay', '--help'],
    ['takeover', '--help'],
    ['convert', '--help'],
    ['vet', '--help'],
    ['explain', '--help'],
    ['report', '--help'],
  ]) {
    test(`${args.join(' ')} fits a screen`, () => {
      const { status, stdout } = nodefit(args)
      assert.is(status, 0)
      const lines = stdout.split('\n')
      assert.ok(lines.length <= 25, `${lines.length} lines`)
      for (const line of lines) assert.ok(line.length <= 80, line)
    })
  }
  test('--version is the version of the package', () => {
    const { version } = parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    for (const option of ['--version', '-v']) {
      assert.is(nodefit([option]).stdout, `${version}\n`)
      assert.is(run(process.execPath, [FUNCTION, option]).stdout, `${version}\n`)
    }
  })
})
