import { emptyPlanned, type Planned, type Share, type World } from '../../core/index.ts'
import { type Finding, listNames } from '../../krm/finding/index.ts'
import { rendererOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { accountOf } from './account.ts'
import { answersOf } from './answers.ts'
import { finding } from './codes.ts'
import type { Leaving } from './leaving.ts'
import { liveControllerFindings } from './live-controller.ts'
import type { Machine } from './machines.ts'
import { outputOf } from './outputs.ts'
import { podFindings } from './pod-findings.ts'
import type { Pool } from './pool.ts'
import type { PoolsRun } from './run.ts'
import { nextTime } from './until.ts'

/** Returns what a run renders for one pool: what asks for its machines, and what it writes on nodes. */
export function planPool(pool: Pool, run: PoolsRun, world: World, earlier: readonly Item[]): Planned {
  const { settings, machines } = pool
  const { subject } = settings
  const leaving = run.leaving.get(pool)
  if (leaving === undefined) throw new Error(`${settings.name} was not planned`)
  const failed = machines.filter(({ state, claim }) => state === 'failed' && claim?.isOurs === true)
  const until = nextTime(pool, run.packing, leaving, run.now)
  const made = outputOf(settings).render(pool, run, world, earlier)
  return {
    ...emptyPlanned({ subject, earlier }),
    ...made,
    account: accountOf(pool, run.packing, leaving, run.axes),
    answers: answersOf(pool, run, leaving),
    until: until === undefined ? undefined : new Date(until),
    findings: [
      ...made.findings,
      ...machineFindings(pool, run, leaving, failed),
      ...podFindings(pool, run),
      ...(settings.output.kind === 'NodeSmithClaim' ? liveControllerFindings(pool, world) : []),
      ...inventoryFindings(subject.object, made.shares, world),
    ],
  }
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
  const first = shares.find(({ target }) => target.kind === 'Node')
  const isNode = ({ object }: Item) =>
    object.apiVersion === 'v1' && object.kind === 'Node' && rendererOf(object) === undefined
  if (first === undefined || !items.some(isNode)) return []
  const sentence = `${subject.metadata.name}: a partial Node ${first.target.name} is to be rendered beside the Node objects of the package`
  return [finding('NeedsInventory', sentence, { subject })]
}
