import { type Made, type Paced, paceRollout } from './rollout-pace.ts'
import { orderInWaves, type WavesInput } from './waves.ts'

/** What is rendered in this run, as the policy's rollout has it. */
export function rollOut(
  made: readonly Made[],
  {
    settings,
    world,
    ...rest
  }: Omit<WavesInput, 'rollout' | 'world'> & { readonly world: Parameters<typeof paceRollout>[3] },
): Paced {
  const { rollout } = settings
  if (rollout === undefined) return { value: made.map(({ rendered }) => rendered), findings: [] }
  const { every } = rollout
  if (every !== undefined) return paceRollout(made, { ...rollout, every }, settings, world)
  return orderInWaves(made, { rollout, settings, world, ...rest })
}
