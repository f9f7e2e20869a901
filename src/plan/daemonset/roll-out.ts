import { handOvers, isPrunedLast, releaseWaves, waveOf } from '../../core/object/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { TEMPLATE } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { type Made, type Paced, paceRollout } from './rollout-pace.ts'
import { deadlockFindings, wayBackTexts } from './wave-findings.ts'
import { orderInWaves, type WavesInput } from './waves.ts'

type RollOutInput = Omit<WavesInput, 'rollout' | 'world'> & { readonly world: Parameters<typeof paceRollout>[3] }

/**
 * Returns the objects to render in this run according to the policy's rollout: all of them without a rollout, else
 * paced by `every` or ordered in waves.
 */
export function rollOut(made: readonly Made[], input: RollOutInput): Paced {
  const { rollout } = input.settings
  if (rollout !== undefined && rollout.every === undefined) return orderInWaves(made, { ...input, rollout })
  const paced = pace(made, input)
  return { ...paced, findings: [...paced.findings, ...lateDeletions(paced, input)] }
}

function pace(made: readonly Made[], { settings, world }: RollOutInput): Paced {
  const { rollout } = settings
  if (rollout?.every === undefined) return { value: made.map(({ rendered }) => rendered), findings: [] }
  return paceRollout(made, { ...rollout, every: rollout.every }, settings, world)
}

/** Reports objects that an earlier run put in a later wave, or had deleted last, than what takes over their nodes. */
function lateDeletions({ value }: Paced, { earlier, shapes, settings: { subject } }: RollOutInput): Paced['findings'] {
  const after = value.map(({ object }) => object)
  const names = new Set(after.map(({ metadata }) => metadata.name))
  const first = Math.min(...after.map(waveOf))
  const isLate = (object: KubernetesObject) =>
    !names.has(object.metadata.name) && (isPrunedLast(object) || waveOf(object) > first)
  if (!earlier.some(isLate)) return []
  return deadlockFindings(earlier, after, handOvers(earlier, after, shapes), 'later').map((sentence) =>
    finding('WavesDeadlock', `${subject.metadata.name}: ${sentence}`, { subject }),
  )
}

/**
 * Reports a disabled policy whose output Argo CD would never delete: the static DaemonSet is applied again, and waits
 * for pods in later waves.
 */
export function wayBackFindings(
  { object }: Item,
  earlier: readonly KubernetesObject[],
  { subject }: RollOutInput['settings'],
): Finding[] {
  const { annotations } = object.metadata
  // a template that its user keeps local is not applied again
  const isApplied = !isLocalConfig(annotations) || annotations?.[TEMPLATE] === 'true'
  if (!isApplied) return []
  return wayBackTexts(earlier, object, releaseWaves(earlier, [object])).map((sentence) =>
    finding('WavesDeadlock', `${subject.metadata.name}: ${sentence}`, { subject }),
  )
}
