import { join } from 'node:path'
import { Applications } from './applications.ts'
import { ARGOCD, type Argocd, startArgocd } from './argocd.ts'
import { type Cluster, SCHEDULED, startCluster } from './cluster.ts'
import { startKwok } from './kwok.ts'
import { Repository } from './repository.ts'
import { Servers } from './servers.ts'
import { SHARED } from './shared.ts'

/** The programs of a world with Argo CD. */
export const ARGOCD_WORLD = [...SCHEDULED, ...ARGOCD, 'kwok', 'go'] as const

/** A cluster whose pods run, an Argo CD that applies to it, and a repository. */
export interface ArgocdWorld {
  readonly cluster: Cluster
  readonly argocd: Argocd
  readonly applications: Applications
  readonly repository: Repository
  readonly stop: () => Promise<void>
}

let running: Promise<{ servers: Servers; argocd: Argocd }> | undefined

/** Starts it, or gives the Argo CD that another file of this process has started. */
export async function startWorld(): Promise<ArgocdWorld> {
  const cluster = await startCluster({ scheduler: true })
  running ??= startServers(cluster)
  try {
    const { servers, argocd } = await running
    await argocd.restart()
    const applications = new Applications(cluster)
    const stop = async () => {
      applications.api.close()
      if (!SHARED) {
        running = undefined
        await servers.stop()
      }
      await cluster.stop()
    }
    return { cluster, argocd, applications, repository: new Repository(cluster.folder), stop }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

async function startServers(cluster: Cluster): Promise<{ servers: Servers; argocd: Argocd }> {
  const servers = new Servers(cluster.base)
  try {
    await startKwok(servers, join(cluster.base, 'kubeconfig'))
    const argocd = await startArgocd(cluster, servers)
    await cluster.keep()
    return { servers, argocd }
  } catch (error) {
    await servers.stop()
    throw error
  }
}
