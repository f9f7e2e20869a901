import { GitFailure } from './failure.ts'
import type { RepositoryOptions } from './types.ts'

/** Throws `GitFailure` with `configuration` for an option that cannot be. */
export function checkOptions({ author, committer, branch, review }: RepositoryOptions): void {
  for (const { name, email } of [author, committer])
    if (name.trim() === '' || email.trim() === '' || /[<>\p{Cc}]/u.test(name + email))
      throw new GitFailure(
        'configuration',
        'git.author and git.committer need a name and an email, without < and > and in one line',
      )
  if (!isBranch(branch)) throw new GitFailure('configuration', `git.branch "${branch}" is no name of a branch`)
  if (review !== undefined && !isBranch(`${review.prefix}x`))
    throw new GitFailure('configuration', `review.prefix "${review.prefix}" begins no name of a branch`)
}

/** https://git-scm.com/docs/git-check-ref-format */
const isBranch = (name: string): boolean =>
  !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[/.-]|\.lock(?:\/|$)|[/.]$/u.test(name) && name !== '' && name !== '@'
