import type { WorkloadSnapshot } from '../../kinds/index.ts'
import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { OPENED, OWNER } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { byName, exactInteger, filledText, present, validTime } from './entry-fields.ts'

/** An entry of the claims of a WorkloadSnapshot: one NodeSmithClaim, or several with what they have in common. */
export type SnapshotClaims = NonNullable<WorkloadSnapshot['spec']['claims']>[number]

type OwnFields = NonNullable<SnapshotClaims['claims']>[number]

/** A NodeSmithClaim, and what it has in common with others. */
export type ClaimEntry = { readonly like: Omit<SnapshotClaims, 'claims' | keyof OwnFields>; readonly claim: OwnFields }

/**
 * Converts a NodeSmithClaim to an entry of a WorkloadSnapshot. Malformed fields are left out, and so is the name of its
 * node where it is that of the claim, as KubeNodeSmith names machines.
 */
export function claimEntry({ metadata, spec, status }: KubernetesObject): ClaimEntry {
  const { creationTimestamp, deletionTimestamp, annotations } = metadata
  const asked = memberOf(spec, 'requirements')
  const nodeName = filledText(memberOf(status, 'nodeName'))
  return {
    like: present({
      namespace: filledText(metadata.namespace),
      poolRef: filledText(memberOf(spec, 'poolRef')),
      requirements: isMap(asked)
        ? present({ cpuCores: exactInteger(asked.cpuCores), memoryMiB: exactInteger(asked.memoryMiB) })
        : undefined,
      deleting: typeof deletionTimestamp === 'string' ? true : undefined,
      ready: condition(status, 'Ready'),
      failed: condition(status, 'Failed'),
      owner: filledText(annotations?.[OWNER]),
      terminationGracePeriod: filledText(memberOf(spec, 'terminationGracePeriod')),
    }) as ClaimEntry['like'],
    claim: present({
      name: metadata.name,
      nodeName: nodeName === metadata.name ? undefined : nodeName,
      createdAt: validTime(creationTimestamp),
      openedAt: validTime(annotations?.[OPENED]),
      idempotencyKey: filledText(memberOf(spec, 'idempotencyKey')),
    }) as ClaimEntry['claim'],
  }
}

/** Folds claims that have all but their names and times in common. The order of the claims changes nothing. */
export function foldClaims(claims: Iterable<ClaimEntry>): SnapshotClaims[] {
  const lots = new Map<string, { readonly like: ClaimEntry['like']; readonly claims: OwnFields[] }>()
  for (const { like, claim } of claims) {
    const key = JSON.stringify(like)
    const lot = lots.get(key)
    if (lot === undefined) lots.set(key, { like, claims: [claim] })
    else lot.claims.push(claim)
  }
  const sorted = [...lots.values()].map(({ like, claims: own }) => ({ like, claims: own.sort(byName) }))
  // claims of several namespaces may have one name
  const firstOf = ({ like, claims: [first] }: (typeof sorted)[number]) => ({
    ...{ namespace: like.namespace, name: first?.name ?? '' },
  })
  return sorted
    .sort((a, b) => byName(firstOf(a), firstOf(b)))
    .map(({ like, claims: own }) => ({ ...like, claims: own }))
}

/** Returns the claims of an entry, each with its path below `claims`; one may lack its name. */
export function unfoldClaims(
  entries: readonly SnapshotClaims[],
): Array<{ readonly path: string; readonly entry: Omit<SnapshotClaims, 'claims'> }> {
  return entries.flatMap(({ claims, ...entry }, at) =>
    claims === undefined
      ? [{ path: `claims.${at}`, entry }]
      : claims.map((one, index) => ({ path: `claims.${at}.claims.${index}`, entry: { ...entry, ...one } })),
  )
}

/** Returns the status of a condition; undefined if it is missing or Unknown. */
function condition(status: unknown, type: string): boolean | undefined {
  const found = listOf(memberOf(status, 'conditions')).find((one) => memberOf(one, 'type') === type)
  const value = memberOf(found, 'status')
  return value === 'True' ? true : value === 'False' ? false : undefined
}
