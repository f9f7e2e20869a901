import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Etcd } from './etcd.ts'
import { type Run, run } from './hosts.ts'
import { freePorts } from './ports.ts'
import { hasAlternative, PATH } from './program.ts'

/** A process that can be ended hard, as a node that dies does, and started again with what it has on disk. */
export interface Service {
  readonly url: string
  readonly kill: () => Promise<void>
  /** Ends when it answers. */
  readonly start: () => Promise<void>
}

const LOOPBACK = '127.0.0.1'
const READY_SECONDS = 120
const GRACE_MILLISECONDS = 5000

/** What runs in the controller manager whatever is tried. */
const CONTROLLERS = ['daemonset-controller', 'garbage-collector-controller', 'namespace-controller'] as const

/** etcd and an API server on loopback, with all they write in one folder, and the controllers beside them. */
export class ControlPlane {
  readonly folder: string
  readonly etcd: string
  readonly apiServer: Service
  readonly #store: Etcd
  readonly #started: ChildProcess[]
  #controllers: ChildProcess[] = []

  private constructor(folder: string, etcd: string, started: ChildProcess[], apiServer: Service) {
    this.folder = folder
    this.etcd = etcd
    this.apiServer = apiServer
    this.#store = new Etcd(etcd)
    this.#started = started
  }

  static async start(): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-cluster-'))
    const [client, peer, secure] = await freePorts(3)
    const started: ChildProcess[] = []
    const at = (name: string) => join(folder, name)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
    process.once('exit', () => {
      for (const child of started) child.kill('SIGKILL')
      remove(folder)
    })
    const url = `https://${LOOPBACK}:${secure}`
    writeCredentials(folder, url, randomUUID())
    const etcd = `http://${LOOPBACK}:${client}`
    const peers = `http://${LOOPBACK}:${peer}`
    const start = (program: string, args: readonly string[]) => launch(folder, started, program, args)
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
      ...frontProxy(folder),
      // without kubelets, the one would wait for tokens and the other keep every node not ready
      '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
    ]
    let server = start('kube-apiserver', serverArguments)
    const isReady = () => run('kubectl', [`--kubeconfig=${at('kubeconfig')}`, 'get', '--raw', '/readyz'])
    const apiServer = {
      url,
      kill: async () => {
        const ended = new Promise((resolve) => server.once('exit', resolve))
        server.kill('SIGKILL')
        await ended
      },
      start: async () => {
        server = start('kube-apiserver', serverArguments)
        await ready(isReady)
      },
    }
    const plane = new ControlPlane(folder, etcd, started, apiServer)
    try {
      await ready(() => {
        const dead = started.find(({ exitCode }) => exitCode !== null)
        if (dead !== undefined) throw new Error(`${dead.spawnfile} ended`)
        return isReady()
      })
      await plane.keep()
    } catch (error) {
      const logs = started.map(({ spawnfile }) => readFileSync(at(`${spawnfile}.log`), 'utf8').slice(-2000))
      await plane.stop()
      throw new Error(`${(error as Error).message}\n${logs.join('\n')}`)
    }
    return plane
  }

  /** Starts the controller manager, and a scheduler if asked to. */
  async startControllers({
    scheduler = false,
    controllers = [],
  }: {
    scheduler?: boolean
    controllers?: readonly string[]
  }) {
    await this.stopControllers()
    const common = [
      `--kubeconfig=${join(this.folder, 'kubeconfig')}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=2000',
      '--kube-api-burst=4000',
    ]
    const start = (program: string, ...args: string[]) =>
      this.#controllers.push(launch(this.folder, this.#started, program, [...common, ...args]))
    const names = [...CONTROLLERS, ...controllers].join()
    start('kube-controller-manager', '--authentication-skip-lookup', `--controllers=${names}`)
    if (scheduler) start('kube-scheduler')
  }

  async stopControllers(): Promise<void> {
    await Promise.all(this.#controllers.map(end))
    this.#controllers = []
  }

  /** Has what is stored now survive a reset. */
  keep(): Promise<void> {
    return this.#store.keep()
  }

  /** Takes all away that was stored since, and waits until the API server has seen it. */
  async reset(): Promise<void> {
    await this.#store.reset()
    await this.#seen()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.toReversed().map(end))
    remove(this.folder)
  }

  /** The API server answers from its memory, which is told of what is in etcd a moment later. */
  async #seen(): Promise<void> {
    const kubectl = (...args: string[]) => run('kubectl', [`--kubeconfig=${join(this.folder, 'kubeconfig')}`, ...args])
    const left = () => kubectl('get', '--raw', '/api/v1/nodes?resourceVersion=0').stdout
    for (let attempt = 0; attempt < READY_SECONDS * 10; attempt++) {
      const { items = [{}] } = JSON.parse(left() || '{}') as { items?: unknown[] }
      if (items.length === 0) return
      await pause(100)
    }
    throw new Error('the API server still has nodes that etcd no longer has')
  }
}

function launch(folder: string, started: ChildProcess[], program: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${program}.log`), 'w')
  const child = spawn(program, args, { env: { ...process.env, PATH }, cwd: folder, stdio: ['ignore', log, log] })
  started.push(child)
  return child
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

/**
 * Makes the certificates with which the API server shows itself to the servers of aggregated APIs, and gives its flags for them;
 * none without openssl, where no such server can tell who asks.
 */
function frontProxy(folder: string): string[] {
  if (!hasAlternative('openssl')) return []
  const at = (name: string) => join(folder, `front-proxy${name}`)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const openssl = (...args: string[]) => {
    const { status, stderr } = run('openssl', args)
    if (status !== 0) throw new Error(stderr)
  }
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    at('-ca.key'),
    '-out',
    at('-ca.crt'),
    '-days',
    '2',
    '-subj',
    '/CN=front-ca',
  )
  openssl('req', ...key, '-keyout', at('.key'), '-out', at('.csr'), '-subj', '/CN=front-proxy')
  writeFileSync(at('.ext'), 'extendedKeyUsage=clientAuth\n')
  const authority = ['-CA', at('-ca.crt'), '-CAkey', at('-ca.key'), '-CAcreateserial']
  openssl('x509', '-req', '-in', at('.csr'), ...authority, '-out', at('.crt'), '-days', '2', '-extfile', at('.ext'))
  return [
    `--requestheader-client-ca-file=${at('-ca.crt')}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${at('.crt')}`,
    `--proxy-client-key-file=${at('.key')}`,
  ]
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
