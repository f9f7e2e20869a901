import { type Made, type Paced, paceRollout } from './rollout-pace.ts'
import { orderInWaves, type WavesInput } from './waves.ts'

/**
 * Returns the objects to render in this run according to the policy's rollout: all of them without a rollout, else
 * paced by `every` or ordered in waves.
 */
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
