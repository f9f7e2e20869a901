/** deploy/sync and the chart: the same objects, with the rights that are needed and no others, on a real API server. */

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { readSyncConfig } from '../../src/host/sync/config/read-config.ts'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { inFolder, ROOT, run } from '../support/hosts.ts'
import { asList, does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'
import {
  byName,
  CHART,
  COLLECTED,
  CONFIG,
  charted,
  kustomized,
  overlay,
  PACKAGE,
  SWITCHES,
} from '../support/sync-deploy.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined
const parts = COLLECTED.map((name) => `collect-${name}`)
const CASES: Array<[name: string, components: readonly string[], values: object]> = [
  ['the base', [], { config: CONFIG }],
  ...COLLECTED.map((name): [string, string[], object] => [
    name,
    [`collect-${name}`],
    { config: { ...CONFIG, collect: ['nodes', name] } },
  ]),
  ...Object.entries(SWITCHES).map(([component, value]): [string, string[], object] => [
    component,
    [component],
    { config: CONFIG, [value]: { enabled: true } },
  ]),
  ['kubescape', ['collect-kubescape'], { config: { ...CONFIG, collect: ['nodes', 'kubescape'] } }],
  ['the webhook', ['hook'], { config: { ...CONFIG, hook: {} } }],
  [
    'all of it',
    [...parts, ...Object.keys(SWITCHES), 'hook'],
    {
      config: { ...CONFIG, collect: ['nodes', ...COLLECTED], hook: {} },
      ...Object.fromEntries(Object.values(SWITCHES).map((value) => [value, { enabled: true }])),
    },
  ],
]

const built = (components: readonly string[]) =>
  inFolder((folder) => {
    cpSync(PACKAGE, join(folder, 'sync'), { recursive: true })
    mkdirSync(join(folder, 'overlay'))
    writeFileSync(join(folder, 'overlay/kustomization.yaml'), overlay(components))
    return kustomized(join(folder, 'overlay'))
  })
const only = (kind: string, objects: readonly Any[]): Any => {
  const found = objects.filter((object) => object.kind === kind)
  assert.is(found.length, 1, kind)
  return found[0]
}

suite('deploy/sync', (test) => {
  if (!has('kubectl')) return
  const base = kustomized(PACKAGE)
  const pod = only('Deployment', base).spec.template.spec
  const [container] = pod.containers
  test('has a configuration that the controller takes, and so has the overlay', () => {
    for (const objects of [base, kustomized(join(PACKAGE, 'overlays/prod-eu'))]) {
      const { value, findings } = readSyncConfig(only('ConfigMap', objects).data['sync.yaml'], 'sync.yaml')
      assert.equal(findings, [])
      const { name, namespace } = only('Deployment', objects).metadata
      assert.equal([value?.leaderElection.name, namespace], [name, 'nodefit'])
    }
  })
  test('mounts what the configuration names, each at a place of its own', () => {
    const { value } = readSyncConfig(only('ConfigMap', base).data['sync.yaml'], 'sync.yaml')
    const mounts = container.volumeMounts.map(({ mountPath }: Any) => mountPath)
    assert.equal(mounts, [
      '/etc/nodefit/config',
      value?.git.credentials,
      '/etc/nodefit/signing',
      value?.git.cache,
      '/tmp',
    ])
    // one within another could not be made in what is mounted to be read only
    for (const mount of mounts)
      assert.not(
        mounts.some((other: string) => other.startsWith(`${mount}/`)),
        mount,
      )
    assert.ok(container.command.at(-1).startsWith(`${mounts[0]}/`))
    // by a subPath a changed ConfigMap would never be seen
    assert.not(container.volumeMounts.some(({ subPath }: Any) => subPath !== undefined))
  })
  test('runs the command of the image as the user of the image', () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    assert.match(dockerfile, /^USER 65534:65534$/m)
    assert.match(dockerfile, / --link \/usr\/local\/bin\/nodefit=..\/lib\/nodefit\/nodefit.cjs /)
    // sync.cjs too, which the command loads from beside itself
    assert.match(dockerfile, /^COPY --from=build \/nodefit\/dist\/\*.cjs .* \/usr\/local\/lib\/nodefit\/$/m)
    for (const program of ['ca-certificates', 'git', 'openssh-client'])
      assert.ok(dockerfile.includes(` ${program} `), program)
    assert.equal(container.command.slice(0, 3), ['nodefit', 'sync', '--config'])
    assert.equal([pod.securityContext.runAsUser, pod.securityContext.fsGroup], [65534, 65534])
  })
  test('gives node flags that it takes from the environment', () => {
    const { value } = container.env.find(({ name }: Any) => name === 'NODE_OPTIONS')
    const args = ['-e', 'console.log(v8.getHeapStatistics().heap_size_limit >> 20)']
    const { status, stdout, stderr } = run('env', [`NODE_OPTIONS=${value}`, process.execPath, ...args])
    assert.is(status, 0, stderr)
    assert.ok(Number(stdout) < 128, stdout)
  })
  for (const name of readdirSync(join(PACKAGE, 'overlays')))
    test(`the overlay ${name} has the ports of its configuration, and is what the chart gives`, () => {
      const objects = kustomized(join(PACKAGE, 'overlays', name))
      const { value } = readSyncConfig(only('ConfigMap', objects).data['sync.yaml'], 'sync.yaml')
      const [{ ports }] = only('Deployment', objects).spec.template.spec.containers
      assert.equal(
        ports.map((port: Any) => [port.name, port.containerPort]),
        [['http', value?.health.port], ...(value?.hook === undefined ? [] : [['hook', value.hook.port]])],
      )
      if (!has('helm')) return
      const [{ spec }] = objectsOf(readFileSync(join(PACKAGE, 'overlays', name, 'sync.yaml'), 'utf8')) as Any[]
      const given = byName(charted({ config: spec, networkPolicy: { enabled: true } }))
      const built = byName(objects)
      const compared = ['NetworkPolicy', 'Service'].map((kind) => `${kind} nodefit-sync`)
      for (const key of compared) assert.equal(built[key], given[key], key)
      assert.equal(ports, given['Deployment nodefit-sync'].spec.template.spec.containers[0].ports)
    })
  for (const [name, components, values] of CASES)
    test(`is what the chart gives: ${name}`, () => {
      if (!has('helm')) return
      const expected = byName(built(components))
      const { collect, hook } = (values as Any).config
      const { spec } = expected['ConfigMap nodefit-sync'].data['sync.yaml']
      if (collect !== undefined) spec.collect = collect
      if (hook !== undefined) spec.hook = hook
      assert.equal(byName(charted(values)), expected)
    })
})

suite('the chart', (test) => {
  if (!has('helm')) return
  test('of another name and namespace has nothing of the usual ones', () => {
    const values = { config: { ...CONFIG, collect: ['pods'] }, networkPolicy: { enabled: true } }
    const objects = charted(values, { release: 'east', namespace: 'tools' })
    const text = JSON.stringify(
      objects.map(({ metadata, ...rest }) => [metadata.name, metadata.namespace ?? 'tools', rest]),
    )
    assert.not.match(
      text.replaceAll(/"app.kubernetes.io\/name":"nodefit-sync"|"nodefit-sync-(git|signing)"/g, ''),
      /nodefit-sync|"nodefit"(?!,"sync")/,
    )
    const lease = only('Role', objects).rules.find(({ resourceNames }: Any) => resourceNames !== undefined)
    const { value } = readSyncConfig(only('ConfigMap', objects).data['sync.yaml'], 'sync.yaml')
    assert.equal(lease.resourceNames, [value?.leaderElection.name])
    assert.is(value?.leaderElection.name, 'east')
  })
  test('takes what a cluster needs otherwise', () => {
    const values = {
      config: { ...CONFIG, leaderElection: { name: 'lease' } },
      image: { repository: 'mirror/nodefit', digest: 'sha256:abc' },
      imagePullSecrets: [{ name: 'pull' }],
      secrets: { git: 'mine' },
      replicas: 3,
      env: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
      heap: 256,
      tolerations: [{ operator: 'Exists' }],
    }
    const objects = charted(values)
    const { spec } = only('Deployment', objects)
    const [container] = spec.template.spec.containers
    assert.equal([spec.replicas, container.image], [3, 'mirror/nodefit@sha256:abc'])
    assert.equal(spec.template.spec.imagePullSecrets, [{ name: 'pull' }])
    assert.equal(spec.template.spec.tolerations, [{ operator: 'Exists' }])
    assert.match(container.env[0].value, '--max-old-space-size=256 ')
    assert.equal(container.env.at(-1), { name: 'HTTPS_PROXY', value: 'http://proxy:3128' })
    assert.is(spec.template.spec.volumes[1].secret.secretName, 'mine')
    assert.equal(only('Role', objects).rules[1].resourceNames, ['lease'])
  })
  for (const [name, values, words] of [
    ['no repository', {}, /missing propert.*'git'/],
    ['no cluster', { config: { git: CONFIG.git } }, /missing property 'cluster'/],
    ['a duration that is none', { config: { ...CONFIG, quietWindow: 'abc' } }, /quietWindow.*does not match pattern/],
    ['a duration of a day', { config: { ...CONFIG, maxAge: '1d' } }, /maxAge.*does not match pattern/],
    ['an empty URL', { config: { ...CONFIG, git: { ...CONFIG.git, url: '' } } }, /url.*(?:minLength|length)/i],
    [
      'two replicas and no election',
      { config: { ...CONFIG, leaderElection: { enabled: false } }, replicas: 2 },
      /replicas.*maximum/,
    ],
    [
      'a disruption budget and no election',
      { config: { ...CONFIG, leaderElection: { enabled: false } }, podDisruptionBudget: { enabled: true } },
      /podDisruptionBudget.*enabled/,
    ],
    ['a misspelt field', { config: { ...CONFIG, quitWindow: '1s' } }, "additional properties 'quitWindow' not allowed"],
    [
      'a misspelt value',
      { config: CONFIG, networkpolicy: { enabled: true } },
      "additional properties 'networkpolicy' not",
    ],
  ] as const)
    test(`is refused with ${name}`, () => {
      const { status, stderr } = run('helm', ['template', 'x', CHART, '--values', '-'], {
        input: JSON.stringify(values),
      })
      assert.is(status, 1)
      assert.match(stderr, words)
    })
  test('has the ports that the configuration names', () => {
    const config = {
      ...CONFIG,
      health: { address: '0.0.0.0:9090' },
      git: { ...CONFIG.git, url: 'ssh://git@git.example.com:7999/platform/fleet.git' },
    }
    const objects = charted({ config, networkPolicy: { enabled: true } })
    const [container] = only('Deployment', objects).spec.template.spec.containers
    assert.equal(container.ports, [{ name: 'http', containerPort: 9090, protocol: 'TCP' }])
    for (const probe of ['livenessProbe', 'readinessProbe']) assert.is(container[probe].httpGet.port, 'http')
    const { ingress, egress } = only('NetworkPolicy', objects).spec
    assert.is(ingress.length, 1)
    assert.equal(ingress[0].ports, [{ port: 'http', protocol: 'TCP' }])
    assert.ok(ingress[0].from.length > 0)
    assert.equal(
      egress[1].ports.map(({ port }: Any) => port),
      [443, 6443, 22, 7999],
    )
  })
  test('has the port, the Secret and the ingress of the webhook, where it is on', () => {
    const config = { ...CONFIG, hook: { address: ':9443', secret: '/etc/forge' } }
    const networkPolicy = { enabled: true, hookFrom: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }
    const objects = charted({ config, networkPolicy, secrets: { hook: 'forge' } })
    const { containers, volumes } = only('Deployment', objects).spec.template.spec
    assert.equal(containers[0].ports.at(-1), { name: 'hook', containerPort: 9443, protocol: 'TCP' })
    assert.equal(containers[0].volumeMounts.at(-1), { name: 'hook', mountPath: '/etc/forge', readOnly: true })
    assert.equal(volumes.at(-1), { name: 'hook', secret: { secretName: 'forge', optional: true, defaultMode: 288 } })
    const [, port] = only('Service', objects).spec.ports
    assert.equal(port, { name: 'hook', port: 8081, targetPort: 'hook', protocol: 'TCP' })
    assert.equal(only('NetworkPolicy', objects).spec.ingress[1], {
      from: networkPolicy.hookFrom,
      ports: [{ port: 'hook', protocol: 'TCP' }],
    })
    const { value } = readSyncConfig(only('ConfigMap', objects).data['sync.yaml'], 'sync.yaml')
    assert.equal(value?.hook, { port: 9443, secret: '/etc/forge' })
  })
  test('has no faults that helm lint knows', () => {
    const { status, stdout } = run('helm', ['lint', '--strict', CHART, '--values', '-'], {
      input: JSON.stringify({ config: CONFIG }),
    })
    assert.is(status, 0, stdout)
  })
  test('is of the version of the package', () => {
    const { version, appVersion } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
    const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
    assert.equal([version, appVersion], [own, own])
  })
})

suite('deploy/sync as a kpt package', (test) => {
  if (!has('kpt')) return
  test('is rendered as it stands, without what is left out of it', () =>
    inFolder((folder) => {
      cpSync(PACKAGE, join(folder, 'sync'), { recursive: true })
      const { status, stdout, stderr } = run('kpt', ['fn', 'source', join(folder, 'sync')])
      assert.is(status, 0, stderr)
      const { items } = parse(stdout)
      const applied = items.filter(
        ({ metadata }: Any) => metadata.annotations?.['config.kubernetes.io/local-config'] !== 'true',
      )
      const names = (objects: readonly Any[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
      assert.equal(names(applied), names(kustomized(PACKAGE)))
    }))
})

const monitoring = (kind: string) => {
  const singular = kind.toLowerCase()
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }
}
const MONITORS = ['ServiceMonitor', 'PrometheusRule'].map(monitoring)

/** What each name of `collect` may do, and nothing else; `nodes` is what the base has. */
const RIGHTS: Record<string, string[]> = {
  nodes: ['namespaces kube-system [get]', 'nodes [list watch]'],
  pods: ['pods [list watch]'],
  usage: ['daemonsets.apps [list watch]', 'pods [list watch]', 'pods.metrics.k8s.io [list]'],
  events: ['daemonsets.apps [list watch]', 'events [list watch]'],
  tickets: ['tickets.core.korder.dev [list watch]'],
  pending: ['pods [list watch]'],
  claims: ['nodesmithclaims.kubenodesmith.parawell.cloud [list watch]'],
  pools: ['nodesmithpools.kubenodesmith.parawell.cloud [list watch]'],
  machines: ['machinedeployments.cluster.x-k8s.io [list watch]', 'machines.cluster.x-k8s.io [list watch]'],
  workloads: ['daemonsets.apps [list watch]', 'pods [list watch]', 'pods.metrics.k8s.io [list]'],
  capacity: ['nodes.metrics.k8s.io [list]'],
  actions: ['poddisruptionbudgets.policy [list]', 'pods [get list]'],
}
const OWN_NAMESPACE = [
  'events.events.k8s.io [create patch]',
  'leases.coordination.k8s.io [create]',
  'leases.coordination.k8s.io nodefit-sync [get update]',
]

suite('deploy/sync in a cluster', (test) => {
  if (cluster === undefined) return
  const { kubectl, stop } = cluster
  const user = 'system:serviceaccount:nodefit:nodefit-sync'
  const apply = (objects: readonly Any[]) =>
    does(kubectl(['apply', '--server-side', '--validate=strict', '-f', '-'], asList(objects)))
  /** What the rules of a user are in a namespace, without what everybody may. */
  const rights = (namespace: string) => {
    const asked = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } }
    // kubectl would look up what it sends, as a user who may not
    const flags = ['-o', 'json', '--validate=false', `--as=${user}`, '--as-group=system:authenticated']
    const answer = kubectl(['create', '-f', '-', ...flags], JSON.stringify(asked))
    const { resourceRules } = JSON.parse(does(answer)).status
    return (resourceRules as Any[])
      .filter(({ apiGroups }) => !['authorization.k8s.io', 'authentication.k8s.io'].includes(apiGroups[0]))
      .flatMap(({ apiGroups: [group], resources, resourceNames = [], verbs }) =>
        resources.map((resource: string) =>
          [[resource, group].filter((part) => part !== '').join('.'), ...resourceNames, `[${verbs.join(' ')}]`].join(
            ' ',
          ),
        ),
      )
      .sort()
  }
  const may = (...args: string[]) => kubectl(['auth', 'can-i', ...args, `--as=${user}`]).stdout.trim()
  test('everything is accepted as it stands, and a second time changes nothing', () => {
    for (const name of ['nodefit', 'nodefit-actions']) does(kubectl(['create', 'namespace', name]))
    does(kubectl(['apply', '-k', PACKAGE, '--validate=strict']))
    assert.not.match(does(kubectl(['apply', '-k', PACKAGE, '--validate=strict'])), /created|configured/)
  })
  test('the base reads nodes, holds its Lease, writes Events in its namespace, and nothing else', () => {
    assert.equal(rights('default'), RIGHTS.nodes)
    assert.equal(rights('nodefit'), [...OWN_NAMESPACE, ...(RIGHTS.nodes ?? [])].sort())
  })
  for (const [what, args, answer] of [
    ['nodes', ['watch', 'nodes'], 'yes'],
    ['its Lease', ['update', 'leases/nodefit-sync', '-n', 'nodefit'], 'yes'],
    ['another Lease', ['update', 'leases/other', '-n', 'nodefit'], 'no'],
    ['the Leases of nodes', ['list', 'leases', '-n', 'kube-node-lease'], 'no'],
    ['a Lease elsewhere', ['create', 'leases', '-n', 'default'], 'no'],
    ['a changed node', ['patch', 'nodes'], 'no'],
    ['the uid of the cluster', ['get', 'namespaces/kube-system'], 'yes'],
    ['another Namespace', ['get', 'namespaces/default'], 'no'],
    ['a list of Namespaces', ['list', 'namespaces'], 'no'],
    ['pods', ['list', 'pods', '-A'], 'no'],
    ['Secrets', ['get', 'secrets', '-n', 'nodefit'], 'no'],
    ['its own configuration', ['update', 'configmaps/nodefit-sync', '-n', 'nodefit'], 'no'],
    ['an eviction', ['create', 'pods/eviction', '-n', 'default'], 'no'],
  ] as const)
    test(`it may${answer === 'no' ? ' not' : ''}: ${what}`, () => assert.is(may(...args), answer))
  for (const name of COLLECTED)
    test(`collect-${name} adds its own rights`, () => {
      const added = built([`collect-${name}`]).filter(({ metadata }) => metadata.name === `nodefit-sync-${name}`)
      // what is in one namespace alone has a Role and its binding besides
      assert.is(added.length, ['actions', 'usage'].includes(name) ? 4 : 2)
      apply(added)
      assert.equal(rights('default'), [...(RIGHTS.nodes ?? []), ...(RIGHTS[name] ?? [])].sort())
      if (name === 'usage')
        assert.equal(
          rights('nodefit').filter((right) => right.startsWith('configmaps')),
          ['configmaps [create]', 'configmaps nodefit-sync-usage [get update]'],
        )
      if (name === 'actions') assert.ok(rights('nodefit-actions').includes('jobs.batch [list watch]'))
      does(kubectl(['delete', '-f', '-'], asList(added)))
    })
  test('every component is accepted too, and what helm makes of it', async () => {
    apply(MONITORS)
    await established(kubectl)
    const all = CASES.at(-1)
    const [, components = [], values = {}] = all ?? []
    apply(built(components))
    if (has('helm')) apply(charted(values))
    apply(kustomized(join(PACKAGE, 'overlays/prod-eu')))
  })
  test('a namespace of the strictest level takes its pod', () => {
    const label = 'pod-security.kubernetes.io/enforce=restricted'
    does(kubectl(['label', 'namespace', 'nodefit', '--overwrite', label]))
    const { metadata, spec } = only('Deployment', kustomized(PACKAGE)).spec.template
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'tried', namespace: 'nodefit' }, spec }
    does(kubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(pod)))
    spec.containers[0].securityContext.capabilities = {}
    const { status, stderr } = kubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(pod))
    assert.is(status, 1)
    assert.match(stderr, 'violates PodSecurity')
  })
  test('the cluster is stopped', stop)
})
