import { indexBy } from '../core/index.ts'
import { podSpecOf, surgeBlocker } from '../core/object/index.ts'
import { type Finding, listNames, plural } from '../krm/finding.ts'
import { memberOf } from '../krm/map.ts'
import type { Change, PlannedChanges } from './change.ts'
import { finding } from './codes.ts'
import { restartsOf } from './restarts.ts'
import { mayStayText } from './summary.ts'

const POD_TEMPLATE = 'spec.template'
const CONTAINER = /^spec\.(containers|initContainers)\.(\d+)\.([^.]+)(?:\.([^.]+))?(?:\.(.+))?$/
const PLACEMENT = /^spec\.(?:nodeSelector|tolerations|affinity)(?:\.|$)/
const METADATA = /^metadata\.(labels|annotations)(?:\.|$)/

/**
 * Reports once per subject why its pods restart: the parts of the pod template that differ, the one with the most pods
 * first. Pods of nodes that move to another object are not counted: they start there for the first time.
 */
export function restartFindings(planned: PlannedChanges): Finding[] {
  if (!planned.isEnabled) return []
  const subject = planned.subject.object
  const restarting = [...restartsOf(planned)].filter(([, { pods, mayRestart }]) => pods + mayRestart > 0)
  if (restarting.length === 0) return []
  const causes = restarting.flatMap(([change, { pods, mayRestart }]) =>
    [...new Set(causesOf(change))].map((cause) => ({ cause, pods: pods + mayRestart })),
  )
  const counted = [...indexBy(causes, ({ cause }) => cause)]
    .map(([cause, all]) => ({ cause, pods: podsOf(all) }))
    .sort((a, b) => b.pods - a.pods || (a.cause < b.cause ? -1 : 1))
  const all = podsOf(restarting.map(([, restart]) => restart))
  const others = restarting.reduce((sum, [, { mayRestart }]) => sum + mayRestart, 0)
  const waiting = podsOf(restarting.flatMap(([, restart]) => (restart.isOnDelete ? [restart] : [])))
  const when =
    waiting === 0
      ? ''
      : `, ${waiting === all ? 'all' : waiting} of them when somebody deletes them (${whyOf(restarting)})`
  const why = counted.map(({ cause, pods }) => (counted.length === 1 ? cause : `${cause} (${pods})`))
  const verb = all === 1 ? 'restarts' : 'restart'
  return [
    finding(
      'PodsRestart',
      `${subject.metadata.name}: ${plural(all, 'pod')} ${verb}${when}${mayStayText(others)}: ${listNames(why, 6)}`,
      {
        subject,
      },
    ),
  ]
}

/** Why pods wait for somebody: by OnDelete, or since their new pod cannot start beside them. */
function whyOf(restarting: ReadonlyArray<readonly [Change, { readonly isOnDelete: boolean }]>): string {
  const isSurge = restarting.some(([{ after }, { isOnDelete }]) => {
    return isOnDelete && after !== undefined && surgeBlocker(after.object) !== undefined
  })
  return isSurge ? 'maxSurge: SurgeCannotStart' : 'OnDelete'
}

function podsOf(all: ReadonlyArray<{ readonly pods: number }>): number {
  return all.reduce((sum, { pods }) => sum + pods, 0)
}

/**
 * Returns the parts of the pod template that an object changes, in words; where it changes none, its pods restart since
 * they no longer wait for somebody to delete them.
 */
function causesOf({ fields, after }: Change): string[] {
  const causes = fields.flatMap(({ path }) => {
    if (path === POD_TEMPLATE) return ['pod template']
    return path.startsWith(`${POD_TEMPLATE}.`) ? [causeOf(path.slice(POD_TEMPLATE.length + 1), after)] : []
  })
  return causes.length === 0 ? ['updateStrategy'] : causes
}

function causeOf(path: string, after: Change['after']): string {
  if (PLACEMENT.test(path)) return 'node selection'
  const [, metadata] = METADATA.exec(path) ?? []
  if (metadata !== undefined) return `pod ${metadata}`
  const [, list, index, field, part, name] = CONTAINER.exec(path) ?? []
  if (list === undefined || field === undefined) return path.replace(/^spec\./, '').split('.')[0] ?? path
  const of = ` of container ${containerName(list, Number(index), after)}`
  if (field !== 'resources' || name === undefined) return `${field === 'env' ? 'variables' : field}${of}`
  return `${name} ${part === 'limits' ? 'limit' : 'request'}${of}`
}

function containerName(list: string, index: number, after: Change['after']): string {
  const containers = after === undefined ? undefined : memberOf(podSpecOf(after.object), list)
  const name = Array.isArray(containers) ? memberOf(containers[index], 'name') : undefined
  return typeof name === 'string' ? name : `${index}`
}
