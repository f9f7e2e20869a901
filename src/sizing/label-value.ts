import type { Labels } from '../kube/index.ts'

/** The value of a node's label; undefined where it has none. */
export function ownValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** Whether a node carries every label of a selector. */
export function carries(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => ownValue(labels, key) === value)
}
