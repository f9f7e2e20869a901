import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Run, run } from './hosts.ts'
import { freePorts } from './ports.ts'
import { PATH } from './program.ts'

/** The programs of a control plane without kubelets: objects are stored and DaemonSets get their pods, which never run. */
export const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const

const LOOPBACK = '127.0.0.1'
const READY_SECONDS = 60
const GRACE_MILLISECONDS = 5000

export interface Cluster {
  /** All that was written, gone when the cluster is stopped. */
  readonly folder: string
  readonly kubectl: (args: readonly string[], input?: string) => Run
  /** The API server, which a test may kill and start again. */
  readonly apiServer: Service
  /** The address of etcd, for what no API server does. */
  readonly etcd: string
  /** Ends every process that was started. */
  readonly stop: () => Promise<void>
}

/** A process that can be ended hard, as a node that dies does, and started again with what it has on disk. */
export interface Service {
  readonly url: string
  readonly kill: () => Promise<void>
  /** Ends when it answers. */
  readonly start: () => Promise<void>
}

/** The same with a scheduler, which binds pods that no kubelet will run. */
export const SCHEDULED = [...CONTROL_PLANE, 'kube-scheduler'] as const

/** What runs in the controller manager whatever is tried. */
const CONTROLLERS = ['daemonset-controller', 'garbage-collector-controller', 'namespace-controller'] as const

/**
 * Starts etcd, the API server and the controller manager on loopback, with all they write in one folder; a scheduler and other
 * controllers if asked to.
 */
export async function startCluster({
  scheduler = false,
  controllers = [],
}: {
  scheduler?: boolean
  controllers?: readonly string[]
} = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-cluster-'))
  const [client, peer, secure] = await freePorts(3)
  const started: ChildProcess[] = []
  const at = (name: string) => join(folder, name)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  process.once('exit', () => {
    for (const child of started) child.kill('SIGKILL')
    remove(folder)
  })
  const start = (program: string, args: readonly string[]) => {
    const log = openSync(at(`${program}.log`), 'w')
    const child = spawn(program, args, { env: { ...process.env, PATH }, cwd: folder, stdio: ['ignore', log, log] })
    started.push(child)
    return child
  }
  const token = randomUUID()
  writeCredentials(folder, `https://${LOOPBACK}:${secure}`, token)
  const etcd = `http://${LOOPBACK}:${client}`
  const peers = `http://${LOOPBACK}:${peer}`
  start('etcd', [
    '--unsafe-no-fsync',
    `--data-dir=${at('etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ])
  const serverArguments = [
    `--etcd-servers=${etcd}`,
    `--bind-address=${LOOPBACK}`,
    '--allow-privileged=true',
    `--advertise-address=${LOOPBACK}`,
    `--secure-port=${secure}`,
    `--cert-dir=${at('certs')}`,
    `--token-auth-file=${at('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--endpoint-reconciler-type=none',
    // without kubelets, the one would wait for tokens and the other keep every node not ready
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
  ]
  let server = start('kube-apiserver', serverArguments)
  const kubectl = (args: readonly string[], input = '') =>
    run('kubectl', [`--kubeconfig=${at('kubeconfig')}`, `--cache-dir=${at('cache')}`, ...args], { input })
  const stop = async () => {
    await Promise.all(started.reverse().map(end))
    remove(folder)
  }
  try {
    await ready(() => {
      const dead = started.find(({ exitCode }) => exitCode !== null)
      if (dead !== undefined) throw new Error(`${dead.spawnfile} ended`)
      return kubectl(['get', '--raw', '/readyz'])
    })
    start('kube-controller-manager', [
      `--kubeconfig=${at('kubeconfig')}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--authentication-skip-lookup',
      `--controllers=${[...CONTROLLERS, ...controllers].join()}`,
      '--kube-api-qps=2000',
      '--kube-api-burst=4000',
    ])
    if (scheduler)
      start('kube-scheduler', [
        `--kubeconfig=${at('kubeconfig')}`,
        '--leader-elect=false',
        '--secure-port=0',
        '--kube-api-qps=2000',
        '--kube-api-burst=4000',
      ])
  } catch (error) {
    const logs = started.map(({ spawnfile }) => readFileSync(at(`${spawnfile}.log`), 'utf8').slice(-2000))
    await stop()
    throw new Error(`${(error as Error).message}\n${logs.join('\n')}`)
  }
  const apiServer = {
    url: `https://${LOOPBACK}:${secure}`,
    kill: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGKILL')
      await ended
    },
    start: async () => {
      server = start('kube-apiserver', serverArguments)
      await ready(() => kubectl(['get', '--raw', '/readyz']))
    },
  }
  return { folder, kubectl, apiServer, etcd, stop }
}

function writeCredentials(folder: string, server: string, token: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }))
  writeFileSync(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`)
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  }
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig))
}

async function ready(probe: () => Run): Promise<void> {
  for (let attempt = 0; attempt < READY_SECONDS * 4; attempt++) {
    if (probe().status === 0) return
    await pause(250)
  }
  throw new Error('the API server did not start')
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Asks a process to end, and makes it end where it does not. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MILLISECONDS)
  await ended
  clearTimeout(timer)
}
