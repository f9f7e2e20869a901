import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PEOPLE = {
  GIT_AUTHOR_NAME: 'other',
  GIT_AUTHOR_EMAIL: 'other@example.com',
  GIT_COMMITTER_NAME: 'other',
  GIT_COMMITTER_EMAIL: 'other@example.com',
}

/** A bare repository, into which a test also writes as other people do, and whose hooks say what a forge's say. */
export class BareRemote {
  /** The folder that it is served from, and its path in there. */
  readonly root: string
  readonly name: string
  readonly folder: string
  readonly url: string

  constructor(parent: string, name = 'clusters.git') {
    this.root = parent
    this.name = name
    this.folder = join(parent, name)
    this.url = `file://${this.folder}`
    execFileSync('git', ['init', '-q', '--bare', '--template=', '-b', 'main', this.folder])
    this.git('config', 'http.receivepack', 'true')
    this.git('config', 'receive.advertisePushOptions', 'true')
    this.git('config', 'core.logAllRefUpdates', 'always')
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, ...PEOPLE },
      stdio: ['pipe', 'pipe', 'ignore'],
    }).trimEnd()
  }

  /** Commits files on top of a branch, as somebody else; undefined takes one away, an array `[mode, text]` says what kind it is. */
  commit(
    files: Readonly<Record<string, string | readonly [string, string] | undefined>>,
    branch = 'main',
    message = `by others: ${Object.keys(files).join(' ')}`,
  ): string {
    const index = join(this.folder, 'other-index')
    rmSync(index, { force: true })
    const env = { ...process.env, ...PEOPLE, GIT_INDEX_FILE: index }
    const run = (args: string[], input?: string) =>
      execFileSync('git', args, { cwd: this.folder, encoding: 'utf8', env, input }).trim()
    const head = this.head(branch)
    if (head !== undefined) run(['read-tree', head])
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) {
        run(['update-index', '--index-info'], `0 ${'0'.repeat(40)}\t${path}\n`)
        continue
      }
      const [mode, text] = typeof content === 'string' ? ['100644', content] : content
      const object = run(['hash-object', '-w', '--stdin'], text)
      run(['update-index', '--add', '--cacheinfo', `${mode},${object},${path}`])
    }
    const parents = head === undefined ? [] : ['-p', head]
    const commit = run(['commit-tree', run(['write-tree']), ...parents, '-m', message])
    run(['update-ref', `refs/heads/${branch}`, commit, head ?? '0'.repeat(40)])
    return commit
  }

  head(branch = 'main'): string | undefined {
    try {
      return this.git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
    } catch {
      return undefined
    }
  }

  /** All files of a branch or commit. */
  files(branch = 'main'): Record<string, string> {
    if (this.head(branch) === undefined && !/^[0-9a-f]{40}$/.test(branch)) return {}
    const entries = this.git('ls-tree', '-r', '-z', branch)
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => entry.split(/[ \t]/))
    const read = { cwd: this.folder, input: entries.map(([, , object]) => `${object}\n`).join('') }
    let rest: Buffer = execFileSync('git', ['cat-file', '--batch'], { ...read, maxBuffer: 2 ** 28 })
    return Object.fromEntries(
      entries.map(([, , , ...path]) => {
        const start = rest.indexOf('\n') + 1
        const end = start + Number(rest.subarray(0, start).toString().trim().split(' ')[2])
        const text = rest.subarray(start, end).toString().trimEnd()
        rest = rest.subarray(end + 1)
        return [path.join(' '), text]
      }),
    )
  }

  /** Messages of a branch's commits, newest first. */
  messages(branch = 'main'): string[] {
    return this.head(branch) === undefined
      ? []
      : this.git('log', '-z', '--format=%B', branch)
          .split('\0')
          .map((text) => text.trim())
          .filter((text) => text !== '')
  }

  branches(): string[] {
    return this.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')
      .split('\n')
      .filter((name) => name !== '')
  }

  /** Whether every value that the branch has had is an ancestor of the next one: nobody was overwritten. */
  isOnlyForward(branch = 'main'): boolean {
    const log = this.git('reflog', 'show', '--format=%H', `refs/heads/${branch}`).split('\n')
    const history = this.history(branch)
    const ages = log.map((commit) => history.indexOf(commit))
    return ages.every((age, at) => age >= (ages[at - 1] ?? 0))
  }

  /** Commits of a branch, newest first. */
  history(branch = 'main'): string[] {
    return this.git('rev-list', branch).split('\n')
  }

  /** Rewrites history as somebody else does: the branch is at another commit, and what it was at before is not told. */
  rewrite(to: string, branch = 'main'): void {
    this.git('update-ref', `refs/heads/${branch}`, to)
    rmSync(join(this.folder, 'logs/refs/heads', branch))
  }

  /** Sets a hook, or with undefined takes it away. */
  hook(name: 'pre-receive' | 'update' | 'post-receive', script: string | undefined): void {
    execFileSync('mkdir', ['-p', join(this.folder, 'hooks')])
    const file = join(this.folder, 'hooks', name)
    if (existsSync(file)) rmSync(file)
    if (script === undefined) return
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
  }
}
