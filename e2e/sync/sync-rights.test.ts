/** nodefit sync with the rights, the configuration and the variables that deploy/sync gives it, and no others. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { Api } from '../support/fleets/api.ts'
import { nodeNamed } from '../support/fleets/nodes.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { asList, does } from '../support/objects.ts'
import { has, PATH } from '../support/program.ts'
import { Repository } from '../support/repository.ts'
import { byName, COLLECTED, kustomized, ownKubeconfig, PACKAGE } from '../support/sync-deploy.ts'
import { type Line, startSync } from '../support/sync-process.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const PAGE = readFileSync(join(ROOT, 'docs/sync.md'), 'utf8')
const POD = 'nodefit-sync-7d9c-x2x4'
const isHere = [...CONTROL_PLANE, 'git'].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined

suite('nodefit sync as it is deployed', (test) => {
  if (cluster === undefined) return
  const { folder, kubectl, stop } = cluster
  const at = (name: string) => join(folder, name)
  const api = new Api(folder)
  const repository = new Repository(folder)
  const objects = byName(kustomized(PACKAGE))
  const [container] = objects['Deployment nodefit-sync'].spec.template.spec.containers
  const add = async (name: string, type: string) => {
    const node = nodeNamed(name, { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': type })
    await api.create(node)
    await api.status(node, node.status)
  }
  /** The configuration of the ConfigMap, with what a test has elsewhere. */
  const configure = (spec: Any = {}) => {
    const config = objects['ConfigMap nodefit-sync'].data['sync.yaml']
    const git = { ...config.spec.git, url: repository.url, cache: at('cache'), credentials: at('none') }
    const more = { quietWindow: '1s', minPushInterval: '10s', health: { address: '127.0.0.1:0' }, ...spec }
    writeFileSync(at('sync.yaml'), stringify({ ...config, spec: { ...config.spec, ...more, git } }))
  }
  /** With a token of its ServiceAccount, and the variables of its pod. */
  const start = (...more: string[]) => {
    const env = container.env.map(({ name, value }: Any) => [
      name,
      value ?? { POD_NAMESPACE: 'nodefit' }[name as 'POD_NAMESPACE'],
    ])
    return startSync(['--config', at('sync.yaml'), '--kubeconfig', at('own-kubeconfig'), ...more], {
      env: { ...Object.fromEntries(env), HOSTNAME: POD },
    })
  }
  const forbidden = (lines: readonly Line[]) => lines.filter((line) => /forbidden/.test(JSON.stringify(line)))

  test('is applied, and has a token', async () => {
    repository.push('nothing yet')
    mkdirSync(at('none'))
    does(kubectl(['create', 'namespace', 'nodefit']))
    does(kubectl(['apply', '-k', PACKAGE]))
    ownKubeconfig(cluster)
    await add('node-1', 'm5.large')
    configure()
  })
  test('would push what the page’s command says, and the command ends well', () => {
    const [command = ''] = /^nodefit sync .*$/m.exec(PAGE) ?? []
    assert.ok(command.includes('--once --dry-run'))
    mkdirSync(at('bin'))
    symlinkSync(COMMAND, at('bin/nodefit'))
    mkdirSync(at('home/.kube'), { recursive: true })
    symlinkSync(at('kubeconfig'), at('home/.kube/config'))
    const script = `cd ${folder} && export HOME=${at('home')} PATH=${at('bin')}:${PATH} && ${command}`
    const { status, stdout, stderr } = run('sh', ['-c', script])
    assert.is(status, 0, stdout + stderr)
    assert.match(stdout, /"message":"would commit/)
  })
  test('lists, leads, pushes and reports with the rights of the base', async () => {
    const sync = start()
    await sync.said(({ message }) => message.startsWith('pushed'))
    const [command = ''] = /^kubectl get lease .*$/m.exec(PAGE) ?? []
    const lease = does(kubectl([...command.split(' ').slice(1), '-o', 'jsonpath={.spec.holderIdentity}']))
    assert.match(lease, new RegExp(`^${POD}-\\d+$`))
    repository.pull()
    repository.write('clusters/prod-eu/nodes/foreign.yaml', 'a: 1\n')
    repository.push('what does not belong there')
    const then = sync.lines().length
    await add('node-3', 'r5.large')
    await sync.said(({ message }) => message.startsWith('nothing is committed until'), then)
    assert.is(await sync.stop(), 0)
    const events = does(kubectl(['get', 'events', '-n', 'nodefit', '-o', 'jsonpath={.items[*].reason}']))
    assert.match(events, 'GuardStopped')
    assert.equal(forbidden(sync.lines()), [])
    repository.remove('clusters/prod-eu/nodes/foreign.yaml')
    repository.push('gone again')
  })
  test('without the right for what it is to collect it says so, and goes on when the right is there', async () => {
    configure({ collect: ['pods'] })
    const sync = start()
    const line = await sync.said(
      ({ message, ...rest }) => message === 'the watch ended: restarting it' && /forbidden/.test(JSON.stringify(rest)),
    )
    assert.is(line.resource, 'pods')
    does(kubectl(['apply', '-f', join(PACKAGE, 'components/collect-pods/rbac.yaml')]))
    await sync.said(({ message }) => /^(pushed|no change)/.test(message))
    assert.is(await sync.stop(), 0)
  })
  test('collects all there is with the rights of the components', async () => {
    does(kubectl(['apply', '-f', join(ROOT, 'deploy/actions/actions.yaml')]))
    for (const name of COLLECTED) does(kubectl(['apply', '-f', join(PACKAGE, `components/collect-${name}/rbac.yaml`)]))
    const resources = [
      ['core.korder.dev', 'v1alpha1', 'Ticket'],
      ['kubenodesmith.parawell.cloud', 'v1alpha1', 'NodeSmithClaim'],
    ].map(([group = '', version, kind = '']) => definition(group, version, kind))
    does(kubectl(['apply', '-f', '-'], asList(resources)))
    await established(kubectl)
    configure({ collect: ['nodes', ...COLLECTED], inventory: { uid: true } })
    const sync = start('--once')
    assert.is(await sync.ended, 0, JSON.stringify(sync.lines()))
    assert.equal(forbidden(sync.lines()), [])
  })
  test('the cluster is stopped', stop)
})

function definition(group: string, version: string | undefined, kind: string): Any {
  const plural = `${kind.toLowerCase()}s`
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  }
}
