/** `nodefit scan` on a real API server: the same as from the files of kubectl, with the rights of its page, and with less. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { DAEMONSET } from '../support/agent-package.ts'
import { apiUser } from '../support/api-user.ts'
import { type Cluster, SCHEDULED, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND } from '../support/hosts.ts'
import { nodeOf } from '../support/node-objects.ts'
import { asList, does } from '../support/objects.ts'
import { has } from '../support/program.ts'

const cluster = SCHEDULED.every(has) ? await startCluster({ scheduler: true }) : undefined
const NODES = [nodeOf('large', 'm5.large'), nodeOf('huge', 'm5.8xlarge')]
const LEFT_OUT = 'nodefit: usage is left out, the metrics API does not serve it: '

/** Runs it beside this process, without a kubeconfig of the machine. */
const nodefit = (...args: string[]) =>
  new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env.PATH, HOME: cluster?.folder }
    execFile(process.execPath, [COMMAND, ...args], { env, cwd: cluster?.folder }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code ?? 255), stdout, stderr }),
    )
  })

const scan = (...args: string[]) => nodefit('scan', ...args)

if (cluster !== undefined) tests(cluster)

function tests(cluster: Cluster): void {
  const { folder, kubectl } = cluster
  const kubeconfig = join(folder, 'kubeconfig')
  suite('nodefit scan of a cluster', (test) => {
    const register = ({ status, ...node }: (typeof NODES)[number]) => {
      does(kubectl(['create', '-f', '-'], JSON.stringify(node)))
      const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]
      does(kubectl(['patch', 'node', node.metadata.name, ...patch]))
    }
    test('there are two nodes, and two DaemonSets with their pods', async () => {
      for (const node of NODES) register(node)
      does(kubectl(['create', 'namespace', 'ops']))
      const { spec } = DAEMONSET
      const onHuge = { ...spec.template.spec, nodeSelector: { 'kubernetes.io/hostname': 'huge' } }
      const second = { ...DAEMONSET, metadata: { name: 'second', namespace: 'ops' } }
      const one = { ...second, spec: { ...spec, template: { ...spec.template, spec: onHuge } } }
      does(kubectl(['create', '-f', '-'], asList([DAEMONSET, one])))
      await eventually(() => {
        const { items } = JSON.parse(does(kubectl(['get', 'pods', '-A', '-o', 'json'])))
        return items.filter(({ spec }: { spec: { nodeName?: string } }) => spec.nodeName !== undefined).length === 3
      })
    })
    test('is the same as of the files that kubectl writes', async () => {
      const files = ['nodes', 'daemonsets', 'pods'].map((kind) => {
        const file = join(folder, `${kind}.json`)
        writeFileSync(file, does(kubectl(['get', kind, '-A', '-o', 'json'])))
        return file
      })
      const live = await scan('--kubeconfig', kubeconfig)
      assert.is(live.status, 0, live.stderr)
      assert.match(live.stdout, /^ops\/agent +2 +100m +200Mi +5\.0 % .* uneven\nops\/second +1 /m)
      assert.is(live.stdout, (await scan(...files)).stdout)
      assert.ok(live.stderr.startsWith(LEFT_OUT), live.stderr)
      assert.match(live.stdout, /^uneven: ops\/agent: .*; nodefit init: nothing to gain without usage/m)
      assert.not.match(live.stderr, 'next:')
    })
    test('inventory and init read nodes and DaemonSets as from the files that kubectl writes', async () => {
      const at = (name: string) => join(folder, name)
      writeFileSync(at('agent.json'), does(kubectl(['-n', 'ops', 'get', 'ds', 'agent', '-o', 'json'])))
      const live = await nodefit('inventory', '--kubeconfig', kubeconfig, '--cluster', 'prod')
      assert.is(live.status, 0, live.stderr)
      const uid = does(kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']))
      const timeless = (text: string) => text.replace(/ *observedAt: .*\n/, '')
      assert.is(
        timeless(live.stdout),
        timeless((await nodefit('inventory', at('nodes.json'), '--cluster', 'prod', '--cluster-uid', uid)).stdout),
      )
      const files = await nodefit(
        'init',
        'by-files',
        '--nodes',
        at('nodes.json'),
        '--daemonset',
        at('agent.json'),
        '--anyway',
      )
      assert.is(files.status, 0, files.stderr)
      const read = await nodefit(
        'init',
        'by-cluster',
        '--kubeconfig',
        kubeconfig,
        '--daemonset',
        'ops/agent',
        '--anyway',
      )
      assert.is(read.status, 0, read.stderr)
      const textsIn = (name: string) =>
        readdirSync(at(name)).map((file) => [file, timeless(readFileSync(join(at(name), file), 'utf8'))])
      const withoutUid = textsIn('by-cluster').map(([file = '', text = '']) => [
        file,
        text.replace(/ *(clusterUid|nodefit.dev\/cluster-uid): .*\n/g, ''),
      ])
      assert.equal(withoutUid, textsIn('by-files'))
      for (const [args, sentence] of [
        [['--daemonset', 'ops/none'], 'daemonsets.apps "none" not found'],
        [['--daemonset', 'agent'], '--daemonset takes NAMESPACE/NAME where a cluster is read, not agent'],
        [['--nodes', at('nodes.json'), '--daemonset', 'ops/agent'], 'not both'],
        [[], 'give --nodes FILE, and --daemonset FILE'],
      ] as const) {
        const { status, stderr } = await nodefit('init', 'refused', '--kubeconfig', kubeconfig, ...args)
        assert.is(status, 1)
        assert.match(stderr, sentence)
      }
      assert.match(
        (await nodefit('inventory', at('nodes.json'), '--cluster', 'prod', '--context', 'x')).stderr,
        'not both',
      )
      assert.not(existsSync(at('refused')))
    })
    test('needs to list nodes, DaemonSets and pods, and does without pods', async () => {
      const user = apiUser(cluster, 'scanner')
      const port = Number(/127\.0\.0\.1:(\d+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1])
      const own = user.kubeconfig(port)
      user.allow('scan-nodes', 'list', 'nodes')
      const refused = await scan('--kubeconfig', own)
      assert.is(refused.status, 1)
      assert.is(refused.stdout, '')
      assert.match(refused.stderr, 'the cluster cannot be read: daemonsets.apps is forbidden')
      user.allow('scan-daemonsets', 'list', 'daemonsets.apps')
      const without = await scan('--kubeconfig', own)
      assert.is(without.status, 0, without.stderr)
      assert.match(without.stderr, 'nodefit: pods are left out: pods is forbidden')
      assert.match(without.stderr, 'without pods each DaemonSet counts as running wherever it may start')
      user.allow('scan-pods', 'list', 'pods')
      const all = await scan('--kubeconfig', own, '--output', 'json')
      assert.is(all.stdout, (await scan('--kubeconfig', kubeconfig, '--output', 'json')).stdout)
    })
    test('of one namespace needs rights in it alone, beside nodes', async () => {
      const user = apiUser(cluster, 'of-ops')
      const port = Number(/127\.0\.0\.1:(\d+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1])
      user.allow('ops-nodes', 'list', 'nodes')
      const role = ['--verb=list', '--resource=daemonsets.apps,pods']
      does(kubectl(['-n', 'ops', 'create', 'role', 'scan', ...role]))
      does(kubectl(['-n', 'ops', 'create', 'rolebinding', 'scan', '--role=scan', '--serviceaccount=default:of-ops']))
      const own = ['--kubeconfig', user.kubeconfig(port)]
      assert.match((await scan(...own)).stderr, 'daemonsets.apps is forbidden')
      const { status, stdout, stderr } = await scan(...own, '--namespace', 'ops')
      assert.is(status, 0, stderr)
      assert.is(stdout, (await scan('--kubeconfig', kubeconfig, '--namespace', 'ops')).stdout)
      assert.match(stdout, 'ops/agent')
    })
    test('what is no cluster is said in a sentence', async () => {
      for (const [args, sentence] of [
        [['--kubeconfig', 'nowhere'], 'there is no kubeconfig nowhere'],
        [['--kubeconfig', kubeconfig, '--context', 'other'], 'has no cluster for the context "other"'],
        [
          ['--kubeconfig', kubeconfig, 'nodes.json'],
          'give files, or --context and --kubeconfig of a cluster, not both',
        ],
        [[], `there is no ${join(folder, '.kube/config')}: give --kubeconfig FILE`],
      ] as const) {
        const { status, stdout, stderr } = await scan(...args)
        assert.is(status, 1, sentence)
        assert.is(stdout, '')
        assert.match(stderr, sentence)
      }
    })
    test('names the command that writes the first package, which nodefit build renders', async () => {
      for (const name of ['large-2', 'large-3']) register(nodeOf(name, 'm5.large'))
      const { stderr } = await scan('--kubeconfig', kubeconfig)
      const [, line = ''] = /^nodefit: next: nodefit (.*), which writes/m.exec(stderr) ?? []
      const context = does(kubectl(['config', 'current-context'])).trim()
      assert.is(line, `init agent --kubeconfig ${kubeconfig} --context ${context} --daemonset ops/agent`, stderr)
      const init = await nodefit(...line.split(' '))
      assert.is(init.status, 0, init.stderr)
      const built = await nodefit('build', 'agent')
      assert.is(built.status, 0, built.stderr)
      assert.match(built.stdout, 'name: agent-m5-8xlarge')
    })
    test('the cluster ends', () => cluster.stop())
  })
}
