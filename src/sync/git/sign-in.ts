import { type Credentials, readCredentials } from './credentials.ts'
import { GitFailure } from './failure.ts'
import { installationToken } from './github.ts'
import type { HttpOptions } from './http-json.ts'
import { type Remote, remoteOf } from './remote-url.ts'

/** Credentials that are ready for one operation; an App's are a token that was made for it. */
export interface SignedIn extends Credentials {
  /** What GitHub's interface takes. */
  readonly token?: string
}

/** Reads the credentials of a folder for a remote. Throws `GitFailure` where they are for another host, or an App gets no token. */
export async function signIn(folder: string | undefined, remote: Remote, options: HttpOptions): Promise<SignedIn> {
  const read = await readCredentials(folder, options.secrets)
  if (read.url !== undefined && remoteOf(read.url).host !== remote.host)
    throw new GitFailure('credentials', `the Secret is for ${remoteOf(read.url).host}, and git.url for ${remote.host}`)
  if (read.app !== undefined) {
    const token = await installationToken(read.app, remote, read.apiUrl, {
      ...options,
      authority: read.authority,
      proxy: read.proxy,
    })
    // with SSH the password is that of the key
    if (remote.scheme === 'ssh') return { ...read, token }
    // the name that GitHub has for it: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
    return { ...read, username: 'x-access-token', password: token, bearerToken: undefined, token }
  }
  const [username, password] = [read.username ?? remote.username, read.password ?? remote.password]
  return { ...read, username, password, token: read.bearerToken ?? password }
}
