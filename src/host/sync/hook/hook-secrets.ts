import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The secrets of a folder, and what is wrong with its files. */
export interface HookSecrets {
  readonly secrets: readonly string[]
  /** A sentence for each file that cannot be used, without its content. */
  readonly problems: readonly string[]
}

/** A shorter secret could be guessed. */
const MIN_LENGTH = 16
const MAX_SECRETS = 8

/**
 * Reads a mounted Secret: each of its keys is a secret that deliveries may be signed with, so that an old and a new one
 * are valid while the forge is changed. A missing folder has none.
 */
export async function readHookSecrets(folder: string): Promise<HookSecrets> {
  // names that begin with a dot are the links by which the kubelet swaps a volume
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort()
  const secrets: string[] = []
  const problems: string[] = []
  for (const name of names.slice(0, MAX_SECRETS)) {
    const file = join(folder, name)
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error)
    if (text instanceof Error) problems.push(`cannot read ${file} (${text.code})`)
    else if (text.trim().length < MIN_LENGTH) problems.push(`${file} has fewer than ${MIN_LENGTH} characters`)
    else secrets.push(text.trim())
  }
  if (names.length > MAX_SECRETS) problems.push(`${folder} has more than ${MAX_SECRETS} files: the others are ignored`)
  if (names.length === 0) problems.push(`${folder} has no file: mount a Secret there`)
  return { secrets, problems }
}
