import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fields, Log } from '../../src/host/sync/context.ts'
import type { Commit, RepositoryOptions } from '../../src/host/sync/git/repository.ts'
import { engineContext } from '../../test/support/engine-context.ts'

export const PERSON = { name: 'nodefit sync', email: 'nodefit@example.com' }

/** Options of a repository as tests have it, with a cache folder of its own. */
export function gitOptions(url: string, more: Partial<RepositoryOptions> = {}): RepositoryOptions {
  return {
    url,
    branch: 'main',
    author: PERSON,
    committer: PERSON,
    signOff: false,
    pushVia: 'git',
    pushOptions: [],
    folder: mkdtempSync(join(tmpdir(), 'nodefit-clone-')),
    context: engineContext({ log: recordedLog().log }),
    timeout: 20_000,
    ...more,
  }
}

export const commitOf = (
  files: Readonly<Record<string, string>>,
  message = 'nodes',
  remove: readonly string[] = [],
): Commit => ({
  changes: { write: new Map(Object.entries(files)), remove },
  message,
})

/** A log that keeps what it is told, as one text a line. */
export function recordedLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = []
  const keep = (level: string) => (message: string, fields?: Fields) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
  }
  const log: Log = { info: keep('info'), warn: keep('warn'), error: keep('error'), with: () => log }
  return { log, lines }
}

/** A folder with one file for each field, as a mounted Secret is. */
export function secretFolder(fields: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-secret-'))
  for (const [name, value] of Object.entries(fields)) writeFileSync(join(folder, name), value)
  return folder
}
