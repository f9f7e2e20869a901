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

type Forge = 'github' | 'gitlab' | 'gitea' | 'bitbucket' | 'azure'

const FORGES: ReadonlyArray<readonly [RegExp, Forge]> = [
  [/(?:^|\.)github\./, 'github'],
  [/(?:^|\.)gitlab\./, 'gitlab'],
  [/(?:^|\.)(?:gitea|forgejo|codeberg)\./, 'gitea'],
  [/(?:^|\.)bitbucket\.org$/, 'bitbucket'],
  [/(?:^|\.)(?:dev\.azure\.com|visualstudio\.com)$/, 'azure'],
]

const forgeOf = ({ host }: Remote): Forge | undefined => FORGES.find(([pattern]) => pattern.test(host))?.[1]

/** The page of a repository, for a remote of a forge; pages are served over https, whatever git speaks and on which port. */
function page({ scheme, host, hostPort, path }: Remote): string {
  if (scheme !== 'ssh') return `${scheme}://${hostPort}/${path}`
  const azure = /^v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path)
  if (host === 'ssh.dev.azure.com' && azure !== null)
    return `https://dev.azure.com/${azure[1]}/${azure[2]}/_git/${azure[3]}`
  return `https://${host}/${path}`
}

/** Where a commit can be looked at; undefined where the host's name says no forge. */
export function commitUrl(remote: Remote, commit: string): string | undefined {
  const forge = forgeOf(remote)
  if (forge === undefined) return undefined
  const way = { github: 'commit', gitlab: '-/commit', gitea: 'commit', bitbucket: 'commits', azure: 'commit' }[forge]
  return `${page(remote)}/${way}/${commit}`
}

/** Where a branch can be compared with another and its merge be asked for; undefined where the host's name says no forge. */
export function compareUrl(remote: Remote, target: string, branch: string): string | undefined {
  const forge = forgeOf(remote)
  if (forge === undefined) return undefined
  const [from, to] = [encodeURIComponent(branch), encodeURIComponent(target)]
  const way = {
    github: `compare/${to}...${from}?expand=1`,
    gitlab: `-/merge_requests/new?merge_request%5Bsource_branch%5D=${from}&merge_request%5Btarget_branch%5D=${to}`,
    gitea: `compare/${to}...${from}`,
    bitbucket: `pull-requests/new?source=${from}&dest=${to}`,
    azure: `pullrequestcreate?sourceRef=${from}&targetRef=${to}`,
  }[forge]
  return `${page(remote)}/${way}`
}

/** The first address in what a server says after a push, which is where most forges say how to ask for the merge. */
export function urlSaid(text: string): string | undefined {
  return /^remote:.*?(https?:\/\/[^\s'"<>]+)/m.exec(text)?.[1]
}
