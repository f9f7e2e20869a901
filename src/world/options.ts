import type { Codes, Finding } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { DEFAULT_OPTIONS, isRenderConfig, type RenderOptions, readRenderConfig } from '../policy/index.ts'
import { finding } from './codes.ts'

/** Whether what fails closed with this code may pass, as somebody said in the options. */
export function isAllowed({ allow }: RenderOptions, code: string): boolean {
  return allow.has(code)
}

/**
 * The options of a package: of the RenderConfig that is the functionConfig, else of the one it holds. Two are an error.
 * Only a functionConfig asks for a check: one in the package would keep the very render from it that mends what it
 * finds.
 */
export function optionsOf(
  items: readonly Item[],
  config: Item | undefined,
  codes: Codes,
): { options: RenderOptions; findings: readonly Finding[] } {
  const own = items.filter(({ object }) => isRenderConfig(object))
  const chosen = config ?? own[0]
  if (chosen === undefined) return { options: DEFAULT_OPTIONS, findings: [] }
  const { name } = chosen.object.metadata
  // the functionConfig may be a file of the package as well
  const other = own.find((item) => item !== chosen && (config === undefined || item.object.metadata.name !== name))
  const { options, findings } = readRenderConfig(chosen.object, codes)
  const read = { options: { ...options, check: options.check && config !== undefined }, findings }
  if (other === undefined) return read
  const sentence = `${describe(other.object)} is in the package beside ${describe(chosen.object)}`
  const two = finding('TwoRenderConfigs', sentence, { subject: other.object })
  return config === undefined
    ? { options: DEFAULT_OPTIONS, findings: [two] }
    : { ...read, findings: [...read.findings, two] }
}
