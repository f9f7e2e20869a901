import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { newItem } from '../../krm/item.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type {
  AgentObjects,
  ClusterObjects,
  ReadAgentsOptions,
  ReadClusterOptions,
  ReadScanOptions,
} from '../cluster/read-cluster.ts'
import { endProgress, progress } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { loadPart } from './command.ts'

/** Where a command reads a cluster from: options as kubectl has them. */
export interface ClusterChoice {
  readonly kubeconfig?: string
  readonly context?: string
}

/**
 * Reads the cluster of a kubeconfig as kubectl finds it. The Kubernetes client is a separate file that only commands
 * which read a cluster load. With a namespace, of DaemonSets, pods and metrics those in it alone. Throws
 * `UserError` where the cluster cannot be read.
 */
export async function readLiveCluster(
  { namespace, ...choice }: ClusterChoice & { readonly namespace?: string },
  env: NodeJS.ProcessEnv,
): Promise<ClusterObjects> {
  return readWith(choice, env, ({ readCluster }, options) => readCluster({ ...options, namespace }))
}

/** Reads the nodes of a cluster and the DaemonSets that are named, as `NAMESPACE/NAME`. Throws as `readLiveCluster`. */
export async function readLiveAgents(
  choice: ClusterChoice,
  env: NodeJS.ProcessEnv,
  named: readonly string[] = [],
): Promise<AgentObjects> {
  const daemonSets = named.map((text) => {
    const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? []
    if (namespace === undefined || name === undefined)
      throw new UserError(`--daemonset takes NAMESPACE/NAME where a cluster is read, not ${text}`)
    return { namespace, name }
  })
  const read = await readWith(choice, env, ({ readAgents }, options) => readAgents({ ...options, daemonSets }))
  endProgress()
  return read
}

interface Api {
  readonly readCluster: (options: ReadScanOptions) => Promise<ClusterObjects>
  readonly readAgents: (options: ReadAgentsOptions) => Promise<AgentObjects>
}

async function readWith<Value>(
  choice: ClusterChoice,
  env: NodeJS.ProcessEnv,
  read: (api: Api, options: ReadClusterOptions) => Promise<Value>,
): Promise<Value> {
  const kubeconfig = kubeconfigFile(choice.kubeconfig, env)
  const api = loadPart<Api>('api')
  process.once('SIGINT', interrupt)
  try {
    return await read(api, { kubeconfig, kubeContext: choice.context, onProgress: progress })
  } catch (error) {
    throw new UserError(`the cluster cannot be read: ${(error as Error).message}`)
  } finally {
    process.off('SIGINT', interrupt)
  }
}

/** Ends as without a listener, but takes the progress line away first. */
function interrupt(): void {
  endProgress()
  process.kill(process.pid, 'SIGINT')
}

/** The kubeconfig: the given one, that of KUBECONFIG, or ~/.kube/config; undefined within a pod. */
function kubeconfigFile(given: string | undefined, { KUBECONFIG = '', KUBERNETES_SERVICE_HOST }: NodeJS.ProcessEnv) {
  if (given !== undefined) return existing(given)
  const files = KUBECONFIG.split(delimiter).filter((file) => file !== '')
  if (files.length > 1)
    throw new UserError(`KUBECONFIG names ${files.length} files, which are not merged: give one with --kubeconfig FILE`)
  if (files[0] !== undefined) return existing(files[0])
  const usual = join(homedir(), '.kube', 'config')
  if (existsSync(usual)) return usual
  if (KUBERNETES_SERVICE_HOST !== undefined) return undefined
  throw new UserError(`there is no ${usual}: give --kubeconfig FILE, or the files that kubectl wrote`)
}

function existing(file: string): string {
  if (!existsSync(file)) throw new UserError(`there is no kubeconfig ${file}`)
  return file
}

/** The nodes of a cluster as the items of a file. */
export function liveItems({ nodes }: Pick<ClusterObjects, 'nodes'>): Item[] {
  return nodes.map((node) => newItem(node as unknown as KubernetesObject))
}
