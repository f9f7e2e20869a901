import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './hosts.ts'

/** The agents of the first page as files of a repository, whose policy has what is added to its `spec`. */
export function firstAgents(added = ''): Record<'agents/policy.yaml' | 'agents/daemonset.yaml', string> {
  const text = (name: string) => readFileSync(join(ROOT, 'testdata/quickstart', name), 'utf8')
  const policy = text('policy.yaml')
  return {
    'agents/policy.yaml': added === '' ? policy : `${policy.trimEnd()}\n${added.replace(/^/gm, '  ')}\n`,
    'agents/daemonset.yaml': text('daemonset.yaml'),
  }
}

/** What sizes them from usage. */
export const BY_USAGE = 'usage:\n  updateMode: Auto'
