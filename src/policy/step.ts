import type { Finding, Subject } from '../finding/index.ts'
import type { Quantity } from '../kube/index.ts'
import { finding } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'
import { readQuantity } from './read-quantity.ts'
import type { Resource } from './resource.ts'

/** What amounts of a resource are rounded to; absent where nothing is given. */
export type Steps = Readonly<Partial<Record<Resource, Quantity>>>

/** Billionths in the least amount of a resource that is rendered: a millicore, a byte. */
const LEAST: Record<Resource, { nano: bigint; unit: string }> = {
  cpu: { nano: 1_000_000n, unit: 'millicores' },
  memory: { nano: 1_000_000_000n, unit: 'bytes' },
}
const RESOURCES: readonly Resource[] = ['cpu', 'memory']

/** Reads the rounding steps: whole millicores and bytes, above zero. One that is not is left out, with a finding. */
export function readSteps(
  written: SizingPolicy['spec']['step'],
  subject: Subject,
): { steps: Steps; findings: Finding[] } {
  const findings: Finding[] = []
  const steps: Partial<Record<Resource, Quantity>> = {}
  for (const resource of RESOURCES) {
    const text = written?.[resource]
    if (text === undefined) continue
    const { value, problem } = readQuantity(text)
    const { nano, unit } = LEAST[resource]
    if (value !== undefined && value.nanoValue() > 0n && value.nanoValue() % nano === 0n) steps[resource] = value
    else {
      const field = { path: `spec.step.${resource}`, currentValue: text }
      const sentence = `${subject.metadata.name}: step.${resource} ${problem ?? `is ${text}, not whole ${unit} above zero`}`
      findings.push(finding('StepInvalid', sentence, { subject, field }))
    }
  }
  return { steps, findings }
}
