import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'

/** Fields of a SyncConfig; those of `git` apart. */
export interface SyncSpec {
  readonly git?: object
  readonly [field: string]: unknown
}

/** Writes a SyncConfig into a file. */
export function writeSyncConfig(file: string, spec: SyncSpec, name = 'prod'): void {
  writeFileSync(file, stringify({ apiVersion: 'nodefit.dev/v1alpha1', kind: 'SyncConfig', metadata: { name }, spec }))
}
