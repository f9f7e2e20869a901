import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { firstAgents } from './first-agents.ts'
import { Api } from './fleets/api.ts'
import { nodeOf } from './node-objects.ts'
import { Repository } from './repository.ts'
import { writeSyncConfig } from './sync-config.ts'

/** The folder that `nodefit sync` owns, and that of what is rendered. */
export const OWNED = 'clusters/prod/nodes'
export const OUTPUT = 'clusters/prod/rendered'

// biome-ignore lint/suspicious/noExplicitAny: fields of a SyncConfig, and Kubernetes objects read back
type Any = any

/** A cluster and a repository with the agents of the quickstart, and the configuration of a controller between them. */
export interface SyncWorld {
  readonly api: Api
  readonly repository: Repository
  /** The path of a file beside the kubeconfig. */
  readonly at: (name: string) => string
  /** The arguments of `nodefit sync`. */
  readonly args: readonly string[]
  /** Writes the configuration, with short windows and these fields; to a file of that name for another process. */
  readonly configure: (spec?: Any, file?: string) => void
  /** Adds a node of a type. */
  readonly add: (name: string, type: string) => Promise<void>
  /** Commits the agents. */
  readonly pushAgents: () => void
  /** Asks an endpoint of the controller. */
  readonly get: (path: string) => Promise<{ status: number; text: string }>
  /** The Events of the controller. */
  readonly events: () => Promise<Array<{ reason: string; type: string }>>
}

/** Sets it up, with the endpoints of the controller at this port of loopback. */
export function syncWorld(cluster: Cluster, port: number | undefined): SyncWorld {
  const at = (name: string) => join(cluster.folder, name)
  const api = new Api(cluster.folder)
  const repository = new Repository(cluster.folder)
  return {
    api,
    repository,
    at,
    args: ['--config', at('sync.yaml'), '--kubeconfig', at('kubeconfig')],
    configure(spec = {}, file = 'sync.yaml') {
      const { git, ...rest } = spec
      writeSyncConfig(at(file), {
        ...{ cluster: 'prod', mode: 'rendered', packages: ['agents'], output: OUTPUT },
        ...{ quietWindow: '1s', maxWindow: '3s', minPushInterval: '10s', reconcileInterval: '15s' },
        health: { address: `127.0.0.1:${port}` },
        leaderElection: { namespace: 'default' },
        ...rest,
        git: { url: repository.url, folder: OWNED, cache: at('cache'), ...git },
      })
    },
    async add(name, type) {
      const node = nodeOf(name, type)
      await api.create(node)
      await api.status(node, node.status)
    },
    pushAgents() {
      for (const [file, text] of Object.entries(firstAgents())) repository.write(file, text)
      repository.push('the agents')
    },
    async get(path) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`)
      return { status: answer.status, text: await answer.text() }
    },
    events: async () => (await api.get('/apis/events.k8s.io/v1/namespaces/default/events')).items,
  }
}
