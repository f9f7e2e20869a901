import { GitFailure } from './failure.ts'

/** The parsed URL of a remote. */
export interface Remote {
  readonly scheme: 'https' | 'http' | 'ssh' | 'file'
  /** The URL for git, without a password. */
  readonly address: string
  /** The host name without port; empty for a file. */
  readonly host: string
  /** The host with its port, if any, as git's credential protocol has it. */
  readonly hostPort: string
  /** The path without the leading slash and `.git`. */
  readonly path: string
  /** The user of the URL, which a Secret overrides. */
  readonly username?: string
  readonly password?: string
}

const SCP_FORM = /^(?:([\w.+-]+)@)?([\w.-]+|\[[0-9a-f:]+\]):(?!\/\/)(.+)$/i
const SCHEMES = ['https', 'http', 'ssh', 'file'] as const

/** Parses git.url. Throws `GitFailure` for a URL that is not supported. */
export function parseRemote(url: string): Remote {
  const scp = url.includes('://') ? null : SCP_FORM.exec(url)
  if (scp !== null)
    return parseRemote(`ssh://${scp[1] === undefined ? '' : `${scp[1]}@`}${scp[2]}/${scp[3]?.replace(/^\//, '')}`)
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const scheme = SCHEMES.find((known) => `${known}:` === parsed?.protocol)
  // git and URL differ on control characters, and git takes an address that begins with a dash as an option
  if (
    parsed === undefined ||
    scheme === undefined ||
    /[\p{Cc} ]/u.test(url) ||
    [parsed.hostname, parsed.username].some((part) => part.startsWith('-'))
  )
    throw new GitFailure('configuration', 'git.url must be an https, http, ssh or file URL, or user@host:path')
  if (scheme === 'file' && parsed.host !== '')
    throw new GitFailure('configuration', 'git.url must have three slashes after file:, as in file:///srv/fleet.git')
  const { username, password } = parsed
  const user = scheme === 'ssh' && username !== '' ? `${username}@` : ''
  return {
    scheme,
    host: parsed.hostname,
    hostPort: parsed.host,
    path: parsed.pathname.replace(/^\/+|\/+$|\.git\/*$/g, ''),
    address: `${scheme}://${user}${parsed.host}${parsed.pathname}`,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  }
}

type Forge = 'github' | 'gitlab' | 'gitea' | 'bitbucket' | 'azure'

const FORGES: ReadonlyArray<readonly [RegExp, Forge]> = [
  [/(?:^|\.)github\./, 'github'],
  [/(?:^|\.)gitlab\./, 'gitlab'],
  [/(?:^|\.)(?:gitea|forgejo|codeberg)\./, 'gitea'],
  [/(?:^|\.)bitbucket\.org$/, 'bitbucket'],
  [/(?:^|\.)(?:dev\.azure\.com|visualstudio\.com)$/, 'azure'],
]

const forgeOf = ({ host }: Remote): Forge | undefined => FORGES.find(([pattern]) => pattern.test(host))?.[1]

/** The web page of a repository; for an SSH remote it is on https. */
function repositoryUrl({ scheme, host, hostPort, path }: Remote): string {
  if (scheme !== 'ssh') return `${scheme}://${hostPort}/${path}`
  const azure = /^v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path)
  if (host === 'ssh.dev.azure.com' && azure !== null)
    return `https://dev.azure.com/${azure[1]}/${azure[2]}/_git/${azure[3]}`
  return `https://${host}/${path}`
}

/** The web page of a commit; undefined for a host that is no known forge. */
export function commitUrl(remote: Remote, commit: string): string | undefined {
  const forge = forgeOf(remote)
  if (forge === undefined) return undefined
  const path = { github: 'commit', gitlab: '-/commit', gitea: 'commit', bitbucket: 'commits', azure: 'commit' }[forge]
  return `${repositoryUrl(remote)}/${path}/${commit}`
}

/**
 * The web page that compares a branch with its target and opens a pull request; undefined for a host that is no known
 * forge.
 */
export function compareUrl(remote: Remote, target: string, branch: string): string | undefined {
  const forge = forgeOf(remote)
  if (forge === undefined) return undefined
  const [from, to] = [encodeURIComponent(branch), encodeURIComponent(target)]
  const path = {
    github: `compare/${to}...${from}?expand=1`,
    gitlab: `-/merge_requests/new?merge_request%5Bsource_branch%5D=${from}&merge_request%5Btarget_branch%5D=${to}`,
    gitea: `compare/${to}...${from}`,
    bitbucket: `pull-requests/new?source=${from}&dest=${to}`,
    azure: `pullrequestcreate?sourceRef=${from}&targetRef=${to}`,
  }[forge]
  return `${repositoryUrl(remote)}/${path}`
}

/** The first URL in the output of a push: most forges print there how to open a pull request. */
export function urlInOutput(text: string): string | undefined {
  return /^remote:.*?(https?:\/\/[^\s'"<>]+)/m.exec(text)?.[1]
}
