/** Signed actions with nodefit sync on a real API server: what is pushed is verified, applied, told of and given back. */
import { createHmac } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { timeText } from '../../src/kube/index.ts'
import { actionPolicy, IMAGE, OWN_IMAGE } from '../../test/support/action-package.ts'
import { KEYRING, signedAction } from '../../test/support/actions.ts'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { conditionText, eventually } from '../support/eventually.ts'
import { filesOf, ROOT } from '../support/hosts.ts'
import { asList, does, objectsOf } from '../support/objects.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { type SyncProcess, startSync } from '../support/sync-process.ts'
import { OUTPUT, OWNED, syncWorld } from '../support/sync-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const SECRET = 'a-secret-that-the-forge-has'
const isHere = [...CONTROL_PLANE, 'git'].map(has).every((found) => found)
const cluster = isHere ? await startCluster({ controllers: ['disruption-controller'] }) : undefined
const [port, hookPort] = await freePorts(2)

suite('signed actions with nodefit sync', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { kubectl, stop } = cluster
  const { repository, configure, add, at, get } = syncWorld(cluster, port)
  const create = (...objects: Any[]) => does(kubectl(['create', '-f', '-'], asList(objects)))
  const live = (name: string): Any => JSON.parse(does(kubectl(['get', 'node', name, '-o', 'json'])))
  const isCordoned = (name: string) => live(name).spec.unschedulable === true
  const trust = (...ids: string[]) => {
    const keys = ids.map((keyId) => ({ keyId, alg: 'HMAC-SHA256', secretFile: `${keyId}.key` }))
    const images = [IMAGE, OWN_IMAGE].map((image) => image.slice(image.indexOf('sha256:')))
    const spec = { cluster: 'prod-eu1', keys, images }
    writeFileSync(at('keys/trust.yaml'), stringify({ apiVersion: 'nodefit.dev/v1alpha1', kind: 'ActionTrust', spec }))
  }
  let number = 0
  /** Pushes an action that is valid for so many seconds; gives its id. */
  const push = (type: string, spec: Any, seconds = 3600, key = 'k1'): string => {
    const id = `act-${++number}`
    const [issuedAt, expiresAt] = [Date.now(), Date.now() + seconds * 1000].map((time) => timeText(time))
    const action = signedAction({ ...spec, id, type, sequence: number, issuedAt, expiresAt }, key)
    repository.pull()
    repository.write(`agents/${id}.yaml`, stringify(action))
    repository.push(`${id}: ${type}`)
    return id
  }
  const node = (name: string) => ({ target: { kind: 'Node', name } })
  const outcomes = (): Any[] => {
    repository.pull()
    const text = filesOf(repository.at(OWNED))['workload.yaml']
    return text === undefined ? [] : (parse(text).spec.outcomes ?? [])
  }
  const stateOf = (id: string) => outcomes().find(({ action }) => action === id)?.state
  const created = new Map<string, number>()
  /** Applies what is rendered as a tool does: on the server, with pruning of what is gone but for nodes. */
  const follow = () => {
    repository.pull()
    const objects: Any[] = Object.entries(filesOf(repository.at(OUTPUT))).flatMap(([name, text]) =>
      name === 'kustomization.yaml' ? [] : objectsOf(text),
    )
    if (objects.length === 0) return
    const names = (kind: string, list: Any[]) =>
      list.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name)
    const before = does(kubectl(['get', 'jobs', '-n', 'nodefit-actions', '-o', 'jsonpath={.items[*].metadata.name}']))
    const [wanted, had] = [names('Job', objects), before.split(' ').filter((name) => name !== '')]
    for (const name of wanted) if (!had.includes(name)) created.set(name, (created.get(name) ?? 0) + 1)
    does(kubectl(['apply', '--server-side', '--force-conflicts', '--field-manager=tool', '-f', '-'], asList(objects)))
    for (const name of had) if (!wanted.includes(name)) does(kubectl(['delete', 'job', name, '-n', 'nodefit-actions']))
  }
  const seen = (isSo: () => boolean | Promise<boolean>, seconds = 180) =>
    eventually(
      () => {
        follow()
        return isSo()
      },
      seconds,
      conditionText(isSo),
    )
  const start = () => startSync(['--config', at('sync.yaml'), '--kubeconfig', at('own-kubeconfig')])
  const announce = async () => {
    const body = JSON.stringify({ ref: 'refs/heads/main', before: '0', after: repository.revisions()[0], commits: [] })
    const hex = createHmac('sha256', SECRET).update(body).digest('hex')
    const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${hex}` }
    return (await fetch(`http://127.0.0.1:${hookPort}/hook`, { method: 'POST', body, headers })).status
  }
  let sync: SyncProcess

  test('a controller with the rights of its components, and a trust in a folder', async () => {
    for (const folder of ['keys', 'hook']) mkdirSync(at(folder))
    writeFileSync(at('hook/token'), SECRET)
    for (const [id, { key }] of Object.entries(KEYRING)) writeFileSync(at(`keys/${id}.key`), key)
    trust('k1', 'k2')
    for (const name of ['node-1', 'node-2', 'node-3']) await add(name, 'm5.large')
    create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nodefit' } })
    const files = ['deploy/actions/actions.yaml', 'deploy/sync/base/serviceaccount.yaml', 'deploy/sync/base/rbac.yaml']
    for (const file of [...files, 'deploy/sync/components/collect-actions/rbac.yaml'])
      does(kubectl(['apply', '-f', join(ROOT, file)]))
    const token = does(kubectl(['create', 'token', 'nodefit-sync', '-n', 'nodefit'])).trim()
    const kubeconfig = parse(readFileSync(at('kubeconfig'), 'utf8'))
    kubeconfig.users[0].user = { token }
    writeFileSync(at('own-kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 })
    repository.write('agents/policy.yaml', stringify(actionPolicy()))
    repository.write('agents/accounts.yaml', readFileSync(join(ROOT, 'deploy/actions/actions.yaml'), 'utf8'))
    repository.push('the policy of actions')
    configure({
      ...{ cluster: 'prod-eu1', collect: ['nodes', 'actions'], inventory: { uid: true } },
      ...{ actions: { trust: at('keys/trust.yaml') }, leaderElection: { namespace: 'nodefit' } },
      hook: { address: `127.0.0.1:${hookPort}`, secret: at('hook') },
    })
    sync = start()
    await sync.said(({ message }) => message.startsWith('pushed'))
  })
  test('a cordon is applied and told of, and given back when it ends, which nobody pushes', async () => {
    const id = push('cordonNode', node('node-1'), 90)
    // all of it is to be told of before it ends
    await announce()
    await seen(() => isCordoned('node-1'))
    await seen(() => stateOf(id) === 'Applied')
    // the push comes first
    await seen(async () => /^nodefit_actions\{state="Applied"\} 1$/m.test((await get('/metrics')).text))
    await seen(() => !isCordoned('node-1'))
    await seen(() => stateOf(id) === 'Ended')
  })
  test('a webhook shortens the way from a push to a cordon', async () => {
    const times: Record<string, number> = {}
    for (const way of ['with', 'without']) {
      const name = way === 'with' ? 'node-2' : 'node-3'
      const from = performance.now()
      const id = push('cordonNode', node(name))
      if (way === 'with') assert.is(await announce(), 202)
      await seen(() => isCordoned(name))
      times[`${way} cordoned`] = (performance.now() - from) / 1000
      await seen(() => stateOf(id) === 'Applied')
      times[`${way} Applied in Git`] = (performance.now() - from) / 1000
    }
    process.stderr.write(`${JSON.stringify(times)}\n`)
  })
  test('a drain that a budget blocks says so, and when it has succeeded its Job goes and never comes back', async () => {
    const labels = { app: 'kept' }
    const spec = { replicas: 0, selector: { matchLabels: labels } }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } }
    create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'kept', namespace: 'default' },
      spec: { ...spec, template },
    })
    const uid = does(kubectl(['get', 'replicaset', 'kept', '-o', 'jsonpath={.metadata.uid}']))
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'kept', uid, controller: true }
    create(
      {
        ...{
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'kept', namespace: 'default', labels, ownerReferences: [owner] },
        },
        spec: { nodeName: 'node-1', containers: [{ name: 'a', image: 'a' }] },
      },
      {
        ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'kept', namespace: 'default' } },
        spec: { maxUnavailable: 0, selector: { matchLabels: labels } },
      },
    )
    const id = push('drainNode', { ...node('node-1'), parameters: { timeoutSeconds: 60 } }, 3600, 'k2')
    await announce()
    await seen(() => stateOf(id) === 'Blocked')
    const { blocking } = outcomes().find(({ action }) => action === id)
    assert.equal(blocking, [{ pod: 'default/kept', by: 'PodDisruptionBudget default/kept allows 0' }])
    const [name = ''] = [...created.keys()]
    const status = {
      status: {
        ...{ succeeded: 1, startTime: timeText(Date.now()), completionTime: timeText(Date.now()) },
        conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' })),
      },
    }
    does(
      kubectl([
        'patch',
        'job',
        name,
        '-n',
        'nodefit-actions',
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify(status),
      ]),
    )
    await seen(() => stateOf(id) === 'Succeeded')
    await seen(() => does(kubectl(['get', 'jobs', '-n', 'nodefit-actions', '-o', 'name'])) === '')
    sync.stop('SIGKILL')
    await sync.ended
    sync = start()
    await sync.said(({ message }) => /^(pushed|no change)/.test(message))
    follow()
    assert.is(stateOf(id), 'Succeeded')
    assert.equal([...created.values()], [1])
    assert.ok(isCordoned('node-1'), 'until the action expires')
  })
  test('a key that is taken out of the trust changes nothing of what is applied, and is said', async () => {
    const from = sync.lines().length
    trust('k2')
    await sync.said(({ message }) => message.startsWith('the trust of actions changed'), from)
    await sync.said(({ message }) => /UnknownKey/.test(message), from)
    assert.ok(isCordoned('node-2'))
    trust('k1', 'k2')
    await sync.said(({ message }) => message.startsWith('the trust of actions changed'), sync.lines().length)
  })
  test('Events tell of it, no right was missing, and it may evict and patch nothing', async () => {
    const reasons = does(kubectl(['get', 'events', '-n', 'nodefit', '-o', 'jsonpath={.items[*].reason}'])).split(' ')
    for (const reason of ['ActionApplied', 'ActionBlocked', 'ActionSucceeded'])
      assert.ok(reasons.includes(reason), reason)
    assert.equal(
      sync.lines().filter((line) => /forbidden/.test(JSON.stringify(line))),
      [],
    )
    const may = (verb: string, resource: string, ...more: string[]) =>
      kubectl([
        '--as',
        'system:serviceaccount:nodefit:nodefit-sync',
        'auth',
        'can-i',
        verb,
        resource,
        ...more,
      ]).stdout.trim()
    assert.is(may('list', 'jobs.batch', '-n', 'nodefit-actions'), 'yes')
    assert.is(may('list', 'jobs.batch', '-n', 'default'), 'no')
    for (const resource of ['nodes', 'jobs.batch', 'pods']) assert.is(may('patch', resource, '-A'), 'no', resource)
    assert.is(may('create', 'pods/eviction', '-A'), 'no')
    assert.is(may('get', 'secrets', '-A'), 'no')
    assert.is(await sync.stop(), 0)
  })
  test('the cluster is stopped', stop)
})
