import { stringify } from 'yaml'
import type { SyncConfig } from '../../src/host/sync/config/check-config.ts'
import { readSyncConfig } from '../../src/host/sync/config/read-config.ts'

const GIT = { url: 'ssh://git@git.example.com/fleet.git', folder: 'clusters/prod-eu/nodes' }

/** A SyncConfig as a file has it: the fields that are needed, with those of a test over them. */
export function syncConfigText(spec: Record<string, unknown> = {}): string {
  const { git, ...rest } = spec
  const all = { cluster: 'prod-eu', ...rest, git: { ...GIT, ...(git as object) } }
  return stringify({ apiVersion: 'nodefit.dev/v1alpha1', kind: 'SyncConfig', metadata: { name: 'sync' }, spec: all })
}

/** The same, read. */
export function syncConfig(spec: Record<string, unknown> = {}): SyncConfig {
  const { value, findings } = readSyncConfig(syncConfigText(spec), 'sync.yaml')
  if (value === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return value
}
