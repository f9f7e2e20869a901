import { GitFailure } from './failure.ts'
import type { Git } from './git.ts'
import type { Commit, FileChanges, Person, Tree } from './repository.ts'

/** The ref that fast-import writes; its value before does not matter. */
export const IMPORT_REF = 'refs/nodefit/made'

export interface MakeCommitOptions {
  readonly env: Readonly<Record<string, string>>
  /** The parent; empty for the first commit. */
  readonly base: string
  /** The tree of the parent. */
  readonly tree: Tree
  readonly author: Person
  readonly committer: Person
  readonly isSigned: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Makes a commit that changes only the paths of `changes`, without touching a file on disk; returns its ID. Rejects
 * with `GitFailure`, with the reason `signing` where it cannot be signed.
 */
export async function makeCommit(git: Git, { changes, message }: Commit, options: MakeCommitOptions): Promise<string> {
  const { env, base, tree, author, committer, isSigned, now } = options
  const seconds = Math.floor(now / 1000)
  await git.run(['fast-import', '--quiet', '--done', '--force', '--date-format=raw'], {
    env,
    input: importStream(changes, { base, tree, seconds }),
  })
  const treeId = await git.line(['rev-parse', '--verify', `${IMPORT_REF}^{tree}`], { env })
  const people = {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: `@${seconds} +0000`,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: `@${seconds} +0000`,
  }
  const args = ['commit-tree', ...(isSigned ? ['-S'] : []), ...(base === '' ? [] : ['-p', base]), '-F', '-', treeId]
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

/** The input of fast-import. https://git-scm.com/docs/git-fast-import */
function importStream(
  { write, remove }: FileChanges,
  { base, tree, seconds }: { base: string; tree: Tree; seconds: number },
): Buffer {
  const parts: Array<string | Buffer> = [`feature done\n`]
  // without a parent the ref must not have one either
  if (base === '') parts.push(`reset ${IMPORT_REF}\n\n`)
  parts.push(`commit ${IMPORT_REF}\ncommitter nodefit <nodefit> ${seconds} +0000\ndata 0\n`)
  if (base !== '') parts.push(`from ${base}\n`)
  const quoted = (path: string) => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  for (const path of remove) parts.push(`D ${quoted(path)}\n`)
  for (const [path, text] of write) {
    const bytes = Buffer.from(text)
    const mode = tree.entries.get(path)?.mode ?? '100644'
    parts.push(`M ${mode} inline ${quoted(path)}\ndata ${bytes.length}\n`, bytes, '\n')
  }
  parts.push('done\n')
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

const TRAILER = /^[A-Za-z][A-Za-z0-9-]*: \S/

/** The message with a Signed-off-by trailer of the committer, which certifies the Developer Certificate of Origin. */
export function signedOff(message: string, { name, email }: Person): string {
  const text = message.trimEnd()
  const trailer = `Signed-off-by: ${name} <${email}>`
  const lastLines = text.slice(text.lastIndexOf('\n\n') + 2).split('\n')
  if (lastLines.includes(trailer)) return `${text}\n`
  const hasTrailers = text.includes('\n\n') && lastLines.every((line) => TRAILER.test(line))
  return `${text}${hasTrailers ? '\n' : '\n\n'}${trailer}\n`
}
