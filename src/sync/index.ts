/** How the controller is started. */
export interface SyncOptions {
  /** File of the SyncConfig. */
  readonly config: string
  readonly once: boolean
  readonly dryRun: boolean
  readonly kubeconfig?: string
  readonly context?: string
}

/** Runs the controller until it is told to end, or once; gives the exit code. */
export async function runSync(_options: SyncOptions): Promise<number> {
  return 2
}
