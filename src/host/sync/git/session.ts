import { randomBytes } from 'node:crypto'
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Credentials } from './credentials.ts'
import { GitFailure } from './failure.ts'
import { proxyFor } from './http-json.ts'
import type { Remote } from './remote.ts'

/** The environment of git for one operation. It has no secrets, but the paths of files that only this user can read. */
interface Session {
  readonly env: Readonly<Record<string, string>>
  /** Removes the files. */
  close(): Promise<void>
}

interface SessionOptions {
  readonly remote: Remote
  readonly credentials: Credentials
  /** The key that signs commits. */
  readonly signingKey?: string
  /** The environment that PATH and the proxy are taken from. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Prepares an operation. Git reads no configuration of the user or the machine, runs no hook, uses only the protocol of
 * the remote, and never prompts. Rejects with `GitFailure` where the credentials do not fit the remote.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const folder = await makePrivateFolder()
  const close = () => rm(folder, { recursive: true, force: true })
  try {
    const env = await writeFiles(folder, options)
    return { env, close }
  } catch (error) {
    await close()
    throw error
  }
}

type WriteFile = (name: string, text: string, mode?: number) => Promise<string>

/** Writes the files of a session; returns the environment with their paths. */
async function writeFiles(folder: string, { remote, credentials, signingKey, environment }: SessionOptions) {
  const write: WriteFile = async (name, text, mode = 0o600) => {
    await writeFile(join(folder, name), text, { mode })
    return join(folder, name)
  }
  const isHttp = remote.scheme === 'http' || remote.scheme === 'https'
  const settings: Setting[] = isHttp ? await httpSettings(remote, credentials, environment, write) : []
  if (remote.scheme === 'file') settings.push(['safe.directory', '*'])
  if (signingKey !== undefined) settings.push(['user.signingKey', await write('signing', keyText(signingKey))])
  await write('config', configText(settings))
  return {
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
    ...(remote.scheme === 'ssh' ? await sshEnvironment(credentials, write) : {}),
    ...(isHttp ? httpEnvironment(environment) : {}),
  }
}

async function sshEnvironment({ sshKey, knownHosts, password }: Credentials, write: WriteFile) {
  if (sshKey === undefined)
    throw new GitFailure(
      'credentials',
      'git.url is SSH, but the Secret has no private key: add identity or sshPrivateKey',
    )
  if (knownHosts === undefined)
    throw new GitFailure('host-key', 'git.url is SSH, but the Secret has no known_hosts to verify the server with')
  const key = await write('identity', keyText(sshKey))
  const hosts = await write('known_hosts', keyText(knownHosts))
  const hasPassphrase = password !== undefined
  const env = { GIT_SSH_COMMAND: sshCommand({ key, knownHosts: hosts, hasPassphrase }), GIT_SSH_VARIANT: 'ssh' }
  if (!hasPassphrase) return env
  const script = askpassScript(await write('passphrase', `${password}\n`))
  return { ...env, SSH_ASKPASS: await write('askpass', script, 0o700), SSH_ASKPASS_REQUIRE: 'force' }
}

async function httpSettings(
  remote: Remote,
  credentials: Credentials,
  environment: SessionOptions['environment'],
  write: WriteFile,
): Promise<Setting[]> {
  const { bearerToken, username, password, authority, certificate, certificateKey } = credentials
  const settings: Setting[] = []
  if (bearerToken !== undefined) {
    // git sends a header to whatever host a redirect names
    settings.push(['http.followRedirects', 'false'])
    settings.push([`http.${remote.scheme}://${remote.hostPort}/.extraHeader`, `Authorization: Bearer ${bearerToken}`])
  } else if (password !== undefined) {
    const credential = await write('credential', `username=${username ?? 'git'}\npassword=${password}\n`)
    const helper = await write('helper', helperScript(remote, credential), 0o700)
    settings.push(['credential.helper', `!'${helper.replaceAll("'", "'\\''")}'`])
  }
  if (authority !== undefined) settings.push(['http.sslCAInfo', await write('ca.crt', keyText(authority))])
  if (certificate !== undefined && certificateKey !== undefined) {
    settings.push(['http.sslCert', await write('tls.crt', keyText(certificate))])
    settings.push(['http.sslKey', await write('tls.key', keyText(certificateKey))])
  }
  const proxy = proxyFor(remote, credentials.proxy, environment)
  if (proxy !== undefined) settings.push(['http.proxy', proxy])
  return settings
}

function httpEnvironment(environment: SessionOptions['environment']): Record<string, string> {
  const noProxy = environment.NO_PROXY ?? environment.no_proxy
  return {
    ...(noProxy === undefined ? {} : { NO_PROXY: noProxy }),
    ...(environment.SSL_CERT_FILE === undefined ? {} : { SSL_CERT_FILE: environment.SSL_CERT_FILE }),
  }
}

/** The text of a key or certificate with Unix line ends, also after its last line, as OpenSSH and OpenSSL need it. */
const keyText = (text: string): string => `${text.replaceAll('\r', '').trimEnd()}\n`

const FOLDER_PREFIX = 'nodefit-private-'
const FOLDER_NAME = /^nodefit-private-(\d+)-([0-9a-f]{12})-/
/**
 * Distinguishes this process from an earlier one with its ID: the first process of a container always has the same ID.
 */
const PROCESS_MARK = randomBytes(6).toString('hex')

/**
 * Makes a folder that only this user can read, in the system's temporary folder: in the cluster that is memory, never a
 * disk.
 */
export function makePrivateFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-${PROCESS_MARK}-`))
}

/** Removes the private folders of this user's processes that were killed. */
export async function removeStaleFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, id, mark] = FOLDER_NAME.exec(name) ?? []
    if (id === undefined || mark === PROCESS_MARK || (Number(id) !== process.pid && isRunning(Number(id)))) continue
    const path = join(tmpdir(), name)
    const stats = await lstat(path).catch(() => undefined)
    if (stats?.isDirectory() && stats.uid === process.getuid?.()) await rm(path, { recursive: true, force: true })
  }
}

/** Whether a process with this ID exists, of any user. */
function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A variable of git's configuration with its value. */
type Setting = readonly [name: string, value: string]

/**
 * The settings of every operation: no hooks, helpers or submodules run, files are as in Git, and little memory is used.
 */
const COMMON_SETTINGS: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['push.followTags', 'false'],
  ['push.gpgSign', 'false'],
  ['protocol.version', '2'],
  ['transfer.credentialsInUrl', 'die'],
  ['maintenance.auto', 'false'],
  ['gc.auto', '2000'],
  ['gc.autoPackLimit', '20'],
  ['gc.autoDetach', 'false'],
  ['gc.pruneExpire', 'now'],
  ['gc.reflogExpire', 'now'],
  ['pack.threads', '1'],
  ['pack.windowMemory', '16m'],
  ['core.packedGitLimit', '64m'],
  ['gpg.format', 'ssh'],
  ['user.useConfigOnly', 'true'],
]

/** A configuration file of git, with the common settings and these. */
export function configText(settings: readonly Setting[]): string {
  return [...COMMON_SETTINGS, ...settings]
    .map(([name, value]) => {
      const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')]
      const section = name.slice(0, first)
      const subsection = first === last ? '' : ` ${quoted(name.slice(first + 1, last))}`
      return `[${section}${subsection}]\n\t${name.slice(last + 1)} = ${quoted(value)}\n`
    })
    .join('')
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Prints a file with shell builtins, so that its content is never an argument of a process. */
const printFile = (file: string): string =>
  `while IFS= read -r line; do printf '%s\\n' "$line"; done <${shellQuoted(file)}`

/**
 * A credential helper that prints `file` for one host only, also after redirects.
 * https://git-scm.com/docs/gitcredentials
 */
function helperScript({ scheme, hostPort }: Remote, file: string): string {
  return `#!/bin/sh
[ "$1" = get ] || exit 0
protocol= host=
while IFS='=' read -r name value; do
  case $name in protocol) protocol=$value ;; host) host=$value ;; esac
done
[ "$protocol" = ${shellQuoted(scheme)} ] && [ "$host" = ${shellQuoted(hostPort)} ] || exit 0
${printFile(file)}
`
}

/** The SSH_ASKPASS program, which prints the passphrase of the key. */
const askpassScript = (file: string): string => `#!/bin/sh\n${printFile(file)}\n`

/** The ssh command: one key, known hosts only, and no configuration of the user or the machine. */
function sshCommand({
  key,
  knownHosts,
  hasPassphrase,
}: {
  key: string
  knownHosts: string
  hasPassphrase: boolean
}): string {
  const options = [
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile="${knownHosts}"`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'NumberOfPasswordPrompts=1',
    `BatchMode=${hasPassphrase ? 'no' : 'yes'}`,
    'ConnectTimeout=15',
    'ServerAliveInterval=10',
    'ServerAliveCountMax=3',
    'ControlMaster=no',
    'ForwardAgent=no',
  ]
  return ['ssh', '-F', '/dev/null', '-i', key, ...options.flatMap((option) => ['-o', option])]
    .map(shellQuoted)
    .join(' ')
}
