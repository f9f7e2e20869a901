import { readFile } from 'node:fs/promises'
import { GitFailure } from './failure.ts'
import { Git } from './git.ts'
import type { HttpOptions } from './http-json.ts'
import type { Remote } from './remote-url.ts'
import { openSession } from './session.ts'
import { type SignedIn, signIn } from './sign-in.ts'
import type { RepositoryOptions } from './types.ts'

/** What one fetch or push works with. */
export interface Operation {
  readonly git: Git
  readonly credentials: SignedIn
  readonly http: HttpOptions
}

/** Signs in, does the work, and takes away what it needed of secrets, however it ends. Throws what the work throws, and `GitFailure`. */
export async function inOperation<T>(
  remote: Remote,
  options: RepositoryOptions,
  signal: AbortSignal | undefined,
  work: (operation: Operation) => Promise<T>,
): Promise<T> {
  const { folder, secrets, signing, clock, meter, timeout } = options
  const http = { clock, meter, secrets, timeout, signal }
  const credentials = await signIn(options.credentials, remote, http)
  const signingKey = signing === undefined ? undefined : await readKey(signing.key, secrets)
  const session = await openSession({ remote, credentials, signingKey, environment: process.env })
  try {
    const git = new Git({ env: session.env, cwd: folder, clock, timeout, secrets, signal })
    return await work({
      git,
      credentials,
      http: { ...http, authority: credentials.authority, proxy: credentials.proxy },
    })
  } finally {
    await session.close()
  }
}

async function readKey(file: string, secrets: RepositoryOptions['secrets']): Promise<string> {
  const key = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new GitFailure('signing', `git.signing.key ${file} cannot be read (${error.code})`)
  })
  secrets.add(key)
  return key
}
