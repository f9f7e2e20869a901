import { isWireAnnotation } from '../krm/annotation.ts'
import type { Item } from '../krm/types.ts'
import { writeYaml } from '../krm/write-yaml.ts'

/** An object as a manifest, without what only the wire needs; one that nobody changed as its file has it. */
export function manifestOf({ object, text }: Item): string {
  if (text !== undefined) return text.endsWith('\n') ? text : `${text}\n`
  const annotations = Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !isWireAnnotation(key)),
  )
  const metadata: Record<string, unknown> = { ...object.metadata, annotations }
  if (Object.keys(annotations).length === 0) delete metadata.annotations
  return writeYaml({ ...object, metadata })
}
