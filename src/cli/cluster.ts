import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { ClusterObjects, ReadClusterOptions } from '../api/read-cluster.ts'
import { progress } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'

/** Where a command reads a cluster from: options as kubectl has them. */
export interface ClusterChoice {
  readonly kubeconfig?: string
  readonly context?: string
}

/**
 * Reads the cluster of a kubeconfig as kubectl finds it. The Kubernetes client is a separate file that only commands
 * which read a cluster load. Throws `UserError` where the cluster cannot be read.
 */
export async function readLiveCluster(choice: ClusterChoice, env: NodeJS.ProcessEnv): Promise<ClusterObjects> {
  const kubeconfig = kubeconfigFile(choice.kubeconfig, env)
  const load = createRequire(realpathSync(process.argv[1] ?? ''))
  const { readCluster } = load('./api.cjs') as { readCluster: (options: ReadClusterOptions) => Promise<ClusterObjects> }
  try {
    return await readCluster({ kubeconfig, kubeContext: choice.context, onProgress: progress })
  } catch (error) {
    throw new UserError(`the cluster cannot be read: ${(error as Error).message}`)
  }
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
