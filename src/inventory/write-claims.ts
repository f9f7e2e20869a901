import { isMap, listOf, memberOf } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { isTime } from '../kube/index.ts'
import type { WorkloadSnapshot } from '../policy/index.ts'

/** A NodeSmithClaim of a WorkloadSnapshot. */
export type SnapshotClaim = NonNullable<WorkloadSnapshot['spec']['claims']>[number]

/** NodeSmithClaims as a WorkloadSnapshot has them, in the order of their names; what of them is malformed is left out. */
export function snapshotClaims(claims: readonly KubernetesObject[]): SnapshotClaim[] {
  return claims.map(snapshotClaim).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function snapshotClaim({ metadata, spec, status }: KubernetesObject): SnapshotClaim {
  const { creationTimestamp: createdAt, deletionTimestamp } = metadata
  const asked = memberOf(spec, 'requirements')
  const requirements = isMap(asked)
    ? present({ cpuCores: integer(asked.cpuCores), memoryMiB: integer(asked.memoryMiB) })
    : undefined
  return present({
    namespace: text(metadata.namespace),
    name: metadata.name,
    poolRef: text(memberOf(spec, 'poolRef')),
    requirements: requirements as SnapshotClaim['requirements'],
    createdAt: typeof createdAt === 'string' && isTime(createdAt) ? createdAt : undefined,
    deleting: typeof deletionTimestamp === 'string' ? true : undefined,
    ready: condition(status, 'Ready'),
    failed: condition(status, 'Failed'),
    nodeName: text(memberOf(status, 'nodeName')),
  }) as SnapshotClaim
}

/** A condition's status; undefined where there is none, or where it is Unknown. */
function condition(status: unknown, type: string): boolean | undefined {
  const found = listOf(memberOf(status, 'conditions')).find((one) => memberOf(one, 'type') === type)
  const value = memberOf(found, 'status')
  return value === 'True' ? true : value === 'False' ? false : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

function present<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>
}

function keyOf({ namespace = '', name }: SnapshotClaim): string {
  return `${namespace}/${name}`
}
