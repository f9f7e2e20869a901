import type { ContainerStep } from '../../../core/index.ts'
import { type Known, memoryText } from '../../../facts/usage/index.ts'
import { Quantity } from '../../../kube/index.ts'

/**
 * Returns what maxResources holds below what a container used or was killed at; undefined where it does not. `steps`
 * are those of the container.
 */
export function aboveMaximumText(known: Known | undefined, steps: readonly ContainerStep[]): string | undefined {
  const texts = steps
    .filter(({ decidedBy }) => decidedBy === 'maximum')
    .flatMap((step) => {
      if (step.kind === 'used')
        return isBelow(step.printed, step.used) ? [`${step.name} ${step.printed} of ${step.used} used`] : []
      return step.name === 'limitMemory' ? limitTexts(step.printed, known) : []
    })
  return texts.length === 0 ? undefined : texts.join(', ')
}

function limitTexts(printed: string, known: Known | undefined): string[] {
  const { seen, kills } = known ?? {}
  const peak = seen?.peakMemory === undefined ? undefined : memoryText(seen.peakMemory)
  const killedAt = kills?.limit === undefined ? undefined : memoryText(kills.limit)
  if (killedAt !== undefined && !isBelow(killedAt, printed)) return [`limitMemory ${printed}, killed at ${killedAt}`]
  return peak !== undefined && isBelow(printed, peak) ? [`limitMemory ${printed} of ${peak} used at most`] : []
}

function isBelow(left: string, right: string): boolean {
  return Quantity.parse(left).compare(Quantity.parse(right)) < 0
}
