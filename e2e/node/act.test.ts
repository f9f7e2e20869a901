/** `nodefit act evict`, as the Job of a signed eviction runs it, before an API server that gives each of its answers. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder } from '../support/hosts.ts'
import { json, refuse, ScriptedApi } from '../support/scripted-api.ts'

const POD = ['--namespace', 'shop', '--pod', 'web-0', '--uid', 'u-1']
const PATH = '/api/v1/namespaces/shop/pods/web-0/eviction'
const isEviction = ({ method, path }: { method: string; path: string }) => method === 'POST' && path === PATH

/** Each answer of the API server, what the command says of it, and its exit code. */
const ANSWERS: ReadonlyArray<readonly [status: number, reason: string, message: string, said: string, code: number]> = [
  [404, 'NotFound', 'pods "web-0" not found', 'Pod shop/web-0 is gone\n', 0],
  [
    409,
    'Conflict',
    'the UID in the precondition (u-1) does not match',
    'Pod shop/web-0 was replaced by another pod\n',
    0,
  ],
  [429, 'TooManyRequests', 'it would violate the budget', 'Pod shop/web-0 is kept by a disruption budget\n', 1],
  [
    ...([403, 'Forbidden', 'cannot create resource "pods/eviction"'] as const),
    ...(['nodefit: pod shop/web-0 cannot be evicted: cannot create resource "pods/eviction"\n', 1] as const),
  ],
  [
    ...([500, 'InternalError', 'this pod has more than one PodDisruptionBudget'] as const),
    ...(['nodefit: pod shop/web-0 cannot be evicted: this pod has more than one PodDisruptionBudget\n', 1] as const),
  ],
]

interface Ended {
  readonly code: number
  readonly said: string
}

function act(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, 'act', 'evict', ...args], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, said: stdout + stderr })
    })
  })
}

async function withApi(body: (api: ScriptedApi, kubeconfig: string) => Promise<void>): Promise<void> {
  const api = await ScriptedApi.start()
  try {
    await inFolder((folder) => {
      const file = join(folder, 'kubeconfig')
      writeFileSync(file, api.kubeconfig)
      return body(api, file)
    })
  } finally {
    await api.close()
  }
}

suite('nodefit act evict', (test) => {
  test('it evicts the pod with this uid, with its own time to end, or that which is given', () =>
    withApi(async (api, kubeconfig) => {
      for (const [args, options] of [
        [[], { preconditions: { uid: 'u-1' } }],
        [['--grace-period', '0'], { preconditions: { uid: 'u-1' }, gracePeriodSeconds: 0 }],
      ] as const) {
        api.next(isEviction, (_, response) => json(response, 201, { kind: 'Status', status: 'Success' }))
        const ended = await act([...POD, ...args, '--kubeconfig', kubeconfig])
        assert.equal(ended, { code: 0, said: 'Pod shop/web-0 is evicted\n' })
        const { kind, deleteOptions } = JSON.parse(api.asked.at(-1)?.body ?? '')
        assert.equal({ kind, deleteOptions }, { kind: 'Eviction', deleteOptions: options })
      }
    }))
  for (const [status, reason, message, said, code] of ANSWERS)
    test(`${status} ${reason}`, () =>
      withApi(async (api, kubeconfig) => {
        api.next(isEviction, (_, response) => refuse(response, status, reason, message))
        assert.equal(await act([...POD, '--timeout', '1s', '--kubeconfig', kubeconfig]), { code, said })
      }))
  test('a budget that refuses is asked again', () =>
    withApi(async (api, kubeconfig) => {
      const soon = { 'retry-after': '1' }
      api.next(isEviction, (_, response) => refuse(response, 429, 'TooManyRequests', 'kept', soon), 2)
      api.next(isEviction, (_, response) => json(response, 201, {}))
      assert.equal(await act([...POD, '--kubeconfig', kubeconfig]), { code: 0, said: 'Pod shop/web-0 is evicted\n' })
      assert.is(api.count(isEviction), 3)
    }))
  test('a server that asks for no wait is asked after seconds all the same', () =>
    withApi(async (api, kubeconfig) => {
      const now = { 'retry-after': '0' }
      api.next(isEviction, (_, response) => refuse(response, 429, 'TooManyRequests', 'kept', now), 1000)
      const { code } = await act([...POD, '--timeout', '4s', '--kubeconfig', kubeconfig])
      assert.is(code, 1)
      assert.ok(api.count(isEviction) <= 4, `${api.count(isEviction)} requests`)
    }))
  test('without a cluster it says so, and not that nodefit is to blame', async () => {
    for (const args of [POD, [...POD, '--kubeconfig', '/nowhere/config']]) {
      const { code, said } = await act(args)
      assert.is(code, 1)
      assert.match(said, /^nodefit: pod shop\/web-0 cannot be evicted: (?:KUBERNETES_SERVICE_HOST is not set|ENOENT)/)
    }
    const none = await act(POD, { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' })
    assert.match(none.said, /^nodefit: pod shop\/web-0 cannot be evicted: /)
    assert.not.match(none.said, 'internal error')
  })
})
