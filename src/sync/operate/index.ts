export { type Environment, type EnvironmentNote, processName, readEnvironment } from './environment.ts'
export { type Health, type HealthOptions, type Status, startHealth, whyNotLive, whyNotReady } from './health.ts'
export { type JsonLogOptions, jsonLog } from './json-log.ts'
export { type Metrics, prometheusMetrics } from './metrics.ts'
export { readSyncConfig } from './read-config.ts'
export type {
  CollectName,
  GitConfig,
  HealthConfig,
  LeaderElectionConfig,
  SyncConfig,
} from './sync-config.ts'
export { type WatchConfigOptions, watchConfig } from './watch-config.ts'
