import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

/** A service account of the cluster with rights of its own, and what it needs to reach the API server as a pod does. */
export interface ApiUser {
  readonly name: string
  /** The file of its token. */
  readonly token: string
  /** Writes a new token into the file. */
  readonly renew: () => void
  /** Gives it what rules name, in the whole cluster. */
  readonly allow: (role: string, verbs: string, resources: string) => void
  /** Takes that away. */
  readonly deny: (role: string) => void
  /** A kubeconfig of it by another port of loopback, with the server's certificate or another one. */
  readonly kubeconfig: (port: number, certificate?: string) => string
}

/** Makes a service account in the namespace `default`. */
export function apiUser({ folder, kubectl }: Cluster, name: string): ApiUser {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = kubectl(args)
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  run('create', 'serviceaccount', name)
  const token = join(folder, `${name}.token`)
  const renew = () => writeFileSync(token, run('create', 'token', name))
  renew()
  return {
    name,
    token,
    renew,
    allow: (role, verbs, resources) => {
      run('create', 'clusterrole', role, `--verb=${verbs}`, `--resource=${resources}`)
      run('create', 'clusterrolebinding', role, `--clusterrole=${role}`, `--serviceaccount=default:${name}`)
    },
    deny: (role) => void run('delete', 'clusterrole,clusterrolebinding', role),
    kubeconfig: (port, certificate = readFileSync(join(folder, 'certs/apiserver.crt'), 'utf8')) => {
      const file = join(folder, `${name}-${port}-${certificate.length}.kubeconfig`)
      const authority = Buffer.from(certificate).toString('base64')
      const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': authority }
      const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile: token } } }
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'test', cluster }],
        users: [{ name, user }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: name, namespace: 'default' } }],
        'current-context': 'test',
      }
      writeFileSync(file, JSON.stringify(config))
      return file
    },
  }
}
