import type { SnapshotNode } from '../../../facts/inventory/index.ts'

type Earlier = Pick<SnapshotNode, 'uid' | 'idleSince'>

/** Remembers since when nodes are idle. It is a cache: Git has what a restart needs. */
export class IdleNodes {
  #nodes = new Map<string, Earlier>()

  /** Takes over the nodes of the snapshot in Git, before the first snapshot of this process is written. */
  seed(nodes: ReadonlyMap<string, Earlier>): void {
    this.#nodes = new Map(nodes)
  }

  /** A pod that blocks the removal of the node was seen, however short: it is idle anew afterwards. */
  isBusy(name: string): void {
    this.#nodes.delete(name)
  }

  /** The nodes of the snapshot that was written before. */
  get earlier(): ReadonlyMap<string, Earlier> {
    return this.#nodes
  }

  /** Remembers the nodes of a snapshot. */
  keep(nodes: readonly SnapshotNode[]): void {
    this.#nodes = new Map(
      nodes.flatMap(({ name, uid, idleSince }) => (idleSince === undefined ? [] : [[name, { uid, idleSince }]])),
    )
  }
}
