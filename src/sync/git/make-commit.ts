import { GitFailure } from './failure.ts'
import type { Git } from './git.ts'
import type { Commit, FileChanges, Person } from './repository.ts'
import type { Tree } from './tree.ts'

/** Where a commit is put together; what it was before does not count. */
export const MADE = 'refs/nodefit/made'

export interface MakeOptions {
  readonly env: Readonly<Record<string, string>>
  /** The commit before it; empty for the first one. */
  readonly base: string
  readonly tree: Tree
  readonly author: Person
  readonly committer: Person
  readonly isSigned: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Makes a commit on top of another, without touching any file on disk or any path but those of the changes. Throws `GitFailure`, with
 * `signing` where it cannot be signed.
 */
export async function makeCommit(git: Git, { changes, message }: Commit, options: MakeOptions): Promise<string> {
  const { env, base, tree, author, committer, isSigned, now } = options
  const seconds = Math.floor(now / 1000)
  await git.run(['fast-import', '--quiet', '--done', '--force', '--date-format=raw'], {
    env,
    input: importOf(changes, { base, tree, seconds }),
  })
  const made = await git.line(['rev-parse', '--verify', `${MADE}^{tree}`], { env })
  const people = {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: `@${seconds} +0000`,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: `@${seconds} +0000`,
  }
  const args = ['commit-tree', ...(isSigned ? ['-S'] : []), ...(base === '' ? [] : ['-p', base]), '-F', '-', made]
  try {
    const commit = await git.line(args, { env: { ...env, ...people }, input: message })
    const text = await git.run(['cat-file', 'commit', commit], { env })
    if (isSigned && !/^gpgsig /m.test(text.stdout.toString().split('\n\n')[0] ?? ''))
      throw new GitFailure('signing', 'git made a commit without a signature')
    return commit
  } catch (error) {
    if (!isSigned || !(error instanceof GitFailure) || error.reason === 'stopped' || error.reason === 'timeout')
      throw error
    throw new GitFailure('signing', error.message)
  }
}

/** The stream that fast-import reads. https://git-scm.com/docs/git-fast-import */
function importOf(
  { write, remove }: FileChanges,
  { base, tree, seconds }: { base: string; tree: Tree; seconds: number },
): Buffer {
  const parts: Array<string | Buffer> = [`feature done\n`]
  // without a base the branch has to begin anew
  if (base === '') parts.push(`reset ${MADE}\n\n`)
  parts.push(`commit ${MADE}\ncommitter nodefit <nodefit> ${seconds} +0000\ndata 0\n`)
  if (base !== '') parts.push(`from ${base}\n`)
  const quoted = (path: string) => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  for (const path of remove) parts.push(`D ${quoted(path)}\n`)
  for (const [path, text] of write) {
    const bytes = Buffer.from(text)
    parts.push(
      `M ${tree.entries.get(path)?.mode ?? '100644'} inline ${quoted(path)}\ndata ${bytes.length}\n`,
      bytes,
      '\n',
    )
  }
  parts.push('done\n')
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

const TRAILER = /^[A-Za-z][A-Za-z0-9-]*: \S/

/** A message with the line by which its committer certifies the Developer Certificate of Origin, beside the trailers it has. */
export function signedOff(message: string, { name, email }: Person): string {
  const text = message.trimEnd()
  const line = `Signed-off-by: ${name} <${email}>`
  const last = text.slice(text.lastIndexOf('\n\n') + 2).split('\n')
  if (last.includes(line)) return `${text}\n`
  const isTrailers = text.includes('\n\n') && last.every((one) => TRAILER.test(one))
  return `${text}${isTrailers ? '\n' : '\n\n'}${line}\n`
}
