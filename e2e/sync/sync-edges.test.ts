/** `nodefit sync` at its edges, against a real API server: files that are too large, rights that are missing, silent peers. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, filesOf, ROOT, run } from '../support/hosts.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { startSync } from '../support/sync-process.ts'
import { OWNED, syncWorld } from '../support/sync-world.ts'

/** As the Deployment sets it. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=4' }

const isHere = [...CONTROL_PLANE, 'git'].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined
const [port] = await freePorts(1)

suite('nodefit sync at its edges', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { api, repository, at, args, configure, add, pushAgents, get, events } = syncWorld(cluster, port)

  test('a fleet and its agents', async () => {
    configure()
    pushAgents()
    await add('node-1', 'm5.large')
    await add('node-2', 'm5.4xlarge')
  })
  test('files that need more memory than there is: each is named, the process goes on, and so does the inventory', async () => {
    const deployment = (name: string) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec:\n  replicas: 2\n  selector:\n    matchLabels: {app: x}\n  template:\n    metadata:\n      labels: {app: x}\n    spec:\n      containers:\n        - {name: c, image: 'c:1'}\n`
    const many = Array.from({ length: 20_000 }, (_, index) => deployment(`d${index}`))
    const heavy: Record<string, [text: string, why: RegExp]> = {
      'a list of 4 MB': [
        `apiVersion: v1\nkind: List\nitems:\n${many.map((text) => `  - ${text.trim().replaceAll('\n', '\n    ')}\n`).join('')}`,
        /TooLarge: agents\/heavy\.yaml and the files before it need about/,
      ],
      '12 MB of Deployments': [
        Array.from({ length: 3 }, (_, part) => many.join(`---\n#${part}\n`)).join('---\n'),
        /TooLarge: agents\/heavy\.yaml has 1\d\S* MiB, and a file may have 8 MiB/,
      ],
      'a string of 40 MB': [
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "${'y'.repeat(40e6)}"}\n`,
        /TooLarge: agents\/heavy\.yaml has 38\S* MiB/,
      ],
    }
    for (const [name, [text, why]] of Object.entries(heavy)) {
      repository.write('agents/heavy.yaml', text)
      repository.push(name)
      const dry = startSync([...args, '--once', '--dry-run'], { env: HEAP })
      assert.is(await dry.ended, 0, `${name}: ${dry.stderr()}`)
      const commit = dry.lines().find(({ message }) => message.startsWith('would commit'))
      assert.match(String(commit?.commitMessage), 'the render fails: TooLarge', name)
      assert.match(String(commit?.commitMessage), why, name)
      assert.match(String(commit?.written), `${OWNED}/inventory.yaml`, name)
    }
  })
  test('a loss of nodes: a guard holds and says so at once, then takes what the API server reports as deleted', async () => {
    repository.pull()
    repository.remove('agents/heavy.yaml')
    repository.push('without it')
    for (const name of ['node-3', 'node-4', 'node-5', 'node-6', 'node-7', 'node-8']) await add(name, 'm5.large')
    configure({ retainShapes: '0s', guards: { settle: '15s' } })
    const sync = startSync(args)
    await sync.said(({ message }) => message.startsWith('pushed'))
    assert.is((await get('/readyz')).status, 200)
    const gone = ['node-2', 'node-3', 'node-4', 'node-5', 'node-6', 'node-7']
    // at once, or what is gone after the first would be committed
    await Promise.all(gone.map((name) => api.delete(`/api/v1/nodes/${name}`)))
    await sync.said(({ message }) => message.startsWith('nothing is committed until'))
    const { status, text } = await get('/readyz')
    assert.is(status, 503)
    assert.match(text, /^a guard holds all commits: GuardTripped: /)
    assert.match((await get('/metrics')).text, /^nodefit_guard_holds 1$/m)
    await sync.said(({ message }) => message.startsWith('a guard held this commit, and it is accepted: GuardTripped: '))
    await eventually(async () => (await get('/readyz')).status === 200)
    const metrics = (await get('/metrics')).text
    assert.match(metrics, /^nodefit_guard_holds 0$/m)
    assert.match(metrics, /^nodefit_guard_settled_total 1$/m)
    await eventually(async () =>
      (await events()).some(({ reason, type }) => reason === 'GuardSettled' && type === 'Normal'),
    )
    repository.pull()
    assert.match(repository.messages()[0] ?? '', /^Nodefit-Allow: GuardTripped$/m)
    const replayed = run(process.execPath, [COMMAND, 'replay', 'HEAD', '--repository', repository.at('')])
    assert.is(replayed.status, 0, replayed.stdout + replayed.stderr)
    assert.is(await sync.stop(), 0)
  })
  test('a commit that nodefit sync ack words accepts what a guard holds', async () => {
    configure({ retainShapes: '0s', guards: { maxGroupsAdded: 1 }, reconcileInterval: '10s' })
    const sync = startSync(args)
    await sync.said(({ message }) => message.startsWith('no change'))
    await Promise.all(['flood-1', 'flood-2'].map((name) => add(name, `${name}.large`)))
    await sync.said(({ message }) =>
      message.startsWith('nothing is committed until a person resolves this: GroupsAdded'),
    )
    const ack = run(process.execPath, [COMMAND, 'sync', 'ack', '--cluster', 'prod', '--for', '1h'])
    assert.is(ack.status, 0, ack.stderr)
    assert.match(ack.stdout, /\n\nNodefit-Ack: prod \d{4}-\d\d-\d\dT\S+Z\n$/)
    repository.pull()
    const from = sync.lines().length
    repository.push(ack.stdout)
    await sync.said(({ message }) => message.startsWith('pushed'), from)
    assert.is(await sync.stop(), 0)
    for (const [option, words] of [
      ['', 'name the cluster'],
      ['--cluster=prod', 'must be between'],
    ] as const) {
      const { status, stderr } = run(process.execPath, [
        COMMAND,
        'sync',
        'ack',
        ...[option].filter(Boolean),
        '--for',
        '900h',
      ])
      assert.is(status, 2)
      assert.match(stderr, words)
    }
  })
  test('the page of first steps leads to a first commit, as printed', async () => {
    const page = readFileSync(join(ROOT, 'docs/deliver/first-sync.md'), 'utf8')
    const [, commands = ''] = /```sh\n([^`]+)```/.exec(page) ?? []
    const [, yaml = ''] = /```yaml\n([^`]+)```/.exec(page) ?? []
    assert.is(commands.trim().split('\n').length, 10)
    const folder = at('first')
    mkdirSync(join(folder, 'bin'), { recursive: true })
    mkdirSync(join(folder, '.kube'))
    copyFileSync(at('kubeconfig'), join(folder, '.kube/config'))
    cpSync(at('certs'), join(folder, '.kube/certs'), { recursive: true })
    writeFileSync(join(folder, 'bin/nodefit'), `#!/bin/sh\nexec ${process.execPath} ${COMMAND} "$@"\n`, { mode: 0o755 })
    writeFileSync(join(folder, 'sync.yaml'), yaml.replaceAll('/srv/', `${folder}/`))
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'logging' } })
    const daemonSet = parse(readFileSync(join(ROOT, 'testdata/quickstart/daemonset.yaml'), 'utf8'))
    await api.create({ ...daemonSet, metadata: { ...daemonSet.metadata, namespace: 'logging', annotations: {} } })
    const identity = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b'
    const script = `set -e\ncd ${folder}\nexport HOME=${folder} KUBECONFIG=${at('kubeconfig')} PATH=${folder}/bin:$PATH\n${identity}\n${commands}`
    const { status, stdout, stderr } = run('sh', ['-c', script])
    assert.is(status, 0, stdout + stderr)
    const files = filesOf(join(folder, 'fleet'))
    assert.ok('clusters/prod-eu/nodes/inventory.yaml' in files)
    assert.ok(Object.keys(files).some((name) => /rendered\/daemonset\.apps_logging_fluent-bit-/.test(name)))
    assert.equal(
      Object.keys(files).filter((name) => name.startsWith('apps/')),
      ['apps/agents/daemonset.yaml', 'apps/agents/policy.yaml', 'apps/agents/render-config.yaml'],
    )
  })
  test('without the right to list nodes the metrics say so from the start', async () => {
    const { kubectl } = cluster
    kubectl(['create', 'serviceaccount', 'nobody', '-n', 'default'])
    const token = kubectl(['create', 'token', 'nobody', '-n', 'default']).stdout.trim()
    const config = parse(readFileSync(at('kubeconfig'), 'utf8'))
    const file = at('nobody-kubeconfig')
    writeFileSync(
      file,
      stringify({ ...config, users: config.users.map((user: object) => ({ ...user, user: { token } })) }),
    )
    const sync = startSync(['--config', at('sync.yaml'), '--kubeconfig', file])
    await sync.said(({ message }) => message.startsWith('the watch ended: restarting it'))
    await eventually(async () =>
      /watch_restarts_total\{resource="nodes",reason="denied"\} [1-9]/.test((await get('/metrics')).text),
    )
    const { text } = await get('/metrics')
    for (const line of [
      'nodefit_ready 0',
      'nodefit_component_up{component="leader"} 0',
      'nodefit_component_up{component="watch-nodes"} 0',
    ])
      assert.ok(text.includes(`\n${line}\n`), line)
    assert.is(await sync.stop(), 0)
  })
  test('a restart of the API server: a node that joins then is in Git afterwards', async () => {
    configure({ quietWindow: '100ms', maxWindow: '500ms' })
    const sync = startSync(args)
    await sync.said(({ message }) => message.startsWith('no change'))
    await cluster.apiServer.kill()
    // as long as an upgrade takes, so that every wait has grown
    await pause(30_000)
    const from = sync.lines().length
    await cluster.apiServer.start()
    await add('late-1', 'late-1.large')
    await sync.said(({ message }) => message.startsWith('pushed'), from)
    assert.is(await sync.stop(), 0)
  })
  test('the servers are stopped', () => cluster.stop())
})
