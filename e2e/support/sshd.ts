import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './ports.ts'
import { PATH } from './program.ts'
import { type Server, Servers } from './servers.ts'

/** A private key and its public one, in OpenSSH's form. */
export interface Key {
  readonly file: string
  readonly privateKey: string
  readonly publicKey: string
}

/** Makes a key, with a passphrase if one is given. */
export function makeKey(folder: string, name: string, passphrase = ''): Key {
  const file = join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', name, '-f', file])
  return { file, privateKey: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8').trim() }
}

/** An SSH server on loopback that lets keys in as the user of this process. */
export interface Sshd {
  readonly port: number
  /** Lines for known_hosts by which it is known. */
  readonly knownHosts: string
  /** The address of a repository in a folder. */
  readonly url: (folder: string) => string
  /** Lets these public keys in, each with options before it if it has any. */
  readonly allow: (...keys: readonly string[]) => void
  readonly log: () => string
  stop(): Promise<void>
}

/** Starts the real sshd. */
export async function startSshd(): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-sshd-'))
  const [port = 0] = await freePorts(1)
  const host = makeKey(folder, 'host')
  const allowed = join(folder, 'authorized_keys')
  writeFileSync(allowed, '')
  const config = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: host.file,
    AuthorizedKeysFile: allowed,
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    PermitRootLogin: 'yes',
    LogLevel: 'VERBOSE',
  }
  writeFileSync(
    join(folder, 'config'),
    Object.entries(config)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  )
  // the folder that it separates its privileges in, which a service would make
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const program = execFileSync('sh', ['-c', 'command -v sshd'], { env: { PATH }, encoding: 'utf8' }).trim()
  const servers = new Servers(folder)
  const server: Server = await servers.start('sshd', [program, '-D', '-e', '-f', join(folder, 'config')], {
    env: { PATH },
    isReady: () => answersAt(port),
  })
  return {
    port,
    knownHosts: `[127.0.0.1]:${port} ${host.publicKey}`,
    url: (repository) => `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`,
    allow: (...keys) => writeFileSync(allowed, keys.map((key) => `${key}\n`).join('')),
    log: server.log,
    stop: () => servers.stop(),
  }
}

function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
