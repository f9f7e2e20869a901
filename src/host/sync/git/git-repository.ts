import { mkdir, readFile } from 'node:fs/promises'
import { readTrailers } from '../effect/trailers.ts'
import type { Secrets } from '../secrets.ts'
import { Clone } from './clone.ts'
import { type SessionCredentials, signIn } from './credentials.ts'
import { GitFailure } from './failure.ts'
import { Git } from './git.ts'
import { GitHub } from './github.ts'
import type { HttpOptions } from './http-json.ts'
import { signedOff } from './make-commit.ts'
import { gitHubPusher, gitPusher, type Pusher } from './push.ts'
import { commitUrl, compareUrl, parseRemote, type Remote, urlInOutput } from './remote.ts'
import {
  type Checkout,
  type Commit,
  effectiveChanges,
  type OwnCommit,
  type OwnFolder,
  type PushResult,
  type Repository,
  type RepositoryOptions,
  requireDisjointPaths,
  requireWritablePath,
  type Tree,
} from './repository.ts'
import { changesDigest, ownReviews, type ReviewHead, reviewBranch } from './review.ts'
import { openSession, removeStaleFolders } from './session.ts'

/** The reasons for which a fetch is repeated with a new clone, since the clone may be broken. */
const CLONE_REASONS = new Set(['broken-cache', 'unknown', 'hook', 'disk-full'])

/** Opens one branch of a remote, without a request to it. Rejects with `GitFailure` for an invalid option. */
export async function openRepository(options: RepositoryOptions): Promise<Repository> {
  checkOptions(options)
  const { secrets, log } = options.context
  const remote = parseRemote(options.url)
  if (remote.password !== undefined) secrets.add(remote.password)
  if (remote.scheme === 'http' && options.credentials !== undefined)
    log.warn('git.url is http, which protects neither credentials nor content: use https', { host: remote.host })
  await mkdir(options.folder, { recursive: true })
  await removeStaleFolders()
  return new GitRepository(remote, options)
}

/** Throws `GitFailure` with the reason `configuration`. */
function checkOptions({ author, committer, branch, review }: RepositoryOptions): void {
  for (const { name, email } of [author, committer])
    if (name.trim() === '' || email.trim() === '' || /[<>\p{Cc}]/u.test(name + email))
      throw new GitFailure(
        'configuration',
        'git.author and git.committer need a name and an email, each in one line and without < and >',
      )
  if (!isBranchName(branch)) throw new GitFailure('configuration', `git.branch "${branch}" must be a valid branch name`)
  if (review !== undefined && !isBranchName(`${review.prefix}x`))
    throw new GitFailure('configuration', `review.prefix "${review.prefix}" must be a valid beginning of a branch name`)
}

/** https://git-scm.com/docs/git-check-ref-format */
const isBranchName = (name: string): boolean =>
  !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[/.-]|\.lock(?:\/|$)|[/.]$/u.test(name) && name !== '' && name !== '@'

/** How many commits are read to find one of our own, step by step. */
const DEPTHS = [50, 500]

/** The tools of one fetch or push. */
interface Operation {
  readonly git: Git
  readonly credentials: SessionCredentials
  readonly http: HttpOptions
}

/** Signs in, runs `work`, and removes the secrets from disk. Rejects as `work` does, and with `GitFailure`. */
async function withSession<T>(
  remote: Remote,
  options: RepositoryOptions,
  signal: AbortSignal | undefined,
  work: (operation: Operation) => Promise<T>,
): Promise<T> {
  const { folder, signing, context, timeout } = options
  const http = { context, timeout, signal }
  const credentials = await signIn(options.credentials, remote, http)
  const signingKey = signing === undefined ? undefined : await readSigningKey(signing.key, context.secrets)
  const session = await openSession({ remote, credentials, signingKey, environment: process.env })
  try {
    const git = new Git({ env: session.env, cwd: folder, context, timeout, signal })
    const { authority, proxy } = credentials
    return await work({ git, credentials, http: { ...http, authority, proxy } })
  } finally {
    await session.close()
  }
}

async function readSigningKey(file: string, secrets: Secrets): Promise<string> {
  const key = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new GitFailure('signing', `cannot read git.signing.key ${file} (${error.code})`)
  })
  secrets.add(key)
  return key
}

class GitRepository implements Repository {
  readonly #options: RepositoryOptions
  readonly #remote: Remote
  readonly #clone: Clone
  /** The message of a commit whose push had no answer yet. */
  #attempted: string | undefined
  /** The branch for review that was pushed last. */
  #review: ReviewHead | undefined

  constructor(remote: Remote, options: RepositoryOptions) {
    this.#options = options
    this.#remote = remote
    this.#clone = new Clone(options.folder, remote, options.branch)
  }

  async fetch(signal?: AbortSignal): Promise<Checkout> {
    const { meter } = this.#options.context
    const unsigned = { ...this.#options, signing: undefined }
    try {
      const checkout = await withSession(this.#remote, unsigned, signal, (operation) => this.#fetch(operation))
      meter.component('git', true)
      meter.cloneSize(await this.size())
      return checkout
    } catch (error) {
      meter.component('git', false)
      throw GitFailure.ofSystem(error) ?? error
    }
  }

  async #fetch(operation: Operation): Promise<Checkout> {
    try {
      return await this.#fetchOnce(operation)
    } catch (error) {
      if (!(error instanceof GitFailure) || !(CLONE_REASONS.has(error.reason) || error.kind === 'raced')) throw error
      const { reason, message: text } = error
      this.#options.context.log.warn('cannot use the clone: cloning again', { reason, text })
      await this.#clone.wipe()
      return await this.#fetchOnce(operation)
    }
  }

  async #fetchOnce({ git }: Operation): Promise<Checkout> {
    const { log, meter } = this.#options.context
    await this.#clone.prepare(git)
    const { commit, received } = await this.#clone.fetch(git)
    meter.bytes('git', 'received', received)
    const links = (await this.#clone.checkout(git, commit)).join(', ')
    if (links !== '') log.warn('symbolic links lead out of the repository: they are ignored', { links })
    // without packing the clone only takes more space
    await this.#clone.pack(git).catch((error: Error) => {
      log.warn('cannot pack the clone, which takes more space', { text: error.message })
    })
    const message =
      commit === '' ? '' : (await git.run(['log', '-1', '--format=%B', commit], { env: this.#clone.env })).stdout
    const checkout = { commit, path: this.#clone.files, message: message.toString() }
    this.#recognise(checkout)
    return checkout
  }

  async push(base: Checkout, commit: Commit, signal?: AbortSignal): Promise<PushResult> {
    const { meter } = this.#options.context
    try {
      const result = await withSession(this.#remote, this.#options, signal, (operation) =>
        this.#push(operation, base, commit),
      )
      meter.component('git', true)
      return result
    } catch (error) {
      const failure = error instanceof GitFailure ? error : GitFailure.ofSystem(error)
      if (failure === undefined) throw error
      meter.component('git', failure.kind === 'raced')
      return failure.toRejected()
    }
  }

  async #push(operation: Operation, base: Checkout, { changes, message, digest }: Commit): Promise<PushResult> {
    const { review, signOff, committer, context, branch: target } = this.#options
    const tree = await this.#clone.tree(operation.git, base.commit)
    const paths = [...changes.write.keys()]
    for (const path of [...paths, ...changes.remove]) requireWritablePath(path, tree)
    requireDisjointPaths(paths)
    const effective = effectiveChanges(changes, tree, base.commit)
    if (effective.write.size + effective.remove.length === 0)
      return { kind: 'pushed', commit: base.commit, branch: target, existed: true }
    if (review !== undefined && base.commit === '')
      throw new GitFailure('no-branch', `the branch ${target} of the review does not exist`)
    const branch = review === undefined ? target : reviewBranch(review, digest ?? changesDigest(effective, tree))
    this.#attempted = message
    const { commit, existed, sent, output } = await this.#pusher(
      operation,
      tree,
    )({
      commit: { changes: effective, message: signOff ? signedOff(message, committer) : message },
      base: base.commit,
      branch,
      target: review === undefined ? undefined : target,
    })
    this.#attempted = undefined
    context.meter.bytes('git', 'sent', sent)
    if (review !== undefined) await this.#removeSuperseded(operation, { branch, commit }, existed === true, message)
    const url =
      review === undefined
        ? commitUrl(this.#remote, commit)
        : (compareUrl(this.#remote, target, branch) ?? urlInOutput(output))
    return {
      kind: 'pushed',
      commit,
      branch,
      ...(url === undefined ? {} : { url }),
      ...(existed === true ? { existed } : {}),
      ...(review === undefined ? {} : { isReview: true }),
    }
  }

  /** Counts a push that had no answer, where the branch has its commit. */
  #recognise({ commit, message }: Checkout & { message: string }): void {
    const { log, meter } = this.#options.context
    const attempted = this.#attempted
    this.#attempted = undefined
    if (attempted === undefined || !message.trimEnd().startsWith(attempted.trimEnd())) return
    meter.pushed('pushed', '')
    log.info('an earlier push had no answer, and has arrived', { commit })
  }

  /** Removes the branches for review that an earlier change was pushed to, unless somebody has added to them. */
  async #removeSuperseded({ git }: Operation, pushed: ReviewHead, existed: boolean, message: string): Promise<void> {
    const before = this.#review
    // the head of a branch that existed may be somebody's
    this.#review = existed ? (before?.branch === pushed.branch ? before : undefined) : pushed
    const { review, context } = this.#options
    if (review === undefined || before?.branch === pushed.branch) return
    const { env } = this.#clone
    const { address } = this.#remote
    try {
      // a process that was restarted does not know what it pushed before
      const earlier = before === undefined ? await ownReviews(git, { env, address, review, message }) : [before]
      for (const { branch, commit } of earlier) {
        if (branch === pushed.branch) continue
        const lease = `--force-with-lease=refs/heads/${branch}:${commit}`
        await git.run(['push', '--no-verify', lease, '--', address, `:refs/heads/${branch}`], { env })
        context.log.info('removed the branch of an earlier review, which this one supersedes', { branch })
      }
    } catch (error) {
      context.log.info('the branch of an earlier review stays', { text: (error as Error).message })
    }
  }

  async lastOwn(checkout: Checkout, of: OwnFolder, signal?: AbortSignal): Promise<OwnCommit | undefined> {
    if (checkout.commit === '') return undefined
    const unsigned = { ...this.#options, signing: undefined }
    try {
      return await withSession(this.#remote, unsigned, signal, ({ git }) => this.#lastOwn(git, checkout.commit, of))
    } catch (error) {
      throw GitFailure.ofSystem(error) ?? error
    }
  }

  async #lastOwn(git: Git, head: string, { cluster, folder, inventory }: OwnFolder): Promise<OwnCommit | undefined> {
    const lines = [`Nodefit-Cluster: ${cluster}`, `Nodefit-Folder: ${folder}`]
    for (const depth of [undefined, ...DEPTHS]) {
      if (depth !== undefined) await this.#clone.deepen(git, depth)
      const own = (await this.#clone.commitsWith(git, lines, head)).filter(({ message }) => {
        const trailers = readTrailers(message)
        return trailers?.cluster === cluster && trailers.folder === folder
      })
      const [newest] = own
      if (newest === undefined) continue
      const { clusterUid } = readTrailers(newest.message) ?? {}
      const textIn = async (commit: string) =>
        (await this.#clone.fileIn(git, commit, `${folder}/${inventory}`))?.replaceAll('\r\n', '\n')
      const [text, present] = [await textIn(newest.commit), await textIn(head)]
      const isOwn = async () => {
        for (const { commit } of own) if ((await textIn(commit)) === present) return true
        return false
      }
      // a revert takes an earlier inventory back, which nobody has cut
      const isCut = text !== undefined && present !== undefined && !(await isOwn())
      return { ...(clusterUid && { clusterUid }), ...(isCut && { inventory: text }) }
    }
    return undefined
  }

  #pusher({ git, credentials, http }: Operation, tree: Tree): Pusher {
    const { author, committer, signing, context, pushOptions, pushVia, folder } = this.#options
    const { env } = this.#clone
    const remote = this.#remote
    if (pushVia === 'git') {
      const isSigned = signing !== undefined
      const commitOptions = { env, tree, author, committer, isSigned, now: context.clock.now() }
      return gitPusher(git, commitOptions, { env, remote, pushOptions, folder })
    }
    const { token, apiUrl } = credentials
    if (token === undefined)
      throw new GitFailure('credentials', 'git.pushVia is github, but the Secret has neither a GitHub App nor a token')
    return gitHubPusher(git, new GitHub(remote, token, apiUrl, http), { env, remote })
  }

  size(): Promise<number> {
    return this.#clone.size()
  }
}
