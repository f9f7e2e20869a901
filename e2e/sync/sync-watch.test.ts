/** The watch of nodefit sync at a real API server: what it is told, and what it does when that dies, falls silent, forgets or refuses. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { connect } from '../../src/host/cluster/connection.ts'
import type { KubeObject } from '../../src/host/cluster/list.ts'
import { list } from '../../src/host/cluster/list.ts'
import { Reflector, type ReflectorOptions } from '../../src/host/sync/api/reflector.ts'
import { recordedLog, recordedMeter } from '../../test/host/sync/api/reflecting.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { apiUser } from '../support/api-user.ts'
import { type Cluster, CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { CutProxy } from '../support/cut-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { has } from '../support/program.ts'

const NODES = '/api/v1/nodes'
const sizeOf = ({ metadata }: KubeObject) => (metadata as { labels?: { size?: string } }).labels?.size ?? ''
const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

/** The nodes as the cluster has them, without the watch. */
function change({ kubectl }: Cluster) {
  const run = (...args: string[]) => assert.is(kubectl(args).stderr, '')
  return {
    create: (...names: string[]) => {
      const items = names.map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { size: 'a' } } }))
      assert.is(kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items })).stderr, '')
    },
    label: (name: string, size: string) => run('label', '--overwrite', 'node', name, `size=${size}`),
    heartbeat: (name: string, at: string) => run('annotate', '--overwrite', 'node', name, `beat=${at}`),
    remove: (name: string) => run('delete', 'node', name),
  }
}

suite('a watch of a real API server', (test) => {
  test('every reason to begin anew has a name', () => assert.type(Reflector, 'function'))
  if (cluster === undefined) return
  const nodes = change(cluster)
  const user = apiUser(cluster, 'watcher')
  user.allow('nodes', 'get,list,watch', 'nodes')
  const port = Number(new URL(cluster.apiServer.url).port)

  /** A reflector behind a proxy of its own. */
  async function watching(
    body: (parts: {
      proxy: CutProxy
      labels: () => Record<string, string>
      restarts: string[]
      counted: ReturnType<typeof recordedMeter>['counted']
      lines: string[]
      changes: () => number
    }) => Promise<void>,
    options: Partial<ReflectorOptions<string>> = {},
  ): Promise<void> {
    const proxy = await CutProxy.to(port)
    const { counted, meter } = recordedMeter()
    const { lines, log } = recordedLog()
    let changes = 0
    const reflector = new Reflector<string>({
      connection: connect({ kubeconfig: user.kubeconfig(proxy.port) }, engineContext({ meter })),
      path: NODES,
      resource: 'nodes',
      trim: sizeOf,
      pageSize: 2,
      context: engineContext({ meter, log }),
      onChange: () => {
        changes++
      },
      ...options,
    })
    const ending = new AbortController()
    const ended = reflector.start(ending.signal)
    try {
      await eventually(() => reflector.isSynced && counted.components.get('watch-nodes') === true)
      await body({
        proxy,
        labels: () => Object.fromEntries([...reflector.items()].sort()),
        restarts: counted.restarts,
        counted,
        lines,
        changes: () => changes,
      })
    } finally {
      ending.abort()
      await ended
      proxy.close()
    }
  }

  test('tells what comes, changes and goes, to who may get, list and watch nodes and nothing else', () => {
    nodes.create('n1', 'n2', 'n3', 'n4', 'n5')
    return watching(async ({ labels, restarts, changes, counted }) => {
      assert.equal(labels(), { n1: 'a', n2: 'a', n3: 'a', n4: 'a', n5: 'a' })
      const { received } = counted
      nodes.heartbeat('n1', '1')
      nodes.label('n1', 'b')
      nodes.remove('n2')
      await eventually(() => labels().n1 === 'b' && labels().n2 === undefined)
      assert.ok(counted.received > received + 1000)
      assert.is(changes(), 3)
      assert.equal(restarts, [])
    })
  })
  test('goes on where it was when the connection is cut', () =>
    watching(async ({ proxy, labels, restarts }) => {
      proxy.isOpen = false
      proxy.cut()
      nodes.label('n1', 'cut')
      nodes.remove('n3')
      await eventually(() => restarts.length >= 2)
      proxy.isOpen = true
      await eventually(() => labels().n1 === 'cut' && labels().n3 === undefined)
      assert.ok(restarts.every((reason) => reason === 'connection'))
    }))
  test('goes on when the connection falls silent', () =>
    watching(
      async ({ proxy, labels, restarts }) => {
        proxy.isSilent = true
        nodes.label('n1', 'silent')
        await eventually(() => restarts.includes('idleTimeout'))
        proxy.isSilent = false
        proxy.cut()
        await eventually(() => labels().n1 === 'silent')
      },
      { idleTimeout: 3000 },
    ))
  test('goes on when the API server is killed and comes back', () =>
    watching(async ({ labels, restarts }) => {
      await cluster.apiServer.kill()
      await eventually(() => restarts.length >= 2)
      await cluster.apiServer.start()
      nodes.label('n1', 'killed')
      nodes.create('n6')
      await eventually(() => labels().n1 === 'killed' && labels().n6 === 'a')
    }))
  test('lists anew when the version that it goes on from is forgotten', () =>
    watching(async ({ proxy, labels, restarts }) => {
      proxy.isOpen = false
      proxy.cut()
      nodes.label('n1', 'forgotten')
      nodes.remove('n4')
      await cluster.apiServer.kill()
      await compact(cluster.etcd)
      await cluster.apiServer.start()
      proxy.isOpen = true
      await eventually(() => labels().n1 === 'forgotten')
      assert.is(labels().n4, undefined)
      assert.ok(restarts.includes('expired'), restarts.join())
    }))
  test('a list whose continue token is forgotten is begun anew', async () => {
    const connection = connect({ kubeconfig: user.kubeconfig(port) }, engineContext())
    const pages: string[][] = [[]]
    nodes.create('m1', 'm2', 'm3')
    const { items } = await list(
      {
        ...connection,
        json: async (ask) => {
          if (pages.length === 1 && ask.query?.continue !== undefined) {
            pages.push([])
            nodes.label('m1', 'later')
            // one that runs has the pages of a while in memory
            await cluster.apiServer.kill()
            await compact(cluster.etcd)
            await cluster.apiServer.start()
          }
          return connection.json(ask)
        },
      },
      NODES,
      {
        pageSize: 2,
        trim: (object) => {
          pages.at(-1)?.push(object.metadata.name)
          return `${object.metadata.name} ${sizeOf(object)}`
        },
      },
    )
    assert.ok(items.includes('m1 later'), items.join())
    assert.is(new Set(items).size, items.length)
    assert.is(items.length, 6)
    assert.ok((pages.at(-1)?.length ?? 0) >= 4)
  })
  test('waits where it is refused, and goes on when it is let in', () =>
    watching(async ({ proxy, labels, restarts, lines }) => {
      user.deny('nodes')
      // again now and then: an API server that is busy lets in for a moment who was just denied
      await eventually(async () => {
        proxy.cut()
        await pause(1000)
        return restarts.includes('denied')
      })
      assert.ok(
        lines.some((line) => line.includes('cannot watch resource')),
        lines.join('\n'),
      )
      user.allow('nodes', 'get,list,watch', 'nodes')
      nodes.label('n1', 'let-in')
      await eventually(() => labels().n1 === 'let-in')
    }))
  test('takes a new token at once when the old one is known no longer', () =>
    watching(async ({ proxy, labels, restarts }) => {
      cluster.kubectl(['delete', 'serviceaccount', user.name])
      cluster.kubectl(['create', 'serviceaccount', user.name])
      // a token that was seen lately is good for ten seconds more
      await pause(11_000)
      user.renew()
      proxy.cut()
      nodes.label('n1', 'new-token')
      await eventually(() => labels().n1 === 'new-token')
      assert.ok(!restarts.includes('denied'), restarts.join())
    }))
  test('a server with a certificate of somebody else is sent nothing', async () => {
    const other = join(cluster.folder, 'other.crt')
    const key = join(cluster.folder, 'other.key')
    const make = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=other',
    ]
    execFileSync('openssl', [...make, '-days', '1', '-keyout', key, '-out', other], { stdio: 'ignore' })
    const connection = connect({ kubeconfig: user.kubeconfig(port, readFileSync(other, 'utf8')) }, engineContext())
    const error = await connection.json({ path: NODES }).then(
      () => undefined,
      (one) => one,
    )
    assert.match(
      String(error?.code),
      /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE)/,
    )
  })
  test('the cluster ends', () => cluster.stop())
})

/** Makes etcd forget all but the present, as it does every five minutes. */
async function compact(etcd: string): Promise<void> {
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })
    return (await answer.json()) as { header?: { revision?: string } }
  }
  const { header } = await ask('range', { key: Buffer.from('/').toString('base64') })
  await ask('compaction', { revision: header?.revision, physical: true })
}
