/** Shapes whose nodes cannot be told apart by name: each is a thing of its own, by its labels and taints. */
import { isCounted, isDeclared, nodesText, type Shape, shapeText } from '../inventory/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { daemonTolerations } from '../kube/index.ts'
import { podSpecOf } from '../object/index.ts'
import { lastingTaint } from '../sizing/index.ts'
import type { World } from '../world/index.ts'
import { admits } from './place.ts'

/** Node types that are declared, and those whose nodes are only counted. */
export function unnamedShapes({ fleets }: Pick<World, 'fleets'>): Shape[] {
  return fleets.flatMap(({ shapes }) => shapes.filter((shape) => isDeclared(shape) || isCounted(shape)))
}

/** Whether the pods of an object may be on the nodes of a shape: its labels match, and no taint drives them away. */
export function isServed(shape: Shape, object: KubernetesObject): boolean {
  if (admits(object, { name: '', labels: shape.labels }) !== true) return false
  const { tolerations, hostNetwork } = podSpecOf(object)
  const all = daemonTolerations({ tolerations: tolerations ?? [], hostNetwork })
  return lastingTaint(shape, all, 'NoExecute') === undefined
}

/** The nodes of a shape, as a sentence says where two meet. */
export function whereOf(shape: Shape): string {
  return isDeclared(shape) ? `the declared ${shapeText(shape)}` : `${nodesText(shape)} of ${shapeText(shape)}`
}
