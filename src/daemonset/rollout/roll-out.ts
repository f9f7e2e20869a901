import type { Read } from '../../finding/index.ts'
import type { SizingSettings } from '../../policy/index.ts'
import type { Rendered, World } from '../../world/index.ts'
import { type Made, paceRollout } from './pace.ts'

/** What is rendered in this run, as the policy's rollout has it; without a value the run cannot go on. */
export function rollOut(made: readonly Made[], settings: SizingSettings, world: World): Read<readonly Rendered[]> {
  const { rollout } = settings
  if (rollout === undefined) return { value: made.map(({ rendered }) => rendered), findings: [] }
  const { every } = rollout
  if (every !== undefined) return paceRollout(made, { ...rollout, every }, settings, world)
  return { value: made.map(({ rendered }) => rendered), findings: [] }
}
