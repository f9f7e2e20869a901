import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secrets } from '../secrets.ts'
import { GitFailure } from './failure.ts'
import { type GitHubApp, installationToken } from './github.ts'
import type { HttpOptions } from './http-json.ts'
import { parseRemote, type Remote } from './remote.ts'

/** The fields of a Secret for Git. */
export interface Credentials {
  readonly url?: string
  readonly username?: string
  readonly password?: string
  readonly bearerToken?: string
  readonly sshKey?: string
  readonly knownHosts?: string
  readonly authority?: string
  readonly certificate?: string
  readonly certificateKey?: string
  readonly proxy?: string
  readonly app?: GitHubApp
  /** The URL of the GitHub API, where it is not GitHub's default. */
  readonly apiUrl?: string
}

/**
 * The keys of each field in the Secrets of Flux (GitRepository), Argo CD (repository) and Kubernetes (ssh-auth,
 * basic-auth, tls).
 * https://fluxcd.io/flux/components/source/gitrepositories/#secret-reference
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#repositories
 */
const KEYS = {
  url: ['url'],
  username: ['username'],
  password: ['password'],
  bearerToken: ['bearerToken'],
  sshKey: ['identity', 'sshPrivateKey', 'ssh-privatekey'],
  knownHosts: ['known_hosts', 'ssh_known_hosts'],
  authority: ['ca.crt', 'caFile'],
  certificate: ['tls.crt', 'certFile', 'tlsClientCertData'],
  certificateKey: ['tls.key', 'keyFile', 'tlsClientCertKey'],
  proxy: ['proxy'],
  appId: ['githubAppID'],
  appInstallation: ['githubAppInstallationID'],
  appKey: ['githubAppPrivateKey'],
  apiUrl: ['githubAppBaseURL', 'githubAppEnterpriseBaseUrl'],
} as const

type Field = keyof typeof KEYS

const SECRET_FIELDS: readonly Field[] = ['password', 'bearerToken', 'sshKey', 'certificateKey', 'proxy', 'appKey']
const SINGLE_LINE_FIELDS: readonly Field[] = [
  'url',
  'username',
  'password',
  'bearerToken',
  'proxy',
  'appId',
  'appInstallation',
  'apiUrl',
]

/**
 * Reads the files of a mounted Secret, and adds its secret fields to `secrets`. A missing folder gives no credentials.
 * Rejects with `GitFailure` for a file that cannot be read, and for a field with several lines that must have one.
 */
export async function readCredentials(folder: string | undefined, secrets: Secrets): Promise<Credentials> {
  if (folder === undefined) return {}
  const fields: Partial<Record<Field, string>> = {}
  for (const field of Object.keys(KEYS) as Field[]) {
    for (const key of KEYS[field]) fields[field] ??= await readField(join(folder, key))
    const value = fields[field]
    if (value === undefined) continue
    if (SECRET_FIELDS.includes(field)) secrets.add(value)
    if (SINGLE_LINE_FIELDS.includes(field) && /\p{Cc}/u.test(value))
      throw new GitFailure('credentials', `${KEYS[field][0]} of the Secret in ${folder} must be a single line`)
  }
  const { appId, appInstallation, appKey, ...rest } = fields
  if (appId === undefined && appKey === undefined) return rest
  if (appId === undefined || appKey === undefined || appInstallation === undefined)
    throw new GitFailure(
      'credentials',
      `a GitHub App needs githubAppID, githubAppInstallationID and githubAppPrivateKey in the Secret in ${folder}`,
    )
  return { ...rest, app: { id: appId, installation: appInstallation, privateKey: appKey } }
}

/** The trimmed text of a file; undefined where it is missing or empty. */
async function readField(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim()
    return text === '' ? undefined : text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new GitFailure('credentials', `cannot read ${file} of the Secret (${code})`)
  }
}

/** The credentials of one operation; those of an App have a token for it. */
export interface SessionCredentials extends Credentials {
  /** A token for the GitHub API. */
  readonly token?: string
}

/**
 * Reads the credentials for a remote, and gets a token for an App. Rejects with `GitFailure` where the Secret is for
 * another host, or GitHub gives no token.
 */
export async function signIn(
  folder: string | undefined,
  remote: Remote,
  options: HttpOptions,
): Promise<SessionCredentials> {
  const credentials = await readCredentials(folder, options.context.secrets)
  const { url, app, apiUrl, authority, proxy } = credentials
  const secretHost = url === undefined ? remote.host : parseRemote(url).host
  if (secretHost !== remote.host)
    throw new GitFailure('credentials', `the Secret is for ${secretHost}, but git.url is on ${remote.host}`)
  if (app !== undefined) {
    const token = await installationToken(app, remote, apiUrl, { ...options, authority, proxy })
    // over SSH the password is the passphrase of the key
    if (remote.scheme === 'ssh') return { ...credentials, token }
    // https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
    return { ...credentials, username: 'x-access-token', password: token, bearerToken: undefined, token }
  }
  const [username, password] = [credentials.username ?? remote.username, credentials.password ?? remote.password]
  return { ...credentials, username, password, token: credentials.bearerToken ?? password }
}
