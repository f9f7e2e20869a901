import { type Finding, listNames } from '../finding/index.ts'
import { type LiveClaim, namedNodes } from '../inventory/index.ts'
import { NEXT_CLAIM, OPENED, RELEASED_BY, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { timeText } from '../kube/index.ts'
import { withAnnotations } from '../object/with-annotations.ts'
import { KUBENODESMITH, NODEFIT } from '../policy/index.ts'
import { emptyPlanned, type Planned, type Rendered, type Share, type World } from '../world/index.ts'
import { accountOf } from './account.ts'
import { answersOf } from './answers.ts'
import { renderClaim } from './claim.ts'
import { finding } from './codes.ts'
import type { Leaving } from './leaving.ts'
import type { Machine } from './machines.ts'
import { poolNodeShares } from './node-fields.ts'
import type { PoolsRun } from './plan-pools.ts'
import { podFindings } from './pod-findings.ts'
import type { Pool } from './pool.ts'
import type { PoolSettings } from './settings.ts'
import { nextTime } from './until.ts'

/** Returns what a run renders for one pool: its claims, the fields of its nodes, and the number of its next claim. */
export function planPool(pool: Pool, run: PoolsRun, world: World, earlier: readonly Item[]): Planned {
  const { settings, machines } = pool
  const { subject } = settings
  const leaving = run.leaving.get(pool)
  if (leaving === undefined) throw new Error(`${settings.name} was not planned`)
  const opened = run.packing.opened.get(pool) ?? []
  const failed = machines.filter(({ state, claim }) => state === 'failed' && claim?.isOurs === true)
  const gone = new Set([...leaving.dropped, ...failed.map(({ name }) => name)])
  const kept = world.isSeen
    ? earlier.filter(({ object }) => !gone.has(object.metadata.name)).map((item) => keptClaim(item, machines, run.now))
    : machines.flatMap(({ claim }) =>
        claim?.live === undefined || gone.has(claim.name) ? [] : [liveClaim(claim.live, pool)],
      )
  const added = opened.map((one) => rendered(renderClaim(one, settings, run.now), settings))
  const until = nextTime(pool, run.packing, leaving, run.now)
  const documentShares = poolNodeShares(pool, leaving, run.documents, run.fleet.knows)
  return {
    ...emptyPlanned({ subject, earlier }),
    objects: [...kept, ...added],
    shares: [...documentShares, ...nextClaimShare(settings, run.next.get(pool) ?? 1, world)],
    account: accountOf(pool, run.packing, leaving, run.axes),
    answers: answersOf(pool, run, leaving),
    until: until === undefined ? undefined : new Date(until),
    findings: [
      ...machineFindings(pool, run, leaving, failed),
      ...podFindings(pool, run),
      ...inventoryFindings(subject.object, documentShares, world),
    ],
  }
}

function rendered(object: KubernetesObject, { name }: PoolSettings): Rendered {
  return { object, file: `${name}-claims.yaml`, about: `machine ${object.metadata.name}`, ...namedNodes([]) }
}

/** A claim is never edited, whatever became of its pool. One that was released is ours again, with its time. */
function keptClaim(item: Item, machines: readonly Machine[], now: number): Rendered {
  const { object } = item
  const about = `machine ${object.metadata.name}`
  const file = { file: '', about, ...namedNodes([]) }
  if (object.metadata.annotations?.[RELEASED_BY] === undefined) return { object, isKept: true, ...file }
  const known = machines.find(({ claim }) => claim?.item === item)?.claim
  const opened = timeText(known?.createdAt ?? now)
  return { object: withAnnotations(object, { [RELEASED_BY]: undefined, [OPENED]: opened }), ...file }
}

/** Renders a claim of the cluster again, where the earlier output is not in the input: what is missing is pruned. */
function liveClaim(live: LiveClaim, { settings }: Pool): Rendered {
  const { labelKey, name: pool, templateLabels, namespace } = settings
  const { name, requirements, idempotencyKey, terminationGracePeriod, openedAt, createdAt } = live
  const opened = openedAt ?? createdAt
  const labels = Object.entries({ ...templateLabels, [labelKey]: pool }).sort(([a], [b]) => (a < b ? -1 : 1))
  const object: KubernetesObject = {
    apiVersion: KUBENODESMITH,
    kind: 'NodeSmithClaim',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: Object.fromEntries(labels),
      ...(opened === undefined ? {} : { annotations: { [OPENED]: timeText(opened) } }),
    },
    spec: {
      poolRef: pool,
      ...(requirements === undefined ? {} : { requirements: { ...requirements } }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
    },
  }
  return rendered(object, settings)
}

/** Records the number of the next claim on the policy, where the package has it. */
export function nextClaimShare({ subject }: Pick<PoolSettings, 'subject'>, next: number, world: World): Share[] {
  const { metadata } = subject.object
  if (!world.holds(subject) || (next <= 1 && metadata.annotations?.[NEXT_CLAIM] === undefined)) return []
  const { name, namespace } = metadata
  const target = { apiVersion: NODEFIT, kind: 'PoolPolicy', name, ...(namespace === undefined ? {} : { namespace }) }
  return [{ target, path: ['metadata', 'annotations', NEXT_CLAIM], value: String(next) }]
}

function machineFindings(pool: Pool, { packing }: PoolsRun, leaving: Leaving, failed: readonly Machine[]): Finding[] {
  const { settings, machines } = pool
  const subject = settings.subject.object
  const names = (all: readonly Machine[]) => listNames(all.map(({ name }) => name))
  const stale = machines.filter(({ state }) => state === 'stale')
  const minimum = packing.belowMinimum.get(pool)
  return [
    ...leaving.findings,
    ...(failed.length === 0
      ? []
      : [finding('ClaimFailed', `${settings.name}: ${names(failed)} failed and is dropped`, { subject })]),
    ...(stale.length === 0
      ? []
      : [
          finding('ClaimStale', `${settings.name}: ${names(stale)} is no Ready node after times.provision`, {
            subject,
          }),
        ]),
    ...(minimum === undefined
      ? []
      : [
          finding(
            'MinNodesNotReached',
            `${settings.name}: minNodes ${settings.limits.minNodes} is not reached: ${minimum}`,
            { subject },
          ),
        ]),
  ]
}

/** Node objects of the input are the inventory: a partial Node of the same name would be one object with them. */
function inventoryFindings(subject: KubernetesObject, shares: readonly Share[], { items }: World): Finding[] {
  const [first] = shares
  const isNode = ({ object }: Item) =>
    object.apiVersion === 'v1' && object.kind === 'Node' && rendererOf(object) === undefined
  if (first === undefined || !items.some(isNode)) return []
  const sentence = `${subject.metadata.name}: a partial Node ${first.target.name} is to be rendered beside the Node objects of the package`
  return [finding('NeedsInventory', sentence, { subject })]
}
