import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secrets } from '../secrets.ts'
import { GitFailure } from './failure.ts'
import { type App, installationToken } from './github.ts'
import type { HttpOptions } from './http-json.ts'
import { type Remote, remoteOf } from './remote.ts'

/** What a Secret for Git holds, whoever's names its fields have. */
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
  readonly app?: App
  /** The address of GitHub's interface, if that is not GitHub's own. */
  readonly apiUrl?: string
}

/**
 * Field names in the Secrets of Flux (GitRepository), Argo CD (repository) and Kubernetes (ssh-auth, basic-auth, tls).
 * https://fluxcd.io/flux/components/source/gitrepositories/#secret-reference
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#repositories
 */
const NAMES = {
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

type Field = keyof typeof NAMES

const SECRET: readonly Field[] = ['password', 'bearerToken', 'sshKey', 'certificateKey', 'proxy', 'appKey']
const ONE_LINE: readonly Field[] = [
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
 * Reads the files of a mounted Secret, and tells what of them is secret to whom scrubs the log. A folder that is not there holds nothing.
 * Throws `GitFailure` for a file that cannot be read or a field that has several lines where one belongs.
 */
export async function readCredentials(folder: string | undefined, secrets: Secrets): Promise<Credentials> {
  if (folder === undefined) return {}
  const fields: Partial<Record<Field, string>> = {}
  for (const field of Object.keys(NAMES) as Field[]) {
    for (const name of NAMES[field]) fields[field] ??= await textOf(join(folder, name))
    const value = fields[field]
    if (value === undefined) continue
    if (SECRET.includes(field)) secrets.add(value)
    if (ONE_LINE.includes(field) && /\p{Cc}/u.test(value))
      throw new GitFailure('credentials', `${NAMES[field][0]} of the Secret in ${folder} has several lines`)
  }
  const { appId, appInstallation, appKey, ...rest } = fields
  if (appId === undefined && appKey === undefined) return rest
  if (appId === undefined || appKey === undefined || appInstallation === undefined)
    throw new GitFailure(
      'credentials',
      `a GitHub App needs githubAppID, githubAppInstallationID and githubAppPrivateKey in ${folder}`,
    )
  return { ...rest, app: { id: appId, installation: appInstallation, privateKey: appKey } }
}

/** What was put into a Secret with a line end is meant without it; an empty field is none. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim()
    return text === '' ? undefined : text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new GitFailure('credentials', `${file} cannot be read (${code})`)
  }
}

/** Credentials that are ready for one operation; an App's are a token that was made for it. */
export interface SignedIn extends Credentials {
  /** What GitHub's interface takes. */
  readonly token?: string
}

/** Reads the credentials of a folder for a remote. Throws `GitFailure` where they are for another host, or an App gets no token. */
export async function signIn(folder: string | undefined, remote: Remote, options: HttpOptions): Promise<SignedIn> {
  const read = await readCredentials(folder, options.secrets)
  if (read.url !== undefined && remoteOf(read.url).host !== remote.host)
    throw new GitFailure('credentials', `the Secret is for ${remoteOf(read.url).host}, and git.url for ${remote.host}`)
  if (read.app !== undefined) {
    const token = await installationToken(read.app, remote, read.apiUrl, {
      ...options,
      authority: read.authority,
      proxy: read.proxy,
    })
    // with SSH the password is that of the key
    if (remote.scheme === 'ssh') return { ...read, token }
    // the name that GitHub has for it: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
    return { ...read, username: 'x-access-token', password: token, bearerToken: undefined, token }
  }
  const [username, password] = [read.username ?? remote.username, read.password ?? remote.password]
  return { ...read, username, password, token: read.bearerToken ?? password }
}
