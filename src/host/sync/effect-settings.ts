import { getHeapStatistics } from 'node:v8'
import type { SyncConfig } from './config/sync-config.ts'
import type { EffectSettings } from './effect/evaluation.ts'

/** Bytes of heap for everything but what is read of the repository: 5,000 nodes need 25 MB. */
const RESERVED_HEAP = 32 << 20

/** Returns the part of the configuration that evaluations use. */
export function effectSettings(config: SyncConfig, version: string): EffectSettings {
  const { cluster, packages, output, labels, inventory, git, maxAge, readyDebounce, retainShapes, limits, guards } =
    config
  return {
    cluster,
    folder: git.folder,
    packages,
    output: config.mode === 'rendered' ? output : undefined,
    labels,
    ...inventory,
    maxAge,
    readyDebounce,
    retainShapes,
    undoesEdits: config.review === undefined,
    guards,
    limits: { ...limits, memory: getHeapStatistics().heap_size_limit - RESERVED_HEAP },
    template: git.messageTemplate,
    version,
  }
}
