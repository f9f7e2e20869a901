import { isDeepStrictEqual } from 'node:util'
import type { SyncConfig } from './sync-config.ts'

/** A part of the controller that is made anew where its fields change; everything else is read at each evaluation. */
export type Part = 'git' | 'watch' | 'leaderElection' | 'health'

const PARTS: Readonly<Record<Part, (config: SyncConfig) => unknown>> = {
  git: ({ git: { folder: _, messageTemplate: __, ...repository }, review }) => [repository, review],
  watch: ({ collect, labels, inventory, pageSize, relistInterval }) => [
    collect,
    labels,
    inventory,
    pageSize,
    relistInterval,
  ],
  leaderElection: ({ leaderElection }) => leaderElection,
  health: ({ health }) => health,
}

/** The parts that another configuration needs made anew. */
export function changedParts(before: SyncConfig, after: SyncConfig): Part[] {
  return (Object.keys(PARTS) as Part[]).filter((part) => !isDeepStrictEqual(PARTS[part](before), PARTS[part](after)))
}
