import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'

/** Waits until the API server serves every definition; kubectl fails on one that has no conditions yet. */
export async function established(kubectl: Cluster['kubectl']): Promise<void> {
  await eventually(() => kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']).status === 0)
}
