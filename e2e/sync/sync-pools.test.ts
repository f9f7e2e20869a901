/**
 * A node pool with nodefit sync on a real API server and scheduler: a pod that waits has a claim committed, its machine joins and
 * the pod runs, nothing more is opened; idle, the node is marked, its claim goes, and its name is not used again. What applies
 * Git and makes machines of claims is played.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { timeText } from '../../src/kube/index.ts'
import { managerRole, POOL_LABEL, poolObjects, provider } from '../../test/support/pools.ts'
import { suite } from '../../test/support/suite.ts'
import { SCHEDULED, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { conditionText, eventually } from '../support/eventually.ts'
import { filesOf, ROOT } from '../support/hosts.ts'
import { KUBENODESMITH_CRDS } from '../support/kubenodesmith-crd.ts'
import { nodeOf } from '../support/node-objects.ts'
import { asList, does, objectsOf } from '../support/objects.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { startSync } from '../support/sync-process.ts'
import { OUTPUT, syncWorld } from '../support/sync-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const NAMESPACE = 'kubenodesmith'
/** What is applied besides claims stays, and is never pruned. */
const CLAIM = 'NodeSmithClaim'
const SECONDS = 180
/** Longer than a controller takes to see, decide and push. */
const QUIET_MILLISECONDS = 25_000

const isHere = [...SCHEDULED, 'git'].map(has).every((found) => found)
const cluster = isHere ? await startCluster({ scheduler: true }) : undefined
const [port] = await freePorts(1)

suite('a node pool with nodefit sync', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { kubectl, stop } = cluster
  const { api, repository, configure, add, at } = syncWorld(cluster, port)
  const list = (kind: string, ...more: string[]): Any[] =>
    JSON.parse(does(kubectl(['get', kind, '-o', 'json', ...more]))).items
  const claims = () => list('nodesmithclaims', '-n', NAMESPACE).map(({ metadata }) => metadata.name)
  const node = (name: string): Any => list('nodes').find(({ metadata }) => metadata.name === name)
  const pod = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeSelector: { [POOL_LABEL]: 'small' },
      containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '2', memory: '2Gi' } } }],
    },
  })
  const nodeOfPod = (name: string) => list('pods').find(({ metadata }) => metadata.name === name)?.spec.nodeName
  const rendered = (): Any[] => {
    repository.pull()
    return Object.entries(filesOf(repository.at(OUTPUT))).flatMap(([name, text]) =>
      name === 'kustomization.yaml' ? [] : objectsOf(text),
    )
  }
  /** Applies Git as a tool does, document by document, and removes the claims that are gone from it. */
  const follow = () => {
    const objects = rendered()
    if (objects.length === 0) return
    const documents = objects.map((one) => JSON.stringify(one)).join('\n')
    does(kubectl(['apply', '--server-side', '--force-conflicts', '--field-manager=tool', '-f', '-'], documents))
    const wanted = objects.filter(({ kind }) => kind === CLAIM).map(({ metadata }) => metadata.name)
    for (const name of claims().filter((one) => !wanted.includes(one)))
      does(kubectl(['delete', 'nodesmithclaim', name, '-n', NAMESPACE]))
  }
  /** Makes a node of each claim, and removes those whose claim is gone, as KubeNodeSmith does. */
  const makeMachines = async () => {
    const [wanted, nodes] = [claims(), list('nodes').map(({ metadata }) => metadata.name)]
    for (const name of wanted.filter((one) => !nodes.includes(one))) {
      const made = nodeOf(name, 'vm.xlarge')
      made.metadata.labels[POOL_LABEL] = 'small'
      await api.create(made)
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: timeText(Date.now()) }]
      await api.status(made, { ...made.status, conditions })
    }
    for (const name of nodes.filter((one) => one.startsWith('small-') && !wanted.includes(one)))
      does(kubectl(['delete', 'node', name]))
  }
  const seen = (isSo: () => boolean | Promise<boolean>) =>
    eventually(
      async () => {
        follow()
        await pause(500)
        return isSo()
      },
      SECONDS,
      conditionText(isSo),
    )
  let sync: ReturnType<typeof startSync> | undefined

  test('a controller with the rights of its components, and a pool in Git', async () => {
    does(kubectl(['create', '-f', '-'], asList(KUBENODESMITH_CRDS)))
    await established(kubectl)
    for (const name of ['nodefit', NAMESPACE]) does(kubectl(['create', 'namespace', name]))
    await add('server-1', 'm5.large')
    const files = [
      ...['serviceaccount', 'rbac'].map((name) => `deploy/sync/base/${name}.yaml`),
      ...['pending', 'claims', 'pools'].map((name) => `deploy/sync/components/collect-${name}/rbac.yaml`),
    ]
    for (const file of files) does(kubectl(['apply', '-f', join(ROOT, file)]))
    const token = does(kubectl(['create', 'token', 'nodefit-sync', '-n', 'nodefit'])).trim()
    const kubeconfig = parse(readFileSync(at('kubeconfig'), 'utf8'))
    kubeconfig.users[0].user = { token }
    const spec = { scaleUp: { stabilizationWindow: '1s' }, scaleDown: { stabilizationWindow: '5s' } }
    const objects = [...poolObjects({ spec }), provider(), managerRole()]
    repository.write('agents/pools.yaml', objects.map((one) => stringify(one)).join('---\n'))
    repository.push('a pool')
    configure({
      ...{ collect: ['nodes', 'pending', 'claims', 'pools'], labels: [POOL_LABEL, 'node-role.kubernetes.io/*'] },
      leaderElection: { namespace: 'nodefit' },
    })
    writeFileSync(at('own-kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 })
    sync = startSync(['--config', at('sync.yaml'), '--kubeconfig', at('own-kubeconfig')])
    await sync.said(({ message }) => message.startsWith('pushed'))
  })
  test('a pod that waits has a claim committed', async () => {
    does(kubectl(['create', '-f', '-'], asList([pod('web')])))
    await seen(() => claims().length > 0)
    assert.equal(claims(), ['small-000001'])
    const [message = ''] = repository.messages()
    assert.match(message, /^prod: small: .*1 NodeSmithClaim added/)
    assert.match(message, '\n  added NodeSmithClaim kubenodesmith/small-000001\n')
  })
  test('its machine joins, the pod is bound there, and nothing more is opened', async () => {
    await makeMachines()
    await seen(() => nodeOfPod('web') === 'small-000001')
    await pause(QUIET_MILLISECONDS)
    follow()
    assert.equal(claims(), ['small-000001'])
    const opening = repository.messages().filter((message) => message.includes('added NodeSmithClaim'))
    assert.is(opening.length, 1)
    assert.is(node('small-000001').spec.unschedulable, undefined)
  })
  test('idle, the node is marked and cordoned first, then its claim is dropped', async () => {
    does(kubectl(['delete', 'pod', 'web', '--grace-period=0', '--force']))
    await seen(() => node('small-000001').spec.unschedulable === true)
    assert.equal(claims(), ['small-000001'], 'the claim is there until a snapshot shows the mark')
    assert.ok(node('small-000001').metadata.annotations['nodefit.dev/leaving'] !== undefined)
    await seen(() => claims().length === 0)
    await makeMachines()
    assert.is(node('small-000001'), undefined)
  })
  test('the next machine has another name', async () => {
    does(kubectl(['create', '-f', '-'], asList([pod('next')])))
    await seen(() => claims().length > 0)
    assert.equal(claims(), ['small-000002'])
    await makeMachines()
    await seen(() => nodeOfPod('next') === 'small-000002')
    assert.ok(node('small-000001') === undefined, 'no document of a node that is gone makes it again')
  })
  test('what was started is stopped', async () => {
    assert.is(await sync?.stop(), 0)
    await stop()
  })
})
