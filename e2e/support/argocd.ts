import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { withComponent } from './argocd-config.ts'
import type { Cluster } from './cluster.ts'
import { established } from './established.ts'
import { executableOf, TARGET_HERE } from './executable.ts'
import { goModule } from './go-module.ts'
import { COMMAND } from './hosts.ts'
import { freePorts } from './ports.ts'
import { PATH } from './program.ts'
import { answers, type Server, type Servers } from './servers.ts'

const LOOPBACK = '127.0.0.1'
export const NAMESPACE = 'argocd'
export const SIDECAR_USER = 999

/** The programs that an Argo CD needs which nodefit is a plugin of. */
export const ARGOCD = ['argocd', 'miniredis', 'kustomize', 'git', 'node'] as const

/** A running Argo CD without its web interface: what clones, what renders, and what applies. */
export interface Argocd {
  readonly repoServer: () => Server
  readonly plugin: () => Server
  readonly controller: () => Server
  readonly startPlugin: () => Promise<void>
  readonly startRepoServer: () => Promise<void>
  /** Starts what a test has stopped. */
  readonly restart: () => Promise<void>
}

/** Starts the servers of Argo CD beside a cluster, on loopback, with nodefit as the plugin that deploy/argocd describes. */
export async function startArgocd(cluster: Cluster, servers: Servers): Promise<Argocd> {
  // in the folder of the control plane, which is removed with it
  const folder = join(cluster.base, 'argocd')
  mkdirSync(folder)
  const at = (name: string) => join(folder, name)
  for (const name of ['home', 'tmp', 'plugins', 'tls', 'ssh', 'gpg', 'config', 'work', 'bin', 'own-tmp'])
    mkdirSync(at(name))
  mkdirSync(at('component'))
  // the one file that a sidecar can have, where there is one for this platform
  symlinkSync(TARGET_HERE === undefined ? COMMAND : executableOf(TARGET_HERE), at('bin/nodefit'))
  const objects = withComponent(at('component'))
  const plugin = objects.find(({ kind, data }) => kind === 'ConfigMap' && data['plugin.yaml'] !== undefined)
  writeFileSync(at('config/plugin.yaml'), plugin.data['plugin.yaml'])
  const [redisPort, repoPort, repoMetrics, controllerMetrics] = await freePorts(4)
  const redis = `${LOOPBACK}:${redisPort}`
  const env = {
    PATH: `${at('bin')}:${PATH}`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    ARGOCD_PLUGINSOCKFILEPATH: at('plugins'),
    ARGOCD_TLS_DATA_PATH: at('tls'),
    ARGOCD_SSH_DATA_PATH: at('ssh'),
    ARGOCD_GNUPGHOME: at('gpg'),
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_ASK_PASS_SOCK: at('askpass.sock'),
  }
  const named = (name: string) => ({ ...env, ARGOCD_BINARY_NAME: name })
  const log = ['--loglevel', 'info', '--logformat', 'text']

  await servers.start('redis', ['miniredis', redis], { env, isReady: () => isOpen(redis) })
  const startPlugin = () =>
    servers.start('plugin', asSidecar(folder, ['argocd', '--config-dir-path', at('config'), ...log]), {
      env: {
        PATH: env.PATH,
        TMPDIR: at('own-tmp'),
        ARGOCD_PLUGINSOCKFILEPATH: at('plugins'),
        ARGOCD_CMP_WORKDIR: at('work'),
        ARGOCD_BINARY_NAME: 'argocd-cmp-server',
      },
      cwd: folder,
      // one that was killed has left its socket behind
      isReady: () => isOpen(at('plugins/nodefit.sock')),
    })
  const startRepoServer = () => {
    const listen = ['--address', LOOPBACK, '--port', String(repoPort)]
    const metrics = ['--metrics-address', LOOPBACK, '--metrics-port', String(repoMetrics)]
    const rest = ['--redis', redis, '--disable-tls', '--revision-cache-expiration', '1s']
    return servers.start('repo-server', ['argocd', ...listen, ...metrics, ...rest, ...log], {
      env: named('argocd-repo-server'),
      cwd: folder,
      isReady: () => answers(`http://${LOOPBACK}:${repoMetrics}/healthz`),
    })
  }
  await install(cluster, objects)
  const kubeconfig = join(cluster.base, 'kubeconfig')
  const running = { plugin: await startPlugin(), repoServer: await startRepoServer() }
  const controller = await servers.start(
    'controller',
    [
      ...['argocd', '--namespace', NAMESPACE, '--kubeconfig', kubeconfig],
      ...['--repo-server', `${LOOPBACK}:${repoPort}`, '--repo-server-plaintext', '--redis', redis],
      ...['--metrics-port', String(controllerMetrics), '--app-resync', '3600', '--app-resync-jitter', '0'],
      ...['--self-heal-timeout-seconds', '1', '--repo-error-grace-period-seconds', '0', ...log],
    ],
    {
      env: { ...named('argocd-application-controller'), ARGOCD_FAKE_IN_CLUSTER: 'true', KUBECONFIG: kubeconfig },
      cwd: folder,
      isReady: () => answers(`http://${LOOPBACK}:${controllerMetrics}/healthz`),
    },
  )
  const argocd = {
    plugin: () => running.plugin,
    repoServer: () => running.repoServer,
    controller: () => controller,
    startPlugin: async () => {
      running.plugin = await startPlugin()
    },
    startRepoServer: async () => {
      running.repoServer = await startRepoServer()
    },
    restart: async () => {
      if (!running.plugin.isRunning()) await argocd.startPlugin()
      if (!running.repoServer.isRunning()) await argocd.startRepoServer()
    },
  }
  return argocd
}

/** Whether the plugin can be run as in its container: only root may give up what it has. */
export const canConfine = process.getuid?.() === 0 && process.env.NODEFIT_LOOPBACK !== '-rn'

/**
 * The command line of the plugin server confined as the sidecar is: another user without capabilities, a root filesystem that is read only but
 * for its volumes, and no network at all, loopback included.
 */
function asSidecar(folder: string, command: readonly string[]): readonly string[] {
  if (!canConfine) return command
  const volumes = ['plugins', 'own-tmp', 'work'].map((name) => join(folder, name))
  for (const volume of volumes) chownSync(volume, SIDECAR_USER, SIDECAR_USER)
  for (const above of [folder, join(folder, '..')]) chmodSync(above, 0o711)
  const script = [
    'mount --make-rprivate /',
    ...volumes.map((volume) => `mount --bind ${volume} ${volume}`),
    'mount -o remount,bind,ro /',
    `exec setpriv --reuid=${SIDECAR_USER} --regid=${SIDECAR_USER} --clear-groups --no-new-privs --bounding-set=-all "$@"`,
  ]
  return ['unshare', '-mn', 'sh', '-ec', script.join('\n'), 'sh', ...command]
}

/** Its own kinds, and the configuration that the component of deploy/argocd has completed. */
async function install(
  { kubectl }: Cluster,
  objects: readonly { kind: string; metadata: { name: string } }[],
): Promise<void> {
  const module = goModule('argocd', 'github.com/argoproj/argo-cd/v3')
  const crds = ['application', 'appproject', 'applicationset'].flatMap((name) => [
    '-f',
    join(module, `manifests/crds/${name}-crd.yaml`),
  ])
  does(kubectl(['create', 'namespace', NAMESPACE]))
  does(kubectl(['apply', '--server-side', ...crds]))
  await established(kubectl)
  const secret = { name: 'argocd-secret', namespace: NAMESPACE, labels: { 'app.kubernetes.io/part-of': 'argocd' } }
  const base = [
    ...objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'argocd-cm'),
    { apiVersion: 'v1', kind: 'Secret', metadata: secret, stringData: { 'server.secretkey': 'a-key-for-a-test' } },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default', namespace: NAMESPACE },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ namespace: '*', server: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    },
  ]
  does(kubectl(['apply', '-f', '-'], base.map((object) => stringify(object)).join('---\n')))
}

function does({ status, stderr }: { status: number | null; stderr: string }): void {
  if (status !== 0) throw new Error(stderr)
}

/** Whether somebody listens on HOST:PORT, or on a socket. */
function isOpen(address: string): Promise<boolean> {
  const [host, port] = address.split(':')
  return new Promise((resolve) => {
    const socket = port === undefined ? connect(address) : connect(Number(port), host)
    const say = (is: boolean) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', say(true)).once('error', say(false))
  })
}
