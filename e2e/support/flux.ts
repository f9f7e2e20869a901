/** Flux' kustomize-controller, with a stand-in for its source-controller: a folder is published as the artifact of a GitRepository. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { openSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { ROOT } from './hosts.ts'
import { PATH } from './program.ts'

export const FLUX = ['kustomize-controller', 'go'] as const

const NAMESPACE = 'flux-system'
const LOOPBACK = '127.0.0.1'
const SETTLED_SECONDS = 120
const MODULE = 'github.com/fluxcd/kustomize-controller'

/** What Flux says of its Kustomization. */
export interface Verdict {
  readonly ready: string
  readonly reason: string
  readonly message: string
}

export interface Flux {
  /**
   * Makes a folder the newest revision of the GitRepository `agents`, and waits until the Kustomization has been tried with it. The revision is that
   * of a commit, where the folder holds one.
   */
  readonly publish: (folder: string, commit?: string) => Promise<Verdict>
  readonly stop: () => Promise<void>
}

/** The resource definitions that the controller needs: its own, and those of sources without a schema. */
export function fluxDefinitions(): unknown[] {
  return [
    ['GitRepository', 'gitrepositories'],
    ['OCIRepository', 'ocirepositories'],
    ['Bucket', 'buckets'],
  ].map(([kind = '', plural = '']) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.source.toolkit.fluxcd.io` },
    spec: {
      group: 'source.toolkit.fluxcd.io',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }))
}

/** The controller's own resource definition, from its module. */
export function kustomizationDefinition(): string {
  const cwd = join(ROOT, 'tools/hosts/kustomize-controller')
  execFileSync('go', ['mod', 'download', MODULE], { cwd, stdio: 'ignore' })
  const folder = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', MODULE], { cwd, encoding: 'utf8' }).trim()
  return readFileSync(join(folder, 'config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml'), 'utf8')
}

/** Starts the controller against a cluster that has its definitions. */
export async function startFlux({ folder, kubectl }: Cluster): Promise<Flux> {
  const artifacts = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const bytes = artifacts.get(request.url ?? '')
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes)
  })
  const [artifactPort, ...ports] = [await listening(server), ...(await freePorts(2))]
  const log = openSync(join(folder, 'kustomize-controller.log'), 'w')
  const controller = spawn(
    'kustomize-controller',
    [
      `--metrics-addr=${LOOPBACK}:${ports[0]}`,
      `--health-addr=${LOOPBACK}:${ports[1]}`,
      '--enable-leader-election=false',
      '--requeue-dependency=1s',
    ],
    {
      env: {
        ...process.env,
        PATH,
        RUNTIME_NAMESPACE: NAMESPACE,
        KUBECONFIG: join(folder, 'kubeconfig'),
        TMPDIR: folder,
      },
      stdio: ['ignore', log, log],
    },
  )
  process.once('exit', () => controller.kill('SIGKILL'))
  const publish = async (published: string, commit?: string) => {
    const bytes = execFileSync('tar', ['-cz', '-C', published, '.'])
    const path = `/${artifacts.size}.tar.gz`
    artifacts.set(path, bytes)
    const revision = `main@sha1:${commit ?? createHash('sha1').update(path).update(bytes).digest('hex')}`
    const now = new Date().toISOString()
    const { generation } = JSON.parse(
      must(kubectl(['get', 'gitrepository', 'agents', '-n', NAMESPACE, '-o', 'json'])),
    ).metadata
    const status = {
      observedGeneration: generation,
      artifact: {
        path: path.slice(1),
        url: `http://${LOOPBACK}:${artifactPort}${path}`,
        revision,
        digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        lastUpdateTime: now,
        size: bytes.length,
      },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Succeeded',
          message: 'stored',
          observedGeneration: generation,
          lastTransitionTime: now,
        },
      ],
    }
    must(
      kubectl([
        'patch',
        'gitrepository',
        'agents',
        '-n',
        NAMESPACE,
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status }),
      ]),
    )
    return verdictOn(revision, kubectl)
  }
  const stop = async () => {
    await end(controller)
    server.closeAllConnections()
    server.close()
  }
  return { publish, stop }
}

async function verdictOn(revision: string, kubectl: Cluster['kubectl']): Promise<Verdict> {
  let last = ''
  for (const end = Date.now() + SETTLED_SECONDS * 1000; Date.now() < end; await pause(250)) {
    const text = must(kubectl(['get', 'kustomization', 'agents', '-n', NAMESPACE, '-o', 'json']))
    const { metadata, status } = JSON.parse(text)
    const ready = (status?.conditions ?? []).find(({ type }: { type: string }) => type === 'Ready')
    const { observedGeneration, reason, message } = ready ?? {}
    last = `of ${status?.lastAttemptedRevision} it says ${ready?.status} ${reason}: ${message}\n${text}`
    // a change of the Kustomization itself may reach the controller after the revision
    if (status?.lastAttemptedRevision !== revision || observedGeneration !== metadata.generation) continue
    if (ready.status !== 'Unknown') return { ready: ready.status, reason, message }
  }
  throw new Error(`Flux did not get to ${revision} within ${SETTLED_SECONDS} s: ${last}`)
}

function must({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): string {
  if (status !== 0) throw new Error(stderr)
  return stdout
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, LOOPBACK, () => resolve((server.address() as AddressInfo).port)))
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(servers.map(listening))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}
