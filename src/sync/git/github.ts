import { createPrivateKey, createSign } from 'node:crypto'
import type { Secrets } from '../secrets.ts'
import type { App } from './credentials.ts'
import { GitFailure } from './failure.ts'
import { type HttpOptions, postJson } from './http-json.ts'
import type { Remote } from './remote-url.ts'

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
