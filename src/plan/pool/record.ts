import { memo, memoOf, type Rendered, type Share, type World } from '../../core/index.ts'
import { namedNodes } from '../../facts/inventory/index.ts'
import { isNodeSmithClaim } from '../../kinds/index.ts'
import { identityOf } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { NEXT_CLAIM, ownerName, rendererOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { PoolSettings } from './settings.ts'

/** The key of the number in a record. */
const KEY = 'nextClaim'
const SUFFIX = '-next-claim'

/** Whether an object holds the number of the next claim of a pool, where no file of its policy is kept. */
export function isRecord({ apiVersion, kind, metadata }: KubernetesObject): boolean {
  return apiVersion === 'v1' && kind === 'ConfigMap' && metadata.name.endsWith(SUFFIX)
}

/**
 * Returns what a policy rendered before, or released: in its namespace, and objects for machines that have another one
 * or none, as a NodePool.
 */
export function earlierOf({ subject }: Pick<PoolSettings, 'subject'>, world: World): readonly Item[] {
  return earlierIn(world)(subject)
}

const earlierIn = memoOf((world: World) => memo((subject: Item) => readEarlier(subject, world)))

function readEarlier({ object: { metadata } }: Item, world: World): readonly Item[] {
  const { name, namespace } = metadata
  const owner = ownerName('PoolPolicy', name)
  const all = [...world.ownedBy(owner), ...world.earlierOutput.filter(({ object }) => rendererOf(object) === owner)]
  const others = all.map(({ object }) => object).filter((one) => !isNodeSmithClaim(one) && !isRecord(one))
  const spaces = new Set([namespace, ...others.map(({ metadata }) => metadata.namespace)])
  const found = new Set([...spaces].flatMap((space) => world.earlier([owner], space).items))
  if (spaces.size === 1) return [...found]
  const own = new Set<unknown>([...world.earlier([owner], namespace).items, ...others])
  return [...found].filter((item) => own.has(item) || own.has(item.object))
}

/** Returns the texts in which earlier runs recorded the number of the next claim, on the policy and in its record. */
export function recordedOf(settings: Pick<PoolSettings, 'subject'>, world: World): readonly unknown[] {
  const { object: policy } = settings.subject
  const copies = world.earlierOutput.map(({ object }) => object).filter((one) => identityOf(one) === identityOf(policy))
  const records = earlierOf(settings, world).filter(({ object }) => isRecord(object))
  return [
    ...[policy, ...copies].map(({ metadata }) => metadata.annotations?.[NEXT_CLAIM]),
    ...records.map(({ object }) => memberOf(object.data, KEY)),
  ].filter((text) => text !== undefined)
}

/** Returns a recorded number; undefined if a user wrote something else there. */
export function recordedNumber(text: unknown): number | undefined {
  return typeof text === 'string' && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined
}

/**
 * Records the number of the next claim: on the policy, where its file is kept, else in a ConfigMap that is output and
 * applied beside the claims, and stays once it is there. Without it the name of a machine that was the last one and is
 * gone would be used again. `earlier` is what the policy rendered before.
 */
export function recordNext(
  { subject }: Pick<PoolSettings, 'subject'>,
  next: number,
  earlier: readonly Item[],
  world: World,
): { readonly shares: readonly Share[]; readonly objects: readonly Rendered[] } {
  const { name, namespace, annotations } = subject.object.metadata
  const hasRecord = earlier.some(({ object }) => isRecord(object))
  if (next <= 1 && annotations?.[NEXT_CLAIM] === undefined && !hasRecord) return { shares: [], objects: [] }
  const place = namespace === undefined ? {} : { namespace }
  if (world.keepsFiles && world.isSeen && world.holds(subject) && !hasRecord) {
    const target = { apiVersion: subject.object.apiVersion, kind: 'PoolPolicy', name, ...place }
    return { shares: [{ target, path: ['metadata', 'annotations', NEXT_CLAIM], value: String(next) }], objects: [] }
  }
  const object: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}${SUFFIX}`, ...place },
    data: { [KEY]: String(next) },
  }
  const about = 'the number of the next claim'
  return { shares: [], objects: [{ object, file: `${name}-claims.yaml`, about, ...namedNodes([]) }] }
}
