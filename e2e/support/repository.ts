import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'

/** A Git repository in a folder, as a user has it, and the bare one that others clone. */
export class Repository {
  readonly url: string
  readonly #bare: string
  readonly #work: string

  constructor(folder: string) {
    this.#bare = join(folder, 'clusters.git')
    this.#work = join(folder, 'clusters')
    this.url = `file://${this.#bare}`
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', this.#bare])
    execFileSync('git', ['init', '-q', '-b', 'main', this.#work])
    this.#git('remote', 'add', 'origin', this.#bare)
  }

  /** The path of a file of the work tree. */
  at(path: string): string {
    return join(this.#work, path)
  }

  copy(from: string, to: string): void {
    cpSync(from, this.at(to), { recursive: true })
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), text)
  }

  edit(path: string, change: (text: string) => string): void {
    const before = readFileSync(this.at(path), 'utf8')
    const after = change(before)
    assert.is.not(after, before)
    writeFileSync(this.at(path), after)
  }

  remove(path: string): void {
    rmSync(this.at(path), { recursive: true })
  }

  /** Commits and pushes all there is; gives the revision. */
  push(message: string): string {
    this.#git('add', '--all')
    this.#git('commit', '-q', '--allow-empty', '-m', message)
    this.#git('push', '-q', 'origin', 'main')
    return this.#git('rev-parse', 'HEAD').trim()
  }

  /** Brings what others have pushed into the work tree. */
  pull(): void {
    this.#git('pull', '-q', '--rebase', 'origin', 'main')
  }

  /** The commits of the branch in the bare repository, newest first: their messages. */
  messages(): string[] {
    return this.#log('%B')
  }

  /** The same, their revisions. */
  revisions(): string[] {
    return this.#log('%H')
  }

  /** Whether a revision of the branch has another one before it. */
  isSince(revision: string, earlier: string): boolean {
    const all = this.revisions()
    const at = all.indexOf(revision)
    return at >= 0 && all.indexOf(earlier) > at
  }

  /** Puts what a commit of the bare repository holds into a folder. */
  export(revision: string, folder: string): void {
    mkdirSync(folder, { recursive: true })
    const archive = execFileSync('git', ['--git-dir', this.#bare, 'archive', revision], { maxBuffer: 1 << 28 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
  }

  #log(format: string): string[] {
    const args = ['--git-dir', this.#bare, 'log', '-z', `--format=${format}`, 'main']
    return execFileSync('git', args, { encoding: 'utf8' })
      .split('\0')
      .filter((text) => text !== '')
  }

  #git(...args: string[]): string {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
    return execFileSync('git', [...identity, ...args], { cwd: this.#work, encoding: 'utf8' })
  }
}
