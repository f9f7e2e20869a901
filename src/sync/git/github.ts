import { createPrivateKey, createSign } from 'node:crypto'
import type { Secrets } from '../secrets.ts'
import { classify, GitFailure, type Reason } from './failure.ts'
import { saidOf } from './git.ts'
import { type HttpOptions, postJson } from './http-json.ts'
import type { Remote } from './remote.ts'
import type { FileChanges } from './repository.ts'

/** A GitHub App that is installed for the repository. */
export interface App {
  readonly id: string
  readonly installation: string
  readonly privateKey: string
}

/** A token for a server's clock that is behind by a minute; GitHub takes one for ten minutes at most. */
const BEHIND_SECONDS = 60
const VALID_SECONDS = 540

/** Where GitHub's programming interfaces are for a remote. https://docs.github.com/en/enterprise-server/rest */
export function apisOf(
  { scheme, host, hostPort }: Remote,
  apiUrl?: string,
): { readonly rest: string; readonly graphql: string } {
  const server = scheme === 'ssh' ? `https://${host}` : `${scheme}://${hostPort}`
  const rest = (apiUrl ?? (host === 'github.com' ? 'https://api.github.com' : `${server}/api/v3`)).replace(/\/+$/, '')
  return { rest, graphql: rest.endsWith('/api/v3') ? rest.replace(/\/v3$/, '/graphql') : `${rest}/graphql` }
}

/** Owner and name of the repository. Throws `GitFailure` for a path that has others. */
export function ownerAndName({ path }: Remote): { readonly owner: string; readonly name: string } {
  const [owner, name, ...rest] = path.split('/')
  if (owner === undefined || name === undefined || owner === '' || name === '' || rest.length > 0)
    throw new GitFailure('configuration', 'git.url has no owner and name as a repository of GitHub has')
  return { owner, name }
}

/**
 * A token for one repository's contents, which is good for an hour.
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/authenticating-as-a-github-app-installation
 */
export async function installationToken(
  app: App,
  remote: Remote,
  apiUrl: string | undefined,
  options: HttpOptions,
): Promise<string> {
  const { rest } = apisOf(remote, apiUrl)
  const url = `${rest}/app/installations/${encodeURIComponent(app.installation)}/access_tokens`
  const body = { repositories: [ownerAndName(remote).name], permissions: { contents: 'write' } }
  const answer = await postJson(url, `Bearer ${jwtOf(app, options.clock.now(), options.secrets)}`, body, options)
  const token = (answer as { token?: unknown } | null)?.token
  if (typeof token !== 'string' || token === '') throw new GitFailure('server-error', 'GitHub has given no token')
  options.secrets.add(token)
  return token
}

/** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
function jwtOf({ id, privateKey }: App, now: number, secrets: Secrets): string {
  const seconds = Math.floor(now / 1000)
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = { iat: seconds - BEHIND_SECONDS, exp: seconds + VALID_SECONDS, iss: id }
  const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(payload)}`
  try {
    const token = `${text}.${createSign('RSA-SHA256').update(text).sign(createPrivateKey(privateKey), 'base64url')}`
    secrets.add(token)
    return token
  } catch {
    throw new GitFailure('credentials', 'githubAppPrivateKey is no RSA private key in PEM form')
  }
}

/** Types of errors whose message alone says nothing. */
const TYPES: Readonly<Record<string, Reason>> = {
  STALE_DATA: 'old-value',
  FORBIDDEN: 'permission',
  NOT_FOUND: 'not-found',
  RATE_LIMITED: 'rate-limited',
  RATE_LIMIT: 'rate-limited',
  UNPROCESSABLE: 'rules',
  INTERNAL: 'server-error',
  SERVICE_UNAVAILABLE: 'server-error',
}

const COMMIT = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url } }
}`
const BRANCH = `mutation($input: CreateRefInput!) {
  createRef(input: $input) { ref { name } }
}`
const MOVE = `mutation($input: UpdateRefInput!) {
  updateRef(input: $input) { ref { name } }
}`
const AHEAD = `query($owner: String!, $name: String!, $base: String!, $branch: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    own: ref(qualifiedName: $ref) { id }
    ref(qualifiedName: $base) { compare(headRef: $branch) { aheadBy } }
  }
}`
const ID = `query($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { id }
}`

/** GitHub's GraphQL interface for one repository. https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch */
export class GitHub {
  readonly #remote: Remote
  readonly #token: string
  readonly #url: string
  readonly #options: HttpOptions

  constructor(remote: Remote, token: string, apiUrl: string | undefined, options: HttpOptions) {
    this.#remote = remote
    this.#token = token
    this.#url = apisOf(remote, apiUrl).graphql
    this.#options = options
  }

  /** Makes a commit on a branch that is at `expected`, and no other; gives its id. GitHub signs it. Throws `GitFailure`. */
  async commit({
    branch,
    expected,
    changes,
    message,
  }: {
    branch: string
    expected: string
    changes: FileChanges
    message: string
  }): Promise<string> {
    const { owner, name } = ownerAndName(this.#remote)
    const [headline = '', ...rest] = message.trim().split('\n')
    const body = rest.join('\n').trim()
    const input = {
      branch: { repositoryNameWithOwner: `${owner}/${name}`, branchName: branch },
      expectedHeadOid: expected,
      message: { headline, ...(body === '' ? {} : { body }) },
      fileChanges: {
        additions: [...changes.write].map(([path, text]) => ({ path, contents: Buffer.from(text).toString('base64') })),
        deletions: changes.remove.map((path) => ({ path })),
      },
    }
    const { createCommitOnBranch } = await this.#ask<{ createCommitOnBranch?: { commit?: { oid?: unknown } } }>(
      COMMIT,
      { input },
    )
    const oid = createCommitOnBranch?.commit?.oid
    if (typeof oid !== 'string') throw new GitFailure('server-error', 'GitHub has named no commit')
    return oid
  }

  /** Makes a branch that must not be there yet. Throws `GitFailure`. */
  async createBranch(branch: string, commit: string): Promise<void> {
    const { repository } = await this.#ask<{ repository?: { id?: unknown } | null }>(ID, ownerAndName(this.#remote))
    await this.#ask(BRANCH, { input: { repositoryId: repository?.id, name: `refs/heads/${branch}`, oid: commit } })
  }

  /** How many commits a branch has that another has not, and GitHub's own name for the branch. Throws `GitFailure`. */
  async compare(branch: string, base: string): Promise<{ readonly ahead: number; readonly id: string }> {
    const { repository } = await this.#ask<{
      repository?: { own?: { id?: unknown } | null; ref?: { compare?: { aheadBy?: unknown } | null } | null } | null
    }>(AHEAD, {
      ...ownerAndName(this.#remote),
      base: `refs/heads/${base}`,
      branch,
      ref: `refs/heads/${branch}`,
    })
    const [ahead, id] = [repository?.ref?.compare?.aheadBy, repository?.own?.id]
    if (typeof ahead !== 'number' || typeof id !== 'string')
      throw new GitFailure('server-error', 'GitHub has not compared the branches')
    return { ahead, id }
  }

  /** Moves a branch forward, and never back or aside. Throws `GitFailure`. */
  async moveBranch(id: string, commit: string): Promise<void> {
    await this.#ask(MOVE, { input: { refId: id, oid: commit, force: false } })
  }

  async #ask<T>(query: string, variables: unknown): Promise<T> {
    const answer = (await postJson(this.#url, `Bearer ${this.#token}`, { query, variables }, this.#options)) as {
      data?: T | null
      errors?: ReadonlyArray<{ type?: string; message?: string }>
    } | null
    const [first] = answer?.errors ?? []
    if (first !== undefined) {
      const text = this.#options.secrets.scrub(saidOf(`${first.type ?? 'error'}: ${first.message ?? ''}`))
      const reason = classify(first.message ?? '')
      throw new GitFailure(reason === 'unknown' ? (TYPES[first.type ?? ''] ?? 'unknown') : reason, text)
    }
    if (answer?.data === undefined || answer.data === null)
      throw new GitFailure('server-error', 'GitHub has answered with nothing')
    return answer.data
  }
}
