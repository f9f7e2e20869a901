import type { Remote } from './remote-url.ts'

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
