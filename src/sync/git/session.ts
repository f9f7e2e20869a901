import { randomBytes } from 'node:crypto'
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Credentials } from './credentials.ts'
import { GitFailure } from './failure.ts'
import { proxyFor } from './proxy.ts'
import type { Remote } from './remote.ts'
import { askpassScript, configText, helperScript, type Setting, sshCommand } from './session-files.ts'

/** What git runs with during one operation: an environment without secrets, which leads to files that only this user can read. */
export interface Session {
  readonly env: Readonly<Record<string, string>>
  /** Takes the files away. */
  close(): Promise<void>
}

export interface SessionOptions {
  readonly remote: Remote
  readonly credentials: Credentials
  /** The key that commits are signed with. */
  readonly signingKey?: string
  /** Environment to take the search path and the proxy from. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Prepares an operation. Nothing of the machine's or the user's configuration counts, no hook runs, no protocol but the remote's is spoken,
 * and nobody is asked. Throws `GitFailure` where the credentials do not fit the remote.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const folder = await makePrivateFolder()
  const close = () => rm(folder, { recursive: true, force: true })
  try {
    const env = await prepare(folder, options)
    return { env, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function prepare(folder: string, { remote, credentials, signingKey, environment }: SessionOptions) {
  const keep = async (name: string, text: string, mode = 0o600): Promise<string> => {
    await writeFile(join(folder, name), text, { mode })
    return join(folder, name)
  }
  const settings: Setting[] = []
  const env: Record<string, string> = {
    PATH: environment.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    TMPDIR: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'config'),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: remote.scheme,
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
  if (remote.scheme === 'ssh') {
    const { sshKey, knownHosts, password } = credentials
    if (sshKey === undefined)
      throw new GitFailure(
        'credentials',
        'git.url is SSH, and the Secret has no private key (identity or sshPrivateKey)',
      )
    if (knownHosts === undefined)
      throw new GitFailure(
        'host-key',
        'git.url is SSH, and the Secret has no known_hosts: the server cannot be told from another',
      )
    const key = await keep('identity', asLines(sshKey))
    env.GIT_SSH_COMMAND = sshCommand({
      key,
      knownHosts: await keep('known_hosts', asLines(knownHosts)),
      asks: password !== undefined,
    })
    env.GIT_SSH_VARIANT = 'ssh'
    if (password !== undefined) {
      env.SSH_ASKPASS = await keep('askpass', askpassScript(await keep('passphrase', `${password}\n`)), 0o700)
      env.SSH_ASKPASS_REQUIRE = 'force'
    }
  }
  if (remote.scheme === 'http' || remote.scheme === 'https') {
    const { bearerToken, username, password } = credentials
    const { authority, certificate, certificateKey } = credentials
    if (bearerToken !== undefined) {
      // a header goes wherever the server leads to
      settings.push(['http.followRedirects', 'false'])
      settings.push([`http.${remote.scheme}://${remote.hostPort}/.extraHeader`, `Authorization: Bearer ${bearerToken}`])
    } else if (password !== undefined) {
      const answer = await keep('credential', `username=${username ?? 'git'}\npassword=${password}\n`)
      const helper = await keep('helper', helperScript(remote, answer), 0o700)
      settings.push(['credential.helper', `!'${helper.replaceAll("'", "'\\''")}'`])
    }
    if (authority !== undefined) settings.push(['http.sslCAInfo', await keep('ca.crt', asLines(authority))])
    if (certificate !== undefined && certificateKey !== undefined) {
      settings.push(['http.sslCert', await keep('tls.crt', asLines(certificate))])
      settings.push(['http.sslKey', await keep('tls.key', asLines(certificateKey))])
    }
    const proxy = proxyFor(remote, credentials.proxy, environment)
    if (proxy !== undefined) settings.push(['http.proxy', proxy])
    const none = environment.NO_PROXY ?? environment.no_proxy
    if (none !== undefined) env.NO_PROXY = none
    if (environment.SSL_CERT_FILE !== undefined) env.SSL_CERT_FILE = environment.SSL_CERT_FILE
  }
  if (remote.scheme === 'file') settings.push(['safe.directory', '*'])
  if (signingKey !== undefined) settings.push(['user.signingKey', await keep('signing', asLines(signingKey))])
  await keep('config', configText(settings))
  return env
}

/** Programs want a line end after the last line of a key, and none of another system's. */
const asLines = (text: string): string => `${text.replaceAll('\r', '').trimEnd()}\n`

const PREFIX = 'nodefit-private-'
const NAME = /^nodefit-private-(\d+)-([0-9a-f]{12})-/
/** Tells this process from an earlier one that had its id, as the first one of a container always has. */
const MARK = randomBytes(6).toString('hex')

/**
 * Makes a folder for secrets that only this user can read. It is in the system's temporary folder, which in the cluster is memory, and never
 * beside the clone, which is a disk.
 */
export function makePrivateFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${MARK}-`))
}

/** Takes away the private folders of this user's processes that were killed before they could; what is no such folder stays. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, id, mark] = NAME.exec(name) ?? []
    if (id === undefined || mark === MARK || (Number(id) !== process.pid && isRunning(Number(id)))) continue
    const path = join(tmpdir(), name)
    const is = await lstat(path).catch(() => undefined)
    if (is?.isDirectory() && is.uid === process.getuid?.()) await rm(path, { recursive: true, force: true })
  }
}

/** Whether there is a process of this id, whoever's it is. */
export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
