import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BareRemote } from './bare-remote.ts'
import { ScriptedApi } from './scripted-api.ts'
import { type SyncSpec, writeSyncConfig } from './sync-config.ts'

/** What nodefit sync runs between where there is no cluster: a repository, and a stand-in for the API server. */
export interface ScriptedRoom {
  readonly at: (name: string) => string
  readonly remote: BareRemote
  readonly api: ScriptedApi
  /** The arguments of nodefit sync. */
  readonly args: readonly string[]
  /** Writes its configuration with these fields. A single controller needs no Lease. */
  readonly configure: (spec: SyncSpec) => void
}

/** Sets it up in a folder, with files of the repository, and configures nodefit sync. */
export async function scriptedRoom(
  folder: string,
  files: Parameters<BareRemote['commit']>[0],
  spec: SyncSpec,
): Promise<ScriptedRoom> {
  const at = (name: string) => join(folder, name)
  const remote = new BareRemote(folder)
  remote.commit(files)
  const api = await ScriptedApi.start()
  writeFileSync(at('kubeconfig'), api.kubeconfig)
  const configure = ({ git, ...fields }: SyncSpec) =>
    writeSyncConfig(at('sync.yaml'), {
      ...{ cluster: 'prod', leaderElection: { enabled: false }, ...fields },
      git: { url: remote.url, folder: 'clusters/prod/nodes', cache: at('cache'), ...git },
    })
  configure(spec)
  return { at, remote, api, args: ['--config', at('sync.yaml'), '--kubeconfig', at('kubeconfig')], configure }
}

/** The rendered output of the agents, sized from usage, with the endpoints of the controller at any port. */
export const RENDERED_FROM_USAGE: SyncSpec = {
  ...{ mode: 'rendered', packages: ['agents'], output: 'clusters/prod/rendered' },
  ...{ collect: ['nodes', 'usage'], health: { address: '127.0.0.1:0' } },
}
