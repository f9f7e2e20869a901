import type { Planned, Rendered } from '../core/index.ts'
import type { Nodes } from '../facts/inventory/index.ts'
import { difference, type FieldChange } from '../krm/difference.ts'
import { isWireAnnotation } from '../krm/identity.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'

/** What happens to an object; `released`: it stays as it is, and nodefit no longer owns it. */
export type ChangeKind = 'added' | 'changed' | 'removed' | 'released' | 'unchanged'

/** What happens to one rendered object: its earlier and its current state. */
export interface Change {
  readonly kind: ChangeKind
  readonly before?: Item
  readonly after?: Item
  /** What the object is for, in words. */
  readonly about?: string
  /**
   * Whether it is local configuration that no output holds: objects are rendered from it, and it is neither added nor
   * removed itself.
   */
  readonly isNeverApplied?: boolean
  /** Whether the object is shared: the subject writes only some of its fields. */
  readonly isShared?: boolean
  /** The fields that differ, with their old and new values; computed when first read. */
  readonly fields: readonly FieldChange[]
}

/** Nodes on which a run stops the agent's pod, for one cause and equally long. */
export interface AgentStop extends Nodes {
  /**
   * `move`: to another rendered DaemonSet, or back to the template; `removal`: no DaemonSet selects the node any more.
   */
  readonly cause: 'adoption' | 'move' | 'restart' | 'removal'
  /**
   * How long the node is without an agent: as long as its taint stays, until it is ready, until a later sync wave of
   * Argo CD, until one pod has started, or not at all: the new pod starts first (`surge`: by `maxSurge`, or in an
   * earlier sync wave), or nothing stops before somebody deletes the pod.
   */
  readonly length: 'forGood' | 'untilReady' | 'laterWave' | 'oneStart' | 'surge' | 'onDelete'
  /** Why no new pod starts; undefined where one does. */
  readonly reason?: string
  /** The subjects of the same source that the run does not plan, where no planned DaemonSet selects the nodes. */
  readonly leftOut?: readonly string[]
  /** Whether a pod is known to run, as in `PodChange`: else one may have stayed on nodes where none starts today. */
  readonly isShown: boolean
  /**
   * The object whose pods start in place of the stopped ones, else the one whose pods stop; undefined for the template.
   */
  readonly change?: Change
}

/** A DaemonSet whose pods run before the run: one that was rendered earlier, or the template itself. */
export interface PodBefore {
  readonly object: KubernetesObject
  readonly pod: PodSpec
  readonly isTemplate: boolean
  /** Whether it is the subject's: not one that another subject renders from the same template. */
  readonly isOwn: boolean
  /** Whether it had no nodes when it was written: all nodes that it serves have joined since. */
  readonly hadNoNodes: boolean
  /** What becomes of it; undefined for the template, and for one of another subject. */
  readonly change?: Change
}

/** What runs on some nodes of a subject before a run, and what runs there after it. */
export interface PodChange extends Nodes {
  /** The DaemonSet that serves them before; undefined where none does. */
  readonly before?: PodBefore
  /** The object that serves them after; undefined where none does. */
  readonly after?: Rendered
  /** Whether its pod runs there before: one may start, or a WorkloadSnapshot shows it. */
  readonly runsBefore: boolean
  /** Whether a pod runs there after: one may start, or the one that is known to run is not replaced. */
  readonly runsAfter: boolean
  /** Whether nothing shows a pod: none starts there, and one that runs already may stay. */
  readonly mayStay: boolean
}

/** A plan with the change of each of its objects, those it rendered before included, and what that does to pods. */
export interface PlannedChanges<Code extends string = string> extends Planned<Code> {
  readonly changes: readonly Change[]
  readonly stops: readonly AgentStop[]
  /** What runs on its nodes before and after: every figure about pods that run comes from here. */
  readonly pods: readonly PodChange[]
  /** Label keys that earlier output selects nodes by and no inventory exports: where it ran is not known. */
  readonly unknownKeys: readonly string[]
}

const ANNOTATIONS = 'metadata.annotations.'

/** A change of one object. */
export function changeOf(change: Omit<Change, 'fields'>): Change {
  const { kind, before, after } = change
  return {
    ...change,
    get fields() {
      if (before === undefined || after === undefined || kind === 'unchanged') return []
      return difference(before.object, after.object).filter(({ path }) => !isOfHost(path))
    },
  }
}

/** Whether the path is an annotation by which a host manages its files; those are no part of the object. */
function isOfHost(path: string): boolean {
  return path.startsWith(ANNOTATIONS) && isWireAnnotation(path.slice(ANNOTATIONS.length))
}
