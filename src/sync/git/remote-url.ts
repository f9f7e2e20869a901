import { GitFailure } from './failure.ts'

/** Where a remote is. Its address holds no password. */
export interface Remote {
  readonly scheme: 'https' | 'http' | 'ssh' | 'file'
  /** What git is given. */
  readonly address: string
  /** Host name without port; empty for a file. */
  readonly host: string
  /** Host with its port, if it has one, as git's credential protocol says it. */
  readonly hostPort: string
  /** From the host's root, without the slash before it and `.git` after it. */
  readonly path: string
  /** What the URL itself holds, though a Secret is the place for it. */
  readonly username?: string
  readonly password?: string
}

const SCP = /^(?:([\w.+-]+)@)?([\w.-]+|\[[0-9a-f:]+\]):(?!\/\/)(.+)$/i
const SCHEMES = ['https', 'http', 'ssh', 'file'] as const

/** Reads `git.url`. Throws `GitFailure` for what is no URL of a kind that is known. */
export function remoteOf(url: string): Remote {
  const scp = url.includes('://') ? null : SCP.exec(url)
  if (scp !== null)
    return remoteOf(`ssh://${scp[1] === undefined ? '' : `${scp[1]}@`}${scp[2]}/${scp[3]?.replace(/^\//, '')}`)
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const scheme = SCHEMES.find((one) => `${one}:` === parsed?.protocol)
  // git reads a control character otherwise than a URL does, and an address that begins with a dash as an option
  if (
    parsed === undefined ||
    scheme === undefined ||
    /[\p{Cc} ]/u.test(url) ||
    [parsed.hostname, parsed.username].some((one) => one.startsWith('-'))
  )
    throw new GitFailure('configuration', 'git.url is no https, http, ssh or file URL, and not user@host:path')
  if (scheme === 'file' && parsed.host !== '')
    throw new GitFailure('configuration', 'git.url with file:// has three slashes before its path')
  const { username, password } = parsed
  const user = scheme === 'ssh' && username !== '' ? `${username}@` : ''
  const base = {
    scheme,
    host: parsed.hostname,
    hostPort: parsed.host,
    path: parsed.pathname.replace(/^\/+|\/+$|\.git\/*$/g, ''),
  }
  return {
    ...base,
    address: `${scheme}://${user}${parsed.host}${parsed.pathname}`,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  }
}
