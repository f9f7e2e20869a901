import type { RequestOptions } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node/dist/config.js'

/** Where an API server is, and with what a request to it is made. */
export interface Access {
  readonly server: URL
  /** The namespace of the pod, or of the context of the file. */
  readonly namespace: string | undefined
  /** The options of one request: agent, certificates and headers; files are read anew, a token's at most a minute late. */
  options(): Promise<RequestOptions>
  /** Forgets every token that was read or fetched. */
  renew(): void
}

/**
 * The API server that a kubeconfig file names, or without a file the one of the pod that this runs in. Throws a sentence where there is
 * neither, or where the file names no server.
 */
export function accessOf({ kubeconfig, context }: { kubeconfig?: string; context?: string }): Access {
  let config = load(kubeconfig, context)
  const cluster = config.getCurrentCluster()
  if (cluster === null)
    throw new Error(
      `${kubeconfig ?? 'the kubeconfig'} names no cluster for the context "${config.getCurrentContext()}"`,
    )
  return {
    server: new URL(cluster.server),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim(),
    async options() {
      const options: RequestOptions = {}
      await config.applyToHTTPSOptions(options)
      return { ...options, headers: trimmed(options.headers) }
    },
    renew() {
      try {
        config = load(kubeconfig, context)
      } catch {
        // a file that is just being written: the next refusal reads it again
      }
    },
  }
}

function load(kubeconfig: string | undefined, context: string | undefined): KubeConfig {
  const config = new KubeConfig()
  if (kubeconfig !== undefined) config.loadFromFile(kubeconfig)
  else if (process.env.KUBERNETES_SERVICE_HOST !== undefined) config.loadFromCluster()
  else throw new Error('this runs in no pod of a cluster: name a kubeconfig file')
  if (context !== undefined) config.setCurrentContext(context)
  const provider = config.getCurrentUser()?.authProvider?.name
  if (provider !== undefined && provider !== 'tokenFile')
    throw new Error(
      `the auth-provider "${provider}" of ${kubeconfig} is not supported: use a token, a certificate or an exec plugin`,
    )
  return config
}

/** A token's file may end with a line break, which no header may have. */
function trimmed(headers: RequestOptions['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value).trim()]))
}
