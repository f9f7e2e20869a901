import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { dirname, resolve } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { load as loadYaml } from 'js-yaml'

/** Which API server to connect to. */
export interface ConnectOptions {
  /** A kubeconfig file; without one, the API server of the pod that the process runs in. */
  readonly kubeconfig?: string
  /** A context of that file, other than its current one. */
  readonly kubeContext?: string
}

/** The address of an API server, and the credentials of a request to it. */
export interface Access {
  readonly server: URL
  /** The namespace of the pod, or of the kubeconfig's context. */
  readonly namespace: string | undefined
  /** The context of the kubeconfig; undefined within a pod. */
  readonly context: string | undefined
  /**
   * The options of one request: agent, certificates and headers. Files are read again; a token at most a minute late.
   */
  options(): Promise<RequestOptions>
  /** Drops every token that was read or fetched. */
  renew(): void
}

/**
 * The API server of a kubeconfig file, or without one of the pod that the process runs in. Throws an error with a
 * sentence where there is neither, or where the file names no server.
 */
export function accessTo({ kubeconfig, kubeContext }: ConnectOptions): Access {
  let config = load(kubeconfig, kubeContext)
  const cluster = config.getCurrentCluster()
  if (cluster === null)
    throw new Error(
      `${kubeconfig ?? 'the kubeconfig'} has no cluster for the context "${config.getCurrentContext()}": name another with --context`,
    )
  return {
    server: new URL(cluster.server),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim(),
    context: kubeconfig === undefined ? undefined : config.getCurrentContext(),
    async options() {
      const options: RequestOptions = {}
      await config.applyToHTTPSOptions(options)
      return { ...options, headers: trimmedHeaders(options.headers) }
    },
    renew() {
      try {
        config = load(kubeconfig, kubeContext)
      } catch {
        // the file is being written; the next 401 reads it again
      }
    },
  }
}

function load(kubeconfig: string | undefined, kubeContext: string | undefined): KubeConfig {
  const config = new KubeConfig()
  if (kubeconfig !== undefined) {
    config.loadFromFile(kubeconfig)
    readTokenFiles(config, kubeconfig)
  } else if (process.env.KUBERNETES_SERVICE_HOST !== undefined) config.loadFromCluster()
  else throw new Error('KUBERNETES_SERVICE_HOST is not set, so this is not a pod: name a kubeconfig with --kubeconfig')
  if (kubeContext !== undefined) config.setCurrentContext(kubeContext)
  const provider = config.getCurrentUser()?.authProvider?.name
  if (provider !== undefined && provider !== 'tokenFile')
    throw new Error(
      `${kubeconfig} has the auth-provider "${provider}", which is not supported: use a token, a certificate or an exec plugin`,
    )
  return config
}

/**
 * Has users with a `tokenFile` read it, again and again, as kubectl does; the library would send their requests
 * anonymously. A path is relative to the kubeconfig.
 */
function readTokenFiles(config: KubeConfig, kubeconfig: string): void {
  const { users } = loadYaml(readFileSync(kubeconfig, 'utf8')) as { users?: readonly NamedUser[] | null }
  config.users = config.users.map((present) => {
    const tokenFile = users?.find(({ name }) => name === present.name)?.user?.tokenFile
    if (typeof tokenFile !== 'string' || tokenFile === '') return present
    const path = resolve(dirname(kubeconfig), tokenFile)
    return { ...present, token: undefined, authProvider: { name: 'tokenFile', config: { tokenFile: path } } }
  })
}

interface NamedUser {
  readonly name?: unknown
  readonly user?: { readonly tokenFile?: unknown } | null
}

/** Removes the line break at the end of a token's file, which no header may have. */
function trimmedHeaders(headers: RequestOptions['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value).trim()]))
}
