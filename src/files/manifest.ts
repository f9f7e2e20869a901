import { isWireAnnotation } from '../krm/annotation.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { yamlWriter } from '../krm/write-shared.ts'

/** Objects as manifests, without what only the wire needs; those that nobody changed as their files have them. */
export function manifestTexts(items: readonly Item[]): string[] {
  const written = items.map(({ object, text }) => text ?? withoutWire(object))
  const write = yamlWriter(written.filter((one) => typeof one !== 'string'))
  return written.map((one) => {
    if (typeof one !== 'string') return write(one)
    return one.endsWith('\n') ? one : `${one}\n`
  })
}

function withoutWire(object: KubernetesObject): object {
  const annotations = Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !isWireAnnotation(key)),
  )
  const metadata: Record<string, unknown> = { ...object.metadata, annotations }
  if (Object.keys(annotations).length === 0) delete metadata.annotations
  return { ...object, metadata }
}
