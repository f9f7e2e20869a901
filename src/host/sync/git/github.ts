import { createPrivateKey, createSign } from 'node:crypto'
import type { Secrets } from '../secrets.ts'
import { classify, GitFailure, type Reason } from './failure.ts'
import { readableOutput } from './git.ts'
import { type HttpOptions, postJson } from './http-json.ts'
import type { Remote } from './remote.ts'
import type { FileChanges } from './repository.ts'

/** A GitHub App that is installed for the repository. */
export interface GitHubApp {
  readonly id: string
  readonly installation: string
  readonly privateKey: string
}

/**
 * A JWT is issued a minute in the past, for servers whose clock is behind; GitHub accepts one for ten minutes at most.
 */
const ISSUED_BEFORE_SECONDS = 60
const VALID_SECONDS = 540

/** The URLs of GitHub's APIs for a remote. https://docs.github.com/en/enterprise-server/rest */
function apiUrlsOf(
  { scheme, host, hostPort }: Remote,
  apiUrl?: string,
): { readonly rest: string; readonly graphql: string } {
  const server = scheme === 'ssh' ? `https://${host}` : `${scheme}://${hostPort}`
  const rest = (apiUrl ?? (host === 'github.com' ? 'https://api.github.com' : `${server}/api/v3`)).replace(/\/+$/, '')
  return { rest, graphql: rest.endsWith('/api/v3') ? rest.replace(/\/v3$/, '/graphql') : `${rest}/graphql` }
}

/** The owner and the name of a repository. Throws `GitFailure` for a path of another form. */
function ownerAndName({ path }: Remote): { readonly owner: string; readonly name: string } {
  const [owner, name, ...rest] = path.split('/')
  if (owner === undefined || name === undefined || owner === '' || name === '' || rest.length > 0)
    throw new GitFailure('configuration', 'git.url must end with OWNER/NAME where git.pushVia is github')
  return { owner, name }
}

/**
 * Gets a token for the contents of one repository, valid for an hour.
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/authenticating-as-a-github-app-installation
 */
export async function installationToken(
  app: GitHubApp,
  remote: Remote,
  apiUrl: string | undefined,
  options: HttpOptions,
): Promise<string> {
  const { clock, secrets } = options.context
  const { rest } = apiUrlsOf(remote, apiUrl)
  const url = `${rest}/app/installations/${encodeURIComponent(app.installation)}/access_tokens`
  const body = { repositories: [ownerAndName(remote).name], permissions: { contents: 'write' } }
  const response = await postJson(url, `Bearer ${signJwt(app, clock.now(), secrets)}`, body, options)
  const token = (response as { token?: unknown } | null)?.token
  if (typeof token !== 'string' || token === '')
    throw new GitFailure('server-error', 'the response of GitHub has no token')
  secrets.add(token)
  return token
}

/**
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
function signJwt({ id, privateKey }: GitHubApp, now: number, secrets: Secrets): string {
  const seconds = Math.floor(now / 1000)
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = { iat: seconds - ISSUED_BEFORE_SECONDS, exp: seconds + VALID_SECONDS, iss: id }
  const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(payload)}`
  try {
    const token = `${text}.${createSign('RSA-SHA256').update(text).sign(createPrivateKey(privateKey), 'base64url')}`
    secrets.add(token)
    return token
  } catch {
    throw new GitFailure('credentials', 'githubAppPrivateKey of the Secret must be an RSA private key in PEM form')
  }
}

/** The reasons of GraphQL error types whose message matches no pattern. */
const ERROR_TYPES: Readonly<Record<string, Reason>> = {
  STALE_DATA: 'old-value',
  FORBIDDEN: 'permission',
  NOT_FOUND: 'not-found',
  RATE_LIMITED: 'rate-limited',
  RATE_LIMIT: 'rate-limited',
  UNPROCESSABLE: 'rules',
  INTERNAL: 'server-error',
  SERVICE_UNAVAILABLE: 'server-error',
}

const CREATE_COMMIT = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url } }
}`
const CREATE_REF = `mutation($input: CreateRefInput!) {
  createRef(input: $input) { ref { name } }
}`
const UPDATE_REF = `mutation($input: UpdateRefInput!) {
  updateRef(input: $input) { ref { name } }
}`
const COMPARE = `query($owner: String!, $name: String!, $base: String!, $branch: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    own: ref(qualifiedName: $ref) { id }
    ref(qualifiedName: $base) { compare(headRef: $branch) { aheadBy } }
  }
}`
const REPOSITORY_ID = `query($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { id }
}`

/**
 * GitHub's GraphQL API for one repository. https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
 */
export class GitHub {
  readonly #remote: Remote
  readonly #token: string
  readonly #url: string
  readonly #options: HttpOptions

  constructor(remote: Remote, token: string, apiUrl: string | undefined, options: HttpOptions) {
    this.#remote = remote
    this.#token = token
    this.#url = apiUrlsOf(remote, apiUrl).graphql
    this.#options = options
  }

  /**
   * Makes a commit, which GitHub signs, on a branch whose head must be `expected`; returns its ID. Rejects with
   * `GitFailure`.
   */
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
    const { createCommitOnBranch } = await this.#query<{ createCommitOnBranch?: { commit?: { oid?: unknown } } }>(
      CREATE_COMMIT,
      { input },
    )
    const oid = createCommitOnBranch?.commit?.oid
    if (typeof oid !== 'string') throw new GitFailure('server-error', 'the response of GitHub has no commit')
    return oid
  }

  /** Creates a branch that must not exist. Rejects with `GitFailure`. */
  async createBranch(branch: string, commit: string): Promise<void> {
    const variables = ownerAndName(this.#remote)
    const { repository } = await this.#query<{ repository?: { id?: unknown } | null }>(REPOSITORY_ID, variables)
    await this.#query(CREATE_REF, {
      input: { repositoryId: repository?.id, name: `refs/heads/${branch}`, oid: commit },
    })
  }

  /**
   * The number of commits that a branch has and `base` has not, and GitHub's ID of the branch. Rejects with
   * `GitFailure`.
   */
  async compare(branch: string, base: string): Promise<{ readonly ahead: number; readonly id: string }> {
    const { repository } = await this.#query<{
      repository?: { own?: { id?: unknown } | null; ref?: { compare?: { aheadBy?: unknown } | null } | null } | null
    }>(COMPARE, {
      ...ownerAndName(this.#remote),
      base: `refs/heads/${base}`,
      branch,
      ref: `refs/heads/${branch}`,
    })
    const [ahead, id] = [repository?.ref?.compare?.aheadBy, repository?.own?.id]
    if (typeof ahead !== 'number' || typeof id !== 'string')
      throw new GitFailure('server-error', 'the response of GitHub has no comparison of the branches')
    return { ahead, id }
  }

  /** Fast-forwards a branch. Rejects with `GitFailure`. */
  async moveBranch(id: string, commit: string): Promise<void> {
    await this.#query(UPDATE_REF, { input: { refId: id, oid: commit, force: false } })
  }

  async #query<T>(query: string, variables: unknown): Promise<T> {
    const response = (await postJson(this.#url, `Bearer ${this.#token}`, { query, variables }, this.#options)) as {
      data?: T | null
      errors?: ReadonlyArray<{ type?: string; message?: string }>
    } | null
    const [first] = response?.errors ?? []
    if (first !== undefined) {
      const { type = '', message = '' } = first
      const text = this.#options.context.secrets.scrub(readableOutput(`${type || 'error'}: ${message}`))
      const reason = classify(message)
      throw new GitFailure(reason === 'unknown' ? (ERROR_TYPES[type] ?? 'unknown') : reason, text)
    }
    if (response?.data === undefined || response.data === null)
      throw new GitFailure('server-error', 'the response of GitHub has no data')
    return response.data
  }
}
