import type { World } from '../../core/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { claimsOutput } from './claims-output.ts'
import { machineDeploymentOutput } from './machine-deployment.ts'
import { nodePoolOutput } from './node-pool.ts'
import type { Output } from './output.ts'
import { invalid, type PoolSettings } from './settings.ts'
import { templateOutput } from './template-output.ts'

const OUTPUTS: Readonly<Record<PoolSettings['output']['kind'], Output>> = {
  NodeSmithClaim: claimsOutput,
  MachineDeployment: machineDeploymentOutput,
  NodePool: nodePoolOutput,
  Template: templateOutput,
}

/** Returns how the machines of a pool are asked for. */
export function outputOf({ output }: Pick<PoolSettings, 'output'>): Output {
  return OUTPUTS[output.kind]
}

/** Finds why the settings of a pool cannot be rendered by its output. */
export function outputFindings(settings: PoolSettings, world: World): Finding[] {
  return [...sizeFindings(settings), ...outputOf(settings).problems(settings, world)]
}

/** Reports times and sizes that the output has no place for: a claim asks for one, counted machines are all alike. */
function sizeFindings({
  subject: { object },
  choice,
  machines,
  isElastic,
  output,
  expireAfter,
}: PoolSettings): Finding[] {
  const { picks, takesSizes } = outputOf({ output })
  const { kind, forceDrainAfter } = output
  if (kind !== 'NodePool' && forceDrainAfter !== undefined)
    return [invalid(object, 'spec.output.forceDrainAfter', forceDrainAfter, `says nothing of a ${kind}`)]
  if (kind !== 'NodePool' && expireAfter !== undefined)
    return [invalid(object, 'spec.expireAfter', expireAfter, `says nothing of a ${kind}`)]
  if (choice === 'any' && !picks) return [invalid(object, 'spec.choice', choice, `leaves nothing to pick in a ${kind}`)]
  if (takesSizes) return []
  if (isElastic)
    return [invalid(object, 'spec.sizing', 'Elastic', `is not possible in a ${kind}: its machines are alike`)]
  return machines.length === 1
    ? []
    : [invalid(object, 'spec.machines', `${machines.length} sizes`, `has more than one: those of a ${kind} are alike`)]
}

export { isLeftToKarpenter, nodePoolRendered } from './node-pool.ts'
